#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Usage: completion_test.py LTT_CTL COMPLETION_DIR

Completion in real shells: bash and zsh at a terminal, where somebody types and presses the
tabulator key.
"""

import os
import pty
import re
import select
import sys
import tempfile
import time
import unittest
from pathlib import Path

LTT_CTL, COMPLETION = (Path(word).resolve() for word in sys.argv[1:3])
LIMIT = 60

# Its traces are those of a kernel that this machine need not have.
WRAPPER = """#!/bin/sh
if [ "$1" = --complete ] && [ $# = 3 ] && [ "$2" != create ] && [ "${3#-}" = "$3" ] &&
	[ "$2" = start -o "$2" = destroy ]; then
	for name in mine more other; do
		case $name in "$3"*) printf '%s\\t\\n' "$name" ;; esac
	done
	exit
fi
exec LTT_CTL "$@"
"""
SHOWN = re.compile(rb"<<(.*?)>>", re.DOTALL)


class Shell:
    """At a terminal; ^T shows the line that stands there, and empties it."""

    def __init__(self, words, environment, directory, setup):
        self.output = b""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(directory)
            os.execvpe(words[0], words, environment)
        for line in setup:
            self.send(line + "\n")
        self.send("echo re''ady\n")
        self.wait_for(re.compile(rb"(?<!'')ready"))

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        end = time.monotonic() + LIMIT
        while True:
            found = pattern.search(self.output)
            if found:
                self.output = self.output[found.end():]
                return found
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{pattern.pattern!r} did not come; there is {self.output!r}")
            self.output += os.read(self.terminal, 65536)

    def complete(self, text):
        """What the line is after the tabulator key."""
        self.send(text + "\t\x14")
        return self.wait_for(SHOWN)[1].decode()

    def offered(self, text):
        """The words that are shown when there is more than one."""
        self.send(text + "\t\t\x14")
        end = time.monotonic() + LIMIT
        while not SHOWN.search(self.output):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"nothing came; there is {self.output!r}")
            self.output += os.read(self.terminal, 65536)
        shown, self.output = self.output, b""
        text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x07", b" ", shown).decode()
        return set(re.findall(r"[\w./=:-]+", text))

    def close(self):
        os.close(self.terminal)
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


class Completion:
    """What holds in both shells."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.directory = Path(self.scratch.name)
        bin_directory = self.directory / "bin"
        bin_directory.mkdir()
        wrapper = bin_directory / "ltt-ctl"
        wrapper.write_text(WRAPPER.replace("LTT_CTL", str(LTT_CTL)))
        wrapper.chmod(0o755)
        (self.directory / "some dir").mkdir()
        (self.directory / "some dir" / "inside").mkdir()
        (self.directory / "a-file").write_text("")
        self.environment = {"PATH": f"{bin_directory}:{os.environ['PATH']}", "TERM": "dumb",
                            "HOME": str(self.directory), "COLUMNS": "200"}
        self.shell = self.start()

    def tearDown(self):
        self.shell.close()
        self.scratch.cleanup()

    def test_verbs(self):
        self.assertEqual("ltt-ctl snapshot ", self.shell.complete("ltt-ctl snap"))
        self.assertLessEqual({"start", "stop", "status"}, self.shell.offered("ltt-ctl st"))
        self.assertEqual("ltt-ctl help destroy ", self.shell.complete("ltt-ctl help des"))

    def test_options_and_their_values(self):
        self.assertEqual("ltt-ctl create x --subbuf-size ",
                         self.shell.complete("ltt-ctl create x --subb"))
        self.assertEqual("ltt-ctl create x --mode overwrite ",
                         self.shell.complete("ltt-ctl create x --mode o"))
        self.assertLessEqual({"discard", "overwrite", "block"},
                             self.shell.offered("ltt-ctl create x --mode "))
        self.assertEqual("ltt-ctl create x --filter net,storage",
                         self.shell.complete("ltt-ctl create x --filter net,sto").rstrip())

    def test_behind_an_equals_sign(self):
        self.assertEqual("ltt-ctl create x --mode=block",
                         self.shell.complete("ltt-ctl create x --mode=b").rstrip())

    def test_traces(self):
        self.assertEqual("ltt-ctl start other ", self.shell.complete("ltt-ctl start o"))
        self.assertLessEqual({"mine", "more"}, self.shell.offered("ltt-ctl destroy m"))

    def test_files_and_directories(self):
        self.assertEqual("ltt-ctl events a-file ", self.shell.complete("ltt-ctl events a-"))
        self.assertEqual(r"ltt-ctl record x -o some\ dir/",
                         self.shell.complete("ltt-ctl record x -o so"))

    def test_the_command_of_run(self):
        self.assertEqual("ltt-ctl run -o x -- babeltrace2 ",
                         self.shell.complete("ltt-ctl run -o x -- babeltrace"))
        self.assertEqual("ltt-ctl run -o x -- cat a-file ",
                         self.shell.complete("ltt-ctl run -o x -- cat a-"))


class Bash(Completion, unittest.TestCase):
    def start(self):
        return Shell(["bash", "--norc", "--noprofile", "-i"], self.environment, self.directory, [
            "PS1= PS2= ",
            "bind 'set show-all-if-ambiguous on'",
            "bind 'set completion-query-items 0'",
            "bind 'set enable-bracketed-paste off'",
            "bind 'set page-completions off'",
            f"source {COMPLETION}/ltt-ctl.bash",
            """show() { printf '<<%s>>' "$READLINE_LINE"; READLINE_LINE= READLINE_POINT=0; }""",
            r"""bind -x '"\C-t": show'""",
        ])


class Zsh(Completion, unittest.TestCase):
    def start(self):
        return Shell(["zsh", "-f", "-i"], self.environment, self.directory, [
            "PS1= PS2= RPS1= LISTMAX=1000",
            "unsetopt zle_bracketed_paste prompt_cr prompt_sp 2>/dev/null; unset zle_bracketed_paste",
            f"fpath=({COMPLETION} $fpath)",
            "autoload -Uz compinit; compinit -u -D",
            "show() { print -rn -- \"<<$BUFFER>>\" >$TTY; BUFFER= }",
            "zle -N show; bindkey '^T' show",
            "setopt auto_list no_list_ambiguous",
        ])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

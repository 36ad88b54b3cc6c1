#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the manual pages of man/ tell the truth about errors and structures? Have they,
and those of ltt-ctl, the usual form?

Each entry of a section ERRORS is provoked by a test in the guest, where a comment
says so next to the check:

    // errno: CALL ERRNO              the only one of this errno of CALL
    // errno: CALL ERRNO: words       the one whose text has these words

An entry that no test can provoke says why in the page: .\\" not provoked: reason
The other way round, each errno that the kernel's code returns stands in a page.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "man"))

import manpage  # noqa: E402

GUEST_TESTS = TOP / "qemu-tests" / "guest" / "tests"
KERNEL = TOP / "kernel-patches" / "src" / "kernel" / "ltt"
ABI = TOP / "kernel-patches" / "src" / "include" / "uapi" / "linux" / "ltt.h"
MARKER = re.compile(r"// errno: (?P<call>.+) (?P<errno>E[A-Z0-9]+)(?:: (?P<words>.+))?$")
# What a program never sees as it is: the errno it sees, or None for a restart.
RESTARTS = {"ERESTARTSYS": "EINTR", "ERESTARTNOINTR": None}


def all_entries():
    return [entry for page in manpage.pages() for entry in manpage.errors(page)]


def code_around(lines, n):
    """The function that line n is part of, without comments and strings."""
    begin = max((i for i in range(n) if lines[i].startswith("}")), default=-1)
    end = next((i for i in range(n, len(lines)) if lines[i].startswith("}")), len(lines))
    return "\n".join(re.sub('"[^"]*"|//.*', "", line) for line in lines[begin + 1:end])


def markers():
    """(where, call, errno, words, code of the test that it is in) for each."""
    for source in sorted(GUEST_TESTS.glob("*.cpp")):
        lines = source.read_text().splitlines()
        for n, line in enumerate(lines):
            if "// errno: " not in line:
                continue
            where = f"{source.name}:{n + 1}"
            found = MARKER.search(line.strip())
            if not found:
                raise AssertionError(f"{where}: not '// errno: CALL ERRNO[: words]'")
            yield where, found["call"], found["errno"], found["words"] or "", code_around(lines, n)


def named_by(entries, call, errno, words):
    return [e for e in entries
            if (e.call, e.errno) == (call, errno) and words.lower() in e.cause.lower()]


def errnos(text):
    """-E… in code and comments."""
    return {RESTARTS.get(e, e) for e in re.findall(r"-(E[A-Z][A-Z0-9]+)\b", text)} - {None}


class Errors(unittest.TestCase):
    def test_markers_name_one_entry_each_in_a_test_that_checks_for_it(self):
        entries = all_entries()
        for where, call, errno, words, code in markers():
            with self.subTest(where):
                self.assertEqual(1, len(named_by(entries, call, errno, words)),
                                 f"entries of {call} {errno} with {words!r}")
                self.assertRegex(code, rf"[-(, ]{errno}\b", "no check there")

    def test_each_entry_is_provoked(self):
        entries = all_entries()
        self.assertGreater(len(entries), 50)
        provoked = [id(e) for _, call, errno, words, _ in markers()
                    for e in named_by(entries, call, errno, words)]
        for e in entries:
            with self.subTest(f"{e.call} {e.errno}: {e.cause}"):
                if e.not_provoked:
                    self.assertNotIn(id(e), provoked, "it can be provoked")
                else:
                    self.assertIn(id(e), provoked, f"no '// errno: {e.call} {e.errno}'")

    def test_what_the_system_calls_document_is_in_their_pages(self):
        text = (KERNEL / "syscalls.c").read_text()
        found = re.findall(r"/\*\*\n \* sys_(ltt_\w+)\(\)(.*?)\*/", text, re.DOTALL)
        self.assertEqual(3, len(found))
        entries = all_entries()
        for call, comment in found:
            with self.subTest(call):
                self.assertLessEqual(errnos(comment), {e.errno for e in entries if e.call == call})

    def test_every_errno_of_the_kernel_code_is_in_a_page(self):
        known = {e.errno for e in all_entries()}
        sources = sorted(KERNEL.glob("*.c"))
        self.assertGreater(len(sources), 10)
        for source in sources:
            with self.subTest(source.name):
                self.assertLessEqual(errnos(source.read_text()), known)

    def test_control_and_targets_are_in_the_page_of_the_device(self):
        known = {e.errno for e in manpage.errors(TOP / "man" / "ltt.4")}
        for name in ("device.c", "target.c", "trace.c", "quota.c", "snapshot.c", "read.c",
                     "packet.c"):
            with self.subTest(name):
                self.assertLessEqual(errnos((KERNEL / name).read_text()), known)


class Structures(unittest.TestCase):
    def test_those_in_the_pages_are_those_of_the_abi(self):
        def fields(text):
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).replace("__aligned_u64", "__u64")
            return re.findall(r"(\S+)\s+(\w+(?:\[\w+\])?);", text)

        abi = ABI.read_text()
        checked = 0
        for page in manpage.pages():
            for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};",
                                         "\n".join(manpage.displays(page)), re.M | re.S):
                with self.subTest(f"{page.name}: {name}"):
                    defined = re.search(rf"^struct {name} \{{\n(.*?)^\}};", abi, re.M | re.S)
                    self.assertEqual(fields(defined[1]), fields(body))
                    checked += 1
        self.assertGreater(checked, 4)


class Format(unittest.TestCase):
    def said(self, *command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.stdout

    PAGES = manpage.pages() + manpage.tool_pages()

    def test_mandoc_has_no_objections(self):
        for page in self.PAGES:
            with self.subTest(page.name):
                self.assertEqual("", self.said("mandoc", "-T", "lint", "-W", "warning", page))

    def test_groff_has_no_warnings(self):
        for page in self.PAGES:
            with self.subTest(page.name):
                self.assertEqual("", self.said("groff", "-man", "-ww", "-Tutf8", "-Kutf8", "-z", page))

    def test_each_has_the_usual_sections(self):
        for page in manpage.pages():
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "ERRORS", "STANDARDS",
                          "NOTES", "EXAMPLES"):
                with self.subTest(f"{page.name}: {title}"):
                    self.assertTrue(manpage.section(page, title).strip())

    def test_each_of_ltt_ctl_has_the_usual_sections(self):
        self.assertGreater(len(manpage.tool_pages()), 5)
        for page in manpage.tool_pages():
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"):
                with self.subTest(f"{page.name}: {title}"):
                    self.assertTrue(manpage.section(page, title).strip())

    def test_each_of_ltt_ctl_has_commands_that_the_guest_runs(self):
        for page in manpage.tool_pages():
            # Whose commands are in the guest's own test of recordings.
            if page.name == "ltt-ctl-record.1":
                continue
            with self.subTest(page.name):
                commands = [line for line in "".join(manpage.displays(page)).splitlines()
                            if line.startswith("$ ltt-ctl ")]
                self.assertGreater(len(commands), 1)


if __name__ == "__main__":
    unittest.main()

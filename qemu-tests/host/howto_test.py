# SPDX-License-Identifier: MIT
"""The how-tos of docs/kernel.md, followed to the letter in a copy of the project."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import paths
from .ktap import Result

SECONDS = 1200          # for a kernel; one that was built before takes none
SECONDS_GUEST = 90      # times the patience


class Failed(Exception):
    pass


def run(copy, command, limit, **more):
    done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=limit, **more)
    if done.returncode:
        raise Failed(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_project(to):
    """What git knows, as it is now."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=paths.TOP, stdout=subprocess.PIPE,
                           check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        source, target = paths.TOP / name, to / name
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def section(title):
    text = (paths.TOP / "docs/kernel.md").read_text()
    found = re.search(rf"^### {title}\n(.*?)^##", text, re.M | re.S)
    if not found:
        raise Failed(f"docs/kernel.md has no section {title}")
    return found.group(1)


def block(text, language):
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
    if len(found) != 1:
        raise Failed(f"{len(found)} blocks of {language}")
    return found[0]


def add_an_event(options, patience, directory):
    text = section("Adding an event")
    copy = directory / "copy"
    copy_project(copy)
    run(copy, ["patch", "-p1", "--fuzz=0", "--no-backup-if-mismatch"], 10,
        input=block(text, "diff"))
    series, guest, reader = block(text, "sh").splitlines()
    run(copy, series, 60, shell=True)
    image = run(copy, ["scripts/kernel-build", *options, "--print-image"], SECONDS).strip()
    out = directory / "out"
    guest = guest.replace("scripts/vm run", f"scripts/vm run {' '.join(options)}")
    # The programs are those of this project: they know no event of the kernel by name.
    run(paths.TOP, guest.replace("DIR", str(out)), SECONDS_GUEST * patience, shell=True,
        env={**os.environ, "LTT_KERNEL_IMAGE": image})
    events = run(copy, reader.replace("DIR", str(out)), 60, shell=True).splitlines()
    started = [e for e in events if re.search(
        r" workqueue_execute_start: .*\{ work = 0x[0-9A-F]+, function = 0x[0-9A-F]+ \}", e)]
    if not started or len(started) != len(events):
        raise Failed(f"{len(started)} of {len(events)} events are the new one", *events[:5])


TESTS = [
    ("an event of the kernel, added as docs/kernel.md says, is in a trace", add_an_event),
]


def run_all(chosen, options, patience, on_result):
    """chosen: numbers in TESTS, from 1; options: which kernel, for scripts/kernel-build and
    scripts/vm; patience: multiplies the time limits of guests."""
    for name, function in (TESTS[n - 1] for n in chosen):
        directory = Path(tempfile.mkdtemp(prefix="ltt-test-"))
        directory.chmod(0o755)
        try:
            function(options, patience, directory)
            result = Result("howto", name, True)
        except (Failed, OSError, subprocess.TimeoutExpired) as e:
            notes = "\n".join(str(part) for part in e.args) or "no reason given"
            result = Result("howto", name, False, notes=notes.splitlines())
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        on_result(result)

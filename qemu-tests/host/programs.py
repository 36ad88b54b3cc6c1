# SPDX-License-Identifier: MIT
"""The guest's test programs: which there are, what they hold, what they need."""

import re
import shlex
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from . import initramfs, paths
from .paths import Problem

# In a test's source: // qemu: append="ltt.boot=x" memory=1G cpus=4 timeout=60
DIRECTIVE = re.compile(r"^// qemu:(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Boot:
    """What a program wants of its machine; equal ones share a boot."""
    append: str = ""
    memory: str = "512M"
    cpus: int = 2
    timeout: int = 0            # seconds without a sign of life; 0: the tests' own
    tool: str = ""              # "ltt-ctl": is in /bin
    accel: str = ""             # "icount": time is the number of instructions


@dataclass
class Program:
    name: str                   # of the source, without .cpp
    kind: str                   # "test", "selftest" or "bench"
    tests: list                 # names of all its tests
    chosen: list                # numbers of those to run, from 1
    boot: Boot

    @property
    def binary(self):
        return paths.GUEST / f"{self.kind}-{self.name}.guest"

    @property
    def names(self):
        return [self.tests[n - 1] for n in self.chosen]


def sources(kind):
    return sorted((paths.TOP / "qemu-tests" / "guest" / f"{kind}s").glob("*.cpp"))


def load(kind, source):
    boot = read_directives(source)
    binary = paths.GUEST / f"{kind}-{source.stem}.guest"
    # The host's own list of what must arrive, whatever the guest says.
    listing = subprocess.run([binary, "--list"], stdout=subprocess.PIPE, text=True)
    if listing.returncode != 0:
        raise Problem(f"{binary} --list failed with {listing.returncode}")
    limits, tests = [], []
    for line in listing.stdout.splitlines():
        seconds, _, name = line.partition("\t")
        limits.append(int(seconds))
        tests.append(name)
    # A test is ended at its own limit, and then its leaks are looked for.
    boot = replace(boot, timeout=boot.timeout or max(limits, default=0) + 60)
    if len(set(tests)) != len(tests):
        raise Problem(f"{source}: two tests of one name")
    return Program(source.stem, kind, tests, list(range(1, len(tests) + 1)), boot)


def read_directives(source):
    values = {}
    for line in DIRECTIVE.findall(source.read_text()):
        if not line.strip():
            raise Problem(f"{source}: '// qemu:' says nothing; what it wants stands on its line")
        for word in shlex.split(line):
            key, equals, value = word.partition("=")
            if not equals or key not in Boot.__dataclass_fields__:
                raise Problem(f"{source}: '// qemu: {word}' is not known")
            if key == "tool" and value != "ltt-ctl":
                raise Problem(f"{source}: there is no tool {value}, but for ltt-ctl")
            if key == "accel" and value != "icount":
                raise Problem(f"{source}: a test asks for accel=icount, or for none")
            values[key] = int(value) if key in ("cpus", "timeout") else value
    return Boot(**values)


def select(programs, wanted):
    """Programs of these names; NAME/TEXT takes only the tests that hold TEXT."""
    if not wanted:
        return programs
    chosen = {}
    for name in wanted:
        program_name, slash, text = name.partition("/")
        program = next((p for p in programs if p.name == program_name), None)
        if program is None:
            known = " ".join(p.name for p in programs)
            raise Problem(f"no test program {program_name!r}; there are: {known}")
        numbers = [n for n, test in enumerate(program.tests, 1)
                   if not slash or text in test]
        if not numbers:
            raise Problem(f"no test of {program_name} holds {text!r} in its name")
        chosen.setdefault(program_name, (program, set()))[1].update(numbers)
    for program, numbers in chosen.values():
        program.chosen = sorted(numbers)
    return [program for program, _ in chosen.values()]


def archive(programs, companions=()):
    """The initial RAM file system that runs these programs; companions are those
    that they start themselves."""
    a = initramfs.Archive()
    for directory in ("dev", "proc", "sys", "tmp", "root", "tests"):
        a.directory(directory)
    a.character_device("dev/console", 5, 1)
    a.file("init", paths.GUEST / "guest-init.guest")
    if any(p.boot.tool == "ltt-ctl" for p in programs):
        a.file("bin/ltt-ctl", paths.stripped(paths.LTT_CTL))
    plan = ""
    for p in programs:
        a.file(f"tests/{p.name}", p.binary)
        plan += " ".join([p.name, *map(str, p.chosen)]) + "\n"
    for p in companions:
        a.file(f"tests/{p.name}", p.binary)
    a.file("plan", plan)
    return a.write(paths.BUILD / "qemu-tests" / "initramfs")

# SPDX-License-Identifier: MIT
"""The series' own selftests, kernel-patches/src/tools/testing/selftests/ltt: built
as in a kernel tree that the series was applied to, and run in a guest."""

import os
import re
import subprocess

from . import kernels, ktap, paths

VM = paths.TOP / "scripts" / "vm"
SOURCE = paths.KERNEL_PATCHES / "src" / "tools" / "testing" / "selftests" / "ltt"
SECONDS = 60            # for one program in its guest, times the patience

# In the order of the sources, as the harness runs them; the fixture goes before.
TEST = re.compile(r"^TEST(?:_F\((?P<fixture>\w+), |\()(?P<name>\w+)\)$", re.MULTILINE)


def program_tests():
    """{program: [names of its tests, as its TAP has them]}"""
    found = {}
    for source in sorted(SOURCE.glob("*_test.c")):
        found[source.stem] = [f"{m['fixture'] or 'global'}.{m['name']}"
                              for m in TEST.finditer(source.read_text())]
    return found


def tests():
    return [f"{program}: {name}" for program, names in program_tests().items()
            for name in names]


def build(version):
    """The directory of the programs. The harness and lib.mk are those of the kernel's
    source, beside ours by links: nothing is written into that."""
    pristine, _ = kernels.source(version)
    tree = paths.BUILD / "kselftest" / version
    selftests = tree / "tools" / "testing" / "selftests"
    (selftests / "ltt").mkdir(parents=True, exist_ok=True)
    link(f"{pristine}/scripts", tree / "scripts")
    link(f"{pristine}/tools/include", tree / "tools" / "include")
    link(f"{pristine}/include", tree / "include")
    for entry in os.scandir(f"{pristine}/tools/testing/selftests"):
        if entry.is_file() or entry.name == "kselftest":
            link(entry.path, selftests / entry.name)
    for source in SOURCE.iterdir():
        link(source, selftests / "ltt" / source.name)
    uapi = paths.KERNEL_PATCHES / "src" / "include" / "uapi"
    # In the environment, CFLAGS is what their Makefile adds to. Below another make,
    # as that of "make test", lib.mk would write into OUTPUT, and into / without it.
    # All of it, always (-B): it does not know that our headers have changed.
    paths.run_quietly(["env", "CFLAGS=-Werror", "make", "-s", "-B", "-C", selftests / "ltt",
                       f"OUTPUT={selftests / 'ltt'}",
                       f"KHDR_INCLUDES=-isystem {uapi}", "all"],
                      "building the selftests of the series")
    return selftests / "ltt"


def link(target, name):
    if not name.is_symlink() or os.readlink(name) != str(target):
        name.unlink(missing_ok=True)
        name.symlink_to(target)


def run(chosen, version, options, patience, on_result):
    """chosen: numbers in tests(), from 1; options: for each run of scripts/vm."""
    if not chosen:
        return
    directory = build(version)
    number = 0
    for program, names in program_tests().items():
        output, results = None, {}
        for name in names:
            number += 1
            if number not in chosen:
                continue
            if output is None:
                output = run_program(directory / program, options, patience)
                results = parse(output, len(names))
            on_result(judge(f"{program}: {name}", results.get(name), output))


def run_program(path, options, patience):
    seconds = SECONDS * patience
    try:
        done = subprocess.run([VM, "run", *options, "--", path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired as e:
        return f"{(e.stdout or b'').decode(errors='replace')}\nno end after {seconds:g} s"
    return done.stdout


def parse(output, count):
    """{name: match}; nothing if the plan is not what the sources have."""
    lines = output.splitlines()
    if f"1..{count}" not in lines:
        return {}
    return {m["name"]: m for m in map(ktap.RESULT.match, lines) if m}


def judge(name, match, output):
    if match is None:
        return ktap.Result("kselftest", name, False,
                           notes=["no result arrived", *output.splitlines()[-20:]])
    passed = match["verdict"] == "ok"
    skipped = passed and (match["note"] or "").startswith("SKIP")
    # As root in a guest there is nothing to be skipped.
    ok = passed and not skipped
    return ktap.Result("kselftest", name, ok, skipped, [] if ok else output.splitlines())

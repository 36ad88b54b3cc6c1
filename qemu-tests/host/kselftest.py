# SPDX-License-Identifier: MIT
"""The kernel's own selftests: built from its source, run in a guest, compared.

Results come as the runner of the selftests prints them: one line for each program,
and before it, behind "# ", the lines of the tests in that program.
"""

import os
import re
import subprocess

from . import kernels, paths

VM = paths.TOP / "scripts" / "vm"
SELFTESTS = "tools/testing/selftests"
COLLECTIONS = ("signal", "rseq", "clone3", "futex", "sigaltstack", "core", "timers")

# Arguments that bring a program down to what emulation does in minutes.
ARGUMENTS = {"run_param_test.sh": "-r 10 -t 2"}

# Tests, by the beginning of their names, that count on time to be enough. What they
# say on a host that has other things to do varies on one and the same kernel.
MEASURE_TIME = {
    "futex/run.sh: futex_requeue": "gives its threads 10 ms to go to sleep",
    "futex/run.sh: futex_wake": "gives its threads 10 ms to go to sleep",
    "futex/run.sh: futex-requeue-pi": "gives its threads a number of tries to go to sleep",
    "timers/posix_timers: ITIMER_": "wants 2 s of processor time to take 2.5 s at most",
    "timers/nsleep-lat": "fails if a sleep ends 40 ms late",
    "timers/set-timer-lat": "fails if a timer is 40 ms late",
}

RESULT = re.compile(r"(?:^|\W)(?P<verdict>not ok|ok) (?P<number>\d+)\b(?P<rest>.*)$")
# What some tests make their names tell of how they ended.
OUTCOME = re.compile(r"^error | (?:succeeds|returned: .*)$")
PROGRAM = re.compile(r"^(?P<verdict>not ok|ok) \d+ selftests: (?P<collection>[^:]+): "
                     r"(?P<name>\S+)(?: # (?P<note>.*))?$")


def parse(text):
    """{test: verdict}: "rseq/basic_test" of a program, and "core/x: name" of the
    tests in it. verdict: "ok", "not ok", "SKIP" or "TIMEOUT"."""
    results, inner = {}, []
    for line in text.splitlines():
        if match := PROGRAM.match(line):
            program = f"{match['collection']}/{match['name']}"
            for name, verdict in inner:
                results[unused(results, f"{program}: {name}")] = verdict
            results[program] = verdict_of(match["verdict"], match["note"] or "")
            inner = []
        elif line.startswith("# ") and (match := RESULT.search(line[2:])):
            name, _, note = match["rest"].partition("# ")
            # Where a skipped test has no name before its directive, it has one behind.
            name = name.strip(" -") or note.removeprefix("SKIP").strip()
            name = OUTCOME.sub("", name)
            inner.append((name, verdict_of(match["verdict"], note)))
    return results


def verdict_of(verdict, note):
    for word in ("SKIP", "TIMEOUT"):
        if note.startswith(word):
            return word
    return verdict


def unused(results, name):
    """A name that is free: programs may give two of their tests the same."""
    number, free = 1, name
    while free in results:
        number += 1
        free = f"{name} ({number})"
    return free


def group(test):
    """The beginning of the names of all tests that measure time like this one."""
    return next((prefix for prefix in MEASURE_TIME if test.startswith(prefix)), None)


def reason(test):
    return MEASURE_TIME.get(group(test))


class Comparison:
    """Verdicts of each test, of one or more rounds on each of two kernels."""

    def __init__(self):
        self.rounds = ({}, {})      # patched, unpatched: collection -> [results]

    def add(self, side, collection, results):
        self.rounds[side].setdefault(collection, []).append(results)

    def tests(self):
        return sorted({test for rounds in self.rounds for all_results in rounds.values()
                       for results in all_results for test in results})

    def of(self, side, test):
        """Its verdicts, in the order of the rounds."""
        return [results.get(test, "missing")
                for results in self.rounds[side].get(test.partition("/")[0], [])]

    def varies(self, test):
        """It measures time, and on the unpatched kernel alone a test that measures it
        alike gave more than one verdict: this one may give any of them."""
        alike = group(test)
        if not alike or len(set(self.of(0, test)) | set(self.of(1, test))) == 1:
            return False
        seen = [set(self.of(1, t)) for t in self.tests() if t.startswith(alike)]
        return any(len(s) > 1 for s in seen) and set(self.of(0, test)) <= set().union(*seen)

    def differs(self, test):
        both = set(self.of(0, test)) | set(self.of(1, test))
        return len(both) > 1 and not self.varies(test)

    def collections_that_differ(self):
        return sorted({t.partition("/")[0] for t in self.tests() if self.differs(t)})


class Selftests:
    """Built for one kernel source, into the cache beside its kernels."""

    def __init__(self, version, collections):
        self.source, identity = kernels.source(version)
        self.work = paths.cache_dir() / "build" / f"{version}-{identity}" / "kselftest"
        # All are built, whatever runs: the runner's list of tests is one for all.
        self.there = [c for c in COLLECTIONS
                      if os.path.isdir(os.path.join(self.source, SELFTESTS, c))]
        self.collections = [c for c in collections if c in self.there]
        self.missing = [c for c in collections if c not in self.there]
        self.installed = self.work / "install"

    def build(self):
        """make decides what there is to do; nothing is written into the source."""
        self.work.mkdir(parents=True, exist_ok=True)
        headers = self.work / "headers"
        paths.run_quietly(["make", "-s", "-C", self.source, f"O={headers}", "ARCH=x86_64",
                           "headers"], "the kernel's headers")
        paths.run_quietly(["make", "-s", "-C", os.path.join(self.source, SELFTESTS),
                           f"O={self.work / 'out'}", f"TARGETS={' '.join(self.there)}",
                           f"KHDR_INCLUDES=-isystem {headers / 'usr' / 'include'}",
                           f"INSTALL_PATH={self.installed}", "FORCE_TARGETS=1", "install"],
                          "building the kernel's selftests")

    def run(self, collection, image, options, seconds):
        """The runner's output; seconds: for each program."""
        programs = (self.installed / "kselftest-list.txt").read_text().split()
        count = sum(p.startswith(collection + ":") for p in programs)
        command = [VM, "run", *options, "--timeout", str(60 + seconds * count), "--"]
        command += ["env", *[f"KSELFTEST_{variable(name)}_ARGS={arguments}"
                             for name, arguments in ARGUMENTS.items()]]
        command += [self.installed / "run_kselftest.sh", "-c", collection, "-o", str(seconds)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace",
                              env={**os.environ, "LTT_KERNEL_IMAGE": str(image)})
        complaint = next((line for line in done.stderr.splitlines()
                          if line.startswith("vm: ")), "")
        return done.stdout, complaint


def variable(name):
    """As the runner of the selftests spells a program's name in a variable."""
    return re.sub(r"\W", "_", name).upper()

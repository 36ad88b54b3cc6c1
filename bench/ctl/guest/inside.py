#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The part of bench/ctl/guest/run that runs in the guest, as root.

  inside.py PROGRAMS OUT [--without-lttng]

PROGRAMS is where the crowds are. Their samples go to the standard output, the traces below
OUT, for the host to look into.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
BENCH = HERE.parent.parent
sys.path[:0] = [str(HERE), str(BENCH), str(BENCH.parent / "qemu-tests")]

import crowds  # noqa: E402
import lttng  # noqa: E402
from host.bounds import Unreadable  # noqa: E402
from host.counts import LINE  # noqa: E402
from within import call, must, wait_for_clock  # noqa: E402

TRACE = "bench"
TIMERS = Path("/proc/timer_list")


class Crowd:
    """with Crowd(start, program, (programs, threads)) as crowd. start: what begins a
    program, as subprocess.Popen does."""

    def __init__(self, start, program, how_many):
        self.process = start([program, *map(str, how_many)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=None, text=True)

    def __enter__(self):
        self.answer()
        return self

    def __exit__(self, *failure):
        self.process.stdin.close()
        if self.process.wait() and not any(failure):
            raise Unreadable(f"a crowd ended with {self.process.returncode}")

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Unreadable(f"a crowd ended with {self.process.wait()}")
        return int(line)

    def __call__(self, *words):
        """What that took, in nanoseconds in which the processor was not idle."""
        idle = idle_time()
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        taken = self.answer()
        return taken - (idle_time() - idle)


def idle_time():
    """Nanoseconds so far in which the one processor had nothing to do: where programs wait
    for files of the host, it is the host that is slow."""
    times = re.findall(r"\.(?:idle|iowait)_sleeptime *: (\d+) nsecs", TIMERS.read_text())
    if len(times) != 2:
        raise Unreadable(f"{TIMERS} does not tell the idle times of one processor")
    return sum(map(int, times))


def report(key, samples):
    print(LINE + key, *samples, flush=True)


def measure(crowd, suffix, start, stop):
    """A crowd whose trace is active. start, stop: commands."""
    report(f"program{suffix}", [crowd("once") for _ in range(crowds.PROGRAMS)])
    starts, stops = [], []
    for _ in range(crowds.CHANGES):
        stops.append(crowd("time", *stop))
        crowd("wake")
        starts.append(crowd("time", *start))
        crowd("wake")
    report(f"start{suffix}", starts)
    report(f"stop{suffix}", stops)
    crowd("time", *stop)
    report(f"stopped{suffix}", [crowd("once") for _ in range(crowds.PROGRAMS)])
    crowd("time", *start)


def measure_ours(program, out):
    # As little memory as can be: ten thousand threads have a buffer each.
    must("ltt-ctl", "create", TRACE, "--subbuf-size", "4k", "--n-subbufs", "2")
    must("ltt-ctl", "start", TRACE)
    with Crowd(subprocess.Popen, program, crowds.CROWD) as crowd:
        measure(crowd, "", ("ltt-ctl", "start", TRACE), ("ltt-ctl", "stop", TRACE))
    must("ltt-ctl", "record", TRACE, "--drain", "-o", out / "ours")
    with Crowd(subprocess.Popen, program, crowds.LARGE_CROWD) as crowd:
        report("list", [crowd("time", "ltt-ctl", "list") for _ in range(crowds.LISTS)])
    must("ltt-ctl", "record", TRACE, "--drain", "-o", out / "large")
    must("ltt-ctl", "destroy", TRACE)


def measure_lttng(program, out):
    with lttng.Session() as session:
        # The user that LTTng runs as may not get at the original.
        copy = shutil.copy(program, session.home)
        os.chmod(copy, 0o755)
        with Crowd(session.start, copy, crowds.CROWD) as crowd:
            measure(crowd, "_lttng", ("lttng", "--no-sessiond", "start", lttng.SESSION),
                    ("lttng", "--no-sessiond", "stop", lttng.SESSION))
            shutil.copytree(session.snapshot("crowd"), out / "lttng")


def main(programs, out, *options):
    wait_for_clock()
    measure_ours(programs / "bench-crowd", out)
    if "--without-lttng" not in options:
        measure_lttng(programs / "bench-crowd-lttng", out)


call(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The part of bench/guest/run that runs in the guest, as root.

  inside.py PROGRAMS OUT [--without-lttng]

PROGRAMS is where bench-guest and bench-guest-lttng are; what these print goes to the
standard output. What the traces recorded goes below OUT, for the host to look into.
"""

import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "qemu-tests")]

import lttng  # noqa: E402
from host.bounds import Unreadable  # noqa: E402
from within import call, must, wait_for_clock  # noqa: E402

# What has nothing to prepare, and checks by itself what it wrote.
ALONE = ("calibration", "empty", "user_events", "trace_marker_raw", "uprobe")
MARKERS = ("off", "number", "text")


def measure_ours(program, out):
    # The defaults of ltt-ctl are four sub-buffers of 64 KiB; lttng.py gives LTTng-UST the same.
    must("ltt-ctl", "create", "bench", "--mode", "overwrite", "--filter", "bit0")
    must("ltt-ctl", "start", "bench")
    for group in MARKERS:
        must(program, group)
    must("ltt-ctl", "snapshot", "bench", "-o", out / "ours")
    must("ltt-ctl", "destroy", "bench")


def measure_lttng(program, out):
    with lttng.Session() as session:
        # The user that LTTng runs as may not get at the original.
        copy = shutil.copy(program, session.home)
        for group in MARKERS:
            status = session.start([copy, group], stdout=None, stderr=None).wait()
            if status:
                raise Unreadable(f"{program.name} {group} ended with {status}")
            # All programs of a user share the buffers: the next overwrites this.
            shutil.copytree(session.snapshot(group), out / f"lttng-{group}")


def main(programs, out, *options):
    wait_for_clock()
    for group in ALONE:
        must(programs / "bench-guest", group)
    measure_ours(programs / "bench-guest", out)
    if "--without-lttng" not in options:
        measure_lttng(programs / "bench-guest-lttng", out)


call(main)

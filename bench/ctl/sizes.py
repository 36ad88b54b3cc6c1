# SPDX-License-Identifier: MIT
"""What an event takes on disk in a trace of LTTng-UST: its own packets, as its consumer
writes them, and as many events as babeltrace2 finds in them."""

import os
import shutil
import struct
import subprocess

import lttng
from host import paths
from host.bounds import Unreadable

PROGRAM = paths.BUILD / "bench" / "bench-guest-lttng"
READER = "babeltrace2"
KINDS = ("number", "text")
MAGIC = 0xC1FC1FC1
# Where a packet of LTTng has its magic number, and the sizes of its content and of itself.
HEADER = struct.Struct("<I44xQQ")


def missing():
    """Why it cannot be measured; empty if it can."""
    return lttng.missing() or ("" if PROGRAM.exists() else "liblttng-ust-dev is not installed")


def content(stream):
    """Bytes of a stream file that are no padding."""
    total = at = 0
    while at < len(stream):
        try:
            magic, bits, whole = HEADER.unpack_from(stream, at)
        except struct.error as e:
            raise Unreadable("a packet of LTTng is cut off in its header") from e
        if magic != MAGIC or whole % 8 or bits > whole or not HEADER.size <= whole // 8 <= len(stream) - at:
            raise Unreadable(f"byte {at} of a stream of LTTng is not the begin of a packet")
        total += bits / 8
        at += whole // 8
    return total


def events(folder):
    done = subprocess.run([READER, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unreadable(f"{READER} cannot read {folder}", *done.stderr.splitlines()[:3])
    return len(done.stdout.splitlines())


def measure():
    """The samples lttng.KIND.events and lttng.KIND.bytes."""
    samples = {}
    with lttng.Session() as session:
        # The user that LTTng runs as may not get at the original.
        program = shutil.copy(PROGRAM, session.home)
        os.chmod(program, 0o755)
        for kind in KINDS:
            status = session.start([program, kind]).wait()
            if status:
                raise Unreadable(f"{PROGRAM.name} {kind} ended with {status}", session.last_words())
            folder = session.snapshot(kind)
            streams = [p for p in folder.glob("**/channel_*") if p.is_file()]
            samples[f"lttng.{kind}.bytes"] = [sum(content(p.read_bytes()) for p in streams)]
            samples[f"lttng.{kind}.events"] = [events(folder)]
    return samples

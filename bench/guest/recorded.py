# SPDX-License-Identifier: MIT
"""What a trace recorded, by babeltrace2: a figure counts only if its events arrived."""

import re
import shutil
import subprocess

from host.bounds import Unreadable
from host.paths import Problem

READER = "babeltrace2"
# … host bench:number: { … }, { a = 1, b = 2 }
EVENT = re.compile(r" bench:(\w+): .*\{ a = (-?\d+)[ ,]")
# Four sub-buffers of 64 KiB hold many more, of which the newest may be open.
LEAST = 2000


def parse(text):
    """name -> the first fields of its events, in order: the number of the round."""
    events = {}
    for line in text.splitlines():
        found = EVENT.search(line)
        if not found:
            raise Unreadable(f"{READER} printed what is no event of ours: {line}")
        events.setdefault(found[1], []).append(int(found[2]))
    return events


def check(what, events, name, written):
    """The newest of the events called name are there, up to the last of those written,
    and none is missing between them."""
    numbers = events.get(name, [])
    if len(numbers) < LEAST or numbers != list(range(written - len(numbers), written)):
        ends = f", {numbers[0]} to {numbers[-1]}" if numbers else ""
        raise Unreadable(f"{what}: {written} events bench:{name} were written, and the trace "
                         f"has {len(numbers)}{ends}")


def read(folder):
    if not shutil.which(READER):
        raise Problem(f"{READER} is not installed; scripts/setup installs it")
    done = subprocess.run([READER, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        raise Unreadable(f"{READER} cannot read {folder}", *done.stderr.splitlines()[:3])
    return parse(done.stdout)


def check_all(out, written, with_lttng):
    """The traces that inside.py left in out."""
    ours = read(out / "ours")
    if set(ours) != {"number", "text"}:
        raise Unreadable(f"our trace has events of {' '.join(sorted(ours)) or 'no kind'}")
    for name in ("number", "text"):
        check("ours", ours, name, written)
        if with_lttng:
            check("LTTng-UST", read(out / f"lttng-{name}"), f"on_{name}", written)

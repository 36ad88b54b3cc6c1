# SPDX-License-Identifier: MIT
"""A guest whose time is the number of executed instructions, with the programs of this
machine: the host's side of a benchmark there. within.py is the other side."""

import subprocess
from pathlib import Path

from host import paths
from host.bounds import Unreadable

PROGRAMS = paths.BUILD / "bench"
SECONDS = 900           # for one boot; an idle host takes a tenth
NO_BOOT = 125           # scripts/vm: there was nothing to boot, or it failed


def run(kernel, inside, out, *arguments, memory="1G", append=""):
    """Lines that the script inside printed. It gets the folder of programs, the folder out,
    which it may write to, and the arguments."""
    command = [paths.TOP / "scripts" / "vm", "run", *kernel.options, "--accel", "icount",
               "--cpus", "1", "--memory", memory, "--timeout", str(SECONDS), "--out", out,
               "--append", f"panic_on_warn=1 {append}".strip(),
               "--", "python3", Path(inside), PROGRAMS, out, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        what = "the guest" if done.returncode == NO_BOOT else "what ran in the guest"
        raise Unreadable(f"{what} failed with {done.returncode}, see above")
    return done.stdout.splitlines()

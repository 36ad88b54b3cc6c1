# SPDX-License-Identifier: MIT
"""One boot that runs programs to their end, and the output they gave.

For what is no test: nothing is judged here but whether all of it came to its end.
"""

import shutil
import time

from . import console, paths, qemu

BATCH_PORT = "ltt.ktap"         # where the guest's init sends what programs print
TAIL_LINES = 15


class Failed(Exception):
    """The guest did not do what it was booted for. args: lines that tell why."""


def run(name, machine_of, seconds):
    """Lines that the programs printed, in order.

    machine_of(console, ports) gives the machine. seconds: of real time, for all.
    """
    work = paths.work_dir(name)
    output = work / "output"
    machine = machine_of(work / "console", {BATCH_PORT: f"file,@,path={output}"})
    process = machine.start()
    limit = time.monotonic() + seconds
    try:
        while process.poll() is None and time.monotonic() < limit:
            time.sleep(0.05)
        late = process.poll() is None
    finally:
        said = qemu.stop(process)
    problems = [f"not done after {seconds} s"] if late else []
    log = console.clean((machine.console.read_text(errors="replace")
                         if machine.console.exists() else ""))
    problems += [f"kernel: {line}" for line in console.faults(log)[:10]]
    lines = output.read_text(errors="replace").splitlines() if output.exists() else []
    problems += failures(lines)
    if problems or said.strip():
        raise Failed(*problems, *said.splitlines(), "last lines of the console:",
                     *[f"    {line}" for line in log.splitlines()[-TAIL_LINES:]],
                     f"QEMU: {machine.command_text()}")
    shutil.rmtree(work, ignore_errors=True)
    return lines


def failures(lines):
    """What init says of programs that did not end with 0, or did not end."""
    bad = [line for line in lines if line.startswith("not ok ")]
    planned = next((line[len("1.."):] for line in lines if line.startswith("1..")), "")
    if not planned.isdecimal():
        return bad + ["the guest ran nothing"]
    ended = sum(line.startswith(("ok ", "not ok ")) for line in lines)
    if ended != int(planned):
        bad.append(f"{ended} of {planned} programs came to their end")
    return bad

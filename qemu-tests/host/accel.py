# SPDX-License-Identifier: MIT
"""KVM or TCG: KVM only after a guest has really run under it.

On some hosts /dev/kvm opens, the guest starts, and then hangs. So a kernel with
an init that ends at once is booted under KVM, and has a few seconds to end. The
answer is kept until the host boots again.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import paths, qemu

TRIAL_SECONDS = 6


def choose(kernel, initrd_of_trial):
    """"kvm" or "tcg". initrd_of_trial() gives an archive whose init ends at once."""
    wanted = os.environ.get("LTT_ACCEL")
    if wanted:
        return wanted
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    answer = paths.cache_dir() / f"accel-{boot}"
    try:
        return answer.read_text().strip()
    except FileNotFoundError:
        pass
    print("  trying KVM", file=sys.stderr)
    accel = "kvm" if trial(kernel, initrd_of_trial()) else "tcg"
    for old in paths.cache_dir().glob("accel-*"):
        old.unlink(missing_ok=True)
    temporary = answer.with_suffix(f".{os.getpid()}")
    temporary.write_text(accel + "\n")
    temporary.rename(answer)
    return accel


def trial(kernel, initrd):
    work = paths.work_dir("trial")
    machine = qemu.Machine(kernel, initrd, work / "console", "kvm", append="panic=-1")
    process = machine.start()
    try:
        if process.wait(TRIAL_SECONDS) != 0:
            return False
        # A guest that panics ends in time as well; init says this line.
        return "guest: no port for results" in machine.console.read_text(errors="replace")
    except (subprocess.TimeoutExpired, OSError):
        return False
    finally:
        qemu.stop(process, 1)
        shutil.rmtree(work, ignore_errors=True)

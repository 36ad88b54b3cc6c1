# SPDX-License-Identifier: MIT
"""One virtual machine: its command line, its start and its end."""

import ctypes
import os
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from .paths import Problem

QEMU = os.environ.get("QEMU", "qemu-system-x86_64")

# On a busy host too few ticks of the emulated timer come while the kernel waits for
# them, and it takes the timer for broken.
ALWAYS = "console=ttyS0 earlyprintk=ttyS0 no_timer_check"

# The guest dies at once of whatever the kernel finds wrong with itself.
STRICT = ("panic=-1 oops=panic panic_on_warn=1 softlockup_panic=1 "
          "hardlockup_panic=1 rcupdate.rcu_cpu_stall_timeout=30")


@dataclass
class Share:
    tag: str
    path: str
    readonly: bool = True


@dataclass
class Machine:
    kernel: Path
    initrd: Path
    console: Path                   # file that gets the kernel's console
    accel: str                      # "kvm", "tcg" or "icount"
    append: str = ""
    memory: str = "512M"
    cpus: int = 2
    shares: list = field(default_factory=list)
    ports: dict = field(default_factory=dict)   # name -> chardev backend
    devices: list = field(default_factory=list) # more of the command line
    reboots: bool = False           # else it ends where it would

    def command(self):
        command = [QEMU, "-nodefaults", "-no-user-config", "-display", "none",
                   *([] if self.reboots else ["-no-reboot"]),
                   "-machine", "pc", *self.accel_options(),
                   "-smp", str(self.cpus), "-m", self.memory,
                   "-kernel", str(self.kernel), "-initrd", str(self.initrd),
                   "-append", f"{ALWAYS} {self.append}".strip(),
                   "-serial", f"file:{self.console}"]
        if self.ports:
            command += ["-device", "virtio-serial-pci" + (
                # Without a thread that takes the data at its own time.
                ",ioeventfd=off" if self.accel == "icount" else "")]
        for number, (name, backend) in enumerate(self.ports.items()):
            command += ["-chardev", backend.replace("@", f"id=port{number}", 1),
                        "-device", f"virtserialport,chardev=port{number},name={name}"]
        for number, share in enumerate(self.shares):
            command += self.share_options(number, share)
        return command + self.devices

    def accel_options(self):
        if self.accel == "kvm":
            return ["-accel", "kvm", "-cpu", "host"]
        if self.accel == "tcg":
            return ["-accel", "tcg,thread=multi", "-cpu", "max"]
        if self.accel == "icount":
            # Emulation that repeats itself to the last instruction: time is the number
            # of executed instructions, and nothing in the machine is random. A string
            # instruction counts each repetition: without "erms" the kernel clears memory
            # by eight bytes a time, not by one, which is nearer to what it takes.
            # Where it idles, time goes on at once to the next timer. But a guest that waits
            # for the host's files idles too: all its time-outs would have passed by then.
            return ["-accel", "tcg,thread=single",
                    "-icount", f"shift=0,sleep={'on' if self.shares else 'off'}",
                    "-cpu", "max,-rdrand,-rdseed,-erms,-fsrm",
                    "-rtc", "base=2026-01-01,clock=vm"]
        raise Problem(f"accelerator {self.accel!r} is not known; kvm, tcg or icount")

    @staticmethod
    def share_options(number, share):
        # A comma ends an option's value for QEMU; two stand for one.
        path = str(share.path).replace(",", ",,")
        # Only root can give files to the guest's users.
        model = "none" if share.readonly or os.geteuid() != 0 else "passthrough"
        fsdev = (f"local,id=share{number},path={path},security_model={model},"
                 "multidevs=remap")
        if share.readonly:
            fsdev += ",readonly=on"
        return ["-fsdev", fsdev, "-device",
                f"virtio-9p-pci,fsdev=share{number},mount_tag={share.tag}"]

    def start(self):
        if not shutil.which(QEMU):
            raise Problem(f"{QEMU} is not installed; scripts/setup installs it")
        return subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                preexec_fn=die_with_parent, start_new_session=True)

    def command_text(self):
        return shlex.join(self.command())


def die_with_parent():
    """No machine outlives a harness that was killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def stop(process, patience=5):
    """End a machine of ours that may not want to."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    return process.stdout.read().decode(errors="replace") if process.stdout else ""

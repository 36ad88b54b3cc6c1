# SPDX-License-Identifier: MIT
"""kdump as on a machine of iron: a kernel that dies starts another one, which saves the
memory of the first.

Both have nothing but busybox, and the host's files through 9p, kexec and makedumpfile among
them.
"""

import shutil
from pathlib import Path

from . import crash, qemu

MEMORY = "512M"
RESERVED = "128M"       # for the second kernel
TOOLS = ("kexec", "makedumpfile")

COMMON = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc none /proc
$b mount -t sysfs none /sys
$b mount -t devtmpfs none /dev
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144 host /host
$b mount --bind /proc /host/proc
$b mount --bind /sys /host/sys
"""
# What the first kernel starts as PID 1; then the program that makes it panic.
FIRST = COMMON + """
$b chroot /host kexec -p "{kernel}" --initrd="{initrd}" \\
	--append="console=ttyS0 no_timer_check panic=-1 nr_cpus=1 reset_devices rdinit=/init" ||
	echo "kdump: kexec failed"
exec /writer
"""
# Of the second: the memory of the first in each format that makedumpfile has.
SECOND = COMMON + """
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /host/mnt
$b mount -t tmpfs none /host/tmp
save()
{
	$b chroot /host makedumpfile "$@" >/dev/null || echo "kdump: makedumpfile $* failed"
}
save -E -d 1 /proc/vmcore /mnt/whole
save -E -d 31 /proc/vmcore /mnt/elf
save -c -d 31 /proc/vmcore /mnt/compressed
save -l -d 31 /proc/vmcore /mnt/lzo
$b chroot /host makedumpfile -F -c -d 31 /proc/vmcore > /host/mnt/flattened ||
	echo "kdump: makedumpfile -F failed"
$b sync
echo "kdump: saved"
$b poweroff -f
"""


def missing_tools():
    return [tool for tool in TOOLS if not shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin")]


def run(kernel, accel, append, directory, seconds):
    """Directory of the dumps that the second kernel made, by format."""
    out = directory / "saved"
    out.mkdir()
    second = crash.archive({"init": SECOND, "bin/busybox": crash.BUSYBOX}, ["host"])
    first = crash.archive({"init": FIRST.format(kernel=Path(kernel).resolve(), initrd=second),
                           "writer": crash.WRITER, "bin/busybox": crash.BUSYBOX}, ["host"])
    machine = crash.Machine(kernel, accel, f"crashkernel={RESERVED} {append}", directory, seconds,
                            memory=MEMORY, initrd=first,
                            shares=[qemu.Share("host", "/"),
                                    qemu.Share("out", str(out), readonly=False)])
    with machine:
        try:
            machine.wait(lambda: "kdump: saved" in machine.console())
        except crash.Failed as e:
            # It may be gone before its last words are looked for.
            if "kdump: saved" not in machine.console():
                raise crash.Failed(*e.args, *machine.console().splitlines()[-15:]) from e
    wrong = [line for line in machine.console().splitlines()
             if line.startswith("kdump:") and line != "kdump: saved"]
    if wrong:
        raise crash.Failed(*wrong)
    return out

# SPDX-License-Identifier: MIT
"""A machine that reboots, and what it finds in the memory that it had reserved.

Each boot first extracts what the one before left, into a directory of the host, and then
writes traces like any other machine of crash.py.
"""

from . import crash, paths, qemu

TAKEN = "persist: taken"
# PID 1; then it is the program that writes.
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc none /proc
$b mount -t devtmpfs none /dev
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /out
n=0
while [ -e /out/status-$n ]; do n=$((n + 1)); done
/ltt-ctl extract --previous-boot -o /out/$n >/out/summary-$n 2>/out/errors-$n
status=$?
echo $status >/out/new
$b mv /out/new /out/status-$n
echo "persist: taken $n"
exec /writer
"""


class Boots:
    """with Boots(...) as boots: boots.wait_until_ready(); boots.machine.command("system_reset")"""

    def __init__(self, kernel, accel, append, directory, seconds):
        self.out = directory / "boots"
        self.out.mkdir()
        self.number = 0
        initrd = crash.archive({"init": INIT, "writer": crash.WRITER, "ltt-ctl": paths.LTT_CTL,
                                "bin/busybox": crash.BUSYBOX}, ["out"])
        self.machine = crash.Machine(
            kernel, accel, append, directory, seconds, memory="320M", initrd=initrd,
            reboots=True,
            shares=[qemu.Share("out", str(self.out), readonly=False)])

    def __enter__(self):
        self.machine.__enter__()
        return self

    def __exit__(self, *exception):
        self.machine.__exit__(*exception)

    def taken(self):
        """Waits until the next boot has looked: (exit status, what it said on standard error,
        directory)"""
        number, self.number = self.number, self.number + 1
        self.wait(lambda console: f"{TAKEN} {number}" in console)
        return (int((self.out / f"status-{number}").read_text()),
                (self.out / f"errors-{number}").read_text(), self.out / str(number))

    def wait_until_ready(self):
        """All threads of the boot that was last taken have gone round their buffers."""
        self.wait(lambda console: console.count(crash.READY.decode()) >= self.number)

    def wait(self, condition):
        def holds():
            console = self.machine.console()
            # Where it would stay so, there is nothing to wait for.
            if "---[ end Kernel panic" in console:
                raise crash.Failed("the kernel died", *console.splitlines()[-30:])
            return condition(console)
        self.machine.wait(holds)

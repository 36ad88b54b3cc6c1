# SPDX-License-Identifier: MIT
"""A machine whose PID 1 is a shell that does what the host tells it.

It shares no files with the host, since that neither sleeps nor moves to another QEMU: it has
what came in its initial RAM file system, and what it gives away leaves through a port.
"""

import os
import subprocess

from . import crash, paths

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
exec 3<>/dev/ttyS1
stty -F /dev/ttyS1 -echo
# What the host sends wakes it, too.
echo enabled >/sys/class/tty/ttyS1/power/wakeup
echo "shell: ready" >&3
while read -r number line <&3; do
	[ -n "$line" ] || continue
	eval "$line"
	echo "$number $?" >&3
done
"""
PORT = "/dev/vport0p1"      # the only one


class Shell(crash.Machine):
    """with Shell(...) as shell: shell.run("echo hello")"""

    def __init__(self, kernel, accel, append, directory, seconds, saved=None):
        """saved: what save() made of another one, as which this one goes on"""
        initrd = crash.archive({"init": INIT, "bin/writer": crash.WRITER,
                                "bin/ltt-ctl": paths.stripped(paths.LTT_CTL),
                                "bin/busybox": crash.BUSYBOX})
        super().__init__(kernel, accel, append, directory, seconds, initrd=initrd)
        self.out = self.directory / "port"
        self.machine.ports = {"out": f"file,@,path={self.out}"}
        self.machine.devices += ["-serial", f"unix:{self.directory / 'serial'},server=on,wait=off"]
        self.saved = saved
        if saved:
            self.machine.devices += ["-incoming", f"exec:cat {saved}"]
        self.number, self.answers, self.fetched = 0, "", 0

    def __enter__(self):
        super().__enter__()
        try:
            self.serial = self.connect(self.directory / "serial")
            self.serial.setblocking(False)
            if self.saved:
                self.wait(lambda: self.command("query-status")["status"] != "inmigrate")
                self.command("cont")
            else:
                self.wait(lambda: "shell: ready\n" in self.answered())
        except BaseException:
            super().__exit__()
            raise
        return self

    def __exit__(self, *exception):
        self.serial.close()
        super().__exit__(*exception)

    def answered(self):
        try:
            self.answers += self.serial.recv(4096).decode().replace("\r", "")
        except BlockingIOError:
            pass
        return self.answers

    def begin(self, line):
        """Sends it; end() waits for it."""
        self.number += 1
        self.serial.sendall(f"{self.number} {line}\n".encode())

    def end(self):
        def found():
            answers = self.answered().splitlines(keepends=True)
            return [a for a in answers if a.startswith(f"{self.number} ") and a.endswith("\n")]
        self.wait(found)
        return int(found()[0].split()[1])

    def run(self, line):
        self.begin(line)
        status = self.end()
        crash.need(status == 0, line, "ended with", status, *self.console().splitlines()[-5:])

    def fetch(self, directory):
        """A copy on the host of a directory of the guest."""
        self.run(f"tar -c -C {directory} . >{PORT}")
        to = self.directory / os.path.basename(directory)
        to.mkdir()
        with open(self.out, "rb") as archive:
            archive.seek(self.fetched)
            subprocess.run(["tar", "-x", "-C", to], stdin=archive, check=True)
            self.fetched = self.out.stat().st_size
        return to

    def save(self, path):
        """All of the machine's state; it stands still from now on."""
        # One that sleeps stands still, and must not be told to.
        if self.command("query-status")["running"]:
            self.command("stop")
        self.command("migrate", uri=f"exec:cat >{path}")
        self.wait(lambda: self.command("query-migrate")["status"] in ("completed", "failed"))
        crash.need(self.command("query-migrate")["status"] == "completed", "it was not saved")

# SPDX-License-Identifier: MIT
"""A machine that writes traces, and images of its memory.

Its PID 1 is qemu-tests/crash/writer.cpp; QEMU makes the images, while the machine stands
still wherever it is.
"""

import json
import re
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

from . import initramfs, paths, qemu

BUSYBOX = Path("/bin/busybox")
WRITER = paths.GUEST / "crash-writer.guest"
READY = b"crash: all have written"
MOST_THREADS = 64
SUBBUFS = 4             # of a flight recorder
STEP = re.compile(r"crash:step: .*\{ ([0-9]+), ([0-9]+) \}$")
# struct Progress: magic, its own address, threads, and what each has written.
MAGIC = b"crash: progress\0"
PROGRESS = struct.Struct(f"<16sQQ{MOST_THREADS}Q")


class Failed(Exception):
    pass


def need(condition, *what):
    if not condition:
        raise Failed(" ".join(str(w) for w in what))


def archive(files, directories=()):
    """An initial RAM file system of these files, which are paths or contents."""
    made = initramfs.Archive()
    for name in ("dev", "proc", "sys", *directories):
        made.directory(name)
    made.character_device("dev/console", 5, 1)
    for name, content in files.items():
        made.file(name, content, mode=0o755)
    return made.write(paths.BUILD / "qemu-tests" / "initramfs")


class Machine:
    """with Machine(...) as machine: machine.dump(path)"""

    def __init__(self, kernel, accel, append, directory, seconds, memory="192M", initrd=None,
                 shares=(), reboots=False):
        self.directory, self.limit = Path(directory), time.monotonic() + seconds
        self.socket = self.directory / "qmp"
        self.machine = qemu.Machine(
            kernel=kernel, initrd=initrd or archive({"init": WRITER}), shares=list(shares),
            console=self.directory / "console", accel=accel, append=append, memory=memory,
            reboots=reboots,
            devices=["-device", "vmcoreinfo", "-qmp", f"unix:{self.socket},server=on,wait=off"])

    def __enter__(self):
        self.process = self.machine.start()
        try:
            self.connection = self.connect(self.socket)
            self.connection.settimeout(max(1, self.limit - time.monotonic()))
            self.lines = self.connection.makefile("rw")
            json.loads(self.lines.readline())
            self.command("qmp_capabilities")
        except BaseException:
            qemu.stop(self.process)
            raise
        return self

    def __exit__(self, *_):
        self.connection.close()
        qemu.stop(self.process)

    def connect(self, path):
        """To a socket of QEMU, once it listens."""
        connection = socket.socket(socket.AF_UNIX)

        def listens():
            try:
                connection.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            return True
        self.wait(listens)
        return connection

    def command(self, name, **arguments):
        self.lines.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:
            answer = json.loads(self.lines.readline())
            if "error" in answer:
                raise Failed(f"QEMU: {name}: {answer['error']['desc']}")
            if "return" in answer:      # and not one of its events
                return answer["return"]

    def wait(self, condition):
        while not condition():
            if self.process.poll() is not None:
                raise Failed("the machine has ended", *self.console().splitlines()[-10:])
            if time.monotonic() > self.limit:
                raise Failed("nothing happens any more", *self.console().splitlines()[-10:])
            time.sleep(0.02)

    def pause(self, seconds):
        """Lets the machine run on for so long; it must not end."""
        until = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > until)

    def console(self):
        path = self.machine.console
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_until_ready(self):
        self.wait(lambda: READY.decode() in self.console())

    def dump(self, name):
        path = self.directory / name
        path.unlink(missing_ok=True)
        self.command("dump-guest-memory", paging=False, protocol=f"file:{path}")
        return path


def progress(dump):
    """What the writer's threads had written, by what it kept itself."""
    data = dump.read_bytes()
    at = data.find(MAGIC)
    while at >= 0:
        # The program's file, in the initial RAM file system and in memory, has no address.
        if at + PROGRESS.size <= len(data):
            _, address, threads, *done = PROGRESS.unpack_from(data, at)
            if address and threads <= MOST_THREADS:
                return done[:threads]
        at = data.find(MAGIC, at + 1)
    raise Failed("the page of what was written is not in the dump")


def check_steps(steps, done, subbuf_size):
    """Of each thread everything up to the last: without a hole, nothing torn."""
    need(set(steps) == set(range(len(done))), "threads", sorted(steps))
    # An event takes 20 bytes; once the buffer has gone round, one sub-buffer may be empty.
    least = (SUBBUFS - 1) * subbuf_size // 20 - (SUBBUFS - 1)
    for thread, numbers in steps.items():
        first, last = numbers[0], numbers[-1]
        need(numbers == list(range(first, last + 1)), f"thread {thread} has a hole")
        # It may have been stopped between the event and its own count.
        need(last in (done[thread], done[thread] + 1), f"thread {thread} ends with", last,
             "and had written", done[thread])
        need(len(numbers) >= least, f"thread {thread} has", len(numbers), "events")


def extract(ltt_ctl, dump, directory):
    """(exit status, what it said on standard error, summary)"""
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([ltt_ctl, "extract", dump, "-o", directory], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stderr, done.stdout


def babeltrace2(*arguments, losses=True):
    """Lines of babeltrace2, which has nothing to complain about; losses are no complaint where
    newer events replace older ones."""
    done = subprocess.run(["babeltrace2", "--no-delta", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    complaints = [line for line in done.stderr.splitlines()
                  if line.strip() and not (losses and " discarded " in line)]
    if done.returncode or complaints:
        raise Failed("babeltrace2 says:", *complaints[:5])
    return done.stdout.splitlines()


def kernel_events(directory):
    return babeltrace2(directory / "kernel")


def read(directory):
    """What each thread wrote of crash:step, and how many events of other kinds there are."""
    steps, others = {}, 0
    for line in babeltrace2("--names", "none", directory):
        match = STEP.search(line)
        if match:
            steps.setdefault(int(match[1]), []).append(int(match[2]))
        else:
            others += 1
    return steps, others

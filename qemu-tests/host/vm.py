# SPDX-License-Identifier: MIT
"""Runs one program of the host in a guest: the host's side of scripts/vm.

The frames are described in qemu-tests/guest/vm/frames.h.
"""

import fcntl
import os
import selectors
import shutil
import signal
import socket
import struct
import sys
import termios
import time
import tty
from dataclasses import dataclass, field

from . import accel, console, initramfs, kernels, paths, programs, qemu

TIMED_OUT = 124
GUEST_FAILED = 125
BOOT_SECONDS = 60
INPUT_CHUNK = 65536
ENOUGH = 2              # signals that end the guest, whatever its program does


@dataclass
class Request:
    """What to run, and where."""
    kernel: kernels.Kernel
    job: list                           # of (key, value)
    out: str = ""                       # writable directory, or ""
    append: str = ""
    accel: str = ""
    memory: str = "1G"
    cpus: int = 2
    timeout: float = 0                  # seconds; 0: none
    terminal: bool = False
    command: list = field(default_factory=list)


def archive():
    a = initramfs.Archive()
    for directory in ("dev", "proc", "sys"):
        a.directory(directory)
    a.character_device("dev/console", 5, 1)
    a.file("init", paths.GUEST / "vm-init.guest")
    return a.write(paths.BUILD / "qemu-tests" / "initramfs")


def frame(kind, data=b""):
    return kind + struct.pack("<I", len(data)) + data


def say(text):
    print(f"vm: {text}", file=sys.stderr)


class Session:
    """From the start of the machine to the program's exit status."""

    def __init__(self, request):
        self.request = request
        self.status = None
        self.received = bytearray()
        self.outgoing = bytearray()
        self.input_wanted = False
        self.input_ended = False
        self.booted = False
        self.interrupted = 0            # signals that came
        self.signal = 0                 # the last of them
        self.guest = None
        self.selector = selectors.DefaultSelector()
        self.work = None
        self.keep_work = False

    def machine(self):
        request = self.request
        kernel = request.kernel.image()
        chosen = request.accel or accel.choose(kernel, lambda: programs.archive([]))
        shares = [qemu.Share("root", "/")]
        if request.out:
            shares.append(qemu.Share("out", request.out, readonly=False))
        return qemu.Machine(
            kernel=kernel, initrd=archive(), console=self.work / "console",
            accel=chosen, memory=request.memory, cpus=request.cpus, shares=shares,
            # Warnings and worse; the rest takes time at every start.
            append=f"loglevel=5 panic=-1 oops=panic {request.append}".strip(),
            ports={"ltt.vm": f"socket,@,path={self.work / 'port'}"})

    def run(self):
        self.end_cleanly()
        try:
            self.work = paths.work_dir("vm")
            machine = self.machine()
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(self.work / "port"))
                listener.listen(1)
                process = machine.start()
                try:
                    self.follow(process, listener)
                finally:
                    output = qemu.stop(process, 2)
            return self.judge(output)
        finally:
            if self.work and not self.keep_work:
                shutil.rmtree(self.work, ignore_errors=True)

    # -- while it runs

    @staticmethod
    def end_cleanly():
        """Until the program can have the signals, they end this one as usual, but
        by way of the clean-up. (SIGINT does so anyway.)"""
        def end(number, _):
            sys.exit(128 + number)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, end)

    def follow(self, process, listener):
        started = time.monotonic()
        listener.settimeout(0.2)
        while self.guest is None:
            try:
                self.guest = listener.accept()[0]
            except TimeoutError:
                if process.poll() is not None:
                    return
        self.guest.setblocking(False)
        self.selector.register(self.guest, selectors.EVENT_READ, self.from_guest)
        wakeup = self.catch_signals()
        saved = termios.tcgetattr(0) if self.request.terminal else None
        try:
            if saved:
                tty.setraw(0)
            self.loop(process, started)
        finally:
            if saved:
                termios.tcsetattr(0, termios.TCSADRAIN, saved)
            signal.set_wakeup_fd(-1)
            wakeup.close()

    def loop(self, process, started):
        request = self.request
        boot_limit = BOOT_SECONDS * request.kernel.patience
        while self.status is None and self.interrupted < ENOUGH:
            for key, _ in self.selector.select(0.2):
                key.data()
            elapsed = time.monotonic() - started
            if request.timeout and elapsed > request.timeout:
                say(f"{request.command[0]} did not end within {request.timeout:g} s")
                self.status = TIMED_OUT
            elif not self.booted and elapsed > boot_limit:
                say(f"the guest did not boot within {boot_limit:g} s{self.kept_console()}")
                self.status = GUEST_FAILED
            elif process.poll() is not None and not self.from_guest():
                return

    def catch_signals(self):
        """Signals come as bytes on a socket, so that select() sees them."""
        reading, writing = socket.socketpair()
        reading.setblocking(False)
        writing.setblocking(False)
        signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH):
            signal.signal(number, lambda *_: None)
        self.selector.register(reading, selectors.EVENT_READ,
                               lambda: [self.on_signal(n) for n in reading.recv(64)])
        self.signal_socket = writing
        return reading

    def on_signal(self, number):
        if number == signal.SIGWINCH:
            self.send_size()
            return
        self.signal = number
        if not self.booted:
            # There is no program yet that could handle it.
            self.interrupted = ENOUGH
            return
        # The program may handle it; whoever asks twice means it.
        self.interrupted += 1
        self.send(b"S", bytes([number]))

    def send_size(self):
        # The guest's first frame must be the job.
        if self.request.terminal and self.booted:
            self.send(b"W", struct.pack("<HH", *terminal_size()))

    def send(self, kind, data=b""):
        self.outgoing += frame(kind, data)
        self.flush()

    def flush(self):
        while self.outgoing:
            try:
                del self.outgoing[:self.guest.send(self.outgoing)]
            except BlockingIOError:
                break
            except OSError:
                self.outgoing.clear()   # it has gone; its end says why
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.outgoing else 0)
        if self.guest in self.selector.get_map():
            self.selector.modify(self.guest, events, self.from_guest)

    def from_guest(self):
        """True if anything came."""
        self.flush()
        try:
            data = self.guest.recv(1 << 18)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data and self.guest in self.selector.get_map():
            self.selector.unregister(self.guest)
        self.received += data
        while len(self.received) >= 5:
            length = struct.unpack_from("<I", self.received, 1)[0]
            if len(self.received) < 5 + length:
                break
            kind = self.received[:1]
            body = bytes(self.received[5:5 + length])
            del self.received[:5 + length]
            self.on_frame(bytes(kind), body)
        return bool(data)

    def on_frame(self, kind, body):
        if kind == b"O":
            write_all(1, body)
        elif kind == b"R":
            write_all(2, body)
        elif kind == b"N":
            self.want_input()
        elif kind == b"X":
            self.status = body[0]
        elif kind == b"F":
            say(f"the guest failed: {body.decode(errors='replace')}")
            self.status = GUEST_FAILED
        elif kind == b"B":
            self.booted = True
            self.send(b"J", b"".join(k.encode() + b"\0" + os.fsencode(v) + b"\0"
                                     for k, v in self.request.job))
            self.send_size()    # it may have changed while the guest booted

    def want_input(self):
        if self.input_ended or self.input_wanted:
            return
        self.input_wanted = True
        try:
            self.selector.register(0, selectors.EVENT_READ, self.from_input)
        except (PermissionError, ValueError, OSError):
            # A plain file or /dev/null is always ready; select() refuses it.
            self.from_input()

    def from_input(self):
        try:
            data = os.read(0, INPUT_CHUNK)
        except OSError:
            data = b""
        self.input_wanted = False
        if 0 in self.selector.get_map():
            self.selector.unregister(0)
        self.input_ended = not data
        self.send(b"I", data)

    # -- when it has ended

    def console_text(self):
        try:
            return (self.work / "console").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def kept_console(self):
        """Ends a message: where the console is, which then stays; nothing if it is empty."""
        if not self.console_text().strip():
            return ""
        self.keep_work = True
        return f"; its console: {self.work / 'console'}"

    def judge(self, output):
        log = self.console_text()
        if self.status is not None:
            self.tell_faults(log)
            return self.status
        if self.interrupted:
            return 128 + self.signal
        where = self.kept_console()
        reason = console.panic_reason(log)
        if reason:
            say(f"the guest's kernel panicked: {reason}{where}")
        elif output.strip():
            say(f"QEMU failed: {' '.join(output.split())}{where}")
        else:
            say(f"the guest ended before its program did{where}")
        return GUEST_FAILED

    def tell_faults(self, log):
        """The program ran, but the kernel may have complained."""
        faults = console.faults(log)
        if faults:
            say(f"the kernel complained: {faults[0].strip()}{self.kept_console()}")


def terminal_size():
    try:
        rows, columns = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))[:2]
    except OSError:
        rows = columns = 0
    return columns or 80, rows or 24


def write_all(fd, data):
    while data:
        try:
            data = data[os.write(fd, data):]
        except BrokenPipeError:
            # Whoever read the output has enough: end as the program would.
            sys.exit(128 + signal.SIGPIPE)

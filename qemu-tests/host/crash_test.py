# SPDX-License-Identifier: MIT
"""Tests of what is left of traces when the machine has died: its memory, and ltt-ctl extract."""

import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import crash, kdump, machine_test, paths, persist_test
from .crash import Failed, need
from .ktap import Result

SECONDS = 120           # for one machine, from start to end, times the patience
SECONDS_FULL = 900
THREADS = 8
STOPS = 10              # random instants; with --full as many as promised
STOPS_FULL = 200
LOST = 5                # exit statuses of ltt-ctl
DAMAGED = 6
SUBBUF = 16 << 10
BOOT = f"panic=0 THREADS={THREADS} ltt.boot=early,subbuf={SUBBUF},n={crash.SUBBUFS},overwrite"


class Setting:
    def __init__(self, kernel, accel, patience, directory):
        self.kernel, self.accel, self.directory = kernel, accel, directory
        full = os.environ.get("KTAP_FULL")
        self.limit = (SECONDS_FULL if full else SECONDS) * patience

    def machine(self, append, **more):
        return crash.Machine(self.kernel, self.accel, append, self.directory, self.limit, **more)

    def extract(self, dump, ltt_ctl=None):
        """(exit status, standard error); what was extracted is in self.out"""
        self.out = self.directory / "out"
        status, errors, _ = crash.extract(ltt_ctl or paths.LTT_CTL, dump, self.out)
        return status, errors


def check_dump(setting, dump):
    status, errors = setting.extract(dump)
    need(status in (0, LOST) and not errors, status, errors)
    steps, others = crash.read(setting.out / "early")
    crash.check_steps(steps, crash.progress(dump), SUBBUF)
    # Any other is one that comes and goes, and may have nothing.
    for trace in setting.out.iterdir():
        if trace.name != "early" and list(trace.glob("ust/*/stream_*")):
            crash.read(trace)
    return others


def stops(setting, append):
    chance = random.Random()
    with setting.machine(append) as machine:
        machine.wait_until_ready()
        number = STOPS_FULL if os.environ.get("KTAP_FULL") else STOPS
        others = 0
        for _ in range(number):
            machine.pause(chance.random() * 0.1)
            others += check_dump(setting, machine.dump("dump"))
    return others


def random_stops(setting):
    stops(setting, BOOT)


def random_stops_in_a_storm(setting):
    others = stops(setting, f"{BOOT} STORM=1")
    need(others, "the threads that came and went left nothing")


def kernel_events(setting):
    """What the processors wrote lies beside what the threads did."""
    with setting.machine(f"{BOOT},kernel=sched PANIC=20000") as machine:
        machine.wait(lambda: "end Kernel panic" in machine.console())
        dump = machine.dump("dump")
    check_dump(setting, dump)
    switches = [line for line in crash.kernel_events(setting.out / "early")
                if " sched_switch: " in line]
    for cpu in range(2):
        need(any(f"{{ cpu_id = {cpu} }}" in line for line in switches), "no switch on", cpu)
    need(any(' = "init"' in line for line in switches), "no switch from or to the threads")


def stopped_machine(setting):
    """Its clock goes on, or does not, while it stands still; never does it go back."""
    with setting.machine(f"{BOOT},kernel=sched") as machine:
        machine.wait_until_ready()
        machine.command("stop")
        machine.pause(60 if os.environ.get("KTAP_FULL") else 3)
        machine.command("cont")
        machine.pause(1)
        dump = machine.dump("dump")
    # All steps of a thread follow each other by their times, beside the kernel's events.
    check_dump(setting, dump)
    need(crash.kernel_events(setting.out / "early"), "no events of the kernel")


def panic(setting):
    with setting.machine(f"{BOOT} PANIC=20000") as machine:
        machine.wait(lambda: "Kernel panic" in machine.console())
        dump = machine.dump("dump")
    need("NUMBER(ltt_dump_root)" in subprocess.run(
        ["strings", "-n", "20", dump], stdout=subprocess.PIPE, text=True).stdout,
         "VMCOREINFO does not name the root")
    check_dump(setting, dump)


def without_vmcoreinfo(setting):
    with setting.machine(BOOT) as machine:
        machine.wait_until_ready()
        dump = machine.dump("dump")
    data = bytearray(dump.read_bytes())
    # In the note and in the kernel's own copy.
    at = data.find(b"NUMBER(ltt_dump_root)")
    need(at >= 0, "VMCOREINFO does not name the root")
    while at >= 0:
        data[at:at + 6] = b"number"
        at = data.find(b"NUMBER(ltt_dump_root)", at)
    dump.write_bytes(data)
    check_dump(setting, dump)


def damaged(setting):
    """Pages that are missing or garbage: what is readable comes out, the rest is told."""
    chance = random.Random(4711)
    with setting.machine(BOOT) as machine:
        machine.wait_until_ready()
        dump = machine.dump("dump")
    whole = dump.read_bytes()
    told = 0
    for round_number in range(30):
        data = bytearray(whole)
        if round_number % 3 == 0:
            del data[chance.randrange(len(data) // 4, len(data)):]
        else:
            for _ in range(len(data) >> 15):        # an eighth of all pages
                at = chance.randrange(len(data) >> 12) << 12
                data[at:at + 4096] = (bytes(4096) if round_number % 3 == 1
                                      else chance.randbytes(4096))
            data[:0x1000] = whole[:0x1000]
        dump.write_bytes(data)
        status, errors = setting.extract(dump)
        need(status in (0, 1, LOST, DAMAGED), "exit status", status, errors)
        told += bool(errors)
        if status in (0, LOST) and not errors:
            crash.read(setting.out)
    need(told > 10, "only", told, "of 30 were told of")


def kdump_chain(setting):
    missing = kdump.missing_tools()
    need(not missing, "not installed:", *missing, "(scripts/setup)")
    saved = kdump.run(setting.kernel, setting.accel, f"{BOOT} PANIC=20000", setting.directory,
                      setting.limit)
    check_dump(setting, saved / "whole")
    whole, _ = crash.read(setting.out / "early")
    # Without the pages of programs, which has also those where the writer keeps its count.
    status, errors = setting.extract(saved / "elf")
    need(status in (0, LOST) and not errors, status, errors)
    need(crash.read(setting.out / "early")[0] == whole, "other events without the programs' pages")
    for name in ("compressed", "lzo"):
        status, errors = setting.extract(saved / name)
        need(status in (0, LOST) and not errors, name, status, errors)
        need(crash.read(setting.out / "early")[0] == whole, "other events from", name)
    refuse(setting, saved / "flattened", "makedumpfile -R")
    # ltt-ctl without the program that reads them.
    alone = setting.directory / "ltt-ctl"
    shutil.copy(paths.LTT_CTL, alone)
    refuse(setting, saved / "compressed", "ltt-kdump, which reads that, is not installed", alone)
    cut = setting.directory / "cut"
    cut.write_bytes((saved / "compressed").read_bytes()[:100000])
    status, errors = setting.extract(cut)
    need(status in (1, DAMAGED) and errors.count("\n") >= 1, "of a cut one:", status, errors)


def hostile_names(setting):
    """A name in the dump that would lead elsewhere, or into the terminal."""
    with setting.machine(BOOT) as machine:
        machine.wait_until_ready()
        dump = machine.dump("dump")
    data = dump.read_bytes()
    at = data.index(b"early\0" + bytes(58), data.index(b"TLDT"))
    for name in (b"../x", b"/tmp/y", b"\x1b[2J", b"\xff\xfe", b""):
        dump.write_bytes(data[:at] + name.ljust(64, b"\0") + data[at + 64:])
        status, errors = setting.extract(dump)
        need(status == DAMAGED and "slot 0: its name is damaged" in errors, name, status, errors)
        need([p.name for p in setting.out.iterdir()] == ["slot-0"], name)
        crash.check_steps(crash.read(setting.out / "slot-0")[0], crash.progress(dump), SUBBUF)


def refuse(setting, path, word, ltt_ctl=None):
    """One line that names it and says what to do, and nothing is left."""
    status, errors = setting.extract(path, ltt_ctl)
    need(status == 1 and errors.count("\n") == 1 and word in errors and str(path) in errors,
         status, errors)
    need(not setting.out.exists(), "something is left of", path)


def no_dumps(setting):
    """What is none is one line that names it and says what to do."""
    directory = setting.directory
    for content, word in ((b"", "is no dump"), (b"some text", "is no dump"),
                          (b"KDUMP   " + bytes(100), "does not read"),
                          (b"makedumpfile" + bytes(100), "flattened"),
                          (Path("/bin/true").read_bytes(), "not the dump of a machine")):
        path = directory / "none"
        path.write_bytes(content)
        refuse(setting, path, word)
    status, errors = setting.extract(directory / "missing")
    need(status == 2 and "No such file" in errors, status, errors)


TESTS = [
    ("at random instants the memory has all that the threads wrote", random_stops),
    ("the same while threads, processes and traces come and go", random_stops_in_a_storm),
    ("after a panic it has it, and VMCOREINFO says where", panic),
    ("events of the kernel lie in it, too", kernel_events),
    ("a machine that was stopped for a while has all of it in order", stopped_machine),
    ("kdump: a second kernel saves the memory by makedumpfile", kdump_chain),
    ("it is found without VMCOREINFO", without_vmcoreinfo),
    ("of a damaged dump comes what is readable, and the rest is told", damaged),
    ("a name that would lead elsewhere does not", hostile_names),
    ("a file that is no dump is told in one line", no_dumps),
    *persist_test.TESTS,
    *machine_test.TESTS,
]


def run(chosen, kernel, accel, patience, on_result):
    """chosen: numbers in TESTS, from 1; patience: multiplies the time limits."""
    for name, function in (TESTS[n - 1] for n in chosen):
        directory = Path(tempfile.mkdtemp(prefix="ltt-crash-"))
        try:
            function(Setting(kernel, accel, patience, directory))
            result = Result("crash", name, True)
        except (Failed, OSError, ValueError, subprocess.TimeoutExpired) as e:
            result = Result("crash", name, False,
                            notes=[n for a in e.args for n in str(a).splitlines()] or [repr(e)])
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        on_result(result)

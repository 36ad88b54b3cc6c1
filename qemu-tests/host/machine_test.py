# SPDX-License-Identifier: MIT
"""Tests of machines that sleep, and of machines that are copies of one another."""

import operator
import re
import struct
import subprocess

from . import crash, paths, shell
from .crash import need

THREADS = 2
ENOUGH = 100            # events of a thread, switches of a processor: it goes on
SUBBUF = 16 << 10       # of a flight recorder
# All that happens, with room for it until the recorder has begun.
TRACE = "ltt.boot=early,subbuf=64k,n=16,kernel=sched"
TIME = re.compile(r"\[([0-9]+)\.([0-9]{9})\] ")
STEP = re.compile(r" crash:step: .* tid = ([0-9]+), .*\{ thread = ([0-9]+), n = ([0-9]+) \}$")
SWITCH = re.compile(r" sched_switch: \{ cpu_id = ([0-9]+) \}, \{ .*prev_tid = ([0-9]+), "
                    r".*next_comm = \"(.*)\", next_tid = ([0-9]+), ")
IDLE = 0                # tid
UUID = re.compile(r'^trace \{.*?uuid = "([-0-9a-f]+)"', re.DOTALL | re.MULTILINE)
WOKEN = "/woken"        # a program that is begun then, and stands in the trace


def machine(setting, directory, append, **more):
    directory.mkdir(exist_ok=True)
    return shell.Shell(setting.kernel, setting.accel, f"panic=0 no_console_suspend {append}",
                       directory, setting.limit, **more)


def begin_recording(guest, trace, directory):
    guest.run(f"ltt-ctl record -d --pid-file {directory}.pid {trace} -o {directory}")


def grow(guest, directory):
    """Waits until the recording has more."""
    guest.run(f"size=$(du -s {directory} | cut -f 1); "
              f"while [ $(du -s {directory} | cut -f 1) -lt $((size + 300)) ]; "
              "do usleep 10000; done")


def end_recording(guest, trace, directory):
    """What was recorded, on the host. It is sound."""
    # At once for threads and processors, which are destroyed one after the other.
    guest.run(f"ltt-ctl stop {trace}")
    guest.run(f"ltt-ctl destroy {trace}; while [ -e {directory}.pid ]; do usleep 10000; done")
    copy = guest.fetch(directory)
    done = subprocess.run([paths.LTT_CTL, "check", copy], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    need(done.returncode == 0 and not (copy / "bad").exists(), done.returncode, done.stdout)
    return copy


def lines_of(*directories):
    """What was recorded, with nothing lost."""
    return crash.babeltrace2("--clock-seconds", *directories, losses=False)


def uuids(*directories):
    return {UUID.search(path.read_text(errors="replace"))[1]
            for directory in directories for path in directory.glob("**/metadata")}


class Story:
    """Goes through the events of threads and processors by time, and looks whether that is the
    order in which they happened."""

    def __init__(self, lines):
        self.time = 0
        self.steps = {}         # thread -> number of its last event
        self.running = {}       # processor -> tid
        self.may_follow = {}    # processor -> which tids its next switch may be from
        self.switches = {}      # processor -> how many
        self.at_waking = None   # the same, when the machine was woken
        for line in lines:
            self.add(line)

    def add(self, line):
        seconds, nanoseconds = TIME.match(line).groups()
        time = int(seconds) * 10**9 + int(nanoseconds)
        need(time >= self.time, "the time went back:", line)
        self.time = time
        if step := STEP.search(line):
            self.add_step(line, *map(int, step.groups()))
        elif switch := SWITCH.search(line):
            cpu, before, name, after = switch.groups()
            self.add_switch(line, int(cpu), int(before), name, int(after))
        elif 'sched_process_exec: ' in line and f'filename = "{WOKEN}"' in line:
            self.at_waking = dict(self.steps), dict(self.switches)

    def add_step(self, line, tid, thread, n):
        need(n == self.steps.get(thread, 0) + 1, "after", self.steps.get(thread), "comes", line)
        self.steps[thread] = n
        # What every processor does is known once each has switched.
        need(len(self.running) < 2 or tid in self.running.values(),
             "its thread did not run:", line)

    def add_switch(self, line, cpu, before, name, after):
        need(before in self.may_follow.get(cpu, [before]), self.running.get(cpu), "ran before",
             line)
        self.running[cpu] = after
        # What takes a processor off is followed by idling, of which there is no event then.
        self.may_follow[cpu] = [after, IDLE] if name == f"migration/{cpu}" else [after]
        self.switches[cpu] = self.switches.get(cpu, 0) + 1

    def check_goes_on(self):
        """Before the machine fell asleep and after it was woken, everybody wrote."""
        need(self.at_waking, "nothing tells that it was woken")
        for what, who, at_end, then in (
                ("thread", THREADS, self.steps, self.at_waking[0]),
                ("processor", 2, self.switches, self.at_waking[1])):
            for number in range(who):
                need(then.get(number, 0) >= ENOUGH and
                     at_end[number] - then[number] >= ENOUGH, what, number, "wrote",
                     then.get(number), "before it slept, and until the end", at_end.get(number))


def begin_suspend(guest):
    guest.begin("echo mem >/sys/power/state")
    guest.wait(lambda: guest.command("query-status")["status"] == "suspended")


def to_memory(guest):
    begin_suspend(guest)
    guest.pause(2)
    guest.command("system_wakeup")


def to_idle(guest):
    guest.begin("echo freeze >/sys/power/state")
    guest.wait(lambda: "Freezing remaining freezable tasks completed" in guest.console())
    guest.pause(2)
    need("PM: suspend exit" not in guest.console(), "it did not sleep")

    def woken():
        # What comes before it sleeps does not wake it.
        guest.serial.sendall(b"\n")
        return "PM: suspend exit" in guest.console()
    guest.wait(woken)


def sleep(guest, how):
    how(guest)
    note_waking(guest)


def note_waking(guest):
    need(guest.end() == 0, "it does not sleep", *guest.console().splitlines()[-5:])
    guest.run(f"ln /bin/busybox {WOKEN}; {WOKEN} true 2>/dev/null; true")


def recorded(setting, how):
    with machine(setting, setting.directory, TRACE) as guest:
        guest.run(f"THREADS={THREADS} PACE=200 writer &")
        begin_recording(guest, "early", "/recording")
        guest.wait_until_ready()
        sleep(guest, how)
        grow(guest, "/recording")
        copy = end_recording(guest, "early", "/recording")
    Story(lines_of(copy)).check_goes_on()


def suspended(setting):
    recorded(setting, to_memory)


def suspended_to_idle(setting):
    recorded(setting, to_idle)


def reset_counter(state):
    """Of a machine that was saved: its time stamp counter begins anew, as it does in a suspend
    that takes the power from the processors."""
    data = bytearray(state.read_bytes())
    head = b"\x05timer" + struct.pack(">II", 0, 2)     # a section, its instance and version
    need(data.count(head) == 1, "it is not known where QEMU keeps the counter")
    struct.pack_into(">q", data, data.index(head) + len(head), 10**7)
    state.write_bytes(data)


def counter_begins_anew(setting):
    """The state of QEMU's own, for what only iron does: it keeps the counter otherwise."""
    state = setting.directory / "state"
    with machine(setting, setting.directory / "first", TRACE) as guest:
        guest.run(f"THREADS={THREADS} PACE=200 writer &")
        begin_recording(guest, "early", "/recording")
        guest.wait_until_ready()
        begin_suspend(guest)
        guest.save(state)
    reset_counter(state)
    with machine(setting, setting.directory / "second", TRACE, saved=state) as woken:
        woken.number = guest.number
        note_waking(woken)
        grow(woken, "/recording")
        copy = end_recording(woken, "early", "/recording")
    Story(lines_of(copy)).check_goes_on()


def extracted(setting):
    """At full speed; a dump tells what the threads had written."""
    with machine(setting, setting.directory,
                 f"ltt.boot=early,subbuf={SUBBUF},n={crash.SUBBUFS},kernel=sched,overwrite"
                 ) as guest:
        guest.run(f"THREADS={THREADS} writer &")
        guest.wait_until_ready()
        sleep(guest, to_memory)
        before = crash.progress(guest.dump("dump"))
        guest.wait(lambda: all(map(operator.gt, crash.progress(guest.dump("dump")), before)))
    dump = guest.directory / "dump"
    status, errors = setting.extract(dump)
    need(not errors, status, errors)
    crash.check_steps(crash.read(setting.out / "early")[0], crash.progress(dump), SUBBUF)
    need(crash.kernel_events(setting.out / "early"), "no events of the kernel")


def cloned(setting):
    """What begins in a clone, or after its recorder has rotated, is a trace of its own; up to
    then it is one in both."""
    state = setting.directory / "state"
    with machine(setting, setting.directory / "first", TRACE) as guest:
        guest.run(f"THREADS={THREADS} PACE=200 writer &")
        guest.run("ltt-ctl create later --system && ltt-ctl start later")
        begin_recording(guest, "early", "/before")
        guest.wait_until_ready()
        guest.save(state)
    before, later = [], []
    for name in ("one", "two"):
        with machine(setting, setting.directory / name, TRACE, saved=state) as guest:
            begin_recording(guest, "later", "/later")
            grow(guest, "/before")
            guest.run("ltt-ctl rotate /before")
            grow(guest, "/before")
            later.append(end_recording(guest, "later", "/later"))
            before.append(end_recording(guest, "early", "/before"))
    stories = [lines_of(copy) for copy in before]
    for lines in stories:
        Story(lines)
    need(stories[0][:1000] == stories[1][:1000], "before they were cloned they were two")
    need(stories[0] != stories[1], "the clones did the same")
    chunks = [sorted((copy / "chunks").iterdir()) for copy in before]
    need([len(c) for c in chunks] == [2, 2], "chunks:", *chunks[0], *chunks[1])
    first, second = zip(*chunks)
    need(uuids(first[0]) == uuids(first[1]), "of what goes on:", *map(uuids, first))
    # Of programs and of the kernel, and what the other trace has of programs.
    need(len(uuids(*second, *later)) == 6, "of what is new:", *map(uuids, [*second, *later]))
    need(len(lines_of(*second, *later)) == sum(len(lines_of(one)) for one in [*second, *later]),
         "together they have other events")


TESTS = [
    ("a machine was suspended to RAM: its recording goes on without a hole", suspended),
    ("the same of one that was suspended to idle", suspended_to_idle),
    ("the same of one whose time stamp counter begins anew", counter_begins_anew),
    ("a machine was suspended to RAM: its memory has all of a flight recorder", extracted),
    ("two machines cloned from one: what begins after that are two traces", cloned),
]

# SPDX-License-Identifier: MIT
"""Tests of traces that persist: what a machine has of them when it was rebooted."""

import os
import random

from . import crash, persist
from .crash import need

THREADS = 4
REBOOTS = 4             # at random instants; with --full more
REBOOTS_FULL = 40
LOST = 5                # exit statuses of ltt-ctl
DAMAGED = 6
TRACE = f"THREADS={THREADS} ltt.boot=early,subbuf=16k,n=4,overwrite,persist"
BY_ADDRESS = "ltt.persist=16M@0x8000000"
BY_NAME = "reserve_mem=16M:4096:kept ltt.persist=kept"


def boots(setting, append):
    return persist.Boots(setting.kernel, setting.accel, append, setting.directory, setting.limit)


def has_names(console):
    """reserve_mem= came with 6.11."""
    version = console.split("Linux version ", 1)[1].split("-")[0].split()[0].split(".")
    return (int(version[0]), int(version[1])) >= (6, 11)


def finds_nothing(status, errors):
    need(status == 1 and errors.count("\n") == 1 and "there is nothing" in errors, status, errors)


def compare(setting, machine, dump):
    """What the next boot finds is what a dump of the memory has of the one before."""
    status, errors = setting.extract(dump)
    need(status in (0, LOST) and not errors, "of the dump:", status, errors)
    expected, _ = crash.read(setting.out / "early")
    need(set(expected) == set(range(THREADS)), "threads", sorted(expected))
    status, errors, directory = machine.taken()
    need(status in (0, LOST) and not errors, "of the previous boot:", status, errors)
    found, others = crash.read(directory / "early")
    for thread, numbers in expected.items():
        need(found.get(thread) == numbers, f"thread {thread} had {numbers[0]} to {numbers[-1]},",
             "and after the reboot", found.get(thread, [None])[0], "to",
             found.get(thread, [None])[-1])
    return others


def panic(setting, append):
    with boots(setting, f"{TRACE} {append} panic=3 PANIC=20000") as machine:
        finds_nothing(*machine.taken()[:2])
        machine.machine.wait(lambda: "Rebooting in 3 seconds" in machine.machine.console())
        dump = machine.machine.dump("dump")
        need(compare(setting, machine, dump), "the last words are missing")


def panic_by_address(setting):
    panic(setting, BY_ADDRESS)


def panic_by_name(setting):
    with boots(setting, f"{TRACE} {BY_NAME} panic=0") as machine:
        status, errors, _ = machine.taken()
        machine.wait_until_ready()
        console = machine.machine.console()
    if not has_names(console):
        # It says so, and traces all the same.
        need(status == 1 and "no memory is reserved" in errors, status, errors)
        need("neither a name of reserve_mem= nor SIZE@ADDRESS" in console, "no word of that")
        need('trace "early" does not' in console, "no word of the trace")
        return
    finds_nothing(status, errors)
    panic(fresh(setting), BY_NAME)


def fresh(setting):
    """Another machine of the same test."""
    for path in (setting.directory / "boots", setting.directory / "console"):
        if path.exists():
            path.rename(path.with_suffix(".first"))
    (setting.directory / "qmp").unlink(missing_ok=True)
    return setting


def kernel_events(setting):
    """Those of the processors, too: as many as the dump has."""
    with boots(setting, f"{TRACE},kernel=sched {BY_ADDRESS} panic=3 PANIC=20000") as machine:
        finds_nothing(*machine.taken()[:2])
        machine.machine.wait(lambda: "Rebooting in 3 seconds" in machine.machine.console())
        dump = machine.machine.dump("dump")
        compare(setting, machine, dump)
    found = [crash.kernel_events(directory / "early")
             for directory in (setting.out, setting.directory / "boots" / "1")]
    need(found[0] and found[0] == found[1], "events of the kernel:", len(found[0]), "and",
         len(found[1]))


def reset_again_and_again(setting, append, number):
    chance = random.Random()
    with boots(setting, f"{append} panic=0 STORM=1") as machine:
        finds_nothing(*machine.taken()[:2])
        others = 0
        for _ in range(number):
            machine.wait_until_ready()
            machine.machine.pause(chance.random() * 0.1)
            machine.machine.command("stop")
            dump = machine.machine.dump("dump")
            machine.machine.command("system_reset")
            machine.machine.command("cont")
            others += compare(setting, machine, dump)
    return others


def resets(setting):
    number = REBOOTS_FULL if os.environ.get("KTAP_FULL") else REBOOTS
    need(reset_again_and_again(setting, f"{TRACE} {BY_ADDRESS}", number),
         "the threads that came and went left nothing")


def resets_when_full(setting):
    """The four threads just have room; most of those that come and go have not."""
    reset_again_and_again(
        setting, f"{TRACE.replace('subbuf=16k', 'subbuf=4k')} ltt.persist=352K@0x8000000", 2)


TESTS = [
    ("after a panic and a reboot the events are there", panic_by_address),
    ("the same in memory that has a name", panic_by_name),
    ("after a panic and a reboot those of the kernel are", kernel_events),
    ("after resets at random instants they are", resets),
    ("after resets of a machine where there is no room for more they are", resets_when_full),
]

# SPDX-License-Identifier: MIT
"""Reads a trace with babeltrace2, for people and for checks."""

import itertools
import re
import shutil
import subprocess
from dataclasses import dataclass

from host.paths import Problem

LINE = re.compile(r"^\[(?P<time>[\d.]+)\] \([^)]*\) (?:\S+ )?(?P<name>[\w:]+): "
                  r"(?P<fields>\{.*\})$")
DISCARDED = re.compile(r"[Tt]racer (?:may have )?discarded (\d+) events?")
LONGEST_RUN = 8         # of one event; of more, the middle is left out


@dataclass
class Event:
    time: int           # ns
    name: str
    fields: str

    def of_kernel(self):
        return ":" not in self.name

    def get(self, field):
        """A field of this name, or else a context, as text; "" if there is none."""
        # The event's own fields come last.
        *contexts, payload = self.fields.split("}, {")
        for scope in (payload, "".join(contexts)):
            match = re.search(r"\b" + field + r' = ("(?:[^"\\]|\\.)*"|[^,}\s]+)', scope)
            if match:
                return match[1].strip('"')
        return ""


def babeltrace(*arguments):
    """(lines, lines of complaint)"""
    if not shutil.which("babeltrace2"):
        raise Problem("babeltrace2 is not installed; scripts/setup installs it")
    done = subprocess.run(["babeltrace2", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    complaints = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode != 0:
        raise Problem(f"babeltrace2 {' '.join(arguments)} failed: {' '.join(complaints)}")
    return done.stdout.splitlines(), complaints


class Trace:
    """All events below a directory, in the order of time."""

    def __init__(self, directory):
        lines, complaints = babeltrace("--clock-seconds", str(directory))
        self.directory = directory
        self.events = [self.parse(line) for line in lines]
        self.lost = 0
        self.complaints = []
        for line in complaints:
            if match := DISCARDED.search(line):
                self.lost += int(match[1])
            else:
                self.complaints.append(line)

    @staticmethod
    def parse(line):
        match = LINE.match(line)
        if not match:
            raise Problem(f"babeltrace2 printed what is no event: {line}")
        seconds, _, nanoseconds = match["time"].partition(".")
        return Event(int(seconds) * 10**9 + int(nanoseconds), match["name"], match["fields"])

    def named(self, name):
        return [e for e in self.events if e.name == name]

    def threads(self):
        return {(e.get("vpid"), e.get("vtid")) for e in self.events if not e.of_kernel()}

    def text(self):
        """What babeltrace2 prints, without the middle of long repetitions."""
        lines, _ = babeltrace(str(self.directory))
        names = [e.name for e in self.events]
        shown = []
        for name, run in itertools.groupby(zip(names, lines), lambda pair: pair[0]):
            run = [line for _, line in run]
            if len(run) > LONGEST_RUN:
                left_out = len(run) - 6
                run = run[:3] + [f"    ... {left_out} more {name} ..."] + run[-3:]
            shown += run
        return shown

# SPDX-License-Identifier: MIT
"""Reads the guest's KTAP and holds it against what was planned."""

import re
from dataclasses import dataclass, field

RESULT = re.compile(r"^(?P<indent> *)(?P<verdict>ok|not ok) (?P<number>\d+)"
                    r"(?: (?P<name>.*?))?(?: # (?P<note>.*))?$")
PLAN = re.compile(r"^(?P<indent> *)1\.\.(?P<count>\d+)$")
DIAGNOSTIC = re.compile(r"^ *# ?(?P<text>.*)$")


@dataclass
class Result:
    program: str
    name: str
    ok: bool
    skipped: bool = False
    notes: list = field(default_factory=list)

    @property
    def title(self):
        return f"{self.program}: {self.name}"


class Reader:
    """Turns lines into results, program by program, in the planned order.

    planned is a list of (program, [names]). Nothing the guest says can add to
    it: an unknown name, a number out of turn or a plan of another size is a
    failure of its own.
    """

    def __init__(self, planned):
        self.planned = planned
        self.program = 0        # index of the one that is running
        self.arrived = 0        # its results so far
        self.notes = []
        self.complaints = []    # what was wrong with the KTAP itself

    def expected(self):
        """(program, name) of the result that must come next, or None."""
        if self.program >= len(self.planned):
            return None
        program, names = self.planned[self.program]
        return (program, names[self.arrived]) if self.arrived < len(names) else None

    def feed(self, line):
        """The Results that this line brings: none, one, or those of a program
        that ended without them."""
        if match := PLAN.match(line):
            self.check_plan(match)
        elif match := RESULT.match(line):
            if match["indent"]:
                return self.test_result(match)
            return self.program_result(match)
        elif match := DIAGNOSTIC.match(line):
            self.notes.append(match["text"])
        elif line.strip() and line.strip() != "KTAP version 1":
            self.notes.append(line.strip())
        return []

    def check_plan(self, match):
        if match["indent"]:
            if self.program >= len(self.planned):
                return
            program, names = self.planned[self.program]
            wanted = len(names)
        else:
            program, wanted = "the guest", len(self.planned)
        if int(match["count"]) != wanted:
            self.complaints.append(
                f"{program}: planned {match['count']} results, not {wanted}")

    def test_result(self, match):
        expected = self.expected()
        notes, self.notes = self.notes, []
        if expected is None or expected[1] != match["name"]:
            self.complaints.append(f"a result that nobody waited for: {match[0].strip()}")
            return []
        self.arrived += 1
        if int(match["number"]) != self.arrived:
            self.complaints.append(f"{expected[0]}: result {match['number']} came "
                                   f"as number {self.arrived}")
        note = match["note"] or ""
        return [Result(*expected, match["verdict"] == "ok",
                       note.startswith("SKIP"), notes)]

    def program_result(self, match):
        """The program ended; its missing results never come."""
        if self.program >= len(self.planned):
            self.complaints.append(f"a program that nobody planned: {match[0]}")
            return []
        return self.end_program(f"its program ended: {match['note'] or 'exit status 0'}")

    def end_program(self, why):
        """Goes on to the next program; a failure for each result that is missing."""
        program, names = self.planned[self.program]
        missing = names[self.arrived:]
        if missing:
            self.complaints.append(f"{program}: {self.arrived} of {len(names)} "
                                   f"results arrived: {why}")
        results = [Result(program, name, False,
                          notes=[why if number == 0 else "not run: see the test before"])
                   for number, name in enumerate(missing)]
        self.program += 1
        self.arrived = 0
        self.notes = []
        return results

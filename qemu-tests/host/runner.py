# SPDX-License-Identifier: MIT
"""Boots guests, takes their results, judges them."""

import shutil
import time
from dataclasses import dataclass, field, replace

from . import console, ktap, paths, programs, qemu

BOOT_SECONDS = 60       # until the first line of KTAP


@dataclass
class Settings:
    kernel: object          # path of the image
    accel: str
    append: str = ""        # added to each boot's own
    patience: float = 1     # multiplies all limits
    keep: bool = True       # the console and all else of a boot with failures


@dataclass
class BootReport:
    """What one boot gave, beyond the results it already handed on."""
    missing: list = field(default_factory=list)     # programs yet to be run
    problems: list = field(default_factory=list)    # lines; any is a failure
    failures: int = 0       # tests that failed
    command: str = ""
    console_tail: list = field(default_factory=list)
    blamed: bool = False    # a test already failed for the problems


class Boot:
    """One machine, running a list of programs."""

    def __init__(self, chosen, settings, on_result):
        self.chosen = chosen
        self.settings = settings
        self.on_result = on_result
        self.work = paths.work_dir("test")
        needs = chosen[0].boot
        self.silence = needs.timeout * settings.patience
        self.machine = qemu.Machine(
            kernel=settings.kernel, initrd=programs.archive(chosen),
            console=self.work / "console", accel=needs.accel or settings.accel,
            append=" ".join(filter(None, [
                qemu.STRICT, f"KTAP_PATIENCE={settings.patience:g}",
                needs.append, settings.append])),
            memory=needs.memory, cpus=needs.cpus,
            ports={"ltt.ktap": f"file,@,path={self.work / 'ktap'}"})
        self.results = console.Follower(self.work / "ktap")
        self.kernel_log = console.Follower(self.work / "console")
        self.log = []           # console lines since the last verdict
        self.tail = []          # the last ones of all
        self.stopped = False    # by us
        self.reader = ktap.Reader([(p.name, p.names) for p in chosen])
        self.report = BootReport(command=self.machine.command_text())

    def run(self):
        process = self.machine.start()
        try:
            self.follow(process)
        finally:
            output = qemu.stop(process)
        self.finish(process.returncode, output)
        if not (self.settings.keep and (self.report.problems or self.report.failures)):
            shutil.rmtree(self.work, ignore_errors=True)
        return self.report

    def follow(self, process):
        limit = time.monotonic() + BOOT_SECONDS * self.settings.patience
        while True:
            ended = process.poll() is not None
            alive = self.read_log()
            for line in self.results.lines(final=ended):
                alive = True
                self.take(line)
            if ended:
                return
            if alive:
                limit = time.monotonic() + self.silence
            elif time.monotonic() > limit:
                self.report.problems.append(
                    f"no sign of life for {self.silence:g} s: the machine was stopped")
                self.stopped = True
                return
            time.sleep(0.01)

    def read_log(self, final=False):
        lines = self.kernel_log.lines(final)
        self.log += lines
        self.tail = (self.tail + lines)[-25:]
        return bool(lines)

    def take(self, line):
        for result in self.reader.feed(line):
            self.judge(result)

    def judge(self, result):
        """The guest's word, unless the kernel's log says otherwise."""
        # The mark was printed before the result was; give the console time.
        mark = f"ktap: end: {result.name}"
        limit = time.monotonic() + 5 * self.settings.patience
        while result.ok and not any(mark in seen for seen in self.log):
            if time.monotonic() > limit:
                result.ok = False
                result.notes.append("its end is not in the kernel's log")
            time.sleep(0.005)
            self.read_log()
        self.judge_log(result, mark)
        self.hand_on(result)

    def hand_on(self, result):
        self.report.failures += not result.ok
        self.on_result(result)

    def judge_log(self, result, mark):
        """Everything up to the mark belongs to this test."""
        end = next((i for i, seen in enumerate(self.log) if mark in seen), len(self.log) - 1)
        mine, self.log = self.log[:end + 1], self.log[end + 1:]
        faults = console.faults("\n".join(mine))
        if faults:
            result.ok = False
            result.notes += [f"kernel: {line}" for line in faults[:10]]
        if not result.ok:
            result.notes += [f"console: {line}" for line in mine[-5:]]

    def finish(self, status, output):
        report = self.report
        self.read_log(final=True)
        for line in self.results.lines(final=True):
            self.take(line)
        report.problems += self.reader.complaints
        faults = console.faults("\n".join(self.log))
        report.problems += [f"kernel: {line}" for line in faults[:10]]
        if not self.stopped and (status != 0 or output.strip()):
            report.problems.append(f"QEMU ended with {status}: {output.strip()}")
        self.account_for_missing()
        report.console_tail = self.tail

    def account_for_missing(self):
        """Tests without a result fail; programs that never began run again."""
        report = self.report
        if self.reader.program >= len(self.chosen):
            return
        if not report.problems:
            report.problems.append("the machine ended before its tests did")
        for result in self.reader.end_program("; ".join(report.problems)):
            self.hand_on(result)
            report.blamed = True
        report.missing = self.chosen[self.reader.program:]


def groups(chosen):
    """Programs that can share a boot, in the order of the first of each."""
    by_boot = {}
    for program in chosen:
        # The longest limit serves all.
        key = replace(program.boot, timeout=0)
        by_boot.setdefault(key, []).append(program)
    for members in by_boot.values():
        longest = max(p.boot.timeout for p in members)
        for program in members:
            program.boot = replace(program.boot, timeout=longest)
    return list(by_boot.values())


def run_all(chosen, settings, on_result, on_problem):
    """Runs everything chosen; each planned test gives exactly one result."""
    for program in chosen:
        if not program.names:
            on_result(ktap.Result(program.name, "no tests found", False))
    for group in groups([p for p in chosen if p.names]):
        while group:
            report = Boot(group, settings, on_result).run()
            if report.problems or report.failures:
                on_problem(report)
            group = report.missing

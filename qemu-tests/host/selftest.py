# SPDX-License-Identifier: MIT
"""The harness tests itself: each kind of end must be judged as what it is."""

from dataclasses import replace

from . import runner
from .ktap import Result

# Program -> for each of its tests: the verdict, and a text that its notes hold, with
# the patience for {}.
EXPECTED = {
    "pass": [("ok", ""), ("ok", ""), ("skip", "to show it")],
    "fail": [("not ok", "1 + 1 == 3 is false: 2 and 3"),
             ("not ok", "killed by Segmentation fault"),
             ("not ok", "exit status 3"),
             ("not ok", "fail.cpp"),
             ("not ok", "waited in vain for false"),
             ("not ok", "skipped: to show it"),
             ("not ok", "kernel: "),
             ("not ok", "leak: kernel memory"),
             ("not ok", "leak: traces"),
             ("ok", "")],
    "crash": [("ok", ""), ("not ok", "Kernel panic"), ("not ok", "not run")],
    "hang": [("not ok", "not ended after {} s"), ("ok", "")],
    "stuck": [("not ok", "no sign of life")],
    "plan": [("not ok", "killed by signal 9"), ("not ok", "")],
    "empty": [("not ok", "")],
}

# Text that the report of the boot must hold.
EXPECTED_PROBLEM = {"crash": "Kernel panic", "stuck": "no sign of life",
                    "plan": "0 of 2 results arrived"}


def count(known):
    """Results that run() will hand on."""
    return sum(len(p.names) or 1 for p in known) + len(known) + 2


def verdict(result):
    if result.ok:
        return "skip" if result.skipped else "ok"
    return "not ok"


def run(known, settings, on_result):
    """Hands on one result per test, and one per program: were they judged rightly?"""
    settings = replace(settings, keep=False)
    for program in known:
        got, problems = [], []
        runner.run_all([program], settings, got.append, problems.append)
        expected = EXPECTED.get(program.name, [])
        for index, name in enumerate(program.names or ["no tests found"]):
            on_result(compare(program, name, got[index:index + 1],
                              expected[index] if index < len(expected) else None,
                              settings.patience))
        on_result(compare_report(program, problems))
    crash_keeps_others(known, settings, on_result)


def compare(program, name, got, expected, patience):
    title = f"{program.name}: {name}"
    if not got:
        return Result("harness", title, False, notes=["no result"])
    if expected is None:
        return Result("harness", title, False, notes=["not known to the self-test"])
    result = got[0]
    wanted, text = expected
    text = text.format(f"{patience:g}")
    right = (verdict(result) == wanted and result.name == name and
             any(text in note for note in result.notes or [""]))
    return Result("harness", f"{title} (judged '{wanted}')", right,
                  notes=[f"judged '{verdict(result)}'", *result.notes])


def compare_report(program, problems):
    """A boot that went wrong is reported once, with all that helps; others are not."""
    wanted = EXPECTED_PROBLEM.get(program.name)
    failures = program.names and "not ok" in dict(EXPECTED.get(program.name, []))
    told = all("qemu" in report.command and report.console_tail for report in problems)
    lines = [line for report in problems for line in report.problems]
    if wanted is None:
        # Failures of tests are no fault of the machine, but its command is told.
        right = not lines and told and bool(problems) == bool(failures)
        return Result("harness", f"{program.name}: a boot without problems", right, notes=lines)
    right = len(problems) == 1 and told and any(wanted in line for line in lines)
    return Result("harness", f"{program.name}: the boot's report tells '{wanted}'",
                  right, notes=lines)


def crash_keeps_others(known, settings, on_result):
    """Programs after a crash run in a boot of their own; before it, they count."""
    by_name = {p.name: p for p in known}
    got, problems = [], []
    order = [by_name["hang"], by_name["crash"], by_name["pass"]]
    runner.run_all(order, settings, got.append, problems.append)
    names = [r.name for r in got]
    wanted = [name for p in order for name in p.names]
    on_result(Result("harness", "a crash costs no other program its results",
                     names == wanted, notes=names))
    reports = [p.problems for p in problems if p.problems]
    on_result(Result("harness", "a crash is reported once", len(reports) == 1,
                     notes=[str(r) for r in reports]))

# SPDX-License-Identifier: MIT
"""The harness tests itself: each kind of end must be judged as what it is."""

from . import runner
from .ktap import Result

# Program -> for each of its tests: the verdict, and a text that its notes hold.
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
             ("ok", "")],
    "crash": [("ok", ""), ("not ok", "Kernel panic"), ("not ok", "not run")],
    "hang": [("not ok", "not ended after 1 s"), ("ok", "")],
    "stuck": [("not ok", "no sign of life")],
    "plan": [("not ok", "killed by signal 9"), ("not ok", "")],
    "empty": [("not ok", "")],
}

# Text that the report of the boot must hold.
EXPECTED_PROBLEM = {"crash": "Kernel panic", "stuck": "no sign of life",
                    "plan": "0 of 2 results arrived"}


def count(chosen):
    return sum(len(p.names) or 1 for p in chosen) + 2


def verdict(result):
    if result.ok:
        return "skip" if result.skipped else "ok"
    return "not ok"


def run(chosen, settings, on_result):
    """Hands on one result per test: was it judged rightly?"""
    for program in chosen:
        got, problems = [], []
        runner.run_all([program], settings, got.append, problems.append)
        expected = EXPECTED[program.name]
        for index, name in enumerate(program.names or ["no tests found"]):
            on_result(compare(program, name, got[index:index + 1],
                              expected[index] if index < len(expected) else None))
        lines = [line for report in problems for line in report.problems]
        wanted = EXPECTED_PROBLEM.get(program.name)
        if wanted and not any(wanted in line for line in lines):
            on_result(Result(program.name, f"the boot's report tells of '{wanted}'",
                             False, notes=lines))
        if not wanted and lines:
            on_result(Result(program.name, "a boot without problems", False, notes=lines))
        for report in problems:
            if not report.console_tail or "qemu" not in report.command:
                on_result(Result(program.name, "console and command are reported", False))
    crash_keeps_others(chosen, settings, on_result)


def compare(program, name, got, expected):
    if not got:
        return Result(program.name, name, False, notes=["no result"])
    if expected is None:
        return Result(program.name, name, False, notes=["not known to the self-test"])
    result = got[0]
    wanted, text = expected
    right = (verdict(result) == wanted and result.name == name and
             any(text in note for note in result.notes or [""]))
    return Result(program.name, f"{name} (judged '{wanted}')", right,
                  notes=[f"judged '{verdict(result)}'", *result.notes])


def crash_keeps_others(chosen, settings, on_result):
    """Programs after a crash run in a boot of their own; before it, they count."""
    by_name = {p.name: p for p in chosen}
    if not {"crash", "pass", "hang"} <= by_name.keys():
        return
    got, problems = [], []
    order = [by_name["hang"], by_name["crash"], by_name["pass"]]
    runner.run_all(order, settings, got.append, problems.append)
    names = [r.name for r in got]
    wanted = [name for p in order for name in p.names]
    on_result(Result("harness", "a crash costs no other program its results",
                     names == wanted, notes=names))
    on_result(Result("harness", "a crash is reported once", len(problems) == 1,
                     notes=[str(p.problems) for p in problems]))

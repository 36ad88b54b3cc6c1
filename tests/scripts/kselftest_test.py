#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of qemu-tests/host/kselftest.py: from the selftests' output to a verdict."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "qemu-tests"))

from host import kselftest  # noqa: E402

OUTPUT = """\
TAP version 13
1..3
# overriding timeout to 60
# selftests: core: first
# 1..3
# ok 1 opens
# Diff too high: 3849474..not ok 2 is quick
# ok 3 # SKIP as root
# # Totals: pass:1 fail:1 skip:1
not ok 1 selftests: core: first # exit=1
# selftests: core: second
# ok 1 opens
# ok 2 opens
ok 2 selftests: core: second # SKIP
# selftests: core: third
#
not ok 3 selftests: core: third # TIMEOUT 60 seconds
"""
TIMED = "timers/nsleep-lat: CLOCK_TAI"


def compared(test, *rounds):
    """rounds: (verdict on the patched kernel, on the unpatched one); None: no result."""
    comparison = kselftest.Comparison()
    for verdicts in rounds:
        for side, verdict in enumerate(verdicts):
            comparison.add(side, test.partition("/")[0], {test: verdict} if verdict else {})
    return comparison


class Output(unittest.TestCase):
    def test_every_result_has_a_name_of_its_own(self):
        self.assertEqual(kselftest.parse(OUTPUT), {
            "core/first: opens": "ok", "core/first: is quick": "not ok",
            "core/first: as root": "SKIP", "core/first": "not ok",
            "core/second: opens": "ok", "core/second: opens (2)": "ok",
            "core/second": "SKIP", "core/third": "TIMEOUT"})

    def test_a_test_has_one_name_however_it_ends(self):
        for line, verdict in (("ok 1 wake private succeeds", "ok"),
                              ("not ok 1 wake private returned: 0 Success", "not ok"),
                              ("not ok 1 # error wake private", "not ok")):
            text = f"# {line}\nok 1 selftests: futex: run.sh\n"
            self.assertEqual(kselftest.parse(text)["futex/run.sh: wake private"], verdict)

    def test_nothing_gives_nothing(self):
        self.assertEqual(kselftest.parse("# sh: not found\n"), {})

    def test_variables_are_spelled_as_the_runner_does(self):
        self.assertEqual(kselftest.variable("run_param_test.sh"), "RUN_PARAM_TEST_SH")


class Verdict(unittest.TestCase):
    def test_the_same_is_the_same_even_if_it_fails(self):
        for verdict in ("ok", "not ok", "SKIP", "TIMEOUT"):
            self.assertFalse(compared("core/x", (verdict, verdict)).differs("core/x"))

    def test_another_verdict_differs(self):
        comparison = compared("core/x", ("not ok", "ok"))
        self.assertTrue(comparison.differs("core/x"))
        self.assertEqual(comparison.collections_that_differ(), ["core"])

    def test_a_result_that_did_not_come_differs(self):
        self.assertTrue(compared("core/x", (None, "ok")).differs("core/x"))
        self.assertTrue(compared("core/x", ("ok", None)).differs("core/x"))

    def test_what_varies_without_a_reason_differs(self):
        self.assertTrue(compared("core/x", ("ok", "ok"), ("ok", "not ok")).differs("core/x"))

    def test_what_measures_time_may_vary_on_the_unpatched_kernel(self):
        comparison = compared(TIMED, ("not ok", "ok"), ("ok", "not ok"))
        self.assertTrue(comparison.varies(TIMED))
        self.assertFalse(comparison.differs(TIMED))

    def test_one_that_varies_excuses_those_like_it(self):
        comparison = compared(TIMED, ("ok", "ok"), ("ok", "not ok"))
        like, other = "timers/nsleep-lat: CLOCK_REALTIME", "timers/nanosleep: CLOCK_TAI"
        for number, results in enumerate(comparison.rounds[0]["timers"]):
            results |= {like: "not ok" if number else "ok", other: "not ok" if number else "ok"}
        for results in comparison.rounds[1]["timers"]:
            results |= {like: "ok", other: "ok"}
        self.assertFalse(comparison.differs(like))
        self.assertTrue(comparison.differs(other))

    def test_what_varies_on_the_patched_kernel_alone_differs(self):
        self.assertTrue(compared(TIMED, ("not ok", "ok"), ("ok", "ok")).differs(TIMED))

    def test_a_verdict_that_the_unpatched_kernel_never_gave_differs(self):
        self.assertTrue(compared(TIMED, ("TIMEOUT", "ok"), ("ok", "not ok")).differs(TIMED))


if __name__ == "__main__":
    unittest.main()

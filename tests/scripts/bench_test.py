#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of the figures of bench-kernel, and of how any figures are bounds."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "qemu-tests"))

from bench import figures as fig  # noqa: E402
from host import batch, bounds, counts, paths  # noqa: E402

from figures_case import FiguresCase  # noqa: E402


def some_samples():
    """Every key that the guest reports, with figures that are all within."""
    samples = {"loop.10000": [20004] * 4, "loop.510000": [1020004] * 4,
               "empty_call": [184] * 4, "getpid_loop": [181000] * 4, "update": [253] * 4,
               "switch": [403] * 4, "buffer_fresh": [27000] * 4, "buffer_pool": [9000] * 4,
               "fork_unregistered": [100000] * 8, "fork_registered": [105000] * 8,
               "fork_traced": [109000] * 8, "exec": [200200] * 8,
               fig.OFF + "exec": [200000] * 8,
               "switches": [180000] * 4, "switches.ours": [193000] * 4,
               "switches.ftrace": [230000] * 4, "switches.after": [180100] * 4,
               "calls": [18000] * 4, "calls.ours": [44000] * 4,
               "calls.ftrace": [138000] * 4, "calls.after": [18010] * 4}
    for n in (250, 500, 1000):
        samples |= {f"start.{n}": [2500 + 8 * n], f"stop.{n}": [2600 + 8 * n]}
    return samples


def values_of(samples):
    return bounds.evaluate(fig.FIGURES, {"repeat": [0.0]} | samples)


class Figures(FiguresCase, unittest.TestCase):
    figures = fig.FIGURES
    good = staticmethod(some_samples)
    values_of = staticmethod(values_of)
    worse = {"calibration": {"loop.510000": [1020005] * 4},
             "update": {"update": [284] * 4}, "switch": {"switch": [600] * 4},
             "buffer_fresh": {"buffer_fresh": [30000] * 4},
             "buffer_pool": {"buffer_pool": [15000] * 4},
             "start_1000": {f"start.{n}": [1000 * n] for n in (250, 500, 1000)},
             "stop_1000": {f"stop.{n}": [1000 * n] for n in (250, 500, 1000)},
             "start_growth": {"start.1000": [11000]}, "stop_growth": {"stop.1000": [11200]},
             "event_switch": {"switches.ours": [195000] * 4},
             "event_switch_share": {"switches.ftrace": [218000] * 4},
             "event_call": {"calls.ours": [48000] * 4},
             "event_call_share": {"calls.ftrace": [95000] * 4},
             "switches_after": {"switches.after": [180901] * 4},
             "calls_after": {"calls.after": [18091] * 4},
             "fork_registered": {"fork_registered": [110001] * 8},
             "fork_traced": {"fork_traced": [110001] * 8},
             "exec": {"exec": [200500] * 8}, "repeat": {"repeat": [-0.2]}}

    def test_cheaper_by_more_than_the_bound_is_no_comparison_either(self):
        self.assertEqual(self.broken(exec=[199500] * 8), ["exec"])

    def test_other_bounds(self):
        figures = bounds.with_bounds(fig.FIGURES, {"switch": 403})
        bound = next(f.bound for f in figures if f.key == "switch")
        self.assertFalse(bound.holds(403))
        self.assertTrue(bound.holds(402))

    def test_ticks_fall_out(self):
        self.assertEqual(counts.middle_half([100] * 6 + [12100, 4000000]), 100)

    def test_a_missing_sample_is_told(self):
        samples = some_samples()
        del samples["switch"]
        with self.assertRaisesRegex(bounds.Unreadable, "switch: there is no sample switch"):
            bounds.evaluate(fig.FIGURES, samples)


class Judging(unittest.TestCase):
    FIGURES = [
        bounds.Figure("size", "code", "bytes", lambda s: s["size"][0], bounds.at_most(16)),
        bounds.Figure("time", "a marker", "ns", lambda s: s["time"][0], bounds.under(6)),
        bounds.Figure("count", "events", "instructions", lambda s: s["count"][0])]
    VALUES = {"size": 16, "time": 6, "count": 1234567}

    def test_what_each_kind_of_bound_holds(self):
        for kind, value, holds in [("under", 6, False), ("under", 5.9, True), ("at most", 6, True),
                                   ("at most", 6.1, False), ("within", -6, True),
                                   ("within", -6.1, False), ("exactly", 6, True),
                                   ("exactly", 5.9, False)]:
            self.assertEqual(bounds.Bound(kind, 6).holds(value), holds, (kind, value))

    def test_the_table_says_what_was_measured_its_bound_and_the_verdict(self):
        self.assertEqual(bounds.table(self.FIGURES, self.VALUES), [
            "figure           measured  bound            verdict",
            "code (size)      16 bytes  at most 16 bytes ok",
            "a marker (time)   6.00 ns  under 6.00 ns    BROKEN",
            "events (count)  1 234 567"])
        self.assertEqual(bounds.verdict(self.FIGURES, self.VALUES), "1 of 2 bounds are broken: time")
        self.assertEqual(bounds.verdict(self.FIGURES, self.VALUES | {"time": 5}),
                         "0 of 2 bounds are broken")

    def test_the_json_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "figures.json"
            bounds.write_json(path, {"kernel": "6.12"}, self.FIGURES, self.VALUES)
            self.assertEqual(json.loads(path.read_text()), {"kernel": "6.12", "figures": {
                "size": {"value": 16, "unit": "bytes", "bound": 16, "kind": "at most", "ok": True},
                "time": {"value": 6, "unit": "ns", "bound": 6, "kind": "under", "ok": False},
                "count": {"value": 1234567, "unit": "instructions"}}})
            with self.assertRaisesRegex(paths.Problem, "^--out .*/figures.json: File exists"):
                bounds.write_json(path / "x", {}, self.FIGURES, self.VALUES)

    def test_samples_that_give_no_number_are_told(self):
        for value in (lambda s: 1 / 0, lambda s: float("nan")):
            with self.assertRaisesRegex(bounds.Unreadable, "^key: the samples give no number"):
                bounds.evaluate([bounds.Figure("key", "title", "ns", value)], {})


class Lines(unittest.TestCase):
    def test_samples_among_other_lines(self):
        lines = ["1..1", "samples switch 403 404", "ok 1 kernel"]
        self.assertEqual(counts.parse(lines, "off."), {"off.switch": [403, 404]})

    def test_a_torn_line_is_refused(self):
        for line in ("samples switch", "samples switch 403 4x"):
            with self.assertRaises(bounds.Unreadable):
                counts.parse([line])

    def test_runs_are_the_same_or_differ_by_something(self):
        first = some_samples()
        self.assertEqual(counts.deviation(first, some_samples()), (0, ""))
        percent, key = counts.deviation(first, first | {"switch": [407] * 4})
        self.assertEqual(key, "switch")
        self.assertAlmostEqual(percent, 100 * 4 / 403)
        with self.assertRaises(bounds.Unreadable):
            counts.deviation(first, {})


class Batches(unittest.TestCase):
    def test_programs_that_ended_well(self):
        self.assertEqual(batch.failures(["KTAP version 1", "1..2", "ok 1 a", "x", "ok 2 b"]), [])

    def test_programs_that_failed_or_never_ended(self):
        self.assertEqual(batch.failures(["1..1", "not ok 1 a # exit status 98"]),
                         ["not ok 1 a # exit status 98"])
        self.assertEqual(batch.failures(["1..2", "ok 1 a"]),
                         ["1 of 2 programs came to their end"])
        self.assertEqual(batch.failures([]), ["the guest ran nothing"])


if __name__ == "__main__":
    unittest.main()

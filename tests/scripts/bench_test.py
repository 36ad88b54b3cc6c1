#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of qemu-tests/bench/figures.py: from samples to verdicts."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "qemu-tests"))

from bench import figures as fig  # noqa: E402
from host import batch  # noqa: E402


def some_samples():
    """Every key that the guest reports, with figures that are all within."""
    samples = {"loop.10000": [20004] * 4, "loop.510000": [1020004] * 4,
               "empty_call": [184] * 4, "getpid_loop": [181000] * 4, "update": [253] * 4,
               "switch": [403] * 4, "buffer_fresh": [27000] * 4, "buffer_pool": [9000] * 4,
               "fork_unregistered": [100000] * 8, "fork_registered": [105000] * 8,
               "fork_traced": [109000] * 8, "exec": [200200] * 8,
               fig.OFF + "exec": [200000] * 8}
    for n in (250, 500, 1000):
        samples |= {f"start.{n}": [2500 + 8 * n], f"stop.{n}": [2600 + 8 * n]}
    return samples


def broken(samples):
    values = fig.evaluate(fig.FIGURES, samples)
    return [f.key for f in fig.FIGURES if f.bound and not f.bound.holds(values[f.key])]


class Figures(unittest.TestCase):
    def test_good_samples_break_nothing(self):
        self.assertEqual(broken(some_samples()), [])

    def test_each_bound_can_break(self):
        worse = {"calibration": {"loop.510000": [1020005] * 4},
                 "update": {"update": [284] * 4}, "switch": {"switch": [600] * 4},
                 "buffer_fresh": {"buffer_fresh": [30000] * 4},
                 "buffer_pool": {"buffer_pool": [15000] * 4},
                 "start_1000": {f"start.{n}": [1000 * n] for n in (250, 500, 1000)},
                 "stop_1000": {f"stop.{n}": [1000 * n] for n in (250, 500, 1000)},
                 "start_growth": {"start.1000": [11000]}, "stop_growth": {"stop.1000": [11200]},
                 "fork_registered": {"fork_registered": [110001] * 8},
                 "fork_traced": {"fork_traced": [110001] * 8},
                 "exec": {"exec": [200500] * 8}}
        self.assertEqual(set(worse), {f.key for f in fig.FIGURES if f.bound})
        for key, samples in worse.items():
            self.assertEqual(broken(some_samples() | samples), [key])

    def test_cheaper_by_more_than_the_bound_is_no_comparison_either(self):
        self.assertEqual(broken(some_samples() | {"exec": [199500] * 8}), ["exec"])

    def test_other_bounds(self):
        figures = fig.with_bounds(fig.FIGURES, {"switch": 403})
        bound = next(f.bound for f in figures if f.key == "switch")
        self.assertFalse(bound.holds(403))
        self.assertTrue(bound.holds(402))

    def test_ticks_fall_out(self):
        self.assertEqual(fig.middle_half([100] * 6 + [12100, 4000000]), 100)

    def test_a_missing_sample_is_told(self):
        samples = some_samples()
        del samples["switch"]
        with self.assertRaisesRegex(fig.Unreadable, "switch: the guest did not report switch"):
            fig.evaluate(fig.FIGURES, samples)

    def test_the_documentation_has_every_key(self):
        text = (TOP / "docs" / "benchmarks.md").read_text()
        for figure in fig.FIGURES:
            self.assertIn(f"`{figure.key}`", text)


class Lines(unittest.TestCase):
    def test_samples_among_other_lines(self):
        lines = ["1..1", "samples switch 403 404", "ok 1 kernel"]
        self.assertEqual(fig.parse(lines, "off."), {"off.switch": [403, 404]})

    def test_a_torn_line_is_refused(self):
        for line in ("samples switch", "samples switch 403 4x"):
            with self.assertRaises(fig.Unreadable):
                fig.parse([line])

    def test_runs_are_the_same_or_differ_by_something(self):
        first = some_samples()
        self.assertEqual(fig.deviation(first, some_samples()), (0, ""))
        percent, key = fig.deviation(first, first | {"switch": [407] * 4})
        self.assertEqual(key, "switch")
        self.assertAlmostEqual(percent, 100 * 4 / 403)
        with self.assertRaises(fig.Unreadable):
            fig.deviation(first, {})


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

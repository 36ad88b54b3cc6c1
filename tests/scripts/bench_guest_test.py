#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of make bench-guest: from counts to verdicts and to the plot. Boots nothing."""

import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "bench" / "guest"), str(TOP / "bench"), str(TOP / "qemu-tests")]

import figures as fig  # noqa: E402
import plot  # noqa: E402
import recorded  # noqa: E402
from host import bounds  # noqa: E402

from figures_case import FiguresCase  # noqa: E402


def one_run():
    """Every key that the guest reports, with figures that are all within."""
    samples = {"loop.10000": [20004] * 4, "loop.510000": [1020004] * 4, "row_length": [100]}
    for key, taken in {"empty": 6, "off": 12, "number": 66, "text": 106, "off_lttng": 14,
                       "number_lttng": 1006, "text_lttng": 1206, "trace_marker_raw": 906,
                       "user_events_write": 1406, "user_events_writev": 1906,
                       "uprobe": 1706}.items():
        samples |= {key: [taken, taken, 16000], f"{key}.row": [100 * taken + 300] * 5}
    return samples


def some_samples():
    return one_run() | {"repeat": [0.0], "repeat_mean": [0.0]}


def values_of(samples, missing=()):
    return bounds.evaluate(fig.measurable(missing), samples)


class Figures(FiguresCase, unittest.TestCase):
    figures = fig.FIGURES
    good = staticmethod(some_samples)
    values_of = staticmethod(values_of)
    worse = {"calibration": {"loop.510000": [1020005] * 4}, "number": {"number": [67]},
             "number_part": {"number_lttng": [245]}, "repeat": {"repeat": [1.1]},
             "repeat_mean": {"repeat_mean": [1.1]}}

    def test_an_event_is_counted_without_the_loop_and_without_ticks(self):
        values = values_of(some_samples())
        self.assertEqual((values["number"], values["uprobe"]), (60, 1700))

    def test_on_average_all_that_comes_between_counts(self):
        samples = some_samples() | {"number.row": [6900 + 50 * 4] * 5, "empty.row": [500] * 5}
        self.assertEqual(values_of(samples)["number_mean"], 66)

    def test_two_runs_differ_by_their_worst_median(self):
        again = one_run() | {"text": [106, 107, 107], "uprobe.row": [170903] * 5}
        found = fig.compare(one_run(), again)
        self.assertAlmostEqual(found["repeat"][0], 100 / 106)
        self.assertAlmostEqual(found["repeat_mean"][0], 100 * 3 / 170900)
        once = one_run() | {"off": [12, 12, 12]}     # a tick less
        self.assertEqual(fig.compare(one_run(), once),
                         {"repeat": [0], "repeat_mean": [0]})

    def test_what_is_missing_takes_its_figures_and_bounds_along(self):
        everything = {f.key for f in fig.FIGURES}
        for tracer in fig.TRACERS:
            figures = fig.measurable([tracer])
            gone = everything - {f.key for f in figures}
            self.assertTrue(gone)
            samples = {key: value for key, value in some_samples().items()
                       if key.removesuffix(".row") not in gone}
            values = bounds.evaluate(figures, samples)
            self.assertEqual(bounds.broken(figures, values), [])
            self.assertIn("number", values)


class Plot(unittest.TestCase):
    def bars(self, missing=()):
        figures = fig.measurable(missing)
        root = xml.fromstring(plot.draw(["A"], fig.panels(figures, values_of(some_samples(),
                                                                             missing))))
        return [e for e in root.iter() if e.tag.endswith("rect")][1:], root

    def test_ours_alone_is_in_colour(self):
        bars, _ = self.bars()
        self.assertEqual(len(bars), 2 + 6 + 6 + 2)
        self.assertEqual(sum(bar.get("fill") == plot.OURS for bar in bars), 4)

    def test_missing_tracers_have_no_bar(self):
        bars, _ = self.bars(fig.TRACERS)
        self.assertEqual({bar.get("fill") for bar in bars}, {plot.OURS})

    def test_names_end_where_bars_begin_and_lie_within(self):
        bars, root = self.bars()
        names = [e for e in root.iter() if e.get("text-anchor") == "end"]
        longest = max(names, key=lambda e: len(e.text))
        self.assertEqual(longest.text, "user_events, writev")
        self.assertGreater(float(longest.get("x")), plot.LETTER * len(longest.text))
        self.assertLess(float(longest.get("x")), float(bars[0].get("x")))

    def test_the_bound_is_the_tighter_one(self):
        def bound(samples):
            values = values_of(some_samples() | samples)
            return fig.panels(fig.FIGURES, values)[1].bound
        self.assertEqual(bound({}), 60)
        self.assertEqual(bound({"number_lttng": [206]}), 50)


class Recorded(unittest.TestCase):
    LINE = ("[00:00:01.000000000] (+0.000000153) ltt-vm bench:{}: {{ vpid = 38, procname = "
            '"bench-guest" }}, {{ a = {}, b = 5 }}\n')
    WRITTEN = recorded.LEAST + 1000

    def events(self, numbers, name="number"):
        return recorded.parse("".join(self.LINE.format(name, n) for n in numbers))

    def test_the_newest_events_without_a_gap_are_enough(self):
        events = self.events(range(1000, self.WRITTEN))
        self.assertIsNone(recorded.check("ours", events, "number", self.WRITTEN))

    def test_missing_events_are_told(self):
        good = list(range(1000, self.WRITTEN))
        for numbers in ([], good[1:], good[:-1], good[:50] + good[51:] + [self.WRITTEN],
                        good[:5] + [good[4]] + good[6:]):
            with self.assertRaisesRegex(bounds.Unreadable, "^ours: .* bench:number were written"):
                recorded.check("ours", self.events(numbers), "number", self.WRITTEN)

    def test_lines_that_are_no_events_are_told(self):
        with self.assertRaisesRegex(bounds.Unreadable, "no event of ours: rubbish"):
            recorded.parse("rubbish\n")

    def test_an_event_that_should_be_off_is_told(self):
        numbers = range(self.WRITTEN)
        traces = {"ours": self.events(numbers) | self.events(numbers, "text")}
        with mock.patch.object(recorded, "read", lambda folder: traces[folder.name]):
            recorded.check_all(Path("out"), self.WRITTEN, with_lttng=False)
            traces["ours"] |= self.events([0], "off")
            with self.assertRaisesRegex(bounds.Unreadable, "events of number off text"):
                recorded.check_all(Path("out"), self.WRITTEN, with_lttng=False)

    def test_a_folder_without_a_trace_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(bounds.Unreadable, "babeltrace2 cannot read"):
                recorded.read(folder)


class CommandLine(unittest.TestCase):
    def test_misuse_is_one_line(self):
        for arguments, said in [(["--bound", "nubmer=1"], "'nubmer' is no figure with a bound"),
                                (["--bound", "uprobe=1"], "'uprobe' is no figure with a bound"),
                                (["--bound", "number=few"], "'few' is not a number"),
                                (["--config", "base,tracer"], "no fragment 'tracer'"),
                                (["--kernel", "5.4"], "'5.4'"),
                                (["lttng"], "unrecognized arguments: lttng")]:
            done = subprocess.run([TOP / "bench" / "guest" / "run", *arguments],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(said, done.stderr)

    def test_help_names_the_exit_status(self):
        done = subprocess.run([TOP / "bench" / "guest" / "run", "--help"], capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Exit status:", done.stdout)


if __name__ == "__main__":
    unittest.main()

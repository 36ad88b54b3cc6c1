#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of make bench: from samples to verdicts and to the plot. Measures nothing."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "bench"), str(TOP / "qemu-tests")]

import markers  # noqa: E402
import plot  # noqa: E402
import samples as measured  # noqa: E402
from host import bounds  # noqa: E402

from figures_case import FiguresCase  # noqa: E402


def some_samples():
    """Every sample there is, with figures that are all within."""
    return {"empty": [0.2, 0.2, 9], "rdtsc": [10], "off": [0.4], "off_lttng": [0.4],
            "number": [15], "number_lttng": [64], "text": [20], "text_lttng": [96],
            "number_each/threads:1.thread0": [15], "number_each/threads:2.thread0": [16],
            "number_each/threads:2.thread1": [15], "number_tail.p999": [40],
            "number_tail_lttng.p999": [90], "number_tail.p9999": [400],
            "number_tail_lttng.p9999": [900], "site": [13, 16], "compile": [1.5],
            "compile_lttng": [1.25]}


def values_of(samples, with_lttng=True):
    return bounds.evaluate(markers.measurable(with_lttng), samples)


class Figures(FiguresCase, unittest.TestCase):
    figures = markers.FIGURES
    good = staticmethod(some_samples)
    values_of = staticmethod(values_of)
    worse = {"off": {"off": [1.3], "off_lttng": [1.3]}, "off_more": {"off": [0.6]},
             "number": {"rdtsc": [8.9]}, "number_part": {"number_lttng": [59]},
             "text": {"text": [22.5]}, "text_part": {"text_lttng": [79]},
             "threads": {"number_each/threads:2.thread1": [16.6]},
             "p999_part": {"number_tail_lttng.p999": [40]}, "site": {"site": [13, 17]},
             "compile": {"compile": [2.1]}}

    def test_a_figure_is_the_median_of_all_runs(self):
        self.assertEqual(values_of(some_samples())["empty"], 0.2)

    def test_the_slower_of_two_threads_counts_whichever_it_is(self):
        for thread in (0, 1):
            slow = {f"number_each/threads:2.thread{thread}": [30]}
            self.assertEqual(values_of(some_samples() | slow)["threads"], 100)

    def test_without_lttng_the_rest_is_judged(self):
        ours = {key: value for key, value in some_samples().items() if "lttng" not in key}
        values = values_of(ours, with_lttng=False)
        self.assertEqual(bounds.broken(markers.measurable(False), values), [])
        self.assertIn("number", values)
        self.assertNotIn("number_part", values)


class Samples(unittest.TestCase):
    RUN = {"run_type": "iteration", "run_name": "number", "name": "number", "cpu_time": 9.5,
           "real_time": 20, "threads": 1}

    def parse(self, *runs):
        return measured.parse(json.dumps({"benchmarks": runs}))

    def test_repetitions_and_counters(self):
        tail = {**self.RUN, "run_name": "number_tail", "p999": 30, "p9999": 400}
        mean = {**self.RUN, "run_type": "aggregate", "cpu_time": 7}
        self.assertEqual(
            self.parse(self.RUN, {**self.RUN, "cpu_time": 9.7}, mean, tail),
            {"number": [9.5, 9.7], "number_tail": [9.5], "number_tail.p999": [30],
             "number_tail.p9999": [400]})

    def test_an_event_that_was_not_written_is_no_sample(self):
        bad = {**self.RUN, "error_occurred": True, "error_message": "there are not as many events"}
        with self.assertRaisesRegex(bounds.Unreadable, "^number: there are not as many events"):
            self.parse(self.RUN, bad)

    def test_a_torn_file_is_refused(self):
        for text in ("", "{", "{}", '{"benchmarks": [{"run_type": "iteration"}]}'):
            with self.assertRaisesRegex(bounds.Unreadable, "wrote no samples"):
                measured.parse(text)

    def test_the_sources_have_as_many_events_as_markers(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = measured.sources(Path(folder))
            text = ours.read_text()
            self.assertEqual(len(re.findall(r"^UST_EVENT\(", text, re.MULTILINE)), 100)
            self.assertEqual(len(re.findall(r"^\tUST\(", text, re.MULTILINE)), 100)
            self.assertEqual(theirs.read_text().count("\tlttng_ust_tracepoint("), 100)
            header = (Path(folder) / "many.h").read_text()
            self.assertEqual(header.count("LTTNG_UST_TRACEPOINT_EVENT("), 100)

    def test_what_does_not_compile_is_told(self):
        with self.assertRaises(bounds.Unreadable) as caught:
            measured.processor_time([sys.executable, "-c", "raise SystemExit('error: here')"], "/")
        self.assertEqual(caught.exception.args[1:], ("error: here",))


class Plot(unittest.TestCase):
    def draw(self, panels, head=("A & B",)):
        """The elements of a plot by their names; it must be XML."""
        root = xml.fromstring(plot.draw(head, panels))
        found = {}
        for element in root.iter():
            found.setdefault(element.tag.rpartition("}")[2], []).append(element)
        self.root = root
        return found

    def widths(self, found):
        return [float(bar.get("width")) for bar in found["rect"][1:]]

    def test_bars_are_as_long_as_their_values(self):
        ours, theirs = self.widths(self.draw([plot.Panel("t", "ns", [("a", 10), ("b", 40)])]))
        self.assertAlmostEqual(theirs / ours, 4, delta=0.01)

    def test_a_bound_past_both_bars_is_in_the_picture(self):
        found = self.draw([plot.Panel("t", "ns", [("a", 10), ("b", 20)], 40)])
        line, bar = found["line"][0], found["rect"][1]
        self.assertAlmostEqual(float(line.get("x1")) - float(bar.get("x")),
                               4 * float(bar.get("width")), delta=0.5)
        self.assertLess(float(line.get("x1")), float(self.root.get("width")))

    def test_the_line_of_a_bound_goes_through_no_number(self):
        for bound in (10, 11, 12, 15, 20):
            found = self.draw([plot.Panel("t", "ns", [("a", 10), ("b", 100)], bound)])
            line = float(found["line"][0].get("x1"))
            number = float(next(t.get("x") for t in found["text"] if t.text == "10.00 ns"))
            self.assertFalse(number - 4 < line < number + 60, (bound, line, number))

    def test_the_line_of_a_bound_is_seen_on_a_bar_that_is_too_long(self):
        self.draw([plot.Panel("t", "ns", [("a", 30), ("b", 10)], 20)])
        order = [element.tag.rpartition("}")[2] for element in self.root]
        self.assertGreater(order.index("line"), max(i for i, t in enumerate(order) if t == "rect"))

    def test_names_values_and_titles_are_there(self):
        found = self.draw([plot.Panel("<on>", "ns", [("ours", 9.876), ("theirs", 0)])])
        words = {element.text for element in found["text"]}
        self.assertLessEqual({"A & B", "<on>", "ours", "theirs", "9.88 ns", "0.00 ns"}, words)

    def test_nothing_and_less_than_nothing_have_a_bar(self):
        for width in self.widths(self.draw([plot.Panel("t", "ns", [("a", 0.0), ("b", -0.001)])])):
            self.assertEqual(width, 1)

    def test_everything_lies_within(self):
        panels = markers.panels(markers.FIGURES, values_of(some_samples()))
        found = self.draw(panels)
        self.assertEqual(len(found["rect"]), 1 + 2 * len(panels))
        for bar in found["rect"]:
            self.assertLessEqual(float(bar.get("y", 0)) + float(bar.get("height")),
                                 float(self.root.get("height")))

    def test_without_lttng_there_is_one_bar_each(self):
        figures = markers.measurable(False)
        values = values_of(some_samples(), with_lttng=False)
        panels = markers.panels(figures, values)
        self.assertEqual({len(panel.bars) for panel in panels}, {1})
        self.draw(panels)

    def test_the_bound_of_an_event_is_the_tighter_one(self):
        panel = next(p for p in markers.panels(markers.FIGURES, values_of(some_samples()))
                     if "uint64" in p.title)
        self.assertEqual(panel.bound, 16)   # a clock of 10 and 6, or a quarter of 64
        values = values_of(some_samples() | {"number_lttng": [60]})
        self.assertEqual(markers.panels(markers.FIGURES, values)[1].bound, 15)


class CommandLine(unittest.TestCase):
    def test_misuse_is_one_line(self):
        for arguments, said in [(["--bound", "nubmer=1"], "'nubmer' is no figure with a bound"),
                                (["--bound", "rdtsc=1"], "'rdtsc' is no figure with a bound"),
                                (["--bound", "off=few"], "'few' is not a number"),
                                (["fast"], "unrecognized arguments: fast")]:
            done = subprocess.run([TOP / "bench" / "run", *arguments], capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()

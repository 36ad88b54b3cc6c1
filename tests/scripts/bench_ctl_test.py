#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of make bench-ctl and bench-ctl-guest: from samples and packets to verdicts.
Measures nothing."""

import importlib.util
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "bench" / "ctl"), str(TOP / "bench"), str(TOP / "qemu-tests")]

import figures as fig  # noqa: E402
import sizes  # noqa: E402
from host import bounds  # noqa: E402

from figures_case import FiguresCase  # noqa: E402


def module(path):
    """One whose name another one has, too."""
    spec = importlib.util.spec_from_file_location("guest_figures", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


guest = module(TOP / "bench" / "ctl" / "guest" / "figures.py")


def some_samples():
    """Every sample there is, with figures that are all within."""
    samples = {}
    for kind in ("number", "text", "mixture", "shuffled"):
        for what in ("check", "encode", "session"):
            # In rounds of ten events: 8 ns for each.
            samples |= {f"{what}/{kind}": [80, 80, 900], f"{what}/{kind}.events": [10, 10, 10]}
    samples |= {"workers/1.fastest": [110, 300], "workers/1.events": [10, 10],
                "workers/2.fastest": [200, 60], "workers/2.events": [10, 10]}
    return samples | {"definitions": [4000], "definitions.events": [10],
                      "session/number.bytes": [160], "session/text.bytes": [270],
                      "lttng.number.bytes": [1800], "lttng.number.events": [100],
                      "lttng.text.bytes": [2900], "lttng.text.events": [100]}


def values_of(samples, with_lttng=True):
    return bounds.evaluate(fig.measurable(with_lttng), samples)


class Figures(FiguresCase, unittest.TestCase):
    figures = fig.FIGURES
    good = staticmethod(some_samples)
    values_of = staticmethod(values_of)
    worse = {"number": {"encode/number": [121]}, "text": {"encode/text": [121]},
             "mixture": {"encode/mixture": [121]},
             "workers": {"workers/2.fastest": [78]},
             "number_size": {"session/number.bytes": [162]},
             "number_size_part": {"lttng.number.bytes": [1680]},
             "text_size": {"session/text.bytes": [272]},
             "text_size_part": {"lttng.text.bytes": [2840]}}

    def test_a_figure_is_of_one_event_and_the_median_of_all_runs(self):
        values = values_of(some_samples())
        self.assertEqual((values["number"], values["number_size"]), (8, 16))
        self.assertEqual((values["definitions"], values["text_size_lttng"]), (400, 29))

    def test_what_two_processors_do_is_the_fastest_of_all_runs(self):
        values = values_of(some_samples())
        self.assertEqual((values["one_worker"], values["two_workers"]), (11, 6))
        alone = {f.key for f in fig.measurable(True, processors=1)}
        self.assertIn("one_worker", alone)
        self.assertFalse(alone & {"two_workers", "workers"})

    def test_without_lttng_the_rest_is_judged(self):
        ours = {key: value for key, value in some_samples().items() if "lttng" not in key}
        values = values_of(ours, with_lttng=False)
        self.assertEqual(bounds.broken(fig.measurable(False), values), [])
        self.assertIn("number_size", values)
        self.assertNotIn("number_size_part", values)


def guest_samples():
    return {"start": [1000000, 2000000, 9000000], "stop": [1000000], "program": [5000000],
            "stopped": [4000000], "start_lttng": [800000000], "stop_lttng": [20000000],
            "program_lttng": [40000000], "stopped_lttng": [40000000], "list": [3000000]}


class GuestFigures(FiguresCase, unittest.TestCase):
    figures = guest.FIGURES
    good = staticmethod(guest_samples)
    worse = {"start_part": {"start_lttng": [2000000]}, "stop_part": {"stop": [20000000]},
             "program_part": {"program": [40000001]}, "list": {"list": [50000001]}}

    def values_of(self, samples):
        return bounds.evaluate(guest.FIGURES, samples)

    def test_figures_are_medians_in_milliseconds(self):
        values = bounds.evaluate(guest.FIGURES, guest_samples())
        self.assertEqual((values["start"], values["stop_part"]), (2, 0.05))

    def test_without_lttng_the_rest_is_judged(self):
        ours = {key: value for key, value in guest_samples().items() if "lttng" not in key}
        values = bounds.evaluate(guest.measurable(False), ours)
        self.assertEqual(set(values), {"start", "stop", "program", "stopped", "list"})


def packet(content, size, magic=sizes.MAGIC):
    """One of LTTng, with sizes in bytes."""
    head = struct.pack("<I44xQQ", magic, content * 8, size * 8)
    return head + bytes(size - len(head))


class Sizes(unittest.TestCase):
    def test_the_content_of_packets_counts_and_no_padding(self):
        self.assertEqual(sizes.content(packet(100, 128) + packet(128, 128)), 228)
        self.assertEqual(sizes.content(b""), 0)

    def test_what_is_no_packet_is_refused(self):
        good = packet(100, 128)
        for stream in (good[:-1], good + good[:20], packet(100, 128, magic=1), good + bytes(64),
                       packet(129, 128)):
            with self.assertRaises(bounds.Unreadable):
                sizes.content(stream)


class CommandLine(unittest.TestCase):
    def test_misuse_is_one_line(self):
        for arguments, said in [(["--bound", "nubmer=1"], "'nubmer' is no figure with a bound"),
                                (["--bound", "shuffled=1"], "'shuffled' is no figure with a bound"),
                                (["--bound", "text=few"], "'few' is not a number"),
                                (["fast"], "unrecognized arguments: fast")]:
            self.refuse(TOP / "bench" / "ctl" / "run", arguments, said)
        for arguments, said in [(["--bound", "start=1"], "'start' is no figure with a bound"),
                                (["--kernel", "5.10"], "invalid choice: '5.10'")]:
            self.refuse(TOP / "bench" / "ctl" / "guest" / "run", arguments, said)

    def refuse(self, program, arguments, said):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()

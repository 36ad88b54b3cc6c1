#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unit tests of make bench-crash: from samples to verdicts. Measures nothing."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "bench" / "crash"), str(TOP / "qemu-tests")]

import figures as fig  # noqa: E402
from host import bounds  # noqa: E402

from figures_case import FiguresCase  # noqa: E402


class Figures(FiguresCase, unittest.TestCase):
    figures = fig.FIGURES
    worse = {"extract": {"extract": [5.1, 6.0]}}

    @staticmethod
    def good():
        return {"extract": [6.0, 5.0], "events": [1000000]}

    def values_of(self, samples):
        return bounds.evaluate(self.figures, samples)

    def test_an_event_takes_its_part_of_the_fastest(self):
        self.assertEqual(self.values_of(self.good())["extract_event"], 5000)


if __name__ == "__main__":
    unittest.main()

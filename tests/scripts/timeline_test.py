#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does ltt-timeline draw of which events?"""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools" / "ltt-timeline" / "ltt-timeline"
loader = importlib.machinery.SourceFileLoader("ltt_timeline", str(TOOL))
spec = importlib.util.spec_from_loader("ltt_timeline", loader)
tool = importlib.util.module_from_spec(spec)
sys.modules["ltt_timeline"] = tool
loader.exec_module(tool)


def picture(*events):
    """Of (time, thread, name, fields)."""
    result = tool.Picture()
    for time, thread, name, fields in events:
        result.take(time, thread, f"thread {thread}", name, fields)
    return result


class Timeline(unittest.TestCase):
    def test_spans_within_spans(self):
        row = picture((10, 1, "a:outer_begin", {"x": 1}), (20, 1, "a:inner_begin", {}),
                      (30, 1, "a:inner_end", {"duration": 9}),
                      (40, 1, "a:outer_end", {"duration": 29})).threads[1]
        self.assertEqual([(s.name, s.begin, s.end, s.depth, s.text) for s in row.spans],
                         [("a:outer", 10, 40, 0, "x = 1"), ("a:inner", 20, 30, 1, "")])
        self.assertEqual(row.rows(), 2)

    def test_spans_of_threads_do_not_mix(self):
        threads = picture((10, 1, "a:b_begin", {}), (11, 2, "a:b_begin", {}),
                          (20, 1, "a:b_end", {"duration": 10}),
                          (31, 2, "a:b_end", {"duration": 20})).threads
        self.assertEqual([threads[t].spans[0].end for t in (1, 2)], [20, 31])

    def test_a_span_that_does_not_end(self):
        p = picture((10, 1, "a:b_begin", {}), (50, 1, "a:tick", {"x": "y"}))
        self.assertIsNone(p.threads[1].spans[0].end)
        svg = tool.Drawing(p).draw()
        self.assertIn("stroke-dasharray", svg)
        self.assertIn("a:b: not ended", svg)

    def test_a_span_whose_begin_was_overwritten(self):
        p = picture((100, 1, "a:b_end", {"duration": 70}))
        self.assertEqual((p.begin, p.threads[1].spans[0].begin, p.threads[1].spans[0].end),
                         (30, 30, 100))

    def test_an_end_closes_what_was_left_open_within(self):
        row = picture((10, 1, "a:outer_begin", {}), (20, 1, "a:left_begin", {}),
                      (40, 1, "a:outer_end", {"duration": 29}),
                      (50, 1, "a:next_begin", {})).threads[1]
        self.assertEqual(row.spans[2].depth, 0)

    def test_counters_are_lines(self):
        p = picture((0, 1, "q:n", {"value": 3}), (10, 2, "q:n", {"value": -1.5}),
                    (20, 1, "q:text", {"value": "no number"}))
        self.assertEqual(p.counters, {"q:n": [(0, 3), (10, -1.5)]})
        self.assertEqual(len(p.threads[1].ticks), 1)
        self.assertIn("q:n: -1.5 to 3", tool.Drawing(p).draw())

    def test_any_text_is_good_xml(self):
        name = 'trace:<a> & "b"'
        p = picture((0, 1, name + "_begin", {"x": "<&>"}), (5, 1, name, {"x": "]]>"}),
                    (9, 1, name + "_end", {"duration": 9}), (9, 1, name + "!", {"value": 0}))
        p.threads[1].title = "<&>"
        titles = [e.text for e in xml.fromstring(tool.Drawing(p).draw()).iter()
                  if e.tag.endswith("title")]
        self.assertIn(f"{name}: 9 ns\nx = <&>", titles)

    def test_one_event_alone_is_drawn(self):
        xml.fromstring(tool.Drawing(picture((5, 1, "a:b", {}))).draw())

    def test_what_is_no_trace_is_told_in_one_line(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([TOOL, empty], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(empty, done.stderr)


if __name__ == "__main__":
    unittest.main()

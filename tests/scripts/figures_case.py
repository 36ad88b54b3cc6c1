# SPDX-License-Identifier: MIT
"""What is to be tried of the figures of any benchmark."""

from pathlib import Path

from host import bounds

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


class FiguresCase:
    """Beside unittest.TestCase. Who inherits it has

    figures         all of them
    good()          samples of all, which are within
    values_of(s)    the values of these samples
    worse           by the key of each bound, the samples that break it, and no other
    """

    def broken(self, **samples):
        return bounds.broken(self.figures, self.values_of(self.good() | samples))

    def test_good_samples_break_nothing(self):
        self.assertEqual(self.broken(), [])

    def test_each_bound_can_break(self):
        self.assertEqual(set(self.worse), {f.key for f in self.figures if f.bound})
        for key, samples in self.worse.items():
            self.assertEqual(self.broken(**samples), [key])

    def test_the_documentation_has_every_key(self):
        text = DOCUMENTATION.read_text()
        self.assertEqual([f.key for f in self.figures if f"`{f.key}`" not in text], [])

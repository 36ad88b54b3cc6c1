# SPDX-License-Identifier: MIT
"""Counts of instructions that a guest reports as lines "samples KEY N…", and how they
become figures. qemu-tests/bench/guest/counts.h is the other side.
"""

from statistics import mean, median

from .bounds import Bound, Figure, Unreadable

LINE = "samples "


def parse(lines, prefix=""):
    """key -> list of counts, of the lines "samples KEY N…" among others."""
    samples = {}
    for line in lines:
        if not line.startswith(LINE):
            continue
        key, *counts = line[len(LINE):].split()
        if not counts or not all(c.isdecimal() for c in counts):
            raise Unreadable(f"no counts: {line}")
        samples[prefix + key] = [int(c) for c in counts]
    return samples


def middle(key, per=1):
    return lambda samples: median(samples[key]) / per


def middle_half(counts):
    """The mean without the quarter above and the quarter below: timer ticks, and
    waits for one, fall into the upper."""
    quarter = len(counts) // 4
    return mean(sorted(counts)[quarter:len(counts) - quarter])


def loop_length(samples):
    # The difference: what surrounds the loop cancels out.
    return min(samples["loop.510000"]) - min(samples["loop.10000"])


CALIBRATION = Figure("calibration", "a loop of 1 000 000 instructions", "instructions",
                     loop_length, Bound("exactly", 1000000))


def deviation(first, second, of=middle_half):
    """(per cent, key): by how much the samples of two runs differ at most, each
    key's as a whole. (0, "") if they are the same to the instruction. of: what is
    compared of the counts of a key."""
    if first == second:
        return 0.0, ""
    if first.keys() != second.keys():
        raise Unreadable("two runs reported different figures")
    return max((100 * abs(of(second[key]) / of(first[key]) - 1), key) for key in first)


def agreement(samples, worst):
    """A line for people. worst: the key that deviation() told."""
    if worst:
        return f"the two runs differ most in '{worst}'"
    return f"the two runs gave the same {sum(map(len, samples.values()))} counts, to the instruction"

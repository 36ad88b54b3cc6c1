# SPDX-License-Identifier: MIT
"""The figures of the guest's part of make bench-ctl: how each comes from the samples, and
its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import median

from host.bounds import Figure, at_most, under

# Ends of the keys that need LTTng-UST.
COMPARED = ("_lttng", "_part")


def ms(key):
    return lambda samples: median(samples[key]) / 1e6


def part(key):
    return lambda samples: median(samples[key]) / median(samples[f"{key}_lttng"])


def beside(key, title):
    """Ours, LTTng-UST's, and how they compare."""
    return [Figure(key, title, "ms", ms(key)),
            Figure(f"{key}_lttng", "  LTTng-UST's", "ms", ms(f"{key}_lttng")),
            Figure(f"{key}_part", "  ours, in units of LTTng-UST's", "times", part(key), under(1))]


FIGURES = [
    *beside("start", "start, 100 programs of 10 threads"),
    *beside("stop", "stop, the same"),
    *beside("program", "a program with one event, from start to end"),
    Figure("stopped", "the same while the trace is stopped", "ms", ms("stopped")),
    Figure("stopped_lttng", "  LTTng-UST's", "ms", ms("stopped_lttng")),
    Figure("list", "list, 1000 programs of 10 threads", "ms", ms("list"), at_most(50)),
]


def measurable(with_lttng):
    return [f for f in FIGURES if with_lttng or not f.key.endswith(COMPARED)]

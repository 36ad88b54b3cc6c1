# SPDX-License-Identifier: MIT
"""The figures of make bench: how each comes from the samples, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import median

from host.bounds import Figure, at_most, under
from plot import Panel

# Ends of the keys that need LTTng-UST.
COMPARED = ("_lttng", "_more", "_part")


def middle(key):
    return lambda samples: median(samples[key])


def above(key, floor):
    return lambda samples: median(samples[key]) - median(samples[floor])


def part(key, of):
    return lambda samples: median(samples[key]) / median(samples[of])


def slower(samples):
    """By how many per cent the slower of two threads is slower than one alone."""
    two = max(median(samples[f"number_each/threads:2.thread{n}"]) for n in (0, 1))
    return 100 * (two / median(samples["number_each/threads:1.thread0"]) - 1)


FIGURES = [
    Figure("empty", "empty loop", "ns", middle("empty")),
    Figure("rdtsc", "loop around rdtsc", "ns", middle("rdtsc")),
    Figure("off", "marker off, above the empty loop", "ns", above("off", "empty"), at_most(1)),
    Figure("off_lttng", "  LTTng-UST's", "ns", above("off_lttng", "empty")),
    # Both are a test and a branch: what is left between them is noise.
    Figure("off_more", "  ours above LTTng-UST's", "ns", above("off", "off_lttng"), at_most(0.1)),
    Figure("number", "(int32, uint64), above rdtsc", "ns", above("number", "rdtsc"), at_most(6)),
    Figure("number_all", "  with the loop and the clock", "ns", middle("number")),
    Figure("number_lttng", "  LTTng-UST's, with both", "ns", middle("number_lttng")),
    Figure("number_part", "  ours, in units of LTTng-UST's", "times",
           part("number", "number_lttng"), at_most(0.25)),
    Figure("text", "(int32, 18 characters), above rdtsc", "ns", above("text", "rdtsc"),
           at_most(12)),
    Figure("text_all", "  with the loop and the clock", "ns", middle("text")),
    Figure("text_lttng", "  LTTng-UST's, with both", "ns", middle("text_lttng")),
    Figure("text_part", "  ours, in units of LTTng-UST's", "times", part("text", "text_lttng"),
           at_most(0.25)),
    Figure("threads", "2 threads: the slower, against one alone", "percent", slower, at_most(10)),
    Figure("p999", "(int32, uint64): 99.9 % take at most", "ns", middle("number_tail.p999")),
    Figure("p999_lttng", "  LTTng-UST's", "ns", middle("number_tail_lttng.p999")),
    Figure("p999_part", "  ours, in units of LTTng-UST's", "times",
           part("number_tail.p999", "number_tail_lttng.p999"), under(1)),
    Figure("p9999", "(int32, uint64): 99.99 % take at most", "ns", middle("number_tail.p9999")),
    Figure("p9999_lttng", "  LTTng-UST's", "ns", middle("number_tail_lttng.p9999")),
    Figure("site", "code at a marker, the largest", "bytes", lambda s: max(s["site"]),
           at_most(16)),
    Figure("compile", "a file with 100 events compiles in", "s", middle("compile"), at_most(2)),
    Figure("compile_lttng", "  LTTng-UST's", "s", middle("compile_lttng")),
]


def measurable(with_lttng):
    """Those that can be had, with LTTng-UST or without."""
    return [f for f in FIGURES if with_lttng or not f.key.endswith(COMPARED)]


def panels(figures, values):
    """What plot.draw() shows: pairs with their bounds."""
    limit = {f.key: f.bound.limit for f in figures if f.bound}

    def bars(ours, theirs):
        pairs = [("ours", ours), ("LTTng-UST", theirs)]
        return [(name, values[key]) for name, key in pairs if key in values]

    def pair(title, unit, ours, theirs, most=None):
        return Panel(title, unit, bars(ours, theirs), most)

    def event(title, key):
        most = [values["rdtsc"] + limit[key]]
        if f"{key}_part" in limit:
            most.append(limit[f"{key}_part"] * values[f"{key}_lttng"])
        return pair(title, "ns", f"{key}_all", f"{key}_lttng", min(most))

    return [
        pair("marker off, above the empty loop", "ns", "off", "off_lttng", limit["off"]),
        event("on: (int32, uint64), clock included", "number"),
        event("on: (int32, 18 characters), clock included", "text"),
        pair("on: 99.9 % take at most", "ns", "p999", "p999_lttng", values.get("p999_lttng")),
        pair("on: 99.99 % take at most", "ns", "p9999", "p9999_lttng"),
        pair("a file with 100 events compiles in", "s", "compile", "compile_lttng",
             limit["compile"]),
    ]

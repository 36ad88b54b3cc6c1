# SPDX-License-Identifier: MIT
"""The figures of make bench-guest: how each comes from the counts, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import median

from host.bounds import Bound, Figure, at_most
from host.counts import CALIBRATION, deviation, middle
from plot import Panel

# As the guest's programs call them, and as people know them.
TRACERS = {"lttng": "LTTng-UST", "trace_marker_raw": "trace_marker_raw",
           "user_events": "user_events", "uprobe": "USDT probe"}


def above(key):
    """One event by itself, without the loop around it: no end of a sub-buffer."""
    return lambda samples: median(samples[key]) - median(samples["empty"])


def average(key):
    """The same on average of many, whatever comes between: ends of sub-buffers, ticks."""
    def value(samples):
        more = median(samples[f"{key}.row"]) - median(samples["empty.row"])
        return more / samples["row_length"][0]
    return value


def part(key, of):
    return lambda samples: above(key)(samples) / above(of)(samples)


def event(key, title, bound=None):
    """Both figures of an event."""
    return [Figure(key, title, "instructions", above(key), bound),
            Figure(f"{key}_mean", "  on average", "instructions", average(key))]


OURS = [
    CALIBRATION,
    Figure("empty", "a round of an empty loop", "instructions", middle("empty")),
    Figure("off", "marker off", "instructions", above("off")),
    *event("number", "on, (int32, uint64)", at_most(60)),
    *event("text", "on, (int32, 18 characters)"),
]
OTHERS = {
    "lttng": [
        Figure("off_lttng", "LTTng-UST, off", "instructions", above("off_lttng")),
        *event("number_lttng", "LTTng-UST, (int32, uint64)"),
        *event("text_lttng", "LTTng-UST, (int32, 18 characters)"),
        Figure("number_part", "ours, in units of LTTng-UST's: (int32, uint64)", "times",
               part("number", "number_lttng"), at_most(0.25)),
        Figure("text_part", "ours, in units of LTTng-UST's: (int32, 18 characters)", "times",
               part("text", "text_lttng")),
    ],
    "trace_marker_raw": event("trace_marker_raw", "trace_marker_raw"),
    "user_events": [*event("user_events_write", "user_events, write"),
                    *event("user_events_writev", "user_events, writev")],
    "uprobe": event("uprobe", "USDT probe, by a uprobe"),
}
REPEATS = [
    # The C library's clock, and so LTTng-UST, takes six more in the first tick of a second.
    Figure("repeat", "two runs differ by", "percent", lambda s: s["repeat"][0],
           Bound("within", 1)),
    # Timer ticks and daemons fall elsewhere in each run.
    Figure("repeat_mean", "  on average", "percent", lambda s: s["repeat_mean"][0],
           Bound("within", 1)),
]
FIGURES = [*OURS, *(f for figures in OTHERS.values() for f in figures), *REPEATS]


def measurable(missing):
    """Those that can be had without some of the tracers."""
    gone = [f for tracer in missing for f in OTHERS[tracer]]
    return [f for f in FIGURES if f not in gone]


def compare(first, second):
    """The samples of "repeat" and "repeat_mean": by how much two runs differ."""
    def some(samples, rows):
        return {key: counts for key, counts in samples.items() if key.endswith(".row") == rows}
    return {name: [deviation(some(first, rows), some(second, rows), median)[0]]
            for name, rows in (("repeat", False), ("repeat_mean", True))}


def panels(figures, values):
    """What plot.draw() shows: ours, and the others below."""
    limit = {f.key: f.bound.limit for f in figures if f.bound}

    def bars(pairs):
        return [(name, values[key]) for name, key in pairs if key in values]

    def pair(title, key, bound=None):
        return Panel(title, "instructions", bars([("ours", key), ("LTTng-UST", f"{key}_lttng")]),
                     bound)

    def all_of(title, suffix, bound=None):
        others = [("LTTng-UST", "number_lttng"), ("trace_marker_raw", "trace_marker_raw"),
                  ("user_events, write", "user_events_write"),
                  ("user_events, writev", "user_events_writev"), ("USDT probe", "uprobe")]
        return Panel(title, "instructions",
                     bars((name, key + suffix) for name, key in [("ours", "number"), *others]),
                     bound)

    most = [limit["number"]]
    if "number_part" in limit:
        most.append(limit["number_part"] * values["number_lttng"])
    return [
        pair("marker off", "off"),
        all_of("on: (int32, uint64)", "", min(most)),
        all_of("on: (int32, uint64), on average of many, ends of sub-buffers included", "_mean"),
        pair("on: (int32, 18 characters)", "text"),
    ]

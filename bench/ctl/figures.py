# SPDX-License-Identifier: MIT
"""The figures of make bench-ctl: how each comes from the samples, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import median

from host.bounds import Figure, at_most

# Ends of the keys that need LTTng-UST.
COMPARED = ("_lttng", "_part")
# And those that need a second processor.
PARALLEL = ("two_workers", "workers")


def each(key):
    """Nanoseconds for each of the events of a round."""
    return lambda samples: median(samples[key]) / median(samples[f"{key}.events"])


def size(key):
    """Bytes on disk for each event, its share of the packet's header included."""
    return lambda samples: median(samples[f"{key}.bytes"]) / median(samples[f"{key}.events"])


def part(of, to):
    return lambda samples: size(of)(samples) / size(to)(samples)


def fastest(key):
    """The same, in real time, of the round that nobody else disturbed."""
    return lambda samples: min(samples[f"{key}.fastest"]) / median(samples[f"{key}.events"])


def times(of, to):
    return lambda samples: fastest(of)(samples) / fastest(to)(samples)


FIGURES = [
    Figure("number", "check and encode (int32, uint64)", "ns", each("encode/number"), at_most(12)),
    Figure("number_check", "  of that, the checks", "ns", each("check/number")),
    Figure("text", "check and encode (int32, 18 characters)", "ns", each("encode/text"),
           at_most(12)),
    Figure("text_check", "  of that, the checks", "ns", each("check/text")),
    Figure("mixture", "check and encode 10 types in turn", "ns", each("encode/mixture"),
           at_most(12)),
    Figure("mixture_check", "  of that, the checks", "ns", each("check/mixture")),
    Figure("shuffled", "check and encode them in no order, of any length", "ns",
           each("encode/shuffled")),
    Figure("shuffled_check", "  of that, the checks", "ns", each("check/shuffled")),
    Figure("number_session", "all, with files in memory: (int32, uint64)", "ns",
           each("session/number")),
    Figure("text_session", "  (int32, 18 characters)", "ns", each("session/text")),
    Figure("mixture_session", "  10 types in turn", "ns", each("session/mixture")),
    Figure("one_worker", "  (int32, uint64) of two programs, by one thread", "ns",
           fastest("workers/1")),
    Figure("two_workers", "  by two threads", "ns", fastest("workers/2")),
    Figure("workers", "  by two, in units of one", "times",
           times("workers/2", "workers/1"), at_most(0.7)),
    Figure("definitions", "a definition with 3 fields", "ns", each("definitions")),
    # The promise is 16 and 27; what is above is the packet's header.
    Figure("number_size", "on disk, (int32, uint64)", "bytes/event", size("session/number"),
           at_most(16.1)),
    Figure("number_size_lttng", "  LTTng-UST's", "bytes/event", size("lttng.number")),
    Figure("number_size_part", "  ours, in units of LTTng-UST's", "times",
           part("session/number", "lttng.number"), at_most(0.95)),
    Figure("text_size", "on disk, (int32, 18 characters)", "bytes/event", size("session/text"),
           at_most(27.1)),
    Figure("text_size_lttng", "  LTTng-UST's", "bytes/event", size("lttng.text")),
    Figure("text_size_part", "  ours, in units of LTTng-UST's", "times",
           part("session/text", "lttng.text"), at_most(0.95)),
]


def measurable(with_lttng, processors=2):
    return [f for f in FIGURES if (with_lttng or not f.key.endswith(COMPARED))
            and (processors > 1 or f.key not in PARALLEL)]

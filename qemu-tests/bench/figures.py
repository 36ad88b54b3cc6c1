# SPDX-License-Identifier: MIT
"""The figures of make bench-kernel: how each comes from the samples, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import median, quantiles

from host.bounds import Bound, Figure, under
from host.counts import CALIBRATION, middle, middle_half

OFF = "off."            # before the key of a sample from the kernel without CONFIG_LTT


def average(key):
    """For what varies from call to call by what the kernel's caches hold."""
    return lambda samples: middle_half(samples[key])


def lower_quartile(key):
    """For a comparison of two kernels, whose caches never hold the same: the most
    frequent path, which that hardly touches."""
    return lambda samples: quantiles(samples[key], n=4)[0]


def more(value, than):
    """By how many per cent a value is above another."""
    return lambda samples: 100 * (value(samples) / than(samples) - 1)


def growth(key):
    """Instructions for each thread above 500, in units of those below: 1 is linear."""
    def value(samples):
        at = {n: median(samples[f"{key}.{n}"]) for n in (250, 500, 1000)}
        return ((at[1000] - at[500]) / 500) / ((at[500] - at[250]) / 250)
    return value


def event(work, tracer, each):
    """What one event costs: work with the tracer, above the same without."""
    return lambda samples: (median(samples[f"{work}.{tracer}"]) - median(samples[work])) / each


def event_figures(key, what, work, each):
    """One of our events, one of the kernel's own tracer, and the first against the second."""
    ours, ftrace = event(work, "ours", each), event(work, "ftrace", each)
    return [
        Figure(key, f"{what} in a trace", "instructions", ours, under(150)),
        Figure(f"{key}_ftrace", "the same with ftrace", "instructions", ftrace),
        Figure(f"{key}_share", "one of ours, against ftrace", "times",
               lambda samples: ours(samples) / ftrace(samples), under(1 / 3)),
    ]


SWITCHES = 100          # of a sample, as in guest/events.cpp
CALL_EVENTS = 200       # the same: entries and exits


FIGURES = [
    CALIBRATION,
    Figure("empty_call", "an empty system call (getppid)", "instructions", middle("empty_call")),
    Figure("getpid_loop", "getpid in a loop, each", "instructions", middle("getpid_loop", 1000)),
    Figure("update", "ltt_update of a known buffer, above an empty call", "instructions",
           lambda s: median(s["update"]) - median(s["empty_call"]), under(100)),
    Figure("switch", "ltt_switch", "instructions", middle("switch"), under(600)),
    Figure("buffer_fresh", "new 16 KiB buffer, fresh", "instructions",
           middle("buffer_fresh"), under(30000)),
    Figure("buffer_pool", "new 16 KiB buffer, after a thread that ended", "instructions",
           middle("buffer_pool"), under(15000)),
    Figure("start_1000", "start of a trace, 1000 threads", "instructions",
           middle("start.1000"), under(1000000)),
    Figure("stop_1000", "stop of a trace, 1000 threads", "instructions",
           middle("stop.1000"), under(1000000)),
    Figure("start_growth", "start: a thread above 500, against one below", "times",
           growth("start"), under(1.1)),
    Figure("stop_growth", "stop: a thread above 500, against one below", "times",
           growth("stop"), under(1.1)),
    *event_figures("event_switch", "sched_switch", "switches", SWITCHES),
    *event_figures("event_call", "entry or exit of a system call", "calls", CALL_EVENTS),
    Figure("switches_after", "switches after all traces are gone, against before", "percent",
           more(middle("switches.after"), middle("switches")), Bound("within", 0.5)),
    Figure("calls_after", "the same, system calls", "percent",
           more(middle("calls.after"), middle("calls")), Bound("within", 0.5)),
    Figure("fork", "fork+exit+wait, unregistered", "instructions", average("fork_unregistered")),
    Figure("fork_registered", "the same, registered", "percent",
           more(average("fork_registered"), average("fork_unregistered")), under(10)),
    Figure("fork_traced", "the same, with a buffer of a started trace", "percent",
           more(average("fork_traced"), average("fork_unregistered")), under(10)),
    Figure("exec_off", "fork+exec+exit of an untraced program, CONFIG_LTT off", "instructions",
           lower_quartile(OFF + "exec")),
    Figure("exec", "fork+exec+exit of an untraced program, CONFIG_LTT on, against off", "percent",
           more(lower_quartile("exec"), lower_quartile(OFF + "exec")), Bound("within", 0.2)),
    # What the host may do to a guest that is not quite deterministic.
    Figure("repeat", "two runs differ by", "percent", lambda s: s["repeat"][0],
           Bound("within", 0.1)),
]

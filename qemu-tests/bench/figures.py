# SPDX-License-Identifier: MIT
"""The figures of make bench-kernel: how each comes from the samples, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from statistics import mean, median, quantiles

from host.bounds import Bound, Figure, Unreadable, under

OFF = "off."            # before the key of a sample from the kernel without CONFIG_LTT
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


def loop_length(samples):
    # The difference: what surrounds the loop cancels out.
    return min(samples["loop.510000"]) - min(samples["loop.10000"])


def growth(key):
    """Instructions for each thread above 500, in units of those below: 1 is linear."""
    def value(samples):
        at = {n: median(samples[f"{key}.{n}"]) for n in (250, 500, 1000)}
        return ((at[1000] - at[500]) / 500) / ((at[500] - at[250]) / 250)
    return value


FIGURES = [
    Figure("calibration", "a loop of 1 000 000 instructions", "instructions",
           loop_length, Bound("exactly", 1000000)),
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


def deviation(first, second):
    """(per cent, key): by how much the samples of two runs differ at most, each
    key's as a whole. (0, "") if they are the same to the instruction."""
    if first == second:
        return 0.0, ""
    if first.keys() != second.keys():
        raise Unreadable("two runs reported different figures")
    return max((100 * abs(middle_half(second[key]) / middle_half(first[key]) - 1), key)
               for key in first)

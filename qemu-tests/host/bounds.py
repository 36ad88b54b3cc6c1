# SPDX-License-Identifier: MIT
"""Figures of a benchmark held against their bounds: the verdicts, for people as a
table and for scripts as JSON.
"""

import argparse
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Optional

from . import paths


class Unreadable(Exception):
    """Output of what was measured that is not what it should be."""


@dataclass(frozen=True)
class Bound:
    kind: str           # "under", "at most", "within" (of 0, either way) or "exactly"
    limit: float

    def holds(self, value):
        if self.kind == "exactly":
            return value == self.limit
        if self.kind == "within":
            return abs(value) <= self.limit
        if self.kind == "at most":
            return value <= self.limit
        return value < self.limit


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    unit: str           # one of FORMATS
    value: Callable     # of the samples: key -> list
    bound: Optional[Bound] = None


FORMATS = {"instructions": "{:,.0f}", "bytes": "{:,.0f} bytes",
           "bytes/event": "{:.2f} bytes", "percent": "{:.2f} %",
           "times": "{:.2f}", "ns": "{:.2f} ns", "ms": "{:.2f} ms", "s": "{:.2f} s"}


def under(limit):
    return Bound("under", limit)


def at_most(limit):
    return Bound("at most", limit)


def with_bounds(figures, limits):
    """The figures, with other limits for some: key -> number."""
    return [replace(f, bound=Bound(f.bound.kind, limits[f.key])) if f.key in limits else f
            for f in figures]


def evaluate(figures, samples):
    """key -> value; a sample that did not come is told by its key."""
    values = {}
    for figure in figures:
        try:
            values[figure.key] = figure.value(samples)
        except KeyError as e:
            raise Unreadable(f"{figure.key}: there is no sample {e.args[0]}") from e
        except ZeroDivisionError as e:
            raise Unreadable(f"{figure.key}: the samples give no number") from e
        if not math.isfinite(values[figure.key]):
            raise Unreadable(f"{figure.key}: the samples give no number")
    return values


def broken(figures, values):
    """The keys of those that are outside their bounds."""
    return [f.key for f in figures if f.bound and not f.bound.holds(values[f.key])]


def options(parser, figures, out):
    """--bound and --out. out: where the figures go by default, in the checkout."""
    def bound(text):
        key, _, value = text.partition("=")
        if key not in {f.key for f in figures if f.bound}:
            raise argparse.ArgumentTypeError(f"'{key}' is no figure with a bound")
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if not math.isfinite(limit):
            raise argparse.ArgumentTypeError(f"'{text}': '{value}' is not a number")
        return key, limit

    parser.add_argument("--bound", action="append", default=[], type=bound,
                        metavar="KEY=N", help="another bound for a figure")
    parser.add_argument("--out", type=Path, metavar="FILE", default=paths.TOP / out,
                        help=f"where the figures go (default {out})")


def number(value, unit):
    # Not "-0.00" for what is nothing.
    return FORMATS[unit].format(round(value, 2) + 0.0).replace(",", " ")


def table(figures, values):
    """Lines for people, with a heading."""
    rows = [("figure", "measured", "bound", "verdict")]
    for f in figures:
        value, limit = values[f.key], f.bound
        rows.append((f"{f.title} ({f.key})", number(value, f.unit),
                     f"{limit.kind} {number(limit.limit, f.unit)}" if limit else "",
                     ("ok" if limit.holds(value) else "BROKEN") if limit else ""))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [f"{title:<{widths[0]}} {measured:>{widths[1]}}  {bound:<{widths[2]}} {verdict}".rstrip()
            for title, measured, bound, verdict in rows]


def verdict(figures, values):
    """One line: how many bounds are broken, and which."""
    keys = broken(figures, values)
    return (f"{len(keys)} of {sum(bool(f.bound) for f in figures)} bounds are broken"
            f"{': ' if keys else ''}{', '.join(keys)}")


def write_json(path, about, figures, values):
    """about: what stands beside the figures."""
    content = {}
    for f in figures:
        content[f.key] = {"value": round(values[f.key], 4), "unit": f.unit}
        if f.bound:
            content[f.key].update(bound=f.bound.limit, kind=f.bound.kind,
                                  ok=f.bound.holds(values[f.key]))
    write(path, json.dumps({**about, "figures": content}, indent=2) + "\n")


def write(path, text):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as e:
        raise paths.Problem(f"--out {e.filename}: {e.strerror}") from e

# SPDX-License-Identifier: MIT
"""A plot of groups of bars as SVG, each group on a scale of its own."""

from dataclasses import dataclass
from typing import Optional
from xml.sax.saxutils import escape

from host.bounds import number

WIDTH, MARGIN, LABEL, VALUE = 760, 24, 90, 90
LETTER = 7                      # at most, on average, of a name
BAR, GAP, TITLE = 16, 4, 24     # heights of a bar, between two, of what is above them
HEAD = 22                       # of a line at the top
OURS, OTHERS = "#1f6fb4", "#b5b5b5"
BOUND = "#c0392b"


@dataclass(frozen=True)
class Panel:
    title: str
    unit: str                   # one of host.bounds.FORMATS
    bars: list                  # of (name, value), ours first
    bound: Optional[float] = None

    def height(self):
        return TITLE + len(self.bars) * (BAR + GAP) + 2 * GAP


def text(x, y, content, **attributes):
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(content)}</text>'


def draw_panel(panel, top, label):
    left, room = MARGIN + label, WIDTH - 2 * MARGIN - label - VALUE
    # Something that costs nothing may come out a little below it.
    values = [max(value, 0) for _, value in panel.bars]
    longest = max([*values, panel.bound or 0]) or 1
    y = top + TITLE
    parts = [text(left, y - 8, panel.title, font_weight="bold")]
    line = None if panel.bound is None else left + room * panel.bound / longest
    beside, colour = line, OURS     # the first alone
    for (name, _), value in zip(panel.bars, values):
        end = left + max(room * value / longest, 1)
        parts += [text(left - 8, y + BAR - 4, name, text_anchor="end"),
                  f'<rect x="{left}" y="{y}" width="{end - left:.1f}" height="{BAR}" '
                  f'fill="{colour}"/>']
        # The line must not go through the number.
        if beside is not None and end <= beside < end + VALUE:
            end = beside
        parts.append(text(end + 8, y + BAR - 4, number(value, panel.unit)))
        beside, colour = None, OTHERS
        y += BAR + GAP
    if line is not None:
        parts.append(f'<line x1="{line:.1f}" y1="{top + TITLE - 3}" x2="{line:.1f}" '
                     f'y2="{top + TITLE + BAR + 3}" stroke="{BOUND}" stroke-width="2">'
                     f"<title>bound: {number(panel.bound, panel.unit)}</title></line>")
    return parts


def draw(head, panels):
    """The text of the SVG. head: lines at the top, the first one large."""
    parts, top = [], MARGIN
    for number, line in enumerate(head):
        parts.append(text(MARGIN, top + 12, line, font_size=18 if number == 0 else 12))
        top += HEAD
    label = max([LABEL, *(LETTER * len(name) for panel in panels for name, _ in panel.bars)])
    for panel in panels:
        parts += draw_panel(panel, top, label)
        top += panel.height()
    parts.append(text(MARGIN, top + 16, "A red line is the bound of our bar.", fill=BOUND))
    height = top + 16 + MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *parts, "</svg>", ""])

# SPDX-License-Identifier: MIT
"""The kernel's console: follows the file, finds what must not be in it."""

import re

# What the kernel prints when it finds a fault in itself. A test that wants to
# see one of these on purpose does not exist yet.
FAULTS = re.compile(
    r"\bBUG:|\bWARNING: |\bINFO: (?:task|rcu|possible|inconsistent|trying|suspicious|lockdep)"
    r"|\bOops\b|Kernel panic|\bGPF\b|general protection fault"
    r"|rcu: INFO|\brcu_\w+ (?:self-)?detected|self-detected stall|detected stalls"
    r"|soft lockup|hard LOCKUP|possible circular locking|possible recursive locking"
    r"|held lock freed|lock held when returning|bad unlock balance|possible irq lock"
    r"|sleeping function called from invalid context|scheduling while atomic"
    r"|KASAN:|KCSAN:|UBSAN:|KFENCE:|kmemleak: \d+ new|refcount_t:|list_(?:add|del) corruption"
    r"|Bad page (?:state|map)|bad page|Bad rss-counter|unable to handle"
    r"|nobody cared|Out of memory and no killable|Non-zero on exit")


# KCSAN names the functions that race. Most of the kernel's own races are meant and
# not marked; all functions of ours have this in their names.
RACE = re.compile(r"\bBUG: KCSAN: data-race in ")
OUR_FUNCTION = "ltt_"


def clean(text):
    return text.replace("\r", "")


def faults(text):
    """The lines of a console text that tell of a fault."""
    return [line for line in clean(text).splitlines() if FAULTS.search(line) and
            not (RACE.search(line) and OUR_FUNCTION not in line)]


def panic_reason(text):
    """The kernel's words if it has panicked, else None."""
    match = re.search(r"Kernel panic - not syncing: (.*)", clean(text))
    return match.group(1).strip() if match else None


class Follower:
    """Reads a growing file, text of whole lines only."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        self.rest = b""

    def lines(self, final=False):
        try:
            with open(self.path, "rb") as f:
                f.seek(self.offset)
                new = f.read()
        except FileNotFoundError:
            new = b""
        self.offset += len(new)
        whole, newline, rest = (self.rest + new).rpartition(b"\n")
        self.rest = rest
        text = whole + newline
        if final and rest:
            text += rest
            self.rest = b""
        return clean(text.decode(errors="replace")).splitlines()

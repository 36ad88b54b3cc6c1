# SPDX-License-Identifier: MIT
"""How large the crowds are, and what is done to them."""

CROWD = (100, 10)       # programs, threads of each
LARGE_CROWD = (1000, 10)
CHANGES = 10            # stops and starts
PROGRAMS = 20           # that write one event each, one after the other
LISTS = 10


def events():
    """That a crowd and what is done to it leave in a trace: one of each thread when it is
    born, and one after each start."""
    programs, threads = CROWD
    return programs * threads * (1 + CHANGES) + PROGRAMS

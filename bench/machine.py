# SPDX-License-Identifier: MIT
"""The machine that a benchmark ran on, for those who compare figures."""

import os
from pathlib import Path


def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(": ")[2]
    return os.uname().machine


def name():
    return f"{processor()}, {os.cpu_count()} processors"


def load():
    """Programs that ran or wanted to, on average of the last minute."""
    return round(os.getloadavg()[0], 2)

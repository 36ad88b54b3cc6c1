# SPDX-License-Identifier: MIT
"""What the parts of benchmarks that run in the guest have in common. boot.py is the host's
side."""

import subprocess
import sys
import time
from pathlib import Path

from host.bounds import Unreadable

CLOCK = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
SECONDS = 30            # of the guest's clock


def wait_for_clock():
    """With another clock LTTng-UST makes a system call for each event, and ours too."""
    limit = time.monotonic() + SECONDS
    while CLOCK.read_text().strip() != "tsc":
        if time.monotonic() > limit:
            raise Unreadable(f"the guest's clock is {CLOCK.read_text().strip()}, not tsc")
        time.sleep(0.1)


def must(*command):
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    if status:
        raise Unreadable(f"{' '.join(map(str, command))} ended with {status}")


def call(main):
    """main(programs, out, *options) of the command line."""
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
    except Unreadable as e:
        print("inside.py:", *e.args, sep="\n  ", file=sys.stderr)
        sys.exit(1)

# SPDX-License-Identifier: MIT
"""Command lines: misuse is told in one line, with exit status 2."""

import argparse
import math
import re
import sys

from . import paths

MISUSE = 2
CPUS_AT_MOST = 255      # QEMU's own limit for this machine


class Misuse(paths.Problem):
    """A command line that cannot be meant."""


class Parser(argparse.ArgumentParser):
    def __init__(self, **more):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter,
                         allow_abbrev=False, **more)

    def error(self, message):
        # Without the usage, which would bury the reason.
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(MISUSE)


def kernel(parser):
    """--kernel, the same for all."""
    parser.add_argument("--kernel", default=paths.KERNEL_DEFAULT, metavar="VERSION",
                        choices=paths.kernels(),
                        help=f"kernel series (default {paths.KERNEL_DEFAULT})")


def accel(parser):
    parser.add_argument("--accel", choices=["kvm", "tcg"],
                        help="default: KVM if a trial boot succeeds, else TCG")


def text(value):
    if not value:
        raise argparse.ArgumentTypeError("the value is empty")
    return value


def variable(value):
    if not value.partition("=")[0]:
        raise argparse.ArgumentTypeError(f"'{value}' names no variable")
    return value


def cpus(value):
    if not value.isdecimal() or not 1 <= int(value) <= CPUS_AT_MOST:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number from 1 to {CPUS_AT_MOST}")
    return int(value)


def memory(value):
    if not re.fullmatch(r"[1-9][0-9]*[MG]", value, re.IGNORECASE | re.ASCII):
        raise argparse.ArgumentTypeError(f"'{value}' is not a size such as 512M or 2G")
    return value


def above_0(value):
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number above 0")
    return number

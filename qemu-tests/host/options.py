# SPDX-License-Identifier: MIT
"""Command lines: misuse is told in one line, with exit status 2."""

import argparse
import math
import re
import sys

from . import kernels, paths

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
    """--kernel and --config, the same for all."""
    parser.add_argument("--kernel", default=kernels.VERSION_DEFAULT, metavar="VERSION",
                        choices=kernels.versions(),
                        help=f"{' or '.join(kernels.versions())} "
                             f"(default {kernels.VERSION_DEFAULT})")
    parser.add_argument("--config", default=kernels.CONFIG_DEFAULT, metavar="NAMES", type=config,
                        help="fragments of kernel-patches/config, such as base,debug "
                             f"(default {kernels.CONFIG_DEFAULT})")


def chosen_kernel(options):
    return kernels.Kernel(options.kernel, options.config)


def accel(parser, *more):
    """more: what is offered beside KVM and TCG."""
    text = "default: KVM if a trial boot succeeds, else TCG"
    if "icount" in more:
        text += "; icount is a TCG whose clock counts instructions"
    parser.add_argument("--accel", choices=["kvm", "tcg", *more], help=text)


def text(value):
    if not value:
        raise argparse.ArgumentTypeError("the value is empty")
    return value


def config(value):
    for name in value.split(","):
        if name not in kernels.fragments():
            raise argparse.ArgumentTypeError(
                f"no fragment '{name}' (choose from {', '.join(kernels.fragments())})")
    return value


def variable(value):
    if not value.partition("=")[0]:
        raise argparse.ArgumentTypeError(f"'{value}' names no variable")
    return value


def cpus(value):
    if not value.isdecimal() or not 1 <= int(value) <= CPUS_AT_MOST:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number from 1 to {CPUS_AT_MOST}")
    return int(value)


def count(value):
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number from 1 on")
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

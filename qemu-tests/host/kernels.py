# SPDX-License-Identifier: MIT
"""The kernels that guests boot: a version of the series, and its configuration."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import paths
from .paths import Problem

VERSION_DEFAULT = "6.12"
CONFIG_DEFAULT = "base"

# Slow fragments: every time limit is multiplied by this.
PATIENCE = {"debug": 10, "kcsan": 10}

# For the kernel's command line in tests. On a busy host a slow kernel may stand still
# for half a minute, and is not hung. KCSAN reports races of the whole kernel: those that
# are not ours must not end the guest (console.py tells them apart).
SLOW = "rcupdate.rcu_cpu_stall_timeout=120"
APPEND = {"debug": SLOW, "kcsan": f"{SLOW} panic_on_warn=0"}


def versions():
    """Those that the kernel series is for."""
    return sorted((p.name for p in paths.KERNEL_PATCHES.iterdir()
                   if re.fullmatch(r"\d+\.\d+", p.name)),
                  key=lambda name: [int(n) for n in name.split(".")])


def fragments():
    """Names for a configuration, without the parts that one version alone has."""
    names = (p.stem for p in (paths.KERNEL_PATCHES / "config").glob("*.config"))
    return sorted(n for n in names if not re.search(r"-\d+\.\d+$", n))


def source(version):
    """(directory, identity) of a kernel's unchanged source."""
    done = subprocess.run([paths.TOP / "scripts" / "kernel-source", "--kernel", version, "--id"],
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Problem(f"no source of kernel {version}, see above")
    return done.stdout.split()


def build(version, *options):
    """Path of a kernel's image; built first if it is missing. options: more for
    scripts/kernel-build."""
    command = [str(paths.TOP / "scripts" / "kernel-build"), "--kernel", version,
               *options, "--print-image"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Problem(f"no kernel {' '.join([version, *options])} to boot: "
                      "scripts/kernel-build failed, see above")
    return Path(done.stdout.strip())


def image_override():
    """LTT_KERNEL_IMAGE names another image, for work on the kernel itself."""
    override = os.environ.get("LTT_KERNEL_IMAGE")
    if not override:
        return None
    try:
        open(override, "rb").close()
    except OSError as e:
        raise Problem(f"LTT_KERNEL_IMAGE={override}: {e.strerror}") from e
    return Path(override)


@dataclass(frozen=True)
class Kernel:
    version: str
    config: str                 # names of fragments, separated by commas

    @property
    def name(self):
        """For people; says so when it is not the one that was asked for."""
        override = image_override()
        return str(override) if override else f"{self.version} ({self.config})"

    @property
    def patience(self):
        return max(PATIENCE.get(name, 1) for name in self.config.split(","))

    @property
    def append(self):
        return " ".join(APPEND[name] for name in self.config.split(",") if name in APPEND)

    @property
    def options(self):
        """That choose this kernel on another command line of ours."""
        return ["--kernel", self.version, "--config", self.config]

    def image(self):
        return image_override() or build(self.version, "--config", self.config)

# SPDX-License-Identifier: MIT
"""Where things lie, and how they get built."""

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("LTT_BUILD") or TOP / "build" / "gcc")
GUEST = BUILD / "qemu-tests"
LTT_CTL = BUILD / "tools" / "ltt-ctl" / "ltt-ctl"
KERNEL_PATCHES = TOP / "kernel-patches"


class Problem(Exception):
    """Something the user can act on; printed as one line, without a trace."""


def cache_dir():
    """A directory outside the checkout; its content may be lost at any time."""
    path = os.environ.get("LTT_CACHE")
    if not path:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        path = Path(base) / "ltt"
    path = Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Problem(f"cache directory {path}: {e.strerror}; "
                      "set LTT_CACHE to one that can be written") from e
    return path


def verbose():
    return os.environ.get("V", "") not in ("", "0")


def run_quietly(command, what):
    """Run a build step; its output is shown only when it fails (or V=1)."""
    if verbose():
        done = subprocess.run(command, cwd=TOP, stdout=sys.stderr)
    else:
        done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    if done.returncode != 0:
        if done.stdout:
            sys.stderr.write(done.stdout.decode(errors="replace"))
        raise Problem(f"{what} failed: {' '.join(map(str, command))}")


def stripped(binary):
    """A copy without symbols, which the guest gets."""
    small = GUEST / (binary.name + ".guest")
    if not small.exists() or small.stat().st_mtime < binary.stat().st_mtime:
        run_quietly(["strip", "-o", str(small), str(binary)], "stripping")
    return small


def build_target(*targets):
    """Bring CMake targets up to date; configures on first use."""
    try:
        BUILD.mkdir(parents=True, exist_ok=True)
        lock = open(BUILD / ".guest-build.lock", "w", encoding="ascii")
    except OSError as e:
        raise Problem(f"build folder {BUILD}: {e.strerror}; "
                      "LTT_BUILD=DIR names one that can be written") from e
    with lock:
        # Two of these at a time would write the same files.
        fcntl.flock(lock, fcntl.LOCK_EX)
        build_locked(targets)


def build_locked(targets):
    if not (BUILD / "CMakeCache.txt").exists():
        run_quietly(["cmake", "--preset", "gcc", "-B", str(BUILD)], "configuring the build")
    run_quietly(["cmake", "--build", str(BUILD), "--target", *targets],
                "building the programs")


def work_dir(name):
    """A fresh directory for one boot. Short, because it holds sockets."""
    return Path(tempfile.mkdtemp(prefix=f"ltt-{name}-"))

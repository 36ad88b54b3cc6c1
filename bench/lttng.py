# SPDX-License-Identifier: MIT
"""A session of LTTng-UST that records into memory, with daemons of its own.

Everything lies below one temporary folder: sockets, and what a snapshot would write.
Root's daemons have fixed places that another session may use, so for root all of it
runs as the user nobody.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from host.bounds import Unreadable

SESSION = "bench"
# A flight recorder with the sub-buffers that markers.cpp takes: no disk is written to.
CHANNEL = ["--overwrite", "--subbuf-size=64K", "--num-subbuf=4"]
TOOLS = ("lttng", "lttng-sessiond")
SECONDS = 60            # for a daemon, or an answer of it, on a busy machine


def missing():
    """Why there can be no session; empty if there can."""
    for tool in TOOLS:
        if not shutil.which(tool):
            return f"{tool} is not installed"
    return ""


def version():
    done = subprocess.run(["lttng", "--version"], stdout=subprocess.PIPE, text=True)
    return done.stdout.partition(" - ")[0].split()[-1] if done.stdout.strip() else "unknown"


class Session:
    """with Session() as session: session.start([program, …]). A program that reads or
    writes files does so in session.home."""

    def __enter__(self):
        self.home = Path(tempfile.mkdtemp(prefix="ltt-bench-"))
        self.user = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.home, nobody.pw_uid, nobody.pw_gid)
            self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.environment = {**os.environ, "HOME": str(self.home), "LTTNG_HOME": str(self.home),
                            # Milliseconds that a program may wait for its orders.
                            "LTTNG_UST_REGISTER_TIMEOUT": str(1000 * SECONDS)}
        self.log = open(self.home / "log", "w+", encoding="utf-8")
        self.daemon = self.start(["lttng-sessiond", "--no-kernel"])
        try:
            self.wait_for_daemon()
            self.lttng("create", SESSION, "--snapshot")
            self.lttng("enable-channel", "--userspace", "--session", SESSION, *CHANNEL, "channel")
            self.lttng("enable-event", "--userspace", "--session", SESSION,
                       "--channel", "channel", "bench:on_*")
            self.lttng("start", SESSION)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # It ends its consumer daemons, too.
        self.daemon.terminate()
        try:
            self.daemon.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self, command, **more):
        files = {"stdin": subprocess.DEVNULL, "stdout": self.log, "stderr": self.log}
        return subprocess.Popen(command, cwd=self.home, env=self.environment,
                                **{**files, **more, **self.user})

    def answers(self, arguments):
        try:
            return self.start(["lttng", "--no-sessiond", *arguments]).wait(SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False

    def wait_for_daemon(self):
        """It answers, or has ended, or is too late."""
        limit = time.monotonic() + SECONDS
        while not self.answers(["list"]):
            if self.daemon.poll() is not None or time.monotonic() > limit:
                raise Unreadable("lttng-sessiond does not answer", self.last_words())
            time.sleep(0.1)

    def lttng(self, *arguments):
        if not self.answers(arguments):
            raise Unreadable(f"lttng {' '.join(arguments)}", self.last_words())

    def last_words(self):
        self.log.seek(0)
        return (self.log.read().splitlines() or ["it said nothing"])[-1]

    def snapshot(self, name):
        """A new directory below home with what the buffers hold now."""
        folder = self.home / name
        self.lttng("snapshot", "record", "--session", SESSION, f"file://{folder}")
        return folder

    def recorded(self):
        """Bytes of events that the buffers hold now."""
        return sum(p.stat().st_size for p in self.snapshot("recorded").glob("**/channel_*")
                   if p.is_file())

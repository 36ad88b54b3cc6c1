# SPDX-License-Identifier: MIT
"""Where the figures come from: runs of programs of Google Benchmark, and of the compiler."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from host import paths
from host.bounds import Unreadable

PROGRAM = paths.BUILD / "bench" / "bench-markers"
INCLUDE = paths.TOP / "include"
SITE_SIZES = paths.TOP / "tests" / "ust" / "code_size_test"
COMPILER, C_COMPILER = "g++", "gcc"
EVENTS = 100
ROUNDS = 3              # processes, or compilations: each lies elsewhere in memory
REPETITIONS = 7         # in each process, of all loops in random order
SECONDS = 0.1           # for each loop, at least
# Those that the programs count, among what the library has by itself.
COUNTER = re.compile(r"thread\d+|p\d+|events|bytes|fastest")


def merge(samples, more):
    for key, values in more.items():
        samples.setdefault(key, []).extend(values)


def parse(text):
    """key -> values, of Google Benchmark's JSON: NAME is processor time of a round in
    ns, NAME.COUNTER a counter."""
    samples = {}
    try:
        for run in json.loads(text)["benchmarks"]:
            if run.get("error_occurred"):
                raise Unreadable(f"{run['name']}: {run['error_message']}")
            if run["run_type"] != "iteration":
                continue
            name = run["run_name"]
            merge(samples, {name: [run["cpu_time"]]})
            for counter, value in run.items():
                if COUNTER.fullmatch(counter):
                    merge(samples, {f"{name}.{counter}": [value]})
    except (ValueError, KeyError, TypeError) as e:
        raise Unreadable(f"the benchmark wrote no samples: {e!r}") from e
    return samples


def has_lttng():
    """Was it there when bench-markers was built?"""
    done = subprocess.run([PROGRAM, "--benchmark_list_tests"], stdout=subprocess.PIPE, text=True)
    return "number_lttng\n" in done.stdout


def loops(session=None):
    """The samples of all loops; those of LTTng-UST with a session of it alone."""
    samples = {}
    folder = session.home if session else Path(tempfile.mkdtemp(prefix="ltt-bench-"))
    start = session.start if session else subprocess.Popen
    try:
        # The user that LTTng runs as may not get at the original.
        program = shutil.copy(PROGRAM, folder)
        os.chmod(program, 0o755)
        for number in range(ROUNDS):
            print(f"  loops: run {number + 1} of {ROUNDS}", file=sys.stderr)
            merge(samples, run_once(program, folder / f"samples.{number}", start,
                                    "." if session else "-lttng"))
    finally:
        if not session:
            shutil.rmtree(folder, ignore_errors=True)
    return samples


def run_once(program, out, start=subprocess.Popen, wanted="."):
    """The samples of all loops whose name matches wanted, by one process. out: a file that
    it may write."""
    said = out.with_suffix(".said")
    with open(said, "w", encoding="utf-8") as output:
        process = start([program, f"--benchmark_out={out}", "--benchmark_out_format=json",
                         f"--benchmark_repetitions={REPETITIONS}",
                         "--benchmark_enable_random_interleaving=true",
                         f"--benchmark_min_time={SECONDS}",
                         f"--benchmark_filter={wanted}"],
                        stdout=output, stderr=output)
        try:
            status = process.wait()
        except BaseException:
            process.kill()
            raise
    if status != 0:
        raise Unreadable(f"{Path(program).name} ended with {status}",
                         *said.read_text().splitlines()[-3:])
    return parse(out.read_text())


def site_sizes():
    """Bytes of code at markers, by the test that has them."""
    done = subprocess.run([SITE_SIZES, COMPILER, C_COMPILER, INCLUDE], stdout=subprocess.PIPE, text=True)
    sizes = [int(size) for size in re.findall(r": (\d+) bytes", done.stdout)]
    return {"site": sizes} if sizes else {}


OURS = """#include <ust/ust.h>
{events}
void markers(int i, double d, const char *s)
{{
{markers}
}}
"""
LTTNG_HEADER = """#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER many
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "many.h"
#if !defined(MANY_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MANY_H
#include <lttng/tracepoint.h>
{events}
#endif
#include <lttng/tracepoint-event.h>
"""
LTTNG = """#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "many.h"
void markers(int i, double d, const char *s)
{{
{markers}
}}
"""


def lines(template):
    return "\n".join(template.format(n=n, bit=n % 32) for n in range(EVENTS))


def sources(folder):
    """A file with many events and a marker of each: (ours, LTTng-UST's)."""
    ours, theirs = folder / "ours.cpp", folder / "lttng.cpp"
    ours.write_text(OURS.format(
        events=lines("UST_EVENT(many, event_{n}, UST_BIT({bit}),"
                     " (int, i)(double, d)(const char *, s))"),
        markers=lines("\tUST(many, event_{n}, i, d, s);")))
    (folder / "many.h").write_text(LTTNG_HEADER.format(
        events=lines("LTTNG_UST_TRACEPOINT_EVENT(many, event_{n},"
                     " LTTNG_UST_TP_ARGS(int, i, double, d, const char *, s),"
                     " LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, i, i)"
                     " lttng_ust_field_float(double, d, d) lttng_ust_field_string(s, s)))")))
    theirs.write_text(LTTNG.format(
        markers=lines("\tlttng_ust_tracepoint(many, event_{n}, i, d, s);")))
    return ours, theirs


def processor_time(command, folder):
    """Seconds that a command and its children take."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        raise Unreadable(f"does not compile: {' '.join(map(str, command))}",
                         *done.stdout.splitlines()[:5])
    return used() - before


def compilations(with_lttng):
    samples = {}
    with tempfile.TemporaryDirectory(prefix="ltt-bench-") as folder:
        ours, theirs = sources(Path(folder))
        files = {"compile": ours} | ({"compile_lttng": theirs} if with_lttng else {})
        for number in range(ROUNDS):
            print(f"  compilations: run {number + 1} of {ROUNDS}", file=sys.stderr)
            for key, file in files.items():
                taken = processor_time([COMPILER, "-std=c++17", "-O2", f"-I{INCLUDE}", "-I.", "-c", file,
                                        "-o", "/dev/null"], folder)
                merge(samples, {key: [taken]})
    return samples

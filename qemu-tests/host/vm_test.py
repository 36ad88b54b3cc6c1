# SPDX-License-Identifier: MIT
"""Tests of scripts/vm: what it promises, tried from outside."""

import fcntl
import os
import pty
import pwd
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from . import paths
from .ktap import Result

VM = paths.TOP / "scripts" / "vm"
SECONDS = 90            # for one guest, from start to end, times the patience


class Failed(Exception):
    pass


def need(condition, *what):
    if not condition:
        raise Failed(" ".join(str(w) for w in what))


class Guests:
    """Runs scripts/vm with the settings of this test run."""

    def __init__(self, options, patience, directory):
        self.options = options          # for every run
        self.patience = patience
        self.limit = SECONDS * patience # seconds
        self.directory = directory      # writable, new for each test

    def command(self, arguments, program):
        return [VM, "run", *self.options, *arguments, "--", *program]

    def run(self, *program, arguments=(), stdin=b"", cwd=None, environment=None):
        """(exit status, stdout, stderr)"""
        done = subprocess.run(self.command(arguments, program), input=stdin, cwd=cwd,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=self.limit, env={**os.environ, **(environment or {})})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def shell(self, script, **more):
        return self.run("sh", "-c", script, **more)


def exit_status_and_release(guests):
    status, out, err = guests.run("uname", "-r")
    need(status == 0 and err == "", status, err)
    need(out.strip() and out.strip() != os.uname().release, out)
    status, out, err = guests.run("false")
    need((status, out, err) == (1, "", ""), status, out, err)


def output_is_separate(guests):
    got = guests.shell("echo to out; echo to err >&2; exit 42")
    need(got == (42, "to out\n", "to err\n"), got)


def signals_give_128(guests):
    status, out, err = guests.shell("kill -KILL $$")
    need(status == 128 + signal.SIGKILL, status, out, err)


def input_is_passed(guests):
    data = os.urandom(1 << 20)
    done = subprocess.run(guests.command((), ["cat"]), input=data, stdout=subprocess.PIPE,
                          timeout=guests.limit)
    need(done.stdout == data, "a megabyte came back as", len(done.stdout), "bytes")
    with open("/etc/passwd", "rb") as file:
        done = subprocess.run(guests.command((), ["cat"]), stdin=file,
                              stdout=subprocess.PIPE, timeout=guests.limit)
    need(done.stdout == Path("/etc/passwd").read_bytes(), done.stdout)


def reader_goes_away(guests):
    first = subprocess.Popen(guests.command((), ["yes"]), stdout=subprocess.PIPE)
    first.stdout.read(10)
    first.stdout.close()
    need(first.wait(guests.limit) == 128 + signal.SIGPIPE, first.returncode)


def files_of_the_host(guests):
    (guests.directory / "here").write_text("of the host\n")
    status, out, err = guests.shell(
        "cat here; echo new > there && cat there; touch /etc/no 2>/dev/null || echo read-only",
        cwd=guests.directory)
    need((status, out) == (0, "of the host\nnew\nread-only\n"), status, out, err)
    need(not (guests.directory / "there").exists(), "the guest wrote to the host")


def out_keeps_files(guests):
    out = guests.directory / "new" / "out"
    script = f"id -un; cd {out} && echo kept > file && mkdir d && mv file d/ && ln -s d link"
    status, text, err = guests.shell(script, arguments=["--out", out, "--user", "nobody"])
    need((status, text) == (0, "nobody\n"), status, text, err)
    need((out / "link" / "file").read_text() == "kept\n")
    if os.geteuid() == 0:
        need((out / "d" / "file").stat().st_uid == pwd.getpwnam("nobody").pw_uid,
             "not the guest's user owns it")


def instructions_are_the_clock(guests):
    counted = ["--accel", "icount", "--cpus", "1"]
    status, out, err = guests.run("grep", "-m1", "MHz", "/proc/cpuinfo", arguments=counted)
    need(status == 0 and 999 < float(out.split()[-1]) < 1001, status, out, err)
    # A time-out of the guest must not pass while it waits for the host.
    process = subprocess.Popen(guests.command(counted, ["sh", "-c", "echo; sleep 2; echo"]),
                               stdout=subprocess.PIPE)
    process.stdout.readline()
    started = time.monotonic()
    process.stdout.readline()
    elapsed = time.monotonic() - started
    need(process.wait(guests.limit) == 0 and elapsed > 1, process.returncode, elapsed)


def programs_that_cannot_run(guests):
    status, out, err = guests.run("no-such-program")
    need(status == 127 and "no-such-program: No such file" in err, status, out, err)
    status, out, err = guests.run("/etc/passwd")
    need(status == 126 and "/etc/passwd: Permission denied" in err, status, out, err)


def timeout_is_124(guests):
    # Enough to boot.
    seconds = "8" if guests.patience == 1 else "40"
    status, out, err = guests.shell("echo begun; sleep 1000", arguments=["--timeout", seconds])
    need(status == 124 and out == "begun\n", status, out, err)
    need(err == f"vm: sh did not end within {seconds} s\n", err)


def panic_is_125(guests):
    # Out of memory, set to be fatal: every kernel can do it.
    status, out, err = guests.shell(
        "echo begun; echo 2 > /proc/sys/vm/panic_on_oom; exec tail /dev/zero",
        arguments=["--memory", "256M"])
    need(status == 125 and out == "begun\n", status, out, err)
    need(err.startswith("vm: the guest's kernel panicked: ") and err.count("\n") == 1, err)
    forget_console(err)


def complaints_are_told(guests):
    status, out, err = guests.shell("echo '<4>WARNING: CPU: 0 PID: 1 at a test' > /dev/kmsg")
    need(status == 0 and err.startswith("vm: the kernel complained: "), status, out, err)
    forget_console(err)


def forget_console(message):
    """The console that was kept for people; the path ends the message."""
    directory = Path(message.split()[-1]).parent
    if directory.name.startswith("ltt-vm-"):
        shutil.rmtree(directory)


def interrupts_are_passed(guests):
    vm = subprocess.Popen(guests.command((), [
        "sh", "-c", "trap 'echo interrupted; exit 7' INT; echo ready; "
        "while :; do sleep 0.1; done"]), stdout=subprocess.PIPE, start_new_session=True)
    need(vm.stdout.readline() == b"ready\n", "it did not begin")
    vm.send_signal(signal.SIGINT)
    need(vm.stdout.readline() == b"interrupted\n", "it did not get the signal")
    need(vm.wait(guests.limit) == 7, vm.returncode)


def append_reaches_the_kernel(guests):
    status, out, err = guests.run("cat", "/proc/cmdline",
                                  arguments=["--append", "ltt.boot=early,subbuf=8k"])
    need(status == 0 and "ltt.boot=early,subbuf=8k" in out, status, out, err)
    status, out, err = guests.run("ltt-ctl", "list",
                                  arguments=["--append", "ltt.boot=early,subbuf=8k"])
    need(status == 0 and "early" in out, status, out, err)


def a_program_is_traced(guests):
    out = guests.directory / "out"
    status, text, err = guests.run(
        "ltt-ctl", "run", "-o", out / "trace", "--", paths.BUILD / "examples" / "hello",
        arguments=["--out", out])
    need(status == 0, status, text, err)
    done = subprocess.run(["babeltrace2", out / "trace"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    need(done.returncode == 0 and "hello:" in done.stdout and not done.stderr,
         done.stdout, done.stderr)


def a_program_with_musl_is_traced(guests):
    source = guests.directory / "program.cpp"
    source.write_text("""
        #include <ust/ust.h>
        UST_EVENT(musl, one, UST_BIT(0), (int, value))
        int main()
        {
            UST(musl, one, 7);
            // 38 as musl counts: the kernel must know it.
            return raise(SIGRTMIN + 3) || SIGRTMIN + 3 != 38;
        }
        """)
    objects = guests.directory / "program.o"
    subprocess.run([paths.TOP / "tests/ust/musl/compile", "g++", paths.TOP / "include", source,
                    "-o", objects], check=True, timeout=guests.limit)
    for way in "-static", "-rdynamic":
        program, out = guests.directory / f"program{way}", guests.directory / f"out{way}"
        subprocess.run(["musl-gcc", way, objects, "-o", program], check=True)
        status, text, err = guests.run("ltt-ctl", "run", "-o", out / "trace", "--", program,
                                       arguments=["--out", out])
        need(status == 0, way, status, text, err)
        read = subprocess.run(["babeltrace2", out / "trace"], stdout=subprocess.PIPE, check=True)
        need(b"musl:one: {" in read.stdout and b"{ value = 7 }" in read.stdout, read.stdout)


def a_user_traces_itself(guests):
    status, out, err = guests.shell("ltt-ctl create mine && ltt-ctl list && ltt-ctl destroy mine; "
                                    "ltt-ctl create all --system",
                                    arguments=["--user", "nobody"])
    need(status != 0 and "mine" in out and "own" in out, status, out, err)
    need(err.strip(), "no word on why a user cannot trace the system")


# Of a PID namespace, as in a container; its log is the kernel's. At the end it gets the
# order in earnest, so that the test sees what it looks for.
SYSTEMD = """
echo on >/proc/sys/kernel/printk_devkmsg    # and not ten lines in five seconds
env container=vm unshare --pid --fork --mount --mount-proc \\
    /lib/systemd/systemd --unit=basic.target --log-target=kmsg </dev/null >/dev/null 2>&1 &
log_has() { dmesg | grep -q "systemd.1.: $1"; }
wait_for_log() {
    for i in $(seq 300); do
        log_has "$1" && return
        sleep 0.1
    done
    echo "systemd never said: $1"
    exit 1
}
wait_for_log 'Reached target '
for i in $(seq 50); do
    ltt-ctl create t && ltt-ctl start t && ltt-ctl stop t && ltt-ctl destroy t || exit 2
done
log_has 'Received SIGRTMIN+3' && exit 3
kill -37 $(pidof systemd)
wait_for_log 'Received SIGRTMIN+3'
"""


def systemd_is_not_halted(guests):
    status, out, err = guests.shell(SYSTEMD)
    need(status == 0, status, out, err)


def the_shell_has_a_terminal(guests):
    child, terminal = pty.fork()
    if child == 0:
        os.execv(VM, [str(VM), "shell", *guests.options])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 111, 0, 0))
    seen = bytearray()

    def expect(text):
        limit = time.monotonic() + guests.limit
        while text not in seen:
            need(time.monotonic() < limit, "waited for", text, "in", bytes(seen))
            if select.select([terminal], [], [], 0.5)[0]:
                seen.extend(os.read(terminal, 4096))
        seen.clear()

    try:
        expect(b"# ")
        os.write(terminal, b"stty size; tty\n")
        expect(b"30 111\r\n/dev/pts/0")
        os.write(terminal, b"echo begun-$((1 + 1)); sleep 1000\n")
        expect(b"begun-2")
        os.write(terminal, b"\x03")
        expect(b"# ")
        os.write(terminal, b"exit 5\n")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        child = 0
        need(status == 5, status)
    finally:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(terminal)


def one_line(text):
    return text.count("\n") == 1 and text.endswith("\n")


def misuse_is_2(guests):
    file = guests.directory / "file"
    file.touch()
    for arguments, text in (
            ([], "run|shell"), (["run"], "no program to run"), (["run", "--"], "no program to run"),
            (["run", "--fitler"], "--fitler"), (["shell"], "terminal")):
        told_as_misuse(arguments, text)
    for option, value, text in (
            ("--user", "no-such-user", "no such user"), ("--kernel", "9.9", "'9.9'"),
            ("--config", "base,nix", "no fragment 'nix'"),
            ("--cpus", "0", "'0'"), ("--cpus", "-1", "'-1'"), ("--cpus", "256", "'256'"),
            ("--cpus", "two", "'two'"), ("--memory", "1Q", "'1Q'"), ("--memory", "0G", "'0G'"),
            ("--timeout", "-1", "'-1'"), ("--timeout", "nan", "'nan'"),
            ("--env", "=value", "'=value'"), ("--out", "", "empty"),
            ("--out", str(file), "not a directory"), ("--out", f"{file}/out", "ot a directory")):
        told_as_misuse(["run", option, value, "true"], text, option)


def told_as_misuse(arguments, *texts):
    done = subprocess.run([VM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    need(done.returncode == 2 and not done.stdout and one_line(done.stderr) and
         all(text in done.stderr for text in texts), arguments, done.returncode, done.stderr)


def no_guest_leaves_nothing(guests):
    temporary = guests.directory / "tmp"
    temporary.mkdir()
    for variable, value, text in (
            ("LTT_KERNEL_IMAGE", "/etc/passwd", "QEMU failed"),
            ("LTT_KERNEL_IMAGE", "/etc", "LTT_KERNEL_IMAGE=/etc: "),
            ("QEMU", "/no/such/qemu", "/no/such/qemu"),
            ("LTT_BUILD", "/etc/passwd/build", "/etc/passwd/build: ")):
        status, out, err = guests.run("true", environment={"TMPDIR": temporary, variable: value})
        need(status == 125 and out == "" and one_line(err) and text in err, variable, status, err)
        need(not os.listdir(temporary), variable, value, "left", os.listdir(temporary))


def termination_leaves_nothing(guests):
    mute = guests.directory / "qemu"
    mute.write_text("#!/bin/sh\nexec sleep 1000\n")
    mute.chmod(0o755)
    # While the guest boots, and before QEMU has a word with scripts/vm.
    terminate(guests, "console", {})
    terminate(guests, "port", {"QEMU": str(mute)})


def terminate(guests, sign, environment):
    """Ends scripts/vm when a file of this name is there."""
    temporary = guests.directory / "tmp"
    temporary.mkdir(exist_ok=True)
    vm = subprocess.Popen(guests.command((), ["sleep", "1000"]),
                          env={**os.environ, "TMPDIR": str(temporary), **environment})
    limit = time.monotonic() + guests.limit
    while not list(temporary.glob(f"*/{sign}")):
        need(time.monotonic() < limit and vm.poll() is None, "no", sign, "appeared")
        time.sleep(0.01)
    vm.terminate()
    need(vm.wait(guests.limit) == 128 + signal.SIGTERM, sign, vm.returncode)
    need(not os.listdir(temporary), sign, "left", os.listdir(temporary))


TESTS = [
    ("the exit status is the program's, the kernel is the guest's", exit_status_and_release),
    ("standard output and standard error stay apart", output_is_separate),
    ("a signal that kills the program gives 128 and its number", signals_give_128),
    ("standard input is passed, byte for byte, with its end", input_is_passed),
    ("a reader that has enough ends the guest", reader_goes_away),
    ("the host's files can be read, and written only for the guest", files_of_the_host),
    ("--out keeps what a user of the guest writes", out_keeps_files),
    ("with --accel icount an instruction takes a nanosecond", instructions_are_the_clock),
    ("a program that cannot be run gives 127 or 126, and a reason", programs_that_cannot_run),
    ("--timeout ends the guest with 124 and one line", timeout_is_124),
    ("a kernel panic gives 125 and one line", panic_is_125),
    ("a warning of the kernel is told", complaints_are_told),
    ("an interrupt goes to the program", interrupts_are_passed),
    ("--append reaches the kernel, and ltt-ctl finds the boot trace", append_reaches_the_kernel),
    ("ltt-ctl run traces a program of the host", a_program_is_traced),
    ("a program with musl is traced, statically and dynamically linked",
     a_program_with_musl_is_traced),
    ("a user may trace its own processes, not the system", a_user_traces_itself),
    ("systemd as PID 1 does not take traces for the order to halt", systemd_is_not_halted),
    ("the shell has a terminal of the right size", the_shell_has_a_terminal),
    ("misuse is told in one line, with 2", misuse_is_2),
    ("where no guest begins, that is told in one line, and nothing is left in /tmp",
     no_guest_leaves_nothing),
    ("SIGTERM ends a guest that boots, and nothing is left in /tmp", termination_leaves_nothing),
]


def run(chosen, options, patience, on_result):
    """chosen: numbers in TESTS, from 1; options: for each run of scripts/vm;
    patience: multiplies its time limits."""
    for name, function in (TESTS[n - 1] for n in chosen):
        directory = Path(tempfile.mkdtemp(prefix="ltt-test-"))
        directory.chmod(0o755)
        try:
            function(Guests(options, patience, directory))
            result = Result("vm", name, True)
        except (Failed, OSError, subprocess.TimeoutExpired) as e:
            result = Result("vm", name, False, notes=(str(e) or "no reason given").splitlines())
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        on_result(result)

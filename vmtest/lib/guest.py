"""One boot of one kernel: runs a list of commands in the guest, one after the other, and tells how each ended.

The guest runs a shell script (the plan) that frames each command with marker lines on its standard output. The host
keeps the clock: a command that takes too long ends the VM, and the caller boots again for the rest.
"""

import atexit
import contextlib
import os
import secrets
import select
import shlex
import signal
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path

from tools import Unusable

# After each command everything that it left behind is removed: processes (the shell is not hit by its own kill -1,
# process 1 never is) and pinned BPF objects. The guest's root is the host's, but read-only.
HERE = Path(__file__).resolve().parent.parent

PLAN = """\
export FTAP_VM=1
exec 2>&1
ftap() {{
    printf '\\n{mark} begin %s\\n' "$1"
    cd /tmp
    sh -c "$2" </dev/null
    status=$?
    printf '\\n{mark} end %s %s\\n' "$1" "$status"
    kill -9 -1 2>/dev/null
    rm -rf /sys/fs/bpf/*
}}
echo {mark} ready
{commands}
exit 0
"""

DISK_BYTES = 64 << 20  # sparse: takes what is written to it

# In QEMU each socket has its own last-level cache; 'numa-llc' has two sockets per NUMA node. (Dies would do as well,
# but QEMU 10 aborts at them.)
PREEMPT = ["none", "voluntary", "full", "lazy"]  # of the kernel command line
TOPOLOGIES = {
    "flat": None,
    "numa": "4,sockets=2,cores=2,threads=1",
    "numa-llc": "8,sockets=4,cores=2,threads=1",
    "wide": "4,sockets=1,cores=4,threads=1",
    "single": "1",
}

# The guest mounts tmpfs here. Files that the commands need must be carried over if they lie below.
HIDDEN = ("/tmp/", "/run/", "/var/tmp/", "/var/log/", "/dev/shm/")


class Outcome:
    """How one command ended. 'status' is None when the guest did not live to tell."""

    def __init__(self):
        self.status = None
        self.timed_out = False
        self.seconds = 0.0
        self.cpu_seconds = 0.0  # of the machine and what serves its files
        self.lines = deque(maxlen=5000)
        self.console = ""


class Guest:
    def __init__(self, virtme, kernel, options, keep, stop_wanted):
        self.virtme, self.kernel, self.options, self.keep = virtme, kernel, options, keep
        self.stop_wanted = stop_wanted  # a threading.Event: what runs beside it has been interrupted
        self.process = None
        self.boot_seconds = None  # None until the guest's first sign of life
        self.boot_output = deque(maxlen=200)

    def command(self, script, console, disk):
        o = self.options
        # -accel thread=single: with one thread per vCPU, QEMU 7.2 crashes guests that patch their text (sched_ext, ftrace).
        # -cpu Nehalem: nothing newer is faster without KVM. -cx16: on QEMU 7.2 the flags are garbage after cmpxchg16b every
        # so often; Debian's 6.12 then died in one boot of four. --disable-kvm: /dev/kvm may open and still not work.
        # -set: virtme-ng sends the serial console to /dev/null, or with --verbose into the same stream as everything else.
        qemu = f"-cpu Nehalem,-cx16 -accel tcg,thread=single -set chardev.console.path={console}"
        # A disk on which a test makes a file system of its own. NVMe and ext4 are built into all of these kernels, loop
        # devices into none.
        qemu += f" -drive file={disk},format=raw,if=none,cache=unsafe,id=scratch -device nvme,drive=scratch,serial=scratch"
        if self.kernel.initramfs:
            qemu += f" -initrd {self.kernel.initramfs}"
        # oops=panic: an oops ends the run and is seen; otherwise it may kill an innocent process and nobody looks.
        # slab_debug=F: without cmpxchg16b, kernels >= 7 can give BPF task storage only from slabs in debug mode
        # (kmalloc_nolock); and a write outside a slab's objects is seen.
        append = f"slab_debug=F mitigations=off oops=panic loglevel={7 if o.verbose else 5}"
        if o.preempt:
            append += f" preempt={o.preempt}"
        if self.keep:
            append += f" ftap.keep={':'.join(self.keep)}"
        smp, numa = str(o.cpus), []
        if TOPOLOGIES[o.topology]:
            smp = TOPOLOGIES[o.topology]
        if o.topology.startswith("numa"):
            cpus, half = int(smp.split(",")[0]), megabytes(o.memory) // 2
            for first in (0, cpus // 2):
                numa += ["--numa", f"{half}M,cpus={first}-{first + cpus // 2 - 1}"]
        return [str(self.virtme / "usr/bin/vng"), "--disable-kvm", "--run", str(self.kernel.image), "--skip-modules",
                "--qemu", str(HERE / "qemu"), "--user", "root", "--cpus", smp, "--memory", f"{megabytes(o.memory)}M", *numa, "--append", append,
                "--exec", f"exec sh {shlex.quote(script)}", f"--qemu-opts={qemu} {o.qemu_opts}".rstrip()]

    def start(self, script, console, temporary):
        disk = f"{temporary}/disk"
        with open(disk, "wb") as file:
            file.truncate(DISK_BYTES)
        environment = dict(os.environ, TMPDIR=temporary, HOME=temporary,  # no settings of the user's own virtme-ng
                           PYTHONPATH=str(self.virtme / "usr/lib/python3/dist-packages"), PYTHONDONTWRITEBYTECODE="1",
                           PATH=f"{self.virtme}/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        # Output must be a pipe: QEMU opens /proc/self/fd/1 again, which would truncate a file.
        # It gets a session of its own, so that vng, its shell, QEMU and virtiofsd can be ended by one group id.
        atexit.register(self.stop)
        self.process = subprocess.Popen(self.command(script, console, disk), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=environment, cwd="/", start_new_session=True)

    def stop(self):
        """Ends whatever is left of the VM, by the id of the group that we started."""
        if self.process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            for _ in range(20):
                self.process.poll()
                if not group_exists(self.process.pid):
                    break
                time.sleep(0.1)
        self.process.wait()
        self.process.stdout.close()
        self.process = None

    def lines(self, deadline):
        """Lines of the guest's output until the VM has ended or is to; None whenever the deadline has passed."""
        fd, rest, closed = self.process.stdout.fileno(), b"", False
        while not closed and not self.stop_wanted.is_set():
            ended = self.process.poll() is not None
            if select.select([fd], [], [], 0.2)[0]:
                data = os.read(fd, 65536)
                closed = not data
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    yield line.decode(errors="replace").rstrip("\r")
            elif ended:
                closed = True
            if time.monotonic() > deadline():
                yield None
        if rest:
            yield rest.decode(errors="replace")

    def run(self, commands, timeout, boot_timeout, live=None):
        """Runs (name, command) pairs in one boot; yields (index, Outcome) for each that was begun."""
        mark = "@@ftap-" + secrets.token_hex(6)
        with tempfile.TemporaryDirectory(prefix="vmtest-", dir="/tmp") as temporary, \
                tempfile.TemporaryDirectory(prefix="plan-", dir=self.virtme.parent) as shared:
            script, console = f"{shared}/plan.sh", f"{temporary}/console"
            Path(script).write_text(PLAN.format(mark=mark, commands="\n".join(
                f"ftap {i} {shlex.quote(command)}" for i, (_, command) in enumerate(commands))), encoding="utf-8")
            Path(console).touch()
            limit = began = time.monotonic()
            limit += boot_timeout
            current, offset = None, 0
            try:
                self.start(script, console, temporary)
                for line in self.lines(lambda: limit):
                    now = time.monotonic()
                    if line is None:
                        if current is not None:
                            outcome.timed_out = True
                        break
                    if line == f"{mark} ready":
                        self.boot_seconds, limit = now - began, now + timeout
                    elif line.startswith(f"{mark} begin "):
                        current, outcome = int(line.split()[2]), Outcome()
                        offset, start, limit = os.path.getsize(console), now, now + timeout
                        cpu_start = cpu_seconds(self.process.pid)
                    elif line.startswith(f"{mark} end ") and current is not None:
                        outcome.status, outcome.seconds = int(line.split()[3]), now - start
                        outcome.cpu_seconds = cpu_seconds(self.process.pid) - cpu_start
                        outcome.console = console_text(console, offset)
                        if outcome.lines and not outcome.lines[-1]:
                            outcome.lines.pop()  # the marker's own newline
                        elif live and outcome.lines:
                            print(outcome.lines[-1], file=live, flush=True)
                        finished, current, limit = current, None, now + timeout
                        yield finished, outcome
                    elif current is None:
                        self.boot_output.append(line)
                    else:
                        if live and outcome.lines:
                            print(outcome.lines[-1], file=live, flush=True)  # one late: the last may be the marker's newline
                        outcome.lines.append(line)
            finally:
                self.stop()
                if self.boot_seconds is None:
                    self.boot_output.extend(console_text(console, 0).splitlines())
            if current is not None:
                outcome.seconds = time.monotonic() - start
                outcome.console = console_text(console, offset)
                yield current, outcome


def console_text(path, offset):
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read().decode(errors="replace").replace("\r", "")


def cpu_seconds(session):
    """What the processes of a session that are still there have used."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def group_exists(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def megabytes(text):
    """QEMU reads a bare number as megabytes in one place and as bytes in another; virtme-ng wants a suffix."""
    return int(text[:-1]) * 1024 if text[-1] in "Gg" else int(text.rstrip("Mm"))


def kept_directories(paths):
    """What the guest's tmpfs would hide of these. Kernel parameters have no quoting and 2048 bytes for all of them."""
    kept = sorted({str(Path(p).resolve()) for p in paths if str(Path(p).resolve()).startswith(HIDDEN)})
    if any(c in path for path in kept for c in ": \t\"") or len("".join(kept)) > 600:
        raise Unusable(f"these directories cannot be handed to the guest: {' '.join(kept)}",
                       "shorter paths, without blanks and colons, or outside of /tmp")
    return kept

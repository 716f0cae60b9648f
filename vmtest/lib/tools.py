"""What a VM needs on the host: packages, kernels, virtme-ng, the guest init. All of it below one cache directory."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
# The same places as in the wrapper script; the last one is Debian 12's.
VIRTIOFSD = ("/usr/libexec/virtiofsd", "/usr/lib/virtiofsd/virtiofsd", "/usr/lib/qemu/virtiofsd")
SERIES = ("6.1", "6.12", "6.18", "7")


class Unusable(Exception):
    """The host cannot run VMs as it is: one sentence and one hint."""

    def __init__(self, sentence, hint=""):
        super().__init__(sentence)
        self.hint = hint


def cache_directory():
    xdg = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(os.environ.get("FLOWTAP_CACHE") or Path(xdg) / "flowtap").absolute()
    # virtme-ng puts its own path on shell lines and on the kernel's command line without quotes.
    if not all(c.isalnum() or c in "/._+-" for c in str(path)):
        raise Unusable(f"the cache directory '{path}' has characters that virtme-ng does not quote",
                       "choose another with FLOWTAP_CACHE=DIR")
    path.mkdir(parents=True, exist_ok=True)
    return path


def needed_packages():
    release = dict(line.rstrip("\n").split("=", 1) for line in open("/etc/os-release") if "=" in line)
    codename = release.get("VERSION_CODENAME", "").strip('"')
    for line in (HERE / "packages").read_text().splitlines():
        words = line.split("#")[0].split()
        if words and (len(words) == 1 or words[1] == codename):
            yield words[0]


def check_host():
    if not shutil.which("dpkg-query"):
        raise Unusable("this is no Debian system: there is no dpkg", "Debian 12 and 13 are supported")
    needed = list(needed_packages())
    known = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *needed],
                           capture_output=True, text=True, check=False).stdout.splitlines()
    missing = [name for name in needed if f"{name} installed" not in known]
    if missing:
        raise Unusable(f"packages are missing for VM tests: {' '.join(missing)}", "tools/setup vm")
    if not any(map(os.path.exists, VIRTIOFSD)):
        raise Unusable(f"there is no virtiofsd: none of {' '.join(VIRTIOFSD)}",
                       "on Debian 12 it comes with qemu-system-common 7.2; QEMU of backports no longer has it")
    if not any(map(os.path.exists, VIRTIOFSD[:-1])) and os.geteuid() != 0:
        raise Unusable("on Debian 12 VM tests need root: QEMU's own virtiofsd cannot run without it", "sudo vmtest/run ...")


def free_megabytes():
    """Memory that programs can have without pushing others out."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable:")) // 1024


@contextlib.contextmanager
def locked(cache):
    """Two runs on one machine must not prepare the same files at once."""
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run_script(name, *args):
    environment = dict(os.environ, FLOWTAP_CACHE=str(cache_directory()))
    if subprocess.run([HERE / name, *args], env=environment, stdout=sys.stderr, check=False).returncode:
        raise Unusable(f"{name} failed", "its message stands above")


def is_older(path, source):
    return not path.exists() or path.stat().st_mtime < source.stat().st_mtime


def prepare_virtme(cache):
    """virtme-ng with our guest init and virtiofsd wrapper inside. Replaced by rename: a running VM keeps the old one."""
    virtme = cache / "virtme-ng"
    run_script("fetch-virtme-ng", virtme)
    tools = virtme / "usr/lib/python3/dist-packages/virtme/guest/bin"
    if is_older(tools / "virtme-ng-init", HERE / "init.c"):
        new = tools / "init.new"
        command = ["gcc", "-O2", "-static", "-s", "-Wall", "-Wextra", "-o", new, HERE / "init.c"]
        if subprocess.run(command, check=False).returncode:
            raise Unusable("the guest init does not compile", "the compiler's message stands above")
        new.rename(tools / "virtme-ng-init")
    if is_older(tools / "virtiofsd", HERE / "virtiofsd"):
        shutil.copy(HERE / "virtiofsd", tools / "virtiofsd.new")
        (tools / "virtiofsd.new").rename(tools / "virtiofsd")
    return virtme, tools / "virtme-ng-init"


class Kernel:
    def __init__(self, directory):
        self.image = directory / "vmlinuz"
        self.version = (directory / "version").read_text().strip()
        self.modules = directory / "modules"
        self.initramfs = directory / "initramfs" if self.modules.is_dir() else None


def prepare_kernel(cache, series, init):
    directory = cache / "kernels" / series
    run_script("fetch-kernel", series, directory)
    kernel = Kernel(directory)
    if kernel.initramfs and is_older(kernel.initramfs, init):
        with tempfile.TemporaryDirectory(dir=cache) as tree:
            shutil.copy(init, f"{tree}/init")
            shutil.copytree(kernel.modules, f"{tree}/modules")
            new = directory / "initramfs.new"
            with open(new, "wb") as out:
                subprocess.run("find . | cpio --quiet -o -H newc -R 0:0", shell=True, cwd=tree, stdout=out, check=True)
            new.rename(kernel.initramfs)
    return kernel

"""A Debian system in a folder, and commands that run in it."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHROOTS = ROOT / ".build/chroots"
MIRROR = os.environ.get("DEBIAN_MIRROR") or "http://deb.debian.org/debian"


class System:
    """A fresh system with a user, without Swift. It is deleted at the end."""

    def __init__(self, suite, user="ada"):
        CHROOTS.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{suite}-", dir=CHROOTS))
        self.user = user
        try:
            subprocess.run(["tar", "-xf", archive(suite), "-C", self.folder], check=True)
            # As the host reaches the mirror.
            for file in ["resolv.conf", "hosts"]:
                shutil.copyfile(f"/etc/{file}", self.folder / "etc" / file)
            settings = subprocess.run(
                ["apt-config", "dump", "Acquire"], check=True, capture_output=True, text=True).stdout
            proxies = "".join(
                f"{line}\n" for line in settings.splitlines() if re.match(r"Acquire::https?::Proxy|Acquire::Check", line))
            (self.folder / "etc/apt/apt.conf.d/50host").write_text(proxies)
            self.run("useradd", "--create-home", "--shell", "/bin/sh", user)
        except BaseException:
            self.remove()
            raise

    def remove(self):
        # Nothing is mounted in it: mounts belong to the commands, which have ended.
        subprocess.run(["rm", "-rf", "--one-file-system", self.folder], check=True)

    def command(self, words, user, network):
        return [HERE / "enter", self.folder, user, network, *words]

    def run(self, *words, user="root", network="none", timeout=300, fails=False):
        """Runs a command without a terminal, and returns what it printed."""
        call = subprocess.run(
            self.command(words, user, network), capture_output=True, text=True, timeout=timeout,
            stdin=subprocess.DEVNULL)
        printed = call.stdout + call.stderr
        assert fails or call.returncode == 0, f"{words}: exit code {call.returncode}\n{printed}"
        return printed

    def install(self, package):
        """Installs the file of a package with all that it depends on and recommends."""
        shutil.copyfile(package, self.folder / "var/tmp" / package.name)
        self.run("apt-get", "update", "-qq", network="host")
        self.run("apt-get", "install", "-qq", f"/var/tmp/{package.name}", network="host", timeout=600)

    def files(self):
        """The paths of all files and folders."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


def archive(suite):
    """The archive of a minimal system, made once."""
    file = CHROOTS / f"{suite}.tar.gz"
    if not file.exists():
        CHROOTS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CHROOTS) as scratch:
            root = pathlib.Path(scratch, "root")
            subprocess.run(
                ["debootstrap", "--variant=minbase", suite, root, MIRROR], check=True, capture_output=True)
            part = pathlib.Path(scratch, "archive")
            subprocess.run(
                ["tar", "-czf", part, "-C", root, "--exclude=./var/cache/apt/archives/*.deb", "."], check=True)
            os.replace(part, file)
    return file


class Terminal:
    """A command at a pseudo-terminal."""

    def __init__(self, command):
        self.text = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execv(command[0], [str(word) for word in command])

    def read_until(self, expected, timeout=60):
        """Reads until an expression matches what was printed since the last match."""
        end = time.monotonic() + timeout
        start = len(self.text)
        while not (match := re.search(expected, self.text[start:])):
            if time.monotonic() > end or not self.read(end - time.monotonic()):
                raise AssertionError(f"{expected!r} was not printed:\n{self.text}")
        return match

    def read(self, timeout):
        """Reads what is printed next; false at the end."""
        if not select.select([self.terminal], [], [], max(timeout, 0))[0]:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # The command has ended.
            return False
        self.text += re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\r", "", data.decode(errors="replace"))
        return bool(data)

    def type(self, line):
        os.write(self.terminal, f"{line}\n".encode())

    def end(self, timeout=60):
        """Waits for the end, and returns the exit code."""
        end = time.monotonic() + timeout
        while self.read(end - time.monotonic()):
            if time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.text}")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

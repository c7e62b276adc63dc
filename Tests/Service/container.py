"""A container whose first process is the machine's systemd, with the machine's programs and nothing else of it."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD_FOLDER") or ROOT / ".build/debug").resolve()
# Whoever owns the user unit in it.
USER = 1500
# Seconds.
TIME_LIMIT = 600

# What systemd and D-Bus read; nothing that belongs to this machine alone.
SETTINGS = [
    "alternatives", "dbus-1", "group", "ld.so.cache", "nsswitch.conf", "pam.d", "passwd", "security", "ssl"]
ACCOUNTS = {
    "passwd": f"owner:x:{USER}:{USER}::/home/owner:/bin/sh\n", "group": f"owner:x:{USER}:\n",
    "shadow": "root:!:19000::::::\nowner:!:19000::::::\n"}
# Started once everything else is, and the end of the container.
STEPS = """\
[Unit]
Wants=user@{user}.service
Requires=dbus.socket
After=basic.target dbus.socket systemd-logind.service user@{user}.service
[Service]
Type=oneshot
ExecStart=-/bin/bash /out/steps
ExecStopPost=/bin/systemctl poweroff --force
TimeoutStartSec={limit}
"""
# `step NAME COMMAND…` keeps the output and the exit code of a command, `owner COMMAND…` runs it as the owner, and
# `await COMMAND…` repeats it until it succeeds.
PROLOGUE = """\
# The container engine hides it behind a file that was deleted, which no unit can hide again.
umount /proc/kmsg
step() { local name=$1; shift; "$@" >/out/$name.text 2>&1 </dev/null; echo $? >/out/$name.code; }
owner() {
  setpriv --reuid=%d --regid=%d --groups=20 env HOME=/home/owner XDG_RUNTIME_DIR=/run/user/%d \\
    PATH=/prefix/bin:/usr/bin:/bin "$@"
}
await() { for second in $(seq 60); do "$@" && return; sleep 1; done; }
cd /
PATH=/prefix/bin:$PATH
"""


def runtime_libraries():
    """The folders of the toolchain whose libraries a build loads."""
    swift = shlex.split(os.environ.get("SWIFT") or "swift")
    target = subprocess.run([*swift, "-print-target-info"], check=True, capture_output=True).stdout
    return [path for path in json.loads(target)["paths"]["runtimeLibraryPaths"] if os.path.isdir(path)]


class Container:
    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name, "root")
        self.out = pathlib.Path(self.temporary.name, "out")
        for folder in [
            self.out, *(self.root / name for name in [
                "build", "dev", "etc/systemd/system", "etc/systemd/user", "home/owner", "opt", "out",
                "prefix/bin", "proc", "run", "srv", "sys", "tmp", "usr", "var"]),
        ]:
            folder.mkdir(parents=True)
        for name in ["bin", "lib", "lib32", "lib64", "sbin"]:
            if os.path.islink(f"/{name}"):
                os.symlink(os.readlink(f"/{name}"), self.root / name)
        for name in SETTINGS:
            source = pathlib.Path("/etc", name)
            if source.is_dir():
                ignored = shutil.ignore_patterns("private")
                shutil.copytree(source, self.root / "etc" / name, symlinks=True, ignore=ignored)
            elif source.exists():
                shutil.copy(source, self.root / "etc" / name)
        groups = self.root / "etc/group"
        groups.write_text(re.sub("^dialout:.*", "dialout:x:20:owner", groups.read_text(), flags=re.MULTILINE))
        for name, line in ACCOUNTS.items():
            with open(self.root / "etc" / name, "a") as file:
                file.write(line)
        shutil.copy("/usr/lib/os-release", self.root / "etc/os-release")
        os.chown(self.root / "home/owner", USER, USER)
        os.symlink("/build/nervous", self.root / "prefix/bin/nervous")
        self.write("etc/systemd/system/steps.service", STEPS.format(user=USER, limit=TIME_LIMIT))

    def write(self, path, text):
        """Writes a file in the container; in a home folder it belongs to the owner."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if path.startswith("home/"):
            for name in [file, *list(file.parents)[:-1]]:
                if self.root / "home" in name.parents:
                    os.chown(name, USER, USER)

    def run(self, steps):
        """Starts the container, runs the steps in it, and waits until it has ended."""
        (self.out / "steps").write_text(PROLOGUE % (USER, USER, USER) + steps)
        binds = [f"--bind-ro={path}" for path in ["/usr", *runtime_libraries()]]
        with open(self.out / "console", "w") as console:
            subprocess.run(
                ["systemd-nspawn", "--quiet", f"--directory={self.root}", "--boot", "--register=no",
                 "--keep-unit", "--private-network", "--console=pipe", "--settings=no",
                 f"--machine=nervous-{os.getpid()}", f"--bind={self.out}:/out", f"--bind-ro={BUILD}:/build",
                 # Those with which the host confines its apps, which the container engine does not know yet.
                 "--system-call-filter=seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self",
                 *binds, "systemd.unit=steps.service", "systemd.log_target=journal"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, timeout=TIME_LIMIT + 60,
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"})
        if not (self.out / "last.code").exists():
            print((self.out / "console").read_text(), file=sys.stderr)
            raise AssertionError("the container ended before the last step")

    def text(self, step):
        return (self.out / f"{step}.text").read_text(errors="replace")

    def code(self, step):
        return int((self.out / f"{step}.code").read_text())

    def close(self):
        self.temporary.cleanup()

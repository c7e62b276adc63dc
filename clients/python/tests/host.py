"""A real host with a temporary data directory, for tests. Its program is that in NERVOUS."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def program() -> str:
    """The program that NERVOUS names, or else the last build."""
    built = [os.environ.get("NERVOUS"), ROOT / ".build/release/nervous", ROOT / ".build/debug/nervous"]
    for path in built:
        if path and Path(path).exists():
            return str(path)
    raise SystemExit("NERVOUS does not name the program nervous, and there is no build of it.")


class Host:
    """`nervous serve` on a free port."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="nervous-python-")
        os.mkdir(self.folder + "/run", 0o700)
        self.environment = {
            "HOME": self.folder,
            "XDG_RUNTIME_DIR": self.folder + "/run",
            "NERVOUS_DATA": self.folder + "/data",
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
        }
        self.port = 0
        self.start()
        self.owner = self.nervous("token", "create", "desk", "--owner")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the host, a second time on the same port."""
        self.process = subprocess.Popen(
            [program(), "serve", "--port", str(self.port), "--json"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"{program()} did not start"
        self.port = json.loads(line)["port"]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends the host."""
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def close(self) -> None:
        """Ends the host, and removes its data."""
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)

    def nervous(self, *words: str) -> str:
        """The output of a command."""
        made = subprocess.run(
            [program(), *words], env=self.environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, f"nervous {' '.join(words)}: {made.stderr}"
        return made.stdout.strip()

    def token(self, name: str, *allow: str) -> str:
        """A token of a program that may use some privileges."""
        return self.nervous("token", "create", name, *(f"--allow={privilege}" for privilege in allow))

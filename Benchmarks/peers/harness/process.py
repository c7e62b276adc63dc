"""Processes that are started, watched and stopped by their identifier."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 60


class ProcessFailed(Exception):
    """A process ended or did not answer in time."""


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port() -> int:
    """A port of the loopback interface that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def memory(process: int, name: str = "VmRSS") -> float:
    """A size of `/proc/PID/status` in MiB: `VmRSS` now, `VmHWM` at its peak."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise ProcessFailed(f"process {process} has no {name}")


def bytes_under(folder: Path) -> int:
    """Bytes of every file below a folder, each counted once however many names it has.

    Where a file is longer than what the disk holds of it, as one that is laid out in advance, the
    rest does not count.
    """
    sizes: dict[int, int] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(root, name))
            except FileNotFoundError:
                continue
            sizes[status.st_ino] = min(status.st_size, status.st_blocks * 512)
    return sum(sizes.values())


class Server:
    """A server on loopback; it dies with this process at the latest."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        self._log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                arguments,
                env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=_die_with_parent,
                cwd=log.parent,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self, is_ready: Callable[[], bool], seconds: float = 120) -> None:
        """Returns as soon as `is_ready`, which is asked every millisecond, says so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise ProcessFailed(f"ended with {self._process.returncode}: {self._last_words()}")
            try:
                if is_ready():
                    return
            except OSError:
                pass
            time.sleep(0.001)
        raise ProcessFailed(f"not ready after {seconds:.0f} s: {self._last_words()}")

    def stop(self) -> None:
        """Asks it to end, and ends it when it does not."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()
        return lines[-1][:200] if lines else "it said nothing"


def settled(bytes_now: Callable[[], int], quiet: float, limit: float) -> bool:
    """Waits until a size has not moved for `quiet` seconds; false when it still does at `limit`."""
    end = time.monotonic() + limit
    before, since = bytes_now(), time.monotonic()
    while time.monotonic() < end:
        time.sleep(0.25)
        now = bytes_now()
        if now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since >= quiet:
            return True
    return False

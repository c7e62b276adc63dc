"""What the harness asks of a store."""

from __future__ import annotations

import json
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from harness import load
from harness.figure import Reply, timed
from harness.process import ProcessFailed, Server, free_port, memory
from harness.truth import Windows
from harness.walk import Walk
from harness.web import Refused, Web


class Unavailable(Exception):
    """A store, or one thing of it, is not there; the text says why."""


class Peer(ABC):
    """A store under measurement. Every answer is about the first field unless it says otherwise."""

    name: str
    # What is certain once a batch is acknowledged.
    acknowledged: str
    # Microseconds to which times are kept.
    tick = 1
    # The divisor of its standard deviation is n, not n - 1.
    is_population = False
    # Its percentile is a value that occurs, not linear between two.
    is_nearest = False
    # Forms in which it gives rows as text.
    forms: tuple[str, ...] = ("csv",)
    # Where its rows come from.
    door = "HTTP"

    def __init__(self, folder: Path, walk: Walk) -> None:
        self.folder = folder
        self.fields = walk.fields
        self.first, self.last = int(walk.times[0]), int(walk.times[-1])

    @classmethod
    @abstractmethod
    def version(cls) -> str:
        """What is installed. Raises `Unavailable` when nothing is."""

    @abstractmethod
    def open(self) -> None:
        """Starts with nothing stored."""

    @abstractmethod
    def prepare(self, times: np.ndarray, values: np.ndarray) -> Any:
        """A batch in the form in which the store takes it; not on the clock."""

    @abstractmethod
    def ingest(self, batch: Any) -> None:
        """Returns when the batch is acknowledged."""

    @abstractmethod
    def flush(self) -> None:
        """Lets the store bring everything into its lasting form."""

    @abstractmethod
    def stored(self) -> int:
        """Bytes on disk after `flush`."""

    @abstractmethod
    def close(self) -> None:
        """Stops it; may be called twice."""

    @abstractmethod
    def mean(self) -> Reply[list[float]]:
        """The mean of every field."""

    @abstractmethod
    def mean_deviation(self) -> Reply[list[float]]: ...

    @abstractmethod
    def extremes(self) -> Reply[list[float]]:
        """Smallest, largest, count."""

    @abstractmethod
    def p99(self) -> Reply[list[float]]: ...

    @abstractmethod
    def window_means(self, windows: Windows) -> Reply[list[float]]: ...

    @abstractmethod
    def rows(self, form: str, count: int) -> Reply[bytes]:
        """The first rows as text."""

    @abstractmethod
    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Times in microseconds and values of such rows."""

    @abstractmethod
    def newest(self) -> Reply[float]: ...

    @abstractmethod
    def newest_load(self, seconds: int) -> load.Load: ...

    @abstractmethod
    def start(self) -> tuple[Reply[float], float]:
        """Starts over the stored data. The newest value, how long it took, and MiB resident."""


class ServerPeer(Peer):
    """A store that is a process with a port."""

    server: Server
    web: Web
    # Sent with every call.
    headers: dict[str, str] = {}

    @abstractmethod
    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        """Arguments and environment that make it serve on a port."""

    @abstractmethod
    def newest_call(self) -> tuple[str, dict[str, object]]:
        """Path and query of the newest value."""

    @abstractmethod
    def newest_of(self, answer: bytes) -> float:
        """The value in the answer to `newest_call`; raises `ValueError` when there is none."""

    def launch(self) -> None:
        """Starts the process; it need not answer yet."""
        port = free_port()
        arguments, environment = self.command(port)
        environment = {"HOME": str(self.folder)} | environment
        self.server = Server(arguments, environment, self.folder / "server.log")
        self.web = Web(port, self.headers)

    def newest(self) -> Reply[float]:
        path, query = self.newest_call()
        reply = self.web.get(path, query)
        return Reply(reply.seconds, self.newest_of(reply.value))

    def newest_load(self, seconds: int) -> load.Load:
        path, query = self.newest_call()
        return load.over_http(self.web.url(path, query), self.headers, seconds)

    def start(self) -> tuple[Reply[float], float]:
        self.close()
        found: list[float] = []

        def answers() -> bool:
            try:
                found.append(self.newest().value)
            except (Refused, ValueError):
                return False
            return True

        def launched() -> float:
            self.launch()
            self.server.wait(answers)
            return found[-1]

        return timed(launched), memory(self.server.pid)

    def close(self) -> None:
        if hasattr(self, "server"):
            self.web.close()
            self.server.stop()


class LibraryPeer(Peer):
    """A store that is a library in this process."""

    door = "in process"

    # A script for a process of its own: opens `sys.argv[1]`, puts the newest value in `newest`.
    opening: str

    # What `connect` gave.
    database: Any

    @property
    @abstractmethod
    def place(self) -> Path:
        """What is opened: a file or folder."""

    @abstractmethod
    def connect(self) -> Any:
        """A connection to what is at `place`."""

    @abstractmethod
    def row(self, columns: str) -> Reply[list[float]]:
        """The one row of a query of all samples, in SQL."""

    def close(self) -> None:
        if hasattr(self, "database"):
            self.database.close()

    def mean(self) -> Reply[list[float]]:
        return self.row(", ".join(f"avg({field})" for field in self.fields))

    def extremes(self) -> Reply[list[float]]:
        return self.row("min(x), max(x), count(x)")

    def prepare_csv(self, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of lines of numbers that are parted by commas."""
        cells = np.array(text.replace(b"\n", b",").rstrip(b",").split(b","))
        cells = cells.reshape(-1, 1 + len(self.fields))
        return cells[:, 0].astype(np.int64), cells[:, 1:].astype(np.float64)

    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        return self.prepare_csv(text)

    def newest_load(self, seconds: int) -> load.Load:
        return load.in_process(self.newest, seconds)

    def start(self) -> tuple[Reply[float], float]:
        self.close()
        script = (
            "import json, sys\n"
            f"{self.opening}\n"
            "status = open('/proc/self/status').read().splitlines()\n"
            "resident = next(line for line in status if line.startswith('VmRSS'))\n"
            "print(json.dumps([newest, int(resident.split()[1]) / 1024]), flush=True)\n"
        )

        def launched() -> list[float]:
            done = subprocess.run(
                [sys.executable, "-c", script, str(self.place)],
                capture_output=True,
                text=True,
                timeout=120,
            )
            if done.returncode != 0:
                raise ProcessFailed(done.stderr[-200:])
            return json.loads(done.stdout)

        reply = timed(launched)
        self.database = self.connect()
        return Reply(reply.seconds, reply.value[0]), reply.value[1]

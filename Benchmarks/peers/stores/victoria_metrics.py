"""VictoriaMetrics: remote write in, MetricsQL out."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np

from harness.figure import Reply
from harness.peer import Unavailable
from harness.process import ProcessFailed, bytes_under, settled
from stores.prometheus import PromQL

SETTLE_SECONDS = 180


class VictoriaMetrics(PromQL):
    """The single server of VictoriaMetrics."""

    name = "victoria"
    acknowledged = "memory"
    # No answer from its cache of earlier answers: the rounds ask the same.
    extra = {"nocache": 1}

    @classmethod
    def version(cls) -> str:
        program = shutil.which("victoria-metrics")
        if program is None:
            raise Unavailable("victoria-metrics is not installed")
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
        words = (done.stdout + done.stderr).replace("-", " ").split()
        if not words and shutil.which("dpkg-query"):
            # The program of Debian does not know its own version.
            query = ["dpkg-query", "-W", "-f", "${Version}", "victoria-metrics"]
            words = subprocess.run(query, capture_output=True, text=True).stdout.split("+")
        return next((word for word in words if word.startswith(("v1.", "1."))), "?")

    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        return [
            "victoria-metrics",
            f"-httpListenAddr=127.0.0.1:{port}",
            f"-storageDataPath={self.folder}/data",
            "-retentionPeriod=100y",
            "-search.maxQueryDuration=10m",
            "-search.latencyOffset=0s",
            "-loggerLevel=WARN",
        ], {}

    def newest_call(self) -> tuple[str, dict[str, object]]:
        # Without a step it would look through five minutes, which hold 30 000 samples.
        path, query = super().newest_call()
        return path, query | {"step": "1s"}

    def open(self) -> None:
        self.launch()
        self.server.wait(lambda: self.web.answers("/health"))

    def flush(self) -> None:
        self.web.get("/internal/force_flush")
        self.web.get("/internal/force_merge")
        # A forced merge goes on in the background; what it merged is removed at the end.
        if not settled(self.stored, quiet=3, limit=SETTLE_SECONDS):
            raise ProcessFailed(f"still merges files after {SETTLE_SECONDS} s")

    def stored(self) -> int:
        return bytes_under(self.folder / "data")

    def rows(self, form: str, count: int) -> Reply[bytes]:
        last = self.first // 1000 + (count - 1) * 10
        query = {
            "match[]": "walk_x",
            "format": "__timestamp__:unix_ms,__value__",
            "start": f"{self.first / 1e6:.3f}",
            "end": f"{last / 1e3:.3f}",
        }
        return self.web.get("/api/v1/export/csv", query)

    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        cells = np.array(text.replace(b"\n", b",").rstrip(b",").split(b",")).reshape(-1, 2)
        return cells[:, 0].astype(np.int64) * 1000, cells[:, 1:].astype(np.float64)

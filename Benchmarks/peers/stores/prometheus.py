"""Prometheus: remote write in, PromQL out."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import numpy as np

from harness.figure import Reply
from harness.peer import ServerPeer, Unavailable
from harness.process import bytes_under
from harness.truth import Windows
from stores import remote_write


class PromQL(ServerPeer):
    """What the two stores share that speak PromQL: times in milliseconds, one series a field."""

    tick = 1000
    is_population = True
    # Taken off a span so that a window holds its beginning and not its end.
    closed = 0
    # Sent with every query.
    extra: dict[str, object] = {}

    def prepare(self, times: np.ndarray, values: np.ndarray) -> bytes:
        names = [f"walk_{field}" for field in self.fields]
        return remote_write.request(names, times // 1000, values)

    def ingest(self, batch: bytes) -> None:
        self.web.post("/api/v1/write", batch, headers=remote_write.HEADERS)

    def mean(self) -> Reply[list[float]]:
        return self._together([f"avg_over_time(walk_{field}{self._all})" for field in self.fields])

    def mean_deviation(self) -> Reply[list[float]]:
        return self._together(
            [f"{name}_over_time(walk_x{self._all})" for name in ("avg", "stddev")]
        )

    def extremes(self) -> Reply[list[float]]:
        names = ("min", "max", "count")
        return self._together([f"{name}_over_time(walk_x{self._all})" for name in names])

    def p99(self) -> Reply[list[float]]:
        return self._together([f"quantile_over_time(0.99, walk_x{self._all})"])

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        width, origin = windows.width // 1000, windows.origin // 1000
        # A window is asked for by its last millisecond.
        first = origin + width - 1
        last = first + (windows.count - 1) * width
        query = {
            "query": f"avg_over_time(walk_x[{width - self.closed}ms])",
            "start": _seconds(first),
            "end": _seconds(last),
            "step": _seconds(width),
        }
        reply = self.web.get("/api/v1/query_range", query | self.extra)
        values = _result(reply.value)[0]["values"]
        return Reply(reply.seconds, [float(value) for _, value in values])

    def newest_call(self) -> tuple[str, dict[str, object]]:
        query = {"query": "walk_x", "time": _seconds(self.last // 1000)}
        return "/api/v1/query", query | self.extra

    def newest_of(self, answer: bytes) -> float:
        result = _result(answer)
        if not result:
            raise ValueError("no value yet")
        return float(result[0]["value"][1])

    @property
    def _all(self) -> str:
        return f"[{self.last // 1000 - self.first // 1000 + 1}ms]"

    def _instant(self, query: str) -> Reply[bytes]:
        time = _seconds(self.last // 1000)
        return self.web.get("/api/v1/query", {"query": query, "time": time} | self.extra)

    def _together(self, queries: list[str]) -> Reply[list[float]]:
        """One query with a labelled answer for each part, so that it is one call."""
        parts = [
            f'label_replace({query}, "part", "{index}", "", "")'
            for index, query in enumerate(queries)
        ]
        reply = self._instant(" or ".join(parts))
        found = {item["metric"]["part"]: float(item["value"][1]) for item in _result(reply.value)}
        return Reply(reply.seconds, [found[str(index)] for index in range(len(queries))])


class Prometheus(PromQL):
    """The server of the Prometheus project, as a receiver of remote writes."""

    name = "prometheus"
    acknowledged = "page cache"
    # Before version 3 a span holds both its ends.
    closed = 1
    forms = ("json",)

    @classmethod
    def version(cls) -> str:
        program = shutil.which("prometheus")
        if program is None:
            raise Unavailable("prometheus is not installed")
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
        version = (done.stdout + done.stderr).split()[2]
        if not version.startswith("2."):
            raise Unavailable(f"the harness knows the spans of version 2 only, not of {version}")
        return version

    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        empty = self.folder / "prometheus.yml"
        empty.touch()
        return [
            "prometheus",
            f"--config.file={empty}",
            f"--storage.tsdb.path={self.folder}/data",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{port}",
            "--web.enable-remote-write-receiver",
            "--web.enable-admin-api",
            # The newest value is never far from now; the five minutes of old hold 30 000 samples.
            "--query.lookback-delta=1s",
            "--query.timeout=10m",
            "--query.max-samples=200000000",
            "--log.level=warn",
        ], {}

    def open(self) -> None:
        self.launch()
        self.server.wait(lambda: self.web.answers("/-/ready"))

    def flush(self) -> None:
        # A snapshot has everything in blocks, also what a restart would find in the log only.
        name = json.loads(self.web.post("/api/v1/admin/tsdb/snapshot", b"").value)["data"]["name"]
        self._snapshot = self.folder / "data" / "snapshots" / name

    def stored(self) -> int:
        return bytes_under(self._snapshot)

    def rows(self, form: str, count: int) -> Reply[bytes]:
        # 10 ms a sample: the last of them closes a span that holds both ends.
        last = self.first // 1000 + (count - 1) * 10
        query = {"query": f"walk_x[{(count - 1) * 10}ms]", "time": _seconds(last)}
        return self.web.get("/api/v1/query", query)

    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        values = _result(text)[0]["values"]
        times = np.rint(np.array([pair[0] for pair in values]) * 1000).astype(np.int64) * 1000
        return times, np.array([float(pair[1]) for pair in values])[:, None]


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds // 1000}.{milliseconds % 1000:03d}"


def _result(answer: bytes) -> Any:
    return json.loads(answer)["data"]["result"]

"""InfluxDB 1.x: line protocol in, InfluxQL out."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import numpy as np

from harness.figure import Reply
from harness.peer import ServerPeer, Unavailable
from harness.process import ProcessFailed, bytes_under, settled
from harness.truth import Windows

SETTLE_SECONDS = 180


class InfluxDB(ServerPeer):
    """One measurement with a field an axis; times in microseconds."""

    name = "influxdb"
    acknowledged = "on disk"
    is_nearest = True

    @classmethod
    def version(cls) -> str:
        program = shutil.which("influxd")
        if program is None:
            raise Unavailable("influxd is not installed")
        text = subprocess.run([program, "version"], capture_output=True, text=True).stdout
        return next((word for word in text.split() if word[:1].isdigit() or word[:2] == "v1"), "?")

    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        empty = self.folder / "influxdb.conf"
        empty.touch()
        environment = {
            "INFLUXDB_REPORTING_DISABLED": "true",
            # The port of its own protocol between servers; 0 takes a free one.
            "INFLUXDB_BIND_ADDRESS": "127.0.0.1:0",
            "INFLUXDB_META_DIR": f"{self.folder}/meta",
            "INFLUXDB_DATA_DIR": f"{self.folder}/data",
            "INFLUXDB_DATA_WAL_DIR": f"{self.folder}/wal",
            "INFLUXDB_DATA_QUERY_LOG_ENABLED": "false",
            # What is not written to is compacted after seconds and not after hours.
            "INFLUXDB_DATA_CACHE_SNAPSHOT_WRITE_COLD_DURATION": "2s",
            "INFLUXDB_DATA_COMPACT_FULL_WRITE_COLD_DURATION": "4s",
            "INFLUXDB_MONITOR_STORE_ENABLED": "false",
            "INFLUXDB_HTTP_BIND_ADDRESS": f"127.0.0.1:{port}",
            "INFLUXDB_HTTP_LOG_ENABLED": "false",
            "INFLUXDB_HTTP_MAX_BODY_SIZE": "0",
        }
        return ["influxd", "run", "-config", str(empty)], environment

    def open(self) -> None:
        self.launch()
        self.server.wait(lambda: self.web.answers("/ping"))
        self.web.post("/query", b"", {"q": "CREATE DATABASE walk WITH DURATION INF"})

    def prepare(self, times: np.ndarray, values: np.ndarray) -> bytes:
        columns = [f"{field}=" for field in self.fields]
        lines = []
        for moment, row in zip(times.tolist(), values.tolist(), strict=True):
            cells = ",".join(f"{name}{value}" for name, value in zip(columns, row, strict=True))
            lines.append(f"walk {cells} {moment}")
        return "\n".join(lines).encode()

    def ingest(self, batch: bytes) -> None:
        self.web.post("/write", batch, {"db": "walk", "precision": "u"})

    def flush(self) -> None:
        # Its log is emptied and its files are merged in the background: wait until nothing moves.
        if not settled(self.stored, quiet=8, limit=SETTLE_SECONDS):
            raise ProcessFailed(f"still merges files after {SETTLE_SECONDS} s")

    def stored(self) -> int:
        return bytes_under(self.folder / "data") + bytes_under(self.folder / "wal")

    def mean(self) -> Reply[list[float]]:
        return self._row(", ".join(f"mean({field})" for field in self.fields))

    def mean_deviation(self) -> Reply[list[float]]:
        return self._row("mean(x), stddev(x)")

    def extremes(self) -> Reply[list[float]]:
        return self._row("min(x), max(x), count(x)")

    def p99(self) -> Reply[list[float]]:
        return self._row("percentile(x, 99)")

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        offset = windows.origin % windows.width
        reply = self._query(
            f"SELECT mean(x) FROM walk WHERE time >= {windows.origin}u AND time < {windows.end}u"
            f" GROUP BY time({windows.width}u, {offset}u)"
        )
        return Reply(reply.seconds, [row[1] for row in _rows(reply.value)])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        query = f"SELECT {', '.join(self.fields)} FROM walk LIMIT {count}"
        return self._query(query, {"Accept": "application/csv"})

    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        header, _, body = text.partition(b"\n")
        width = header.count(b",") + 1
        cells = np.array(body.replace(b"\n", b",").rstrip(b",").split(b",")).reshape(-1, width)
        return cells[:, 2].astype(np.int64), cells[:, 3:].astype(np.float64)

    def newest_call(self) -> tuple[str, dict[str, object]]:
        return "/query", {"db": "walk", "q": "SELECT x FROM walk ORDER BY time DESC LIMIT 1"}

    def newest_of(self, answer: bytes) -> float:
        return float(_rows(answer)[0][1])

    def _query(self, query: str, headers: dict[str, str] | None = None) -> Reply[bytes]:
        return self.web.get("/query", {"db": "walk", "epoch": "u", "q": query}, headers)

    def _row(self, columns: str) -> Reply[list[float]]:
        reply = self._query(f"SELECT {columns} FROM walk")
        return Reply(reply.seconds, [float(value) for value in _rows(reply.value)[0][1:]])


def _rows(answer: bytes) -> list[list[Any]]:
    results = json.loads(answer).get("results", [{}])
    if "series" not in results[0]:
        raise ValueError(f"no series: {answer[:200]!r}")
    return results[0]["series"][0]["values"]

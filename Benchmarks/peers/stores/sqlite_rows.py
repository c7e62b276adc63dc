"""SQLite with one row a sample, through Python's own module; also with an index on time."""

from __future__ import annotations

import csv
import io
import math
import sqlite3
from pathlib import Path

import numpy as np

from harness.figure import Reply, timed
from harness.peer import LibraryPeer
from harness.truth import Windows


class SQLiteRows(LibraryPeer):
    """A table of times and values, in write-ahead mode with full synchronisation."""

    name = "sqlite"
    acknowledged = "on disk"
    is_population = True
    index: str | None = None
    opening = (
        "import sqlite3\n"
        "database = sqlite3.connect(sys.argv[1])\n"
        "query = 'SELECT x FROM walk ORDER BY t DESC LIMIT 1'\n"
        "newest = database.execute(query).fetchone()[0]"
    )

    @classmethod
    def version(cls) -> str:
        return sqlite3.sqlite_version

    @property
    def place(self) -> Path:
        return self.folder / "walk.sqlite"

    def open(self) -> None:
        self._database = sqlite3.connect(self.place, isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        columns = ", ".join(f"{field} REAL NOT NULL" for field in self.fields)
        self._database.execute(f"CREATE TABLE walk (t INTEGER NOT NULL, {columns}) STRICT")
        if self.index:
            self._database.execute(self.index)

    def prepare(self, times: np.ndarray, values: np.ndarray) -> list[tuple[float, ...]]:
        return list(zip(times.tolist(), *(column.tolist() for column in values.T), strict=True))

    def ingest(self, batch: list[tuple[float, ...]]) -> None:
        marks = ", ".join("?" * (1 + len(self.fields)))
        self._database.execute("BEGIN")
        self._database.executemany(f"INSERT INTO walk VALUES ({marks})", batch)
        self._database.execute("COMMIT")

    def flush(self) -> None:
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def stored(self) -> int:
        return self.place.stat().st_size

    def close(self) -> None:
        if hasattr(self, "_database"):
            self._database.close()

    def mean(self) -> Reply[list[float]]:
        return self._row(", ".join(f"avg({field})" for field in self.fields))

    def mean_deviation(self) -> Reply[list[float]]:
        reply = self._row("count(x), sum(x), sum(x * x)")
        count, total, squares = reply.value
        mean = total / count
        return Reply(reply.seconds, [mean, math.sqrt(squares / count - mean * mean)])

    def extremes(self) -> Reply[list[float]]:
        return self._row("min(x), max(x), count(x)")

    def p99(self) -> Reply[list[float]]:
        def ranked() -> list[float]:
            count = self._database.execute("SELECT count(*) FROM walk").fetchone()[0]
            place = (count - 1) * 0.99
            rank = math.floor(place)
            query = "SELECT x FROM walk ORDER BY x LIMIT 2 OFFSET ?"
            pair = [row[0] for row in self._database.execute(query, (rank,))]
            return [pair[0] + (pair[-1] - pair[0]) * (place - rank)]

        return timed(ranked)

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        query = (
            "SELECT avg(x) FROM walk WHERE t >= :origin AND t < :end"
            " GROUP BY (t - :origin) / :width ORDER BY (t - :origin) / :width"
        )
        names = {"origin": windows.origin, "end": windows.end, "width": windows.width}
        reply = timed(lambda: self._database.execute(query, names).fetchall())
        return Reply(reply.seconds, [row[0] for row in reply.value])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        def written() -> bytes:
            text = io.StringIO()
            names = ", ".join(self.fields)
            query = f"SELECT t, {names} FROM walk ORDER BY t LIMIT ?"
            writer = csv.writer(text, lineterminator="\n")
            writer.writerows(self._database.execute(query, (count,)))
            return text.getvalue().encode()

        return timed(written)

    def newest(self) -> Reply[float]:
        query = "SELECT x FROM walk ORDER BY t DESC LIMIT 1"
        return timed(lambda: self._database.execute(query).fetchone()[0])

    def _row(self, columns: str) -> Reply[list[float]]:
        query = f"SELECT {columns} FROM walk"
        return timed(lambda: [float(value) for value in self._database.execute(query).fetchone()])

    def start(self) -> tuple[Reply[float], float]:
        started = super().start()
        self._database = sqlite3.connect(self.place, isolation_level=None)
        return started


class SQLiteIndexed(SQLiteRows):
    """The same with an index on time, as a store for reads by time would have it."""

    name = "sqlite+index"
    index = "CREATE INDEX walk_by_time ON walk (t)"

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
        self.database = self.connect()
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        columns = ", ".join(f"{field} REAL NOT NULL" for field in self.fields)
        self.database.execute(f"CREATE TABLE walk (t INTEGER NOT NULL, {columns}) STRICT")
        if self.index:
            self.database.execute(self.index)

    def prepare(self, times: np.ndarray, values: np.ndarray) -> list[tuple[float, ...]]:
        return list(zip(times.tolist(), *(column.tolist() for column in values.T), strict=True))

    def ingest(self, batch: list[tuple[float, ...]]) -> None:
        marks = ", ".join("?" * (1 + len(self.fields)))
        self.database.execute("BEGIN")
        self.database.executemany(f"INSERT INTO walk VALUES ({marks})", batch)
        self.database.execute("COMMIT")

    def flush(self) -> None:
        self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def stored(self) -> int:
        return self.place.stat().st_size

    def mean_deviation(self) -> Reply[list[float]]:
        reply = self.row("count(x), sum(x), sum(x * x)")
        count, total, squares = reply.value
        mean = total / count
        return Reply(reply.seconds, [mean, math.sqrt(squares / count - mean * mean)])

    def p99(self) -> Reply[list[float]]:
        def ranked() -> list[float]:
            count = self.database.execute("SELECT count(*) FROM walk").fetchone()[0]
            place = (count - 1) * 0.99
            rank = math.floor(place)
            query = "SELECT x FROM walk ORDER BY x LIMIT 2 OFFSET ?"
            pair = [row[0] for row in self.database.execute(query, (rank,))]
            return [pair[0] + (pair[-1] - pair[0]) * (place - rank)]

        return timed(ranked)

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        query = (
            "SELECT avg(x) FROM walk WHERE t >= :origin AND t < :end"
            " GROUP BY (t - :origin) / :width ORDER BY (t - :origin) / :width"
        )
        names = {"origin": windows.origin, "end": windows.end, "width": windows.width}
        reply = timed(lambda: self.database.execute(query, names).fetchall())
        return Reply(reply.seconds, [row[0] for row in reply.value])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        def written() -> bytes:
            text = io.StringIO()
            names = ", ".join(self.fields)
            query = f"SELECT t, {names} FROM walk ORDER BY t LIMIT ?"
            writer = csv.writer(text, lineterminator="\n")
            writer.writerows(self.database.execute(query, (count,)))
            return text.getvalue().encode()

        return timed(written)

    def newest(self) -> Reply[float]:
        query = "SELECT x FROM walk ORDER BY t DESC LIMIT 1"
        return timed(lambda: self.database.execute(query).fetchone()[0])

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.place, isolation_level=None)

    def row(self, columns: str) -> Reply[list[float]]:
        query = f"SELECT {columns} FROM walk"
        return timed(lambda: [float(value) for value in self.database.execute(query).fetchone()])


class SQLiteIndexed(SQLiteRows):
    """The same with an index on time, as a store for reads by time would have it."""

    name = "sqlite+index"
    index = "CREATE INDEX walk_by_time ON walk (t)"

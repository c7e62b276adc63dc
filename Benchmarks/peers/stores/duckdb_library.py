"""DuckDB in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from harness.figure import Reply, timed
from harness.peer import LibraryPeer, Unavailable
from harness.truth import Windows


class DuckDB(LibraryPeer):
    """A table of times and values; batches come in from NumPy, one transaction each."""

    name = "duckdb"
    acknowledged = "on disk"
    opening = (
        "import duckdb\n"
        "database = duckdb.connect(sys.argv[1])\n"
        "newest = database.execute('SELECT arg_max(x, t) FROM walk').fetchone()[0]"
    )

    @classmethod
    def version(cls) -> str:
        try:
            import duckdb
        except ImportError as error:
            raise Unavailable(f"no Python module duckdb ({error})") from error
        return str(duckdb.__version__)

    @property
    def place(self) -> Path:
        return self.folder / "walk.duckdb"

    def open(self) -> None:
        self.database = self.connect()
        columns = ", ".join(f"{field} DOUBLE NOT NULL" for field in self.fields)
        self.database.execute(f"CREATE TABLE walk (t BIGINT NOT NULL, {columns})")

    def prepare(self, times: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
        columns = {"t": times.copy()}
        for field, column in zip(self.fields, values.T, strict=True):
            columns[field] = column.copy()
        return columns

    def ingest(self, batch: dict[str, np.ndarray]) -> None:
        # DuckDB finds `batch` by its name among the variables of the caller.
        self.database.execute("INSERT INTO walk SELECT * FROM batch")

    def flush(self) -> None:
        self.database.execute("CHECKPOINT")

    def stored(self) -> int:
        return self.place.stat().st_size

    def mean_deviation(self) -> Reply[list[float]]:
        return self.row("avg(x), stddev_samp(x)")

    def p99(self) -> Reply[list[float]]:
        return self.row("quantile_cont(x, 0.99)")

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        query = (
            f"SELECT (t - {windows.origin}) // {windows.width} AS w, avg(x) FROM walk"
            f" WHERE t >= {windows.origin} AND t < {windows.end} GROUP BY w ORDER BY w"
        )
        reply = timed(lambda: self.database.execute(query).fetchall())
        return Reply(reply.seconds, [row[1] for row in reply.value])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        target = self.folder / "rows.csv"
        names = ", ".join(self.fields)
        query = (
            f"COPY (SELECT t, {names} FROM walk ORDER BY t LIMIT {count})"
            f" TO '{target}' (FORMAT csv, HEADER false)"
        )
        reply = timed(lambda: self.database.execute(query))
        text = target.read_bytes()
        target.unlink()
        return Reply(reply.seconds, text)

    def newest(self) -> Reply[float]:
        reply = self.row("arg_max(x, t)")
        return Reply(reply.seconds, reply.value[0])

    def connect(self) -> Any:
        import duckdb

        return duckdb.connect(str(self.place))

    def row(self, columns: str) -> Reply[list[float]]:
        query = f"SELECT {columns} FROM walk"
        return timed(lambda: [float(value) for value in self.database.execute(query).fetchone()])

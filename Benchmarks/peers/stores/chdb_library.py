"""chdb: the engine of ClickHouse in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from harness.figure import Reply, timed
from harness.peer import LibraryPeer, Unavailable
from harness.process import bytes_under
from harness.truth import Windows


class ChDB(LibraryPeer):
    """A MergeTree in the order of time, with codecs that suit: differences of differences, ZSTD."""

    name = "chdb"
    acknowledged = "page cache"
    opening = (
        "from chdb import session\n"
        "database = session.Session(sys.argv[1])\n"
        "query = 'SELECT x FROM walk ORDER BY t DESC LIMIT 1'\n"
        "newest = float(database.query(query, 'CSV').bytes())"
    )

    @classmethod
    def version(cls) -> str:
        try:
            import chdb
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise Unavailable(f"no Python module chdb ({error})") from error
        return str(chdb.__version__)

    @property
    def place(self) -> Path:
        return self.folder / "chdb"

    def open(self) -> None:
        self.database = self.connect()
        columns = ", ".join(f"{field} Float64 CODEC(ZSTD(1))" for field in self.fields)
        self.database.query(
            f"CREATE TABLE walk (t Int64 CODEC(DoubleDelta, ZSTD(1)), {columns})"
            " ENGINE = MergeTree ORDER BY t"
        )

    def prepare(self, times: np.ndarray, values: np.ndarray) -> Any:
        import pyarrow

        columns = dict(zip(self.fields, (column.copy() for column in values.T), strict=True))
        return pyarrow.table({"t": times.copy()} | columns)

    def ingest(self, batch: Any) -> None:
        # chdb finds `batch` by its name among the variables of the caller.
        self.database.query("INSERT INTO walk SELECT * FROM Python(batch)")

    def flush(self) -> None:
        self.database.query("OPTIMIZE TABLE walk FINAL")

    def stored(self) -> int:
        # Parts that were merged stay on disk for minutes; the engine knows which ones live.
        living = "SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'walk' AND active"
        found = int(self.database.query(living, "CSV").bytes())
        if not 0 < found <= bytes_under(self.place):
            raise ValueError("chdb counts more bytes than there are")
        return found

    def mean_deviation(self) -> Reply[list[float]]:
        return self.row("avg(x), stddevSampStable(x)")

    def p99(self) -> Reply[list[float]]:
        return self.row("quantileExactInclusive(0.99)(x)")

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        reply = self._csv(
            f"SELECT avg(x) FROM walk WHERE t >= {windows.origin} AND t < {windows.end}"
            f" GROUP BY intDiv(t - {windows.origin}, {windows.width}) AS w ORDER BY w"
        )
        return Reply(reply.seconds, [float(line) for line in reply.value.split()])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        return self._csv(f"SELECT t, {', '.join(self.fields)} FROM walk ORDER BY t LIMIT {count}")

    def newest(self) -> Reply[float]:
        reply = self._csv("SELECT x FROM walk ORDER BY t DESC LIMIT 1")
        return Reply(reply.seconds, float(reply.value))

    def connect(self) -> Any:
        from chdb import session

        return session.Session(str(self.place))

    def row(self, columns: str) -> Reply[list[float]]:
        reply = self._csv(f"SELECT {columns} FROM walk")
        return Reply(reply.seconds, [float(cell) for cell in reply.value.split(b",")])

    def _csv(self, query: str) -> Reply[bytes]:
        return timed(lambda: bytes(self.database.query(query, "CSV").bytes()))

"""The file of Nervous in its first version, in which every sample is a row."""

from __future__ import annotations

import json
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

from harness.peer import Unavailable
from harness.walk import Walk

_FIRST_VERSION = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('tail');
    CREATE TABLE sensor (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE layout (
        id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL REFERENCES sensor(id),
        fields TEXT NOT NULL, UNIQUE (sensor, fields)
    ) STRICT;
    CREATE TABLE tail (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT, sensor INTEGER NOT NULL,
        layout INTEGER NOT NULL, time INTEGER NOT NULL, payload BLOB NOT NULL
    ) STRICT;
    CREATE INDEX tail_by_time ON tail (sensor, time);
    CREATE TABLE collection (sensor TEXT PRIMARY KEY, level TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""


def layout(place: Path, sensor: str, fields: tuple[str, ...]) -> str:
    """The fields of a sensor as its host has written them: names, kinds and units.

    Raises `Unavailable` when the host knows it with other names.
    """
    query = """
        SELECT fields FROM layout JOIN sensor ON sensor.id = layout.sensor WHERE sensor.name = ?
    """
    with closing(sqlite3.connect(place)) as database:
        try:
            found = [row[0] for row in database.execute(query, (sensor,))]
        except sqlite3.Error as error:
            raise Unavailable(f"its file has no such layout: {error}") from error
    for text in found:
        if [name for name, _, _ in json.loads(text)] == list(fields):
            return text
    raise Unavailable(f"its file knows {sensor} with other fields: {found}")


def write(place: Path, sensor: str, fields: str, walk: Walk) -> None:
    """Makes a file with the samples of one sensor, which is off and gains no others."""
    pack = struct.Struct(f"<{len(walk.fields)}d").pack
    rows = (
        (moment, pack(*values))
        for moment, values in zip(walk.times.tolist(), walk.values.tolist(), strict=True)
    )
    with closing(sqlite3.connect(place)) as database:
        database.executescript(_FIRST_VERSION)
        database.execute("INSERT INTO sensor VALUES (1, ?)", (sensor,))
        database.execute("INSERT INTO layout VALUES (1, 1, ?)", (fields,))
        database.execute("INSERT INTO collection VALUES (?, 'off')", (sensor,))
        database.executemany(
            "INSERT INTO tail (sensor, layout, time, payload) VALUES (1, 1, ?, ?)", rows
        )
        database.commit()
    place.chmod(0o600)


def compact(place: Path) -> None:
    """Gives back the space of what was brought into another form."""
    with closing(sqlite3.connect(place)) as database:
        database.execute("VACUUM")

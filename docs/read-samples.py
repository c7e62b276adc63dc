#!/usr/bin/env python3
"""Prints the samples of one sensor from a samples.sqlite, oldest first.

usage: read-samples.py FILE            list the sensors
       read-samples.py FILE SENSOR     print its samples as tab-separated values
"""

import json
import sqlite3
import struct
import sys
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def decode(payload, kinds):
    """The values of one sample; see docs/file-format.md."""
    values, offset = [], 0
    for kind in kinds:
        if kind in ("number", "integer"):
            values += struct.unpack_from("<d" if kind == "number" else "<q", payload, offset)
            offset += 8
        else:
            (length,) = struct.unpack_from("<I", payload, offset)
            values.append(payload[offset + 4 : offset + 4 + length].decode())
            offset += 4 + length
    if offset != len(payload):
        raise ValueError("the payload does not fit its layout")
    return values


def main(path, sensor=None):
    # mode=ro also reads the -wal file beside it, so what a running host wrote last is seen.
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    if sensor is None:
        for (name,) in database.execute("SELECT name FROM sensor ORDER BY name"):
            print(name)
        return
    layouts = dict(database.execute("SELECT id, fields FROM layout"))
    rows = database.execute(
        "SELECT layout, time, payload FROM tail WHERE sensor = (SELECT id FROM sensor"
        " WHERE name = ?) ORDER BY time, sequence",
        (sensor,),
    )
    header = None
    for layout, time, payload in rows:
        fields = json.loads(layouts[layout])
        names = [f"{name} [{unit}]" if unit else name for name, _, unit in fields]
        if names != header:
            print("time", *names, sep="\t")
            header = names
        values = decode(payload, [kind for _, kind, _ in fields])
        print((EPOCH + timedelta(microseconds=time)).isoformat(), *values, sep="\t")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])

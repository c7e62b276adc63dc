#!/usr/bin/env python3
"""Verify the access log in permissions.sqlite; see docs/access-log.md.

usage: verify-log.py FILE           print the number of lines and the head's hash
       verify-log.py FILE HASH      also require this hash, noted earlier, to be in the chain
"""

import hashlib
import sqlite3
import struct
import sys

NUMBERS = ("id", "time", "from", "to", "calls", "count")
COLUMNS = (
    "id time kind client privilege sensor access operation from to calls count detail"
).split()
LATER = ("clientKind",)  # Hashed only where they are not NULL.


def encoded(value):
    if value is None:
        return b"\0"
    if isinstance(value, int):
        return b"\1" + struct.pack(">q", value)
    return b"\2" + struct.pack(">I", len(value)) + value


def main(path, expected=None):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    # Read texts as raw bytes, because the hash is over the bytes in the file.
    present = [row[1] for row in database.execute("PRAGMA table_info(ledger)")]
    later = [c for c in LATER if c in present]
    names = [f'"{c}"' if c in NUMBERS else f'CAST("{c}" AS BLOB)' for c in COLUMNS + later]
    head, following, count, seen = bytes(32), 1, 0, set()
    for *values, kept in database.execute(f"SELECT {', '.join(names)}, hash FROM ledger ORDER BY id"):
        if count == 0 and values[0] > 1:
            cut = database.execute(
                "SELECT detail FROM ledger WHERE kind = 'pruned' AND count = ?"
                " ORDER BY id DESC LIMIT 1", (values[0] - 1,)).fetchone()
            if cut is None:
                sys.exit(f"the entries before {values[0]} are missing")
            head, following = bytes.fromhex(cut[0]), values[0]
            seen.add(head.hex())
        if values[0] != following:
            sys.exit(f"line {following} is missing")
        known, added = values[: len(COLUMNS)], values[len(COLUMNS) :]
        values = known + [value for value in added if value is not None]
        head = hashlib.sha256(head + b"".join(map(encoded, values))).digest()
        if head != kept:
            sys.exit(f"entry {following} was changed, or does not follow the one before it")
        seen.add(head.hex())
        following, count = following + 1, count + 1
    if expected and expected.lower() not in seen:
        sys.exit("the expected hash is not in the chain")
    print(count, head.hex())


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])

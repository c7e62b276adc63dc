#!/usr/bin/env python3
"""Verify the access log in permissions.sqlite; see docs/access-log.md.

usage: verify-log.py FILE [HASH] [--key KEYFILE]

Prints the number of entries and the head's hash. HASH, noted earlier, must be in the chain. With KEYFILE, which
contains the key that `nervous log --seal` printed, also the seals are verified, with access-log.seal beside FILE.
"""

import base64
import hashlib
import hmac
import os
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


class Seals:
    """The key that moves one way, from the one that the owner kept."""

    def __init__(self, text):
        text = text.strip()
        body = base64.urlsafe_b64decode(text[4:] + "=" * (-len(text[4:]) % 4))
        content, checksum = body[:-4], body[-4:]
        if text[:4] != "nvk_" or len(body) != 76 or hashlib.sha256(content).digest()[:4] != checksum:
            sys.exit("this is not the key of an access log")
        (self.entry,), self.key = struct.unpack(">q", content[:8]), content[8:40]
        self.first, self.passed = self.entry, {}

    def code(self, label, content=b""):
        message = b"nervous access log 1 " + label + struct.pack(">q", self.entry) + content
        return hmac.new(self.key, message, hashlib.sha256).digest()

    def move(self, entry, noted=None):
        """Moves to an entry; `noted` is an entry whose key is kept for the comparison with the file."""
        while self.entry < entry:
            if self.entry == noted:
                self.passed[noted] = self.key
            self.key, self.entry = self.code(b"next"), self.entry + 1
        if self.entry == noted:
            self.passed[noted] = self.key

    def tag(self, digest):
        return self.code(b"seal", digest)[:16]


def state(path):
    """The entry and the key in access-log.seal; None if it is missing or damaged."""
    try:
        with open(os.path.join(os.path.dirname(path), "access-log.seal"), "rb") as file:
            content = file.read()
    except OSError:
        return None
    places = [content[start : start + 144] for start in (0, 4096)]
    valid = [
        place for place in places
        if place[:8] == b"NVSSEAL1" and hashlib.sha256(place[:112]).digest() == place[112:]
    ]
    return max(((struct.unpack(">q", p[8:16])[0], p[16:48]) for p in valid), default=None)


def main(path, expected=None, key=None):
    seals = Seals(open(key).read()) if key else None
    moved = state(path)
    noted = moved[0] if moved else None
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    # Read texts as raw bytes, because the hash is over the bytes in the file.
    present = [row[1] for row in database.execute("PRAGMA table_info(ledger)")]
    later = [c for c in LATER if c in present]
    names = [f'"{c}"' if c in NUMBERS else f'CAST("{c}" AS BLOB)' for c in COLUMNS + later]
    seal = "seal" if "seal" in present else "NULL"
    head, following, count, seen = bytes(32), 1, 0, set()
    for *values, kept, sealed in database.execute(
        f"SELECT {', '.join(names)}, hash, {seal} FROM ledger ORDER BY id"
    ):
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
        if seals and following >= seals.first:
            seals.move(following, noted)
            if sealed is None or not hmac.compare_digest(seals.tag(head), sealed):
                sys.exit(f"the seal of entry {following} does not match")
        seen.add(head.hex())
        following, count = following + 1, count + 1
    if seals:
        if moved is None:
            sys.exit(f"access-log.seal is missing: entries after {following - 1} may have been removed")
        if noted > following:
            sys.exit(f"entries {following} to {noted - 1} are missing at the end")
        seals.move(following, noted)
        if seals.passed.get(noted) != moved[1]:
            sys.exit("access-log.seal was replaced: its key does not belong to this log")
    if expected and expected.lower() not in seen:
        sys.exit("the expected hash is not in the chain")
    print(count, head.hex())


if __name__ == "__main__":
    words, key = sys.argv[1:], None
    if "--key" in words:
        place = words.index("--key")
        key = words[place + 1] if place + 1 < len(words) else sys.exit(__doc__)
        del words[place : place + 2]
    if len(words) not in (1, 2):
        sys.exit(__doc__)
    main(*words, key=key)

#!/usr/bin/env python3
"""Print the samples of a sensor from samples.sqlite, oldest first.

usage: read-samples.py FILE            list the sensors
       read-samples.py FILE SENSOR     print its samples as tab-separated values

The format is described in docs/file-format.md. Compressed texts need libzstd.
"""

import ctypes.util, json, sqlite3, struct, sys, zlib
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Bytes:
    """A buffer that is read from the front."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        self.place += count
        if self.place > len(self.data):
            raise ValueError("the bytes end too soon")
        return self.data[self.place - count : self.place]

    def rest(self):
        return self.take(len(self.data) - self.place)

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value, shift, byte = 0, 0, 0x80
        while byte & 0x80:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
        return value

    def signed(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)


def wrap(value):
    return (value + 2**63) % 2**64 - 2**63


def packed(data, count, width):
    whole = int.from_bytes(data, "little")
    return [(whole >> (place * width)) & (2**width - 1) for place in range(count)]


def lanes(data, width):
    words = [data[place : place + 4] for place in range(0, len(data), 4)]
    columns = [packed(b"".join(words[lane::4]), 32, width) for lane in range(4)]
    return [columns[place % 4][place // 4] for place in range(128)]


def frame(source, count):
    smallest, width = source.signed(), source.byte()
    return [smallest + rest for rest in packed(source.take((count * width + 7) // 8), count, width)]


def integers(source, count):
    predictor, values, last = source.byte(), [], 0
    if predictor == 0:
        return [source.signed()] * count
    if predictor == 4:
        for _ in range(count):
            last = wrap(last + source.signed())
            values.append(last)
        return values
    offset, divisor = source.signed(), source.signed()
    slope = source.signed() if predictor == 3 else 0
    blocks, width = (count + 127) // 128, source.byte()
    widths = source.take(blocks) if width == 0xFF else [width] * blocks
    bases = frame(source, blocks)
    anchors = frame(source, blocks) if predictor == 2 else bases
    for block, (width, base, last) in enumerate(zip(widths, bases, anchors)):
        size, bits = min(128, count - 128 * block), width & 0x7F
        data = source.take((size * bits + 7) // 8)
        rests = lanes(data, bits) if size == 128 and width < 0x80 else packed(data, size, bits)
        for row, rest in enumerate(rests):
            if predictor == 2:
                last = value = last + (rest + base if row else 0)
            else:
                value = rest + base + (slope * (128 * block + row) >> 16)
            values.append(wrap(value * divisor + offset))
    return values


def numbers(source, count):
    scale = source.byte()
    if scale == 0:
        order = [value ^ (2**63 - 1) if value < 0 else value for value in integers(source, count)]
        return list(struct.unpack(f"<{count}d", struct.pack(f"<{count}q", *order)))
    if scale == 1:
        power = float(10 ** source.byte())
        return [value / power + 0.0 for value in integers(source, count)]
    factor = 2.0 ** -source.byte() if scale == 2 else struct.unpack("<d", source.take(8))[0]
    return [value * factor + 0.0 for value in integers(source, count)]


def texts(source, count):
    lengths = integers(Bytes(source.take(source.varint())), count)
    if source.byte() == 1:
        zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
        zstd.ZSTD_decompress.restype = ctypes.c_size_t
        room = ctypes.create_string_buffer(source.varint())
        size = ctypes.c_size_t(len(room))
        data = source.rest()
        if zstd.ZSTD_decompress(room, size, data, ctypes.c_size_t(len(data))) != len(room):
            raise ValueError("the texts are damaged")
        source = Bytes(room.raw)
    return [source.take(length).decode() for length in lengths]


def states(source, count):
    if source.byte() == 0:
        return texts(source, count)
    size = source.varint()
    different = texts(Bytes(source.take(source.varint())), size)
    return [different[place] for place in integers(source, count)]


def chunk(data, kinds):
    """The samples of a chunk or an unsealed row: (time, sequence number, value …)."""
    source = Bytes(data)
    version, count, number = source.byte(), source.varint(), source.varint()
    if version != 1 or number != len(kinds) + 2:
        raise ValueError("a version or layout that is not known")
    directory = [(source.varint(), source.take(4)) for _ in range(number)]
    checks = [(data[: source.place], source.take(4))]
    columns = [source.take(length) for length, _ in directory]
    checks += [(column, check) for column, (_, check) in zip(columns, directory)]
    if any(zlib.crc32(part) != int.from_bytes(check, "little") for part, check in checks):
        raise ValueError("a checksum is wrong")
    ways = {"number": numbers, "integer": integers, "state": states, "text": states}
    kinds = ["integer", "integer", *kinds]
    return zip(*(ways[kind](Bytes(column), count) for kind, column in zip(kinds, columns)))


def journal(database):
    """The layout and the data of each row in the journal."""
    if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'journal'").fetchone():
        return
    content, base = b"", None
    for (data,) in database.execute("SELECT data FROM journal ORDER BY page"):
        length = int.from_bytes(data[8:10], "little")
        if base not in (None, data[:8]):
            break
        base, content = data[:8], content + data[10 : 10 + length]
        if length < len(data) - 10:
            break
    source = Bytes(content)
    while source.place < len(content):
        layout, _, _, _, length = [source.varint() for _ in range(5)]
        yield layout, source.take(length)


def main(path, sensor=None):
    # mode=ro also reads the -wal file, which has the latest transactions of a running host.
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    # One snapshot, because the host moves samples from the journal to rows.
    database.execute("BEGIN")
    if sensor is None:
        for (name,) in database.execute("SELECT name FROM sensor ORDER BY name"):
            print(name)
        return
    rows = database.execute(
        "SELECT fields, data FROM layout JOIN sensor ON sensor.id = sensor JOIN ("
        " SELECT layout AS owner, data FROM chunk JOIN content ON content.chunk = chunk.id"
        " UNION ALL SELECT layout, data FROM fresh) ON owner = layout.id WHERE name = ?",
        (sensor,),
    ).fetchall()
    for owner, data in journal(database):
        rows += database.execute(
            "SELECT fields, ? FROM layout JOIN sensor ON sensor.id = sensor"
            " WHERE layout.id = ? AND name = ?",
            (data, owner, sensor),
        )
    samples = []
    for text, data in rows:
        fields = json.loads(text)
        names = [f"{name} [{unit}]" if unit else name for name, _, unit in fields]
        for time, sequence, *values in chunk(data, [kind for _, kind, _ in fields]):
            samples.append((time, sequence, names, values))
    header = None
    for time, _, names, values in sorted(samples):
        if names != header:
            print("time", *names, sep="\t")
            header = names
        moment = (EPOCH + timedelta(microseconds=time)).isoformat(timespec="microseconds")
        print(moment[:26] + "Z", *(str(value).translate(ESCAPES) for value in values), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.stdout.reconfigure(encoding="utf-8")
    main(*sys.argv[1:])

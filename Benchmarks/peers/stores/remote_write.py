"""The remote write protocol of Prometheus, as far as one series a field needs it.

A request is a protobuf message in the block format of Snappy. The message, as protobuf notes it:

    WriteRequest { repeated TimeSeries timeseries = 1; }
    TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2; }
    Label        { string name = 1; string value = 2; }
    Sample       { double value = 1; int64 timestamp = 2; }   // milliseconds since 1970

Snappy may be all literals, with nothing compressed: that leaves the server the least work.
"""

from __future__ import annotations

import numpy as np

HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
_LITERAL = 65_536


def request(names: list[str], milliseconds: np.ndarray, values: np.ndarray) -> bytes:
    """The body that writes a column of `values` for each name."""
    message = bytearray()
    for name, column in zip(names, values.T, strict=True):
        label = _text(1, b"__name__") + _text(2, name.encode())
        series = _text(1, label) + _samples(milliseconds, column)
        message += _text(1, series)
    return _literals(bytes(message))


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _text(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def _samples(milliseconds: np.ndarray, column: np.ndarray) -> bytes:
    # From 1971 to 2109 milliseconds take six groups of seven bits: every sample has 18 bytes.
    if milliseconds.min() < 1 << 35 or milliseconds.max() >= 1 << 42:
        raise ValueError("these times do not take six bytes")
    out = np.empty((len(column), 18), dtype=np.uint8)
    out[:, 0:3] = (2 << 3 | 2, 16, 1 << 3 | 1)
    out[:, 3:11] = np.ascontiguousarray(column, dtype="<f8").view(np.uint8).reshape(-1, 8)
    out[:, 11] = 2 << 3
    for group in range(6):
        bits = milliseconds >> 7 * group & 127
        out[:, 12 + group] = bits | (128 if group < 5 else 0)
    return out.tobytes()


def _literals(content: bytes) -> bytes:
    """`content` in Snappy's block format: its length, then literals of at most 64 KiB."""
    out = bytearray(varint(len(content)))
    for start in range(0, len(content), _LITERAL):
        piece = content[start : start + _LITERAL]
        # Tag 61 << 2: two bytes of length minus one follow.
        out += bytes([61 << 2]) + (len(piece) - 1).to_bytes(2, "little") + piece
    return bytes(out)

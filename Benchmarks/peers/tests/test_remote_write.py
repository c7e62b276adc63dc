"""The remote write request, read back by a decoder that was written from the specifications."""

import struct
import unittest

import numpy as np

from stores import remote_write


class RemoteWriteTests(unittest.TestCase):
    def test_a_request_reads_back_as_it_was(self) -> None:
        # More than one literal of 64 KiB.
        times = 1_700_000_000_000 + np.arange(5000) * 10
        values = np.column_stack([np.arange(5000) / 16384, -np.arange(5000) / 3])
        message = unsnapped(remote_write.request(["walk_x", "walk_y"], times, values))
        series = [fields(content) for _, content in fields(message)]
        self.assertEqual(len(series), 2)
        for index, (name, parts) in enumerate(zip([b"walk_x", b"walk_y"], series, strict=True)):
            self.assertEqual(fields(parts[0][1]), [(1, b"__name__"), (2, name)])
            samples = [dict(fields(content)) for number, content in parts if number == 2]
            self.assertEqual([sample[2] for sample in samples], times.tolist())
            found = [struct.unpack("<d", sample[1])[0] for sample in samples]
            self.assertEqual(found, values[:, index].tolist())

    def test_varints_are_those_of_the_specification(self) -> None:
        for number, encoded in ((0, b"\0"), (127, b"\x7f"), (150, b"\x96\x01"), (300, b"\xac\x02")):
            self.assertEqual(remote_write.varint(number), encoded)

    def test_times_of_another_length_are_refused(self) -> None:
        with self.assertRaises(ValueError):
            remote_write.request(["walk_x"], np.array([1]), np.array([[1.0]]))


def unsnapped(block: bytes) -> bytes:
    """Snappy's block format, as far as literals go."""
    length, place = varint(block, 0)
    out = b""
    while place < len(block):
        tag = block[place]
        assert tag & 3 == 0, "not a literal"
        size, place = tag >> 2, place + 1
        if size >= 60:
            extra = size - 59
            size, place = int.from_bytes(block[place : place + extra], "little"), place + extra
        out += block[place : place + size + 1]
        place += size + 1
    assert len(out) == length
    return out


def fields(message: bytes) -> list:
    """Numbers and contents of the fields of a protobuf message."""
    found, place = [], 0
    while place < len(message):
        key, place = varint(message, place)
        if key & 7 == 0:
            content, place = varint(message, place)
        elif key & 7 == 1:
            content, place = message[place : place + 8], place + 8
        else:
            assert key & 7 == 2, "no such wire type here"
            size, place = varint(message, place)
            content, place = message[place : place + size], place + size
        found.append((key >> 3, content))
    assert place == len(message)
    return found


def varint(message: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[place]
        number, shift, place = number | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return number, place

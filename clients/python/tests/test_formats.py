"""What needs no host: columns, HTTP and events, whole and broken."""

from __future__ import annotations

import math
import random
import struct
from datetime import datetime, timedelta, timezone
from typing import Any, Generator

import pytest

from nervous_sensors import ConnectionFailed, Field, Gap, InvalidAnswer, Opened, Refused, Sample, SampleTable
from nervous_sensors import TokenRejected, Undecided
from nervous_sensors._columns import encode, microseconds_of, time_of
from nervous_sensors._events import StreamState
from nervous_sensors._http import Call, Head, Into, Line, Pieces, read_body, read_head
from nervous_sensors._operations import Address, Retries, span, when

FIELDS = [Field("n"), Field("i", "integer"), Field("s", "state"), Field("x", "text")]


def table(data: bytes) -> SampleTable:
    return SampleTable("walk", memoryview(data))


def columns(rows: int, seed: int = 1) -> tuple[list[int], dict[str, list[Any]]]:
    chance = random.Random(seed)
    texts = ["", "on", "größer", "a\0b", "🙂", "x" * 300]
    return [chance.randrange(-(2**62), 2**62) for _ in range(rows)], {
        "n": [chance.choice([0.0, -0.0, 1e-300, chance.gauss(0, 1e9)]) for _ in range(rows)],
        "i": [chance.randrange(-(2**63), 2**63) for _ in range(rows)],
        "s": [chance.choice(texts) for _ in range(rows)],
        "x": [chance.choice(texts) for _ in range(rows)],
    }


@pytest.mark.parametrize("rows", [0, 1, 2, 255, 256, 1000])
def test_columns_are_read_as_they_were_written(rows: int) -> None:
    np = pytest.importorskip("numpy")
    times, values = columns(rows)
    found = table(encode(FIELDS, times, values) * 2)
    assert len(found) == 2 * rows and found.fields == tuple(FIELDS)
    arrays = found.to_numpy()
    assert arrays["t"].astype("int64").tolist() == times * 2
    for field in FIELDS:
        assert arrays[field.name].tolist() == values[field.name] * 2
    assert encode(FIELDS, np.array(times, "int64"), {n: np.array(v) for n, v in values.items()}) == encode(
        FIELDS, times, values
    )


def test_numbers_are_views_of_the_received_bytes() -> None:
    np = pytest.importorskip("numpy")
    data = np.frombuffer(encode(FIELDS, *columns(50)), "u1").copy()
    found = SampleTable("walk", memoryview(data.data))
    arrays = found.to_numpy()
    for name in ["t", "n", "i"]:
        assert np.shares_memory(arrays[name], data), name


def test_rows_have_exact_times() -> None:
    time = datetime(2026, 3, 1, 12, 0, 0, 123457, timezone.utc)
    [row] = table(encode([Field("i", "integer")], [microseconds_of(time)], {"i": [2**63 - 1]}))
    assert row == {"t": time, "i": 2**63 - 1}
    assert time_of(-1) == datetime(1969, 12, 31, 23, 59, 59, 999999, timezone.utc)


def test_columns_that_end_early_are_refused() -> None:
    whole = encode(FIELDS, *columns(3))
    for end in range(1, len(whole)):
        with pytest.raises(InvalidAnswer):
            table(whole[:end])


def test_columns_with_other_lengths_are_refused() -> None:
    header = struct.Struct("<3sBHIQ")
    for magic, version, kind, rows, length in [
        (b"NVX", 1, 0, 1, 16), (b"NVC", 2, 0, 1, 16), (b"NVC", 1, 4, 1, 16), (b"NVC", 1, 0, 2, 16),
        (b"NVC", 1, 0, 1, 15), (b"NVC", 1, 2, 1, 16), (b"NVC", 1, 2, 2**32 - 1, 16),
    ]:
        data = header.pack(magic, version, 1, rows, length) + bytes([kind, 1]) + b"n" + b"\xff" * 16
        with pytest.raises(InvalidAnswer):
            table(data)


def test_what_is_not_a_whole_number_is_not_published_as_one() -> None:
    np = pytest.importorskip("numpy")
    for value in [1.5, math.nan]:
        with pytest.raises(ValueError):
            encode([Field("i", "integer")], [1], {"i": np.array([value])})
    with pytest.raises(ValueError):
        encode([Field("n")], [1, 2], {"n": [1.0]})


class Bytes:
    """A connection with fixed content, which delivers it in pieces."""

    def __init__(self, data: bytes, chance: random.Random) -> None:
        self.data, self.chance = data, chance

    def drive(self, reader: Generator[Any, Any, Any]) -> Any:
        try:
            need = next(reader)
            while True:
                if isinstance(need, Line):
                    line, _, rest = self.data.partition(b"\n")
                    part = line + b"\n" if len(line) < len(self.data) else self.data
                    self.data = rest
                    need = reader.send(part)
                else:
                    assert isinstance(need, Into) and len(need.view) > 0
                    count = min(len(need.view), len(self.data), self.chance.randint(1, 9))
                    need.view[:count], self.data = self.data[:count], self.data[count:]
                    need = reader.send(count)
        except StopIteration as end:
            return end.value


CHUNKED = (
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\na: 2\r\n\r\n"
    b"5\r\nhello\r\nB;x=y\r\n, you there\r\n0\r\nLink: <x>\r\n\r\n"
)


def answer(data: bytes, seed: int = 0) -> tuple[Head, bytes, bytes]:
    connection = Bytes(data, random.Random(seed))
    head = connection.drive(read_head())
    return head, bytes(connection.drive(read_body(head))), connection.data


@pytest.mark.parametrize("seed", range(20))
def test_a_chunked_answer_is_joined_and_its_trailer_kept(seed: int) -> None:
    head, body, rest = answer(CHUNKED + b"HTTP/1.1 ", seed)
    assert (head.status, body, rest) == (200, b"hello, you there", b"HTTP/1.1 ")
    assert head.headers["a"] == "1, 2" and head.headers["link"] == "<x>"
    assert head.keeps_connection


def test_other_answers_end_where_they_say() -> None:
    head, body, rest = answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")
    assert (body, rest, head.keeps_connection) == (b"abc", b"def", True)
    head, body, _ = answer(b"HTTP/1.1 200 OK\r\n\r\nabc")
    assert (body, head.keeps_connection) == (b"abc", False)
    head, body, rest = answer(b"HTTP/1.1 204 No Content\r\n\r\nHTTP")
    assert (body, rest, head.keeps_connection) == (b"", b"HTTP", True)
    assert not answer(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")[0].keeps_connection


def test_an_answer_that_ends_early_is_never_taken_for_a_whole_one() -> None:
    for data in [CHUNKED, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"]:
        for end in range(len(data)):
            with pytest.raises((ConnectionFailed, InvalidAnswer)):
                answer(data[:end])


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 1_0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 300 + b"\r\n",
    ],
)  # fmt: skip
def test_what_is_not_http_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidAnswer):
        answer(data)


def test_a_stream_is_read_piece_by_piece() -> None:
    connection = Bytes(CHUNKED, random.Random(3))
    pieces = Pieces(connection.drive(read_head()))
    found = []
    while piece := connection.drive(pieces.next()):
        found.append(piece)
    assert b"".join(found) == b"hello, you there" and len(found) > 2


def test_a_header_cannot_be_smuggled() -> None:
    with pytest.raises(ValueError):
        Call("POST", "/", {"Idempotency-Key": "a\r\nX: y"}).head("localhost", None)


EVENTS = (
    ': the samples of größe\nid: 7\n\n:\n\nevent: open\ndata: {"after":7,"sensors":["walk","size"]}\n\n'
    'id: 9\nevent: sample\ndata: {"sensor":"walk","t":1795243511000.890,"level":2.5,"sensor":"größer"}\n\n'
    'event: gap\ndata: {"sensor":"size","after":7,"through":8,"reason":"gone"}\n\nevent: new\ndata: 1\n\n'
    'event: refused\ndata: {"sensor":"size","problem":{"code":"undecided","status":403}}\n\nid: 12\n\n'
).encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_do_not_depend_on_how_they_arrive(size: int) -> None:
    state = StreamState(["walk", "size"], True, None)
    assert state.call().target == "/api/v1/stream?sensors=walk,size&newest"
    found = [event for at in range(0, len(EVENTS), size) for event in state.feed(EVENTS[at : at + size])]
    time = datetime(2026, 11, 21, 6, 45, 11, 890, timezone.utc)
    assert found[:3] == [
        Opened(("walk", "size"), 7),
        Sample("walk", 9, time, {"level": 2.5, "sensor": "größer"}),
        Gap("size", 7, 8, "gone"),
    ]
    assert isinstance(found[3], Refused) and isinstance(found[3].problem, Undecided)
    assert state.last_id == 12
    # A part of an event is forgotten with its connection.
    assert list(state.feed(b"id: 99\nevent: sam")) == []
    assert state.call().headers["Last-Event-ID"] == "12" and "newest" not in state.call().target
    with pytest.raises(TokenRejected):
        list(state.feed(b'event: problem\ndata: {"code":"invalid-token","status":401}\n\n'))


def test_the_token_comes_from_the_argument_the_environment_or_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    file = tmp_path / "token"
    file.write_text("nvs_file\n")
    monkeypatch.setenv("NERVOUS_TOKEN_FILE", str(file))
    monkeypatch.setenv("NERVOUS_URL", "http://localhost:8099")
    found = Address.find(None, None, None)
    assert (found.token, found.authority) == ("nvs_file", "localhost:8099")
    monkeypatch.setenv("NERVOUS_TOKEN", "nvs_variable")
    assert Address.find(None, None, None).token == "nvs_variable"
    assert Address.find(None, "nvs_argument", None).token == "nvs_argument"
    assert Address.find(None, None, file).token == "nvs_file"
    for token in ["", "two words", "größer"]:
        with pytest.raises(ValueError):
            Address.find(None, token, None)
    for url in ["localhost:8080", "ftp://localhost", "http://localhost/api"]:
        with pytest.raises(ValueError):
            Address.find(url, "t", None)


def test_times_and_durations_are_written_as_the_host_reads_them() -> None:
    zone = timezone(timedelta(hours=2))
    assert when(datetime(2026, 3, 1, 12, 0, 0, 5, zone)) == "2026-03-01T10:00:00.000005Z"
    assert when(timedelta(minutes=15)) == "-900000000us" and when("-15m") == "-15m"
    assert span(timedelta(seconds=1.5)) == "1500000us"


def test_only_calls_that_may_be_repeated_are_repeated() -> None:
    lost, retries = ConnectionFailed("x"), Retries(limit=2)
    post = Call("POST", "/", is_repeatable=False)
    assert retries.delay(0, lost, Call("GET", "/")) == 0.2
    assert retries.delay(2, lost, Call("GET", "/")) is None
    assert retries.delay(2, lost, Call("GET", "/"), is_stream=True) is not None
    assert retries.delay(0, lost, post) is None

"""Streams and lost connections, with hosts and servers of their own."""

from __future__ import annotations

import signal
import socket
import threading
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Iterator

import pytest
from host import Host

from nervous_sensors import (
    Client,
    ConnectionFailed,
    Field,
    Gap,
    Opened,
    Refused,
    Retries,
    Sample,
    TokenRejected,
    TooManyRequests,
    Undecided,
)

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def fresh() -> Iterator[Host]:
    served = Host()
    yield served
    served.close()


def publish(host: Host, *numbers: int) -> None:
    with Client(host.origin, token=host.token) as owner:
        owner.publish("walk", [{"t": START + timedelta(seconds=n), "steps": n} for n in numbers])


def prepare(host: Host) -> None:
    with Client(host.origin, token=host.token) as owner:
        owner.declare("walk", [Field("steps", "integer")])


def take(events: Iterator[Any], count: int) -> list[int]:
    found: list[int] = []
    while len(found) < count:
        event = next(events)
        if isinstance(event, Sample):
            found.append(int(event.values["steps"]))
    return found


def test_a_stream_survives_the_death_of_its_host(fresh: Host, connect: Any) -> None:
    prepare(fresh)
    publish(fresh, 1)
    events = connect(fresh.origin, token=fresh.token).stream("walk", newest=True)
    opened = next(events)
    assert isinstance(opened, Opened) and opened.sensors == ("walk",)
    newest = next(events)
    assert isinstance(newest, Sample) and newest.id is None and newest.values == {"steps": 1}
    publish(fresh, 2, 3)
    assert take(events, 2) == [2, 3]
    for number in (4, 7):
        fresh.stop(signal.SIGKILL)
        fresh.start()
        # Before the client is back, and afterwards.
        publish(fresh, number, number + 1)
        assert take(events, 2) == [number, number + 1]
        publish(fresh, number + 2)
        assert take(events, 1) == [number + 2]
    events.close()


def test_what_the_host_no_longer_has_is_a_gap(fresh: Host, connect: Any) -> None:
    prepare(fresh)
    publish(fresh, *range(10))
    with Client(fresh.origin, token=fresh.token) as owner:
        owner.request("DELETE", "sensors/walk/samples")
    publish(fresh, 10)
    events = connect(fresh.origin, token=fresh.token).stream("walk", last_id=0)
    assert isinstance(next(events), Opened)
    gap = next(events)
    assert isinstance(gap, Gap) and (gap.sensor, gap.after, gap.reason) == ("walk", 0, "gone")
    assert take(events, 1) == [10]
    events.close()


def test_permission_and_revocation_reach_a_stream(fresh: Host, connect: Any) -> None:
    prepare(fresh)
    reader = connect(fresh.origin, token=fresh.client("reader", "sensor:walk"))
    events = reader.stream("walk", "cpu")
    found = [next(events), next(events)]
    [refused] = [event for event in found if isinstance(event, Refused)]
    assert refused.sensor == "cpu" and isinstance(refused.problem, Undecided)
    publish(fresh, 1)
    assert take(events, 1) == [1]
    fresh.run("token", "revoke", "reader")
    publish(fresh, 2)
    with pytest.raises(TokenRejected):
        next(events)
    with pytest.raises(ValueError):
        next(reader.stream())


class Server(threading.Thread):
    """Answers each connection by a function of its own, and keeps what it was sent."""

    def __init__(self, *answers: Callable[[socket.socket, bytes], None]) -> None:
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.answers = answers
        self.requests: list[bytes] = []
        self.start()

    def run(self) -> None:
        with self.listener:
            for answer in self.answers:
                connection, _ = self.listener.accept()
                with connection:
                    data = connection.recv(1 << 16)
                    while b"\r\n\r\n" not in data or len(data) < self.size(data):
                        data += connection.recv(1 << 16)
                    self.requests.append(data)
                    answer(connection, data)

    @staticmethod
    def size(data: bytes) -> int:
        head, _, _ = data.partition(b"\r\n\r\n")
        lengths = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length: ")]
        return len(head) + 4 + (int(lengths[0].split()[1]) if lengths else 0)

    def key(self, number: int) -> bytes:
        lines = self.requests[number].split(b"\r\n")
        return next(line for line in lines if line.startswith(b"Idempotency-Key: "))


def drop(connection: socket.socket, request: bytes) -> None:
    """Closes the connection without an answer."""


def answer(status: str, body: str, fields: str = "") -> Callable[[socket.socket, bytes], None]:
    def send(connection: socket.socket, request: bytes) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{fields}\r\n"
        connection.sendall((head + body).encode())

    return send


def test_a_lost_batch_is_sent_again_under_its_key(connect: Any) -> None:
    busy = answer("503 Busy", '{"code":"busy","status":503}', "Retry-After: 0\r\n")
    server = Server(drop, busy, answer("201 Created", '{"accepted":1,"last":7}'))
    stored = connect(server.url, token="t").publish("walk", {"steps": 1})
    assert (stored.accepted, stored.last, len(server.requests)) == (1, 7, 3)
    assert server.key(0) == server.key(1) == server.key(2)
    assert server.requests[0] == server.requests[2]


def test_a_batch_whose_answer_is_lost_is_stored_once(fresh: Host, connect: Any) -> None:
    prepare(fresh)

    def forward(connection: socket.socket, request: bytes) -> None:
        # The host checks the name and port that it is called by.
        name, own = (url.removeprefix("http://").encode() for url in (server.url, fresh.origin))
        request = request.replace(b"Host: " + name, b"Host: " + own + b"\r\nConnection: close")
        with socket.create_connection(("127.0.0.1", fresh.port)) as other:
            other.sendall(request)
            received = b""
            while piece := other.recv(1 << 16):
                received += piece
        # The first answer is lost.
        if len(server.requests) > 1:
            connection.sendall(received)

    server = Server(forward, forward)
    stored = connect(server.url, token=fresh.token).publish("walk", {"t": START, "steps": 1})
    assert stored.accepted == 1 and stored.repeated
    with Client(fresh.origin, token=fresh.token) as owner:
        assert len(owner.samples("walk")) == 1


def test_a_call_without_a_key_is_not_sent_again(connect: Any) -> None:
    server = Server(drop, drop)
    with pytest.raises(ConnectionFailed):
        connect(server.url, token="t").create_session("Lunch", ["walk"])
    assert len(server.requests) == 1


def test_the_host_decides_how_long_to_wait(connect: Any) -> None:
    late = answer("429 Too Many", '{"code":"too-many-messages","status":429}', "Retry-After: 3600\r\n")
    server = Server(late)
    with pytest.raises(TooManyRequests) as caught:
        connect(server.url, token="t").me()
    assert caught.value.retry_after == 3600 and len(server.requests) == 1


def test_an_error_without_a_problem_is_one(connect: Any) -> None:
    server = Server(answer("502 Bad Gateway", "<html>"))
    with pytest.raises(Exception) as caught:
        connect(server.url, token="t", retries=Retries(limit=0)).me()
    assert getattr(caught.value, "code") == "http-502"

"""HTTP/1.1 without input or output: what to send, and how to read an answer.

The readers are generators that yield what they need from the connection and are sent the result, so that the
synchronous and the asynchronous client share them:

* ``Line()`` is answered with the bytes of a line, with its end;
* ``Into(view)`` with the number of bytes that were read into the view, 0 at the end of the connection.

The standard library's ``http.client`` discards trailers, in which the host sends the cursor of a streamed answer,
and copies bodies more often.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generator, Mapping, Union

from ._errors import ConnectionFailed, InvalidAnswer

LINE_LIMIT = 64 << 10
_FIELD_LIMIT = 200
#: The first capacity of a body of unknown size, in bytes.
_CAPACITY = 256 << 10


@dataclass(frozen=True)
class Line:
    """The next line, with its end."""


@dataclass(frozen=True)
class Into:
    """At least one byte, into a view."""

    view: memoryview


Need = Union[Line, Into]
Reader = Generator[Need, Union[bytes, int], "object"]


@dataclass(frozen=True)
class Call:
    """A request of the API."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | bytearray | memoryview | None = None
    #: Whether it may be sent again after its connection was lost.
    is_repeatable: bool = True

    def head(self, host: str, token: str | None) -> bytes:
        """The request line and the header fields."""
        fields = {"Host": host, "User-Agent": "nervous-sensors", **self.headers}
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        if self.body is not None:
            fields["Content-Length"] = str(len(self.body))
        for name, value in fields.items():
            if "\r" in value or "\n" in value:
                raise ValueError(f"{name} must not contain line breaks")
        lines = [f"{self.method} {self.target} HTTP/1.1", *(f"{n}: {v}" for n, v in fields.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@dataclass
class Head:
    """The status and the header fields of an answer, with names in lower case."""

    status: int
    headers: dict[str, str]

    @property
    def is_chunked(self) -> bool:
        return self.headers.get("transfer-encoding", "").lower() == "chunked"

    @property
    def length(self) -> int | None:
        """The length of the body; ``None`` if it is not known at the beginning."""
        if self.is_chunked:
            return None
        if self.status in (204, 304):
            return 0
        text = self.headers.get("content-length")
        if text is None:
            return None
        if not text.isascii() or not text.isdigit():
            raise InvalidAnswer("The answer has an invalid Content-Length.")
        return int(text)

    @property
    def keeps_connection(self) -> bool:
        """Whether another request may follow on the connection, once the body is read."""
        ends = self.headers.get("connection", "").lower() == "close"
        return not ends and (self.is_chunked or self.length is not None)


@dataclass
class Answer:
    """A whole answer."""

    status: int
    #: With names in lower case; those of the trailer come last.
    headers: dict[str, str]
    body: memoryview


def read_head() -> Generator[Need, Union[bytes, int], Head]:
    """Reads the head of the final answer."""
    while True:
        line = yield from _line()
        words = line.split(b" ", 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
            raise InvalidAnswer("The answer is not HTTP/1.1; is this the address of a Nervous host?")
        status = int(words[1])
        headers = yield from _fields()
        if status >= 200:
            return Head(status, headers)


def read_body(head: Head) -> Generator[Need, Union[bytes, int], memoryview]:
    """Reads the whole body into one buffer. A trailer is added to the headers."""
    buffer = _Buffer(_CAPACITY if head.length is None else head.length)
    if head.is_chunked:
        while size := (yield from _chunk_size()):
            yield from buffer.fill(size)
            yield from _end_of_chunk()
        head.headers.update((yield from _fields()))
    elif head.length is not None:
        yield from buffer.fill(head.length)
    else:
        while (yield from buffer.read_some()):
            pass
    return buffer.contents


class Pieces:
    """Reads a chunked body of unknown length piece by piece."""

    def __init__(self, head: Head) -> None:
        if not head.is_chunked:
            raise InvalidAnswer("A stream must be chunked.")
        self._left = 0
        self._has_begun = False
        self._view = memoryview(bytearray(LINE_LIMIT))

    def next(self) -> Generator[Need, Union[bytes, int], bytes]:
        """The next piece; empty at the end."""
        if self._left == 0:
            if self._has_begun:
                yield from _end_of_chunk()
            self._has_begun = True
            self._left = yield from _chunk_size()
            if self._left == 0:
                yield from _fields()
                return b""
        count = yield Into(self._view[: min(self._left, len(self._view))])
        assert isinstance(count, int)
        if count == 0:
            raise ConnectionFailed("The host closed the connection before the stream was complete.")
        self._left -= count
        return bytes(self._view[:count])


class _Buffer:
    """A body that grows."""

    def __init__(self, capacity: int) -> None:
        self._bytes = bytearray(capacity)
        self._view = memoryview(self._bytes)
        self._count = 0

    @property
    def contents(self) -> memoryview:
        return self._view[: self._count]

    def fill(self, size: int) -> Generator[Need, Union[bytes, int], None]:
        """Reads exactly so many bytes."""
        self._reserve(size)
        end = self._count + size
        while self._count < end:
            count = yield Into(self._view[self._count : end])
            assert isinstance(count, int)
            if count == 0:
                raise ConnectionFailed("The host closed the connection before the answer was complete.")
            self._count += count

    def read_some(self) -> Generator[Need, Union[bytes, int], int]:
        """Reads what there is; 0 at the end."""
        self._reserve(1)
        count = yield Into(self._view[self._count :])
        assert isinstance(count, int)
        self._count += count
        return count

    def _reserve(self, size: int) -> None:
        if self._count + size <= len(self._bytes):
            return
        larger = bytearray(max(2 * len(self._bytes), self._count + size))
        larger[: self._count] = self.contents
        self._bytes = larger
        self._view = memoryview(larger)


def _line() -> Generator[Need, Union[bytes, int], bytes]:
    line = yield Line()
    assert isinstance(line, bytes)
    if not line:
        raise ConnectionFailed("The host closed the connection before the answer was complete.")
    if not line.endswith(b"\n"):
        raise InvalidAnswer("The answer has a line that is too long or incomplete.")
    return line.rstrip(b"\r\n")


def _fields() -> Generator[Need, Union[bytes, int], dict[str, str]]:
    fields: dict[str, str] = {}
    for _ in range(_FIELD_LIMIT):
        line = yield from _line()
        if not line:
            return fields
        name, separator, value = line.decode("latin-1").partition(":")
        if not separator:
            raise InvalidAnswer("The answer has an invalid header field.")
        key = name.lower()
        text = value.strip()
        fields[key] = f"{fields[key]}, {text}" if key in fields else text
    raise InvalidAnswer("The answer has too many header fields.")


def _chunk_size() -> Generator[Need, Union[bytes, int], int]:
    line = yield from _line()
    digits = line.split(b";", 1)[0].strip()
    try:
        if not digits.isalnum():
            raise ValueError
        return int(digits, 16)
    except ValueError:
        raise InvalidAnswer("The answer has an invalid chunk.") from None


def _end_of_chunk() -> Generator[Need, Union[bytes, int], None]:
    if (yield from _line()):
        raise InvalidAnswer("The answer has an invalid chunk.")

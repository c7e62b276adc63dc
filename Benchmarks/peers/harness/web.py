"""A plain HTTP client on one connection that is kept."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlencode

from harness.figure import Reply, timed

TIMEOUT = 600

Query = Mapping[str, object]


class Refused(Exception):
    """An answer other than 2xx."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status}: {reason[:300]}")
        self.status = status
        self.reason = reason


class Web:
    """Calls to one port of the loopback interface."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self.port = port
        self.headers = headers or {}
        # The header fields of the last answer, their names in small letters.
        self.answer: dict[str, str] = {}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)

    def url(self, path: str, query: Query | None = None) -> str:
        """The address of a call, for a client that is another program."""
        return f"http://127.0.0.1:{self.port}{_target(path, query)}"

    def answers(self, path: str) -> bool:
        """Whether a call is answered with 2xx; raises `OSError` when nobody listens."""
        try:
            self.get(path)
        except Refused:
            return False
        return True

    def get(
        self, path: str, query: Query | None = None, headers: dict[str, str] | None = None
    ) -> Reply[bytes]:
        return self.send("GET", _target(path, query), None, headers)

    def post(
        self,
        path: str,
        body: bytes,
        query: Query | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply[bytes]:
        return self.send("POST", _target(path, query), body, headers)

    def send(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str] | None = None
    ) -> Reply[bytes]:
        """Sends one request and reads its answer to the end; only that is on the clock."""
        reply = timed(lambda: self._exchange(method, target, body, headers))
        status, content = reply.value
        if not 200 <= status < 300:
            raise Refused(status, content.decode(errors="replace"))
        return Reply(reply.seconds, content)

    def close(self) -> None:
        self._connection.close()

    def _exchange(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str] | None
    ) -> tuple[int, bytes]:
        try:
            self._connection.request(method, target, body, self.headers | (headers or {}))
            answer = self._connection.getresponse()
            content = answer.read()
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise
        self.answer = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, content


def _target(path: str, query: Query | None) -> str:
    return f"{path}?{urlencode(query)}" if query else path

"""The calls of the API: what is sent, and what the answer becomes; shared by both clients."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Generic, Iterable, Mapping, Sequence, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

from ._columns import MEDIA_TYPE, Field, SampleTable, encode
from ._errors import ConnectionFailed, InvalidAnswer, Problem, problem_of_body
from ._http import Answer, Call
from ._models import (
    Analysis,
    Caller,
    Latest,
    Permission,
    Published,
    Sensor,
    Session,
    Window,
    Windows,
    time_of_milliseconds,
)

#: A time: in RFC 3339 or as a duration such as ``"-15m"``, a ``datetime``, or a ``timedelta`` before now.
When = Union[str, datetime, timedelta]
#: A duration such as ``"10s"``, or a ``timedelta``.
Span = Union[str, timedelta]

T = TypeVar("T")

#: The most samples of one answer.
LARGEST_LIMIT = 10_000_000
#: The most samples of one published batch; the host accepts twice as many.
BATCH = 100_000
_JSON = "application/json"


@dataclass(frozen=True)
class Operation(Generic[T]):
    """A call and how to read its answer."""

    call: Call
    parse: Callable[[Answer], T]


@dataclass(frozen=True)
class Address:
    """Where the host is, and the token."""

    host: str
    port: int
    is_tls: bool
    token: str | None

    @property
    def authority(self) -> str:
        standard = 443 if self.is_tls else 80
        return self.host if self.port == standard else f"{self.host}:{self.port}"

    @classmethod
    def find(cls, url: str | None, token: str | None, token_file: str | os.PathLike[str] | None) -> Address:
        """The address and token from arguments, or else from the environment."""
        parts = urlsplit(url or os.environ.get("NERVOUS_URL") or "http://localhost:8080")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(f"{url!r} is not a URL such as http://localhost:8080")
        is_tls = parts.scheme == "https"
        port = parts.port or (443 if is_tls else 80)
        return cls(parts.hostname, port, is_tls, cls._token(token, token_file))

    @staticmethod
    def _token(token: str | None, file: str | os.PathLike[str] | None) -> str | None:
        if token is not None and file is not None:
            raise ValueError("give a token or a file with one, not both")
        if token is None and file is None:
            token, file = os.environ.get("NERVOUS_TOKEN"), os.environ.get("NERVOUS_TOKEN_FILE")
        if token is None and file is not None:
            token = Path(file).read_text(encoding="ascii")
        if token is None:
            return None
        token = token.strip()
        if not token or not token.isascii() or any(c.isspace() for c in token):
            raise ValueError("the token is empty or has spaces")
        return token


@dataclass(frozen=True)
class Retries:
    """When a call is sent again."""

    #: How often, after the first attempt.
    limit: int = 3
    #: The longest wait in seconds; a host that asks for a longer one is not called again.
    longest: float = 30.0

    def delay(
        self, attempt: int, error: Exception, call: Call, is_stream: bool = False
    ) -> float | None:
        """The seconds until the next attempt; ``None`` if there is none.

        :param is_stream: whether the call continues a stream: then it is sent until the host is back.
        """
        if not call.is_repeatable or (attempt >= self.limit and not is_stream):
            return None
        if isinstance(error, ConnectionFailed):
            return min(self.longest, 0.2 * float(2 ** min(attempt, 5)))
        if isinstance(error, Problem) and error.status in (429, 503) and error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest else None
        return None


def result(operation: Operation[T], answer: Answer) -> T:
    """The result of an operation.

    :raises Problem: for an error.
    """
    if answer.status >= 400:
        raise problem_of_body(answer.status, answer.body, answer.headers.get("retry-after"))
    try:
        return operation.parse(answer)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidAnswer(f"The answer to {operation.call.target} is not understood: {error}") from error


def when(time: When) -> str:
    if isinstance(time, datetime):
        return time.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return "-" + span(time) if isinstance(time, timedelta) else time


def span(duration: Span) -> str:
    if isinstance(duration, str):
        return duration
    return f"{duration // timedelta(microseconds=1)}us"


def _json(answer: Answer) -> Any:
    return json.loads(bytes(answer.body))


def _get(path: str, parse: Callable[[Any], T], parameters: Mapping[str, Any] | None = None) -> Operation[T]:
    target = _target(path, parameters or {})
    return Operation(Call("GET", target, {"Accept": _JSON}), lambda answer: parse(_json(answer)))


def _target(path: str, parameters: Mapping[str, Any]) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    query = urlencode(given, doseq=True, quote_via=quote)
    return f"/api/v1/{path}?{query}" if query else f"/api/v1/{path}"


def _send(method: str, path: str, body: Any, parse: Callable[[Any], T], repeatable: bool = False) -> Operation[T]:
    content = None if body is None else json.dumps(body, allow_nan=False).encode()
    headers = {"Accept": _JSON} | ({} if content is None else {"Content-Type": _JSON})
    call = Call(method, f"/api/v1/{path}", headers, content, is_repeatable=repeatable)
    return Operation(call, lambda answer: parse(_json(answer) if len(answer.body) else None))


def _name(text: str) -> str:
    return quote(text, safe="")


# Reading


def me() -> Operation[Caller]:
    return _get("me", Caller.of)


def sensors() -> Operation[list[Sensor]]:
    return _get("sensors", lambda body: [Sensor.of(item) for item in body["items"]])


def sensor(name: str) -> Operation[Sensor]:
    return _get(f"sensors/{_name(name)}", Sensor.of)


def latest(name: str) -> Operation[Latest]:
    return _get(f"sensors/{_name(name)}/latest", Latest.of)


def _range(start: When | None, end: When | None) -> dict[str, Any]:
    return {
        "from": None if start is None else when(start),
        "to": None if end is None else when(end),
    }


def samples(
    name: str,
    start: When | None,
    end: When | None,
    fields: Sequence[str] | None,
    where: Sequence[str],
    descending: bool,
    limit: int,
    cursor: str | None,
) -> Operation[SampleTable]:
    parameters = {
        **_range(start, end),
        "fields": None if fields is None else ",".join(fields),
        "where": list(where),
        "order": "desc" if descending else None,
        "limit": limit,
        "cursor": cursor,
    }
    call = Call("GET", _target(f"sensors/{_name(name)}/samples", parameters), {"Accept": MEDIA_TYPE})

    def parse(answer: Answer) -> SampleTable:
        resolved = answer.headers.get("nervous-sensor", name)
        return SampleTable(
            resolved, answer.body, _cursor(answer.headers.get("link")), answer.headers.get("nervous-damaged")
        )

    return Operation(call, parse)


def _cursor(link: str | None) -> str | None:
    """The cursor in a ``Link`` to the next page."""
    if link is None or 'rel="next"' not in link:
        return None
    query = link[link.index("<") + 1 : link.index(">")].partition("?")[2]
    values = [part.partition("=")[2] for part in query.split("&") if part.startswith("cursor=")]
    return values[0] if values else None


def windows(
    name: str,
    functions: Sequence[str],
    start: When | None,
    end: When | None,
    every: Span | None,
    zone: str | None,
    fields: Sequence[str] | None,
    where: Sequence[str],
) -> Operation[Windows]:
    parameters = {
        **_range(start, end),
        "fn": ",".join(functions),
        "every": None if every is None else span(every),
        "zone": zone,
        "fields": None if fields is None else ",".join(fields),
        "where": list(where),
    }
    return _get(f"sensors/{_name(name)}/stats", Windows.of, parameters)


def only(windows: Windows) -> Window:
    if len(windows) != 1:
        raise InvalidAnswer(f"The answer has {len(windows)} windows instead of one.")
    window: Window = windows[0]
    return window


def analyse(
    analysis: str,
    inputs: Sequence[str],
    start: When | None,
    end: When | None,
    every: Span | None,
    where: Sequence[str],
    join: Mapping[str, str] | None,
    parameters: Mapping[str, Any],
) -> Operation[Analysis]:
    body: dict[str, Any] = {"analysis": analysis, "inputs": list(inputs)}
    body |= {name: text for name, text in _range(start, end).items() if text is not None}
    if every is not None:
        body["every"] = span(every)
    if where:
        body["where"] = list(where)
    if join is not None:
        body["join"] = dict(join)
    if parameters:
        body["parameters"] = dict(parameters)
    return _send("POST", "analyze", body, Analysis.of, repeatable=True)


# Publishing


def publish(
    name: str, samples: Mapping[str, Any] | Iterable[Mapping[str, Any]], key: str | None
) -> Operation[Published]:
    rows = [samples] if isinstance(samples, Mapping) else samples
    lines = [json.dumps(_row(row), allow_nan=False) for row in rows]
    body = ("\n".join(lines) + "\n").encode() if lines else b""
    return _publish(name, body, "application/x-ndjson", key)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    time = row.get("t")
    return {**row, "t": when(time)} if isinstance(time, datetime) else dict(row)


def publish_columns(
    name: str, fields: Sequence[Field], times: Any, columns: Mapping[str, Any], key: str | None
) -> Operation[Published]:
    return _publish(name, encode(fields, times, columns), MEDIA_TYPE, key)


def frame_batches(frame: Any, fields: Sequence[Field]) -> list[tuple[Any, dict[str, Any]]]:
    """The times and columns of a pandas frame, in batches."""
    import numpy as np
    import pandas as pd

    if not isinstance(frame.index, pd.DatetimeIndex):
        raise ValueError("the index of the frame must be a DatetimeIndex")
    if frame.index.tz is None:
        raise ValueError("the index of the frame needs a time zone: frame.tz_localize('UTC')")
    missing = {field.name for field in fields} ^ {str(name) for name in frame.columns}
    if missing:
        raise ValueError(f"the columns of the frame are not the fields of the sensor: {sorted(missing)}")
    utc = frame.index.tz_convert("UTC").tz_localize(None)
    times = np.asarray(utc, dtype="datetime64[us]").view("int64")
    parts: list[tuple[Any, dict[str, Any]]] = []
    for begin in range(0, len(frame), BATCH):
        part = frame.iloc[begin : begin + BATCH]
        columns = {field.name: part[field.name].to_numpy() for field in fields}
        parts.append((times[begin : begin + BATCH], columns))
    return parts


def new_key() -> str:
    return uuid.uuid4().hex


def _publish(name: str, body: bytes, media_type: str, key: str | None) -> Operation[Published]:
    headers = {"Accept": _JSON, "Content-Type": media_type, "Idempotency-Key": key or new_key()}

    def parse(answer: Answer) -> Published:
        members = _json(answer)
        repeated = answer.headers.get("nervous-repeated") == "true"
        return Published(members["accepted"], members.get("last"), repeated)

    # With the key, a batch that is sent twice is stored once.
    return Operation(Call("POST", f"/api/v1/sensors/{_name(name)}/samples", headers, body), parse)


def declare(name: str, fields: Sequence[Field], title: str | None) -> Operation[Sensor]:
    body: dict[str, Any] = {"title": title or name}
    body["fields"] = [
        {"name": field.name, "kind": field.kind} | ({"unit": field.unit} if field.unit else {})
        for field in fields
    ]
    return _send("PUT", f"sensors/{_name(name)}", body, Sensor.of, repeatable=True)


# Permissions


def permission(privilege: str) -> Operation[Permission]:
    return _get(f"permissions/{_name(privilege)}", Permission.of)


def request_permission(privilege: str) -> Operation[Permission]:
    return _send("POST", "permissions/request", {"privilege": privilege}, Permission.of)


# Sessions


def session_page(cursor: str | None) -> Operation[tuple[list[Session], str | None]]:
    def parse(body: Any) -> tuple[list[Session], str | None]:
        return [Session.of(item) for item in body["items"]], body.get("next")

    return _get("sessions", parse, {"limit": 1000, "cursor": cursor})


def session(name: str) -> Operation[Session]:
    return _get(f"sessions/{_name(name)}", Session.of)


def create_session(
    title: str, sensors: Sequence[str], description: str | None, identifier: str | None
) -> Operation[Session]:
    body: dict[str, Any] = {"name": title, "sensors": list(sensors)}
    if description is not None:
        body["description"] = description
    if identifier is not None:
        body["id"] = identifier
    return _send("POST", "sessions", body, Session.of)


def step_session(name: str, step: str) -> Operation[Session]:
    return _send("POST", f"sessions/{_name(name)}/{step}", None, Session.of)


def delete_session(name: str) -> Operation[None]:
    return _send("DELETE", f"sessions/{_name(name)}", None, lambda _: None)


def session_samples(name: str, sensor: str | None) -> Operation[list[dict[str, Any]]]:
    def parse(body: Any) -> list[dict[str, Any]]:
        return [{**item, "t": time_of_milliseconds(item["t"])} for item in body["items"]]

    return _get(f"sessions/{_name(name)}/samples", parse, {"sensor": sensor})


def request(method: str, path: str, parameters: Mapping[str, Any], body: Any) -> Operation[Any]:
    """Any other route of the API."""
    content = None if body is None else json.dumps(body, allow_nan=False).encode()
    headers = {"Accept": _JSON} | ({} if content is None else {"Content-Type": _JSON})
    call = Call(method, _target(path.lstrip("/"), parameters), headers, content, method in ("GET", "HEAD"))
    return Operation(call, lambda answer: _json(answer) if len(answer.body) else None)

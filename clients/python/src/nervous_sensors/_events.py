"""Events of a stream, and its state over reconnections; without input or output."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Iterator, Mapping, Sequence, Union
from urllib.parse import quote

from ._columns import Value
from ._errors import InvalidAnswer, Problem, problem
from ._http import Call
from ._models import time_of_milliseconds

_LINE_LIMIT = 8 << 20


@dataclass(frozen=True)
class Opened:
    """The samples of these sensors after a position follow."""

    sensors: tuple[str, ...]
    after: int


@dataclass(frozen=True)
class Sample:
    """A sample."""

    sensor: str
    #: The position in the stream; ``None`` for samples that were newest when the stream began.
    id: int | None
    time: datetime
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Gap:
    """Samples with sequence numbers above ``after``, up to ``through``, are missing."""

    sensor: str
    after: int
    through: int
    #: ``gone`` if the store no longer has some of them, ``history`` if they are too old for the permission.
    reason: str


@dataclass(frozen=True)
class Damage:
    """Samples in these ranges cannot be read; an end that is ``None`` is not known."""

    sensor: str
    ranges: tuple[tuple[datetime | None, datetime | None], ...]


@dataclass(frozen=True)
class Refused:
    """A sensor cannot be read, or its permission has ended. The others go on."""

    sensor: str
    problem: Problem


Event = Union[Opened, Sample, Gap, Damage, Refused]


class StreamState:
    """The position of a stream, and the parser of its current connection."""

    def __init__(self, sensors: Sequence[str], newest: bool, last_id: int | None) -> None:
        if not sensors:
            raise ValueError("name at least one sensor, or * for all that may be read")
        self._sensors = sensors
        self._newest = newest
        #: The id to resume after.
        self.last_id = last_id
        #: Whether the host has answered: from then on only an error that it describes ends the stream.
        self.has_begun = False
        self._bytes = bytearray()
        self._lines: list[bytes] = []

    def call(self) -> Call:
        """The request that opens the stream, or resumes it."""
        self._bytes.clear()
        self._lines.clear()
        names = ",".join(quote(name, safe="*@.-") for name in self._sensors)
        # Once there is a position, the samples that were newest are known.
        newest = "&newest" if self._newest and self.last_id is None else ""
        headers = {"Accept": "text/event-stream"}
        if self.last_id is not None:
            headers["Last-Event-ID"] = str(self.last_id)
        return Call("GET", f"/api/v1/stream?sensors={names}{newest}", headers)

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete.

        :raises Problem: for the event that ends the stream.
        """
        self.has_begun = True
        self._bytes += data
        *lines, rest = self._bytes.split(b"\n")
        if len(rest) > _LINE_LIMIT:
            raise InvalidAnswer("An event of the stream is too large.")
        self._bytes = bytearray(rest)
        for line in lines:
            if line:
                self._lines.append(bytes(line))
            elif self._lines:
                whole, self._lines = self._lines, []
                event = self._event(whole)
                if event is not None:
                    yield event

    def _event(self, lines: list[bytes]) -> Event | None:
        parts: dict[str, str] = {}
        for line in lines:
            name, _, value = line.decode().partition(":")
            if name:
                parts[name] = value.removeprefix(" ")
        position = int(parts["id"]) if "id" in parts else None
        event = self._parsed(parts.get("event"), parts.get("data", "null"), position)
        # After the data: an event that cannot be read comes again.
        if position is not None:
            self.last_id = position
        return event

    @staticmethod
    def _parsed(name: str | None, data: str, position: int | None) -> Event | None:
        if name == "sample":
            # In pairs: a sensor may have a field named `sensor`, too.
            pairs: list[tuple[str, Any]] = json.loads(data, object_pairs_hook=list)
            (_, sensor), (_, time), *values = pairs
            return Sample(sensor, position, time_of_milliseconds(time), dict(values))
        members = json.loads(data)
        if name == "open":
            return Opened(tuple(members["sensors"]), members["after"])
        if name == "gap":
            return Gap(members["sensor"], members["after"], members["through"], members["reason"])
        if name == "damage":
            ranges = tuple(
                tuple(
                    time_of_milliseconds(item[end]) if end in item else None for end in ("from", "to")
                )
                for item in members["damaged"]
            )
            return Damage(members["sensor"], ranges)  # type: ignore[arg-type]
        if name == "refused":
            return Refused(members["sensor"], problem(members["problem"]))
        if name == "problem":
            raise problem(members)
        # Events of a newer host.
        return None

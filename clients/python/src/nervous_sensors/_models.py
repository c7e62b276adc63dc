"""What the host answers, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ._columns import Field, Value, time_of

if TYPE_CHECKING:
    import pandas as pd


def time_of_milliseconds(value: float) -> datetime:
    """A time of the API: milliseconds since 1970 whose fraction holds the microseconds."""
    return time_of(round(value * 1000))


def _time(members: Mapping[str, Any], name: str) -> datetime | None:
    return time_of_milliseconds(members[name]) if name in members else None


def _fields(items: Sequence[Mapping[str, Any]]) -> tuple[Field, ...]:
    return tuple(Field(item["name"], item.get("kind", "number"), item.get("unit")) for item in items)


@dataclass(frozen=True)
class Sensor:
    """A sensor as this client sees it."""

    id: str
    title: str
    fields: tuple[Field, ...]
    #: ``granted``, ``statistics``, ``denied`` or ``prompt``.
    access: str
    available: bool
    #: Only for clients that may read every sample.
    newest: datetime | None
    #: Whether the newest sample is too old; ``None`` if unknown.
    stale: bool | None
    #: All members of the answer.
    members: Mapping[str, Any]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Sensor:
        return cls(
            id=members["id"],
            title=members.get("title", ""),
            fields=_fields(members.get("fields", ())),
            access=members.get("access", ""),
            available=members.get("available", False),
            newest=_time(members, "newest"),
            stale=members.get("stale"),
            members=members,
        )


@dataclass(frozen=True)
class Latest:
    """The newest sample of a sensor.

    Of a sensor with a field named ``age`` or ``stale``, use ``samples(sensor, descending=True, limit=1)``.
    """

    time: datetime
    values: Mapping[str, Value]
    #: By the clock of the host.
    age: timedelta | None
    #: Whether another sample should have come since; ``None`` if unknown.
    stale: bool | None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Latest:
        values = {name: value for name, value in members.items() if name not in ("t", "age", "stale")}
        age = timedelta(milliseconds=members["age"]) if "age" in members else None
        return cls(time_of_milliseconds(members["t"]), values, age, members.get("stale"))


@dataclass(frozen=True)
class Window:
    """Statistics of a time range."""

    #: ``None`` if the range has no beginning, or no end.
    start: datetime | None
    end: datetime | None
    count: int
    #: The fraction of the range for which samples exist; ``None`` if unknown.
    coverage: float | None
    #: Percentiles are within 1 %, from summaries.
    approximate: bool
    #: Samples are missing.
    partial: bool
    #: By field and statistic; ``None`` where one is not defined.
    values: Mapping[str, Mapping[str, float | None]]

    def __getitem__(self, field: str) -> Mapping[str, float | None]:
        return self.values[field]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Window:
        return cls(
            start=_time(members, "from"),
            end=_time(members, "to"),
            count=members.get("count", 0),
            coverage=members.get("coverage"),
            approximate=members.get("approximate", False),
            partial=members.get("partial", False),
            values=members.get("values", {}),
        )


@dataclass(frozen=True)
class Windows(Sequence[Window]):
    """Statistics of consecutive time ranges."""

    sensor: str
    fields: tuple[Field, ...]
    #: The statistics that were computed: with statistics only, ``p95`` becomes ``p95~``.
    functions: tuple[str, ...]
    items: tuple[Window, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Windows:
        return cls(
            sensor=members["sensor"],
            fields=_fields(members["fields"]),
            functions=tuple(members["fn"]),
            items=tuple(Window.of(item) for item in members["items"]),
        )

    def to_pandas(self) -> pd.DataFrame:
        """A frame with a row for each window and a column such as ``busy.mean`` for each statistic."""
        import pandas as pd

        data: dict[str, Any] = {"coverage": [window.coverage for window in self.items]}
        for field in self.fields:
            for name in self.functions:
                data[f"{field.name}.{name}"] = [
                    window.values.get(field.name, {}).get(name) for window in self.items
                ]
        index = pd.DatetimeIndex([window.start for window in self.items], name="from")
        # What is not defined becomes NaN.
        frame = pd.DataFrame(data, index=index, dtype="float64")
        frame.insert(0, "count", [window.count for window in self.items])
        return frame


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis."""

    analysis: str
    #: How many samples or windows were used; ``None`` if it is withheld.
    count: int | None
    #: As in the documentation of the analysis; ``None`` if there is too little data.
    result: Any
    partial: bool
    members: Mapping[str, Any]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Analysis:
        return cls(
            members["analysis"],
            members.get("count"),
            members.get("result"),
            members.get("partial", False),
            members,
        )


@dataclass(frozen=True)
class Session:
    """A workout, trip or measurement."""

    id: str
    name: str
    description: str
    sensors: tuple[str, ...]
    #: ``inactive``, ``active`` or ``paused``.
    state: str
    finished: bool
    elapsed: timedelta
    #: The intervals in which it was active; the last one may have no end.
    spans: tuple[tuple[datetime, datetime | None], ...]
    members: Mapping[str, Any]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Session:
        return cls(
            id=members["id"],
            name=members["name"],
            description=members.get("description", ""),
            sensors=tuple(members["sensors"]),
            state=members["state"],
            finished=members["finished"],
            elapsed=timedelta(milliseconds=members["elapsed"]),
            spans=tuple(
                (time_of_milliseconds(span["from"]), _time(span, "to")) for span in members["spans"]
            ),
            members=members,
        )


@dataclass(frozen=True)
class Permission:
    """The state of a privilege of this client."""

    privilege: str
    #: ``granted``, ``denied`` or ``prompt``.
    state: str
    #: Whether the policy of the machine blocks it.
    restricted: bool
    #: What the privilege can reveal about the owner.
    reveals: str | None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Permission:
        return cls(
            members["privilege"],
            members["state"],
            members.get("restricted", False),
            members.get("reveals"),
        )


@dataclass(frozen=True)
class Caller:
    """This client as the host knows it."""

    name: str
    #: ``app``, ``client`` or ``owner``.
    kind: str
    members: Mapping[str, Any]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Caller:
        return cls(members["name"], members["kind"], members)


@dataclass(frozen=True)
class Published:
    """Samples that are stored: synced to the disk, they survive a power cut."""

    accepted: int
    #: The sequence number of the last one.
    last: int | None
    #: Whether an earlier attempt with the same key had stored them.
    repeated: bool

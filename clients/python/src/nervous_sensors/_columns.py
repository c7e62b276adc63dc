"""Samples as columns: reading and writing ``application/vnd.nervous.columns``, version 1.

See ``docs/columns-format.md``. Columns of numbers are views of the received bytes; nothing is copied.
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

from ._errors import InvalidAnswer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

MEDIA_TYPE = "application/vnd.nervous.columns"

Value = Union[float, int, str]

_HEADER = struct.Struct("<3sBHIQ")
_KINDS = ("number", "integer", "state", "text")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Field:
    """A field of a sensor."""

    name: str
    #: ``number``, ``integer``, ``state`` or ``text``.
    kind: str = "number"
    #: In UCUM; ``None`` if it is not known.
    unit: str | None = None


@dataclass(frozen=True)
class Batch:
    """Samples as columns, as the host has sent them."""

    fields: tuple[Field, ...]
    #: The bytes of the times, microseconds since 1970, and of each field of kind ``number`` or ``integer``.
    times: memoryview
    columns: Mapping[str, memoryview | list[str]]

    def __len__(self) -> int:
        return len(self.times) // 8


def batches(data: memoryview) -> Iterator[Batch]:
    """The batches of a body."""
    at = 0
    while at < len(data):
        if len(data) - at < _HEADER.size:
            raise InvalidAnswer("The columns end early.")
        magic, version, count, rows, length = _HEADER.unpack_from(data, at)
        if magic != b"NVC" or version != 1:
            raise InvalidAnswer("The answer has no columns of version 1.")
        at += _HEADER.size
        fields: list[Field] = []
        for _ in range(count):
            if len(data) - at < 2 or len(data) - at < 2 + data[at + 1] or data[at] >= len(_KINDS):
                raise InvalidAnswer("The columns have an invalid field.")
            size = data[at + 1]
            fields.append(Field(str(data[at + 2 : at + 2 + size], "utf-8"), _KINDS[data[at]]))
            at += 2 + size
        if len(data) - at < length:
            raise InvalidAnswer("The columns end early.")
        yield _batch(data[at : at + length], tuple(fields), rows)
        at += length


def _batch(data: memoryview, fields: tuple[Field, ...], rows: int) -> Batch:
    width = 8 * rows
    at = width
    columns: dict[str, memoryview | list[str]] = {}
    for field in fields:
        if field.kind in ("number", "integer"):
            columns[field.name] = data[at : at + width]
            at += width
        else:
            if at + 4 * rows > len(data):
                raise InvalidAnswer("The length of the columns is wrong.")
            lengths = struct.unpack_from(f"<{rows}I", data, at)
            at += 4 * rows
            size = sum(lengths)
            if at + size > len(data):
                raise InvalidAnswer("The length of the columns is wrong.")
            columns[field.name] = _texts(data[at : at + size], lengths)
            at += size
    if at != len(data):
        raise InvalidAnswer("The length of the columns is wrong.")
    return Batch(fields, data[:width], columns)


def _texts(data: memoryview, lengths: Sequence[int]) -> list[str]:
    ends = list(accumulate(lengths))
    try:
        whole = str(data, "utf-8")
        if len(whole) == len(data):
            return [whole[end - size : end] for end, size in zip(ends, lengths)]
        return [str(data[end - size : end], "utf-8") for end, size in zip(ends, lengths)]
    except UnicodeDecodeError:
        raise InvalidAnswer("The columns have a text that is not UTF-8.") from None


def _numbers(data: memoryview, kind: str) -> Sequence[Any]:
    """The numbers of a column; a view on machines that are little-endian."""
    code = "d" if kind == "number" else "q"
    if sys.byteorder == "little":
        return data.cast(code)  # type: ignore[call-overload, no-any-return]
    swapped: array[Any] = array(code, bytes(data))
    swapped.byteswap()
    return swapped


def time_of(microseconds: int) -> datetime:
    """A time in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


def microseconds_of(time: datetime) -> int:
    """Microseconds since 1970, exactly; a time without a zone is a local one, as everywhere in Python."""
    return (time.astimezone(timezone.utc) - _EPOCH) // timedelta(microseconds=1)


class SampleTable:
    """Samples of one sensor.

    ``len(table)`` is their number, and iterating yields them as dictionaries with ``t`` and the fields. For
    calculations use :meth:`to_numpy` or :meth:`to_pandas`.
    """

    def __init__(
        self,
        sensor: str,
        data: memoryview,
        next: str | None = None,
        damaged: str | None = None,
        fields: Sequence[Field] = (),
    ) -> None:
        self.sensor = sensor
        #: As the host has sent them: their columns are views of the received bytes.
        self.batches: list[Batch] = list(batches(data))
        self.fields: tuple[Field, ...] = self.batches[0].fields if self.batches else tuple(fields)
        for batch in self.batches:
            if batch.fields != self.fields:
                raise InvalidAnswer("The fields of the sensor have changed within the answer.")
        #: The cursor of the samples that follow; ``None`` if these are all.
        self.next = next
        #: Time ranges whose samples cannot be read, as in the header ``Nervous-Damaged``.
        self.damaged = damaged

    @classmethod
    def read(cls, path: str | os.PathLike[str], sensor: str = "") -> SampleTable:
        """The samples in a file, such as one of ``nervous export --format columns``."""
        return cls(sensor, memoryview(bytearray(Path(path).read_bytes())))

    def __len__(self) -> int:
        return sum(len(batch) for batch in self.batches)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.batches:
            columns: list[Sequence[Any]] = [_numbers(batch.times, "integer")]
            for field in batch.fields:
                column = batch.columns[field.name]
                columns.append(column if isinstance(column, list) else _numbers(column, field.kind))
            names = [field.name for field in batch.fields]
            for time, *values in zip(*columns):
                yield {"t": time_of(time), **dict(zip(names, values))}

    def __repr__(self) -> str:
        names = ", ".join(field.name for field in self.fields)
        return f"<SampleTable {self.sensor}: {len(self)} samples of {names}>"

    def to_numpy(self) -> dict[str, npt.NDArray[Any]]:
        """The columns by name; ``t`` is ``datetime64[us]`` in UTC.

        With one batch, numbers are views of the received bytes, possibly not aligned. Several batches are
        joined, which copies each number once.
        """
        import numpy as np

        columns = {"t": self._joined([_array(np, batch.times, "<i8") for batch in self.batches], "<i8")}
        columns["t"] = columns["t"].view("datetime64[us]")
        for field in self.fields:
            parts = [batch.columns[field.name] for batch in self.batches]
            kind = {"number": "<f8", "integer": "<i8"}.get(field.kind, "O")
            columns[field.name] = self._joined([_array(np, part, kind) for part in parts], kind)
        return columns

    @staticmethod
    def _joined(parts: list[npt.NDArray[Any]], kind: str) -> npt.NDArray[Any]:
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0, dtype=kind)

    def to_pandas(self) -> pd.DataFrame:
        """A frame with a column for each field; its index ``t`` is in UTC."""
        import numpy as np
        import pandas as pd

        columns = self.to_numpy()
        times = np.require(columns.pop("t"), requirements=["A"])
        index = pd.DatetimeIndex(times, name="t").tz_localize("UTC")
        data = {name: np.require(column, requirements=["A"]) for name, column in columns.items()}
        return pd.DataFrame(data, index=index, columns=[field.name for field in self.fields])


def _array(np: Any, part: memoryview | list[str], kind: str) -> npt.NDArray[Any]:
    if isinstance(part, list):
        texts = np.empty(len(part), dtype=object)
        texts[:] = part
        return texts  # type: ignore[no-any-return]
    return np.frombuffer(part, dtype=kind)  # type: ignore[no-any-return]


def encode(fields: Sequence[Field], times: Any, columns: Mapping[str, Any]) -> bytes:
    """A batch of columns, to be published.

    :param times: microseconds since 1970, as integers or a NumPy array of ``int64``.
    :param columns: the values of each field: sequences or NumPy arrays.
    """
    rows = len(times)
    header = bytearray()
    body = [_integers(times)]
    for field in fields:
        name = field.name.encode()
        header += bytes([_KINDS.index(field.kind), len(name)]) + name
        values = columns[field.name]
        if len(values) != rows:
            raise ValueError(f"{field.name} has {len(values)} values for {rows} times")
        if field.kind == "integer":
            body.append(_integers(values))
        elif field.kind == "number":
            body.append(_packed("d", "<f8", values))
        else:
            texts = [str(text).encode() for text in values]
            body.append(struct.pack(f"<{rows}I", *map(len, texts)) + b"".join(texts))
    length = sum(map(len, body))
    return _HEADER.pack(b"NVC", 1, len(fields), rows, length) + bytes(header) + b"".join(body)


def _integers(values: Any) -> bytes:
    return _packed("q", "<i8", values)


def _packed(code: str, kind: str, values: Any) -> bytes:
    astype = getattr(values, "astype", None)
    if astype is not None:
        import numpy as np

        with np.errstate(invalid="ignore"):
            exact = astype(kind)
        # A number that is not whole, or not finite, must not become another one.
        if kind == "<i8" and not bool((exact == values).all()):
            raise ValueError("a field of kind integer has values that are not whole numbers")
        return bytes(exact.tobytes())
    return struct.pack(f"<{len(values)}{code}", *values)

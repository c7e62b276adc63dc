"""The asynchronous client: the calls of :class:`Client` as coroutines."""

from __future__ import annotations

import asyncio
import os
import ssl
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncGenerator,
    AsyncIterator,
    Generator,
    Iterable,
    Mapping,
    Sequence,
    TypeVar,
    Union,
)

from . import _operations as ops
from ._client import SILENCE, STATISTICS
from ._columns import Field, SampleTable
from ._errors import ConnectionFailed, NervousError
from ._events import Event, StreamState
from ._http import LINE_LIMIT, Answer, Call, Head, Line, Need, Pieces, read_body, read_head
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
)
from ._operations import Operation, Retries, Span, When

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class AsyncClient:
    """Like :class:`Client`, for one event loop::

        async with AsyncClient() as nervous:
            async for event in nervous.stream("cpu"):
                print(event)

    The arguments and the calls are those of :class:`Client`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        token_file: str | os.PathLike[str] | None = None,
        timeout: float = 60.0,
        retries: Retries = Retries(),
    ) -> None:
        self._address = ops.Address.find(url, token, token_file)
        self._timeout = timeout
        self._retries = retries
        self._idle: list[_Connection] = []

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the idle connections; the client stays usable."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.close()

    # Reading

    async def me(self) -> Caller:
        """See :meth:`Client.me`."""
        return await self._run(ops.me())

    async def sensors(self) -> list[Sensor]:
        """See :meth:`Client.sensors`."""
        return await self._run(ops.sensors())

    async def sensor(self, name: str) -> Sensor:
        """See :meth:`Client.sensor`."""
        return await self._run(ops.sensor(name))

    async def latest(self, sensor: str) -> Latest:
        """See :meth:`Client.latest`."""
        return await self._run(ops.latest(sensor))

    async def samples(
        self,
        sensor: str,
        *,
        start: When | None = None,
        end: When | None = None,
        fields: Sequence[str] | None = None,
        where: Sequence[str] = (),
        descending: bool = False,
        limit: int = ops.LARGEST_LIMIT,
        cursor: str | None = None,
    ) -> SampleTable:
        """See :meth:`Client.samples`."""
        return await self._run(ops.samples(sensor, start, end, fields, where, descending, limit, cursor))

    async def statistics(
        self,
        sensor: str,
        functions: Sequence[str] = STATISTICS,
        *,
        start: When | None = None,
        end: When | None = None,
        fields: Sequence[str] | None = None,
        where: Sequence[str] = (),
    ) -> Window:
        """See :meth:`Client.statistics`."""
        return ops.only(
            await self.windows(sensor, functions, start=start, end=end, fields=fields, where=where)
        )

    async def windows(
        self,
        sensor: str,
        functions: Sequence[str] = STATISTICS,
        *,
        every: Span | None = None,
        zone: str | None = None,
        start: When | None = None,
        end: When | None = None,
        fields: Sequence[str] | None = None,
        where: Sequence[str] = (),
    ) -> Windows:
        """See :meth:`Client.windows`."""
        return await self._run(ops.windows(sensor, functions, start, end, every, zone, fields, where))

    async def analyse(
        self,
        analysis: str,
        inputs: Sequence[str],
        *,
        start: When | None = None,
        end: When | None = None,
        every: Span | None = None,
        where: Sequence[str] = (),
        join: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Analysis:
        """See :meth:`Client.analyse`."""
        return await self._run(ops.analyse(analysis, inputs, start, end, every, where, join, parameters))

    def stream(
        self, *sensors: str, newest: bool = False, last_id: int | None = None
    ) -> AsyncIterator[Event]:
        """See :meth:`Client.stream`."""
        return self._follow(StreamState(sensors, newest, last_id))

    # Publishing

    async def publish(
        self,
        sensor: str,
        samples: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
    ) -> Published:
        """See :meth:`Client.publish`."""
        return await self._run(ops.publish(sensor, samples, key))

    async def publish_columns(
        self,
        sensor: str,
        times: Any,
        columns: Mapping[str, Any],
        *,
        fields: Sequence[Field] | None = None,
        key: str | None = None,
    ) -> Published:
        """See :meth:`Client.publish_columns`."""
        fields = (await self.sensor(sensor)).fields if fields is None else fields
        return await self._run(ops.publish_columns(sensor, fields, times, columns, key))

    async def publish_frame(
        self, sensor: str, frame: pd.DataFrame, *, key: str | None = None
    ) -> list[Published]:
        """See :meth:`Client.publish_frame`."""
        fields = (await self.sensor(sensor)).fields
        key = key or ops.new_key()
        return [
            await self._run(ops.publish_columns(sensor, fields, times, columns, f"{key}-{number}"))
            for number, (times, columns) in enumerate(ops.frame_batches(frame, fields))
        ]

    async def declare(self, sensor: str, fields: Sequence[Field], *, title: str | None = None) -> Sensor:
        """See :meth:`Client.declare`."""
        return await self._run(ops.declare(sensor, fields, title))

    # Permissions

    async def permission(self, privilege: str) -> Permission:
        """See :meth:`Client.permission`."""
        return await self._run(ops.permission(privilege))

    async def request_permission(self, privilege: str) -> Permission:
        """See :meth:`Client.request_permission`."""
        return await self._run(ops.request_permission(privilege))

    # Sessions

    async def sessions(self) -> list[Session]:
        """See :meth:`Client.sessions`."""
        found: list[Session] = []
        cursor: str | None = None
        while True:
            page, cursor = await self._run(ops.session_page(cursor))
            found += page
            if cursor is None:
                return found

    async def session(self, session: str) -> Session:
        """See :meth:`Client.session`."""
        return await self._run(ops.session(session))

    async def create_session(
        self,
        name: str,
        sensors: Sequence[str],
        *,
        description: str | None = None,
        id: str | None = None,
    ) -> Session:
        """See :meth:`Client.create_session`."""
        return await self._run(ops.create_session(name, sensors, description, id))

    async def start_session(self, session: str) -> Session:
        """See :meth:`Client.start_session`."""
        return await self._run(ops.step_session(session, "start"))

    async def pause_session(self, session: str) -> Session:
        """See :meth:`Client.pause_session`."""
        return await self._run(ops.step_session(session, "pause"))

    async def resume_session(self, session: str) -> Session:
        """See :meth:`Client.resume_session`."""
        return await self._run(ops.step_session(session, "resume"))

    async def finish_session(self, session: str) -> Session:
        """See :meth:`Client.finish_session`."""
        return await self._run(ops.step_session(session, "finish"))

    async def delete_session(self, session: str) -> None:
        """See :meth:`Client.delete_session`."""
        return await self._run(ops.delete_session(session))

    async def session_samples(self, session: str, sensor: str | None = None) -> list[dict[str, Any]]:
        """See :meth:`Client.session_samples`."""
        return await self._run(ops.session_samples(session, sensor))

    async def request(
        self, method: str, path: str, *, parameters: Mapping[str, Any] | None = None, json: Any = None
    ) -> Any:
        """See :meth:`Client.request`."""
        return await self._run(ops.request(method, path, parameters or {}, json))

    # Connections

    async def _run(self, operation: Operation[T]) -> T:
        attempt = 0
        while True:
            try:
                return ops.result(operation, await self._answer(operation.call))
            except NervousError as error:
                delay = self._retries.delay(attempt, error, operation.call)
                if delay is None:
                    raise
            attempt += 1
            await asyncio.sleep(delay)

    async def _answer(self, call: Call) -> Answer:
        is_new = not self._idle
        connection = (
            await _Connection.open(self._address, self._timeout) if is_new else self._idle.pop()
        )
        try:
            answer, is_reusable = await connection.exchange(call, self._address)
        except ConnectionFailed:
            await connection.close()
            # The host closes idle connections; that costs no attempt.
            if is_new or not call.is_repeatable:
                raise
            await self.close()
            return await self._answer(call)
        except BaseException:
            connection.abort()
            raise
        if is_reusable:
            self._idle.append(connection)
        else:
            await connection.close()
        return answer

    async def _follow(self, state: StreamState) -> AsyncGenerator[Event, None]:
        attempt = 0
        while True:
            try:
                async for event in self._events(state):
                    attempt = 0
                    yield event
                raise ConnectionFailed("The host ended the stream.")
            except NervousError as error:
                delay = self._retries.delay(attempt, error, state.call(), state.has_begun)
                if delay is None:
                    raise
            attempt += 1
            await asyncio.sleep(delay)

    async def _events(self, state: StreamState) -> AsyncGenerator[Event, None]:
        connection = await _Connection.open(self._address, min(self._timeout, SILENCE))
        try:
            head = await connection.send(state.call(), self._address)
            if head.status >= 400:
                body = await connection.drive(read_body(head))
                ops.result(
                    Operation(state.call(), lambda _: None), Answer(head.status, head.headers, body)
                )
            pieces = Pieces(head)
            while piece := await connection.drive(pieces.next()):
                for event in state.feed(piece):
                    yield event
        finally:
            connection.abort()


class _Connection:
    """A connection with one call at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: float
    ) -> None:
        self._reader, self._writer, self._timeout = reader, writer, timeout

    @classmethod
    async def open(cls, address: ops.Address, timeout: float) -> _Connection:
        context = ssl.create_default_context() if address.is_tls else None
        try:
            # A large buffer: the bodies with many samples are large.
            opening = asyncio.open_connection(address.host, address.port, ssl=context, limit=1 << 20)
            reader, writer = await asyncio.wait_for(opening, timeout)
        except (OSError, asyncio.TimeoutError) as error:
            raise ConnectionFailed(f"{address.authority} cannot be reached: {error}") from error
        return cls(reader, writer, timeout)

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            # It was lost before.
            pass

    def abort(self) -> None:
        """Closes the connection without waiting."""
        self._writer.transport.abort()

    async def exchange(self, call: Call, address: ops.Address) -> tuple[Answer, bool]:
        head = await self.send(call, address)
        body = await self.drive(read_body(head))
        return Answer(head.status, head.headers, body), head.keeps_connection

    async def send(self, call: Call, address: ops.Address) -> Head:
        self._writer.write(call.head(address.authority, address.token))
        if call.body is not None:
            self._writer.write(call.body)
        try:
            await asyncio.wait_for(self._writer.drain(), self._timeout)
        except (OSError, asyncio.TimeoutError) as error:
            raise ConnectionFailed(f"The connection was lost: {error}") from error
        return await self.drive(read_head())

    async def drive(self, reader: Generator[Need, Union[bytes, int], T]) -> T:
        """Gives a reader what it needs."""
        try:
            need = next(reader)
            while True:
                need = reader.send(await asyncio.wait_for(self._read(need), self._timeout))
        except StopIteration as end:
            value: T = end.value
            return value
        except (OSError, asyncio.TimeoutError) as error:
            raise ConnectionFailed(f"The connection was lost: {error or 'timed out'}") from error

    async def _read(self, need: Need) -> bytes | int:
        if isinstance(need, Line):
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                return error.partial
            except asyncio.LimitOverrunError:
                return b"\0"
            return line if len(line) <= LINE_LIMIT else b"\0"
        data = await self._reader.read(len(need.view))
        need.view[: len(data)] = data
        return len(data)

"""The synchronous client."""

from __future__ import annotations

import io
import os
import socket
import ssl
import threading
import time
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    TypeVar,
    Union,
    cast,
)

from . import _operations as ops
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

STATISTICS = ("count", "mean", "stddev", "min", "max")
#: The host sends something at least every 15 seconds.
SILENCE = 45.0


class Client:
    """A connection to a Nervous host, for one token.

    It may be used by several threads, and as a context manager::

        with Client() as nervous:
            frame = nervous.samples("cpu", start="-1h").to_pandas()

    :param url: the host's address; else that in ``NERVOUS_URL``, else ``http://localhost:8080``.
    :param token: the token; without ``token`` and ``token_file`` that in ``NERVOUS_TOKEN``, or in the file that
        ``NERVOUS_TOKEN_FILE`` names.
    :param token_file: a file that contains the token.
    :param timeout: how many seconds the host may be silent.
    :param retries: when a call is sent again.
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
        self._lock = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the idle connections; the client stays usable."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    # Reading

    def me(self) -> Caller:
        """This client, as the host knows it."""
        return self._run(ops.me())

    def sensors(self) -> list[Sensor]:
        """The sensors that the owner has decided about; for the owner, every sensor."""
        return self._run(ops.sensors())

    def sensor(self, name: str) -> Sensor:
        """One sensor."""
        return self._run(ops.sensor(name))

    def latest(self, sensor: str) -> Latest:
        """The newest sample."""
        return self._run(ops.latest(sensor))

    def samples(
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
        """Samples as columns, by time.

        If there are more than ``limit``, the table has ``next``: pass it as ``cursor`` and keep the other
        arguments. A duration as ``start`` is evaluated again for each page, so use a fixed time then.

        :param start: the first time; ``end`` is not included.
        :param where: conditions such as ``busy>50``, all of which must hold.
        """
        return self._run(ops.samples(sensor, start, end, fields, where, descending, limit, cursor))

    def statistics(
        self,
        sensor: str,
        functions: Sequence[str] = STATISTICS,
        *,
        start: When | None = None,
        end: When | None = None,
        fields: Sequence[str] | None = None,
        where: Sequence[str] = (),
    ) -> Window:
        """Statistics of a time range: ``statistics("cpu", ["mean"], start="-1h")["busy"]["mean"]``."""
        return ops.only(self.windows(sensor, functions, start=start, end=end, fields=fields, where=where))

    def windows(
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
        """Statistics of consecutive windows.

        :param every: the length of a window; with ``zone``, such as ``Europe/Zurich``, also ``1d``, ``1w`` or
            ``1mo`` of the calendar.
        """
        return self._run(ops.windows(sensor, functions, start, end, every, zone, fields, where))

    def analyse(
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
        """An analysis: ``analyse("correlation", ["cpu.busy", "load.load1"], start="-1h", every="1s")``."""
        return self._run(ops.analyse(analysis, inputs, start, end, every, where, join, parameters))

    def stream(
        self, *sensors: str, newest: bool = False, last_id: int | None = None
    ) -> Iterator[Event]:
        """Follows sensors; ``*`` means all that may be read.

        The iterator reconnects when the connection is lost, as often as necessary, and resumes after the last
        event, so that no sample is missing or repeated; those that the host no longer has are reported as
        :class:`Gap`. Close it, or leave the loop, to end the stream.

        :param newest: begin with the newest sample of each sensor.
        :param last_id: resume after an event of an earlier stream.
        :raises Problem: when the token is no longer valid.
        """
        state = StreamState(sensors, newest, last_id)
        return self._follow(state)

    # Publishing

    def publish(
        self,
        sensor: str,
        samples: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
    ) -> Published:
        """Stores samples of a declared sensor, all or none.

        Each sample has every field of the sensor; ``t``, if present, is a ``datetime``, a text in RFC 3339, or
        milliseconds since 1970. The call is repeated when the connection is lost, under the same key, so a batch is
        stored once.

        :param key: names the batch, for 24 hours; give one to repeat the call after a crash of your program.
        """
        return self._run(ops.publish(sensor, samples, key))

    def publish_columns(
        self,
        sensor: str,
        times: Any,
        columns: Mapping[str, Any],
        *,
        fields: Sequence[Field] | None = None,
        key: str | None = None,
    ) -> Published:
        """Stores samples from columns: lists or NumPy arrays.

        :param times: microseconds since 1970.
        :param fields: those of the sensor; the host is asked for them if missing.
        """
        fields = self.sensor(sensor).fields if fields is None else fields
        return self._run(ops.publish_columns(sensor, fields, times, columns, key))

    def publish_frame(self, sensor: str, frame: pd.DataFrame, *, key: str | None = None) -> list[Published]:
        """Stores the rows of a frame whose index has times with a zone and whose columns are the fields.

        :returns: an entry for each batch of at most 100 000 rows.
        """
        fields = self.sensor(sensor).fields
        key = key or ops.new_key()
        return [
            self._run(ops.publish_columns(sensor, fields, times, columns, f"{key}-{number}"))
            for number, (times, columns) in enumerate(ops.frame_batches(frame, fields))
        ]

    def declare(self, sensor: str, fields: Sequence[Field], *, title: str | None = None) -> Sensor:
        """Declares a sensor to which clients can publish (owner)."""
        return self._run(ops.declare(sensor, fields, title))

    # Permissions

    def permission(self, privilege: str) -> Permission:
        """The state of a privilege, such as ``sensor:cpu`` or ``sensor:cpu:stats``."""
        return self._run(ops.permission(privilege))

    def request_permission(self, privilege: str) -> Permission:
        """Requests a privilege: the state afterwards.

        For an app the host asks the owner, and the call waits up to 45 seconds for the decision. For a program it
        returns at once: the owner decides in the dashboard, or with ``nervous permissions grant``.
        """
        return self._run(ops.request_permission(privilege))

    # Sessions

    def sessions(self) -> list[Session]:
        """The sessions that this client may see, newest first."""
        found: list[Session] = []
        cursor: str | None = None
        while True:
            page, cursor = self._run(ops.session_page(cursor))
            found += page
            if cursor is None:
                return found

    def session(self, session: str) -> Session:
        """One session."""
        return self._run(ops.session(session))

    def create_session(
        self,
        name: str,
        sensors: Sequence[str],
        *,
        description: str | None = None,
        id: str | None = None,
    ) -> Session:
        """Creates a session."""
        return self._run(ops.create_session(name, sensors, description, id))

    def start_session(self, session: str) -> Session:
        """Starts a session now."""
        return self._run(ops.step_session(session, "start"))

    def pause_session(self, session: str) -> Session:
        """Pauses a session now."""
        return self._run(ops.step_session(session, "pause"))

    def resume_session(self, session: str) -> Session:
        """Resumes a session now."""
        return self._run(ops.step_session(session, "resume"))

    def finish_session(self, session: str) -> Session:
        """Ends a session now."""
        return self._run(ops.step_session(session, "finish"))

    def delete_session(self, session: str) -> None:
        """Deletes a session, but none of its samples."""
        return self._run(ops.delete_session(session))

    def session_samples(self, session: str, sensor: str | None = None) -> list[dict[str, Any]]:
        """The samples of a sensor while the session was active."""
        return self._run(ops.session_samples(session, sensor))

    def request(
        self, method: str, path: str, *, parameters: Mapping[str, Any] | None = None, json: Any = None
    ) -> Any:
        """Any other route: ``request("GET", "status")``; the answer is parsed JSON."""
        return self._run(ops.request(method, path, parameters or {}, json))

    # Connections

    def _run(self, operation: Operation[T]) -> T:
        attempt = 0
        while True:
            try:
                return ops.result(operation, self._answer(operation.call))
            except NervousError as error:
                delay = self._retries.delay(attempt, error, operation.call)
                if delay is None:
                    raise
            attempt += 1
            time.sleep(delay)

    def _answer(self, call: Call) -> Answer:
        connection, is_new = self._take()
        try:
            answer, is_reusable = connection.exchange(call, self._address)
        except ConnectionFailed:
            connection.close()
            # The host closes idle connections; that costs no attempt.
            if is_new or not call.is_repeatable:
                raise
            self.close()
            return self._answer(call)
        except BaseException:
            connection.close()
            raise
        if is_reusable:
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _take(self) -> tuple[_Connection, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        return _Connection(self._address, self._timeout), True

    def _follow(self, state: StreamState) -> Generator[Event, None, None]:
        attempt = 0
        while True:
            try:
                for event in self._events(state):
                    attempt = 0
                    yield event
                raise ConnectionFailed("The host ended the stream.")
            except NervousError as error:
                delay = self._retries.delay(attempt, error, state.call(), state.has_begun)
                if delay is None:
                    raise
            attempt += 1
            time.sleep(delay)

    def _events(self, state: StreamState) -> Generator[Event, None, None]:
        connection = _Connection(self._address, min(self._timeout, SILENCE))
        try:
            head = connection.send(state.call(), self._address)
            if head.status >= 400:
                body = connection.drive(read_body(head))
                ops.result(
                    Operation(state.call(), lambda _: None), Answer(head.status, head.headers, body)
                )
            pieces = Pieces(head)
            while piece := connection.drive(pieces.next()):
                yield from state.feed(piece)
        finally:
            connection.close()


class _Connection:
    """A connection with one call at a time."""

    def __init__(self, address: ops.Address, timeout: float) -> None:
        try:
            self._socket = socket.create_connection((address.host, address.port), timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.is_tls:
                context = ssl.create_default_context()
                self._socket = context.wrap_socket(self._socket, server_hostname=address.host)
        except OSError as error:
            raise ConnectionFailed(f"{address.authority} cannot be reached: {error}") from error
        self._file = cast(io.BufferedReader, self._socket.makefile("rb", buffering=LINE_LIMIT))

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def exchange(self, call: Call, address: ops.Address) -> tuple[Answer, bool]:
        head = self.send(call, address)
        body = self.drive(read_body(head))
        return Answer(head.status, head.headers, body), head.keeps_connection

    def send(self, call: Call, address: ops.Address) -> Head:
        try:
            self._socket.sendall(call.head(address.authority, address.token))
            if call.body is not None:
                self._socket.sendall(call.body)
        except OSError as error:
            raise ConnectionFailed(f"The connection was lost: {error}") from error
        return self.drive(read_head())

    def drive(self, reader: Generator[Need, Union[bytes, int], T]) -> T:
        """Gives a reader what it needs."""
        try:
            need = next(reader)
            while True:
                if isinstance(need, Line):
                    need = reader.send(self._file.readline(LINE_LIMIT))
                else:
                    need = reader.send(self._file.readinto1(need.view))
        except StopIteration as end:
            value: T = end.value
            return value
        except OSError as error:
            raise ConnectionFailed(f"The connection was lost: {error}") from error

from __future__ import annotations

import asyncio
import inspect
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from host import Host  # noqa: E402
from nervous_sensors import AsyncClient, Client  # noqa: E402


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    served = Host()
    yield served
    served.close()


class Awaited:
    """An asynchronous client that is called like a synchronous one, so that both pass the same tests."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop()

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._client, name)

        def call(*arguments: Any, **named: Any) -> Any:
            result = attribute(*arguments, **named)
            if inspect.isasyncgen(result):
                return self._iterate(result)
            return self._loop.run_until_complete(result)

        return call

    def _iterate(self, generator: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run_until_complete(anext(generator))
                except StopAsyncIteration:
                    return
        finally:
            self._loop.run_until_complete(generator.aclose())

    def end(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


@pytest.fixture(params=["sync", "async"])
def connect(request: Any) -> Iterator[Any]:
    """Makes clients of either kind."""
    made: list[Any] = []

    def make(*arguments: Any, **named: Any) -> Any:
        if request.param == "sync":
            client: Any = Client(*arguments, **named)
        else:
            client = Awaited(AsyncClient(*arguments, **named))
        made.append(client)
        return client

    yield make
    for client in made:
        client.end() if isinstance(client, Awaited) else client.close()


@pytest.fixture
def owner(connect: Any, host: Host) -> Any:
    return connect(host.origin, token=host.token)

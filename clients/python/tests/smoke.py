"""Calls every part of the client that needs the standard library only; for machines without pytest and NumPy.

    NERVOUS=.build/debug/nervous python3 clients/python/tests/smoke.py
"""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from host import Host  # noqa: E402
from nervous_sensors import AsyncClient, Client, Field, Opened, Sample, Undecided  # noqa: E402

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def rows(count: int) -> list[dict[str, object]]:
    return [
        {"t": START + timedelta(seconds=number), "level": number / 2, "steps": number, "mood": "größer"}
        for number in range(count)
    ]


def check(host: Host) -> None:
    fields = [Field("level", unit="m"), Field("steps", "integer"), Field("mood", "state")]
    with Client(host.origin, token=host.token) as owner:
        owner.declare("walk", fields, title="Walk")
        assert owner.publish("walk", rows(100), key="first").accepted == 100
        assert owner.publish("walk", rows(100), key="first").repeated
        session = owner.create_session("Walk", ["walk"])
        assert owner.start_session(session.id).state == "active"
        assert owner.finish_session(session.id).finished
        assert [found.id for found in owner.sessions()] == [session.id]
    with Client(host.origin, token=host.client("reader", "sensor:walk")) as reader:
        assert list(reader.samples("walk")) == rows(100)
        assert reader.latest("walk").values == {"level": 49.5, "steps": 99, "mood": "größer"}
        assert reader.statistics("walk", ["mean", "max"])["steps"] == {"mean": 49.5, "max": 99}
        assert len(reader.windows("walk", every="10s", start=START, end=START + timedelta(seconds=100))) == 10
        assert reader.analyse("largest", ["walk.steps"], k=1).result["items"][0]["value"] == 99
        assert reader.permission("sensor:walk").state == "granted"
        try:
            reader.latest("cpu")
        except Undecided as error:
            assert error.privilege == "sensor:cpu"
        else:
            raise AssertionError("cpu can be read without a permission")


async def check_stream(host: Host) -> None:
    async with AsyncClient(host.origin, token=host.token) as owner:
        events = owner.stream("walk", last_id=0)
        assert isinstance(await anext(events), Opened)
        found = [await anext(events) for _ in range(100)]
        assert [event.values["steps"] for event in found if isinstance(event, Sample)] == list(range(100))


if __name__ == "__main__":
    served = Host()
    try:
        check(served)
        asyncio.run(check_stream(served))
    finally:
        served.close()
    print("The Python client works.")

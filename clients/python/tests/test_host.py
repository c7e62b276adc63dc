"""Both clients against a real host."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from host import Host

from nervous_sensors import (
    ConnectionFailed,
    Denied,
    Field,
    InvalidRequest,
    InvalidSample,
    KeyReused,
    NoSamples,
    OwnerOnly,
    Problem,
    SampleTable,
    StatisticsOnly,
    TokenRejected,
    Undecided,
    UnknownSensor,
)

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
NUMBERS = itertools.count()
FIELDS = [Field("level", unit="m"), Field("steps", "integer"), Field("mood", "state")]


def rows(count: int, begin: int = 0) -> list[dict[str, Any]]:
    moods = ["calm", "größer", ""]
    return [
        {"t": START + timedelta(seconds=n), "level": n / 4, "steps": n, "mood": moods[n % 3]}
        for n in range(begin, begin + count)
    ]


@pytest.fixture
def walk(owner: Any) -> str:
    """A declared sensor with 1000 samples, for one test."""
    name = f"walk.test{next(NUMBERS)}"
    owner.declare(name, FIELDS)
    assert owner.publish(name, rows(1000)).accepted == 1000
    return name


def test_the_host_knows_the_caller(host: Host, owner: Any, connect: Any) -> None:
    assert (owner.me().name, owner.me().kind) == ("pages", "owner")
    names = [sensor.id for sensor in owner.sensors()]
    assert "cpu" in names and "memory" in names
    assert owner.request("GET", "status")["port"] == host.port


def test_samples_are_those_that_were_published(owner: Any, walk: str) -> None:
    assert list(owner.samples(walk)) == rows(1000)
    found = owner.samples(
        walk, start=START, end=START + timedelta(seconds=500), where=["steps>=100", "mood=calm"],
        fields=["steps"], descending=True, limit=3,
    )  # fmt: skip
    assert [row["steps"] for row in found] == [498, 495, 492]
    assert [field.name for field in found.fields] == ["steps"]
    assert found.next is not None
    assert len(owner.samples(walk, start="-1h")) == 0
    latest = owner.latest(walk)
    assert latest.time == rows(1000)[-1]["t"] and latest.values["steps"] == 999
    assert latest.age is not None and latest.age > timedelta(0)
    # Whether it is stale cannot be told of samples that came at once.
    assert latest.stale is None
    owner.publish(walk, rows(1, 1000))
    assert owner.latest(walk).stale is True


@pytest.mark.parametrize("limit", [1, 7, 499, 500, 999, 1000, 1001])
def test_pages_neither_repeat_nor_lose_samples(owner: Any, walk: str, limit: int) -> None:
    if limit == 1:
        owner.publish(walk, [{**row, "level": -1} for row in rows(1, 3)])
    found: list[Any] = []
    cursor = None
    while True:
        page = owner.samples(walk, limit=limit, cursor=cursor, end=START + timedelta(seconds=900))
        found += page
        cursor = page.next
        if cursor is None:
            break
    assert [row["steps"] for row in found] == sorted([*range(900), *([3] if limit == 1 else [])])


def test_the_cursor_of_a_streamed_answer_is_in_its_trailer(owner: Any) -> None:
    name = f"many.test{next(NUMBERS)}"
    owner.declare(name, [Field("n", "integer")])
    times = range(1_700_000_000_000_000, 1_700_000_000_000_000 + 30_000)
    owner.publish_columns(name, times, {"n": range(30_000)})
    first = owner.samples(name, limit=20_000)
    rest = owner.samples(name, cursor=first.next)
    assert rest.next is None
    assert [row["n"] for row in [*first, *rest]] == list(range(30_000))


def test_an_exported_file_has_the_samples(host: Host, owner: Any, walk: str) -> None:
    file = f"{host.folder}/{walk}.columns"
    host.run("export", walk, "--format", "columns", "-o", file)
    assert list(SampleTable.read(file)) == list(owner.samples(walk))


def test_numpy_and_pandas_have_the_same_numbers(owner: Any, walk: str) -> None:
    np, pd = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    found = owner.samples(walk)
    arrays = found.to_numpy()
    assert arrays["level"].tolist() == [row["level"] for row in rows(1000)]
    assert arrays["t"][1] - arrays["t"][0] == np.timedelta64(1, "s")
    frame = found.to_pandas()
    assert list(frame.columns) == ["level", "steps", "mood"]
    assert frame.index[0] == pd.Timestamp(START) and str(frame.index.tz) == "UTC"
    assert frame["steps"].dtype == "int64" and frame["mood"].iloc[1] == "größer"
    assert frame.loc[frame["steps"] > 997, "level"].tolist() == [249.5, 249.75]
    # The frame belongs to the caller.
    frame["level"] += 1
    copy = walk + "-copy"
    owner.declare(copy, FIELDS)
    [stored] = owner.publish_frame(copy, frame)
    assert stored.accepted == 1000
    pd.testing.assert_frame_equal(owner.samples(copy).to_pandas(), frame)
    with pytest.raises(ValueError):
        owner.publish_frame(copy, frame.tz_localize(None))
    with pytest.raises(ValueError):
        owner.publish_frame(copy, frame[["level"]])
    empty = owner.samples(walk, start="-1h").to_pandas()
    assert len(empty) == 0 and str(empty.index.tz) == "UTC"


def test_statistics_are_those_of_the_samples(owner: Any, walk: str) -> None:
    whole = owner.statistics(walk, ["count", "mean", "median"], fields=["steps"])
    assert whole["steps"] == {"count": 1000, "mean": 499.5, "median": 499.5} and whole.count == 1000
    found = owner.windows(
        walk, ["sum"], every=timedelta(seconds=100), start=START, end=START + timedelta(seconds=1000)
    )
    assert [window["steps"]["sum"] for window in found] == [
        sum(range(n, n + 100)) for n in range(0, 1000, 100)
    ]
    assert found[1].start == START + timedelta(seconds=100) and found[1].coverage == 1
    empty = owner.statistics(walk, ["mean"], start="-1h", fields=["steps"])
    assert empty["steps"]["mean"] is None
    pd = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert frame["count"].dtype == "int64" and frame["coverage"].dtype == "float64"
    assert frame["steps.sum"].tolist() == [window["steps"]["sum"] for window in found]
    assert frame.index[0] == pd.Timestamp(START)


def test_analyses(owner: Any, walk: str) -> None:
    found = owner.analyse("correlation", [f"{walk}.level", f"{walk}.steps"])
    assert found.count == 1000 and found.result["pairs"][0]["pearson"] == pytest.approx(1)
    found = owner.analyse("largest", [f"{walk}.steps"], where=["steps<10"], k=2)
    assert [item["value"] for item in found.result["items"]] == [9, 8]
    with pytest.raises(InvalidRequest) as caught:
        owner.analyse("astrology", [f"{walk}.steps"])
    assert caught.value.code == "unknown-analysis"


def test_a_batch_is_stored_once_under_its_key(owner: Any, walk: str) -> None:
    first = owner.publish(walk, rows(5, 1000), key="batch-" + walk)
    again = owner.publish(walk, rows(5, 1000), key="batch-" + walk)
    assert (first.repeated, again.repeated) == (False, True) and first.last == again.last
    assert len(owner.samples(walk)) == 1005
    with pytest.raises(KeyReused):
        owner.publish(walk, rows(6, 1000), key="batch-" + walk)
    with pytest.raises(InvalidSample) as caught:
        owner.publish(walk, [*rows(1, 2000), {"level": 1}])
    assert "2" in caught.value.detail
    assert len(owner.samples(walk)) == 1005
    with pytest.raises(ValueError):
        owner.publish(walk, {"level": float("nan"), "steps": 1, "mood": ""})


def test_problems_are_exceptions_by_code(host: Host, owner: Any, connect: Any, walk: str) -> None:
    token = host.client("reader-" + walk.replace(".", "-"), f"sensor:{walk}:stats", "sensor:battery:write")
    reader = connect(host.origin, token=token)
    assert reader.statistics(walk, ["mean"])["steps"]["mean"] is not None
    with pytest.raises(StatisticsOnly):
        reader.samples(walk)
    with pytest.raises(Undecided) as caught:
        reader.latest("cpu")
    assert caught.value.privilege == "sensor:cpu" and caught.value.status == 403
    with pytest.raises(OwnerOnly):
        reader.request("GET", "status")
    with pytest.raises(UnknownSensor):
        owner.sensor("nothing")
    owner.declare(walk + "-empty", FIELDS)
    with pytest.raises(NoSamples):
        owner.latest(walk + "-empty")
    with pytest.raises(InvalidRequest) as invalid:
        owner.samples(walk, limit=0)
    assert invalid.value.code == "invalid-parameter"
    with pytest.raises(TokenRejected):
        connect(host.origin, token=token[:-1] + "!").me()
    with pytest.raises(TokenRejected) as missing:
        connect(host.origin).me()
    assert missing.value.code == "missing-token"
    with pytest.raises(ConnectionFailed):
        connect("http://127.0.0.1:1", token=token).me()


def test_permissions_are_shown_and_requested(host: Host, owner: Any, connect: Any, walk: str) -> None:
    name = "asker-" + walk.replace(".", "-")
    asker = connect(host.origin, token=host.client(name, f"sensor:{walk}"))
    assert asker.permission(f"sensor:{walk}").state == "granted"
    found = asker.permission("sensor:cpu")
    assert found.state == "prompt" and found.reveals
    # The owner decides about programs without being asked.
    assert asker.request_permission("sensor:cpu").state == "prompt"
    for decision, state in [("allow-always", "granted"), ("deny", "denied")]:
        owner.request("PUT", f"grants/{name}/sensor:cpu", json={"decision": decision})
        assert asker.request_permission("sensor:cpu").state == state
    with pytest.raises(Denied):
        asker.latest("cpu")


def test_sessions(owner: Any, walk: str) -> None:
    made = owner.create_session("Lunch", [walk], description="slow")
    assert (made.state, made.sensors, made.description) == ("inactive", (walk,), "slow")
    owner.start_session(made.id)
    owner.publish(walk, {"level": 1, "steps": 2, "mood": "calm"})
    assert owner.pause_session(made.id).state == "paused"
    assert owner.resume_session(made.id).state == "active"
    ended = owner.finish_session(made.id)
    assert ended.finished and len(ended.spans) == 2 and ended.elapsed > timedelta(0)
    assert [row["steps"] for row in owner.session_samples(made.id)] == [2]
    assert made.id in [session.id for session in owner.sessions()]
    with pytest.raises(Problem) as caught:
        owner.start_session(made.id)
    assert caught.value.code == "wrong-state"
    owner.delete_session(made.id)
    assert made.id not in [session.id for session in owner.sessions()]

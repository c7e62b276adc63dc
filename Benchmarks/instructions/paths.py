"""The paths whose instructions are counted."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

from browser.host import COLUMNS, HostFailed, column_batch
from instructions.counting import CountedHost

# Publishing as CSV and as columns, the newest sample over HTTP, means of windows, and the newest sample by an app.
NAMES = ("csv", "columns", "latest", "windows", "call")
SENSOR = "bench.walk"
APP = "bench-calls"
INTERVAL = 10
# The samples of one call, and the calls of a round. As many are made before the first round, so that caches are
# filled.
ROWS = 10_000
BATCHES = 4
CALLS = 200
QUERIES = 1
WINDOWS = 1000
# The app waits between two rounds, for longer than a count takes.
PAUSE = 3
SCRIPT = f"""
(async () => {{
  for (;;) {{
    for (let i = 0; i < {CALLS}; i++) await (await fetch("/api/v1/sensors/{SENSOR}/latest")).text();
    console.log("called");
    await new Promise(done => setTimeout(done, {PAUSE * 1000}));
  }}
}})();
"""


class Paths:
    """A host with samples of one sensor, and what is asked of it."""

    def __init__(self, host: CountedHost, folder: Path) -> None:
        self._host = host
        place = urllib.parse.urlsplit(host.origin)
        self._connection = http.client.HTTPConnection(place.hostname, place.port, timeout=300)
        host.declare(SENSOR, "walk", x="[g]")
        chance = random.Random(1)
        self._values = [0.0]
        for _ in range(1, ROWS):
            self._values.append(self._values[-1] + chance.randint(-100, 100) / 16384)
        # Recent enough for the default history of a permission, and with as many digits in each run.
        self._start = int(time.time() - 4 * 3600) // 1000 * 1_000_000
        self._published = 0
        app = folder / APP
        app.mkdir()
        (app / "package.json").write_text(json.dumps({
            "name": APP, "version": "1.0.0",
            "privileges": [{"sensor": SENSOR, "access": "raw", "reason": "Counts"}],
        }))
        (app / "app.js").write_text(SCRIPT)
        (app / "app.html").write_text("<p>bench</p>")
        host.run("install", str(app))
        host.run("permissions", "grant", APP, f"sensor:{SENSOR}")
        # Of what there are windows, and a newest one.
        self._publish_csv()()

    def counts(self, rounds: int, names: list[str]) -> Iterator[tuple[str, str, list[float]]]:
        """Each named path, the unit of its work, and the instructions of a unit in each round."""
        samples = ROWS * BATCHES
        measured = {
            "csv": ("sample", lambda: self._rounds(rounds, self._publish_csv, samples)),
            "columns": ("sample", lambda: self._rounds(rounds, self._publish_columns, samples)),
            "latest": ("call", lambda: self._rounds(rounds, self._call_latest, CALLS)),
            "windows": ("window", lambda: self._rounds(rounds, self._query_windows, QUERIES * WINDOWS)),
            "call": ("call", lambda: self._host_calls(rounds)),
        }
        for name in names:
            unit, measure = measured[name]
            yield name, unit, measure()

    def _rounds(self, rounds: int, prepare: Callable[[], Callable[[], object]], units: int) -> list[float]:
        # The host has closed a connection that waited for long.
        self._connection.close()
        prepare()()
        return [self._host.counted(prepare()) / units for _ in range(rounds)]

    def _publish_csv(self) -> Callable[[], object]:
        return self._publish("text/csv", [
            "".join(["t,x\n", *(f"{at},{x!r}\n" for at, x in zip(times, self._values))]).encode()
            for times in self._times()])

    def _publish_columns(self) -> Callable[[], object]:
        return self._publish(COLUMNS, [column_batch(times, {"x": self._values}) for times in self._times()])

    def _publish(self, kind: str, bodies: list[bytes]) -> Callable[[], object]:
        return lambda: [self._call("POST", "samples", body, {"Content-Type": kind}) for body in bodies]

    def _call_latest(self) -> Callable[[], object]:
        return lambda: [self._call("GET", "latest") for _ in range(CALLS)]

    def _query_windows(self) -> Callable[[], object]:
        # Neither the beginning nor the windows are those of chunks.
        step = BATCHES * ROWS * INTERVAL // WINDOWS
        query = f"stats?fn=mean&every={step}ms&from={self._start + 7}&to={self._start + 7 + step * WINDOWS}"

        def ask() -> None:
            for _ in range(QUERIES):
                found = len(json.loads(self._call("GET", query))["items"])
                if found != WINDOWS:
                    raise HostFailed(f"{found} windows instead of {WINDOWS}")

        return ask

    def _host_calls(self, rounds: int) -> list[float]:
        """Of calls of an app, what the host does."""
        app = self._host.popen("run", APP)
        try:
            counts = []
            for round in range(rounds + 1):
                if app.stdout.readline() != "called\n":
                    raise HostFailed(f"the app has ended: {app.stderr.read()}")
                if round > 0:
                    counts.append(self._host.count() / CALLS)
                self._host.zero()
            return counts
        finally:
            app.terminate()
            app.communicate()

    def _times(self) -> list[list[int]]:
        """The times of the next bodies."""
        first = self._start + self._published * INTERVAL
        self._published += BATCHES * ROWS
        return [
            [first + (body * ROWS + row) * INTERVAL for row in range(ROWS)] for body in range(BATCHES)]

    def _call(
        self, method: str, name: str, body: bytes | None = None, fields: dict[str, str] | None = None
    ) -> bytes:
        headers = {"Authorization": f"Bearer {self._host.token}"} | (fields or {})
        self._connection.request(method, f"/api/v1/sensors/{SENSOR}/{name}", body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise HostFailed(f"{method} {name}: {text.decode(errors='replace')}")
        return text

"""Nervous itself, through its HTTP API and its command."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np

from harness.figure import Reply
from harness.peer import ServerPeer, Unavailable
from harness.truth import Windows
from harness.web import Refused

SENSOR = "bench.accelerometer"
SAMPLES = f"/api/v1/sensors/{SENSOR}/samples"
STATISTICS = f"/api/v1/sensors/{SENSOR}/stats"
MEDIA_TYPES = {
    "csv": "text/csv",
    "ndjson": "application/x-ndjson",
    "columns": "application/vnd.nervous.columns",
}
# What a server answers that does not have a call, a method or a form.
_LACKING = {404, 405, 406, 415}


class Nervous(ServerPeer):
    """A host with a declared sensor, to which samples are published."""

    name = "nervous"
    acknowledged = "disk"
    forms = ("csv", "ndjson", "columns")
    # Forms in which samples are sent, the best one first.
    sendable = ("csv", "ndjson")
    program: Path

    @classmethod
    def version(cls) -> str:
        if not cls.program.is_file():
            raise Unavailable(f"{cls.program} is not built: swift build -c release")
        done = subprocess.run(
            [str(cls.program), "--version"], capture_output=True, text=True, timeout=30
        )
        return done.stdout.strip() or "?"

    def command(self, port: int) -> tuple[list[str], dict[str, str]]:
        arguments = [str(self.program), "serve", "--port", str(port), "--json"]
        return arguments, self._environment

    def open(self) -> None:
        self._declare_sensor()
        self.launch()
        self.server.wait(lambda: self.web.answers("/health"))
        token = self._run("token", "create", "bench", "--owner").splitlines()[0]
        self.headers = {"Authorization": f"Bearer {token}"}
        self.web.headers = self.headers
        self._form = self._accepted_form()

    def prepare(self, times: np.ndarray, values: np.ndarray) -> bytes:
        pairs = zip((times / 1000).tolist(), values.tolist(), strict=True)
        if self._form == "ndjson":
            return b"".join(
                json.dumps({"t": moment} | dict(zip(self.fields, row, strict=True))).encode()
                + b"\n"
                for moment, row in pairs
            )
        lines = [f"{moment!r},{','.join(map(repr, row))}" for moment, row in pairs]
        return "\n".join([",".join(("t", *self.fields)), *lines, ""]).encode()

    def ingest(self, batch: bytes) -> None:
        if self._form is None:
            raise Unavailable(self._lack)
        self.web.post(SAMPLES, batch, headers={"Content-Type": MEDIA_TYPES[self._form]})

    def flush(self) -> None:
        # A host that ends moves its log into its file.
        self.close()
        self.launch()
        self.server.wait(lambda: self.web.answers("/health"))

    def stored(self) -> int:
        data = self.folder / "data"
        # The reserve for a full disk is of one size, however many samples there are.
        files = [path for path in data.glob("samples*") if path.name != "samples.sqlite-reserve"]
        return sum(path.stat().st_size for path in files)

    def mean(self) -> Reply[list[float]]:
        reply = self._statistics("mean")
        return Reply(reply.seconds, [reply.value[0][field]["mean"] for field in self.fields])

    def mean_deviation(self) -> Reply[list[float]]:
        return self._one("mean", "stddev")

    def extremes(self) -> Reply[list[float]]:
        return self._one("min", "max", "count")

    def p99(self) -> Reply[list[float]]:
        return self._one("p99")

    def window_means(self, windows: Windows) -> Reply[list[float]]:
        reply = self._statistics(
            "mean",
            fields="x",
            every=f"{windows.width // 1000}ms",
            **{"from": windows.origin // 1000, "to": windows.end // 1000},
        )
        return Reply(reply.seconds, [item["x"]["mean"] for item in reply.value])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        seconds, left = 0.0, count
        pages: list[bytes] = []
        accept = {"Accept": MEDIA_TYPES[form]}
        target: str | None = f"{SAMPLES}?limit={count}"
        while target and left > 0:
            reply = self._call(target, accept)
            if not self.web.answer.get("content-type", "").startswith(accept["Accept"]):
                raise Unavailable(f"answered {self.web.answer.get('content-type')} instead")
            if form == "columns":
                return reply
            seconds += reply.seconds
            # Pages are put together and counted outside the clock.
            lines = reply.value.splitlines(keepends=True)
            pages += lines if form == "ndjson" or not pages else lines[1:]
            left = count - len(pages) + (1 if form == "csv" else 0)
            target = _next(self.web.answer.get("link", ""))
        return Reply(seconds, b"".join(pages[: count + (1 if form == "csv" else 0)]))

    def parsed(self, form: str, text: bytes) -> tuple[np.ndarray, np.ndarray]:
        if form == "columns":
            raise Unavailable("the harness has no reader of columns")
        if form == "ndjson":
            items = [json.loads(line) for line in text.splitlines()]
            cells = np.array(
                [[item["t"], *(item[field] for field in self.fields)] for item in items]
            )
        else:
            lines = text.split(b"\n", 1)[1]
            cells = np.array(lines.replace(b"\n", b",").rstrip(b",").split(b","), dtype="U24")
            cells = cells.astype(np.float64).reshape(-1, 1 + len(self.fields))
        return np.rint(cells[:, 0] * 1000).astype(np.int64), cells[:, 1:]

    def newest_call(self) -> tuple[str, dict[str, object]]:
        return f"/api/v1/sensors/{SENSOR}/latest", {}

    def newest_of(self, answer: bytes) -> float:
        return float(json.loads(answer)["x"])

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "NERVOUS_DATA": f"{self.folder}/data",
            "XDG_RUNTIME_DIR": f"{self.folder}/run",
        }

    def _declare_sensor(self) -> None:
        for folder in ("data", "run"):
            (self.folder / folder).mkdir(mode=0o700)
        fields = [word for name in self.fields for word in ("--field", f"{name}:[g]")]
        self._run("sensors", "add", SENSOR, *fields)

    def _run(self, *arguments: str) -> str:
        path = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [str(self.program), *arguments],
            env=path | self._environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode != 0:
            raise Unavailable(f"nervous {arguments[0]}: {done.stderr.strip()}")
        return done.stdout

    def _accepted_form(self) -> str | None:
        """Asks with no sample at all; anything but a lack means that the form is known."""
        self._lack = ""
        for form in self.sendable:
            header = ",".join(("t", *self.fields)) + "\n"
            body = header.encode() if form == "csv" else b""
            try:
                self.web.post(SAMPLES, body, headers={"Content-Type": MEDIA_TYPES[form]})
            except Refused as refused:
                if refused.status in _LACKING:
                    self._lack = f"POST answered {refused.status}"
                    continue
                if refused.status not in (400, 422):
                    raise
            return form
        return None

    def _statistics(self, names: str, **query: object) -> Reply[list[dict[str, dict[str, float]]]]:
        reply = self.web.get(STATISTICS, {"fn": names} | query)
        items = json.loads(reply.value)["items"]
        return Reply(reply.seconds, [item["values"] for item in items])

    def _one(self, *names: str) -> Reply[list[float]]:
        reply = self._statistics(",".join(names), fields="x")
        return Reply(reply.seconds, [float(reply.value[0]["x"][name]) for name in names])

    def _call(self, target: str, headers: dict[str, str]) -> Reply[bytes]:
        try:
            return self.web.send("GET", target, None, headers)
        except Refused as refused:
            if refused.status in _LACKING:
                raise Unavailable(f"answered {refused.status}") from refused
            raise


def _next(links: str) -> str | None:
    found = re.search(r'<([^>]*)>;\s*rel="next"', links)
    return found[1] if found else None

"""A host with a data directory of its own, for pages to show."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = "application/vnd.nervous.columns"
# Samples in one call: a body has at most 8 MiB.
MOST_ROWS = 200_000


class HostFailed(Exception):
    """The host did not start, or refused a call or a command."""


def program() -> tuple[Path, str]:
    """The program, and how it was built: for release if there is such a build."""
    if name := os.environ.get("NERVOUS"):
        return Path(name).absolute(), "as NERVOUS names it"
    for build in ("release", "debug"):
        if os.access(found := ROOT / ".build" / build / "nervous", os.X_OK):
            return found, f"{build} build"
    raise HostFailed("there is no .build/debug/nervous; build it first: make build")


class Host:
    """`nervous serve` on a free port; stopped by its process identifier."""

    def __init__(self, folder: Path, nervous: Path) -> None:
        self._nervous = nervous
        (folder / "run").mkdir(mode=0o700, parents=True)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "xterm",
            "NERVOUS_DATA": f"{folder}/data", "XDG_RUNTIME_DIR": f"{folder}/run",
        }
        self._log = folder / "serve.log"
        self.port = 0
        self.start()
        made = self.run("token", "create", "pages", "--owner", "--json")
        self.token = json.loads(made)["token"]

    def start(self) -> None:
        """Starts it, a second time on the same port."""
        arguments, environment = self.serving
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        line = self._process.stdout.readline()
        if not line:
            raise HostFailed(self._log.read_text(errors="replace").strip())
        self.pid = self._process.pid
        self.port = json.loads(line)["port"]
        self.origin = f"http://localhost:{self.port}"

    @property
    def serving(self) -> tuple[list[str | Path], dict[str, str]]:
        """The command that serves, and its environment."""
        return [self._nervous, "serve", "--port", str(self.port), "--json"], self.environment

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends it; its exit code."""
        self._process.send_signal(number)
        code = self._process.wait()
        self._process.stdout.close()
        return code

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def run(self, *arguments: str) -> str:
        """What a command prints."""
        done = subprocess.run([self._nervous, *arguments], env=self.environment, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise HostFailed(f"nervous {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def popen(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts a command whose output the caller reads."""
        return subprocess.Popen([self._nervous, *arguments], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def call(self, method: str, path: str, body: object = None, *, kind: str = "application/json",
             origin: str | None = None, token: str | None = None) -> object:
        """Calls the API, in the owner's name unless another token is given."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{origin or self.origin}/api/v1{path}", data, method=method,
            headers={"Authorization": f"Bearer {token or self.token}", "Content-Type": kind})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise HostFailed(f"{method} {path}: {error.read().decode(errors='replace')}") from None
        return json.loads(text) if text else None

    def link(self) -> str:
        """An address that opens the dashboard, once."""
        return self.run("open", "--no-browser").split()[0]

    def declare(self, sensor: str, title: str, **fields: str) -> None:
        """Declares a sensor with numbers; each field has its unit."""
        listed = [{"name": name, "unit": unit} for name, unit in fields.items()]
        self.call("PUT", f"/sensors/{sensor}", {"title": title, "fields": listed})

    def publish(self, sensor: str, times: list[int], **fields: list[float]) -> None:
        """Publishes samples; times in milliseconds."""
        for at in range(0, len(times), MOST_ROWS):
            part = slice(at, at + MOST_ROWS)
            columns = {name: values[part] for name, values in fields.items()}
            self._accepted(f"/sensors/{sensor}/samples", column_batch(times[part], columns))

    def _accepted(self, path: str, batch: bytes) -> None:
        """Sends a batch, again while too much waits for the disk."""
        for _ in range(600):
            try:
                self.call("POST", path, batch, kind=COLUMNS)
                return
            except HostFailed as failure:
                if '"busy"' not in str(failure):
                    raise
                time.sleep(0.1)
        raise HostFailed(f"{path} was busy for a minute")

    def simulate(self, sensor: str, title: str, kind: str, *, rate: float, seed: int, fields: list[dict],
                 scenario: str = "room") -> None:
        """Adds a sensor whose samples are a function of a seed and of time."""
        pack = {"id": sensor, "title": title, "fields": fields, "source": {
            "kind": "simulated", "sensor": kind, "scenario": scenario, "rate": rate, "seed": seed}}
        file = Path(self.environment["HOME"]) / "pack.json"
        file.write_text(json.dumps(pack))
        self.run("sensors", "install", str(file), "--yes")

    def seconds_of_processor(self) -> float:
        """Processor time that the host has used."""
        words = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Resident memory in MiB."""
        return memory(self.pid)


def memory(process: int) -> float:
    """Resident memory of a process in MiB."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise HostFailed(f"process {process} has ended")


def column_batch(times: list[int], columns: dict[str, list[float]]) -> bytes:
    """A body as docs/columns-format.md describes it."""
    names = b"".join(bytes([0, len(name)]) + name.encode() for name in columns)
    rows = struct.pack(f"<{len(times)}q", *(1000 * time for time in times))
    rows += b"".join(struct.pack(f"<{len(values)}d", *values) for values in columns.values())
    return b"NVC\x01" + struct.pack("<HIQ", len(columns), len(times), len(rows)) + names + rows


def tools_missing(**packages: str) -> list[str]:
    """The Debian packages of the programs that are not there."""
    return [package for tool, package in packages.items() if not shutil.which(tool)]

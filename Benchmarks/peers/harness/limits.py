"""What the machine itself can do, measured in the same run."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from harness import load
from harness.figure import timed
from harness.process import Server, free_port
from harness.web import Web

_MEMORY = 1 << 30
_ROUNDS = 5


@dataclass
class Limits:
    """Each has the figures of several rounds; one that could not be measured has none."""

    read: list[float] = field(default_factory=list)
    synchronisations: list[float] = field(default_factory=list)
    process: list[float] = field(default_factory=list)
    interpreter: list[float] = field(default_factory=list)
    web_rate: list[float] = field(default_factory=list)
    web_p50: list[float] = field(default_factory=list)
    web_p99: list[float] = field(default_factory=list)
    web_file: list[float] = field(default_factory=list)
    health_rate: list[float] = field(default_factory=list)
    health_p50: list[float] = field(default_factory=list)
    health_p99: list[float] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


def measure(folder: Path, text: bytes, seconds: int) -> Limits:
    """Measures all but `health`, which needs a host; `text` is rows that a plain server sends."""
    limits = Limits()
    again(limits, folder)
    nothing = shutil.which("true") or "/bin/true"
    for _ in range(_ROUNDS):
        limits.process.append(_process([nothing]))
        limits.interpreter.append(_process([sys.executable, "-c", "pass"]))
    try:
        _web(limits, folder, text, seconds)
    except load.LoadFailed as failure:
        limits.missing["web"] = str(failure)
    return limits


def again(limits: Limits, folder: Path) -> None:
    """Adds rounds of what depends on who else uses the machine; at the end of a run, too."""
    limits.read += _reads()
    limits.synchronisations += [_synchronisations(folder) for _ in range(_ROUNDS)]


def health(limits: Limits, url: str, seconds: int) -> None:
    """The host's own call that does nothing."""
    for _ in range(3):
        result = load.over_http(url, {}, seconds)
        limits.health_rate.append(result.rate)
        limits.health_p50.append(result.p50)
        limits.health_p99.append(result.p99)


def _reads() -> list[float]:
    """Bytes a second that one core reads: `memchr` over memory in which the byte is not."""
    library = ctypes.CDLL(None)
    library.memchr.restype = ctypes.c_void_p
    library.memchr.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    block = ctypes.create_string_buffer(_MEMORY)
    # Memory that was never written is one page of zeros, which stays in the cache.
    ctypes.memset(block, 7, _MEMORY)
    address = ctypes.addressof(block)
    return [
        _MEMORY / timed(lambda: library.memchr(address, 1, _MEMORY)).seconds for _ in range(_ROUNDS)
    ]


def _process(arguments: list[str]) -> float:
    """Milliseconds from the start of a process to its end."""
    return timed(lambda: subprocess.run(arguments, check=True)).seconds * 1000


def _synchronisations(folder: Path) -> float:
    """Blocks of 4 KiB that reach the disk one by one in a second."""
    place = folder / "sync"
    descriptor = os.open(place, os.O_CREAT | os.O_RDWR, 0o600)
    block = bytes([7]) * 4096

    def write() -> None:
        for _ in range(100):
            os.write(descriptor, block)
            os.fdatasync(descriptor)

    try:
        return 100 / timed(write).seconds
    finally:
        os.close(descriptor)
        place.unlink()


def _web(limits: Limits, folder: Path, text: bytes, seconds: int) -> None:
    """A server in C that answers 200 and nothing, and sends a file."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        limits.missing["web"] = "nginx is not installed"
        return
    root = folder / "nginx"
    root.mkdir()
    (root / "rows.csv").write_bytes(text)
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    (root / "nginx.conf").write_text(
        f"""{user} worker_processes 1; daemon off; pid {root}/pid; error_log {root}/error.log;
        events {{ worker_connections 64; }}
        http {{
            access_log off; sendfile on; keepalive_requests 1000000000;
            client_body_temp_path {root}/a; proxy_temp_path {root}/b; fastcgi_temp_path {root}/c;
            uwsgi_temp_path {root}/d; scgi_temp_path {root}/e;
            server {{
                listen 127.0.0.1:{port};
                location = /nothing {{ return 200 ""; }}
                location / {{ root {root}; }}
            }}
        }}"""
    )
    server = Server([program, "-p", str(root), "-c", str(root / "nginx.conf")], {}, root / "log")
    web = Web(port)
    try:
        server.wait(lambda: web.answers("/nothing"), 20)
        for _ in range(3):
            result = load.over_http(web.url("/nothing"), {}, seconds)
            limits.web_rate.append(result.rate)
            limits.web_p50.append(result.p50)
            limits.web_p99.append(result.p99)
        for _ in range(_ROUNDS):
            limits.web_file.append(web.get("/rows.csv").seconds * 1000)
    finally:
        web.close()
        server.stop()

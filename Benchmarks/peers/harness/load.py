"""Load on one address with `wrk`, and the same on a call in this process."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

CONNECTIONS = 16


@dataclass(frozen=True)
class Load:
    """What came back: answers a second, and milliseconds that half and 99 of 100 stayed below."""

    rate: float
    p50: float
    p99: float


class LoadFailed(Exception):
    """There is no `wrk`, or it got other answers than 2xx."""


def over_http(url: str, headers: dict[str, str], seconds: int) -> Load:
    """Asks for `url` over 16 connections at once."""
    program = shutil.which("wrk")
    if program is None:
        raise LoadFailed("wrk is not installed")
    arguments = [program, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"]
    for name, value in headers.items():
        arguments += ["-H", f"{name}: {value}"]
    text = subprocess.run(
        [*arguments, url], capture_output=True, text=True, timeout=seconds + 60, check=True
    ).stdout
    words = {line.split()[0]: line.split()[-1] for line in text.splitlines() if line.split()}
    # A server that closed or broke connections did less work than it seems.
    if "Non-2xx" in text or "Socket" in words or "50%" not in words:
        raise LoadFailed(f"not all answers were right: {' '.join(text.split())[-160:]}")
    return Load(
        float(words["Requests/sec:"]), _milliseconds(words["50%"]), _milliseconds(words["99%"])
    )


def in_process(call: Callable[[], object], seconds: float) -> Load:
    """Calls again and again, one after the other."""
    taken: list[float] = []
    start = time.perf_counter()
    while True:
        before = time.perf_counter()
        call()
        after = time.perf_counter()
        taken.append(after - before)
        if after - start > seconds:
            break
    return Load(
        len(taken) / (after - start),
        float(np.percentile(taken, 50)) * 1000,
        float(np.percentile(taken, 99)) * 1000,
    )


def _milliseconds(text: str) -> float:
    """`1.20ms`, `850.00us`, `1.10s` as wrk writes them."""
    for unit, factor in (("us", 0.001), ("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * factor
    raise LoadFailed(f"no time: {text}")

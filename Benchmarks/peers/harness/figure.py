"""One measured quantity over several rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Reply(Generic[T]):
    """What a store answered, and the seconds between the question and the last byte."""

    seconds: float
    value: T


@dataclass(frozen=True)
class Figure:
    """What one store did at one piece of work."""

    peer: str
    work: str
    unit: str
    rounds: list[float] = field(default_factory=list)
    verdict: str = ""
    # Why there is no figure, and whether that is a fault rather than a lack.
    missing: str = ""
    failed: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def is_wrong(self) -> bool:
        return self.failed or self.verdict.startswith("WRONG")

    def record(self) -> dict[str, object]:
        """The members of the figure in JSON."""
        record = asdict(self)
        if self.rounds:
            record |= {"median": self.median, "min": min(self.rounds), "max": max(self.rounds)}
        return record


def timed(body: Callable[[], T]) -> Reply[T]:
    """Runs `body` against a clock that no one sets."""
    start = time.perf_counter()
    value = body()
    return Reply(time.perf_counter() - start, value)


def repeated(body: Callable[[], Reply[T]], rounds: int, budget: float) -> tuple[list[float], T]:
    """Seconds of up to `rounds` rounds, and the last answer; stops early after `budget` seconds."""
    taken: list[float] = []
    while True:
        reply = body()
        taken.append(reply.seconds)
        if len(taken) == rounds or sum(taken) > budget:
            return taken, reply.value


def number(value: float) -> str:
    """Three figures that matter, with thousands set apart."""
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{value:,.{digits}f}"

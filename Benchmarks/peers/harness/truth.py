"""The answers, computed with NumPy from whole numbers, apart from every store."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness.walk import PER_G, Walk

# Sums of ten million doubles may differ in their last digits by the order of their terms.
TOLERANCE = 1e-9
WINDOWS = 1000


@dataclass(frozen=True)
class Windows:
    """Windows beside one another: number `i` is from `origin + i * width` up to the next one."""

    origin: int
    width: int
    count: int

    @property
    def end(self) -> int:
        return self.origin + self.width * self.count


class Truth:
    """What is right for one walk, as a store sees it that keeps times to `tick` microseconds."""

    def __init__(self, walk: Walk, tick: int = 1) -> None:
        self.walk = walk
        self.times = walk.times // tick * tick
        self._counts = walk.counts.astype(np.int64)

    @property
    def samples(self) -> int:
        return self.walk.samples

    def mean(self) -> list[float]:
        return [int(total) / PER_G / self.samples for total in self._counts.sum(axis=0)]

    def deviation(self, population: bool) -> list[float]:
        """The standard deviation: divisor n for a population, n - 1 for a sample."""
        answers = []
        for column in self._counts.T:
            # Whole numbers throughout: nothing is lost before the root.
            total, squares = int(column.sum()), int((column * column).sum())
            spread = squares * self.samples - total * total
            divisor = self.samples * (self.samples if population else self.samples - 1)
            answers.append(math.sqrt(spread / divisor) / PER_G)
        return answers

    def extremes(self) -> list[float]:
        """Smallest, largest and count of the first field."""
        column = self._counts[:, 0]
        return [int(column.min()) / PER_G, int(column.max()) / PER_G, float(self.samples)]

    def percentile(self, share: float, nearest: bool) -> list[float]:
        """Linear between the two nearest ranks, or the one value at the nearest rank.

        The first is the default of NumPy; the second takes rank floor(n * share + 0.5) from 1.
        """
        column = self._counts[:, 0]
        if not nearest:
            return [float(np.percentile(column, share * 100)) / PER_G]
        rank = math.floor(self.samples * share + 0.5) - 1
        return [int(np.partition(column, rank)[rank]) / PER_G]

    def windows(self) -> Windows:
        """A thousand windows that begin and end at no round time, inside the data."""
        first, last = int(self.walk.times[0]), int(self.walk.times[-1])
        # An odd number of milliseconds: some edges fall on samples, most between two.
        width = ((last - first) // (WINDOWS + 3) // 1000 - 1 | 1) * 1000
        return Windows(first // 1000 * 1000 + width // 3000 * 1000 + 7000, width, WINDOWS)

    def window_means(self) -> list[float]:
        windows = self.windows()
        edges = windows.origin + np.arange(windows.count + 1) * windows.width
        places = np.searchsorted(self.times, edges)
        sums = np.concatenate([[0], np.cumsum(self._counts[:, 0])])
        totals = sums[places[1:]] - sums[places[:-1]]
        return [float(mean) for mean in totals / np.diff(places) / PER_G]

    def rows(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Times and values of the first `count` samples."""
        return self.times[:count], self.walk.values[:count]

    def newest(self) -> float:
        return float(self.walk.values[-1, 0])


def error(found: list[float], right: list[float]) -> float:
    """The largest relative difference; infinite where something is missing or no number."""
    if len(found) != len(right):
        return math.inf
    differences = np.abs(np.asarray(found, dtype=float) - np.asarray(right, dtype=float))
    largest = float((differences / np.maximum(np.abs(right), 1e-6)).max())
    return math.inf if math.isnan(largest) else largest

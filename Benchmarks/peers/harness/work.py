"""The pieces of work, one store after the other."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.figure import Figure, Reply, repeated, timed
from harness.load import CONNECTIONS
from harness.peer import Peer, ServerPeer, Unavailable
from harness.process import memory
from harness.truth import TOLERANCE, Truth, error
from harness.walk import Walk

INGEST_ROUNDS = 10
ROWS = 1_000_000


@dataclass(frozen=True)
class Options:
    """How much is measured."""

    rounds: int
    batch: int
    seconds: int
    # Seconds after which no further round of the same question begins.
    budget: float


def measure(
    peer_type: type[Peer],
    walk: Walk,
    folder: Path,
    options: Options,
    is_whole: bool,
    note: Callable[[str], None],
) -> list[Figure]:
    """Every figure of one store over one walk; those of a variant are fewer."""
    folder.mkdir()
    peer = peer_type(folder, walk)
    run = _Run(peer, walk, options, note)
    try:
        run.load()
        run.ask(is_whole)
    except Exception as failure:  # noqa: BLE001
        run.lack("load", failure)
    finally:
        peer.close()
        shutil.rmtree(folder, ignore_errors=True)
    return run.figures


class _Run:
    """One store that holds, or is about to hold, one walk."""

    def __init__(
        self, peer: Peer, walk: Walk, options: Options, note: Callable[[str], None]
    ) -> None:
        self.figures: list[Figure] = []
        self._peer, self._walk, self._options, self._note = peer, walk, options, note
        self._truth = Truth(walk, peer.tick)

    def load(self) -> None:
        """Fills the store and weighs it."""
        self._note("ingest")
        self._peer.open()
        self._ingest()
        self._note("flush")
        self._peer.flush()
        self._add("size", "B/sample", [self._peer.stored() / self._walk.samples])

    def ask(self, is_whole: bool) -> None:
        """Asks the loaded store."""
        peer, truth = self._peer, self._truth
        self._answer("mean", peer.mean, truth.mean())
        if not is_whole:
            return
        deviation = truth.deviation(peer.is_population)[0]
        self._answer("mean+stddev", peer.mean_deviation, [truth.mean()[0], deviation])
        self._answer("min/max/count", peer.extremes, truth.extremes())
        self._answer("p99", peer.p99, truth.percentile(0.99, peer.is_nearest), rough=0.01)
        windows = truth.windows()
        self._answer("windows", lambda: peer.window_means(windows), truth.window_means())
        for form in peer.forms:
            self._rows(form)
        self._newest()
        self._start()

    def lack(self, work: str, failure: Exception) -> None:
        """Says why a figure is missing. The other stores are measured all the same."""
        text = " ".join(str(failure).split())
        failed = not isinstance(failure, Unavailable)
        if failed:
            text = f"{type(failure).__name__}: {text}"
        figure = Figure(self._peer.name, work, "", missing=text[:160], failed=failed)
        self.figures.append(figure)

    def _ingest(self) -> None:
        """Samples a second in each tenth of the data, and in all of it.

        What the client prepares is off the clock.
        """
        walk, batch = self._walk, self._options.batch
        tenth = max(batch, -(-walk.samples // INGEST_ROUNDS // batch) * batch)
        rates, seconds = [], 0.0
        for start in range(0, walk.samples, tenth):
            end = min(start + tenth, walk.samples)
            batches = [
                self._peer.prepare(
                    walk.times[at : min(at + batch, end)], walk.values[at : min(at + batch, end)]
                )
                for at in range(start, end, batch)
            ]

            def send(batches: list[object] = batches) -> None:
                for item in batches:
                    self._peer.ingest(item)

            taken = timed(send).seconds
            seconds += taken
            rates.append((end - start) / taken)
        self._add("ingest", "samples/s", rates)
        self._add("ingest overall", "samples/s", [walk.samples / seconds])

    def _answer(
        self,
        work: str,
        question: Callable[[], Reply[list[float]]],
        right: list[float],
        rough: float = TOLERANCE,
    ) -> None:
        """`rough` is the largest difference that is called approximate and not wrong."""
        self._note(work)
        try:
            taken, found = repeated(question, self._options.rounds, self._options.budget)
        except Exception as failure:  # noqa: BLE001
            self.lack(work, failure)
            return
        difference = error(found, right)
        verdict = "right" if difference <= TOLERANCE else f"approximate, off by {difference:.1e}"
        if difference > rough:
            verdict = f"WRONG: {found[:3]} for {right[:3]}"
        self._add(work, "ms", [seconds * 1000 for seconds in taken], verdict)

    def _rows(self, form: str) -> None:
        work, count = f"rows as {form}", min(ROWS, self._walk.samples)
        self._note(work)
        try:
            taken, text = repeated(
                lambda: self._peer.rows(form, count), self._options.rounds, self._options.budget
            )
        except Exception as failure:  # noqa: BLE001
            self.lack(work, failure)
            return
        try:
            verdict = self._judged(self._peer.parsed(form, text), count)
        except Unavailable as lack:
            verdict = f"not checked: {lack}"
        except (ValueError, KeyError, IndexError) as fault:
            verdict = f"WRONG: {fault}"
        self._add(work, "ms", [seconds * 1000 for seconds in taken], verdict)

    def _judged(self, found: tuple[np.ndarray, np.ndarray], count: int) -> str:
        times, values = self._truth.rows(count)
        if not np.array_equal(found[0], times):
            return f"WRONG: {len(found[0])} times, not the {len(times)} that went in"
        # What one series of several is asked for has one column.
        difference = np.abs(found[1] - values[:, : found[1].shape[1]]).max()
        if difference == 0:
            return "right"
        return "right" if difference <= TOLERANCE else f"WRONG: values off by {difference:.1e}"

    def _newest(self) -> None:
        self._note("newest")
        try:
            found = self._peer.newest().value
            loads = [
                self._peer.newest_load(self._options.seconds)
                for _ in range(min(3, self._options.rounds))
            ]
        except Exception as failure:  # noqa: BLE001
            self.lack("newest", failure)
            return
        verdict = self._right_newest(found)
        self._add("newest", "req/s", [load.rate for load in loads], verdict)
        self._add("newest p50", "ms", [load.p50 for load in loads], verdict)
        self._add("newest p99", "ms", [load.p99 for load in loads], verdict)

    def _right_newest(self, found: float) -> str:
        right = self._truth.newest()
        return "right" if error([found], [right]) <= TOLERANCE else f"WRONG: {found} for {right}"

    def _start(self) -> None:
        self._note("start")
        if isinstance(self._peer, ServerPeer):
            self._add("peak memory", "MiB", [memory(self._peer.server.pid, "VmHWM")])
        taken, resident = [], []
        try:
            for _ in range(min(3, self._options.rounds)):
                reply, size = self._peer.start()
                taken.append(reply.seconds * 1000)
                resident.append(size)
        except Exception as failure:  # noqa: BLE001
            self.lack("start", failure)
            return
        self._add("start", "ms", taken, self._right_newest(reply.value))
        self._add("memory", "MiB", resident)

    def _add(self, work: str, unit: str, rounds: list[float], verdict: str = "") -> None:
        self.figures.append(Figure(self._peer.name, work, unit, rounds, verdict))


TITLES = {
    "ingest": "samples taken in, acknowledged batch by batch",
    "ingest overall": "the same over all batches, with every pause that the store made",
    "size": "bytes a sample on disk, after flushing",
    "mean": "mean of every field over everything",
    "mean+stddev": "mean and standard deviation",
    "min/max/count": "smallest, largest and count",
    "p99": "99th percentile",
    "windows": "means of 1 000 windows",
    "rows as csv": "the first rows as CSV",
    "rows as json": "the first rows as JSON",
    "rows as ndjson": "the first rows as NDJSON",
    "rows as columns": "the first rows as binary columns",
    "newest": f"newest value; servers: {CONNECTIONS} connections",
    "newest p50": "newest value, half are faster",
    "newest p99": "newest value, 99 of 100 are faster",
    "start": "from the start of the process to the newest value",
    "memory": "resident after that start",
    "peak memory": "resident at most, since it took the samples in",
    "load": "could not be measured",
}

"""The command: see `run --help`."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from harness import limits as machine_limits
from harness import report, walk, work
from harness.figure import Figure
from harness.load import LoadFailed
from harness.peer import Peer, Unavailable
from harness.process import ProcessFailed
from harness.web import Refused
from stores.chdb_library import ChDB
from stores.duckdb_library import DuckDB
from stores.influxdb import InfluxDB
from stores.nervous import Nervous
from stores.prometheus import Prometheus
from stores.sqlite_rows import SQLiteIndexed, SQLiteRows
from stores.victoria_metrics import VictoriaMetrics

PEERS: tuple[type[Peer], ...] = (
    Nervous,
    SQLiteRows,
    SQLiteIndexed,
    InfluxDB,
    Prometheus,
    VictoriaMetrics,
    DuckDB,
    ChDB,
)
REPOSITORY = Path(__file__).resolve().parents[3]


def main() -> int:
    """Measures; 1 when an answer was wrong or a store failed, 2 when there is nothing to do."""
    arguments = _arguments()
    # A run that is stopped takes its servers and its files with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    Nervous.program = arguments.nervous.resolve()
    options = work.Options(arguments.rounds, arguments.batch, arguments.seconds, arguments.budget)
    stores, skipped = _present(arguments.peers)
    if not stores:
        print("no store is there to be measured; see Benchmarks/peers/setup", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="nervous-peers-", dir=arguments.folder) as name:
        sections, limits = _measured(arguments, options, [p for p, _ in stores], Path(name))
    versions = {peer.name: version for peer, version in stores}
    machine = report.Machine.here()
    print(machine.line)
    print("stores: " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    for peer in (peer for peer, _ in stores):
        print(f"  {peer.name:<14} acknowledged: {peer.acknowledged:<12} asked: {peer.door}")
    for peer_name, reason in skipped.items():
        print(f"skipped {peer_name}: {reason}")
    for section in sections:
        print(f"\n{report.blocks(section, limits, options.batch)}\n\n{report.matrix(section)}")
    if arguments.json:
        report.written(arguments.json, machine, versions, skipped, limits, sections, options.batch)
    wrong = [figure for section in sections for figure in section.figures if figure.is_wrong]
    for figure in wrong:
        print(f"wrong or failed: {figure.peer}, {figure.work}", file=sys.stderr)
    return 1 if wrong else 0


def _measured(
    arguments: argparse.Namespace, options: work.Options, peers: list[type[Peer]], folder: Path
) -> tuple[list[report.Section], machine_limits.Limits]:
    first = walk.make(arguments.samples, arguments.variants[0])
    rows = min(work.ROWS, first.samples)
    text = "\n".join(
        f"{moment},{value}"
        for moment, value in zip(
            first.times[:rows].tolist(), first.values[:rows, 0].tolist(), strict=True
        )
    )
    limits = machine_limits.measure(folder, text.encode(), options.seconds)
    if Nervous in peers:
        _health(limits, first, folder, options.seconds)
    sections = []
    for variant in arguments.variants:
        data = first if variant == first.variant else walk.make(arguments.samples, variant)
        figures: list[Figure] = []
        for peer in peers:
            note = _Note(f"{variant}: {peer.name}")
            figures += work.measure(
                peer, data, folder / f"{variant}-{peer.name}", options, data is first, note.say
            )
            note.end()
        sections.append(report.Section(data, figures))
    machine_limits.again(limits, folder)
    return sections, limits


def _health(limits: machine_limits.Limits, data: walk.Walk, folder: Path, seconds: int) -> None:
    place = folder / "health"
    place.mkdir()
    host = Nervous(place, data)
    try:
        host.open()
        machine_limits.health(limits, host.web.url("/health"), seconds)
    except (Unavailable, Refused, LoadFailed, ProcessFailed, OSError) as failure:
        limits.missing["health"] = str(failure)
    finally:
        host.close()


def _present(names: list[str]) -> tuple[list[tuple[type[Peer], str]], dict[str, str]]:
    present, skipped = [], {}
    for peer in PEERS:
        if peer.name not in names:
            continue
        try:
            present.append((peer, peer.version()))
        except Unavailable as lack:
            skipped[peer.name] = str(lack)
    return present, skipped


class _Note:
    """Says on standard error what is under way, with the seconds since the store began."""

    def __init__(self, title: str) -> None:
        self._title, self._start = title, time.monotonic()

    def say(self, text: str) -> None:
        print(f"{self._title}: {text} ({time.monotonic() - self._start:.0f} s)", file=sys.stderr)

    def end(self) -> None:
        self.say("done")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-peers", description=__doc__)
    every = [peer.name for peer in PEERS]
    parser.add_argument("--samples", type=int, default=10_000_000, help="samples of each variant")
    parser.add_argument("--peers", type=_list(every), default=every, help=f"of {','.join(every)}")
    parser.add_argument(
        "--variants",
        type=_list(list(walk.VARIANTS)),
        default=list(walk.VARIANTS),
        help="of regular,jitter,axes; the first is asked everything, the others only a mean",
    )
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each question")
    parser.add_argument("--batch", type=int, default=10_000, help="samples that are sent at once")
    parser.add_argument("--seconds", type=int, default=3, help="of load for the newest value")
    parser.add_argument(
        "--budget", type=float, default=30, help="seconds after which no further round begins"
    )
    parser.add_argument(
        "--nervous",
        type=Path,
        default=REPOSITORY / ".build" / "release" / "nervous",
        help="the program, built for release",
    )
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--folder", type=Path, help="where the data lie meanwhile")
    arguments = parser.parse_args()
    if arguments.samples < 10_000:
        parser.error("fewer than 10000 samples do not fill the windows")
    if min(arguments.rounds, arguments.batch, arguments.seconds) < 1:
        parser.error("--rounds, --batch and --seconds are numbers from 1")
    return arguments


def _list(allowed: list[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(allowed)}")
        return names

    return parse


if __name__ == "__main__":
    sys.exit(main())

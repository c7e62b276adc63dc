"""The table for people and the file for machines."""

from __future__ import annotations

import json
import platform
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.figure import Figure, number
from harness.limits import Limits
from harness.walk import Walk, noise_bytes
from harness.work import ROWS, TITLES


@dataclass(frozen=True)
class Machine:
    """What the figures hold for."""

    processor: str
    cores: int
    memory_gib: float
    kernel: str

    @staticmethod
    def here() -> Machine:
        text = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in text if line.startswith("model name")]
        total = Path("/proc/meminfo").read_text().split()[1]
        kernel = f"{platform.system()} {platform.release()}"
        return Machine(
            names[0] if names else platform.machine(), len(names), int(total) / (1 << 20), kernel
        )

    @property
    def line(self) -> str:
        return f"{self.processor}, {self.cores} cores, {self.memory_gib:.0f} GiB, {self.kernel}"


@dataclass(frozen=True)
class Section:
    """All figures of one walk."""

    walk: Walk
    figures: list[Figure]

    @property
    def title(self) -> str:
        kinds = {
            "regular": "one axis, 100 Hz",
            "jitter": "one axis, 100 Hz, times wander by 40 µs",
            "axes": "three axes, 100 Hz",
        }
        return f"{self.walk.samples:,} samples, {kinds[self.walk.variant]} ({self.walk.digest})"


def limit(work: str, walk: Walk, limits: Limits, batch: int) -> str:
    """What the machine allows at best for one piece of work; empty where nothing is known."""
    fields = len(walk.fields)
    if work.startswith("ingest"):
        rate = statistics.median(limits.synchronisations)
        return f"one fdatasync a batch: {number(rate)}/s, {number(rate * batch)} samples/s"
    if work == "size":
        return f"plain: {8 + 8 * fields} B; noise alone: {number(noise_bytes() * fields)} B"
    if work in ("mean", "mean+stddev", "min/max/count", "p99", "windows"):
        columns = fields if work == "mean" else 1
        speed = statistics.median(limits.read)
        milliseconds = walk.samples * 8 * columns / speed * 1000
        return f"reading the doubles: {number(milliseconds)} ms at {speed / 1e9:.1f} GB/s"
    if work.startswith("rows"):
        return _web(limits, limits.web_file, "ms for a CSV file of the rows")
    if work == "newest":
        return _web(limits, limits.web_rate, "req/s for nothing", limits.health_rate)
    if work == "newest p50":
        return _web(limits, limits.web_p50, "ms for nothing", limits.health_p50)
    if work == "newest p99":
        return _web(limits, limits.web_p99, "ms for nothing", limits.health_p99)
    if work == "start":
        return (
            f"a process: {number(statistics.median(limits.process))} ms;"
            f" python: {number(statistics.median(limits.interpreter))} ms"
        )
    return ""


def _web(limits: Limits, rounds: list[float], unit: str, health: list[float] | None = None) -> str:
    if rounds:
        text = f"nginx: {number(statistics.median(rounds))} {unit}"
    else:
        text = f"nginx: {limits.missing.get('web', 'not measured')}"
    if health:
        text += f"; /health of nervous: {number(statistics.median(health))}"
    return text


def blocks(section: Section, limits: Limits, batch: int) -> str:
    """Every piece of work with a line a store, the best first."""
    lines = [section.title]
    for work in [work for work in TITLES if any(f.work == work for f in section.figures)]:
        bound = limit(work, section.walk, limits, batch)
        lines += ["", f"{TITLES[work]}" + (f"   [{bound}]" if bound else "")]
        figures = [figure for figure in section.figures if figure.work == work]
        sign = -1 if figures[0].unit.endswith("/s") else 1
        figures.sort(key=lambda f: (not f.rounds, sign * f.median if f.rounds else 0))
        lines += [_line(figure) for figure in figures]
    return "\n".join(lines)


def _line(figure: Figure) -> str:
    if not figure.rounds:
        kind = "FAILED" if figure.failed else "not available"
        return f"  {figure.peer:<14} {kind}: {figure.missing}"
    spread = f"({number(min(figure.rounds))} – {number(max(figure.rounds))}; {len(figure.rounds)})"
    text = f"  {figure.peer:<14} {number(figure.median):>12} {figure.unit:<10} {spread:<36}"
    return f"{text} {figure.verdict}".rstrip()


def matrix(section: Section) -> str:
    """The medians only, with a row a piece of work and a column a store."""
    peers = list(dict.fromkeys(figure.peer for figure in section.figures))
    cells = {(f.work, f.peer): f for f in section.figures}
    units = {f.work: f.unit for f in section.figures if f.unit}
    rows = [["", "", *peers]]
    for work in [work for work in TITLES if work in units]:
        row = [work, units[work]]
        for peer in peers:
            found = cells.get((work, peer))
            text = number(found.median) if found and found.rounds else "–"
            row.append(text + ("!" if found and found.is_wrong else ""))
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def written(
    place: Path,
    machine: Machine,
    stores: dict[str, str],
    skipped: dict[str, str],
    limits: Limits,
    sections: list[Section],
    batch: int,
) -> None:
    """Writes everything as JSON."""
    document = {
        "machine": asdict(machine),
        "stores": stores,
        "skipped": skipped,
        "batch": batch,
        "rows": ROWS,
        "limits": asdict(limits),
        "sections": [
            {
                "variant": section.walk.variant,
                "samples": section.walk.samples,
                "digest": section.walk.digest,
                "figures": [
                    figure.record() | {"limit": limit(figure.work, section.walk, limits, batch)}
                    for figure in section.figures
                ],
            }
            for section in sections
        ],
    }
    place.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")

"""One measured quantity, and how it is printed."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass

from harness.figure import number


@dataclass(frozen=True)
class Figure:
    """A quantity over several rounds; with a `goal`, the median has to be at most that."""

    name: str
    unit: str
    rounds: list[float]
    goal: float | None = None
    subject: str = "nervous"

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def is_missed(self) -> bool:
        return self.goal is not None and self.median > self.goal

    @property
    def text(self) -> str:
        """The median, and the smallest and the largest."""
        least, greatest = number(min(self.rounds)), number(max(self.rounds))
        return f"{number(self.median)}  ({least} – {greatest}; {len(self.rounds)})"

    def record(self) -> dict[str, object]:
        """The members of the figure in JSON."""
        return asdict(self) | {
            "median": self.median, "min": min(self.rounds), "max": max(self.rounds),
            "missed": self.is_missed,
        }


def side_by_side(figures: list[Figure], subjects: list[str]) -> str:
    """A line for each quantity, a column for each subject."""
    lines = [f"{'':<42} " + "".join(f"{subject:<34}" for subject in subjects)]
    for name, unit in dict.fromkeys((figure.name, figure.unit) for figure in figures):
        cells = {f.subject: f.text for f in figures if f.name == name}
        lines.append(f"{name:<34}{unit:<8} " + "".join(f"{cells.get(s, '–'):<34}" for s in subjects))
    return "\n".join(line.rstrip() for line in lines)


def with_goals(figures: list[Figure]) -> str:
    """A line for each quantity, with its goal and whether it was missed."""
    lines = []
    for figure in figures:
        line = f"{figure.name:<44}{figure.unit:<12}{figure.text:<34}"
        if figure.goal is not None:
            line += f"goal ≤ {number(figure.goal)}" + ("  MISSED" if figure.is_missed else "")
        lines.append(line.rstrip())
    return "\n".join(lines)

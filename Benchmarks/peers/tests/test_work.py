"""How figures are judged, with stores that stand in for the real ones."""

import tempfile
import unittest
from pathlib import Path

from harness import report, walk, work
from harness.figure import Reply, repeated
from harness.limits import Limits
from harness.peer import Unavailable
from stores.sqlite_rows import SQLiteRows

OPTIONS = work.Options(rounds=2, batch=3000, seconds=1, budget=5)


class Liar(SQLiteRows):
    name = "liar"

    def mean(self) -> Reply[list[float]]:
        return Reply(0.1, [value * 1.00001 for value in super().mean().value])

    def rows(self, form: str, count: int) -> Reply[bytes]:
        text = super().rows(form, count).value.split(b"\n")
        return Reply(0.1, b"\n".join([text[1], text[0], *text[2:]]))


class Rough(SQLiteRows):
    name = "rough"

    def p99(self) -> Reply[list[float]]:
        return Reply(0.1, [value * 1.001 for value in super().p99().value])


class Lacking(SQLiteRows):
    name = "lacking"

    def ingest(self, batch: object) -> None:
        raise Unavailable("no such call")


class Breaking(SQLiteRows):
    name = "breaking"

    def p99(self) -> Reply[list[float]]:
        raise RuntimeError("it fell over")


class Forgetting(SQLiteRows):
    name = "forgetting"

    def ingest(self, batch: list) -> None:
        super().ingest(batch[:-1])


class WorkTests(unittest.TestCase):
    def setUp(self) -> None:
        self.data = walk.make(10_000, "regular")

    def figures(self, peer: type[SQLiteRows]) -> dict[str, work.Figure]:
        with tempfile.TemporaryDirectory() as folder:
            found = work.measure(
                peer, self.data, Path(folder) / "peer", OPTIONS, True, lambda text: None
            )
            self.assertEqual(list(Path(folder).iterdir()), [])
        return {figure.work: figure for figure in found}

    def test_a_right_store_has_every_figure(self) -> None:
        figures = self.figures(SQLiteRows)
        self.assertEqual([f.work for f in figures.values() if f.is_wrong or not f.rounds], [])
        self.assertEqual(
            set(work.TITLES) - set(figures),
            {
                "rows as json",
                "rows as ndjson",
                "rows as columns",
                "peak memory",
                "load",
            },
        )

    def test_a_wrong_mean_and_rows_in_another_order_are_wrong(self) -> None:
        wrong = [figure.work for figure in self.figures(Liar).values() if figure.is_wrong]
        self.assertEqual(wrong, ["mean", "rows as csv"])

    def test_a_sample_that_is_lost_is_found(self) -> None:
        wrong = [figure.work for figure in self.figures(Forgetting).values() if figure.is_wrong]
        self.assertIn("min/max/count", wrong)
        self.assertIn("rows as csv", wrong)

    def test_a_percentile_may_be_approximate_and_is_called_so(self) -> None:
        figure = self.figures(Rough)["p99"]
        self.assertFalse(figure.is_wrong)
        self.assertEqual(figure.verdict, "approximate, off by 1.0e-03")

    def test_a_lack_has_a_reason_and_is_no_fault(self) -> None:
        figures = self.figures(Lacking)
        self.assertEqual(figures["load"].missing, "no such call")
        self.assertFalse(any(figure.is_wrong for figure in figures.values()))

    def test_a_fault_counts_and_the_rest_is_measured(self) -> None:
        figures = self.figures(Breaking)
        self.assertEqual(figures["p99"].missing, "RuntimeError: it fell over")
        self.assertTrue(figures["p99"].is_wrong)
        self.assertTrue(figures["windows"].rounds)

    def test_the_table_marks_what_is_wrong(self) -> None:
        section = report.Section(self.data, list(self.figures(Liar).values()))
        line = next(x for x in report.matrix(section).splitlines() if x.startswith("mean "))
        self.assertTrue(line.endswith("!"))
        limits = Limits(read=[1e10], synchronisations=[1], process=[1], interpreter=[1])
        self.assertIn("WRONG", report.blocks(section, limits, OPTIONS.batch))

    def test_rounds_end_with_their_number_or_their_time(self) -> None:
        self.assertEqual(repeated(lambda: Reply(1, "a"), 3, 10), ([1, 1, 1], "a"))
        self.assertEqual(repeated(lambda: Reply(6, "a"), 3, 10), ([6, 6], "a"))

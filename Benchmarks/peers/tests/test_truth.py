"""The reference answers, against plain loops and Python's own statistics."""

import math
import statistics
import unittest

import numpy as np

from harness import walk
from harness.truth import Truth, error


class TruthTests(unittest.TestCase):
    def setUp(self) -> None:
        self.walk = walk.make(12_345, "axes")
        self.truth = Truth(self.walk)
        self.first = self.walk.values[:, 0].tolist()

    def test_means_and_deviations_are_those_of_the_textbook(self) -> None:
        means = [statistics.fmean(column.tolist()) for column in self.walk.values.T]
        np.testing.assert_allclose(self.truth.mean(), means, rtol=1e-13)
        for is_population, textbook in ((False, statistics.stdev), (True, statistics.pstdev)):
            found = self.truth.deviation(is_population)
            self.assertEqual(len(found), 3)
            self.assertAlmostEqual(found[0], textbook(self.first), places=13)

    def test_extremes_and_percentiles_come_from_the_sorted_values(self) -> None:
        ordered = sorted(self.first)
        self.assertEqual(self.truth.extremes(), [ordered[0], ordered[-1], 12_345.0])
        place = 0.99 * (len(ordered) - 1)
        low = math.floor(place)
        linear = ordered[low] + (ordered[low + 1] - ordered[low]) * (place - low)
        self.assertAlmostEqual(self.truth.percentile(0.99, nearest=False)[0], linear, places=12)
        rank = math.floor(len(ordered) * 0.99 + 0.5)
        self.assertEqual(self.truth.percentile(0.99, nearest=True), [ordered[rank - 1]])

    def test_windows_hold_their_beginning_and_not_their_end(self) -> None:
        windows, means = self.truth.windows(), self.truth.window_means()
        times = self.walk.times.tolist()
        self.assertGreater(windows.origin, times[0])
        self.assertLess(windows.end, times[-1])
        self.assertNotEqual(windows.origin % windows.width, 0)
        edges = [windows.origin + index * windows.width for index in range(windows.count + 1)]
        # Some edge falls on a sample, or the two ends of a window would be the same.
        self.assertTrue(set(edges) & set(times))
        for start, end, mean in zip(edges, edges[1:], means, strict=False):
            inside = [v for t, v in zip(times, self.first, strict=True) if start <= t < end]
            self.assertAlmostEqual(mean, statistics.fmean(inside), places=12)

    def test_what_is_missing_or_no_number_is_infinitely_wrong(self) -> None:
        self.assertEqual(error([1.0, 2.0], [1.0, 2.0]), 0)
        self.assertAlmostEqual(error([1.0, 2.002], [1.0, 2.0]), 0.001)
        self.assertEqual(error([1.0], [1.0, 2.0]), math.inf)
        self.assertEqual(error([math.nan], [1.0]), math.inf)


class WalkTests(unittest.TestCase):
    def test_the_same_is_made_every_time(self) -> None:
        for variant in walk.VARIANTS:
            self.assertEqual(walk.make(10_000, variant).digest, walk.make(10_000, variant).digest)

    def test_values_fit_the_sensor_and_times_grow(self) -> None:
        for variant in walk.VARIANTS:
            data = walk.make(50_000, variant)
            self.assertTrue((np.diff(data.times) > 0).all())
            self.assertTrue((np.abs(data.values) < 2).all())
            self.assertTrue((data.values * walk.PER_G == data.counts).all())

    def test_jitter_is_of_forty_microseconds(self) -> None:
        grid, data = walk.make(50_000, "regular"), walk.make(50_000, "jitter")
        self.assertAlmostEqual(float((data.times - grid.times).std()), 40, delta=1)
        self.assertEqual(grid.counts.tolist(), data.counts.tolist())

#!/usr/bin/env python3
"""Writes statistics.json: reference answers for the tests of Nervous's statistics.

Run with NumPy 2 from this folder: python3 make_fixtures.py
Orders and roots are NumPy's. Sum, mean and variance are computed in exact fractions and rounded
once, because NumPy rounds the mean before it squares, and are checked against NumPy's.
Numbers are written with repr, which reads back bit by bit; what is not finite is null.
"""

import json
import math
import warnings
from fractions import Fraction

import numpy as np

PERCENTILES = {"p1": 1, "p25": 25, "median": 50, "p90": 90, "p99": 99, "p99.9": 99.9}


def exact(values):
    """Sum, mean and the two variances, each rounded once; inf beyond the doubles."""

    def rounded(fraction):
        try:
            return float(fraction)
        except OverflowError:
            return math.inf

    numbers = [Fraction(value) for value in values]
    n = len(numbers)
    total = sum(numbers, Fraction(0))
    mean = total / n
    squares = sum((number - mean) ** 2 for number in numbers)
    return (
        rounded(total), rounded(mean), rounded(squares / (n - 1)) if n > 1 else None,
        rounded(squares / n),
    )


def statistics(values):
    a = np.array(values, dtype=np.float64)
    n = len(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        total, mean, variance, pvariance = exact(values) if n else (0.0, None, None, None)
        if n:
            scale = float(np.max(np.abs(a)))
            assert abs(np.mean(a) - mean) <= scale * 1e-14
            if math.isfinite(pvariance):
                assert np.isclose(np.var(a), pvariance, rtol=1e-6, atol=(scale * 1e-15) ** 2)
        answer = {
            "count": n,
            "sum": total,
            "mean": mean,
            "variance": variance,
            "stddev": None if variance is None else np.sqrt(variance),
            "pvariance": pvariance,
            "pstddev": None if pvariance is None else np.sqrt(pvariance),
            "min": np.min(a) if n else None,
            "max": np.max(a) if n else None,
            "range": np.ptp(a) if n else None,
            "rms": np.sqrt(np.mean(np.square(a))) if n else None,
        }
        for name, percent in PERCENTILES.items():
            answer[name] = np.percentile(a, percent) if n else None
    return {
        key: None if value is None or not math.isfinite(value) else
        int(value) if key == "count" else float(value)
        for key, value in answer.items()
    }


def windows(values, width):
    return [statistics(values[start:start + width]) for start in range(0, len(values), width)]


def main():
    random = np.random.default_rng(20260301)
    series = {
        "nothing": [],
        "one value": [42.5],
        "two values": [1.0, 4.0],
        "constant": [0.1] * 100,
        "large offset, small noise": (1e9 + random.normal(0, 1e-3, 1000)).tolist(),
        "normal": random.normal(20, 5, 997).tolist(),
        "negative": (-random.exponential(3, 500)).tolist(),
        "heavy tail": random.standard_cauchy(400).tolist(),
        "alternating huge": [1e300, -1e300] * 50,
        "subnormal": [5e-324, 1e-320, 2e-310, 1e-315],
        "integers": [float(i) for i in random.integers(-10**6, 10**6, 800)],
        "sorted ramp": [float(i) for i in range(1, 102)],
        "zeros of both signs": [0.0, -0.0, 0.0],
    }
    fixtures = [
        {
            "name": name, "values": values, "whole": statistics(values), "width": 64,
            "windows": windows(values, 64),
        }
        for name, values in series.items()
    ]
    with open("statistics.json", "w") as file:
        json.dump(fixtures, file, allow_nan=False, indent=None, separators=(",", ":"))
        file.write("\n")


main()

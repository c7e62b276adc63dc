#!/usr/bin/env python3
"""Writes analyses.json: reference answers for the tests of Nervous's analyses.

Run with NumPy 2, SciPy 1.17 and scikit-learn 1.7 or later from this folder:
python3 make_analysis_fixtures.py
Largest-triangle-three-buckets is in none of these; it is written here after Steinarsson's thesis.
Numbers are written with repr, which reads back bit by bit; what is not finite is null.
"""

import json
import math

import numpy as np
from scipy import signal, stats
from sklearn.cluster import DBSCAN, KMeans

random = np.random.default_rng(20261121)


def clean(value):
    """Plain lists and numbers; null for what is not finite."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [clean(item) for item in value]
    if isinstance(value, (np.integer, int)):
        return int(value)
    if isinstance(value, (np.floating, float)):
        return float(value) if math.isfinite(value) else None
    return value


def histograms():
    series = {
        "normal": random.normal(20, 5, 500),
        "integers": random.integers(-10, 11, 300).astype(float),
        "one value": np.array([42.5]),
        "constant": np.full(20, 3.25),
        "skewed": random.exponential(3, 400),
        "offset": 1e9 + random.normal(0, 1e-2, 200),
    }
    answers = []
    for name, values in series.items():
        for bins, span in [(1, None), (7, None), (64, None), (10, (-5.0, 25.0))]:
            counts, edges = np.histogram(values, bins=bins, range=span)
            shares = counts[counts > 0] / max(1, counts.sum())
            answers.append({
                "name": f"{name}, {bins} bins", "values": values, "bins": bins, "span": span,
                "edges": edges, "counts": counts,
                "freedmanDiaconis": len(np.histogram_bin_edges(values, bins="fd")) - 1,
                "bits": stats.entropy(shares, base=2) if counts.sum() else None,
            })
    return answers


def pairs():
    x = random.normal(0, 1, 300)
    data = {
        "correlated": (x, 3 * x + random.normal(0, 1, 300)),
        "opposite": (x, -x),
        "independent": (x, random.normal(0, 1, 300)),
        "offset": (1e9 + x, 1e6 - 2 * x + random.normal(0, 0.1, 300)),
        "ties": (np.round(x), np.round(x + random.normal(0, 1, 300))),
        "two": (np.array([1.0, 2.0]), np.array([5.0, 3.0])),
        "constant": (x, np.full(300, 2.5)),
        "monotone": (np.arange(50.0), np.exp(np.arange(50.0) / 5)),
    }
    answers = []
    for name, (a, b) in data.items():
        varies = np.ptp(b) > 0
        line = stats.linregress(a, b) if varies else None
        answers.append({
            "name": name, "x": a, "y": b, "covariance": np.cov(a, b)[0, 1],
            "populationCovariance": np.cov(a, b, ddof=0)[0, 1],
            "pearson": np.corrcoef(a, b)[0, 1] if varies else None,
            "spearman": stats.spearmanr(a, b).statistic if varies else None,
            "slope": line.slope if varies else 0.0,
            "intercept": line.intercept if varies else float(b[0]),
            "rSquared": line.rvalue**2 if varies else None,
            "standardError": (line.stderr if len(a) > 2 else None) if varies else 0.0,
        })
    return answers


def transforms():
    answers = []
    for count in [1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 31, 64, 97, 100, 128, 360, 509]:
        values = random.normal(0, 1, count)
        found = np.fft.fft(values)
        answers.append({"values": values, "real": found.real, "imaginary": found.imag})
    return answers


def spectra():
    answers = []
    for count, rate, segment in [
        (1, 1.0, 1), (2, 1.0, 2), (10, 2.0, 10), (256, 100.0, 64), (1000, 50.0, 256),
        (999, 0.5, 100), (777, 10.0, 255), (300, 1.0, 1000), (64, 8.0, 7),
    ]:
        t = np.arange(count) / rate
        values = 2 * np.sin(2 * np.pi * rate / 8 * t) + random.normal(5, 0.3, count)
        frequencies, densities = signal.periodogram(values, rate)
        welch, averaged = signal.welch(values, rate, nperseg=min(segment, count))
        answers.append({
            "values": values, "rate": rate, "segment": segment, "frequencies": frequencies,
            "periodogram": densities, "welchFrequencies": welch, "welch": averaged,
        })
    return answers


def clouds():
    """Named sets of points for both ways of clustering."""
    centres = np.array([[0.0, 0.0], [8.0, 8.0], [-8.0, 6.0]])
    blobs = np.concatenate([centre + random.normal(0, 1, (70, 2)) for centre in centres])
    random.shuffle(blobs)
    angle = random.uniform(0, np.pi, 150)
    moon = np.stack([np.cos(angle), np.sin(angle)], 1)
    moons = np.concatenate([moon, [1, 0.5] - moon]) + random.normal(0, 0.05, (300, 2))
    return {
        "blobs": (blobs, 1.0, 5),
        "moons": (moons, 0.2, 5),
        "line": (np.sort(random.uniform(0, 100, 200))[:, None], 0.7, 3),
        "space": (random.normal(0, 1, (250, 3)), 0.6, 6),
        "grid of ties": (random.integers(0, 12, (300, 2)).astype(float), 1.1, 4),
        "all noise": (np.arange(20.0)[:, None] * 10, 1.0, 2),
        "each a core": (np.arange(20.0)[:, None] * 10, 1.0, 1),
        "crowd": (random.normal(0, 0.01, (400, 2)), 1.0, 5),
    }


def clusters():
    answers = []
    for name, (points, epsilon, minimum) in clouds().items():
        start = points[:4]
        k = len(np.unique(start, axis=0))
        means = KMeans(k, init=np.unique(start, axis=0), n_init=1, tol=0, max_iter=300).fit(points)
        best = KMeans(3, n_init=1000, random_state=1, tol=0).fit(points)
        found = DBSCAN(eps=epsilon, min_samples=minimum).fit(points)
        answers.append({
            "name": name, "points": points, "start": np.unique(start, axis=0),
            "centres": means.cluster_centers_, "labels": means.labels_,
            "inertia": means.inertia_, "bestInertia": best.inertia_, "epsilon": epsilon,
            "minimum": minimum,
            "density": [None if label < 0 else label for label in found.labels_.tolist()],
        })
    return answers


def anomalies():
    answers = []
    for values in [
        random.normal(10, 2, 201), random.standard_cauchy(100), np.array([1.0, 2, 3, 4, 100]),
        np.array([5.0] * 9 + [6.0]), np.array([7.0]),
    ]:
        median = np.median(values)
        deviation = stats.median_abs_deviation(values)
        mean = np.mean(np.abs(values - median))
        if deviation > 0:
            scores = 0.6745 * (values - median) / deviation
        else:
            scores = (values - median) / (1.253314 * mean) if mean > 0 else [None] * len(values)
        answers.append({
            "values": values, "median": median, "deviation": deviation, "scores": scores,
        })
    return answers


def largest_triangles(x, y, keep):
    """Places kept by the algorithm of section 4.2, bucket by bucket."""
    n = len(x)
    every = (n - 2) / (keep - 2)
    places = [0]
    for i in range(keep - 2):
        start, end = math.floor((i + 1) * every) + 1, min(math.floor((i + 2) * every) + 1, n)
        mx, my = np.mean(x[start:end]), np.mean(y[start:end])
        ax, ay = x[places[-1]], y[places[-1]]
        bucket = range(math.floor(i * every) + 1, math.floor((i + 1) * every) + 1)
        areas = [abs((ax - mx) * (y[j] - ay) - (ax - x[j]) * (my - ay)) / 2 for j in bucket]
        places.append(bucket[int(np.argmax(areas))])
    return places + [n - 1]


def downsampled():
    answers = []
    for count, keep in [(10, 3), (100, 10), (500, 50), (501, 100), (200, 199), (64, 4)]:
        x = np.cumsum(random.integers(1, 2000, count)) * 1000
        y = np.cumsum(random.normal(0, 1, count))
        seconds = (x - x[0]) / 1e6
        answers.append({
            "times": x, "values": y, "keep": keep, "places": largest_triangles(seconds, y, keep),
        })
    return answers


def interpolated():
    times = np.cumsum(random.integers(1, 5_000_000, 80))
    values = random.normal(0, 1, 80)
    step = 1_000_000
    cells = np.arange(times[0] // step, times[-1] // step + 1) * step
    inside = (cells >= times[0]) & (cells <= times[-1])
    linear = np.where(inside, np.interp(cells, times, values), np.nan)
    numbers = times // step - times[0] // step
    sums = np.bincount(numbers, values)
    counts = np.bincount(numbers)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return {"times": times, "values": values, "step": step, "linear": linear, "mean": means}


answers = {
    "histograms": histograms(), "pairs": pairs(), "transforms": transforms(),
    "spectra": spectra(), "clusters": clusters(), "anomalies": anomalies(),
    "downsampled": downsampled(), "interpolated": interpolated(),
}
with open("analyses.json", "w") as file:
    json.dump(clean(answers), file, allow_nan=False, separators=(",", ":"))
    file.write("\n")

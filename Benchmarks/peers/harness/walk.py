"""The data: what an accelerometer in the pocket of a person who walks would say.

A step is a phase that advances at 1.9 Hz and wanders; the signal is its first three harmonics.
Their strength and the tilt of the device follow slow random walks. To that comes the noise of the
sensor: 180 µg/√Hz over 50 Hz is 1.3 mg, as data sheets of MEMS accelerometers have it. Values are
rounded to 1/16384 g, the resolution of a 16 bit sensor with a range of ±2 g. The generator is
seeded, so every run and every store gets the same.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

RATE = 100
STEP_MICROSECONDS = 1_000_000 // RATE
PER_G = 16384
START = 1_700_000_000_000_000
NOISE_G = 180e-6 * math.sqrt(RATE / 2)
JITTER_MICROSECONDS = 40
SEED = 20_240_229

VARIANTS = ("regular", "jitter", "axes")
_AXES = (
    # offset in g, strength of the harmonics in g
    ("x", 0.08, (0.21, 0.11, 0.05)),
    ("y", 0.31, (0.14, 0.17, 0.03)),
    ("z", 0.94, (0.28, 0.09, 0.07)),
)


@dataclass(frozen=True)
class Walk:
    """Samples in the order of time: `times` in microseconds since 1970, `counts` in 1/16384 g."""

    variant: str
    fields: tuple[str, ...]
    times: np.ndarray
    counts: np.ndarray

    @cached_property
    def values(self) -> np.ndarray:
        """Values in g, one row a sample; every one is exact in binary."""
        return self.counts / PER_G

    @property
    def samples(self) -> int:
        return len(self.times)

    @cached_property
    def digest(self) -> str:
        """Tells two runs that measured different data apart."""
        digest = hashlib.sha256(self.times.tobytes())
        digest.update(self.counts.tobytes())
        return digest.hexdigest()[:12]


def noise_bytes() -> float:
    """Bytes that the noise alone needs in one value: the entropy of a rounded normal distribution.

    No lossless format is smaller in the mean, however well it knows how people walk.
    """
    return math.log2(NOISE_G * PER_G * math.sqrt(2 * math.pi * math.e)) / 8


def make(samples: int, variant: str) -> Walk:
    """Makes the samples of one variant: `regular`, `jitter` (times wander by 40 µs) or `axes`."""
    random = np.random.default_rng(SEED)
    times = START + np.arange(samples, dtype=np.int64) * STEP_MICROSECONDS
    if variant == "jitter":
        offsets = np.random.default_rng(SEED + 1).normal(0, JITTER_MICROSECONDS, samples)
        times = times + np.rint(offsets).astype(np.int64)
    axes = _AXES if variant == "axes" else _AXES[:1]
    cadence = 1.9 + 0.15 * _wander(random, samples)
    phase = np.cumsum(2 * np.pi * cadence / RATE)
    counts = np.empty((samples, len(axes)), dtype=np.int32)
    for index, (_, offset, harmonics) in enumerate(axes):
        signal = offset + 0.1 * _wander(random, samples)
        strength = 1 + 0.3 * _wander(random, samples)
        for order, height in enumerate(harmonics, start=1):
            signal += strength * height * np.sin(order * phase + order * order * 0.7 + index)
        signal += random.normal(0, NOISE_G, samples)
        counts[:, index] = np.clip(np.rint(signal * PER_G), -2 * PER_G, 2 * PER_G - 1)
    return Walk(variant, tuple(axis[0] for axis in axes), times, counts)


def _wander(random: np.random.Generator, samples: int) -> np.ndarray:
    """A random walk that stays between -1 and 1 and needs some ten seconds to cross."""
    return np.sin(np.cumsum(random.normal(0, 0.05, samples)))

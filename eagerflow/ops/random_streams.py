"""Many Philox streams side by side, one for each number to draw, and rejection samplers on them.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). A sampler that rejects takes
as many words as it needs from its own stream, so that no number depends on the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from eagerflow.random_seed import RESERVED_PER_OUTPUT

# How far apart the streams of binomial numbers begin that are found by inversion.
_INVERSION_BLOCKS = 42

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_STEPS = 0x9E3779B9, 0xBB67AE85
_MASK64 = 2**64 - 1


class Streams:
    """As many streams as numbers, each some blocks behind the one before.

    Args:
        start: a key and the lower and upper half of a counter, as signed 64-bit numbers.
        count: how many streams.
        stride: how many blocks are set aside for each.
    """

    def __init__(
        self, start: tuple[int, int, int], count: int, stride: int = RESERVED_PER_OUTPUT
    ) -> None:
        key, low, high = (word & _MASK64 for word in start)
        self._key = key & 0xFFFFFFFF, key >> 32
        self._low = np.arange(count, dtype=np.uint64) * np.uint64(stride)
        self._low += np.uint64(low)
        carry = self._low < np.uint64(low)
        self._high = np.full(count, high, np.uint64) + carry.astype(np.uint64)

    def blocks(self, rows: np.ndarray) -> list[np.ndarray]:
        """The next four words of some of the streams."""
        low, high = self._low[rows], self._high[rows]
        self._low[rows] += np.uint64(1)
        self._high[rows] += (self._low[rows] == 0).astype(np.uint64)
        words = [low & _LOW, low >> _SHIFT, high & _LOW, high >> _SHIFT]
        first, second = self._key
        for _ in range(10):
            p, q = words[0] * _FACTORS[0], words[2] * _FACTORS[1]
            words = [
                (q >> _SHIFT) ^ words[1] ^ np.uint64(first),
                q & _LOW,
                (p >> _SHIFT) ^ words[3] ^ np.uint64(second),
                p & _LOW,
            ]
            first = (first + _STEPS[0]) & 0xFFFFFFFF
            second = (second + _STEPS[1]) & 0xFFFFFFFF
        return words


def _doubles(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) of 52 bits."""
    return ((high & np.uint64(0xFFFFF)) << _SHIFT | low).astype(np.float64) / 2.0**52


def uniform_pairs(streams: Streams, rows: np.ndarray) -> np.ndarray:
    """Two numbers in [0, 1) for each row."""
    words = streams.blocks(rows)
    return np.stack([_doubles(words[0], words[1]), _doubles(words[2], words[3])], axis=1)


def normal_pairs(streams: Streams, rows: np.ndarray) -> np.ndarray:
    """Two standard normal numbers for each row, by the method of Box and Muller."""
    words = streams.blocks(rows)
    radius = np.sqrt(-2.0 * np.log(np.maximum(_doubles(words[0], words[1]), 1e-7)))
    angle = 2.0 * math.pi * _doubles(words[2], words[3])
    return np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1)


class Buffer:
    """Numbers drawn in pairs and given out one by one, the second of a pair first."""

    def __init__(self, streams: Streams, pairs: Callable, count: int) -> None:
        self._streams, self._pairs = streams, pairs
        self._values = np.zeros((count, 2))
        self._left = np.zeros(count, np.int64)

    def draw(self, rows: np.ndarray) -> np.ndarray:
        """The next number of each row."""
        empty = rows[self._left[rows] == 0]
        if empty.size:
            self._values[empty] = self._pairs(self._streams, empty)
            self._left[empty] = 2
        self._left[rows] -= 1
        return self._values[rows, self._left[rows]]


def gamma_numbers(start: tuple[int, int, int], alpha: np.ndarray) -> np.ndarray:
    """Gamma distributed numbers with scale 1, one for each shape parameter.

    G. Marsaglia, W. Tsang, "A simple method for generating gamma variables" (2000).
    """
    count = alpha.size
    streams = Streams(start, count)
    normal = Buffer(streams, normal_pairs, count)
    uniform = Buffer(streams, uniform_pairs, count)
    result = np.full(count, np.nan)
    simple = np.flatnonzero(alpha == 1)
    result[simple] = -np.log1p(-uniform.draw(simple))
    small = alpha < 1
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    rows = np.flatnonzero((alpha != 1) & (alpha > 0))
    with np.errstate(all="ignore"):
        while rows.size:
            x = normal.draw(rows)
            v = 1 + c[rows] * x
            possible = v > 0
            tried = rows[possible]
            x, v = x[possible], v[possible] ** 3
            u = uniform.draw(tried)
            taken = (u < 1 - 0.0331 * (x * x) * (x * x)) | (
                np.log(u) < 0.5 * x * x + d[tried] * (1 - v + np.log(v))
            )
            done = tried[taken]
            value = d[done] * v[taken]
            less = small[done]
            value[less] *= uniform.draw(done[less]) ** (1 / alpha[done[less]])
            result[done] = value
            rows = rows[~np.isin(rows, done)]
    return result


def poisson_numbers(start: tuple[int, int, int], rate: np.ndarray, highest: float) -> np.ndarray:
    """Poisson distributed numbers, one for each rate.

    Small rates by multiplying uniform numbers (D. Knuth), rates from 10 by W. Hörmann, "The
    transformed rejection method for generating Poisson random variables" (1993).
    """
    import scipy.special

    count = rate.size
    uniform = Buffer(Streams(start, count), uniform_pairs, count)
    result = np.full(count, np.nan)
    rows = np.flatnonzero((rate < 10) & (rate >= 0))
    limit, product, steps = np.exp(-rate), np.ones(count), np.zeros(count)
    while rows.size:
        product[rows] *= uniform.draw(rows)
        done = product[rows] <= limit[rows]
        result[rows[done]] = steps[rows[done]]
        rows = rows[~done]
        steps[rows] += 1
    result[np.isposinf(rate)] = np.inf
    rows = np.flatnonzero((rate >= 10) & np.isfinite(rate))
    with np.errstate(all="ignore"):
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        while rows.size:
            u = uniform.draw(rows) - 0.5
            v = uniform.draw(rows)
            shifted = 0.5 - np.abs(u)
            r, ra, rb = rate[rows], a[rows], b[rows]
            k = np.floor((2 * ra / shifted + rb) * u + r + 0.43)
            inside = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (rb - 2))
            outside = (k < 0) | ((shifted < 0.013) & (v > shifted))
            s = np.log(v * inverse_alpha[rows] / (ra / (shifted * shifted) + rb))
            t = -r + k * np.log(r) - scipy.special.gammaln(k + 1)
            done = (k <= highest) & (inside | (~outside & (s <= t)))
            result[rows[done]] = k[done]
            rows = rows[~done]
    return result


_TAILS = np.array(
    [0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509]
    + [0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720]
    + [0.00925546218271273, 0.00833056343336287]
)


def _stirling_tail(k: np.ndarray) -> np.ndarray:
    """What Stirling's formula for log(k!) leaves out."""
    square = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _TAILS[np.clip(k, 0, 9).astype(np.int64)], series)


def binomial_numbers(
    start: tuple[int, int, int], count: np.ndarray, chance: np.ndarray
) -> np.ndarray:
    """Binomially distributed numbers, one for each pair of a count and a chance.

    Few expected successes by summing geometric numbers, others by W. Hörmann, "The generation of
    binomial random variates" (1993).
    """
    size = count.size
    turned = chance > 0.5
    p = np.where(turned, 1 - chance, chance)
    result = np.full(size, np.nan)
    valid = ~(np.isnan(count) | np.isnan(chance))
    nothing = valid & ((count <= 0) | (p <= 0))
    result[nothing] = 0
    drawn = valid & ~nothing
    with np.errstate(all="ignore"):
        uniform = Buffer(Streams(start, size, _INVERSION_BLOCKS), uniform_pairs, size)
        _by_inversion(np.flatnonzero(drawn & (count * p < 10)), count, p, uniform, result)
        uniform = Buffer(Streams(start, size), uniform_pairs, size)
        _by_rejection(np.flatnonzero(drawn & (count * p >= 10)), count, p, uniform, result)
    result = np.where(turned, count - result, result)
    return np.where(valid & (count <= 0), 0, result)


def _by_inversion(
    rows: np.ndarray, count: np.ndarray, p: np.ndarray, uniform: Buffer, result: np.ndarray
) -> None:
    sums, numbers = np.zeros(count.size), np.zeros(count.size)
    while rows.size:
        sums[rows] += np.ceil(np.log(uniform.draw(rows)) / np.log1p(-p[rows]))
        done = sums[rows] > count[rows]
        result[rows[done]] = numbers[rows[done]]
        rows = rows[~done]
        numbers[rows] += 1


def _by_rejection(
    rows: np.ndarray, counts: np.ndarray, p: np.ndarray, uniform: Buffer, result: np.ndarray
) -> None:
    deviation = np.sqrt(counts * p * (1 - p))
    wide = 1.15 + 2.53 * deviation
    while rows.size:
        n, chance, b = counts[rows], p[rows], wide[rows]
        a = -0.0873 + 0.0248 * b + 0.01 * chance
        ratio = chance / (1 - chance)
        alpha = (2.83 + 5.1 / b) * deviation[rows]
        m = np.floor((n + 1) * chance)
        u = uniform.draw(rows)
        v = uniform.draw(rows)
        u = u - 0.5
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a / us + b) * u + n * chance + 0.5)
        inside = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        bound = (
            (m + 0.5) * np.log((m + 1) / (ratio * (n - m + 1)))
            + (n + 1) * np.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * np.log(ratio * (n - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(n - m)
            - _stirling_tail(np.where(possible, k, 0))
            - _stirling_tail(np.where(possible, n - k, 0))
        )
        done = inside | (possible & (np.log(v * alpha / (a / (us * us) + b)) <= bound))
        result[rows[done]] = k[done]
        rows = rows[~done]

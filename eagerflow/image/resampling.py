"""Weights with which rows and columns of resized images are summed, and the sums."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eagerflow import _core
from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.framework import dtypes

_ops = _core.ops
Tensor = _core.Tensor


@dataclass(frozen=True, eq=False)
class Table:
    """For each result along an axis, its first source index and the weights from there on."""

    starts: np.ndarray
    weights: np.ndarray
    size: int

    @functools.cached_property
    def transposed(self) -> Table:
        """The table of the gradient."""
        count, taps = self.weights.shape
        results = np.repeat(np.arange(count), taps)
        sources = (self.starts[:, None] + np.arange(taps)).reshape(-1)
        return table_of(sources, results, self.weights.reshape(-1), self.size, count)


def table_of(
    results: np.ndarray, sources: np.ndarray, weights: np.ndarray, count: int, size: int
) -> Table:
    """A table from triples of result, source and weight."""
    first = np.full(count, size, np.int64)
    last = np.zeros(count, np.int64)
    used = weights != 0
    results, sources, weights = results[used], sources[used], weights[used]
    np.minimum.at(first, results, sources)
    np.maximum.at(last, results, sources)
    taps = max(int((last - first).max(initial=0)) + 1, 1)
    first = np.clip(first, 0, size - taps)
    table = np.zeros((count, taps), np.float32)
    np.add.at(table, (results, sources - first[results]), weights)
    return Table(first.astype(np.int32), table, size)


def _from_spans(
    starts: np.ndarray, ends: np.ndarray, weight: Callable, count: int, size: int
) -> Table:
    """A table whose weights are a function of the result's and the source's position."""
    span = int((ends - starts).max(initial=1))
    offsets = np.arange(max(span, 1))
    sources = starts[:, None] + offsets
    inside = sources < ends[:, None]
    results = np.broadcast_to(np.arange(count)[:, None], sources.shape)
    weights = np.where(inside, weight(results, sources), 0).astype(np.float32)
    return table_of(
        results.reshape(-1),
        np.minimum(sources, size - 1).reshape(-1),
        weights.reshape(-1),
        count,
        size,
    )


def _centres(count: int, size: int) -> np.ndarray:
    """The centre of each result pixel in source coordinates, float32."""
    scale = np.float32(size) / np.float32(count)
    return (np.arange(count, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)


def _bilinear(count: int, size: int) -> Table:
    positions = _centres(count, size)
    low = np.floor(positions)
    share = positions - low
    lower = np.maximum(low, 0).astype(np.int64)
    upper = np.minimum(np.ceil(positions), size - 1).astype(np.int64)
    index = np.arange(count)
    return table_of(
        np.concatenate([index, index]),
        np.concatenate([lower, upper]),
        np.concatenate([np.float32(1) - share, share]),
        count,
        size,
    )


_STEPS = 1024  # how finely the cubic is tabulated


def _bicubic(count: int, size: int) -> Table:
    positions = _centres(count, size)
    low = np.floor(positions)
    step = np.rint((positions - low) * np.float32(_STEPS)).astype(np.int64)
    x = np.arange(_STEPS + 1, dtype=np.float32) / np.float32(_STEPS)
    near, far = keys_cubic(x), keys_cubic(x + 1)
    weights = np.stack([far[step], near[step], near[_STEPS - step], far[_STEPS - step]], axis=-1)
    sources = low.astype(np.int64)[:, None] + np.arange(-1, 3)
    weights = np.where((sources >= 0) & (sources < size), weights, 0)
    total = weights.sum(axis=-1, keepdims=True, dtype=np.float32)
    weights = (weights / np.where(total == 0, 1, total)).astype(np.float32)
    results = np.repeat(np.arange(count), 4)
    return table_of(
        results, np.clip(sources, 0, size - 1).reshape(-1), weights.reshape(-1), count, size
    )


def _area(count: int, size: int) -> Table:
    scale = np.float32(size) / np.float32(count)
    begin = np.arange(count, dtype=np.float32) * scale
    end = (np.arange(count, dtype=np.float32) + 1) * scale
    starts, ends = np.floor(begin).astype(np.int64), np.ceil(end).astype(np.int64)

    def overlap(results: np.ndarray, sources: np.ndarray) -> np.ndarray:
        low = np.maximum(sources, begin[results])
        high = np.minimum(sources + 1, end[results])
        return np.maximum(high - low, 0) / scale

    return _from_spans(starts, np.maximum(ends, starts + 1), overlap, count, size)


def _nearest(count: int, size: int) -> Table:
    """The source pixel that contains the centre of each result pixel."""
    scale = np.float32(size) / np.float32(count)
    positions = np.floor((np.arange(count, dtype=np.float32) + np.float32(0.5)) * scale)
    places = np.minimum(positions, size - 1).astype(np.int32)
    return Table(places, np.ones((count, 1), np.float32), size)


def _lanczos(radius: float) -> Callable:
    def kernel(x: np.ndarray) -> np.ndarray:
        x = np.abs(x)
        safe = np.where(x <= 1e-3, 1, x) * math.pi
        value = radius * np.sin(safe) * np.sin(safe / radius) / (safe * safe)
        # The sine of a multiple of pi is 0, which rounding misses.
        return np.where(x <= 1e-3, 1, np.where((x > radius) | (x == np.rint(x)), 0, value))

    return kernel


def _gaussian(x: np.ndarray) -> np.ndarray:
    sigma = 0.5
    return np.where(np.abs(x) >= 1.5, 0, np.exp(-x * x / (2 * sigma * sigma)))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(1 - np.abs(x), 0)


def keys_cubic(x: np.ndarray, a: float = -0.5) -> np.ndarray:
    """The cubic convolution kernel of Keys (1981), with the slope `a` at a distance of 1."""
    x = np.abs(x)
    outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    inner = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x >= 2, 0, np.where(x > 1, outer, inner))


def _mitchell_cubic(x: np.ndarray) -> np.ndarray:
    x = np.abs(x)
    outer = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    inner = (7 / 6 * x - 2) * x * x + 8 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, outer, inner))


def _box(x: np.ndarray) -> np.ndarray:
    x = np.abs(x)
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


# The methods of `tf.image.resize`, and the kernels of `ScaleAndTranslate` by their own names.
_KERNELS: dict[str, tuple[float, Callable]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "box": (1.0, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, keys_cubic),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "bilinear": (1.0, _triangle),
    "bicubic": (2.0, keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
}


def _filtered(
    method: str, antialias: bool, count: int, size: int, scale: np.float32, offset: np.float32
) -> Table:
    """Weights of a kernel, widened for downsampling; positions outside of the source have none."""
    radius, kernel = _KERNELS[method]
    width = max(float(scale), 1.0) if antialias else 1.0
    centres = np.arange(count, dtype=np.float32) + np.float32(0.5)
    positions = (centres * scale + offset).astype(np.float64)
    starts = np.clip(np.ceil(positions - radius * width - 0.5), 0, size - 1).astype(np.int64)
    ends = np.clip(np.floor(positions + radius * width - 0.5), 0, size - 1).astype(np.int64) + 1
    ends = np.where((positions < 0) | (positions > size), starts, ends)

    def weight(results: np.ndarray, sources: np.ndarray) -> np.ndarray:
        return kernel((sources + 0.5 - positions[results]) / width)

    offsets = np.arange(int((ends - starts).max(initial=1)))
    sources = starts[:, None] + offsets
    weights = weight(np.arange(count)[:, None], sources)
    weights = np.where(sources < ends[:, None], weights, 0)
    total = weights.sum(axis=1)
    total = np.where(np.abs(total) < 1e-30, 1, total)
    return _from_spans(starts, ends, lambda r, s: weight(r, s) / total[r], count, size)


@functools.lru_cache(maxsize=256)
def axis_table(method: str, antialias: bool, count: int, size: int) -> Table:
    """The weights that resize an axis of `size` to `count` pixels."""
    if method == "area":
        return _area(count, size)
    if method == "nearest":
        return _nearest(count, size)
    if method in ("bilinear", "bicubic") and not antialias:
        return _bilinear(count, size) if method == "bilinear" else _bicubic(count, size)
    return _filtered(
        method, antialias, count, size, np.float32(size) / np.float32(count), np.float32(0)
    )


def moved_table(
    method: str, antialias: bool, count: int, size: int, scale: float, translation: float
) -> Table:
    """The weights of an axis of `count` pixels, onto which one of `size` is scaled and then moved."""
    inverse = np.float32(1) / np.float32(scale)
    return _filtered(method, antialias, count, size, inverse, -inverse * np.float32(translation))


def _summed(images: Tensor, rows: Table, columns: Table) -> Tensor:
    dtype = images.dtype.as_numpy_dtype
    return _ops.resample(
        images,
        rows.starts,
        rows.weights.astype(dtype, copy=False),
        columns.starts,
        columns.weights.astype(dtype, copy=False),
    )


def resampled(images: Tensor, rows: Table, columns: Table) -> Tensor:
    """Images `[batch, height, width, channels]` resampled by a table for rows and one for columns."""
    if not _core.recording() and _core.building() is None:
        return _summed(images, rows, columns)

    @custom_gradient
    def apply(images: Tensor) -> tuple:
        def backward(gradient: Tensor) -> Tensor:
            return resampled(gradient, rows.transposed, columns.transposed)

        return _summed(images, rows, columns), backward

    return apply(images)


def picked(images: Tensor, rows: Table, columns: Table) -> Tensor:
    """Images `[batch, height, width, channels]` of any dtype, by tables with one weight of 1 each.

    The gradient is a sum of weighted pixels, too.
    """

    def chosen(images: Tensor) -> Tensor:
        for axis, table in enumerate((rows, columns), 1):
            if not np.array_equal(table.starts, np.arange(table.size)):
                images = _ops.gather(images, table.starts, axis, 0)
        return images

    recorded = _core.recording() or _core.building() is not None
    if not recorded or images.dtype not in (dtypes.float32, dtypes.float64):
        return chosen(images)

    @custom_gradient
    def apply(images: Tensor) -> tuple:
        return chosen(images), lambda dy: resampled(dy, rows.transposed, columns.transposed)

    return apply(images)

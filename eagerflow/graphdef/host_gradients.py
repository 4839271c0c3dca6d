"""Gradients of operations of TensorFlow that only exported graphs have; see `host_lowering.py`.

A rule takes the gradients of the results, the inputs, the results and the attributes, and gives a gradient
for each input, or None. They are the formulas that the functions document whose nodes became the operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.host_lowering import op
from eagerflow.ops.linalg import factorization

Tensor = _core.Tensor
Rule = Callable[[list[Any], list[Any], list[Any], dict[str, Any]], list[Any]]

RULES: dict[str, Rule] = {}


def _gradient(*names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


@_gradient("Svd")
def _svd(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    if not attrs.get("compute_uv", True):
        return [factorization.svd_values_gradient(x[0], dy[0])]
    m, n = x[0].shape[-2:]
    if attrs.get("full_matrices") and m != n or m is None or n is None:
        raise NotImplementedError("it is known for known sizes and thin factors only")
    return [factorization.svd_gradient(y, dy, m, n, thin=True)]


# Spectra.


def _size(x: Tensor, rank: int) -> Tensor:
    return tf.cast(tf.reduce_prod(tf.shape(x)[-rank:]), x.dtype)


def _whole_spectrum(rank: int, forward: Callable, inverse: Callable) -> tuple[Rule, Rule]:
    def of_forward(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
        return [inverse(dy[0]) * _size(x[0], rank)]

    def of_inverse(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
        return [forward(dy[0]) / _size(x[0], rank)]

    return of_forward, of_inverse


for _rank, _suffix in enumerate(("", "2d", "3d"), 1):
    _pair = _whole_spectrum(
        _rank, getattr(tf.signal, f"fft{_suffix}"), getattr(tf.signal, f"ifft{_suffix}")
    )
    RULES[f"FFT{_suffix.upper()}"], RULES[f"IFFT{_suffix.upper()}"] = _pair


@_gradient("RFFT")
def _rfft(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    length, complexity = x[1][0], dy[0].dtype
    missing = length - tf.shape(dy[0])[-1]
    rank = dy[0].shape.rank
    paddings = tf.concat([tf.zeros([rank - 1, 2], tf.int32), [tf.stack([0, missing])]], 0)
    whole = tf.signal.ifft(tf.pad(dy[0], paddings)) * tf.cast(length, complexity)
    found = tf.math.real(whole)
    rest = tf.shape(x[0])[-1] - length
    paddings = tf.concat(
        [tf.zeros([rank - 1, 2], tf.int32), [tf.stack([0, tf.maximum(rest, 0)])]], 0
    )
    return [tf.pad(found, paddings), None]


@_gradient("IRFFT")
def _irfft(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    length, spectrum = x[1][0], x[0]
    bins = length // 2 + 1
    places = tf.range(bins)
    inner = tf.logical_and(places > 0, places < (length + 1) // 2)
    real = dy[0].dtype
    weights = tf.cast(tf.where(inner, 2, 1), real) / tf.cast(length, real)
    found = tf.signal.rfft(dy[0]) * tf.cast(weights, spectrum.dtype)
    rest = tf.maximum(tf.shape(spectrum)[-1] - bins, 0)
    rank = spectrum.shape.rank
    paddings = tf.concat([tf.zeros([rank - 1, 2], tf.int32), [tf.stack([0, rest])]], 0)
    return [tf.pad(found, paddings), None]


# Sparse tensors.


@_gradient("SparseReduceSum")
def _sparse_sum(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    indices, _, shape, axes = x
    rank = tf.size(shape)
    reduced = tf.reduce_any(tf.equal(tf.range(rank)[:, None], axes[None, :] % rank), 1)
    ones = tf.ones_like(shape)
    whole = tf.reshape(dy[0], tf.where(reduced, ones, shape))
    places = indices * tf.cast(tf.logical_not(reduced), indices.dtype)
    return [None, tf.gather_nd(whole, places), None, None]


@_gradient("SparseTensorDenseAdd")
def _sparse_added(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [None, tf.gather_nd(dy[0], x[0]), None, dy[0]]


# Rows.


@_gradient("RaggedTensorToTensor")
def _padded(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    _, values, default, *splits = x
    if len(splits) != 1:
        raise NotImplementedError("it is known of one ragged axis")
    count = tf.shape(values, splits[0].dtype)[0]
    places = tf.range(count)
    rows = tf.searchsorted(splits[0], places, side="right", out_type=splits[0].dtype) - 1
    at = tf.stack([rows, places - tf.gather(splits[0], rows)], 1)
    return [None, tf.gather_nd(dy[0], at), tf.zeros_like(default), None]


# Images of other sizes.


@_gradient("ResizeBilinear")
def _bilinear(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    back = op("ResizeBilinearGrad", dy[0], tf.cast(x[0], tf.float32), **attrs)
    return [tf.cast(back, x[0].dtype), None]


@_gradient("ResizeBicubic")
def _bicubic(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    back = op("ResizeBicubicGrad", dy[0], tf.cast(x[0], tf.float32), **attrs)
    return [tf.cast(back, x[0].dtype), None]


@_gradient("ResizeNearestNeighbor")
def _nearest(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    sizes = tf.shape(x[0])[1:3]
    return [op("ResizeNearestNeighborGrad", dy[0], sizes, **attrs), None]


# A resizing is linear: the gradient of its gradient is the resizing itself.


@_gradient("ResizeBilinearGrad")
def _bilinear_again(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [op("ResizeBilinear", dy[0], tf.shape(x[0])[1:3], **attrs), None]


@_gradient("ResizeBicubicGrad")
def _bicubic_again(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [op("ResizeBicubic", dy[0], tf.shape(x[0])[1:3], **attrs), None]


@_gradient("ResizeNearestNeighborGrad")
def _nearest_again(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [op("ResizeNearestNeighbor", dy[0], tf.shape(x[0])[1:3], **attrs), None]


@_gradient("ScaleAndTranslate")
def _scaled(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [op("ScaleAndTranslateGrad", dy[0], x[0], x[2], x[3], **attrs), None, None, None]


# Parts of sparse tensors.


@_gradient("SparseSlice")
def _sparse_slice(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    found = op("SparseSliceGrad", dy[1], x[0], x[3], y[0])
    return [None, found, None, None, None]


@_gradient("SparseReorder")
def _sparse_reorder(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    order = op("SparseReorder", x[0], tf.range(tf.shape(x[0])[0]), x[2])[1]
    return [None, tf.gather(dy[1], tf.math.invert_permutation(order)), None]

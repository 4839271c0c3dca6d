"""Gradients of operations that choose, place and group elements, by operations whose sizes are tensors.

They belong to the rules of `op_gradients.py`, and have their form.
"""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.op_gradients import RULES, rule
from eagerflow.sparse.tensor import SparseTensor

__all__ = ["RULES"]

_ops = _core.ops
Tensor = _core.Tensor


def _as_rows(counts: Tensor, like: Tensor) -> Tensor:
    """Numbers of rows, so that they divide rows of any rank."""
    ones = tf.ones([tf.rank(like) - 1], tf.int32)
    return tf.reshape(counts, tf.concat([tf.shape(counts), ones], 0))


def _spread(numbers: Tensor, sizes: Tensor) -> Tensor:
    """A number for each row, for all of its elements."""
    ones = tf.ones_like(sizes[1:])
    return tf.broadcast_to(tf.reshape(numbers, tf.concat([sizes[:1], ones], 0)), sizes)


@rule("cumprod")
def _cumprod(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    axis, exclusive, reverse = (attrs[key] for key in ("axis", "exclusive", "reverse"))
    elements = tf.math.conj(x[0])
    before = tf.math.cumprod(elements, axis, exclusive=True, reverse=reverse)
    after = _ops.linear_scan(elements, dy[0], axis, not reverse, not exclusive)
    if exclusive:
        after = _delayed(after, axis, not reverse)
    return [before * after]


def _delayed(x: Tensor, axis: Any, reverse: bool) -> Tensor:
    """Each element moved on by one in the order of a scan, and 0 at its start."""
    along = tf.one_hot(axis % tf.rank(x), tf.rank(x), dtype=tf.int32)
    none = tf.zeros_like(along)
    kept = tf.slice(x, along if reverse else none, tf.maximum(tf.shape(x) - along, 0))
    missing = tf.minimum(along, tf.shape(x))
    return tf.pad(kept, tf.stack([none, missing] if reverse else [missing, none], 1))


@rule("linear_scan")
def _linear_scan(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    axis, reverse, previous = (attrs[key] for key in ("axis", "reverse", "previous"))
    by_terms = _ops.linear_scan(tf.math.conj(x[0]), dy[0], axis, not reverse, not previous)
    h = tf.math.conj(y[0])
    if previous:
        return [_delayed(by_terms, axis, not reverse) * h, by_terms]
    return [by_terms * _delayed(h, axis, reverse), by_terms]


@rule("diag_part")
def _diag_part(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.linalg.set_diag(tf.zeros_like(x[0]), dy[0], k=attrs["k"])]


@rule("top_k")
def _top_k(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    sizes = tf.shape(x[0])
    places = tf.reshape(y[1], tf.stack([-1, tf.shape(y[1])[-1]]))
    first = tf.range(tf.shape(places)[0])[:, None] * sizes[-1]
    ids = tf.reshape(places + tf.cast(first, places.dtype), [-1])
    total = tf.math.unsorted_segment_sum(tf.reshape(dy[0], [-1]), ids, tf.size(x[0]))
    return [tf.reshape(total, sizes)]


@rule("tensor_scatter_nd_update")
def _scatter_update(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    rest = tf.tensor_scatter_nd_update(dy[0], x[1], tf.zeros_like(x[2]))
    outer = tf.shape(x[0])[: tf.shape(x[1])[-1]]
    return [rest, None, _only_last(tf.gather_nd(dy[0], x[1]), x[1], outer)]


def _only_last(slices: Tensor, indices: Tensor, outer: Tensor) -> Tensor:
    """The slices, and zeros where a later one has the same row of indices."""
    rows = tf.shape(indices)[:-1]
    ids = tf.reshape(tf.range(tf.reduce_prod(rows)), rows)
    last = tf.tensor_scatter_nd_max(tf.zeros(outer, ids.dtype), indices, ids)
    wins = tf.equal(tf.gather_nd(last, indices), ids)
    ones = tf.ones([tf.rank(slices) - tf.size(rows)], tf.int32)
    return tf.where(tf.reshape(wins, tf.concat([rows, ones], 0)), slices, tf.zeros_like(slices))


@rule("tensor_scatter_nd_max", "tensor_scatter_nd_min")
def _scatter_extreme(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    tensor, indices, updates = x
    kept = tf.cast(tf.equal(tensor, y[0]), tensor.dtype)
    placed = tf.cast(tf.equal(updates, tf.gather_nd(y[0], indices)), tensor.dtype)
    share = dy[0] / tf.maximum(tf.tensor_scatter_nd_add(kept, indices, placed), 1)
    return [kept * share, None, placed * tf.gather_nd(share, indices)]


@rule("segment_mean")
def _segment_mean(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    ones = tf.ones(tf.shape(x[1]), dy[0].dtype)
    counts = tf.maximum(tf.math.unsorted_segment_sum(ones, x[1], tf.shape(y[0])[0]), 1)
    return [tf.gather(dy[0] / _as_rows(counts, dy[0]), x[1]), None]


@rule("unsorted_segment_prod")
def _segment_prod(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    data, ids = x[:2]
    flat = tf.reshape(ids, [-1])
    order = tf.argsort(flat)
    inner = tf.shape(data)[tf.rank(ids) :]
    sizes = tf.concat([tf.shape(flat), inner], 0)
    rows = tf.math.conj(tf.gather(tf.reshape(data, sizes), order))
    known = tf.gather(flat, order)
    same = tf.cast(tf.equal(known[1:], known[:-1]), data.dtype)
    follows, followed = (
        _spread(tf.pad(same, [pads])[: tf.size(flat)], sizes) for pads in ([1, 0], [0, 1])
    )
    # The product of the others is that of those before, times that of those after.
    before = _ops.linear_scan(rows * followed, 1 - follows, previous=True)
    after = _ops.linear_scan(rows * follows, 1 - followed, reverse=True, previous=True)
    others = tf.gather(before * after, tf.math.invert_permutation(order))
    weights = tf.gather(dy[0], tf.maximum(ids, 0))
    ones = tf.ones([tf.rank(data) - tf.rank(ids)], tf.int32)
    used = tf.reshape(ids >= 0, tf.concat([tf.shape(ids), ones], 0))
    found = weights * tf.reshape(others, tf.shape(data))
    return [tf.where(used, found, tf.zeros_like(found)), None]


@rule("sparse_segment_sum")
def _sparse_segment_sum(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    data, indices, ids = x[:3]
    weights = dy[0]
    if attrs["scale"] != "sum":
        ones = tf.ones(tf.shape(ids), weights.dtype)
        counts = tf.maximum(tf.math.unsorted_segment_sum(ones, ids, tf.shape(weights)[0]), 1)
        counts = counts if attrs["scale"] == "mean" else tf.sqrt(counts)
        weights = weights / _as_rows(counts, weights)
    rows = tf.gather(weights, ids)
    return [tf.math.unsorted_segment_sum(rows, indices, tf.shape(data)[0]), None, None]


@rule("stitch_rows")
def _stitch_rows(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    count = tf.shape(y[0])[:1]
    return [None, _only_last(tf.gather(dy[0], x[0]), x[0][:, None], count)]


@rule("dynamic_partition")
def _dynamic_partition(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    data, partitions = x[:2]
    sizes = tf.shape(partitions)
    places = tf.reshape(tf.range(tf.size(partitions)), sizes)
    parts = tf.dynamic_partition(places, partitions, attrs["num_partitions"])
    return [tf.reshape(tf.dynamic_stitch(parts, dy), tf.shape(data)), None]


@rule("sparse_matmul")
def _sparse_matmul(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    values, indices, b = x[:3]
    sizes = tf.stack([tf.cast(attrs[key], tf.int64) for key in ("rows", "columns")])
    matrix = SparseTensor(indices, values, sizes)
    by_b = tf.sparse.sparse_dense_matmul(matrix, dy[0], adjoint_a=not attrs["adjoint"])
    out, inner = (1, 0) if attrs["adjoint"] else (0, 1)
    rows, columns = tf.gather(dy[0], indices[:, out]), tf.gather(b, indices[:, inner])
    by_values = tf.reduce_sum(rows * tf.math.conj(columns), -1)
    return [tf.math.conj(by_values) if attrs["adjoint"] else by_values, None, by_b]


@rule("crop_and_resize_grad_image")
def _crop_and_resize_grad_image(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    crops, boxes, indices = x[:3]
    found = tf.image.crop_and_resize(dy[0], boxes, indices, tf.shape(crops)[1:3], attrs["method"])
    return [found, None, None]

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

Tensor = _core.Tensor


def _as_rows(counts: Tensor, like: Tensor) -> Tensor:
    """Numbers of rows, so that they divide rows of any rank."""
    ones = tf.ones([tf.rank(like) - 1], tf.int32)
    return tf.reshape(counts, tf.concat([tf.shape(counts), ones], 0))


@rule("cumprod")
def _cumprod(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    products = tf.cumsum(dy[0] * y[0], attrs["axis"], attrs["exclusive"], not attrs["reverse"])
    return [products / x[0]]


@rule("diag")
def _diag(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.linalg.diag_part(dy[0], k=attrs["k"])]


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


@rule("reverse_sequence")
def _reverse_sequence(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.reverse_sequence(dy[0], x[1], attrs["seq_axis"], attrs["batch_axis"]), None]


@rule("tensor_scatter_nd_add")
def _scatter_add(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0], None, tf.gather_nd(dy[0], x[1])]


@rule("tensor_scatter_nd_sub")
def _scatter_sub(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0], None, -tf.gather_nd(dy[0], x[1])]


@rule("tensor_scatter_nd_update")
def _scatter_update(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    rest = tf.tensor_scatter_nd_update(dy[0], x[1], tf.zeros_like(x[2]))
    return [rest, None, tf.gather_nd(dy[0], x[1])]


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
    count = tf.shape(y[0])[0]
    is_zero = tf.equal(data, tf.zeros_like(data))
    zeros = tf.math.unsorted_segment_sum(tf.cast(is_zero, tf.int32), ids, count)
    # Where there is one zero, only its own gradient is none.
    others = tf.math.unsorted_segment_prod(tf.where(is_zero, tf.ones_like(data), data), ids, count)
    weights = tf.where(zeros > 1, tf.zeros_like(dy[0]), dy[0])
    inside = tf.maximum(ids, 0)
    whole, rest = tf.gather(y[0], inside), tf.gather(others, inside)
    found = tf.where(is_zero, rest, tf.math.divide_no_nan(whole, data)) * tf.gather(weights, inside)
    ones = tf.ones([tf.rank(data) - tf.rank(ids)], tf.int32)
    used = tf.reshape(ids >= 0, tf.concat([tf.shape(ids), ones], 0))
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


@rule("gather_or_zero")
def _gather_or_zero(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.math.unsorted_segment_sum(dy[0], x[1], tf.shape(x[0])[0]), None]


@rule("stitch_rows")
def _stitch_rows(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [None, tf.gather(dy[0], x[0])]


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


@rule("crop_and_resize")
def _crop_and_resize(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    image, boxes, ids = x[:3]
    by_image = tf.raw_ops.CropAndResizeGradImage(
        grads=dy[0], boxes=boxes, box_ind=ids, image_size=tf.shape(image), T=image.dtype,
        method=attrs["method"],
    )  # fmt: skip
    by_boxes = tf.raw_ops.CropAndResizeGradBoxes(grads=dy[0], image=image, boxes=boxes, box_ind=ids)
    return [by_image, by_boxes, None]

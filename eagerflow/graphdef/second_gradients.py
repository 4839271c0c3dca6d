"""Gradients of operations that are gradients themselves: what second derivatives consist of."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow.graphdef.indexing_gradients import RULES
from eagerflow.graphdef.op_gradients import MASKS, rule, windows

__all__ = ["RULES"]


@rule("bias_add_grad")
def _bias_add_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    sizes = tf.shape(x[0])
    row = dy[0]
    if attrs["data_format"].startswith("NC"):
        row = tf.reshape(row, tf.concat([sizes[1:2], tf.ones_like(sizes[2:])], 0))
    return [tf.broadcast_to(row, sizes)]


@rule("max_pool_grad")
def _max_pool_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    image, pooled, _ = x
    found = tf.raw_ops.MaxPoolGradGrad(
        orig_input=image, orig_output=pooled, grad=dy[0], **windows(attrs, "ksize")
    )
    return [tf.zeros_like(image), tf.zeros_like(pooled), found]


@rule("avg_pool_grad")
def _avg_pool_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.raw_ops.AvgPool(value=dy[0], **windows(attrs, "ksize"))]


@rule("mirror_pad_grad")
def _mirror_pad_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    paddings = tf.reshape(tf.convert_to_tensor(attrs["paddings"]), [-1, 2])
    return [tf.pad(dy[0], paddings, attrs["mode"])]


@rule("strided_slice_grad")
def _strided_slice_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    begin, end, strides = (tf.convert_to_tensor(attrs[k]) for k in ("begin", "end", "strides"))
    masks = {key: attrs[key] for key in MASKS}
    return [tf.strided_slice(dy[0], begin, end, strides, **masks)]


@rule("crop_and_resize_grad_image")
def _crop_and_resize_grad_image(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    crops, boxes, indices = x[:3]
    found = tf.image.crop_and_resize(dy[0], boxes, indices, tf.shape(crops)[1:3], attrs["method"])
    return [found, None, None]

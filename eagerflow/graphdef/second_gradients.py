"""Gradients of operations that are gradients themselves: what second derivatives consist of."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow.graphdef.indexing_gradients import RULES
from eagerflow.graphdef.op_gradients import MASKS, rule, windows

__all__ = ["RULES"]


def _below_zero(operation: Any, dy: Any, x: Any) -> list[Any]:
    """Those of the gradient of elu or selu, which is linear in outputs below zero."""
    gradients, outputs = x
    slope = tf.where(outputs < 0, dy[0] * gradients, tf.zeros_like(outputs))
    return [operation(gradients=dy[0], outputs=outputs), slope]


@rule("elu_grad")
def _elu_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _below_zero(tf.raw_ops.EluGrad, dy, x)


@rule("selu_grad")
def _selu_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return _below_zero(tf.raw_ops.SeluGrad, dy, x)


@rule("leaky_relu_grad")
def _leaky_relu_grad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    features = x[1]
    found = tf.raw_ops.LeakyReluGrad(gradients=dy[0], features=features, alpha=attrs["alpha"])
    return [found, tf.zeros_like(features)]


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

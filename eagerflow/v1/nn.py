"""Functions of tf.nn whose arguments had other names or another order in version 1."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nn
from eagerflow.framework.op_function import op_function
from eagerflow.typing import Axes, TensorLike
from eagerflow.v1.arguments import either

_ops = _core.ops
Tensor = _core.Tensor


def _only_named(name: str, sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None:
        raise ValueError(f"Only call `{name}` with named arguments (labels=..., logits=..., ...)")
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@op_function
def softmax(
    logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The softmax along an axis, the last by default; `dim` is the axis' older name."""
    return nn.softmax(logits, axis=either("axis", axis, "dim", dim))


@op_function
def log_softmax(
    logits: TensorLike, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The logarithm of the softmax along an axis; `dim` is the axis' older name."""
    return nn.log_softmax(logits, axis=either("axis", axis, "dim", dim))


@op_function
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """The cross entropy of labels that are probabilities, which are not differentiated.

    Raises:
        ValueError: for arguments that are not named, or missing ones.

    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits(
    ...     labels=[[1.0, 0.0]], logits=[[0.0, 0.0]]
    ... ).numpy()
    array([0.6931472], dtype=float32)
    """
    _only_named("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    labels = _ops.stop_gradient(_core.as_tensor(labels))
    axis = dim if axis is None else axis
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, axis=axis)


@op_function
def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """The cross entropy of labels that are probabilities, which are differentiated too."""
    axis = either("axis", axis, "dim", dim)
    return nn.softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, axis=-1 if axis is None else axis
    )


@op_function
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of labels that are class ids; arguments must be named."""
    _only_named("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@op_function
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross entropy of independent classes; arguments must be named."""
    _only_named("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    return nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


@op_function
def weighted_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    pos_weight: TensorLike | None = None,
    name: str | None = None,
    targets: TensorLike | None = None,
) -> Tensor:
    """The cross entropy of independent classes, positive ones weighted; `targets` are labels."""
    labels = either("labels", labels, "targets", targets)
    return nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight)


@op_function
def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Drops elements, and scales the others up.

    Args:
        x: a floating tensor.
        keep_prob: the fraction that is kept.
        noise_shape: sizes of 1 drop whole slices.
        seed: makes the choice reproducible.
        name: the node's name in a graph.
        rate: the fraction that is dropped, instead of `keep_prob`.

    Raises:
        ValueError: if neither `keep_prob` nor `rate` is given, or both.
    """
    kept = None if keep_prob is None else 1.0 - float(keep_prob)
    rate = either("rate", rate, "keep_prob", kept)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    return nn.dropout(x, rate=float(rate), noise_shape=noise_shape, seed=seed)


@op_function
def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """A convolution of images; `filter` is the older name of `filters`."""
    return nn.conv2d(
        input,
        either("filters", filters, "filter", filter),
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
    )


@op_function
def conv1d(
    value: TensorLike | None = None,
    filters: TensorLike | None = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution along one axis; `value` is the older name of `input`."""
    value = either("input", input, "value", value)
    return nn.conv1d(
        value,
        filters,
        stride=stride,
        padding=padding,
        data_format=data_format or "NWC",
        dilations=dilations,
    )


@op_function
def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike | None = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of a convolution of images, with version 1's names of arguments."""
    return nn.conv2d_transpose(
        either("input", input, "value", value),
        either("filters", filters, "filter", filter),
        output_shape,
        strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
    )


@op_function
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of images by channel; `rate` is the older name of `dilations`."""
    return nn.depthwise_conv2d(
        input,
        filter,
        strides,
        padding,
        data_format=data_format or "NHWC",
        dilations=either("dilations", dilations, "rate", rate),
    )


def _pool(function: Any) -> Any:
    @op_function
    def pool(
        value: Any = None,
        ksize: Any = None,
        strides: Any = None,
        padding: Any = None,
        data_format: str = "NHWC",
        name: str | None = None,
        input: Any = None,
    ) -> Any:
        return function(
            either("input", input, "value", value),
            ksize,
            strides,
            padding,
            data_format=data_format,
        )

    pool.__name__ = pool.__qualname__ = function.__name__
    pool.__doc__ = f"{function.__name__} of patches; `value` is the older name of `input`."
    return pool


max_pool = _pool(nn.max_pool2d)
avg_pool = _pool(nn.avg_pool2d)


@op_function
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Mean and variance along axes; `keep_dims` is the older name of `keepdims`."""
    return nn.moments(x, axes, keepdims=bool(either("keepdims", keepdims, "keep_dims", keep_dims)))


@op_function
def l2_normalize(
    x: TensorLike,
    axis: Axes | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Axes | None = None,
) -> Tensor:
    """The tensor divided by its norm along axes; `dim` is the older name of `axis`."""
    return nn.l2_normalize(x, either("axis", axis, "dim", dim), epsilon)


@op_function
def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Rows of a table."""
    if isinstance(params, list | tuple) and len(params) == 1:
        params = params[0]
    return nn.embedding_lookup(params, ids, max_norm=max_norm)


@op_function
def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: Any, name: str | None = None
) -> Tensor:
    """Whether the right class is among the k likeliest."""
    return nn.in_top_k(targets, predictions, k)


@op_function
def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """x @ weights + biases."""
    return nn.bias_add(_ops.matmul(x, weights), biases)


@op_function
def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """relu(x @ weights + biases)."""
    return nn.relu(nn.bias_add(_ops.matmul(x, weights), biases))


@op_function
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Batch normalization of images: the result, and the mean and variance used.

    Args:
        x: images.
        scale: for each channel.
        offset: for each channel.
        mean: the mean to use, unless training.
        variance: the variance to use, unless training.
        epsilon: is added to the variance.
        data_format: "NHWC" or "NCHW".
        is_training: whether the batch's own mean and variance are used.
        name: the node's name in a graph.
        exponential_avg_factor: accepted when it is 1.
    """
    x = _core.as_tensor(x)
    axis = 1 if data_format == "NCHW" else -1
    if not is_training:
        y = _ops.batch_norm_inference(x, scale, offset, mean, variance, epsilon, axis)
        return y, mean, variance
    y, mean, spread, _ = _ops.batch_norm(x, scale, offset, epsilon, axis)
    count = x._size // max(x._shape_tuple()[axis], 1)
    variance = spread * (count / max(count - 1, 1))
    return y, mean, variance

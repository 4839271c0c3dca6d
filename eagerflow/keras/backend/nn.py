"""tf.keras.backend: convolutions, pooling, normalization, losses."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nn
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import sizes_in, sizes_of
from eagerflow.keras import config
from eagerflow.keras import losses as keras_losses
from eagerflow.keras.backend.state import seed_of
from eagerflow.keras.losses.crossentropy import binary_focal_probabilities, binary_probabilities
from eagerflow.typing import ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
shapes = lazy.Module("eagerflow.keras.backend.shapes")

_ops = _core.ops
_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def _layout(data_format: str | None, rank: int) -> str:
    """TensorFlow's name of a layout.

    Raises:
        ValueError: for an unknown one.
    """
    data_format = data_format or config.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return _FORMATS[rank][data_format == "channels_first"]


def _padding(padding: str) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


@op_function
def conv1d(
    x: TensorLike,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> _core.Tensor:
    """A convolution of sequences; "causal" padding looks back only."""
    layout = _layout(data_format, 1)
    if padding == "causal":
        width = int(kernel.shape[0])
        x = shapes.temporal_padding(x, (dilation_rate * (width - 1), 0))
        padding = "valid"
    return nn.convolution(x, kernel, strides, _padding(padding), layout, dilation_rate)


@op_function
def conv2d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> _core.Tensor:
    """A convolution of images."""
    layout = _layout(data_format, 2)
    return nn.convolution(x, kernel, strides, _padding(padding), layout, dilation_rate)


@op_function
def conv3d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> _core.Tensor:
    """A convolution of volumes."""
    layout = _layout(data_format, 3)
    return nn.convolution(x, kernel, strides, _padding(padding), layout, dilation_rate)


@op_function
def conv2d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: ShapeLike,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> _core.Tensor:
    """The transpose of a convolution of images; the size of the batch may be None."""
    x = _core.as_tensor(x)
    sizes = sizes_in(output_shape, 4)
    if sizes[0] is None:
        sizes[0] = sizes_of(x)[0]
    layout = _layout(data_format, 2)
    return nn.conv2d_transpose(
        x, kernel, sizes, list(strides), _padding(padding), layout, list(dilation_rate)
    )


@op_function
def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> _core.Tensor:
    """A convolution of each channel by itself."""
    layout = _layout(data_format, 2)
    steps = [strides] * 2 if isinstance(strides, int) else list(strides)
    full = [1, *steps, 1] if layout == "NHWC" else [1, 1, *steps]
    dilations = [dilation_rate] * 2 if isinstance(dilation_rate, int) else list(dilation_rate)
    return nn.depthwise_conv2d(x, depthwise_kernel, full, _padding(padding), layout, dilations)


@op_function
def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: object,
    pointwise_kernel: Any,
    strides: object = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: object = (1, 1),
) -> Any:
    """A convolution of each channel by itself, then one that mixes channels.

    Raises:
        ValueError: if the strides are no pair.
    """
    strides = [strides] * 2 if isinstance(strides, int) else strides
    _check_count("strides", strides, 2)
    inner = depthwise_conv2d(x, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv2d(inner, pointwise_kernel, 1, "valid", data_format, 1)


def _check_count(name: str, values: Any, count: int) -> None:
    if len(values) != count:
        raise ValueError(f"`{name}` must be a tuple of {count} integers.")


def _pool(
    x: TensorLike,
    size: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
    mode: str,
    rank: int,
) -> _core.Tensor:
    if mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {mode}")
    _check_count("pool_size", size, rank)
    _check_count("strides", strides, rank)
    function = nn.max_pool if mode == "max" else nn.avg_pool
    return function(x, list(size), list(strides), _padding(padding), _layout(data_format, rank))


@op_function
def pool2d(
    x: TensorLike,
    pool_size: object,
    strides: object = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> _core.Tensor:
    """The largest or mean value of windows of images."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode, 2)


@op_function
def pool3d(
    x: TensorLike,
    pool_size: object,
    strides: object = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """The largest or mean value of windows of volumes."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode, 3)


@op_function
def bias_add(x: TensorLike, bias: TensorLike, data_format: str | None = None) -> _core.Tensor:
    """x plus a bias: one value for each channel, or one for each position.

    Raises:
        ValueError: if the bias has neither one axis nor one less than x, or for an unknown format.
    """
    first = _layout(data_format, 1) == "NCW"
    x, bias = _core.as_tensor(x), _core.as_tensor(bias)
    if bias.ndim not in (1, x.ndim - 1):
        raise ValueError(
            f"Unexpected bias dimensions {bias.ndim}, expect to be 1 or {x.ndim - 1} dimensions"
        )
    sizes = bias.shape.as_list()
    if bias.ndim == 1:
        return x + (_ops.reshape(bias, [1, sizes[0], *[1] * (x.ndim - 2)]) if first else bias)
    shape = [1, sizes[-1], *sizes[:-1]] if first else [1, *sizes]
    moved = _ops.transpose(bias, [bias.ndim - 1, *range(bias.ndim - 1)]) if first else bias
    return x + _ops.reshape(moved, shape)


@op_function
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    var: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> _core.Tensor:
    """x, shifted and scaled by given moments."""
    return nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


@op_function
def normalize_batch_in_training(
    x: TensorLike, gamma: TensorLike, beta: TensorLike, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[_core.Tensor, _core.Tensor, _core.Tensor]:
    """x, shifted and scaled by its own moments, and these."""
    mean, variance = nn.moments(x, list(reduction_axes))
    kept = [
        1 if axis in reduction_axes else size
        for axis, size in enumerate(_core.as_tensor(x).shape.as_list())
    ]

    def shaped(value: TensorLike) -> _core.Tensor | None:
        return None if value is None else _ops.reshape(value, kept)

    normed = nn.batch_normalization(
        x, shaped(mean), shaped(variance), shaped(beta), shaped(gamma), epsilon
    )
    return normed, mean, variance


@op_function
def dropout(x: TensorLike, level: float, noise_shape: Any = None, seed: int | None = None) -> Any:
    """x with a fraction of elements set to zero and the rest scaled up."""
    return nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed_of(seed))


@op_function
def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> _core.Tensor:
    """Whether the target is among the k largest predictions of each row."""
    return nn.in_top_k(targets, predictions, k)


@op_function
def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> _core.Tensor:
    """The cross-entropy of distributions."""
    return keras_losses.categorical_crossentropy(target, output, from_logits, axis=axis)


@op_function
def sparse_categorical_crossentropy(
    target: TensorLike,
    output: TensorLike,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Any:
    """The cross-entropy of classes given as indices."""
    return keras_losses.sparse_categorical_crossentropy(
        target, output, from_logits, axis, ignore_class
    )


@op_function
def binary_crossentropy(target: object, output: object, from_logits: bool = False) -> _core.Tensor:
    """The cross-entropy of each element, a probability or a logit."""
    target, output = _core.as_tensor(target), _core.as_tensor(output)
    return binary_probabilities(target, output, from_logits)


@op_function
def binary_focal_crossentropy(
    target: TensorLike,
    output: TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:
    """The focal cross-entropy of each element, a probability or a logit."""
    return binary_focal_probabilities(
        target, output, apply_class_balancing, alpha, gamma, from_logits
    )


@op_function
def categorical_focal_crossentropy(
    target: TensorLike,
    output: TensorLike,
    alpha: TensorLike = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> Any:
    """The focal cross-entropy of distributions."""
    return keras_losses.categorical_focal_crossentropy(
        target, output, alpha, gamma, from_logits, axis=axis
    )


@op_function
def ctc_batch_cost(
    y_true: TensorLike, y_pred: TensorLike, input_length: object, label_length: object
) -> _core.Tensor:
    """The connectionist temporal classification loss of each row, `[batch, 1]`."""
    lengths = _ops.cast(_ops.reshape(_core.as_tensor(input_length), [-1]), "int32")
    label_lengths = _ops.cast(_ops.reshape(_core.as_tensor(label_length), [-1]), "int32")
    y_pred = _core.as_tensor(y_pred)
    logits = _ops.log(_ops.transpose(y_pred, [1, 0, 2]) + config.epsilon())
    loss = nn.ctc_loss(
        _ops.cast(_core.as_tensor(y_true), "int32"),
        logits,
        label_lengths,
        lengths,
        logits_time_major=True,
        blank_index=-1,
    )
    return _ops.expand_dims(loss, 1)

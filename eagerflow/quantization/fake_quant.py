"""Rounding to quantized values, for quantization-aware training."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import FLOAT_TYPES, Declared, Input, composed_op
from eagerflow.ops.numpy_ops import checked, differentiable
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _like_inputs(value: TensorLike, *args: object, **kwargs: object) -> TensorSpec:
    tensor = _core.convert(value, None, dtypes.float32)
    return TensorSpec(tensor.shape, tensor.dtype)


def _gradient_specs(gradients: Any, *args: object, **kwargs: object) -> tuple[TensorSpec, ...]:
    limit = TensorSpec([], dtypes.float32)
    return _like_inputs(gradients), limit, limit


def _channel_gradient_specs(gradients: Any, *args: Any, **kwargs: object) -> tuple[TensorSpec, ...]:
    spec = _like_inputs(gradients)
    limit = TensorSpec(spec.shape[-1:] if spec.shape.rank else [None], dtypes.float32)
    return spec, limit, limit


def _levels(num_bits: int, narrow_range: bool, op: str) -> tuple[float, float]:
    if not 2 <= num_bits <= 16:
        raise invalid_argument(f"num_bits must be between 2 and 16, got {num_bits} [Op:{op}]")
    return (1.0 if narrow_range else 0.0), float(2**num_bits - 1)


def _fake(
    inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool, op: str, channels: bool
) -> Tensor:
    """The inputs, moved to the nearest of the values between the limits; gradients flow inside."""
    x = checked(inputs, (dtypes.float32,), op, dtypes.float32)
    levels = _levels(num_bits, narrow_range, op)
    variables = not isinstance(low, float)
    low, high = _limit(low), _limit(high)
    wanted = (x._shape_tuple()[-1:] if x.ndim else ()) if channels else ()
    for limit in (low, high):
        if limit._shape_tuple() != wanted:
            raise invalid_argument(
                f"min and max must have shape {list(wanted)}, got {list(limit._shape_tuple())} "
                f"[Op:{op}]"
            )
    limits = _ops.fake_quant_limits(low, high, *levels, variables)
    values = _ops.fake_quant(_ops.stop_gradient(x), limits, variables)
    axes = list(range(x.ndim - 1)) if channels else None

    def backward(dy: Tensor) -> TensorLike:
        if _core.recording():
            into, *outside = (
                _ops.select(mask, dy, np.float32(0)) for mask in _masks(x, limits, wanted)
            )
            sums = [_ops.reduce_sum(part, axis=axes) for part in outside]
        else:
            into, *sums = _ops.fake_quant_grad(dy, x, limits)
            sums = [_ops.reshape(part, wanted) for part in sums]
        return [into, *sums] if variables else [into]

    (y,) = differentiable([values], [x, low, high] if variables else [x], backward)
    return y


def _masks(x: Tensor, limits: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Where the inputs are between the limits, below and above them."""
    bottom, top = (_ops.reshape(row, shape) for row in _ops.unstack(limits)[:2])
    between = _ops.logical_and(_ops.greater_equal(x, bottom), _ops.less_equal(x, top))
    between = _ops.logical_or(_ops.equal(bottom, -np.inf), between)
    return between, _ops.less(x, bottom), _ops.greater(x, top)


@composed_op(
    "FakeQuantWithMinMaxArgs",
    inputs=Input("float32", converts="alone"),
    in_graph=on_host(_like_inputs, in_programs=True),
)
def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inputs as they would be after quantization between given limits.

    Args:
        inputs: float32.
        min: the lower limit.
        max: the upper limit.
        num_bits: how many bits a quantized value has, 2 to 16.
        narrow_range: whether the lowest quantized value is not used.

    Returns:
        float32 of the same shape. The gradient is passed on between the limits.

    Raises:
        tf.errors.InvalidArgumentError: if the limits do not rise or the bits are out of range.

    >>> tf.quantization.fake_quant_with_min_max_args([0.1, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)
    """
    op = "FakeQuantWithMinMaxArgs"
    if not min < max:
        raise invalid_argument(f"min has to be smaller than max, was: {min} >= {max} [Op:{op}]")
    return _fake(inputs, float(min), float(max), num_bits, narrow_range, op, False)


_LIMITED: Declared = dict.fromkeys(("inputs", "min", "max"), Input("float32"))


@composed_op(
    "FakeQuantWithMinMaxVars", in_graph=on_host(_like_inputs, in_programs=True), **_LIMITED
)
def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inputs as they would be after quantization between limits that can be learned.

    Gradients reach the limits from where inputs are beyond them. See
    `fake_quant_with_min_max_args`.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)
    """
    op = "FakeQuantWithMinMaxVars"
    return _fake(inputs, _limit(min), _limit(max), num_bits, narrow_range, op, False)


def _limit(value: TensorLike) -> Tensor:
    return _core.convert(value, dtypes.float32, None)


@composed_op(
    "FakeQuantWithMinMaxVarsPerChannel",
    in_graph=on_host(_like_inputs, in_programs=True),
    **_LIMITED,
)
def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`fake_quant_with_min_max_vars` with limits for each channel, the last axis.

    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(
    ...     [[0.1, 9.0]], [0.0, 0.0], [3.0, 6.0], num_bits=2
    ... ).numpy()
    array([[0., 6.]], dtype=float32)
    """
    op = "FakeQuantWithMinMaxVarsPerChannel"
    return _fake(inputs, _limit(min), _limit(max), num_bits, narrow_range, op, True)


@composed_op(
    "FakeQuantWithMinMaxArgsGradient",
    gradients=Input("float32", converts="alone"),
    inputs=Input("float32", converts="alone"),
    in_graph=on_host(_like_inputs, in_programs=True),
)
def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args` by its inputs.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.0, 9.0]).numpy()
    array([1., 0.], dtype=float32)
    """
    op = "FakeQuantWithMinMaxArgsGradient"
    return _gradients(gradients, inputs, min, max, num_bits, narrow_range, op, None)[0]


def _gradients(
    gradients: Any, inputs: Any, low: Any, high: Any, bits: int, narrow: bool, op: str, axes: Any
) -> tuple[Tensor, Tensor, Tensor]:
    low, high, x, dy = (_limit(value) for value in (low, high, inputs, gradients))
    limits = _ops.fake_quant_limits(low, high, *_levels(bits, narrow, op), True)
    masks = _masks(x, limits, low._shape_tuple())
    into, *outside = (dy * _ops.cast(mask, dtypes.float32) for mask in masks)
    below, above = (_ops.reduce_sum(part, axis=axes) for part in outside)
    return into, below, above


@composed_op(
    "FakeQuantWithMinMaxVarsGradient",
    gradients=Input("float32"),
    in_graph=on_host(_gradient_specs, in_programs=True),
    **_LIMITED,
)
def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars` by its inputs and limits.

    >>> grads = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0], [9.0], 0.0, 1.0)
    >>> [float(tf.reduce_sum(g)) for g in grads]
    [0.0, 0.0, 1.0]
    """
    op = "FakeQuantWithMinMaxVarsGradient"
    return _gradients(gradients, inputs, min, max, num_bits, narrow_range, op, None)


@composed_op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    gradients=Input("float32"),
    in_graph=on_host(_channel_gradient_specs, in_programs=True),
    **_LIMITED,
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars_per_channel` by its inputs and limits.

    >>> grads = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
    ...     [[1.0]], [[9.0]], [0.0], [1.0]
    ... )
    >>> grads[2].numpy()
    array([1.], dtype=float32)
    """
    op = "FakeQuantWithMinMaxVarsPerChannelGradient"
    axes = list(range(_limit(inputs).ndim - 1))
    return _gradients(gradients, inputs, min, max, num_bits, narrow_range, op, axes)


_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def _rounded(
    x: Tensor,
    limits: list[Tensor],
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int | None,
    op: str,
) -> Tensor:
    """The values after symmetric quantization, without a gradient."""
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid_argument(f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP' [Op:{op}]")
    if not 0 < num_bits < (62 if signed_input else 63):
        raise invalid_argument(f"num_bits is out of range: {num_bits} [Op:{op}]")
    array = np.asarray(x).astype(np.float64)
    others = tuple(k for k in range(x.ndim) if k != axis) if axis is not None else None
    around = [1] * x.ndim
    if axis is not None:
        if axis < 0:
            raise invalid_argument(f"Axis must be at least -1, not {axis} [Op:{op}]")
        if axis >= x.ndim:
            raise invalid_argument(
                f"Shape must be at least rank {axis + 1} but is rank {x.ndim} [Op:{op}]"
            )
        around[axis] = x._shape_tuple()[axis]
    if range_given:
        low, high = (np.asarray(limit) for limit in limits)
        for what, limit in (("input_min", low), ("input_max", high)):
            if axis is None and limit.ndim:
                raise invalid_argument(f"{what} must be a scalar. [Op:{op}]")
            if axis is not None and limit.shape != (around[axis],):
                raise invalid_argument(f"{what} must have {around[axis]} elements [Op:{op}]")
        if (low > high).any():
            raise invalid_argument(f"Invalid range: input_min {low} > input_max {high} [Op:{op}]")
        low, high = low.astype(np.float64), high.astype(np.float64)
    else:
        low, high = array.min(axis=others, initial=0), array.max(axis=others, initial=0)
    least = (-(2 ** (num_bits - 1)) + narrow_range) if signed_input else 0
    most = 2 ** (num_bits - 1) - 1 if signed_input else 2**num_bits - 1
    with np.errstate(all="ignore"):
        # The larger of the two scales fits both limits.
        from_low = np.where(least * low > 0, least / low, np.inf)
        from_high = np.where(most * high > 0, most / high, np.inf)
        scale = np.minimum(from_low, from_high)
        scale = np.where(np.isfinite(scale), scale, 1.0)
        bottom, top = (least / scale).reshape(around), (most / scale).reshape(around)
        if axis is None:
            bottom, top = bottom.reshape(()), top.reshape(())
        scale = scale.reshape(around) if axis is not None else scale
        clamped = np.clip(array, bottom, top) * scale if range_given else array * scale
        rounded = np.rint(clamped) if round_mode == "HALF_TO_EVEN" else np.floor(clamped + 0.5)
        values = rounded / scale
    return _core.convert(values.astype(x.dtype.as_numpy_dtype), x.dtype, None)


_QUANTIZED: Declared = {
    "checked_first": True,
    "in_graph": on_host(_like_inputs),
    **dict.fromkeys(("input", "input_min", "input_max"), Input(FLOAT_TYPES)),
}


@composed_op("QuantizeAndDequantizeV4", **_QUANTIZED)
def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """The inputs as they would be after quantization with zero at zero.

    Args:
        input: floating.
        input_min: the lower limit if it is given; one for each slice along `axis`.
        input_max: the upper limit.
        signed_input: whether quantized values have a sign.
        num_bits: how many bits they have.
        range_given: whether the limits are given; otherwise they are those of the inputs.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: whether the lowest quantized value is not used.
        axis: the axis along which each slice has its own limits; None for one pair of limits.

    Returns:
        Numbers of the same shape. Between `input_min` and `input_max` the gradient is passed on.

    Raises:
        tf.errors.InvalidArgumentError: if the limits do not fit.

    >>> tf.quantization.quantize_and_dequantize_v2(
    ...     [-1.5, 0.3, 2.0], -2.0, 2.0, num_bits=2, range_given=True
    ... ).numpy()
    array([-2.,  0.,  2.], dtype=float32)
    """
    op = "QuantizeAndDequantizeV4"
    x = checked(input, _FLOATS, op, dtypes.float32)
    limits = [_core.convert(limit, x.dtype, None) for limit in (input_min, input_max)]
    if axis is not None and axis < 0:
        axis += x.ndim
    values = _rounded(
        *(x, limits, signed_input, num_bits, range_given, round_mode, narrow_range, axis, op)
    )

    def backward(dy: Tensor) -> list[Tensor]:
        # The limits count as they were given, even where those of the inputs were used.
        around = [1] * x.ndim
        if axis is not None and limits[0].ndim:
            around[axis] = -1
        low, high = (_ops.reshape(limit, around) for limit in limits)
        inside = _ops.logical_and(_ops.greater_equal(x, low), _ops.less_equal(x, high))
        return [dy * _ops.cast(inside, x.dtype), *(_ops.zeros_like(limit) for limit in limits)]

    (y,) = differentiable([values], [x, *limits], backward)
    return y


@composed_op("QuantizeAndDequantizeV2", **_QUANTIZED)
def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """The same as `quantize_and_dequantize_v2`, but that all of the gradient is passed on.

    >>> tf.quantization.quantize_and_dequantize([1.0, 2.0], 0.0, 0.0).shape
    TensorShape([2])
    """
    op = "QuantizeAndDequantizeV2"
    x = checked(input, _FLOATS, op, dtypes.float32)
    limits = [_core.convert(limit, x.dtype, None) for limit in (input_min, input_max)]
    if axis is not None and axis < 0:
        axis += x.ndim
    values = _rounded(
        *(x, limits, signed_input, num_bits, range_given, round_mode, narrow_range, axis, op)
    )
    (y,) = differentiable([values], [x], lambda dy: [dy])
    return y

"""Numbers as quantized integers and back: three ways to map a range of floats onto them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.numpy_ops import checked
from eagerflow.typing import DTypeLike, TensorLike

Tensor = _core.Tensor
_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_QUANTIZED = (dtypes.qint8, dtypes.quint8, dtypes.qint32, dtypes.qint16, dtypes.quint16)
_ROUND_MODES = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")


class QuantizeV2(NamedTuple):
    """Quantized values, and the floats that the least and the largest of them represent."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


class QuantizedConcat(NamedTuple):
    """The same of several tensors."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def _quantized_specs(
    input: Tensor, min_range: Any, max_range: object, T: Any, *args: object, **kwargs: object
) -> QuantizeV2:
    x = _core.convert(input, None, dtypes.float32)
    limit: Any = TensorSpec(_core.convert(min_range, None, dtypes.float32).shape, dtypes.float32)
    output: Any = TensorSpec(x.shape, dtypes.as_dtype(T))
    return QuantizeV2(output, limit, limit)


def _floats_spec(
    input: Tensor,
    min_range: object,
    max_range: object,
    mode: object = None,
    name: str | None = None,
    axis: TensorLike | None = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> TensorSpec:
    return TensorSpec(_core.as_tensor(input).shape, dtypes.as_dtype(dtype))


def _joined_specs(concat_dim: Any, values: Any, *args: object, **kwargs: object) -> QuantizedConcat:
    first = _core.as_tensor(values[0])
    limit: Any = TensorSpec([], dtypes.float32)
    output: Any = TensorSpec(None if first.ndim is None else [None] * first.ndim, first.dtype)
    return QuantizedConcat(output, limit, limit)


def _integers(dtype: dtypes.DType) -> np.iinfo:
    return np.iinfo(dtype.as_numpy_dtype[0])


def _half_away(x: np.ndarray) -> np.ndarray:
    """Rounds halves away from zero."""
    return np.trunc(x + np.copysign(x.dtype.type(0.5), x))


def _clamped(x: np.ndarray, info: np.iinfo) -> np.ndarray:
    """Whole floats as integers; what is beyond them becomes the nearest."""
    wide = np.clip(np.nan_to_num(x.astype(np.float64)), info.min, info.max)
    return wide.astype(info.dtype)


def _no_axis(op: str) -> errors.OpError:
    return errors.UnimplementedError._of(f"MIN_FIRST mode is not implemented for an axis [Op:{op}]")


def _check_mode(mode: str, op: str) -> None:
    if mode not in _MODES:
        raise invalid_argument(f"Mode string must be one of {_MODES}, is '{mode}' [Op:{op}]")


def _limits(
    x: Tensor, low: Tensor, high: Tensor, axis: int | None, op: str
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """The limits as float32, and the shape in which they broadcast along the axis."""
    mins, maxs = (np.asarray(_core.convert(v, dtypes.float32, None)) for v in (low, high))
    around = [1] * x.ndim
    if axis is not None and axis < 0:
        axis += x.ndim
    if axis is None:
        for what, limit in (("min_range", mins), ("max_range", maxs)):
            if limit.size != 1:
                raise invalid_argument(f"{what} must have 1 element, has {limit.size} [Op:{op}]")
        # Limits of one element are scalars, however they are shaped.
        return mins.reshape(()), maxs.reshape(()), []
    if not 0 <= axis < x.ndim:
        raise invalid_argument(f"The axis is out of range for rank {x.ndim} [Op:{op}]")
    length = x._shape_tuple()[axis]
    for what, limit in (("min_range", mins), ("max_range", maxs)):
        if limit.shape != (length,):
            raise invalid_argument(
                f"{what} must have shape [{length}], as input along axis {axis}, "
                f"has {list(limit.shape)} [Op:{op}]"
            )
    around[axis] = length
    return mins, maxs, around


def _scale(low: np.ndarray, high: np.ndarray, least: int, most: int) -> np.ndarray:
    """The inverse of the larger of the two steps that the limits require."""
    largest = np.finfo(np.float32).max
    with np.errstate(all="ignore"):
        from_low = np.where(least * low > 0, np.float32(least) / low, largest)
        from_high = np.where(most * high > 0, np.float32(most) / high, largest)
        return np.minimum(from_low, from_high).astype(np.float32)


def _to_min_first(x: np.ndarray, low: Tensor, high: Tensor, info: np.iinfo) -> np.ndarray:
    """Integers whose steps are counted from the lower limit."""
    with np.errstate(all="ignore"):
        scale = np.float32(2.0**info.bits - 1) / (high - low)
        if info.max == 255:  # TensorFlow's kernel of this type rounds once, the others twice
            result = np.rint(x * scale - low * scale)
        else:
            result = _half_away(x * scale) - _half_away(low * scale) + np.float32(info.min)
    return _clamped(np.where(low == high, np.float32(0), result), info)


def _requantized(x: np.ndarray, low: TensorLike, high: TensorLike, info: np.iinfo) -> np.ndarray:
    """The same for values that were quantized before: zero stays zero."""
    steps = 2.0**info.bits
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    with np.errstate(all="ignore"):
        scale = steps / ((high - low) * (steps / (steps - 1)))
        result = _half_away(x * scale) - _half_away(low * scale) + info.min
    return _clamped(np.where(low == high, 0.0, result), info)


def _from_min_first(x: np.ndarray, low: TensorLike, high: TensorLike, info: np.iinfo) -> np.ndarray:
    low, high = np.asarray(low, np.float32), np.asarray(high, np.float32)
    with np.errstate(all="ignore"):
        scale = (high - low) / np.float32(2.0**info.bits - 1)
        start = _half_away(low / scale) * scale - np.float32(info.min) * scale
        result = x.astype(np.float32) * scale + start
    return np.where(low == high, low, result)


@op_function(in_graph=on_host(_quantized_specs))
def quantize(
    input: TensorLike,
    min_range: Any,
    max_range: Any,
    T: object,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """Floats as quantized integers.

    The range is made to hold zero. "MIN_COMBINED" spreads the integers over it; "MIN_FIRST" counts
    steps from its lower end, so that zero is exactly an integer; "SCALED" multiplies, so that
    zero stays zero, and widens the range to what the integers reach.

    Args:
        input: float32.
        min_range: the lower limit, a scalar, or one for each slice along `axis`.
        max_range: the upper limit.
        T: a quantized dtype.
        mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        round_mode: "HALF_AWAY_FROM_ZERO", or in mode "SCALED" also "HALF_TO_EVEN".
        narrow_range: in mode "SCALED", whether the least integer is not used.
        axis: the axis along which each slice has its own limits; None for one pair of limits.
        ensure_minimum_range: how wide the range is at least, as a part of its larger limit or 1.

    Returns:
        `output`, of dtype `T`, and `output_min` and `output_max`, the range that was used.

    Raises:
        tf.errors.InvalidArgumentError: if the limits do not rise or do not fit, or modes do not.

    >>> q = tf.quantization.quantize([-1.0, 0.0, 0.5, 2.0], -1.0, 2.0, tf.quint8)
    >>> q.output.numpy(), float(q.output_max)
    (array([  0,  85, 128, 255], dtype=uint8), 2.0)
    """
    op = "QuantizeV2"
    target = dtypes.as_dtype(T)
    if not target.is_quantized:
        _core.refuse_attr("T", target, _QUANTIZED, op)
    _check_mode(mode, op)
    if round_mode not in _ROUND_MODES:
        raise invalid_argument(f"Round mode must be one of {_ROUND_MODES} [Op:{op}]")
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid_argument(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}' "
            f"[Op:{op}]"
        )
    if mode == "MIN_FIRST" and axis is not None:
        raise _no_axis(op)
    x = checked(input, (dtypes.float32,), op, dtypes.float32)
    low, high, around = _limits(x, min_range, max_range, axis, op)
    if (low > high).any():
        raise invalid_argument(f"Invalid range: input_min {low} > input_max {high} [Op:{op}]")
    one = np.float32(1)
    least_width = np.maximum(one, np.maximum(np.abs(low), np.abs(high)))
    least_width = least_width * np.float32(ensure_minimum_range)
    low = np.minimum(np.float32(0), low)
    high = np.maximum(np.float32(0), np.maximum(high, low + least_width))
    info, array = _integers(target), np.asarray(x)
    least, most = info.min + bool(narrow_range), info.max
    with np.errstate(all="ignore"):
        if mode == "SCALED":
            scale = _scale(low, high, least, most)
            low, high = np.float32(least) / scale, np.float32(most) / scale
            fitting = np.clip(array, low.reshape(around), high.reshape(around))
            rounding = np.rint if round_mode == "HALF_TO_EVEN" else _half_away
            values = _clamped(rounding(fitting * scale.reshape(around)), info)
        else:
            bottom, top = low.reshape(around), high.reshape(around)
            if mode == "MIN_FIRST":
                values = _to_min_first(array, bottom, top, info)
            else:
                scale = np.float32(2.0**info.bits - 1) / (top - bottom)
                steps = (np.clip(array, bottom, top) - bottom) * scale
                if info.min < 0:
                    steps = _half_away(steps - np.float32(2.0 ** (info.bits - 1)))
                else:
                    steps = np.floor(steps + np.float32(0.5))
                values = _clamped(steps, info)
    return QuantizeV2(
        _core.convert(values.reshape(array.shape), target, None),
        *(_core.as_tensor(np.asarray(v, np.float32)) for v in (low, high)),
    )


@op_function(in_graph=on_host(_floats_spec))
def dequantize(
    input: TensorLike,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """The floats that quantized integers represent.

    Args:
        input: of a quantized dtype.
        min_range: the lower limit that `quantize` returned.
        max_range: the upper limit.
        mode: the mode of `quantize`.
        axis: the axis along which each slice has its own limits; None for one pair of limits.
        narrow_range: what it was for `quantize`.
        dtype: of the result, float32 or bfloat16.

    Raises:
        tf.errors.InvalidArgumentError: if the input is not quantized or the limits do not fit.

    >>> q = tf.quantization.quantize([-1.0, 0.0, 2.0], -1.0, 2.0, tf.quint8)
    >>> tf.quantization.dequantize(*q).numpy()
    array([-1.,  0.,  2.], dtype=float32)
    """
    op = "Dequantize"
    x = _core.as_tensor(input)
    result = dtypes.as_dtype(dtype)
    if not x.dtype.is_quantized:
        _core.refuse_attr("T", x.dtype, _QUANTIZED, op)
    if result not in (dtypes.float32, dtypes.bfloat16):
        raise invalid_argument(
            f"Output type must be bfloat16 or float, is '{result.name}' [Op:{op}]"
        )
    _check_mode(mode, op)
    if mode == "MIN_FIRST" and axis is not None:
        raise _no_axis(op)
    low, high, around = _limits(x, min_range, max_range, axis, op)
    low, high = low.reshape(around), high.reshape(around)
    info, array = _integers(x.dtype), np.asarray(x)
    with np.errstate(all="ignore"):
        if mode == "MIN_COMBINED":
            scale = (high - low) / np.float32(2.0**info.bits - 1)
            half = np.float32(2.0 ** (info.bits - 1) if info.min < 0 else 0)
            values = (array.astype(np.float32) + half) * scale + low
        elif mode == "MIN_FIRST":
            values = _from_min_first(array, low, high, info)
        else:
            least = info.min + bool(narrow_range)
            scale = high / np.float32(info.max)
            if info.min < 0:
                scale = np.maximum(low / np.float32(least), scale)
            values = array.astype(np.float32) * scale
    floats = _core.as_tensor(values.astype(np.float32).reshape(array.shape))
    return _core.ops.cast(floats, result)


@composed_op(
    "QuantizedConcat",
    concat_dim=Input("int32"),
    values=Input(variadic=True),
    input_mins=Input("float32", variadic=True),
    input_maxes=Input("float32", variadic=True),
    in_graph=on_host(_joined_specs),
)
def quantized_concat(
    concat_dim: Any, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None
) -> QuantizedConcat:
    """Quantized tensors one after the other, in a range that holds those of all.

    Args:
        concat_dim: the axis, a scalar.
        values: tensors of one quantized dtype, whose shapes agree but along the axis.
        input_mins: for each tensor, the value of its least integer.
        input_maxes: for each tensor, the value of its largest integer.

    Returns:
        `output`, and `output_min` and `output_max`, its range.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes, shapes or counts of limits do not match.

    >>> a = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
    >>> b = tf.quantization.quantize([0.0, 2.0], 0.0, 2.0, tf.quint8)
    >>> tf.quantization.quantized_concat(
    ...     0, [a.output, b.output], [a.output_min, b.output_min], [a.output_max, b.output_max]
    ... ).output.numpy()
    array([  0, 128,   0, 255], dtype=uint8)
    """
    op = "QuantizedConcat"
    parts = [_core.as_tensor(value) for value in values]
    axis = int(_core.convert(concat_dim, dtypes.int32, None))
    if not parts or not len(parts) == len(input_mins) == len(input_maxes):
        raise invalid_argument(
            f"There are {len(parts)} values, {len(input_mins)} lower and {len(input_maxes)} upper "
            f"limits; there must be as many of each [Op:{op}]"
        )
    kind = parts[0].dtype
    if not kind.is_quantized:
        raise errors.NotFoundError._of(
            f"Could not find device for node: {op} of {kind.name} [Op:{op}]"
        )
    if not 0 <= axis < parts[0].ndim:
        raise invalid_argument(
            f"concat_dim must be within 0 and {parts[0].ndim}, the rank, got {axis} [Op:{op}]"
        )
    limits = [[np.asarray(_core.convert(v, dtypes.float32, None)) for v in vs]
              for vs in (input_mins, input_maxes)]  # fmt: skip
    if any(limit.size != 1 for ends in limits for limit in ends):
        raise invalid_argument(f"Every limit must be a scalar [Op:{op}]")
    lows, highs = (np.array([float(v) for v in ends], np.float32) for ends in limits)
    info = _integers(kind)
    low, high = np.minimum(np.float32(0), lows.min()), highs.max()
    if info.min < 0:
        high = np.maximum(-low, high)
        low = -high
    moved = []
    for part, own_low, own_high in zip(parts, lows, highs, strict=True):
        if (own_low, own_high) == (low, high):
            moved.append(part)
            continue
        floats = _from_min_first(np.asarray(part), own_low, own_high, info)
        moved.append(_core.convert(_requantized(floats, low, high, info), kind, None))
    return QuantizedConcat(
        _core.ops.concat(moved, axis),
        *(_core.convert(v, dtypes.float32, None) for v in (low, high)),
    )

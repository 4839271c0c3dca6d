"""Weights of 8 or 4 bits: dynamic-range quantization of layers, and training with 8-bit floats."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine.computed_weight import ComputedWeight, plain_product, without_losses
from eagerflow.keras.mixed_precision.policy import QUANTIZED, Policy
from eagerflow.util import lazy

# Imported when they are first used: one imports this module, and few programs need the other.
float8 = lazy.Module("eagerflow.keras.engine.float8")
low_rank = lazy.Module("eagerflow.keras.engine.low_rank")

_ops = _core.ops
# The bits of a value, and the greatest one, by mode.
_BITS = {"int8": 8, "int4": 4}
_GREATEST = {8: 127, 4: 7}

# What chooses layers: patterns for their names, or a function of a layer.
Filters = str | Iterable[str] | Callable[[Any], bool] | None


class QuantizedWeight(ComputedWeight):
    """A weight as integers from -127 to 127, or from -7 to 7 for 4 bits, and their scales.

    Operations accept it in place of the weight. Products, convolutions and embedding lookups
    compute with the integers; other operations dequantize the weight.

    Args:
        values: a variable of int8; of 4 bits, two neighbours along the last axis share a byte.
        scale: a vector: a scale for each row, or for each element of the last axes of `values`.
        shape: the weight's own shape.
        stored: the shape of the integers as operations read them: a matrix, or a convolution filter.
        rows: whether each row has a scale.
        bits: 8 or 4.
    """

    def __init__(
        self, values: Any, scale: Any, shape: TensorShape, stored: list[int], rows: bool, bits: int
    ) -> None:
        super().__init__(shape, dtypes.float32)
        self.values, self.scale = values, scale
        self._stored, self._rows, self._bits = stored, rows, bits

    def tensor(self) -> Any:
        """The weight as a tensor of floats."""
        count = math.prod(self.scale.shape)
        flat = [count, -1] if self._rows else [-1, count]
        scale = _ops.reshape(self.scale, [-1, 1] if self._rows else [1, -1])
        integers = _ops.cast(self._unpacked(self.values), dtypes.float32)
        floats = _ops.multiply(_ops.reshape(integers, flat), scale)
        return _ops.reshape(floats, self.shape.as_list())

    def rounded(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What `values` and `scale` hold for another weight of the same kind."""
        return _rounded(weight, math.prod(self.scale.shape), self._rows, self._stored, self._bits)

    def _unpacked(self, values: Any) -> Any:
        """Rows of `values` as integers."""
        if self._bits == 8:
            return values
        low = _ops.right_shift(_ops.left_shift(values, 4), 4)  # extends the sign
        pairs = _ops.stack([low, _ops.right_shift(values, 4)], -1)
        last = self._stored[-1]
        sizes = values._sizes() if isinstance(values, _core.Tensor) else values.shape.as_list()
        return _ops.reshape(pairs, [*sizes[:-1], 2 * sizes[-1]])[..., :last]

    def _matmul(self, args: tuple) -> _core.Tensor:
        if not plain_product(args, self) or not _is_float(args[0]) or self._rows:
            return NotImplemented
        return _ops.int8_matmul(args[0], self._unpacked(self.values), self.scale)

    def _conv2d(self, args: tuple) -> Any:
        return self._convolved(_ops.int8_conv2d, args)

    def _depthwise_conv2d(self, args: tuple) -> Any:
        return self._convolved(_ops.int8_depthwise_conv2d, args)

    def _convolved(self, function: Callable[..., _core.Tensor], args: tuple) -> Any:
        if len(args) != 7 or args[1] is not self or args[6] != "NHWC" or not _is_float(args[0]):
            return NotImplemented
        return function(args[0], self._unpacked(self.values), self.scale, *args[2:])

    def _gather(self, args: tuple) -> Any:
        if args[0] is not self or not self._rows or any(args[2:]):
            return NotImplemented
        rows = self._unpacked(_ops.gather(self.values, args[1], 0, 0))
        scale = _ops.expand_dims(_ops.gather(self.scale, args[1], 0, 0), -1)
        return _ops.multiply(_ops.cast(rows, dtypes.float32), scale)

    def _reshape(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self:
            return NotImplemented
        return self._as(args[1])

    def _expand_dims(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self or args[1] != 0:
            return NotImplemented
        return self._as([1, *self.shape.as_list()])

    def _as(self, shape: TensorShape) -> Any:
        """The same weight in the shape of the integers."""
        if list(shape) != self._stored:
            return NotImplemented
        own = TensorShape(self._stored)
        return QuantizedWeight(self.values, self.scale, own, self._stored, self._rows, self._bits)

    _functions: ClassVar[dict[Any, Any]] = {
        _ops.matmul: _matmul,
        _ops.conv2d: _conv2d,
        _ops.depthwise_conv2d: _depthwise_conv2d,
        _ops.gather: _gather,
        _ops.reshape: _reshape,
        _ops.expand_dims: _expand_dims,
    }


def _is_float(value: Any) -> bool:
    return getattr(value, "dtype", None) is dtypes.float32


def _rounded(
    weight: np.ndarray, count: int, rows: bool, stored: list[int], bits: int
) -> tuple[np.ndarray, np.ndarray]:
    """The integers of an array with `count` scales, in the shape in which they are stored; the scales."""
    flat = weight.reshape([count, -1] if rows else [-1, count])
    greatest = np.max(np.abs(flat), axis=int(rows), keepdims=True)
    scale = np.where(greatest > 0, greatest / _GREATEST[bits], 1).astype(np.float32)
    values = np.rint(flat / scale).astype(np.int8).reshape(stored)
    if bits == 4:
        values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, stored[-1] % 2)])
        values = values[..., 0::2] & 15 | values[..., 1::2] << 4
    return values, scale.reshape(-1)


def quantize_weights(layer: Any) -> None:
    """Replaces the weights of a built layer that can be quantized."""
    mode = layer.dtype_policy.quantization_mode
    if mode == "float8":
        if layer._takes_float8:
            float8.hold(layer)
        return
    bits = _BITS[mode]
    for name, (shared, stored) in layer._quantizable_weights().items():
        weight = getattr(layer, name)
        adapted = isinstance(weight, low_rank.AdaptedWeight)
        if adapted:
            weight = weight.base
        if isinstance(weight, QuantizedWeight):
            continue  # cells are built once more by their layers
        shape = weight.shape
        sizes = shape.as_list()
        axes = {axis % len(sizes) for axis in shared}
        count = math.prod(size for axis, size in enumerate(sizes) if axis not in axes)
        rows, stored = shared == (-1,), stored or sizes
        integers, scales = _rounded(weight.numpy(), count, rows, stored, bits)
        prefix = weight.name.partition(":")[0]
        with name_scope(""):
            values = Variable(integers, trainable=False, name=prefix)
            scale = Variable(scales, trainable=False, name=f"{prefix}_scale")
        without_losses(layer, weight)
        quantized = QuantizedWeight(values, scale, shape, stored, rows, bits)
        if adapted:
            layer._forget(name, weight)
            low_rank.hold(layer, name, quantized)
        else:
            setattr(layer, name, quantized)
        for variable, key in ((values, name), (scale, f"{name}_scale")):
            layer._track_variable(variable, trainable=False)
            layer._note_name(key, variable)


def _check_mode(mode: str) -> None:
    modes = list(QUANTIZED.values())
    if mode not in modes:
        raise ValueError(
            f"Invalid quantization mode. Expected one of {modes}. Received: mode={mode}"
        )


def _check(layer: Any, mode: str) -> None:
    _check_mode(mode)
    policy = layer.dtype_policy
    if policy.quantization_mode is not None:
        raise ValueError(
            f"Layer '{layer.name}' is already quantized with dtype_policy='{policy.name}'. "
            f"Received: mode={mode}"
        )
    if not layer.built:
        raise ValueError(
            "Cannot quantize a layer that isn't yet built. "
            f"Layer '{layer.name}' (of type '{type(layer).__name__}') is not built yet."
        )
    if mode == "float8" and getattr(layer, "lora_enabled", False):
        raise ValueError(
            f"Layer '{layer.name}' has lora, which trains matrices beside a kernel that is frozen. "
            "float8 is for training the kernel. Quantize it to 'int8' or 'int4'."
        )
    if policy.name != "float32":
        raise ValueError(
            f"Quantization to {mode} takes layers of dtype 'float32', but layer '{layer.name}' has "
            f"the dtype policy '{policy.name}'."
        )


def quantize_layer(layer: Any, mode: str) -> None:
    """Quantizes one layer, and the inner layers that it creates with its own dtype policy."""
    _check(layer, mode)
    inner = _made_inside(layer)
    if not inner and not _is_quantizable(layer, mode):
        raise NotImplementedError(
            f"Layer {type(layer).__name__} does not have a `quantize()` method implemented."
        )
    for part in (*inner, layer):
        part._set_dtype_policy(Policy(f"{mode}_from_float32"))
        if part.built:
            quantize_weights(part)


def _is_quantizable(layer: Any, mode: str) -> bool:
    """Whether a layer has weights of its own that can be quantized."""
    return bool(layer._takes_float8 if mode == "float8" else layer._quantizable_weights())


def _made_inside(layer: Any) -> list[Any]:
    """The layers inside that have the policy of the layer."""
    if not layer._passes_dtype_policy:
        return []
    return list(layer._flatten_layers(include_self=False))


def quantize_model(model: Any, mode: str, filters: Filters) -> None:
    """Quantizes the layers of a model that can be, and that `filters` choose."""
    accepted = _chooser(filters)
    _check_mode(mode)
    if not model.built:
        raise ValueError(
            "The model must be built first before calling `quantize()`. Call it with some inputs."
        )
    layers = list(model._flatten_layers(include_self=False))
    inside = {id(part) for layer in layers for part in _made_inside(layer)}
    for layer in layers:
        if id(layer) in inside or not layer.built:
            continue
        policy = layer._dtype_policy
        if policy.quantization_mode or policy.name != "float32" or not accepted(layer):
            continue
        if _is_quantizable(layer, mode) or any(
            _is_quantizable(part, mode) for part in _made_inside(layer)
        ):
            quantize_layer(layer, mode)


def _chooser(filters: Filters) -> Callable[..., bool]:
    if filters is None:
        return lambda layer: True
    if callable(filters):
        return filters
    if isinstance(filters, str):
        filters = [filters]
    if not isinstance(filters, list | tuple):
        raise ValueError(
            "The `filters` argument must be a regex string, a list of regex strings, or a "
            f"callable. Received: {type(filters)}"
        )
    patterns = [re.compile(pattern) for pattern in filters]
    return lambda layer: any(pattern.search(layer.name) for pattern in patterns)

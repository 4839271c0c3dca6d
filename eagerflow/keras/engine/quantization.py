"""Weights of int8: dynamic-range quantization of layers, for inference."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras.mixed_precision.policy import Policy

_ops = _core.ops
_GREATEST = 127

# What chooses layers: patterns for their names, or a function of a layer.
Filters = str | Iterable[str] | Callable[[Any], bool] | None


class QuantizedWeight:
    """A weight as integers from -127 to 127, and their scales.

    Operations accept it in place of the weight. Products, convolutions and embedding lookups
    compute with the integers; other operations dequantize the weight.
    """

    def __init__(self, values: Any, scale: Any, shape: TensorShape, rows: bool) -> None:
        """Makes a weight.

        Args:
            values: the int8 values, in the shape that operations read: a matrix, or a convolution filter.
            scale: a vector: a scale for each row, or for each element of the last axes of `values`.
            shape: the weight's own shape.
            rows: whether each row has a scale.
        """
        self.values, self.scale, self.shape, self._rows = values, scale, shape, rows

    dtype = dtypes.float32

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def dequantized(self) -> _core.Tensor:
        """The weight as a tensor of floats."""
        numbers = _ops.cast(self.values, dtypes.float32)
        count = math.prod(self.scale.shape)
        flat = [count, -1] if self._rows else [-1, count]
        scale = _ops.reshape(self.scale, [-1, 1] if self._rows else [1, -1])
        floats = _ops.multiply(_ops.reshape(numbers, flat), scale)
        return _ops.reshape(floats, self.shape.as_list())

    def numpy(self) -> np.ndarray:
        """The weight as an array of floats."""
        return self.dequantized().numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self.dequantized()

    def __repr__(self) -> str:
        return f"<QuantizedWeight shape={self.shape.as_list()}, numpy=\n{self.numpy()}>"

    def __op_function__(self, function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        if not kwargs:
            run = _FUNCTIONS.get(function)
            result = NotImplemented if run is None else run(self, args)
            if result is not NotImplemented:
                return result
        args = tuple(_as_floats(value) for value in args)
        return function(*args, **{name: _as_floats(value) for name, value in kwargs.items()})

    def _matmul(self, args: tuple) -> _core.Tensor:
        if len(args) != 2 or args[1] is not self or not _is_float(args[0]) or self.ndim != 2:
            return NotImplemented
        return NotImplemented if self._rows else _ops.int8_matmul(args[0], self.values, self.scale)

    def _conv2d(self, args: tuple) -> Any:
        return self._convolved(_ops.int8_conv2d, args)

    def _depthwise_conv2d(self, args: tuple) -> Any:
        return self._convolved(_ops.int8_depthwise_conv2d, args)

    def _convolved(self, function: Callable[..., _core.Tensor], args: tuple) -> Any:
        if len(args) != 7 or args[1] is not self or args[6] != "NHWC" or not _is_float(args[0]):
            return NotImplemented
        return function(args[0], self.values, self.scale, *args[2:])

    def _gather(self, args: tuple) -> Any:
        if args[0] is not self or not self._rows or any(args[2:]):
            return NotImplemented
        rows = _ops.cast(_ops.gather(self.values, args[1], 0, 0), dtypes.float32)
        scale = _ops.expand_dims(_ops.gather(self.scale, args[1], 0, 0), -1)
        return _ops.multiply(rows, scale)

    def _reshape(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self:
            return NotImplemented
        return self._as(args[1])

    def _expand_dims(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self or args[1] != 0:
            return NotImplemented
        return self._as([1, *self.shape.as_list()])

    def _as(self, shape: TensorShape) -> Any:
        """The same weight in the shape of the bytes."""
        if list(shape) != self.values.shape.as_list():
            return NotImplemented
        return QuantizedWeight(self.values, self.scale, self.values.shape, self._rows)


_FUNCTIONS = {
    _ops.matmul: QuantizedWeight._matmul,
    _ops.conv2d: QuantizedWeight._conv2d,
    _ops.depthwise_conv2d: QuantizedWeight._depthwise_conv2d,
    _ops.gather: QuantizedWeight._gather,
    _ops.reshape: QuantizedWeight._reshape,
    _ops.expand_dims: QuantizedWeight._expand_dims,
}


def _is_float(value: Any) -> bool:
    return getattr(value, "dtype", None) is dtypes.float32


def _as_floats(value: Any) -> Any:
    if isinstance(value, QuantizedWeight):
        return value.dequantized()
    if isinstance(value, list | tuple):
        return type(value)(_as_floats(item) for item in value)
    return value


def _quantized(weight: Any, shared: tuple[int, ...], stored: list[int]) -> tuple[Any, Any]:
    """The int8 values and the scales of an array; values along the axes `shared` share a scale."""
    greatest = np.max(np.abs(weight), axis=shared, keepdims=True)
    scale = np.where(greatest > 0, greatest / _GREATEST, 1).astype(np.float32)
    values = np.rint(weight / scale).astype(np.int8)
    return values.reshape(stored), scale.reshape(-1)


def quantize_weights(layer: Any) -> None:
    """Replaces the weights of a built layer that can be of bytes."""
    for name, (shared, stored) in layer._quantizable_weights().items():
        weight = getattr(layer, name)
        if isinstance(weight, QuantizedWeight):
            continue  # cells are built once more by their layers
        shape = weight.shape
        numbers, scales = _quantized(weight.numpy(), shared, stored or shape.as_list())
        prefix = weight.name.partition(":")[0]
        with name_scope(""):
            values = Variable(numbers, trainable=False, name=prefix)
            scale = Variable(scales, trainable=False, name=f"{prefix}_scale")
        losses = layer.__dict__.get("_callable_losses")
        if losses:
            losses[:] = [loss for loss in losses if getattr(loss, "variable", None) is not weight]
        setattr(layer, name, QuantizedWeight(values, scale, shape, shared == (-1,)))
        for variable, key in ((values, name), (scale, f"{name}_scale")):
            layer._track_variable(variable, trainable=False)
            layer._note_name(key, variable)


def _check(layer: Any, mode: str) -> None:
    if mode != "int8":
        raise ValueError(f"Invalid quantization mode. Expected 'int8'. Received: mode={mode}")
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
    if policy.name != "float32":
        raise ValueError(
            f"Quantization to int8 takes layers of dtype 'float32', but layer '{layer.name}' has "
            f"the dtype policy '{policy.name}'."
        )


def quantize_layer(layer: Any, mode: str) -> None:
    """Quantizes one layer, and the inner layers that it creates with its own dtype policy."""
    _check(layer, mode)
    inner = _made_inside(layer)
    if not inner and not layer._quantizable_weights():
        raise NotImplementedError(
            f"Layer {type(layer).__name__} does not have a `quantize()` method implemented."
        )
    for part in (*inner, layer):
        if part.built:
            quantize_weights(part)
        part._set_dtype_policy(Policy(f"{mode}_from_float32"))


def _made_inside(layer: Any) -> list[Any]:
    """The layers inside that have the policy of the layer."""
    if not layer._passes_dtype_policy:
        return []
    return list(layer._flatten_layers(include_self=False))


def quantize_model(model: Any, mode: str, filters: Filters) -> None:
    """Quantizes the layers of a model that can be, and that `filters` choose."""
    accepted = _chooser(filters)
    if mode != "int8":
        raise ValueError(f"Invalid quantization mode. Expected 'int8'. Received: mode={mode}")
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
        if layer._quantizable_weights() or _made_inside(layer):
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

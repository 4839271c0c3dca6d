"""Making tensors from Python and NumPy values, and casting them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import WeakTensors
from eagerflow.util import lazy

_ops = _core.ops
Tensor = _core.Tensor
_cast = _ops.cast
_EagerTensor, _SymbolicTensor = _core.EagerTensor, _core.SymbolicTensor
# It imports this module.
variable = lazy.Module("eagerflow.framework.variable")


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor with a value.

    Args:
        value: a scalar, a string, a nested list or an array.
        dtype: the element type; by default int32 for integers, float32 for floats, and that of an
            array. A value that the type cannot hold is an error.
        shape: the shape; a single value fills it, other values must have as many elements.

    Raises:
        TypeError: if the value does not fit `dtype` or `shape`.
        ValueError: if the value has no regular shape, or is of a type that cannot be converted.

    >>> tf.constant([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    >>> tf.constant(0.5, shape=[2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
        if isinstance(value, Tensor) and value.dtype is not dtype:
            converted = WeakTensors.converted(value, dtype) if WeakTensors.exist else None
            if converted is not None:
                return converted if shape is None else _in_shape(converted, value, shape)
            raise TypeError(
                f"Expected tensor {value} with dtype {dtype!r}, but got dtype {value.dtype!r}."
            )
    made = _core.constant(value, dtype)
    graph = _core.building()
    if graph is None and shape is None:
        return made
    tensor = made if graph is None else graph.constant(made, name or "Const")
    if shape is not None:
        tensor = _in_shape(tensor, value, shape)
    return _core.weakened(tensor) if type(made) is _core.EagerWeakTensor else tensor


def _in_shape(tensor: Tensor, value: Any, shape: Any) -> Tensor:
    """Reshapes a constant to the requested shape, which a single element fills."""
    shape = TensorShape(shape)
    size = shape.num_elements()
    if size is None:
        raise ValueError(f"The shape of a constant must be fully defined, got {shape}.")
    if tensor._shape_tuple() == shape._dims:
        return tensor
    if tensor._size == size:
        return _ops.reshape(tensor, shape)
    if tensor._size == 1:
        return _ops.broadcast_to(_ops.reshape(tensor, []), shape)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {tensor.numpy()} "
        f"(converted from {value}) has {tensor._size} elements, but got `shape` "
        f"{shape} with {size} elements)."
    )


def padded(tensor: Tensor, shape: Any) -> Tensor:
    """The tensor in a shape with at least as many elements: its last element is repeated."""
    sizes = TensorShape(shape)
    missing = (sizes.num_elements() or 0) - tensor._size
    if tensor._size > 1 and missing > 0:
        flat = _ops.reshape(tensor, [-1])
        tensor = _ops.concat([flat, _ops.broadcast_to(flat[-1:], [missing])], 0)
    return constant(tensor, None, sizes)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """The value as a tensor; a tensor is returned as it is.

    Args:
        value: a tensor, variable, scalar, string, array, nested list (which may hold tensors), or
            an object of a registered type.
        dtype: the element type that the result must have.
        dtype_hint: the element type to prefer if `dtype` is None; ignored where it does not fit.

    Raises:
        TypeError: if the value does not fit `dtype`.
        ValueError: if a tensor has another dtype, or the type cannot be converted.

    >>> tf.convert_to_tensor([tf.constant(1.0), 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    tensor = _core.convert(value, dtype, dtype_hint)
    graph = _core.building()
    if graph is not None and not (tensor is value or _core.is_symbolic(tensor)):
        tensor = graph.constant(tensor, name or "Const")
    return tensor


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable, priority: int = 100
) -> None:
    """Lets instances of a class be used wherever a tensor can.

    Args:
        base_type: the class, or a tuple of classes.
        conversion_func: called with `(value, dtype=None, name=None, as_ref=False)`; returns a
            tensor, or `NotImplemented` to let another function try.
        priority: functions with lower values are tried first.

    Raises:
        TypeError: if `conversion_func` cannot be called, or `base_type` is one of Python's or
            NumPy's own types.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> def convert(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.degrees, dtype)
    >>> tf.register_tensor_conversion_function(Celsius, convert)
    >>> tf.constant(1.0) + Celsius(20.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=21.0>
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not classes or not all(isinstance(cls, type) for cls in classes):
        raise TypeError("Argument `base_type` must be a type or a tuple of types.")
    if any(issubclass(cls, int | float | np.generic | np.ndarray) for cls in classes):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(conversion_func):
        raise TypeError(
            "Argument `conversion_func` must be callable. "
            f"Received {conversion_func} which is not callable."
        )
    _core.register_conversion(base_type, conversion_func, priority)


@op_function(elementwise=1)
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Converts the elements to another type.

    Floats are truncated towards zero on their way to integers, integers keep their low bits (so that
    negative floats become large unsigned integers, of every size), everything but zero is true, and
    complex numbers lose their imaginary part.

    Args:
        x: a tensor or a value that can be converted to one, or a `tf.IndexedSlices`.
        dtype: the new element type.

    Returns:
        A tensor of the same shape: `x` itself if it is a tensor whose `dtype` this is.

    Raises:
        TypeError: if `dtype` is not an element type.
        tf.errors.UnimplementedError: from or to strings.

    >>> tf.cast([1.9, -1.9], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    kind = type(x)
    if kind is _EagerTensor or kind is _SymbolicTensor:  # Weak tensors are always cast.
        return x if x.dtype is dtype else _cast(x, dtype)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(_cast(x.values, dtype), x.indices, x.dense_shape)
    # Whoever keeps the result sees later assignments.
    if kind is variable.Variable and x.dtype is dtypes.as_dtype(dtype):
        return x
    if kind is int or kind is list or kind is tuple:
        return _cast_plain(x, dtype)
    return _cast(x, dtype)


def _cast_plain(x: Tensor, dtype: Any) -> Tensor:
    """Casts Python values: integers are converted directly, so that those out of range are seen."""
    target = dtypes.as_dtype(dtype)
    if target.is_integer and not target.is_quantized:
        try:
            return _core.convert(x, target, None)
        except (TypeError, ValueError):
            pass  # not integers
    return _cast(x, target)


@op_function(elementwise=1)
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Converts the elements to another type; values out of range become the nearest limit.

    Args:
        value: a tensor or a value that can be converted to one.
        dtype: the new element type.

    >>> tf.saturate_cast([300.0, -5.0], tf.uint8).numpy()
    array([255,   0], dtype=uint8)
    """
    value = _core.as_tensor(value)
    source, target = value.dtype, dtypes.as_dtype(dtype)
    if target.is_bool:
        raise TypeError("Booleans have no limits to saturate at: use tf.cast, or compare")
    if target.is_complex or source.is_complex or source.is_bool:
        if source.is_complex and not target.is_complex:
            return saturate_cast(_ops.real(value), target)
        return _ops.cast(value, target)
    low = high = None
    if source.is_floating:
        # The limits nearest to the target's that the source can hold.
        as_source = source.as_numpy_dtype
        with np.errstate(over="ignore"):
            if float(source.min) < float(target.min):
                low = as_source(float(target.min))
                if float(low) < float(target.min):
                    low = np.nextafter(low, as_source(0))
            if float(source.max) > float(target.max):
                high = as_source(float(target.max))
                if int(float(high)) > int(target.max):
                    high = np.nextafter(high, as_source(0))
        if target.is_integer and high is None:
            return _with_infinities(value, target)
        if target.is_integer and low is None:
            low = as_source(source.min)
    elif target.is_integer:
        low = target.min if source.min < target.min else None
        high = target.max if source.max > target.max else None
    elif math.isfinite(float(target.max)):
        low = int(target.min) if source.min < float(target.min) else None
        high = int(target.max) if source.max > float(target.max) else None
    if low is not None:
        value = _ops.maximum(value, _core.convert(low, source, None))
    if high is not None:
        value = _ops.minimum(value, _core.convert(high, source, None))
    return _ops.cast(value, target)


def _with_infinities(value: Tensor, target: dtypes.DType) -> Tensor:
    """Casts values to integers with larger limits, which infinities become."""
    source = value.dtype
    least = _core.convert(max(float(source.min), float(target.min)), source, None)
    finite = _ops.minimum(_ops.maximum(value, least), source.max)
    result = _ops.cast(finite, target)
    most = _core.convert(target.max, target, None)
    result = _ops.select(_ops.greater(value, finite), most, result)
    return _ops.select(_ops.less(value, finite), _core.convert(target.min, target, None), result)


@op_function(elementwise=2)
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers from their parts.

    Args:
        real: float32 or float64.
        imag: of the same type and a shape that broadcasts with that of `real`.

    Raises:
        TypeError: if the types differ or are not float32 or float64.

    >>> tf.complex([1.0, 2.0], [0.0, 1.0]).numpy()
    array([1.+0.j, 2.+1.j], dtype=complex64)
    """
    real = _core.as_tensor(real)
    imag = _core.as_tensor(imag)
    if real.dtype is not imag.dtype or real.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "The `real` and `imag` components have incorrect types: "
            f"{real.dtype.name} {imag.dtype.name}. They must be consistent, and one of "
            f"{[dtypes.float32, dtypes.float64]}"
        )
    return _ops.complex(real, imag)


def zero_of(dtype: dtypes.DType) -> Any:
    """The value of absent elements: zero, False or the empty string."""
    return _core.convert({"string": "", "bool": False}.get(dtype.name, 0), dtype, None)


def integers_of(value: Tensor) -> Tensor:
    """The integers that represent a tensor of quantized values."""
    return _ops.bitcast(value, dtypes.as_dtype(value.dtype.as_numpy_dtype[0]))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as a NumPy array, if it is known; other values as they are.

    While a function is traced, the values of constants are known, and values computed from them.

    Args:
        tensor: a tensor.
        partial: whether an integer vector may be known in parts: an array of objects, with None for
            unknown elements.

    Returns:
        The value; None where it is unknown, and for variables and composite values, which have no
        constant value.
    """
    if isinstance(tensor, _core.Variable | CompositeTensor):
        return None
    if not isinstance(tensor, Tensor):
        return tensor
    known = _core.static_value(tensor)
    if known is not None:
        return known.numpy()
    elements = _core.partial_value(tensor) if partial else None
    return None if elements is None else np.array(elements, object).reshape(tensor.shape)

"""NumPy's behavior for tensors themselves: methods, operators of mixed dtypes, indexing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental import numpy as tnp
from eagerflow.experimental.numpy import dtypes, shapes, weak
from eagerflow.experimental.numpy.arrays import asarray

_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "mod",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
_REFLECTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
_enabled = False
_plain_getitem = tf.Tensor.__getitem__


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives all tensors NumPy's methods, operators that promote dtypes, and NumPy's indexing.

    There is no way back in this process.

    Args:
        prefer_float32: whether floats without a dtype are float32 and not float64.
        dtype_conversion_mode: "legacy" for NumPy's rules of promotion; "all" for TensorFlow's, by
            which Python's numbers, and the weak tensors that `tf.constant` makes of them, take the
            other operand's dtype where that can hold them; "safe" for those of them that keep all
            values of both operands. "off" leaves the operators as they are.

    Raises:
        ValueError: for another mode.

    >>> tf.experimental.numpy.experimental_enable_numpy_behavior  # doctest: +ELLIPSIS
    <function experimental_enable_numpy_behavior at ...>
    """
    global _enabled
    if dtype_conversion_mode not in ("legacy", "all", "safe", "off"):
        raise ValueError(
            'dtype_conversion_mode must be "legacy", "all", "safe" or "off", got '
            f"{dtype_conversion_mode!r}"
        )
    dtypes.prefer_float32(prefer_float32)
    if _enabled:
        return
    _enabled = True
    for kind in (tf.Tensor, tf.Variable):
        for name, value in _MEMBERS.items():
            setattr(kind, name, value)
        setattr(kind, "__getitem__", _indexing(kind.__getitem__))  # noqa: B010
        if dtype_conversion_mode != "legacy":
            continue
        for operator, function in _OPERATORS.items():
            _promote(kind, f"__{operator}__", getattr(tnp, function), False)
            if operator in _REFLECTED:
                _promote(kind, f"__r{operator}__", getattr(tnp, function), True)
        _promote(kind, "__matmul__", tnp.matmul, False)
        _promote(kind, "__rmatmul__", tnp.matmul, True)
    if dtype_conversion_mode in ("all", "safe"):
        weak.enable(dtype_conversion_mode == "safe")


def _promote(kind: type, name: str, function: Callable, reflected: bool) -> None:
    """Lets operators of two dtypes, or of a tensor and a number, follow NumPy's rules."""
    plain = getattr(kind, name)

    def operator(self: Any, other: object) -> Any:
        if getattr(other, "dtype", None) is self.dtype and name not in _INTEGER_MATTERS:
            return plain(self, other)
        try:
            return function(other, self) if reflected else function(self, other)
        except (TypeError, ValueError):
            return plain(self, other)

    operator.__name__ = name
    setattr(kind, name, operator)


# With two integers these differ from TensorFlow's operators, or take vectors.
_INTEGER_MATTERS = ("__matmul__", "__rmatmul__")


def _indexing(plain: Callable) -> Callable:
    def getitem(self: Any, key: Any) -> Any:
        # A list with anything but numbers is treated as a tuple, as NumPy once did.
        listed = isinstance(key, list) and any(map(_is_no_number, key))
        parts = tuple(key) if listed else key if isinstance(key, tuple) else (key,)
        if not any(_is_array(part) for part in parts):
            return plain(self, parts if listed else key)
        return _advanced(tf.convert_to_tensor(self), parts)

    return getitem


def _is_no_number(part: object) -> bool:
    return part is None or part is Ellipsis or isinstance(part, slice | list | tuple | np.ndarray)


def _is_array(part: object) -> bool:
    """Whether a part of an index is an array of indices."""
    if isinstance(part, list | tuple):
        return True
    return isinstance(part, np.ndarray | tf.Tensor) and len(part.shape) > 0


def _advanced(value: tf.Tensor, parts: tuple) -> tf.Tensor:
    """Elements by NumPy's rules, where some parts of the index are arrays."""
    taken = [_index_tensors(part) for part in parts]
    consumed = sum(
        len(tensors) if tensors is not None else part is not None and part is not Ellipsis
        for part, tensors in zip(parts, taken, strict=True)
    )
    if consumed > len(value.shape):
        raise IndexError(
            f"too many indices: the tensor is {len(value.shape)}-dimensional, but {consumed} were "
            "indexed"
        )
    # Slices and new axes are applied first; the axes of arrays stay whole.
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[tf.Tensor] = []
    gaps = False  # whether there is anything between two arrays
    for part, tensors in zip(parts, taken, strict=True):
        if tensors is not None:
            gaps = gaps or (bool(axes) and axes[-1] != len(basic) - 1)
            axes += range(len(basic), len(basic) + len(tensors))
            basic += [slice(None)] * len(tensors)
            arrays += tensors
        elif part is Ellipsis:
            basic += [slice(None)] * (len(value.shape) - consumed)
        else:
            basic.append(part)
    value = _plain_getitem(value, tuple(basic))
    sizes = tf.shape(value, tf.int64)
    arrays = [tf.where(i < 0, i + sizes[axis], i) for axis, i in zip(axes, arrays, strict=True)]
    shape = functools.reduce(tf.broadcast_dynamic_shape, [tf.shape(i, tf.int64) for i in arrays])
    indices = tf.stack([tf.broadcast_to(i, shape) for i in arrays], -1)
    rest = [axis for axis in range(len(value.shape)) if axis not in axes]
    result = tf.gather_nd(tf.transpose(value, axes + rest), indices)
    if gaps or not axes[0]:
        return result
    count = len(indices.shape) - 1  # the axes of the arrays go where the first of theirs was
    order = list(range(count, count + axes[0])) + list(range(count))
    return tf.transpose(result, order + list(range(count + axes[0], len(result.shape))))


def _index_tensors(part: object) -> list[tf.Tensor] | None:
    """A part as tensors of indices, one for each indexed axis; None for slices and new axes."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return None
    tensor = tf.convert_to_tensor(part) if not isinstance(part, list | tuple) or part else None
    if tensor is None:
        return [tf.zeros([0], tf.int64)]
    if tensor.dtype == tf.bool:
        return tf.unstack(tf.where(tensor), axis=1)
    if not tensor.dtype.is_integer:
        raise IndexError(f"arrays used as indices must be of integer or boolean type, got {part!r}")
    return [tf.cast(tensor, tf.int64)]


def _methods() -> dict[str, Any]:
    def reshape(self: Any, *newshape: Any, order: str = "C") -> tf.Tensor:
        return shapes.reshape(self, newshape[0] if len(newshape) == 1 else newshape, order)

    def transpose(self: Any, *axes: Any) -> tf.Tensor:
        axes = axes[0] if len(axes) == 1 else axes
        return tnp.transpose(self, axes or None)

    def clip(self: Any, a_min: Any = None, a_max: Any = None) -> tf.Tensor:
        return tnp.clip(self, a_min, a_max)

    def astype(self: Any, dtype: Any) -> tf.Tensor:
        return asarray(tf.convert_to_tensor(self), dtype)

    def tolist(self: Any) -> Any:
        return self.numpy().tolist()

    def positive(self: Any) -> tf.Tensor:
        return tf.identity(self)

    return {
        "T": property(tnp.transpose),
        "__pos__": positive,
        "astype": astype,
        "clip": clip,
        "data": property(tf.convert_to_tensor),
        "flatten": shapes.flatten,
        "max": tnp.amax,
        "mean": tnp.mean,
        "min": tnp.amin,
        "ravel": tnp.ravel,
        "reshape": reshape,
        "size": property(shapes.size),
        "tolist": tolist,
        "transpose": transpose,
    }


_MEMBERS = _methods()

"""NumPy's behavior for tensors themselves: methods, operators of mixed dtypes, indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental import numpy as tnp
from eagerflow.experimental.numpy import dtypes, shapes
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


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives all tensors NumPy's methods, operators that promote dtypes, and NumPy's indexing.

    There is no way back in this process.

    Args:
        prefer_float32: whether floats without a dtype are float32 and not float64.
        dtype_conversion_mode: "legacy" or "all" for NumPy's rules of promotion; "off" leaves the
            operators as they are.

    Raises:
        ValueError: for another mode.

    >>> tf.experimental.numpy.experimental_enable_numpy_behavior  # doctest: +ELLIPSIS
    <function experimental_enable_numpy_behavior at ...>
    """
    global _enabled
    if dtype_conversion_mode not in ("legacy", "all", "off"):
        raise ValueError(
            f'dtype_conversion_mode must be "legacy", "all" or "off", got {dtype_conversion_mode!r}'
        )
    dtypes.prefer_float32(prefer_float32)
    if _enabled:
        return
    _enabled = True
    for kind in (tf.Tensor, tf.Variable):
        for name, value in _MEMBERS.items():
            setattr(kind, name, value)
        setattr(kind, "__getitem__", _indexing(kind.__getitem__))  # noqa: B010
        if dtype_conversion_mode == "off":
            continue
        for operator, function in _OPERATORS.items():
            _promote(kind, f"__{operator}__", getattr(tnp, function), False)
            if operator in _REFLECTED:
                _promote(kind, f"__r{operator}__", getattr(tnp, function), True)
        _promote(kind, "__matmul__", tnp.matmul, False)
        _promote(kind, "__rmatmul__", tnp.matmul, True)


def _promote(kind: type, name: str, function: Callable, reflected: bool) -> None:
    """Lets operators of two dtypes, or of a tensor and a number, follow NumPy's rules."""
    plain = getattr(kind, name)

    def operator(self: Any, other: Any) -> Any:
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
        parts = key if isinstance(key, tuple) else (key,)
        if not any(_is_list(part) for part in parts):
            return plain(self, key)
        return _advanced(tf.convert_to_tensor(self), parts)

    return getitem


def _is_list(part: Any) -> bool:
    """Whether a part of an index is an array of indices."""
    if isinstance(part, list | tuple):
        return True
    return isinstance(part, np.ndarray | tf.Tensor) and len(part.shape) > 0


def _is_basic(part: Any) -> bool:
    return part is None or part is Ellipsis or isinstance(part, int | slice)


def _advanced(value: tf.Tensor, parts: tuple) -> tf.Tensor:
    """Elements by NumPy's rules: NumPy computes their indices, by which they are gathered."""
    shape = value.shape.as_list()
    all_indices = np.arange(shapes.size(value)).reshape(shape)
    indices = all_indices[tuple(p if _is_basic(p) else np.asarray(p) for p in parts)]
    return tf.gather(tf.reshape(value, [-1]), indices)


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

    def positive(self: Any) -> Any:
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

"""NumPy's behavior for tensors themselves: methods, operators of mixed dtypes, indexing."""

from __future__ import annotations

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
        if isinstance(key, list):
            # A list with anything but numbers is treated as a tuple, as NumPy once did.
            key = tuple(key) if any(map(_is_no_number, key)) else (key,)
        return plain(self, key)

    return getitem


def _is_no_number(part: object) -> bool:
    return part is None or part is Ellipsis or isinstance(part, slice | list | tuple | np.ndarray)


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

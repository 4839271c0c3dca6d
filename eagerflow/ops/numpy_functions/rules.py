"""How NumPy's functions convert and promote their arguments, which differs between namespaces."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.sizes import sizes_in
from eagerflow.framework.type_spec import WeakTensors, weak_as
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


class Rules:
    """The conversion and promotion rules of one namespace.

    Attributes:
        index_dtype: the dtype of the indices and counts that functions return.
        computes_with_booleans: whether there is arithmetic of booleans, as in NumPy.
    """

    index_dtype: DType
    computes_with_booleans: bool

    def tensor(self, value: Any, dtype: Any = None) -> Tensor:
        """The value as a tensor, of `dtype` or of its default dtype."""
        raise NotImplementedError

    def promoted(self, *values: object) -> Sequence[Tensor]:
        """The values as tensors of the dtype that they are promoted to."""
        raise NotImplementedError

    def pair(self, x1: TensorLike, x2: TensorLike) -> Sequence[Tensor]:
        """Two values, promoted."""
        return self.promoted(x1, x2)

    def dtype(self, dtype: Any) -> DType:
        """The dtype that an argument names."""
        return dtypes.as_dtype(dtype)

    def float_dtype(self) -> DType:
        """The floating dtype that integers are converted to, and the default of new tensors."""
        raise NotImplementedError

    def sum_dtype(self, dtype: DType) -> DType:
        """The dtype of a sum or product of elements of a dtype."""
        raise NotImplementedError

    def cumulative_dtype(self, dtype: DType) -> DType:
        """The dtype of cumulative sums and products of elements of a dtype."""
        raise NotImplementedError

    def joined(self, *values: Any) -> Sequence[Tensor]:
        """The values as tensors of one dtype, as parts of one tensor."""
        return self.promoted(*values)

    def floats(self, *values: object) -> list[Tensor]:
        """The values as tensors of one floating or complex dtype."""
        return [self.as_floating(x) for x in self.joined(*values)]

    def factors(self, *values: object) -> Sequence[Tensor]:
        """The operands of a product of matrices, of one dtype."""
        return self.promoted(*values)

    def divided(self, x: Tensor) -> Tensor:
        """An operand of a division, in the dtype of the quotient."""
        return self.as_floating(x)

    def floating(self, value: TensorLike) -> Tensor:
        """The value as a tensor of a floating or complex dtype."""
        return self.as_floating(self.tensor(value))

    def as_floating(self, x: Tensor) -> Tensor:
        """The tensor itself if it is floating or complex, else converted to the default float."""
        dtype = x.dtype
        if dtype.is_floating or dtype.is_complex:
            return x
        return _ops.cast(x, self.float_dtype())

    def truth(self, value: TensorLike) -> Tensor:
        """The value as booleans: whether elements are not zero."""
        x = self.tensor(value)
        return x if x.dtype.is_bool else _ops.cast(x, dtypes.bool)


def keeps_weakness(body: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function of an array whose result is weak if that is, and no dtype is requested."""

    @functools.wraps(body)
    def keeping(rules: Rules, x: Any, *args: Any, **kwargs: Any) -> Tensor:
        if not WeakTensors.exist:
            return body(rules, x, *args, **kwargs)
        x = rules.tensor(x)
        result = body(rules, x, *args, **kwargs)
        return result if kwargs.get("dtype") is not None else weak_as(result, x)

    return keeping


def sizes(shape: Any) -> list[Any]:
    """A shape, passed as a size, a sequence or a tensor, as a list of sizes.

    Those that are known only when a graph runs are tensors.
    """
    if isinstance(shape, _core.Tensor):
        shape = sizes_in(_ops.reshape(shape, [-1]))
    if isinstance(shape, int | np.integer | np.ndarray):
        shape = np.ravel(shape)
    return [size if isinstance(size, Tensor) else int(size) for size in shape]


def axes_of(axis: Any, rank: int) -> list[int]:
    """Axes as a list of indices that are not negative; all axes for None.

    Raises:
        ValueError: if an axis is out of range.
    """
    if axis is None:
        return list(range(rank))
    axes = [int(k) for k in (axis if isinstance(axis, list | tuple) else np.ravel(axis))]
    for k in axes:
        if not -rank <= k < rank:
            raise ValueError(f"axis {k} is out of bounds for an array of rank {rank}")
    return [k % rank for k in axes]

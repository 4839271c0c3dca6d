"""Weights that are computed from variables each time they are read."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from eagerflow.framework.shapes import TensorShape


class ComputedWeight:
    """A weight that a layer computes from variables; operations accept it in place of a variable.

    Subclasses compute the weight in `tensor`. `_functions` maps operations to methods that need no
    such tensor: these get all arguments, and may return NotImplemented.

    Args:
        shape: the weight's shape.
        dtype: the weight's dtype.
    """

    _functions: ClassVar[dict[Any, Callable[..., Any]]] = {}

    def __init__(self, shape: TensorShape, dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def tensor(self) -> Any:
        """The weight as a tensor."""
        raise NotImplementedError

    def product(self, function: Callable[[Any, Any], Any], inputs: Any) -> Any:
        """A linear function of inputs and the weight."""
        return function(inputs, self.tensor())

    def numpy(self) -> np.ndarray:
        """The weight as an array."""
        return self.tensor().numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.numpy(), dtype)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self.tensor()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape.as_list()}, numpy=\n{self.numpy()}>"

    def __op_function__(self, function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        if not kwargs:
            run = self._functions.get(function)
            result = NotImplemented if run is None else run(self, args)
            if result is not NotImplemented:
                return result
        args = tuple(_as_tensors(value) for value in args)
        return function(*args, **{name: _as_tensors(value) for name, value in kwargs.items()})

    def __getitem__(self, key: Any) -> Any:
        return self.tensor()[key]

    def __add__(self, other: Any) -> Any:
        return operator.add(self.tensor(), other)

    def __sub__(self, other: Any) -> Any:
        return operator.sub(self.tensor(), other)

    def __mul__(self, other: Any) -> Any:
        return operator.mul(self.tensor(), other)

    def __truediv__(self, other: Any) -> Any:
        return operator.truediv(self.tensor(), other)

    def __pow__(self, other: Any) -> Any:
        return operator.pow(self.tensor(), other)

    def __matmul__(self, other: Any) -> Any:
        return operator.matmul(self.tensor(), other)

    def __neg__(self) -> Any:
        return operator.neg(self.tensor())


def _as_tensors(value: Any) -> Any:
    if isinstance(value, ComputedWeight):
        return value.tensor()
    if isinstance(value, list | tuple):
        return type(value)(_as_tensors(item) for item in value)
    return value


def plain_product(args: tuple, weight: Any) -> bool:
    """Whether the arguments of `matmul` are a tensor and the weight, a matrix, with no options."""
    return len(args) == 2 and args[1] is weight and weight.ndim == 2


def without_losses(layer: Any, variable: Any) -> None:
    """Drops the regularization of a weight that is not trained any more."""
    losses = layer.__dict__.get("_callable_losses")
    if losses:
        losses[:] = [loss for loss in losses if getattr(loss, "variable", None) is not variable]

"""Layers that reshape their input."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, sizes_of
from eagerflow.keras.typing import LayerOptions, Unpack
from eagerflow.ops.array import invalid_argument
from eagerflow.typing import ShapeLike

_ops = _core.ops


class Flatten(Layer):
    """Flattens each example.

    Args:
        data_format: "channels_last", or "channels_first" whose channels are moved to the end.

    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    _composite_call = "elements"

    def __init__(self, data_format: str | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)
        self._channels_first = self.data_format == "channels_first"

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        shape = inputs._sizes()
        if len(shape) < 2:
            return _ops.expand_dims(inputs, -1)
        if self._channels_first and len(shape) > 2:
            inputs = _ops.transpose(inputs, [0, *range(2, len(shape)), 1])
        return _ops.reshape(inputs, [shape[0], math.prod(shape[1:])])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        if not (sizes := sizes_of(input_shape)):
            return TensorShape([1])
        rest = sizes[1:]
        return TensorShape([sizes[0], None if None in rest else math.prod(rest)])


class Reshape(Layer):
    """Reshapes each example.

    Args:
        target_shape: the sizes without the batch's; one of them may be -1.

    Raises:
        tf.errors.InvalidArgumentError: if the element counts differ; a ValueError of symbolic tensors.

    >>> tf.keras.layers.Reshape([-1, 2])(tf.ones([3, 8])).shape
    TensorShape([3, 4, 2])
    """

    _composite_call = "elements"

    def __init__(self, target_shape: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def _sizes(self, sizes: Any) -> list[int]:
        """The target's sizes, from those of an example."""
        target = list(self.target_shape)
        if target.count(-1) > 1:
            raise ValueError(
                "There must be at most one unknown dimension in output_shape. "
                f"Received: output_shape={target}."
            )
        count = math.prod(sizes)
        known = math.prod(size for size in target if size != -1)
        if -1 in target and known and count % known == 0:
            target[target.index(-1)] = count // known
        if math.prod(target) != count:
            raise ValueError(
                "total size of new array must be unchanged, "
                f"input_shape = {list(sizes)}, output_shape = {target}"
            )
        return target

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        batch, *sizes = inputs._sizes()
        known = all(type(size) is int for size in sizes)
        try:
            target = self._sizes(sizes) if known else self.target_shape
        except ValueError as error:
            raise invalid_argument(str(error)) from None
        return _ops.reshape(inputs, [batch, *target])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        if None in sizes[1:]:
            unknown = [None if size == -1 else size for size in self.target_shape]
            return TensorShape([sizes[0], *unknown])
        return TensorShape([sizes[0], *self._sizes(sizes[1:])])


class Permute(Layer):
    """Permutes the axes of each example.

    Args:
        dims: the axes' indices, counted from 1, in their new order; the batch's axis stays first.

    Raises:
        ValueError: if `dims` is no permutation of 1, 2, ….

    >>> tf.keras.layers.Permute([2, 1])(tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])
    """

    def __init__(self, dims: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                "`dims` must be consecutive and start from 1. "
                f"Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)
        self._order = [0, *self.dims]

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return _ops.transpose(inputs, self._order)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        return TensorShape([sizes[axis] for axis in self._order])


class RepeatVector(Layer):
    """Each example's vector, n times: `[batch, features]` to `[batch, n, features]`.

    Args:
        n: how often.

    Raises:
        TypeError: if `n` is no integer.

    >>> tf.keras.layers.RepeatVector(3)(tf.ones([2, 4])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, n: int, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.n = n
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return _ops.tile(_ops.expand_dims(inputs, 1), [1, self.n, 1])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        batch, features = sizes_of(input_shape)
        return TensorShape([batch, self.n, features])

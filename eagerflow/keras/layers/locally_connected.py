"""Convolutions whose filters differ at each position."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import (
    UNCHANGED,
    FunctionLayer,
    data_format_of,
    integers,
    padding_of,
    sizes_of,
    window_count,
    with_arguments_of,
    with_defaults,
)
from eagerflow.keras.typing import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Sizes,
)

_ops = _core.ops


def connections(length: int, window: int, step: int, padding: str, count: int) -> Any:
    """Which positions of an axis each window sees, `[length, count]`."""
    before = window // 2
    starts = np.arange(count) * step - (before if padding == "same" else 0)
    positions = np.arange(length)[:, np.newaxis]
    return (positions >= starts) & (positions < starts + window)


class LocallyConnected(FunctionLayer):
    """The base of locally connected layers: convolutions whose filters differ at each position.

    Args:
        filters: the number of channels of the result.
        kernel_size: the window's size: one number for all axes, or one for each.
        strides: its steps: one number for all axes, or one for each.
        padding: "valid", or "same" with an implementation other than 1.
        kernel_initializer: for the filters.
        bias_initializer: for the bias `[*positions, filters]`.
        kernel_regularizer: adds a loss for the filters.
        kernel_constraint: is applied to the filters after each step of an optimizer.
        implementation: how filters are kept: 1 for each position, 2 as a full matrix, 3 as those
            entries of the matrix that are used.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    _rank: int

    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        rank = self._rank
        self.filters = filters
        self.kernel_size = integers(kernel_size, rank, "kernel_size")
        self.strides = integers(strides, rank, "strides", allow_zero=True)
        self.padding = padding_of(padding)
        if self.padding != "valid" and implementation == 1:
            raise ValueError(
                f'Invalid border mode for LocallyConnected{rank}D (only "valid" is supported if '
                f"implementation is 1): {padding}"
            )
        if implementation not in (1, 2, 3):
            raise ValueError(f"Unrecognized implementation mode: {implementation}.")
        self.data_format = data_format_of(data_format)
        self.use_bias = use_bias
        resolve_arguments(self, locals())
        self.implementation = implementation
        self.input_spec = InputSpec(ndim=rank + 2)
        self._first = self.data_format == "channels_first"

    def build(self, input_shape: Any) -> None:
        sizes = sizes_of(input_shape)
        spatial = sizes[2:] if self._first else sizes[1:-1]
        channels = sizes[1] if self._first else sizes[-1]
        if None in spatial or channels is None:
            raise ValueError(
                f"The spatial dimensions of the inputs to a LocallyConnected{self._rank}D layer "
                f"should be fully-defined, but layer received the inputs shape {tuple(sizes)}"
            )
        counts = self._counts(spatial)
        if min(counts) <= 0:
            raise ValueError(
                "One of the dimensions in the output is <= 0 due to downsampling in "
                f"{self.name}. Consider increasing the input size. Received input shape "
                f"{tuple(sizes)} which would produce output shape with a zero or negative value "
                "in a dimension."
            )
        self._places: tuple = (spatial, counts, channels)
        self.kernel = self.add_weight(
            shape=self._kernel_shape(spatial, counts, channels),
            initializer=self.kernel_initializer,
            name="kernel",
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(*counts, self.filters),
                initializer=self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        axis = 1 if self._first else -1
        self.input_spec = InputSpec(ndim=self._rank + 2, axes={axis: channels})
        Layer.build(self, input_shape)

    def _counts(self, spatial: Any) -> list[Any]:
        return [
            window_count(size, window, self.padding, step)
            for size, window, step in zip(spatial, self.kernel_size, self.strides, strict=True)
        ]

    def _kernel_shape(self, spatial: Any, counts: Any, channels: int) -> tuple:
        if self.implementation == 1:
            return (math.prod(counts), math.prod(self.kernel_size) * channels, self.filters)
        seen = np.ones((), bool)
        for size, count, window, step in zip(
            spatial, counts, self.kernel_size, self.strides, strict=True
        ):
            one = connections(size, window, step, self.padding, count)
            seen = np.multiply.outer(seen, one)
        # [in, out] for each axis becomes all inputs' axes, then all outputs'.
        rank = self._rank
        seen = seen.transpose([*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)])
        ones = np.ones((channels, self.filters), bool)
        connected = np.multiply.outer(
            seen, ones
        )  # input positions, output positions, channels, filters
        inputs, outputs = list(range(rank)), list(range(rank, 2 * rank))
        if self._first:
            order = [2 * rank, *inputs, 2 * rank + 1, *outputs]
        else:
            order = [*inputs, 2 * rank, *outputs, 2 * rank + 1]
        connected = connected.transpose(order)
        if self.implementation == 2:
            self.__dict__["_mask"] = _core.as_tensor(connected.astype("float32"))
            return connected.shape
        size = math.prod(connected.shape[: rank + 1])
        matrix = connected.reshape(size, -1).T  # outputs by inputs
        self.__dict__["_pairs"] = _core.as_tensor(np.argwhere(matrix))
        self.__dict__["_matrix_shape"] = list(matrix.shape)
        return (int(matrix.sum()),)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        if self.implementation == 1:
            outputs = self._by_patches(inputs)
        else:
            outputs = self._by_matrix(inputs)
        if self.bias is not None:
            bias: Any = self.bias
            if self._first:
                counts = self._places[1]
                bias = _ops.reshape(bias, [1, self.filters, *counts])
            outputs = _ops.add(outputs, bias)
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def _by_patches(self, inputs: _core.Tensor) -> _core.Tensor:
        """One product of matrices for each position."""
        rank = self._rank
        _, counts, channels = self._places
        x = inputs
        if self._first:
            x = _ops.transpose(x, [0, *range(2, rank + 2), 1])
        batch = x._sizes()[0]
        parts = []
        for offset in np.ndindex(*self.kernel_size):
            ends = [
                start + (count - 1) * step + 1
                for start, count, step in zip(offset, counts, self.strides, strict=True)
            ]
            part = _ops.strided_slice(x, [0, *offset], [batch, *ends], [1, *self.strides])
            parts.append(_ops.reshape(part, [batch, math.prod(counts), channels]))
        patches = _ops.stack(parts, 3 if self._first else 2)
        patches = _ops.reshape(patches, [batch, math.prod(counts), len(parts) * channels])
        result = _ops.matmul(_ops.transpose(patches, [1, 0, 2]), self.kernel)
        if self._first:
            return _ops.reshape(_ops.transpose(result, [1, 2, 0]), [batch, self.filters, *counts])
        return _ops.reshape(_ops.transpose(result, [1, 0, 2]), [batch, *counts, self.filters])

    def _by_matrix(self, inputs: _core.Tensor) -> _core.Tensor:
        """One product with a matrix that has zeros where a window does not see a position."""
        _, counts, _ = self._places
        shape = inputs._sizes()
        size = math.prod(shape[1:])
        flat = _ops.reshape(inputs, [shape[0], size])
        if self.implementation == 2:
            mask = _ops.cast(self._mask, self.kernel.dtype)
            outputs = math.prod(counts) * self.filters
            matrix = _ops.reshape(_ops.multiply(self.kernel, mask), [size, outputs])
            result = _ops.matmul(flat, matrix)
        else:
            kernel = _ops.multiply(self.kernel, 1.0)
            matrix = _ops.scatter_nd(self._pairs, kernel, self._matrix_shape)
            result = _ops.matmul(flat, matrix, False, True)
        if self._first:
            return _ops.reshape(result, [shape[0], self.filters, *counts])
        return _ops.reshape(result, [shape[0], *counts, self.filters])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self._first:
            return TensorShape([sizes[0], self.filters, *self._counts(sizes[2:])])
        return TensorShape([sizes[0], *self._counts(sizes[1:-1]), self.filters])


@with_arguments_of(LocallyConnected)
class LocallyConnected1D(LocallyConnected):
    """A convolution of sequences `[batch, length, channels]` whose filters differ at each step.

    >>> tf.keras.layers.LocallyConnected1D(4, 3)(tf.ones([2, 10, 1])).shape
    TensorShape([2, 8, 4])
    """

    _rank = 1


@with_defaults(strides=(1, 1))
@with_arguments_of(LocallyConnected)
class LocallyConnected2D(LocallyConnected):
    """A convolution of images whose filters differ at each position.

    >>> tf.keras.layers.LocallyConnected2D(4, 3)(tf.ones([2, 6, 5, 1])).shape
    TensorShape([2, 4, 3, 4])
    """

    _rank = 2

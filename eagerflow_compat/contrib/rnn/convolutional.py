"""LSTM cells of convolutions (Shi et al., arXiv 1506.04214)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops.nn.convolution import convolution
from eagerflow.typing import ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple, RNNCell

_ops = _core.ops


class ConvLSTMCell(RNNCell):
    """An LSTM that convolves its inputs and outputs, `[batch, *sizes, channels]`.

    Args:
        conv_ndims: the number of dimensions that are convolved, 1 to 3.
        input_shape: the shape of the inputs without the batch.
        output_channels: the number of channels of the outputs.
        kernel_shape: the sizes of the kernel.
        use_bias: whether there is a bias.
        skip_connection: whether the inputs are appended to the outputs.
        forget_bias: is added to the forget gate.
        initializers: of the kernel.
        name: the cell's name.

    Raises:
        ValueError: if the shape has another number of dimensions.

    >>> cell = tf.contrib.rnn.ConvLSTMCell(2, [8, 8, 3], 4, [3, 3])
    >>> outputs, state = cell(tf.ones([2, 8, 8, 3]), cell.zero_state(2, tf.float32))
    >>> outputs.shape
    TensorShape([2, 8, 8, 4])
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._ndims = conv_ndims
        self._input_shape = list(input_shape)
        self._channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._skip = skip_connection
        self._forget_bias = forget_bias
        self._initializer = initializers

    @property
    def state_size(self) -> Any:
        size = TensorShape([*self._input_shape[:-1], self._channels])
        return LSTMStateTuple(size, self.output_size)

    @property
    def output_size(self) -> Any:
        more = self._input_shape[-1] if self._skip else 0
        return TensorShape([*self._input_shape[:-1], self._channels + more])

    def build(self, inputs_shape: ShapeLike) -> None:
        rows = parts.last_size(inputs_shape) + self.output_size.as_list()[-1]
        shape = [*self._kernel_shape, rows, 4 * self._channels]
        self._kernel = self.add_variable("kernel", shape, initializer=self._initializer)
        if self._use_bias:
            zeros = initializers.Zeros()
            self._bias = self.add_variable("biases", [4 * self._channels], initializer=zeros)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        joined = convolution(_ops.concat([inputs, hidden], -1), self._kernel, padding="SAME")
        if self._use_bias:
            joined = joined + self._bias
        into, candidate, forget, out = parts.split(joined, 4, self._ndims + 1)
        kept = _ops.sigmoid(forget + self._forget_bias) * memory
        memory = kept + _ops.sigmoid(into) * _ops.tanh(candidate)
        hidden = _ops.tanh(memory) * _ops.sigmoid(out)
        if self._skip:
            hidden = _ops.concat([hidden, inputs], -1)
        return hidden, LSTMStateTuple(memory, hidden)


class Conv1DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` of one dimension, with its other arguments."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` of two dimensions, with its other arguments."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` of three dimensions, with its other arguments."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(3, name=name, **kwargs)

"""LSTMs whose products of matrices are convolutions (Shi et al., 2015)."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras import config, naming
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import may_train
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import (
    data_format_of,
    integers,
    padding_of,
    sizes_of,
    window_count,
    with_arguments_of,
    with_defaults,
)
from eagerflow.keras.layers.gated_rnn import RNNWithOwnCell, argument_names, split_arguments
from eagerflow.keras.layers.lstm import lstm_bias_initializer
from eagerflow.keras.layers.rnn_cell import DropoutRNNCell
from eagerflow.keras.typing import (
    ActivationLike,
    ConstraintLike,
    InitializerLike,
    LayerOptions,
    PlainLayerOptions,
    RegularizerLike,
    Sizes,
    Unpack,
)
from eagerflow.ops.nn.conv3d import conv3d
from eagerflow.typing import ShapeLike, Structure, TensorLike

_ops = _core.ops


class ConvLSTMCell(DropoutRNNCell):
    """One step of a convolutional LSTM; the arguments are those of `ConvLSTM2D`."""

    _unsaved_arguments = frozenset({"rank"})

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        self.rank = rank
        if filters is not None and filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={filters}."
            )
        self.filters = filters
        self.kernel_size = integers(kernel_size, rank, "kernel_size")
        self.strides = integers(strides, rank, "strides", allow_zero=True)
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.dilation_rate = integers(dilation_rate, rank, "dilation_rate")
        self.use_bias = use_bias
        self.unit_forget_bias = unit_forget_bias
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        resolve_arguments(self, locals())
        self.state_size = (filters, filters)
        self._channels_first = self.data_format == "channels_first"

    def build(self, input_shape: ShapeLike) -> None:
        channels = TensorShape(input_shape)[1 if self._channels_first else -1]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs (last axis) should be defined. Found None. "
                f"Full input shape received: input_shape={input_shape}"
            )
        filters = self.filters
        self.kernel = self.add_weight(
            shape=(*self.kernel_size, channels, filters * 4),
            name="kernel",
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            shape=(*self.kernel_size, filters, filters * 4),
            name="recurrent_kernel",
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(filters * 4,),
                name="bias",
                initializer=lstm_bias_initializer(self, filters),
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        Layer.build(self, input_shape)

    def _convolved(self, x: Any, kernel: Any, strides: Any, padding: str, dilation: Any) -> Any:
        first = self._channels_first
        row = (1,) if self.rank == 1 else ()
        steps = [1, 1, *row, *strides] if first else [1, *row, *strides, 1]
        dilations = [1, 1, *row, *dilation] if first else [1, *row, *dilation, 1]
        padding = padding.upper()
        if self.rank == 3:
            return conv3d(x, kernel, steps, padding, "NCDHW" if first else "NDHWC", dilations)
        order = "NCHW" if first else "NHWC"
        if self.rank == 2:
            return _ops.conv2d(x, kernel, steps, padding, None, dilations, order)
        axis = 2 if first else 1
        x, kernel = _ops.expand_dims(x, axis), _ops.expand_dims(kernel, 0)
        outputs = _ops.conv2d(x, kernel, steps, padding, None, dilations, order)
        return _ops.squeeze(outputs, [axis])

    def projected(self, inputs: TensorLike, kernel: Any = None, bias: Any = None) -> Any:
        """The contribution of inputs `[batch, *spatial, channels]` to the gates."""
        if kernel is None:
            kernel, bias = self.kernel, self.bias
        result = self._convolved(inputs, kernel, self.strides, self.padding, self.dilation_rate)
        if bias is None:
            return result
        return _ops.bias_add(result, bias, "NCHW" if self._channels_first else "NHWC")

    def _recurrent(self, state: Structure, kernel: object) -> _core.Tensor:
        ones = (1,) * self.rank
        return self._convolved(state, kernel, ones, "same", ones)

    def advance(self, projection: Any, states: Any, masks: Any) -> tuple[_core.Tensor, list[Any]]:
        """One step, from the result of `projected`: the output, and the states after it."""
        h, c = states
        axis = 1 if self._channels_first else -1
        sizes = [self.filters] * 4
        if masks is None:
            z = _ops.add(projection, self._recurrent(h, self.recurrent_kernel))
            i, f, g, o = _ops.split(z, sizes, axis)
        else:
            kernels = _ops.split(self.recurrent_kernel, sizes, -1)
            i, f, g, o = (
                _ops.add(part, self._recurrent(_ops.multiply(h, mask), kernel))
                for part, mask, kernel in zip(
                    _ops.split(projection, sizes, axis), masks, kernels, strict=True
                )
            )
        gate, activation = self.recurrent_activation, self.activation
        c = _ops.add(_ops.multiply(gate(f), c), _ops.multiply(gate(i), activation(g)))
        h = _ops.multiply(gate(o), activation(c))
        return h, [h, c]

    def call(self, inputs: _core.Tensor, states: Structure, training: Any = None) -> Any:
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        if masks is None:
            projection = self.projected(inputs)
        else:
            sizes = [self.filters] * 4
            kernels = _ops.split(self.kernel, sizes, -1)
            biases = [None] * 4 if self.bias is None else _ops.split(self.bias, sizes, 0)
            parts = [
                self.projected(_ops.multiply(inputs, mask), kernel, bias)
                for mask, kernel, bias in zip(masks, kernels, biases, strict=True)
            ]
            projection = _ops.concat(parts, 1 if self._channels_first else -1)
        recurrent = self.get_recurrent_dropout_mask_for_cell(states[0], training, count=4)
        return self.advance(projection, states, recurrent)


class ConvLSTM(RNNWithOwnCell):
    """The base of convolutional LSTMs.

    Args:
        filters: the number of channels of the output and of each state.
        kernel_size: the window's size.
        strides: the window's step over inputs.
        padding: "valid" or "same"; states are always convolved with "same".
        dilation_rate: the distance of the window's elements over inputs.
        activation: for candidates and output.
        kernel_initializer: for the filters of inputs.
        recurrent_initializer: for the filters of states.
        bias_initializer: for the bias `[4 * filters]`.
        kernel_regularizer: adds a loss for the filters of inputs.
        recurrent_regularizer: adds a loss for the filters of states.
        activity_regularizer: adds a loss for the output.
        kernel_constraint: is applied to the filters of inputs after each step of an optimizer.
        recurrent_constraint: is applied to the filters of states after each step.

    A call takes `mask`, `training` and `initial_state`, see `RNN`.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    _rank: int
    _names_cell = False
    _cell_names = tuple(name for name in argument_names(ConvLSTMCell) if name != "rank")

    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: ActivationLike = "tanh",
        recurrent_activation: ActivationLike = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        recurrent_initializer: InitializerLike = "orthogonal",
        bias_initializer: InitializerLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: RegularizerLike = None,
        recurrent_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        recurrent_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Unpack[PlainLayerOptions],
    ) -> None:
        if kwargs.get("name") is None and type(self).__name__.startswith("ConvLSTM"):
            kwargs["name"] = naming.unique_name(f"conv_lstm{self._rank}d")
        name = f"conv_lstm{self._rank}d_cell"
        arguments = {key: value for key, value in locals().items() if key != "name"}
        cell, rest = split_arguments(
            ConvLSTMCell, self._cell_names, name, arguments, rank=self._rank
        )
        super().__init__(cell, **rest)
        self.input_spec = InputSpec(ndim=self._rank + 3)

    def _state_sizes(self, sizes: list[int | None]) -> list[int | None]:
        """The sizes of a state, from those of the inputs of a step."""
        cell = self.cell
        first = cell._channels_first
        spatial = sizes[2:] if first else sizes[1:-1]
        after = [
            window_count(
                size, cell.kernel_size[axis], cell.padding, cell.strides[axis],
                cell.dilation_rate[axis]
            )
            for axis, size in enumerate(spatial)
        ]  # fmt: skip
        return [sizes[0], cell.filters, *after] if first else [sizes[0], *after, cell.filters]

    def get_initial_state(self, inputs: _core.Tensor) -> list[_core.Tensor]:
        shape = list(inputs._sizes())
        zeros = _ops.zeros(self._state_sizes([shape[0], *shape[2:]]), inputs.dtype)
        return [zeros, zeros]

    def _check_states(self, initial_state: Structure) -> None:
        shapes = [TensorShape(state.shape).as_list() for state in initial_state]
        channels = 1 if self.cell._channels_first else -1
        if [shape[channels] for shape in shapes] != [self.cell.filters] * 2:
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. "
                f"Received state shapes {[tuple(shape) for shape in shapes]}. However "
                f"`cell.state_size` is {self.cell.state_size}"
            )

    def build(self, input_shape: ShapeLike) -> None:
        sizes = sizes_of(input_shape)
        self.__dict__["_step_sizes"] = [sizes[0], *sizes[2:]]
        super().build(input_shape)

    def reset_states(self, states: Structure | None = None) -> None:
        """Sets the states of a stateful layer; see `RNN.reset_states`."""
        if self.stateful and self._states is None and self.__dict__.get("_batch_size"):
            shape = self._state_sizes(self.__dict__["_step_sizes"])
            if None not in shape:
                dtype = self.variable_dtype or "float32"
                zeros = [_ops.zeros(shape, config.float_dtype(dtype)) for _ in "hc"]
                self.__dict__["_states"] = [Variable(z, trainable=False) for z in zeros]
                if states is None:
                    return
        super().reset_states(states)

    def call(  # type: ignore[override]
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        cell = self.cell
        self._maybe_reset_cell_dropout_mask(self.cell)
        inputs, states, _ = self._process_inputs(inputs, initial_state, None)
        if (cell.dropout or cell.recurrent_dropout) and may_train(training):

            def step(x: _core.Tensor, states: list[Any]) -> tuple[Any, list[Any]]:
                return cell.call(x, states, training=training)

            x = self._by_time(inputs)
            one = self._dropping(step, training)
        else:
            shape = inputs._sizes()
            flat = _ops.reshape(inputs, [shape[0] * shape[1], *shape[2:]])
            projection = cell.projected(flat)
            unfolded = _ops.reshape(projection, [*shape[:2], *projection._sizes()[1:]])
            x = self._by_time(unfolded)

            def step(x: _core.Tensor, states: list[Any]) -> tuple[Any, list[Any]]:
                return cell.advance(x, states, None)

            one = step
        last, every, final = self._loop(one, x, states, mask)
        return self._finish(last, every, final, final)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        sizes = sizes_of(input_shape)
        state = self._state_sizes([sizes[0], *sizes[2:]])
        output = [state[0], sizes[1], *state[1:]] if self.return_sequences else state
        if not self.return_state:
            return TensorShape(output)
        return [TensorShape(output), TensorShape(state), TensorShape(state)]


@with_arguments_of(ConvLSTM)
class ConvLSTM1D(ConvLSTM):
    """A convolutional LSTM over sequences of sequences, `[batch, steps, length, channels]`.

    >>> tf.keras.layers.ConvLSTM1D(4, 2)(tf.ones([2, 3, 5, 1])).shape
    TensorShape([2, 4, 4])
    """

    _rank = 1


@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
@with_arguments_of(ConvLSTM)
class ConvLSTM2D(ConvLSTM):
    """A convolutional LSTM over sequences of images, `[batch, steps, rows, columns, channels]`.

    >>> tf.keras.layers.ConvLSTM2D(4, 2)(tf.ones([2, 3, 5, 5, 1])).shape
    TensorShape([2, 4, 4, 4])
    """

    _rank = 2


@with_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
@with_arguments_of(ConvLSTM)
class ConvLSTM3D(ConvLSTM):
    """A convolutional LSTM over sequences of volumes, `[batch, steps, depth, rows, columns, channels]`.

    >>> tf.keras.layers.ConvLSTM3D(4, 2)(tf.ones([2, 3, 3, 5, 5, 1])).shape
    TensorShape([2, 2, 4, 4, 4])
    """

    _rank = 3

"""Networks of several layers, as layers: CudnnLSTM, CudnnGRU, CudnnRNNTanh, CudnnRNNRelu."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graphdef import cudnn_rnn
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops import array
from eagerflow_compat.contrib.cudnn_rnn import parameters, saving
from eagerflow_compat.v1.layers import Layer
from eagerflow_compat.v1.variable_scope import get_variable_scope

_ops = _core.ops


class _Network(Layer):
    """Base class of the layers; `CudnnLSTM` says what the arguments are."""

    _saveable_class: type[saving.CudnnOpaqueParamsSaveable]

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = parameters.CUDNN_INPUT_LINEAR_MODE,
        direction: str = parameters.CUDNN_RNN_UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        parameters.check(direction, input_mode)
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        super().__init__(dtype=dtype, name=name)
        self.num_layers = num_layers
        self.num_units = num_units
        self.input_mode = input_mode
        self.direction = direction
        self._dropout = dropout
        self._seed = seed
        self._plain_dtype = dtype
        self._starts = (
            initializers.GlorotUniform(seed=seed)
            if kernel_initializer is None
            else kernel_initializer,
            initializers.Zeros() if bias_initializer is None else bias_initializer,
        )
        self._size: int | None = None
        self.saveable: Any = None

    @property
    def rnn_mode(self) -> str:
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
        return self._saveable_class._rnn_mode

    @property
    def num_dirs(self) -> int:
        """The number of directions."""
        return 2 if self.direction == parameters.CUDNN_RNN_BIDIRECTION else 1

    @property
    def input_size(self) -> int:
        """The size of the inputs.

        Raises:
            ValueError: if the layer has not been built.
        """
        if self._size is None:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._size

    def _kind(self) -> Any:
        words = self.rnn_mode, self.direction, self.input_mode
        return cudnn_rnn.kind_of(*words, self.num_layers, self.num_units, self.input_size)

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of all matrices."""
        return list(self._kind().weight_shapes())

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of all biases."""
        return [[self.num_units]] * self._kind().bias_count()

    def state_shape(self, batch_size: Any) -> tuple[list[Any], ...]:
        """The shapes of the states, `[layers * directions, batch, units]`, for a batch."""
        shape = [self.num_layers * self.num_dirs, batch_size, self.num_units]
        return (shape,) * (2 if self.rnn_mode == parameters.CUDNN_LSTM else 1)

    def build(self, input_shape: Any) -> None:
        """Makes the vector of parameters.

        Args:
            input_shape: the shape of the inputs, of which the last size must be known.

        Raises:
            ValueError: for a shape that has not three sizes, or an unknown last one.
        """
        if self.built:
            return
        sizes = TensorShape(input_shape).as_list()
        if len(sizes) != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {len(sizes)}")
        if sizes[-1] is None:
            raise ValueError(
                "The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`."
            )
        self._size = sizes[-1]
        if self.input_mode == parameters.CUDNN_INPUT_AUTO_MODE and self._size == self.num_units:
            self.input_mode = parameters.CUDNN_INPUT_SKIP_MODE
        kernel, bias = self._starts
        weights, biases = self.canonical_weight_shapes, self.canonical_bias_shapes

        def vector(shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
            made = [kernel(list(each), dtype=self._plain_dtype) for each in weights]
            return cudnn_rnn.to_params(
                made, [bias(each, dtype=self._plain_dtype) for each in biases]
            )

        size = self._kind().size()
        self.kernel = self.add_weight("opaque_kernel", [size], self._plain_dtype, vector)
        self.built = True

    def _save(self, scope: Any) -> None:
        """Lets savers write the variables of cells, which are in the scope around the layer's."""
        self.saveable = self._saveable_class(
            self.kernel,
            self.num_layers,
            self.num_units,
            self.input_size,
            self.input_mode,
            self.direction,
            scope,
            f"{self.kernel.name.partition(':')[0]}_saveable",
        )
        if not context.executing_eagerly() and not scope.reuse:
            context.default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self.saveable)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Outputs and the last states; arguments as those of `call`."""
        result = super().__call__(inputs, *args, **kwargs)
        if self.saveable is None:
            self._save(get_variable_scope())
        return result

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> tuple[Any, Any]:
        """Outputs and the last states.

        Args:
            inputs: `[time, batch, size]`; `[batch, time, size]` if `time_major` is false.
            initial_state: a tuple of the states at first, `[layers * directions, batch, units]`: an
                LSTM's outputs and memories, or the one state of others; zeros by default. The batch
                comes first if `time_major` is false.
            sequence_lengths: int32 `[batch]`, how long each sequence is.
            time_major: whether time comes first.
            training: whether values between layers are dropped.

        Returns:
            The outputs `[time, batch, directions * units]`, and a tuple of states like the first one.

        Raises:
            TypeError: if the states are no tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        inputs = _core.convert(inputs, self._plain_dtype, None)
        if initial_state is None:
            batch = array.shape(inputs)[1 if time_major else 0]
            shapes = self.state_shape(batch)
            initial_state = tuple(_ops.zeros(shape, self._plain_dtype) for shape in shapes)
            if not time_major:
                initial_state = tuple(_ops.transpose(part, [1, 0, 2]) for part in initial_state)
        states = [_core.convert(state, self._plain_dtype, None) for state in initial_state]
        is_lstm = self.rnn_mode == parameters.CUDNN_LSTM
        memory = states[1] if is_lstm else _ops.zeros([0], self._plain_dtype)
        outputs, hidden, memory, _ = cudnn_rnn.run(
            inputs,
            states[0],
            memory,
            _core.as_tensor(self.kernel),
            self.rnn_mode,
            self.input_mode,
            self.direction,
            self._dropout,
            self._seed or 0,
            training,
            None if sequence_lengths is None else _core.as_tensor(sequence_lengths),
            time_major,
        )
        return outputs, (hidden, memory) if is_lstm else (hidden,)


class CudnnLSTM(_Network):
    """Long short-term memory of several layers.

    Args:
        num_layers: the number of layers.
        num_units: the size of the states.
        input_mode: "linear_input"; "auto_select" is that if inputs have another size than states.
        direction: "unidirectional" or "bidirectional".
        dropout: the share of values between layers that is dropped in training.
        seed: of the dropout and the initial matrices.
        dtype: float16, float32 or float64.
        kernel_initializer: of the matrices, by default Glorot's uniform values.
        bias_initializer: of the biases, by default zeros.
        name: the layer's name.

    Raises:
        ValueError: for another direction, mode or dtype.

    >>> lstm = tf.contrib.cudnn_rnn.CudnnLSTM(2, 3, direction="bidirectional")
    >>> outputs, (hidden, memory) = lstm(tf.ones([5, 2, 4]))
    >>> outputs.shape, hidden.shape
    (TensorShape([5, 2, 6]), TensorShape([4, 2, 3]))
    """

    _saveable_class = saving.CudnnLSTMSaveable


class CudnnGRU(_Network):
    """Gated recurrent units of several layers; arguments as those of `CudnnLSTM`."""

    _saveable_class = saving.CudnnGRUSaveable


class CudnnRNNTanh(_Network):
    """Simple recurrent networks of several layers, with tanh; arguments as those of `CudnnLSTM`."""

    _saveable_class = saving.CudnnRNNTanhSaveable


class CudnnRNNRelu(_Network):
    """Simple recurrent networks of several layers, with relu; arguments as those of `CudnnLSTM`."""

    _saveable_class = saving.CudnnRNNReluSaveable

"""Cells of recurrent networks, which `dynamic_rnn` and its siblings repeat along time."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.partitioned import parts_of
from eagerflow.keras import naming
from eagerflow.keras.activations import get as activation_of
from eagerflow.random import uniform
from eagerflow.v1 import initializers
from eagerflow.v1.variable_scope import get_variable, variable_scope

_ops = _core.ops

LSTMStateTuple = namedtuple("LSTMStateTuple", ("c", "h"))
LSTMStateTuple.__doc__ = "The state of an LSTM: what it remembers, and its last output."


class RNNCell:
    """Base class of cells.

    A cell says what its state looks like by `state_size` and `output_size`; `call` takes inputs
    `[batch, features]` and a state, and returns outputs and the next state. Variables are made in
    `build`, by `add_variable`.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        _reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        self.trainable = trainable
        self._name = name
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._reuse = _reuse
        self.built = False
        self._variables: list[Any] = []
        self._scope: Any = None

    @property
    def name(self) -> str:
        """The name of the cell, and of the scope of its variables."""
        return self._name or naming.snake_case(type(self).__name__)

    @property
    def state_size(self) -> Any:
        """The sizes of the parts of the state: an integer, or a nested structure of them."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its state_size is.")

    @property
    def output_size(self) -> Any:
        """The size of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its output_size is.")

    @property
    def variables(self) -> list[Any]:
        """The variables of the cell."""
        return self._variables

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables."""
        return [variable for variable in self.variables if variable.trainable]

    trainable_weights = trainable_variables

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables; called once, with the shape of the inputs."""
        self.built = True

    def add_variable(self, name: str, shape: Any, initializer: Any = None, **kwargs: Any) -> Any:
        """A variable of the cell."""
        variable = get_variable(
            name, shape, self._dtype, initializer, trainable=self.trainable, **kwargs
        )
        self._variables.extend(parts_of(variable))
        return variable

    add_weight = add_variable

    def prepare(self, inputs: Any) -> None:
        """Makes the variables of a cell for inputs of that shape, unless they exist."""
        if self.built:
            return
        if self._dtype is None:
            self._dtype = nest.flatten(inputs)[0].dtype
        with variable_scope(self.name, reuse=self._reuse) as scope:
            self._scope = scope
            self.build(nest.map_structure(lambda value: value.shape, inputs))
            self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs and the next state."""
        raise NotImplementedError(f"{type(self).__name__} defines no call().")

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """Outputs and the next state for inputs `[batch, features]`."""
        if not is_symbolic(inputs) and not isinstance(inputs, list | tuple | dict):
            inputs = _core.convert(inputs, self._dtype, None)
        if scope is not None:
            with variable_scope(scope):
                self.prepare(inputs)
                return self.call(inputs, state)
        self.prepare(inputs)
        if self._scope is None or context.building_graph() is None:
            return self.call(inputs, state)
        with variable_scope(self._scope):
            return self.call(inputs, state)

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """A state of zeros.

        Args:
            batch_size: the first size, an integer or an integer scalar tensor.
            dtype: the element type.

        >>> cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(3)
        >>> cell.zero_state(2, tf.float32).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        return nest.map_structure(
            lambda size: _zeros(batch_size, TensorShape(size).as_list(), dtype), self.state_size
        )

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """A state of zeros for the inputs, or for a size and dtype."""
        if inputs is not None:
            batch_size, dtype = batch_size(inputs), inputs.dtype
        return self.zero_state(batch_size, dtype)


def _zeros(batch_size: Any, sizes: list, dtype: Any) -> Any:
    batch = batch_size if is_symbolic(batch_size) else int(batch_size)
    return _ops.zeros([batch, *sizes], dtype)


def batch_size(inputs: Any) -> Any:
    """The first size of the inputs, a number or an integer scalar."""
    return inputs._sizes()[0]


def _activation(given: Any, default: str) -> Callable[..., Any]:
    return activation_of(default if given is None else given)


def _size_of(inputs_shape: Any) -> int:
    size = TensorShape(inputs_shape).as_list()[-1]
    if size is None:
        raise ValueError(
            f"Expected inputs.shape[-1] to be known, saw shape: {TensorShape(inputs_shape)}"
        )
    return int(size)


class BasicRNNCell(RNNCell):
    """The simplest cell: `activation([inputs, state] @ kernel + bias)`.

    Args:
        num_units: the size of the state and the outputs.
        activation: by default tanh.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.

    >>> cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, state is outputs
    (TensorShape([2, 3]), True)
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, "tanh")

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> Any:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        self._kernel = self.add_variable("kernel", [_size_of(inputs_shape) + units, units])
        self._bias = self.add_variable("bias", [units], initializers.Zeros())

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        joined = _ops.concat([inputs, state], 1)
        output = self._activation(_ops.bias_add(_ops.matmul(joined, self._kernel), self._bias))
        return output, output


class GRUCell(RNNCell):
    """A gated recurrent unit (Cho et al., EMNLP 2014); the reset gate works on the state.

    Args:
        num_units: the size of the state and the outputs.
        activation: of the candidate; by default tanh.
        reuse: whether existing variables of the scope are used.
        kernel_initializer: of the matrices.
        bias_initializer: of the biases; by default ones for the gates and zeros for the candidate.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, "tanh")
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> Any:
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = _size_of(inputs_shape) + units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        ones = initializers.Constant(1.0) if bias is None else bias
        zeros = initializers.Zeros() if bias is None else bias
        self._gate_kernel = self.add_variable("gates/kernel", [rows, 2 * units], kernel)
        self._gate_bias = self.add_variable("gates/bias", [2 * units], ones)
        self._candidate_kernel = self.add_variable("candidate/kernel", [rows, units], kernel)
        self._candidate_bias = self.add_variable("candidate/bias", [units], zeros)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        joined = _ops.concat([inputs, state], 1)
        gates = _ops.sigmoid(_ops.bias_add(_ops.matmul(joined, self._gate_kernel), self._gate_bias))
        reset, update = _ops.split(gates, [self._num_units] * 2, 1)
        joined = _ops.concat([inputs, reset * state], 1)
        candidate = self._activation(
            _ops.bias_add(_ops.matmul(joined, self._candidate_kernel), self._candidate_bias)
        )
        new = update * state + (1.0 - update) * candidate
        return new, new


class LSTMCell(RNNCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997), with later extensions.

    Args:
        num_units: the size of the memory.
        use_peepholes: whether the gates see the memory.
        cell_clip: a limit for the memory.
        initializer: of the matrices.
        num_proj: the size of the outputs, if they are projected.
        proj_clip: a limit for projected outputs.
        num_unit_shards: accepted.
        num_proj_shards: accepted.
        forget_bias: is added to the forget gate, so that it remembers at first.
        state_is_tuple: whether the state is an `LSTMStateTuple`, or one tensor.
        activation: by default tanh.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: Any = None,
        num_proj_shards: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _activation(activation, "tanh")

    @property
    def state_size(self) -> Any:
        sizes = self._num_units, self.output_size
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = _size_of(inputs_shape) + self.output_size
        self._kernel = self.add_variable("kernel", [rows, 4 * units], self._initializer)
        self._bias = self.add_variable("bias", [4 * units], initializers.Zeros())
        if self._use_peepholes:
            self._peepholes = {
                gate: self.add_variable(f"w_{gate}_diag", [units], self._initializer)
                for gate in "fio"
            }
        if self._num_proj:
            self._projection = self.add_variable(
                "projection/kernel", [units, self._num_proj], self._initializer
            )

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        units = self._num_units
        if self._state_is_tuple:
            memory, hidden = state
        else:
            memory, hidden = _ops.split(state, [units, self.output_size], 1)
        joined = _ops.concat([inputs, hidden], 1)
        gates = _ops.bias_add(_ops.matmul(joined, self._kernel), self._bias)
        input_gate, candidate, forget_gate, output_gate = _ops.split(gates, [units] * 4, 1)
        forget_gate = forget_gate + self._forget_bias
        if self._use_peepholes:
            forget_gate = forget_gate + self._peepholes["f"] * memory
            input_gate = input_gate + self._peepholes["i"] * memory
        memory = _ops.sigmoid(forget_gate) * memory + _ops.sigmoid(input_gate) * self._activation(
            candidate
        )
        if self._cell_clip is not None:
            memory = _ops.clip_by_value(memory, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            output_gate = output_gate + self._peepholes["o"] * memory
        hidden = _ops.sigmoid(output_gate) * self._activation(memory)
        if self._num_proj:
            hidden = _ops.matmul(hidden, self._projection)
            if self._proj_clip is not None:
                hidden = _ops.clip_by_value(hidden, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return hidden, LSTMStateTuple(memory, hidden)
        return hidden, _ops.concat([memory, hidden], 1)


class BasicLSTMCell(LSTMCell):
    """Long short-term memory without peepholes, clipping and projection.

    Args:
        num_units: the size of the outputs and of the memory.
        forget_bias: is added to the forget gate, so that it remembers at first.
        state_is_tuple: whether the state is an `LSTMStateTuple`, or one tensor.
        activation: by default tanh.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_units,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
            name=name,
            dtype=dtype,
            **kwargs,
        )


class MultiRNNCell(RNNCell):
    """A stack of cells: the outputs of each are the inputs of the next.

    Args:
        cells: the cells, lowest first.
        state_is_tuple: whether the state is a tuple of the cells' states.

    Raises:
        ValueError: if there are no cells, or states would have to be joined.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not state_is_tuple:
            raise ValueError("MultiRNNCell keeps the cells' states in a tuple.")
        self._cells = list(cells)

    @property
    def state_size(self) -> Any:
        return tuple(cell.state_size for cell in self._cells)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    @property
    def variables(self) -> list[Any]:
        return [variable for cell in self._cells for variable in cell.variables]

    def prepare(self, inputs: Any) -> None:
        if self.built:
            return
        with variable_scope(self.name):
            for k, cell in enumerate(self._cells):
                with variable_scope(f"cell_{k}"):
                    cell.prepare(inputs)
                inputs = _Like(inputs, self._cells[k].output_size)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        states = []
        for cell, before in zip(self._cells, state, strict=True):
            inputs, after = cell(inputs, before)
            states.append(after)
        return inputs, tuple(states)


class _Like:
    """The dtype and shape of the outputs of the cell below, from which a cell is built."""

    def __init__(self, inputs: Any, size: Any) -> None:
        self.dtype = inputs.dtype
        self.shape = TensorShape([inputs.shape.as_list()[0] if inputs.shape.rank else None, size])


class _Wrapper(RNNCell):
    """A cell that changes the inputs or outputs of another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cell = cell

    @property
    def wrapped_cell(self) -> Any:
        """The wrapped cell."""
        return self._cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    @property
    def variables(self) -> list[Any]:
        return self._cell.variables

    def prepare(self, inputs: Any) -> None:
        self._cell.prepare(inputs)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        return self._cell(inputs, state)


class DropoutWrapper(_Wrapper):
    """Drops inputs, outputs and states of a cell at random.

    Args:
        cell: the cell.
        input_keep_prob: the share of inputs that is kept, a float or a scalar tensor.
        output_keep_prob: the same for outputs.
        state_keep_prob: the same for states; an LSTM's memory is not dropped.
        variational_recurrent: must be False.
        input_size: accepted.
        dtype: accepted.
        seed: of the dropout masks.
        dropout_state_filter_visitor: accepted.

    Raises:
        ValueError: for a probability that is not between 0 and 1, or `variational_recurrent`.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Any = None,
    ) -> None:
        super().__init__(cell)
        if variational_recurrent:
            raise ValueError("DropoutWrapper draws anew in every step: variational_recurrent=True.")
        for name, keep_prob in (
            ("input_keep_prob", input_keep_prob),
            ("output_keep_prob", output_keep_prob),
            ("state_keep_prob", state_keep_prob),
        ):
            if isinstance(keep_prob, int | float) and not 0.0 < keep_prob <= 1.0:
                raise ValueError(f"Parameter {name} must be between 0 and 1: {keep_prob}")
        self._keep_probs = input_keep_prob, output_keep_prob, state_keep_prob
        self._seed = seed

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        keep_input, keep_output, keep_state = self._keep_probs
        outputs, new = self._cell(self._dropped(inputs, keep_input), state)
        outputs = self._dropped(outputs, keep_output)
        if isinstance(new, LSTMStateTuple):
            return outputs, LSTMStateTuple(new.c, self._dropped(new.h, keep_state))
        return outputs, nest.map_structure(lambda part: self._dropped(part, keep_state), new)

    def _dropped(self, x: Any, keep_prob: Any) -> Any:
        if isinstance(keep_prob, int | float) and keep_prob == 1.0:
            return x
        keep_prob = _core.convert(keep_prob, x.dtype, None)
        drawn = uniform(x._sizes(), seed=self._seed, dtype=x.dtype)
        return x / keep_prob * _ops.floor(drawn + keep_prob)


class ResidualWrapper(_Wrapper):
    """Adds a cell's inputs to its outputs.

    Args:
        cell: the cell.
        residual_fn: a function of inputs and outputs that is applied instead of the sum.
    """

    def __init__(self, cell: Any, residual_fn: Callable | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual = residual_fn or _ops.add

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        outputs, new = self._cell(inputs, state)
        return self._residual(inputs, outputs), new


class DeviceWrapper(_Wrapper):
    """A cell that TensorFlow runs on a given device; there is one device.

    Args:
        cell: the cell.
        device: accepted.
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

"""Cells of recurrent networks, which `dynamic_rnn` and its siblings repeat along time."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.defaults import name_scope
from eagerflow.graph.partitioned import parts_of
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.keras import naming
from eagerflow.keras.activations import get as activation_of
from eagerflow.ops.nn.normalization import dropout
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.random import uniform
from eagerflow.typing import DTypeLike, ShapeLike, Structure, TensorLike
from eagerflow_compat.v1.variable_scope import VariableScope, get_variable, variable_scope

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
        dtype: DTypeLike | None = None,
        _reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        self.trainable = trainable
        self._name = name
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._reuse = _reuse

    # Cells that call no constructor of their base have these.
    trainable = True
    built = False
    _called = False
    _name: str | None = None
    _dtype: Any = None
    _reuse: Any = None
    _scope: VariableScope | None = None

    @property
    def name(self) -> str:
        """The name of the cell, and of the scope of its variables."""
        return self._name or naming.snake_case(type(self).__name__)

    @property
    def scope_name(self) -> str:
        """The name of the variable scope."""
        return self.name if self._scope is None else self._scope.name

    @property
    def state_size(self) -> Any:
        """The sizes of the parts of the state: an integer, or a nested structure of them."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its state_size is.")

    @property
    def output_size(self) -> Structure:
        """The size of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its output_size is.")

    @property
    def variables(self) -> list[_core.Variable]:
        """The variables of the cell."""
        return self.__dict__.get("_variables", [])

    weights = variables

    @property
    def trainable_variables(self) -> list[_core.Variable]:
        """The trainable variables."""
        return [variable for variable in self.variables if variable.trainable]

    trainable_weights = trainable_variables

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes the variables; called once, with the shape of the inputs."""
        self.built = True

    def add_variable(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: Any = None,
        regularizer: Callable[..., _core.Tensor | None] | None = None,
        trainable: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """A variable of the cell; arguments as those of `get_variable`."""
        trainable = trainable is not False and self.trainable
        dtype = self._dtype if dtype is None else dtype
        variable = get_variable(name, shape, dtype, initializer, regularizer, trainable, **kwargs)
        self.__dict__.setdefault("_variables", []).extend(parts_of(variable))
        return variable

    add_weight = add_variable

    def _own_scope(self, scope: VariableScope | str | None) -> VariableScope:
        """The scope of the variables: one that is given at first, or a new one of the cell's name."""
        if self._scope is None:
            if self._reuse:
                entered = variable_scope(scope or self.name)
            else:
                entered = variable_scope(scope, default_name=self.name)
            with entered as self._scope:
                pass
        return self._scope

    @contextmanager
    def _inside(self, scope: VariableScope | str | None) -> Iterator[None]:
        """Adds operations and variables where those of the first call are."""
        own = self._own_scope(scope)
        # Variables that `call` makes are made by the first one.
        reuse = True if self._called else self._reuse
        with variable_scope(own, reuse=reuse, auxiliary_name_scope=False):
            with name_scope(own.original_name_scope):
                yield

    def prepare(self, inputs: Structure, scope: VariableScope | str | None = None) -> None:
        """Makes the variables of a cell for inputs of that shape, unless they exist.

        Args:
            inputs: the inputs.
            scope: the scope of the variables; by default a new one of the cell's name.
        """
        if self.built:
            return
        if self._dtype is None:
            self._dtype = nest.flatten(inputs)[0].dtype
        with self._inside(scope):
            self.build(nest.map_structure(lambda value: value.shape, inputs))
        self.built = True

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        """Outputs and the next state."""
        raise NotImplementedError(f"{type(self).__name__} defines no call().")

    def __call__(self, inputs: Any, state: Structure, scope: Any = None) -> tuple[Any, Any]:
        """Outputs and the next state for inputs `[batch, features]`."""
        if not is_symbolic(inputs) and not isinstance(inputs, list | tuple | dict):
            inputs = _core.convert(inputs, self._dtype, None)
        self.prepare(inputs, scope)
        if context.building_graph() is None:
            return self.call(inputs, state)
        with self._inside(scope):
            result = self.call(inputs, state)
        self._called = True
        return result

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        """A state of zeros.

        Args:
            batch_size: the first size, an integer or an integer scalar tensor.
            dtype: the element type.

        >>> cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(3)
        >>> cell.zero_state(2, tf.float32).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        with self._zero_scope():
            return nest.map_structure(
                lambda size: _zeros(batch_size, TensorShape(size).as_list(), dtype), self.state_size
            )

    def _zero_scope(self) -> name_scope:
        return name_scope(f"{type(self).__name__}ZeroState")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Structure:
        """A state of zeros for the inputs, or for a size and dtype."""
        if inputs is not None:
            batch_size, dtype = batch_size(inputs), inputs.dtype
        return self.zero_state(batch_size, dtype)


def _zeros(batch_size: int, sizes: list, dtype: dtypes.DType) -> _core.Tensor:
    batch = batch_size if is_symbolic(batch_size) else int(batch_size)
    return _ops.zeros([batch, *sizes], dtype)


def batch_size(inputs: Any) -> Any:
    """The first size of the inputs, a number or an integer scalar."""
    return inputs._sizes()[0]


def _activation(given: Any, default: str) -> Callable[..., _core.Tensor]:
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
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, "tanh")

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._kernel = self.add_variable("kernel", [_size_of(inputs_shape) + units, units])
        self._bias = self.add_variable("bias", [units], initializer=initializers.Zeros())

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
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
        kernel_initializer: Callable[..., _core.Tensor] | None = None,
        bias_initializer: Callable[..., _core.Tensor] | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, "tanh")
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        rows = _size_of(inputs_shape) + units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        ones = initializers.Constant(1.0) if bias is None else bias
        zeros = initializers.Zeros() if bias is None else bias
        self._gate_kernel = self.add_variable("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_variable("gates/bias", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", [rows, units], initializer=kernel
        )
        self._candidate_bias = self.add_variable("candidate/bias", [units], initializer=zeros)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
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
        initializer: Callable[..., _core.Tensor] | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: object = None,
        num_proj_shards: object = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
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
    def output_size(self) -> int:
        return self._num_proj or self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        rows = _size_of(inputs_shape) + self.output_size
        self._kernel = self.add_variable("kernel", [rows, 4 * units], initializer=self._initializer)
        self._bias = self.add_variable("bias", [4 * units], initializer=initializers.Zeros())
        if self._use_peepholes:
            self._peepholes = {
                gate: self.add_variable(f"w_{gate}_diag", [units], initializer=self._initializer)
                for gate in "fio"
            }
        if self._num_proj:
            self._projection = self.add_variable(
                "projection/kernel", [units, self._num_proj], initializer=self._initializer
            )

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
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
        dtype: DTypeLike | None = None,
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

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        # Functions in the place of operators: TensorFlow's nodes are called by them.
        units = self._num_units
        memory, hidden = state if self._state_is_tuple else _ops.split(state, [units] * 2, 1)
        joined = _ops.concat([inputs, hidden], 1)
        gates = _ops.bias_add(_ops.matmul(joined, self._kernel), self._bias)
        into, candidate, forget, out = _ops.split(gates, [units] * 4, 1)
        remembered = _ops.multiply(
            memory,
            _ops.sigmoid(_ops.add(forget, _core.convert(self._forget_bias, forget.dtype, None))),
        )
        memory = _ops.add(
            remembered, _ops.multiply(_ops.sigmoid(into), self._activation(candidate))
        )
        hidden = _ops.multiply(self._activation(memory), _ops.sigmoid(out))
        if self._state_is_tuple:
            return hidden, LSTMStateTuple(memory, hidden)
        return hidden, _ops.concat([memory, hidden], 1)


class MultiRNNCell(RNNCell):
    """A stack of cells: the outputs of each are the inputs of the next.

    Args:
        cells: the cells, lowest first.
        state_is_tuple: whether the state is a tuple of the cells' states, or one tensor.

    Raises:
        ValueError: if there are no cells, or states that are tuples would have to be joined.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, list | tuple):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError("Some cells return tuples of states, but state_is_tuple is False.")

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Structure:
        return self._cells[-1].output_size

    @property
    def variables(self) -> list[_core.Variable]:
        return [variable for cell in self._cells for variable in cell.variables]

    def prepare(self, inputs: Structure, scope: VariableScope | str | None = None) -> None:
        if self.built:
            return
        with self._inside(scope):
            for k, cell in enumerate(self._cells):
                with variable_scope(f"cell_{k}"):
                    cell.prepare(inputs)
                inputs = Like(inputs, self._cells[k].output_size)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with self._zero_scope():
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        states = []
        if not self._state_is_tuple:
            state = _ops.split(state, [cell.state_size for cell in self._cells], 1)
        for cell, before in zip(self._cells, state, strict=True):
            inputs, after = cell(inputs, before)
            states.append(after)
        return inputs, tuple(states) if self._state_is_tuple else _ops.concat(states, 1)


class Like:
    """The dtype and shape of the outputs of the cell below, from which a cell is built."""

    def __init__(self, inputs: Any, size: Any) -> None:
        self.dtype = inputs.dtype
        self.shape = TensorShape([inputs.shape.as_list()[0] if inputs.shape.rank else None, size])


class Wrapper(RNNCell):
    """A cell that changes the inputs or outputs of another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cell = cell

    @property
    def wrapped_cell(self) -> RNNCell:
        """The wrapped cell."""
        return self._cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Structure:
        return self._cell.output_size

    @property
    def variables(self) -> list[_core.Variable]:
        return self._cell.variables

    def prepare(self, inputs: Structure, scope: VariableScope | str | None = None) -> None:
        if not self.built and hasattr(self._cell, "prepare"):
            self._cell.prepare(inputs, scope)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        with self._zero_scope():
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        return self._cell(inputs, state)

    def __call__(self, inputs: Any, state: Structure, scope: Any = None) -> tuple[Any, Any]:
        """Outputs and the next state for inputs `[batch, features]`; scopes are the cell's."""
        self.prepare(inputs, scope)
        return self.call(inputs, state)


class DropoutWrapper(Wrapper):
    """Drops inputs, outputs and states of a cell at random.

    Args:
        cell: the cell.
        input_keep_prob: the share of inputs that is kept, a float or a scalar tensor.
        output_keep_prob: the same for outputs.
        state_keep_prob: the same for states; an LSTM's memory is not dropped.
        variational_recurrent: whether all steps of a run drop the same elements.
        input_size: the shape of the inputs without the batch, needed for that if inputs are dropped.
        dtype: of inputs, outputs and states, needed for that.
        seed: of the dropout masks.
        dropout_state_filter_visitor: a function of a state that says what of it may be dropped, by
            True and False in its structure; by default all but an LSTM's memory.

    Raises:
        ValueError: for a probability that is not between 0 and 1, or if something is missing for
            `variational_recurrent`.
        TypeError: if the visitor cannot be called.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Structure = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[..., Structure] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError(
                f"dropout_state_filter_visitor must be callable: {dropout_state_filter_visitor}"
            )
        self._visitor = dropout_state_filter_visitor or _droppable
        self._keep_probs = {
            "input": input_keep_prob,
            "state": state_keep_prob,
            "output": output_keep_prob,
        }
        for name, keep_prob in self._keep_probs.items():
            if isinstance(keep_prob, int | float) and not 0.0 < keep_prob <= 1.0:
                raise ValueError(f"Parameter {name}_keep_prob must be between 0 and 1: {keep_prob}")
        self._seed = seed
        self._noise: dict[str, list[_core.Tensor]] | None = None
        if variational_recurrent:
            if dtype is None:
                raise ValueError("When variational_recurrent=True, dtype must be provided")
            if input_size is None and _drops(input_keep_prob):
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, "state": cell.state_size, "output": cell.output_size}
            self._noise = {
                kind: self._drawn(kind, sizes[kind])
                for kind in sizes
                if _drops(self._keep_probs[kind])
            }

    def _seed_of(self, kind: str, index: int) -> int | None:
        """The seed of one of the tensors that are dropped; those of TensorFlow."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{kind}_{index}".encode()).hexdigest()
        return int(digest[:8], 16) & 0x7FFFFFFF

    def _drawn(self, kind: str, sizes: Structure) -> list[_core.Tensor]:
        """Random numbers for each part of what is dropped, which all steps and rows share."""
        return [
            uniform(
                [1, *TensorShape(size).as_list()], seed=self._seed_of(kind, k), dtype=self._dtype
            )
            for k, size in enumerate(nest.flatten(sizes))
        ]

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        outputs, new = self._cell(self._dropped("input", inputs), state)
        new = self._dropped("state", new, self._visitor(new))
        return self._dropped("output", outputs), new

    def _dropped(self, kind: str, values: Structure, chosen: Structure = None) -> Structure:
        """Values, of which those parts are dropped for which there is True in `chosen`."""
        keep_prob = self._keep_probs[kind]
        if not _drops(keep_prob):
            return values
        if chosen is None:
            chosen = nest.map_structure(lambda _: True, values)
        parts = zip(nest.walker.flatten_up_to(chosen, values), nest.flatten(chosen), strict=True)
        dropped = [
            self._drop(kind, k, part, keep_prob) if flag else part
            for k, (part, flag) in enumerate(parts)
        ]
        return nest.pack_sequence_as(chosen, dropped)

    def _drop(self, kind: str, index: int, x: _core.Tensor, keep_prob: Any) -> Any:
        if self._noise is None:
            return dropout(x, rate=1.0 - keep_prob, seed=self._seed_of(kind, index))
        kept = _core.convert(keep_prob, x.dtype, None)
        result = x / kept * _ops.floor(kept + self._noise[kind][index])
        result.set_shape(x.shape)
        return result


def _drops(keep_prob: TensorLike) -> bool:
    return not isinstance(keep_prob, int | float) or keep_prob < 1.0


def _droppable(state: Structure) -> Any:
    """Which parts of a state may be dropped: all but an LSTM's memory and TensorArrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    if isinstance(state, TensorArray):
        return False
    if isinstance(state, list | tuple) and not hasattr(state, "_fields"):
        return type(state)(_droppable(part) for part in state)
    return nest.map_structure(lambda part: not isinstance(part, TensorArray), state)


class ResidualWrapper(Wrapper):
    """Adds a cell's inputs to its outputs.

    Args:
        cell: the cell.
        residual_fn: a function of inputs and outputs that is applied instead of the sum.
    """

    def __init__(self, cell: Any, residual_fn: Callable | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual = residual_fn or _ops.add

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        outputs, new = self._cell(inputs, state)
        return self._residual(inputs, outputs), new


class DeviceWrapper(Wrapper):
    """A cell that TensorFlow runs on a given device; there is one device.

    Args:
        cell: the cell.
        device: accepted.
    """

    def __init__(self, cell: Any, device: str, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

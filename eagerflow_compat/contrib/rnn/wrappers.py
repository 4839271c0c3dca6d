"""Cells around cells: attention to earlier outputs, highways, embeddings and projections."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops.nn.embedding import embedding_lookup
from eagerflow.typing import Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import Like, RNNCell, Wrapper
from eagerflow_compat.v1.variable_scope import VariableScope

_ops = _core.ops


class Around(RNNCell):
    """Base class of cells with variables of their own, in whose scope those of the inner cell are."""

    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        if not all(hasattr(cell, name) for name in ("state_size", "output_size", "zero_state")):
            raise TypeError(f"The parameter cell is no RNNCell: {cell!r}")
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    @property
    def variables(self) -> list[_core.Variable]:
        return [*super().variables, *self._cell.variables]

    def _make(self, inputs: Any) -> Any:
        """Makes the cell's own variables; returns what looks like the inner cell's inputs."""
        raise NotImplementedError

    def prepare(self, inputs: Structure, scope: VariableScope | str | None = None) -> None:
        if self.built:
            return
        if self._dtype is None:
            dtype = nest.flatten(inputs)[0].dtype
            self._dtype = dtype if dtype.is_floating else None
        with self._inside(scope):
            inner = self._make(inputs)
            if hasattr(self._cell, "prepare"):
                self._cell.prepare(inner)
        self.built = True

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        with self._zero_scope():
            return self._cell.zero_state(batch_size, dtype)


class AttentionCellWrapper(Around):
    """Attends to the last outputs of a cell (Bahdanau, Cho and Bengio, arXiv 1409.0473).

    Args:
        cell: the cell.
        attn_length: to how many outputs.
        attn_size: the size of outputs and attention, by default that of the cell's outputs.
        attn_vec_size: the size in which outputs and the state are compared, by default `attn_size`.
        input_size: to which inputs and attention are mapped, by default the size of the inputs.
        state_is_tuple: whether the state is a tuple, or one tensor.
        reuse: whether existing variables of the scope are used.

    Raises:
        TypeError: if the cell is none.
        ValueError: for no length, or if states that are tuples would have to be joined.

    >>> cell = tf.contrib.rnn.AttentionCellWrapper(tf.contrib.rnn.GRUCell(3), attn_length=2)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, [part.shape.as_list() for part in state]
    (TensorShape([2, 3]), [[2, 3], [2, 3], [2, 6]])
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._length = attn_length
        self._size = cell.output_size if attn_size is None else attn_size
        self._vector_size = self._size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        sizes = self._cell.state_size, self._size, self._size * self._length
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        return self._size

    def zero_state(self, batch_size: Any, dtype: Any) -> Structure:
        return RNNCell.zero_state(self, batch_size, dtype)

    def _make(self, inputs: Any) -> Any:
        size = parts.last_size(inputs.shape)
        inner = self._input_size or size
        outer = self._cell.output_size + self._size
        state = sum(TensorShape(n).num_elements() or 0 for n in nest.flatten(self._cell.state_size))
        self._of_inputs = parts.Linear(self, size + self._size, inner)
        self._of_output = parts.Linear(self, outer, self._size, "attn_output_projection")
        kernel = [1, 1, self._size, self._vector_size]
        self._of_earlier = self.add_variable("attention/attn_w", kernel)
        self._vector = self.add_variable("attention/attn_v", [self._vector_size])
        self._of_state = parts.Linear(self, state, self._vector_size, "attention")
        return Like(inputs, inner)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        if not self._state_is_tuple:
            sizes = [self._cell.state_size, self._size, self._size * self._length]
            state = _ops.split(state, sizes, 1)
        inner, attention, earlier = state
        earlier = _ops.reshape(earlier, [-1, self._length, self._size])
        output, inner = self._cell(self._of_inputs(inputs, attention), inner)
        attention = self._attend(_ops.concat(nest.flatten(inner), 1), earlier)
        output = self._of_output(output, attention)
        earlier = _ops.concat([earlier[:, 1:], _ops.expand_dims(output, 1)], 1)
        new = inner, attention, _ops.reshape(earlier, [-1, self._length * self._size])
        return output, new if self._state_is_tuple else _ops.concat(list(new), 1)

    def _attend(self, query: Any, earlier: Any) -> Any:
        """The mean of earlier outputs, weighted by how they fit a state."""
        kernel = _ops.reshape(self._of_earlier, [self._size, self._vector_size])
        features = _ops.matmul(_ops.reshape(earlier, [-1, self._size]), kernel)
        features = _ops.reshape(features, [-1, self._length, self._vector_size])
        wanted = _ops.expand_dims(self._of_state(query), 1)
        scores = _ops.reduce_sum(self._vector * _ops.tanh(features + wanted), [2])
        weights = _ops.expand_dims(_ops.softmax(scores), 2)
        return _ops.reduce_sum(weights * earlier, [1])


class HighwayWrapper(Wrapper):
    """Passes a learned share of a cell's inputs by it (Srivastava, Greff and Schmidhuber, 1505.00387).

    Args:
        cell: the cell, whose outputs have the size of its inputs.
        couple_carry_transform_gates: whether the outputs have what the inputs leave.
        carry_bias_init: the bias of the share at first.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._coupled = couple_carry_transform_gates
        self._start = carry_bias_init

    @property
    def variables(self) -> list[_core.Variable]:
        return [*self._cell.variables, *self.__dict__.get("_variables", [])]

    def prepare(self, inputs: Structure, scope: VariableScope | str | None = None) -> None:
        if self.built:
            return
        super().prepare(inputs, scope)
        self._dtype = inputs.dtype
        size = parts.last_size(inputs.shape)
        self._gates = []
        for name, start in ("carry", self._start), ("transform", -self._start):
            if name == "carry" or not self._coupled:
                kernel = self.add_variable(f"{name}_w", [size, size])
                bias = initializers.Constant(start)
                self._gates.append(
                    (kernel, self.add_variable(f"{name}_b", [size], initializer=bias))
                )

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        outputs, new = self._cell(inputs, state)
        shares = [
            _ops.sigmoid(_ops.bias_add(_ops.matmul(inputs, kernel), bias))
            for kernel, bias in self._gates
        ]
        transformed = 1.0 - shares[0] if self._coupled else shares[1]
        return inputs * shares[0] + outputs * transformed, new


class CompiledWrapper(Wrapper):
    """A cell that TensorFlow compiles; here its operations are fused where that helps.

    Args:
        cell: the cell.
        compile_stateful: accepted.
    """

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)


class EmbeddingWrapper(Around):
    """A cell whose inputs are ids `[batch]` or `[batch, 1]`, which become vectors.

    Args:
        cell: the cell.
        embedding_classes: the number of ids.
        embedding_size: the size of the vectors.
        initializer: of the vectors; by default that of the scope, or uniform ones of variance 1.
        reuse: whether existing variables of the scope are used.

    Raises:
        ValueError: if there are no classes, or no size.
    """

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def _make(self, inputs: Any) -> Any:
        start = self._initializer
        if start is None and self._scope is not None:
            start = self._scope.initializer
        if start is None:
            start = initializers.RandomUniform(-math.sqrt(3), math.sqrt(3))
        dtype = self._dtype or "float32"
        self._embedding = self.add_variable("embedding", self._shape, dtype, start)
        return _Vectors(inputs, self._embedding.dtype, self._shape[1])

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        return self._cell(embedding_lookup(self._embedding, _ops.reshape(inputs, [-1])), state)


class _Vectors(Like):
    """What embedded inputs look like."""

    def __init__(self, inputs: Any, dtype: Any, size: int) -> None:
        super().__init__(inputs, size)
        self.dtype = dtype


class InputProjectionWrapper(Around):
    """A cell whose inputs are mapped first.

    Args:
        cell: the cell.
        num_proj: the size of the cell's inputs.
        activation: of the mapped inputs, by default none.
        input_size: accepted.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: object = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj = num_proj
        self._activation = parts.activation(activation, "linear")

    def _make(self, inputs: Any) -> Any:
        self._linear = parts.Linear(self, parts.last_size(inputs.shape), self._num_proj)
        return Like(inputs, self._num_proj)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        return self._cell(self._activation(self._linear(inputs)), state)


class OutputProjectionWrapper(Around):
    """A cell whose outputs are mapped.

    Args:
        cell: the cell.
        output_size: the size of the mapped outputs.
        reuse: whether existing variables of the scope are used.
        activation: of the mapped outputs, by default none.

    Raises:
        ValueError: if there is no output.
    """

    def __init__(
        self, cell: Any, output_size: int, reuse: Any = None, activation: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = parts.activation(activation, "linear")

    @property
    def output_size(self) -> int:
        return self._output_size

    def _make(self, inputs: Any) -> Any:
        self._linear = parts.Linear(self, self._cell.output_size, self._output_size)
        return inputs

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        outputs, new = self._cell(inputs, state)
        return self._activation(self._linear(outputs)), new

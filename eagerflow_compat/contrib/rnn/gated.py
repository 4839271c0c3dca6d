"""Cells with a vector as state: update gates, intersections, simple units, and one that was searched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.keras.initializers import get as initializer_of
from eagerflow.typing import DTypeLike, ShapeLike, Structure
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple

_ops = _core.ops


class NASCell(parts.MemoryCell):
    """A cell that a search for architectures chose (Zoph and Le, arXiv 1611.01578).

    Args:
        num_units: the size of the memory.
        num_proj: the size of the outputs, if they are projected.
        use_biases: whether there are biases.
        reuse: whether existing variables of the scope are used.

    >>> cell = tf.contrib.rnn.NASCell(3)
    >>> outputs, state = cell(tf.ones([2, 4]), cell.zero_state(2, tf.float32))
    >>> outputs.shape, [v.shape.as_list() for v in cell.variables]
    (TensorShape([2, 3]), [[3, 24], [4, 24]])
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_biases: bool = False,
        reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, num_proj, reuse, **kwargs)
        self._use_biases = use_biases

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._recurrent = self.add_variable("recurrent_kernel", [self.output_size, 8 * units])
        self._kernel = self.add_variable("kernel", [parts.last_size(inputs_shape), 8 * units])
        if self._use_biases:
            self._bias = self.add_variable("bias", [8 * units], initializer=initializers.Zeros())
        if self._num_proj:
            self._projection = self.add_variable("projection_weights", [units, self._num_proj])

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        memory, hidden = state
        of_hidden = _ops.matmul(hidden, self._recurrent)
        if self._use_biases:
            of_hidden = _ops.bias_add(of_hidden, self._bias)
        xs = parts.split(_ops.matmul(inputs, self._kernel), 8)
        hs = parts.split(of_hidden, 8)
        sigmoid, tanh, relu = _ops.sigmoid, _ops.tanh, _ops.relu
        functions = (sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid)
        # The fourth branch multiplies where the others add.
        leaves = [
            f(x * h if k == 3 else x + h)
            for k, (f, x, h) in enumerate(zip(functions, xs, hs, strict=True))
        ]
        first = tanh(tanh(leaves[0] * leaves[1]) + memory)
        memory = first * tanh(leaves[2] + leaves[3])
        other = tanh(tanh(leaves[4] * leaves[5]) + sigmoid(leaves[6] + leaves[7]))
        hidden = tanh(memory * other)
        if self._num_proj:
            hidden = _ops.matmul(hidden, self._projection)
        return hidden, LSTMStateTuple(memory, hidden)


class UGRNNCell(parts.VectorCell):
    """A recurrent unit with one gate, for updates (Collins et al., arXiv 1611.09913).

    Args:
        num_units: the size of the state and the outputs.
        initializer: of the variables.
        forget_bias: is added to the gate.
        activation: of the candidate.
        reuse: whether existing variables of the scope are used.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = parts.activation(activation)

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        rows = parts.last_size(inputs_shape) + units
        self._linear = parts.Linear(self, rows, 2 * units, initializer=self._initializer)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        gate, candidate = parts.split(self._linear(inputs, state), 2)
        kept = _ops.sigmoid(gate + self._forget_bias)
        new = kept * state + (1.0 - kept) * self._activation(candidate)
        return new, new


class IntersectionRNNCell(parts.VectorCell):
    """A recurrent unit with gates along time and depth, for deep stacks (arXiv 1611.09913).

    Args:
        num_units: the size of the state and the outputs.
        num_in_proj: `num_units` for the first of a stack, whose inputs are projected.
        initializer: of the variables.
        forget_bias: is added to the gates.
        y_activation: of what goes to the next of the stack, by default relu.
        reuse: whether existing variables of the scope are used.

    Raises:
        ValueError: if inputs have another size and are not to be projected.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, reuse)
        self._num_in_proj = num_in_proj
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = parts.activation(y_activation, "relu")

    def build(self, inputs_shape: ShapeLike) -> None:
        size, units, start = parts.last_size(inputs_shape), self._num_units, self._initializer
        self._project = None
        if size != units:
            if not self._num_in_proj:
                raise ValueError(
                    "Must have input size == output size for Intersection RNN. To fix, num_in_proj "
                    "should be set to num_units at cell init."
                )
            self._project = parts.Linear(self, size, units, "in_projection", start)
        self._linear = parts.Linear(self, 2 * units, 4 * units, initializer=start)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        if self._project is not None:
            inputs = self._project(inputs)
        time_gate, along_time, depth_gate, along_depth = parts.split(self._linear(inputs, state), 4)
        kept = _ops.sigmoid(time_gate + self._forget_bias)
        passed = _ops.sigmoid(depth_gate + self._forget_bias)
        new = kept * state + (1.0 - kept) * _ops.tanh(along_time)
        return passed * inputs + (1.0 - passed) * self._activation(along_depth), new


class SRUCell(parts.VectorCell):
    """A simple recurrent unit: the state takes part elementwise only (Lei et al., arXiv 1709.02755).

    Args:
        num_units: the size of the state and the outputs.
        activation: of the state, by default tanh.
        reuse: whether existing variables of the scope are used.
        name: the cell's name.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, reuse, name, **kwargs)
        self._activation = parts.activation(activation)

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._kernel = self.add_variable("kernel", [parts.last_size(inputs_shape), 4 * units])
        self._bias = self.add_variable("bias", [2 * units], initializer=initializers.Zeros())

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        candidate, forget, reset, through = parts.split(_ops.matmul(inputs, self._kernel), 4)
        gates = _ops.bias_add(_ops.concat([forget, reset], 1), self._bias)
        forget, reset = parts.split(_ops.sigmoid(gates), 2)
        memory = forget * state + (1.0 - forget) * candidate
        return reset * self._activation(memory) + (1.0 - reset) * through, memory


class _Keras(parts.VectorCell):
    """Base class of cells whose arguments are named as those of Keras's layers."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "ones",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, name=name, dtype=dtype, **kwargs)
        self._activation: Callable[..., Any] = parts.activation(activation)
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    def _make(self, kernel: list[int], recurrent: list[int], bias: int) -> None:
        start = self._kernel_initializer
        self._kernel = self.add_variable("kernel", kernel, initializer=start)
        self._recurrent = self.add_variable("recurrent_kernel", recurrent, initializer=start)
        self._bias = self.add_variable("bias", [bias], initializer=self._bias_initializer)


class MinimalRNNCell(_Keras):
    """A recurrent unit with one gate over inputs that are mapped first (Chen, arXiv 1711.06788).

    Args:
        units: the size of the state and the outputs.
        activation: of the mapped inputs.
        kernel_initializer: of the matrices.
        bias_initializer: of the bias.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._make([parts.last_size(inputs_shape), units], [2 * units, units], units)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        mapped = self._activation(_ops.matmul(inputs, self._kernel))
        gate = _ops.matmul(_ops.concat([mapped, state], 1), self._recurrent)
        kept = _ops.sigmoid(_ops.bias_add(gate, self._bias))
        new = kept * state + (1.0 - kept) * mapped
        return new, new


class CFNCell(_Keras):
    """A network without chaotic dynamics (Laurent and von Brecht, arXiv 1612.06212).

    Args:
        units: the size of the state and the outputs.
        activation: of the state and the inputs.
        kernel_initializer: of the matrices.
        bias_initializer: of the gates' biases.
        name: the cell's name.
        dtype: the dtype of the variables, by default that of the inputs.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        units = self._num_units
        self._make([parts.last_size(inputs_shape), 3 * units], [units, 2 * units], 2 * units)

    def call(self, inputs: Any, state: Structure) -> tuple[Any, Any]:
        units = self._num_units
        of_gates, candidate = _ops.split(_ops.matmul(inputs, self._kernel), [2 * units, units], 1)
        gates = _ops.bias_add(of_gates + _ops.matmul(state, self._recurrent), self._bias)
        kept, taken = parts.split(_ops.sigmoid(gates), 2)
        new = kept * self._activation(state) + taken * self._activation(candidate)
        return new, new

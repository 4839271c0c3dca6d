"""The base of recurrent cells: initial states, and masks of dropout."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import activations
from eagerflow.keras.engine.calls.training_mode import by_training, may_train
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.initializers import Initializer
from eagerflow.keras.layers.arguments import FunctionLayer
from eagerflow.keras.layers.random_layer import BaseRandomLayer
from eagerflow.ops.array import shape
from eagerflow.ops.nn.normalization import dropout, stateless_dropout
from eagerflow.typing import DTypeLike, ShapeLike, Structure

_ops = _core.ops


def zero_states(batch_size: Any, state_size: object, dtype: Any) -> Any:
    """Zeros `[batch_size, ...]` for each state.

    Args:
        batch_size: the number of sequences.
        state_size: a number, a shape, or a structure of them: the sizes of a state.
        dtype: the states' dtype.

    Raises:
        ValueError: if the batch size or the dtype is missing.
    """
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state. "
            f"Received: batch_size={batch_size}, dtype={dtype}"
        )
    symbolic = isinstance(batch_size, KerasTensor) or (
        isinstance(batch_size, _core.Tensor) and _core.is_symbolic(batch_size)
    )
    batch, dtype = batch_size if symbolic else int(batch_size), dtypes.as_dtype(dtype)

    def zeros(size: Any) -> Any:
        return _ops.zeros([batch, *state_sizes(size)], dtype)

    return map_states(zeros, state_size)


def as_dtype(value: Any, dtype: dtypes.DType) -> Any:
    """A tensor or variable in that dtype."""
    return value if value.dtype is dtype else _ops.cast(value, dtype)


def state_sizes(size: object) -> list[int]:
    """One state's sizes without the batch's."""
    return TensorShape(size).as_list()  # type: ignore[return-value]


def map_states(function: Any, state_size: Any) -> Any:
    """`function` of each entry of a structure of state sizes."""
    if isinstance(state_size, (list, tuple)):
        return [map_states(function, size) for size in state_size]
    return function(state_size)


def initial_state_of(cell: Any, inputs: Any, batch_size: object, dtype: object) -> Any:
    """A cell's initial states."""
    if inputs is not None:
        inputs = nest.flatten(inputs)[0]
        batch_size, dtype = shape(inputs)[0], inputs.dtype
    return zero_states(batch_size, cell.state_size, dtype)


class AbstractRNNCell(Layer):
    """The base of a program's own cells.

    A cell has a `call(inputs, states)` that returns an output and the new states, and the
    properties `state_size` and `output_size`.

    >>> class Sum(tf.keras.layers.AbstractRNNCell):
    ...     state_size = output_size = 3
    ...
    ...     def call(self, inputs, states):
    ...         total = states[0] + inputs
    ...         return total, [total]
    >>> tf.keras.layers.RNN(Sum())(tf.ones([1, 4, 3])).numpy()
    array([[4., 4., 4.]], dtype=float32)
    """

    def call(self, inputs: _core.Tensor, states: Structure) -> Any:
        """One step: the output, and the states after it."""
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The size of the state, or a list of sizes if there are several."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Any:
        """The states before the first step: zeros."""
        return initial_state_of(self, inputs, batch_size, dtype)


class DropoutRNNCellMixin:
    """A cell's masks of dropout, which stay the same for all steps of a sequence."""

    dropout: float
    recurrent_dropout: float
    _mask: Any = None
    _recurrent_mask: Any = None

    def reset_dropout_mask(self) -> None:
        """Makes the next step draw a new mask of inputs."""
        self.__dict__["_mask"] = None

    def reset_recurrent_dropout_mask(self) -> None:
        """Makes the next step draw a new mask of states."""
        self.__dict__["_recurrent_mask"] = None

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """A mask to multiply inputs with, or a list of `count`; None without dropout."""
        if not self.dropout or not may_train(training):
            return None
        if self._mask is None:
            self.__dict__["_mask"] = self._create_dropout_mask(inputs, training, count)
        return self._mask

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        """A mask to multiply states with, or a list of `count`; None without dropout."""
        if not self.recurrent_dropout or not may_train(training):
            return None
        if self._recurrent_mask is None:
            masks = self._create_recurrent_dropout_mask(inputs, training, count)
            self.__dict__["_recurrent_mask"] = masks
        return self._recurrent_mask

    # Keras 3's names: its cells ask for masks only while they train.
    dropout_mask_count = 1

    def get_dropout_mask(self, step_input: Any) -> Any:
        """A mask of inputs, or a list of `dropout_mask_count`; None without dropout."""
        return self.get_dropout_mask_for_cell(step_input, True, self.dropout_mask_count)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """A mask of states, or a list of `dropout_mask_count`; None without dropout."""
        return self.get_recurrent_dropout_mask_for_cell(step_input, True, self.dropout_mask_count)

    def _create_dropout_mask(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """A new mask of inputs, or a list of `count`."""
        return self._masks(inputs, self.dropout, count, training)

    def _create_recurrent_dropout_mask(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """A new mask of states, or a list of `count`."""
        return self._masks(inputs, self.recurrent_dropout, count, training)

    def _masks(self, inputs: Any, rate: float, count: int, training: bool | _core.Tensor) -> Any:
        ones = _ops.ones_like(inputs)
        # Cells of programs may have a generator of seeds, or no random numbers of their own.
        generator = getattr(self, "_random_generator", None)
        seeds = getattr(self, "seed_generator", None)
        drop = dropout if generator is None else generator.dropout
        if seeds is not None:
            drop = lambda x, rate: stateless_dropout(x, rate, seeds.next())  # noqa: E731
        masks = [
            by_training(training, lambda on: drop(ones, rate) if on else ones) for _ in range(count)
        ]
        return masks if count > 1 else masks[0]


class DropoutRNNCell(DropoutRNNCellMixin, FunctionLayer, BaseRandomLayer):
    """A cell with dropout."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Any:
        """The states before the first step: zeros."""
        return initial_state_of(self, inputs, batch_size, dtype)


def checked_units(units: Any) -> int:
    """The number of units.

    Raises:
        ValueError: if it is not positive.
    """
    if units is None or units <= 0:
        raise ValueError(
            "Received an invalid value for argument `units`, "
            f"expected a positive integer, got {units}."
        )
    return units


CELL_FUNCTIONS = (
    "kernel_initializer",
    "recurrent_initializer",
    "bias_initializer",
    "kernel_regularizer",
    "recurrent_regularizer",
    "bias_regularizer",
    "kernel_constraint",
    "recurrent_constraint",
    "bias_constraint",
)


# The names under which native operations know functions.
NATIVE_ACTIVATIONS: dict[object, str] = {
    activations.tanh: "tanh",
    activations.relu: "relu",
    activations.linear: "linear",
    activations.sigmoid: "sigmoid",
    _ops.tanh: "tanh",
    _ops.relu: "relu",
    _ops.sigmoid: "sigmoid",
}
NATIVE_GATES: dict[object, str] = {
    activations.sigmoid: "sigmoid",
    activations.hard_sigmoid: "hard_sigmoid",
    _ops.sigmoid: "sigmoid",
}


class GatedCell(DropoutRNNCell):
    """A cell with a kernel for its inputs, one for its state, and a bias.

    `_gates` says how many times the units there are; the kernels hold the gates side by side.
    """

    _gates: int
    implementation = 2  # with 1 each gate has its own dropout mask
    _bias_rows: int | None = None
    state_size: Any
    output_size: Any

    def _set(self, units: int, use_bias: bool, dropout: float, recurrent_dropout: float) -> None:
        self.units = checked_units(units)
        self.use_bias = use_bias
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))

    def _bias_initializer(self) -> Initializer:
        return self.bias_initializer

    def build(self, input_shape: ShapeLike) -> None:
        width = self.units * self._gates
        last = TensorShape(input_shape)[-1]
        self.kernel = self.add_weight(
            shape=(last, width),
            name="kernel",
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.units, width),
            name="recurrent_kernel",
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.bias = None
        if self.use_bias:
            rows = (width,) if self._bias_rows is None else (self._bias_rows, width)
            self.bias = self.add_weight(
                shape=rows,
                name="bias",
                initializer=self._bias_initializer(),
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        Layer.build(self, input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        return {"kernel": ((0,), None), "recurrent_kernel": ((0,), None)}

    def projected(self, inputs: Any, masks: Any = None) -> Any:
        """The contribution of inputs `[..., features]` to the gates."""
        result = self._product(inputs, self.kernel, masks)
        bias = self._input_bias()
        return result if bias is None else _ops.bias_add(result, bias, "NHWC")

    def _product(self, x: _core.Tensor, kernel: Any, masks: Any) -> _core.Tensor:
        """x @ kernel; with dropout x is multiplied with one mask, or with one for each gate."""
        if masks is None:
            return _ops.matmul(x, kernel)
        if not isinstance(masks, list):
            return _ops.matmul(_ops.multiply(x, masks), kernel)
        if self.implementation != 1:
            return _ops.matmul(_ops.multiply(x, masks[0]), kernel)
        kernels = _ops.split(kernel, [self.units] * len(masks), 1)
        parts = [
            _ops.matmul(_ops.multiply(x, mask), part)
            for mask, part in zip(masks, kernels, strict=True)
        ]
        return _ops.concat(parts, 1)

    def _input_bias(self) -> Any:
        return self.bias

    def prepare(self, state: Structure, training: bool | _core.Tensor | None) -> Any:
        """The argument of `advance` that is the same for all steps: masks of states."""
        return self.get_recurrent_dropout_mask_for_cell(state, training, self._gates)

    def advance(self, projection: Any, states: Structure, prepared: Any) -> tuple[Any, list[Any]]:
        """One step, from the result of `projected`: the output, and the states after it."""
        raise NotImplementedError

    def native_functions(self) -> tuple[str, ...] | None:
        """The names of the activations if a native operation does all steps, else None."""
        value = NATIVE_ACTIVATIONS.get(self.activation)
        if self._gates == 1 or value is None:
            return None if value is None else (value,)
        gate = NATIVE_GATES.get(self.recurrent_activation)
        return None if gate is None else (value, gate)

    def run_native(
        self, projection: Any, states: list[Any], mask: Any, functions: tuple[str, ...]
    ) -> tuple[Any, list[Any]]:
        """All steps by one operation: the state after each `[steps, batch, units]`, and the last.

        Args:
            projection: the result of `projected`, as `[steps, batch, gates * units]`.
            states: the states at first.
            mask: which sequences have which steps, `[steps, batch]`, or None.
            functions: the result of `native_functions`.
        """
        raise NotImplementedError

    def call(self, inputs: _core.Tensor, states: Structure, training: Any = None) -> Any:
        nested = isinstance(states, (list, tuple))
        state_list = states if nested else [states]
        masks = self.get_dropout_mask_for_cell(inputs, training, self._gates)
        prepared = self.prepare(state_list[0], training)
        output, new = self.advance(self.projected(inputs, masks), state_list, prepared)
        return output, new if nested else new[0]

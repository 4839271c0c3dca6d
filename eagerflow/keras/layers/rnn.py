"""The recurrent layer: a cell, applied to each step of sequences."""

from __future__ import annotations

import copy
import inspect
from contextlib import nullcontext
from typing import Any

import numpy as np

from eagerflow import _core, errors, nest
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import may_train
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import is_shape_list
from eagerflow.keras.layers.rnn_cell import (
    DropoutRNNCellMixin,
    map_states,
    state_sizes,
    zero_states,
)
from eagerflow.keras.layers.stacked_rnn_cells import StackedRNNCells
from eagerflow.keras.saving import serialization
from eagerflow.keras.time_steps import Step, by_time, over_steps
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.ops import conversion
from eagerflow.typing import Structure, TensorLike

_ops = _core.ops


class RNN(Layer):
    """Applies a cell to each step of sequences `[batch, steps, features]`.

    Args:
        cell: an object with `call(inputs, states)`, which returns an output and new states, and
            the attribute `state_size`; or a list of cells, which are stacked.
        return_sequences: whether the outputs of all steps are returned, or that of the last one.
        return_state: whether the last states are returned, too.
        go_backwards: whether the last step comes first.
        stateful: whether a batch goes on with the states after the one before.
        unroll: whether the number of steps must be known: loops run step by step in any case.
        time_major: whether steps are the first axis and the batch the second.
        **kwargs: `name`, `dtype`, …; `zero_output_for_mask`: whether the output of masked steps
            is zero instead of that of the step before.

    A call takes `mask` (a bool tensor `[batch, steps]`), `training`, `initial_state` (a list of
    states) and `constants` (tensors that are passed to the cell at each step).

    Raises:
        ValueError: if the cell lacks something; on a call, if states do not fit the cell, or if
            the number of steps is unknown and `unroll` is set.
        tf.errors.InvalidArgumentError: on a call, if there are no steps.

    >>> layer = tf.keras.layers.RNN(tf.keras.layers.LSTMCell(4), return_sequences=True)
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    _composite_call = "steps"

    # Checkpoints have no states: a model of another batch size restores its weights from them.
    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | {"_states"}
    _states: Any = None
    # The shapes of states and constants, once the layer is built.
    state_spec: Any = None
    constants_spec: Any = None
    _names_cell = True  # whether the cell's name is part of its weights' names

    _unsaved_arguments = frozenset({"cell"})

    _further_inputs = ("initial_state", "constants")

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if "call" not in dir(cell):
            raise ValueError(
                f"Argument `cell` should have a `call` method. The RNN was passed: cell={cell}"
            )
        if "state_size" not in dir(cell):
            raise ValueError(
                "The RNN cell should have a `state_size` attribute (tuple of integers, one "
                f"integer per RNN state). Received: cell={cell}"
            )
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (
                kwargs.pop("input_length", None),
                kwargs.pop("input_dim", None),
            )
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        self._masks_only_from_masks = True

        self._num_constants = 0
        call = inspect.signature(cell.call).parameters
        self._cell_takes_training = "training" in call
        self._cell_takes_constants = "constants" in call or any(
            parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in call.values()
        )

    @property
    def states(self) -> Any:
        """The states between batches of a stateful layer: a list of variables."""
        if self._states is None:
            single = not isinstance(self.cell.state_size, (list, tuple))
            return [None] if single else map_states(lambda size: None, self.cell.state_size)
        return self._states

    def _saved_model_children(self) -> dict[str, Any]:
        states = {} if self._states is None else {"_states": self._states}
        return states | super()._saved_model_children()

    def __setattr__(self, name: str, value: Any) -> None:
        # These variables are no weights.
        if name == "states":
            self.__dict__["_states"] = value
        else:
            super().__setattr__(name, value)

    def build(self, input_shape: Any) -> None:
        shapes = [TensorShape(s) for s in _flat_shapes(input_shape)]
        if isinstance(input_shape, list) and is_shape_list(input_shape):
            input_shape = input_shape[0]
            shapes = shapes[:1]
        specs = []
        for shape in shapes:
            sizes = shape.as_list()
            sizes[0 if self.time_major else 1] = None
            if not self.stateful:
                sizes[1 if self.time_major else 0] = None
            specs.append(InputSpec(shape=sizes))
        self.__dict__["_batch_size"] = shapes[0].as_list()[1 if self.time_major else 0]
        # What follows the first input, states and constants, is not checked here.
        self._input_spec = None if len(shapes) > 1 else specs[0]
        if isinstance(self.cell, Layer) and not self.cell.built:
            steps = [self._step_shape(shape) for shape in shapes]
            one = steps[0] if len(steps) == 1 else nest.pack_sequence_as(input_shape, steps)
            with name_scope(self.cell.name) if self._names_cell else nullcontext():
                self.cell.build(one)
                Layer.build(self.cell, one)
        if self.state_spec is None:
            states = map(TensorShape, _flat_sizes(self.cell.state_size))
            self.state_spec = [
                InputSpec() if size.rank is None else InputSpec(shape=(None, *size.as_list()))
                for size in states
            ]
        if self.stateful:
            self.reset_states()
        Layer.build(self, input_shape)

    def _step_shape(self, shape: TensorShape) -> TensorShape:
        sizes = shape.as_list()
        batch = sizes[1 if self.time_major else 0]
        return TensorShape([batch, *sizes[2:]])

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """The states at the first step of a batch: the cell's initial states, or zeros."""
        x = conversion.convert_to_tensor(nest.flatten(inputs)[0])
        batch = x._sizes()[1 if self.time_major else 0]
        function = getattr(self.cell, "get_initial_state", None)
        if function is not None:
            state = function(inputs=None, batch_size=batch, dtype=x.dtype)
        else:
            state = zero_states(batch, self.cell.state_size, x.dtype)
        return list(state) if isinstance(state, (list, tuple)) else [state]

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        if isinstance(inputs, list) and len(inputs) > 1:
            # The input, then states, then constants.
            count = self._num_constants
            rest = inputs[1:]
            if count:
                rest, constants = rest[:-count], rest[-count:]
            if rest:
                initial_state = rest
            inputs = inputs[0]
        elif isinstance(inputs, list):
            inputs = inputs[0]
        if initial_state is not None:
            if not isinstance(initial_state, (list, tuple)):
                initial_state = [initial_state]
            kwargs["initial_state"] = list(initial_state)
            self._check_states(kwargs["initial_state"])
        if constants is not None:
            constants = list(constants) if isinstance(constants, (list, tuple)) else [constants]
            self._num_constants = len(constants)
            kwargs["constants"] = constants
        check_steps(self, inputs)
        return super().__call__(inputs, **kwargs)

    def _process_inputs(
        self, inputs: Any, initial_state: Any, constants: Any
    ) -> tuple[Any, list[Any], Any]:
        """The inputs, the states at the first step of a call, and the constants."""
        return inputs, self._begin(inputs, initial_state), constants

    def _begin(self, inputs: Any, initial_state: Structure) -> list[Any]:
        """The states at the first step of a call."""
        if self.stateful:
            if self._states is None:
                self.reset_states()
            own = [state.read_value() for state in nest.flatten(self._states)]
            dtype = nest.flatten(inputs)[0].dtype
            own = [_ops.cast(state, dtype) for state in own]
            if initial_state is not None:
                # They count for the first batch.
                used = [_ops.reduce_any(_ops.not_equal(s, _ops.zeros_like(s))) for s in own]
                begun = _ops.reduce_any(_ops.stack(used, 0))
                initial = [conversion.cast(s, dtype) for s in nest.flatten(initial_state)]
                own = [_ops.select(begun, *pair) for pair in zip(own, initial, strict=True)]
            return nest.pack_sequence_as(self._states, own)
        if initial_state is None:
            return self.get_initial_state(inputs)
        dtype = nest.flatten(inputs)[0].dtype
        return nest.map_structure(lambda s: conversion.cast(s, dtype), list(initial_state))

    def _check_states(self, initial_state: Structure) -> None:
        """Refuses states that are not those of the cell."""
        size = self.cell.state_size
        wanted = [TensorShape(one) for one in _flat_sizes(size)]
        state_sizes = [list(state.shape)[1:] for state in nest.flatten(initial_state)]
        if len(wanted) != len(state_sizes) or any(
            not one.is_compatible_with(TensorShape(other))
            for one, other in zip(wanted, state_sizes, strict=True)
        ):
            specs = [InputSpec(shape=(None, *sizes)) for sizes in state_sizes]
            raise ValueError(
                "An `initial_state` was passed that is not compatible with `cell.state_size`. "
                f"Received `state_spec`={specs}; however `cell.state_size` is "
                f"{list(size) if isinstance(size, (list, tuple)) else [size]}"
            )
        count = len(size) if isinstance(size, (list, tuple)) else 1
        if len(initial_state) != count:
            raise ValueError(
                f"Layer has {count} states but was passed {len(initial_state)} initial states. "
                f"Received: initial_state={initial_state}"
            )

    def _by_time(self, inputs: Any) -> Any:
        """Inputs with time as their first axis."""
        return inputs if self.time_major else nest.map_structure(by_time, inputs)

    def _loop(self, step: Step, x: Any, states: list[Any], mask: Any) -> tuple[Any, Any, list[Any]]:
        """The last output, those of all steps if they are wanted, and the last states.

        Args:
            step: for the inputs of a step and states, an output and the next states.
            x: the inputs, with time as their first axis.
            states: the states at first.
            mask: that of the call.
        """
        return over_steps(
            step,
            x,
            states,
            mask_matrix(mask, self.time_major),
            backwards=self.go_backwards,
            zero=self.zero_output_for_mask,
            axis=(0 if self.time_major else 1) if self.return_sequences else None,
            unroll=self.unroll,
        )

    def _maybe_reset_cell_dropout_mask(self, cell: Any) -> None:
        """Makes a cell, or those of a stack, draw new dropout masks."""
        for one in _dropping_cells(cell):
            one.reset_dropout_mask()
            one.reset_recurrent_dropout_mask()

    def _dropping(self, step: Step, training: bool | _core.Tensor) -> Step:
        """A step as in the loop of a traced function, which draws new dropout masks.

        Calls outside such functions, and those that are unrolled, draw masks once for all steps.
        """
        if self.unroll or not may_train(training) or _core.building() is None:
            return step
        if not any(cell.dropout or cell.recurrent_dropout for cell in _dropping_cells(self.cell)):
            return step

        def choosing(x: _core.Tensor, states: list[_core.Tensor]) -> tuple[Any, list[Any]]:
            self._maybe_reset_cell_dropout_mask(self.cell)
            return step(x, states)

        return choosing

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Structure | None = None,
        constants: Any = None,
    ) -> Any:
        self._maybe_reset_cell_dropout_mask(self.cell)
        inputs, states, constants = self._process_inputs(inputs, initial_state, constants)
        kwargs: dict[str, Any] = {}
        if self._cell_takes_training:
            kwargs["training"] = training
        if constants:
            if not self._cell_takes_constants:
                raise ValueError(
                    f"RNN cell {self.cell} does not support constants. "
                    f"Received: constants={constants}"
                )
            kwargs["constants"] = constants
        cell = self.cell if callable(self.cell) else self.cell.call
        lengths = {len(nest.flatten(state)) for state in states}
        nested = lengths != {1} or any(nest.is_nested(state) for state in states)

        def step(x: _core.Tensor, flat: list[Any]) -> tuple[Any, list[Any]]:
            cell_states = nest.pack_sequence_as(states, flat) if nested else flat
            output, new = cell(x, cell_states, **kwargs)
            return output, nest.flatten(new)

        x = self._by_time(inputs)
        flat = nest.flatten(states)
        last, every, final = self._loop(self._dropping(step, training), x, flat, mask)
        return self._finish(last, every, final, nest.pack_sequence_as(states, final))

    def _finish(self, last: _core.Tensor, every: Any, flat: list[Any], states: Structure) -> Any:
        """Keeps the states, and returns the result of a call."""
        self._keep_states(flat)
        output = every if self.return_sequences else last
        if not self.return_state:
            return output
        return [*(output if isinstance(output, list) else [output]), *states]

    def _keep_states(self, flat: list[_core.Tensor]) -> None:
        """Assigns the last states to a stateful layer's variables."""
        if self.stateful:
            for variable, state in zip(nest.flatten(self._states), flat, strict=True):
                variable.assign(_ops.cast(state, variable.dtype))

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> Structure:
        mask = nest.flatten(mask)[0] if mask is not None else None
        output_mask = mask if self.return_sequences else None
        if self.return_state:
            return [output_mask] + [None] * len(self.states)
        return output_mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        if isinstance(input_shape, list) and is_shape_list(input_shape):
            input_shape = input_shape[0]
        sizes = TensorShape(_flat_shapes(input_shape)[0]).as_list()
        batch, steps = sizes[:2]
        if self.time_major:
            batch, steps = steps, batch
        state_size = self.cell.state_size
        output_size = getattr(self.cell, "output_size", None)
        if output_size is None:
            output_size = nest.flatten(state_size)[0]

        def output(size: int) -> TensorShape:
            rest = TensorShape(size).as_list()
            if not self.return_sequences:
                return TensorShape([batch, *rest])
            return TensorShape([steps, batch, *rest] if self.time_major else [batch, steps, *rest])

        result = map_states(output, output_size)
        if not self.return_state:
            return result
        states = [TensorShape([batch, *state_sizes(size)]) for size in _flat_sizes(state_size)]
        return [result, *states]

    def reset_states(self, states: Structure | None = None) -> None:
        """Sets the states of a stateful layer.

        Args:
            states: arrays of the states' shapes; zeros by default.

        Raises:
            AttributeError: if the layer is not stateful.
            ValueError: if the batch size is unknown, or the shapes differ.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        batch = self.__dict__.get("_batch_size")
        if not batch:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of "
                "your input tensors: \n- If using a Sequential model, specify the batch size by "
                "passing a `batch_input_shape` argument to your first layer.\n- If using the "
                "functional API, specify the batch size by passing a `batch_shape` argument to "
                "your Input layer."
            )
        if self._states is None:
            dtype = self.variable_dtype or "float32"
            function = getattr(self.cell, "get_initial_state", None)
            if function is not None:
                zeros = function(inputs=None, batch_size=batch, dtype=dtype)
            else:
                zeros = zero_states(batch, self.cell.state_size, dtype)
            zeros = list(zeros) if isinstance(zeros, (list, tuple)) else [zeros]
            self.__dict__["_states"] = nest.map_structure(
                lambda z: Variable(z, trainable=False), zeros
            )
            if states is None:
                return
        own = nest.flatten(self._states)
        if states is None:
            for variable in own:
                variable.assign(_ops.zeros(variable.shape.as_list(), variable.dtype))
            return
        new_values = nest.flatten(states)
        if len(new_values) != len(own):
            raise ValueError(
                f"Layer {self.name} expects {len(own)} states, but it received {len(new_values)} state "
                f"values. States received: {states}"
            )
        for number, (value, variable) in enumerate(zip(new_values, own, strict=True)):
            if tuple(value.shape) != tuple(variable.shape):
                raise ValueError(
                    f"State {number} is incompatible with layer {self.name}: expected "
                    f"shape={tuple(variable.shape)} but found shape={tuple(value.shape)}"
                )
        for value, variable in zip(new_values, own, strict=True):
            variable.assign(np.asarray(value).astype(variable.dtype.as_numpy_dtype))

    def get_config(self) -> Config:
        config = {
            **super().get_config(),
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "time_major": self.time_major,
        }
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        config["cell"] = serialization.serialize_keras_object(self.cell)
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Layer:
        """A layer from what `get_config` returned, its cell included."""
        config = copy.deepcopy(config)
        constants = config.pop("num_constants", 0)
        cell = config.pop("cell")
        cell = serialization.deserialize_as("layer", cell, custom_objects=custom_objects)
        layer = cls(cell, **config)
        layer._num_constants = constants
        return layer


def _dropping_cells(cell: Any) -> list[DropoutRNNCellMixin]:
    """The cells, of a stack or this one, that can drop inputs or states."""
    cells = cell.cells if isinstance(cell, StackedRNNCells) else [cell]
    return [one for one in cells if isinstance(one, DropoutRNNCellMixin)]


def _flat_shapes(shape: TensorShape) -> list[Any]:
    """The shapes in a structure of them."""
    if isinstance(shape, TensorShape):
        return [shape]
    if isinstance(shape, dict):
        return [leaf for key in sorted(shape) for leaf in _flat_shapes(shape[key])]
    if isinstance(shape, (list, tuple)) and any(
        isinstance(entry, (list, tuple, dict, TensorShape)) for entry in shape
    ):
        return [leaf for entry in shape for leaf in _flat_shapes(entry)]
    return [shape]


def mask_matrix(mask: Any, time_major: bool) -> Any:
    """A mask as `[steps, batch]`, or None."""
    mask = None if mask is None else nest.flatten(mask)[0]
    if mask is None:
        return None
    if mask.ndim == 3:
        mask = _ops.squeeze(mask, [2])
    if mask.dtype is not dtypes.bool:
        mask = _ops.cast(mask, dtypes.bool)
    return mask if time_major else _ops.transpose(mask, [1, 0])


def check_steps(layer: RNN, inputs: TensorLike) -> None:
    """Refuses sequences without steps, and for an unrolled layer those of unknown length."""
    first = nest.flatten(inputs)[0]
    shape = getattr(first, "shape", None)
    if shape is None or len(shape) < 2:
        return
    count = shape[0 if getattr(layer, "time_major", False) else 1]
    if count == 0:
        if layer.unroll:
            raise ValueError(
                "Unrolling requires a fixed number of timesteps. Received inputs of shape "
                f"{tuple(shape)}."
            )
        message = (
            f"Layer {layer.name} needs sequences of at least one step. Received inputs of shape "
            f"{tuple(shape)}."
        )
        if isinstance(first, KerasTensor):
            raise ValueError(message)
        raise errors.InvalidArgumentError._of(message)
    if count is None and layer.unroll and isinstance(first, KerasTensor):
        raise ValueError(
            "Cannot unroll a RNN if the time dimension is undefined.\n- If using a Sequential "
            "model, specify the time dimension by passing an `input_shape` or `batch_input_shape` "
            "argument to your first layer. If your first layer is an Embedding, you can also use "
            "the `input_length` argument.\n- If using the functional API, specify the time "
            "dimension by passing a `shape` or `batch_shape` argument to your Input layer.\n"
            "Unrolling requires a fixed number of timesteps."
        )


def _flat_sizes(size: Any) -> list[Any]:
    """The states' sizes one after the other; a TensorShape is one."""
    if isinstance(size, (list, tuple)):
        return [one for entry in size for one in _flat_sizes(entry)]
    return [size]

"""Recurrent layers that make their own cell and take its arguments."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import activations, regularizers
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import may_train
from eagerflow.keras.layers.rnn import RNN, mask_matrix
from eagerflow.keras.layers.rnn_cell import as_dtype
from eagerflow.keras.typing import Config, CustomObjects

_ops = _core.ops
_STARS = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def argument_names(cell: Any, *more: str) -> tuple[str, ...]:
    """The names of a cell's arguments, and of more that it takes as keywords."""
    parameters = list(inspect.signature(cell).parameters.values())
    return (*(p.name for p in parameters if p.kind not in _STARS), *more)


def split_arguments(
    cell: Any, names: tuple[str, ...], name: str, arguments: dict[str, Any], **more: Any
) -> tuple[Any, dict[str, Any]]:
    """The cell for a layer, and the arguments of the layer that are not the cell's.

    Args:
        cell: the cell's class.
        names: its arguments.
        name: its name.
        arguments: the arguments of the layer's `__init__`, as `locals()` returns them.
        **more: arguments of the cell that the layer does not have.
    """
    hidden = ("self", "__class__", "kwargs")
    rest = {key: value for key, value in arguments.items() if key not in hidden} | arguments[
        "kwargs"
    ]
    own = {key: rest.pop(key) for key in (*names, "seed") if key in rest}
    made = cell(
        **more, **own, dtype=rest.get("dtype"), trainable=rest.get("trainable", True), name=name
    )
    return made, rest


class RNNWithOwnCell(RNN):
    """The base of recurrent layers that make their own cell; its arguments are attributes, too."""

    _cell_names: tuple[str, ...]  # the names of the cell's arguments

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._cell_names and "cell" in self.__dict__:
            return getattr(self.cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def get_dropout_mask_for_cell(self, inputs: Any, training: Any, count: int = 1) -> Any:
        """The cell's mask of inputs."""
        return self.cell.get_dropout_mask_for_cell(inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(
        self, inputs: Any, training: Any, count: int = 1
    ) -> Any:
        """The cell's mask of states."""
        return self.cell.get_recurrent_dropout_mask_for_cell(inputs, training, count)

    def reset_dropout_mask(self) -> None:
        """Makes the cell draw a new mask of inputs."""
        self.cell.reset_dropout_mask()

    def reset_recurrent_dropout_mask(self) -> None:
        """Makes the cell draw a new mask of states."""
        self.cell.reset_recurrent_dropout_mask()

    def get_config(self) -> Config:
        config = super().get_config()
        del config["cell"]
        own = self.cell.get_config()
        return {
            **config,
            **{name: own[name] for name in self._cell_names},
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A layer from what `get_config` returned."""
        return cls(**config)


class GatedRNN(RNNWithOwnCell):
    """The base of recurrent layers whose cell is a `GatedCell`.

    Inputs are projected for all steps at once. Subclasses take the arguments of their cell, and
    these:

    Args:
        activity_regularizer: adds a loss for the output.
        return_sequences: whether the outputs of all steps are returned, or that of the last one.
        return_state: whether the last states are returned, too.
        go_backwards: whether the last step comes first.
        stateful: whether a batch goes on with the states after the one before.
        unroll: accepted: loops run step by step in any case.
        time_major: whether steps are the first axis and the batch the second.
        **kwargs: `name`, `dtype`, `input_shape`, …

    A call takes `mask`, `training` and `initial_state`, see `RNN`.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    _passes_dtype_policy = True

    def __init__(self, cell: Any, name: str, arguments: dict[str, Any]) -> None:
        """Makes the cell.

        Args:
            cell: the cell's class.
            name: the cell's name.
            arguments: the arguments of the subclass's `__init__`, as `locals()` returns them.
        """
        made, rest = split_arguments(cell, self._cell_names, name, arguments)
        super().__init__(made, **rest)
        self.input_spec = InputSpec(ndim=3)

    def call(  # type: ignore[override]
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        cell = self.cell
        if (cell.dropout or cell.recurrent_dropout) and may_train(training):
            if not self._drops_at_each_step():
                return super().call(inputs, mask, training, initial_state)
            self._maybe_reset_cell_dropout_mask(cell)
            dropped = cell.get_dropout_mask_for_cell(inputs, training, cell._gates)
            inputs = _ops.multiply(inputs, dropped[0])
        inputs, states, _ = self._process_inputs(inputs, initial_state, None)
        x = inputs
        if not self.time_major:
            x = _ops.transpose(x, [1, 0, 2])
        steps, batch, features = x._sizes()
        projection = cell.projected(_ops.reshape(x, [steps * batch, features]))
        width = projection._sizes()[-1]
        projection = _ops.reshape(projection, [steps, batch, width])
        functions = cell.native_functions()
        if functions is not None and _core.differentiated_once():
            return self._call_native(projection, states, mask, functions)
        prepared = cell.prepare(states[0], False)
        advance = cell.advance

        def step(part: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            return advance(part, states, prepared)

        last, every, final = self._loop(step, projection, states, mask)
        return self._finish(last, every, final, final)

    def _call_native(
        self, projection: _core.Tensor, states: list[Any], mask: Any, functions: tuple[str, ...]
    ) -> Any:
        """All steps by one operation, which has a gradient, but no second one."""
        dtype = projection.dtype
        wide = dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype
        steps_mask = mask_matrix(mask, self.time_major)
        if self.go_backwards:
            projection = _ops.reverse(projection, [0])
            steps_mask = None if steps_mask is None else _ops.reverse(steps_mask, [0])
        outputs, final = self.cell.run_native(
            as_dtype(projection, wide), [as_dtype(s, wide) for s in states], steps_mask, functions
        )
        last = final[0]
        if steps_mask is not None:
            # Where a step is missing, the output is zero, or that of the step before it, if any.
            shown = steps_mask
            if not self.zero_output_for_mask:
                shown = _ops.greater(_ops.cumsum(_ops.cast(steps_mask, dtypes.int32), 0), 0)
            shown = _ops.expand_dims(shown, 2)
            outputs = _ops.select(shown, outputs, _ops.zeros_like(outputs))
            last = outputs[-1]
        self._keep_states(final)
        final = [as_dtype(state, dtype) for state in final]
        output = last
        if self.return_sequences:
            output = outputs if self.time_major else _ops.transpose(outputs, [1, 0, 2])
        output = as_dtype(output, dtype)
        return [output, *final] if self.return_state else output

    def _drops_at_each_step(self) -> bool:
        """Whether each step drops other inputs, as in layers that TensorFlow has fused kernels for.

        Others choose once for all steps.
        """
        cell = self.cell
        return (
            cell._gates > 1
            and not cell.recurrent_dropout
            and not self.unroll
            and cell.use_bias
            and cell.activation is activations.tanh
            and cell.recurrent_activation is activations.sigmoid
            and getattr(cell, "reset_after", True)
        )

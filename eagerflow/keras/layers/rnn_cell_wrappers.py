"""Cells around other cells: with dropout, with a residual connection, on a device."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.framework.device import device as on_device
from eagerflow.keras.layers.lstm import LSTMCell
from eagerflow.keras.layers.rnn_cell import AbstractRNNCell
from eagerflow.keras.saving import serialization
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.ops.nn.normalization import dropout
from eagerflow.typing import DTypeLike, ShapeLike, Structure


class _CellWrapper(AbstractRNNCell):
    """A cell that another one is part of.

    Args:
        cell: the cell.
    """

    # Functions, which a configuration has only if they are set.
    _unsaved_arguments = frozenset({"dropout_state_filter_visitor", "residual_fn"})

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cell = cell
        parameters = inspect.signature(cell.call).parameters
        self._cell_takes_training = "training" in parameters or any(
            parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
        )

    def _step(self, inputs: object, states: Structure, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """The cell's output, and the states after it."""
        if not self._cell_takes_training:
            kwargs = {name: value for name, value in kwargs.items() if name != "training"}
        return self.cell(inputs, states, **kwargs)

    @property
    def state_size(self) -> Any:
        """The size of the cell's state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the cell's output."""
        return self.cell.output_size

    def build(self, input_shape: ShapeLike) -> None:
        """Builds the cell."""
        if not self.cell.built:
            self.cell.build(input_shape)
            self.cell.built = True
        self.built = True

    def get_initial_state(
        self, inputs: Any = None, batch_size: int | None = None, dtype: Any = None
    ) -> Any:
        """The cell's states before the first step."""
        return self.cell.get_initial_state(inputs, batch_size, dtype)

    def get_config(self) -> Config:
        """The arguments that make a cell like this one."""
        cell = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        functions = {name: getattr(self, f"_{name}", None) for name in self._unsaved_arguments}
        return {**super().get_config(), "cell": cell} | {
            name: serialization.serialize_keras_object(function)
            for name, function in functions.items()
            if function is not None
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A cell from what `get_config` returned, the cell inside included."""
        config = dict(config)
        for name in cls._unsaved_arguments & set(config):
            config[name] = serialization.deserialize_keras_object(config[name], custom_objects)
        cell = serialization.deserialize_as("layer", config.pop("cell"), custom_objects)
        return cls(cell, **config)


class RNNCellDropoutWrapper(_CellWrapper):
    """A cell whose inputs, outputs or states are set to zero at random.

    Args:
        input_keep_prob: the share of inputs that stay.
        output_keep_prob: the share of outputs that stay.
        state_keep_prob: the share of states that stay.
        variational_recurrent: not supported: each step draws new masks.
        dtype: the dtype.
        dropout_state_filter_visitor: a function of a state that says whether it may be dropped.

    Raises:
        ValueError: if a share is not within [0, 1], or one mask for all steps is asked for.

    >>> cell = tf.nn.RNNCellDropoutWrapper(tf.keras.layers.SimpleRNNCell(3), output_keep_prob=1.0)
    >>> cell.output_size
    3
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: object = 1.0,
        state_keep_prob: object = 1.0,
        variational_recurrent: bool = False,
        input_size: object = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable | None = None,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, LSTMCell):
            raise ValueError(
                "keras LSTM cell does not work with DropoutWrapper. Please use LSTMCell(dropout=x, "
                "recurrent_dropout=y) instead."
            )
        super().__init__(cell, dtype=dtype, **kwargs)
        shares = (input_keep_prob, state_keep_prob, output_keep_prob)
        for share in shares:
            if isinstance(share, int | float) and not 0 <= share <= 1:
                raise ValueError(f"Dropout keep probabilities must lie within [0, 1], got {share}")
        if variational_recurrent:
            raise ValueError("variational_recurrent is not supported: each step draws anew.")
        self._input_keep_prob, self._state_keep_prob, self._output_keep_prob = shares
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._dropout_state_filter_visitor = dropout_state_filter_visitor

    def _dropped(self, value: Any, share: Any) -> Any:
        if isinstance(share, int | float) and share == 1:
            return value
        return nest.map_structure(lambda part: dropout(part, 1 - share, seed=self._seed), value)

    def call(  # type: ignore[override]
        self, inputs: Any, state: Structure, **kwargs: Any
    ) -> Any:
        """One step of the cell."""
        inputs = self._dropped(inputs, self._input_keep_prob)
        output, new_states = self._step(inputs, state, kwargs)
        kept = self._state_keep_prob
        if not (isinstance(kept, int | float) and kept == 1):
            drops = self._dropout_state_filter_visitor
            new_states = nest.map_structure(
                lambda s: s if drops and not drops(s) else self._dropped(s, kept), new_states
            )
        return self._dropped(output, self._output_keep_prob), new_states


class RNNCellResidualWrapper(_CellWrapper):
    """A cell to whose outputs its inputs are added.

    Args:
        residual_fn: called with inputs and outputs instead of adding them.

    >>> cell = tf.nn.RNNCellResidualWrapper(tf.keras.layers.SimpleRNNCell(3))
    >>> cell.state_size
    3
    """

    def __init__(self, cell: Any, residual_fn: Callable | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def call(  # type: ignore[override]
        self, inputs: Any, state: Structure, **kwargs: Any
    ) -> Any:
        """One step of the cell."""
        output, new_states = self._step(inputs, state, kwargs)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, output), new_states
        nest.assert_same_structure(inputs, output)
        return nest.map_structure(lambda a, b: a + b, inputs, output), new_states


class RNNCellDeviceWrapper(_CellWrapper):
    """A cell that runs on a device.

    Args:
        device: the device's name.

    >>> tf.nn.RNNCellDeviceWrapper(tf.keras.layers.SimpleRNNCell(3), "/cpu:0").output_size
    3
    """

    def __init__(self, cell: Any, device: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        self._device = device

    def call(  # type: ignore[override]
        self, inputs: Any, state: Structure, **kwargs: Any
    ) -> Any:
        """One step of the cell."""
        with on_device(self._device):
            return self._step(inputs, state, kwargs)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """The cell's states before the first step."""
        with on_device(self._device):
            return super().get_initial_state(inputs, batch_size, dtype)

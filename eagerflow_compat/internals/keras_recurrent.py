"""What Keras's recurrent layers and cells, and those of packages, share."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.layers.rnn_cell import DropoutRNNCellMixin, zero_states
from eagerflow.ops.array import shape

__all__ = [
    "DropoutRNNCell",
    "DropoutRNNCellMixin",
    "_caching_device",
    "_config_for_enable_caching_device",
    "_generate_zero_filled_state",
    "_generate_zero_filled_state_for_cell",
    "_is_multiple_state",
    "_standardize_args",
    "caching_device",
    "config_for_enable_caching_device",
    "generate_zero_filled_state",
    "generate_zero_filled_state_for_cell",
    "is_multiple_state",
    "standardize_args",
]


def caching_device(rnn_cell: object) -> None:
    """The device that keeps copies of a cell's variables while a loop runs: none is needed here."""


def config_for_enable_caching_device(rnn_cell: object) -> dict[str, Any]:
    """What a configuration says about such copies: nothing."""
    return {}


def generate_zero_filled_state(batch_size_tensor: Any, state_size: Any, dtype: Any) -> Any:
    """Zeros for each size in a structure of sizes.

    Raises:
        ValueError: if the batch size or the dtype is None.

    >>> from eagerflow_compat.internals.keras_recurrent import generate_zero_filled_state
    >>> [state.shape.as_list() for state in generate_zero_filled_state(2, [3, 4], "float32")]
    [[2, 3], [2, 4]]
    """
    return nest.map_structure(lambda size: zero_states(batch_size_tensor, size, dtype), state_size)


def generate_zero_filled_state_for_cell(cell: Any, inputs: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros for each state of a cell; the batch size and the dtype are those of `inputs` if given."""
    if inputs is not None:
        batch_size, dtype = shape(inputs)[0], inputs.dtype
    return generate_zero_filled_state(batch_size, cell.state_size, dtype)


def standardize_args(
    inputs: Any, initial_state: Any, constants: Any, num_constants: int | None
) -> tuple[Any, list[Any] | None, list[Any] | None]:
    """Inputs, initial states and constants, which a call may have passed in one list.

    Raises:
        AssertionError: if states or constants were passed beside such a list.

    >>> from eagerflow_compat.internals.keras_recurrent import standardize_args
    >>> standardize_args(["x", "state", "constant"], None, None, 1)
    ('x', ['state'], ['constant'])
    """
    if isinstance(inputs, list):
        assert initial_state is None and constants is None
        if num_constants:
            inputs, constants = inputs[:-num_constants], inputs[-num_constants:]
        initial_state = inputs[1:] or None
        inputs = inputs[0]
    return inputs, _as_list(initial_state), _as_list(constants)


def is_multiple_state(state_size: Any) -> bool:
    """Whether the sizes of a cell's states are those of several."""
    return hasattr(state_size, "__len__") and not isinstance(state_size, TensorShape)


def _as_list(value: Any) -> Any:
    if value is None or isinstance(value, list):
        return value
    return list(value) if isinstance(value, tuple) else [value]


# By the names of older releases.
_caching_device = caching_device
_config_for_enable_caching_device = config_for_enable_caching_device
_generate_zero_filled_state = generate_zero_filled_state
_generate_zero_filled_state_for_cell = generate_zero_filled_state_for_cell
_is_multiple_state = is_multiple_state
_standardize_args = standardize_args

# By the name of Keras 3.
DropoutRNNCell = DropoutRNNCellMixin

"""The one vector of a network's parameters, and the matrices and biases in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.graphdef import cudnn_rnn

CUDNN_RNN_UNIDIRECTION = "unidirectional"
CUDNN_RNN_BIDIRECTION = "bidirectional"
CUDNN_LSTM = "lstm"
CUDNN_GRU = "gru"
CUDNN_RNN_RELU = "rnn_relu"
CUDNN_RNN_TANH = "rnn_tanh"
CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


def check(direction: str, input_mode: str) -> None:
    """Checks the two words that describe a network.

    Raises:
        ValueError: for another word.
    """
    directions = CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION
    if direction not in directions:
        raise ValueError(
            f"Invalid direction: {direction}, expect {' or '.join(map(repr, directions))}"
        )
    modes = CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE
    if input_mode not in modes:
        raise ValueError(f"Invalid input_mode: {input_mode}, expect {', '.join(map(repr, modes))}")


def cudnn_rnn_opaque_params_size(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dtype: Any = "float32",
    dropout: float = 0,
    seed: int = 0,
    name: str | None = None,
) -> _core.Tensor:
    """The size of the parameter vector, int32 `[1]`.

    Args:
        rnn_mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        num_layers: the number of layers.
        num_units: the size of the states.
        input_size: the size of the inputs.
        input_mode: "linear_input".
        direction: "unidirectional" or "bidirectional".
        dtype: accepted.
        dropout: accepted.
        seed: accepted.
        name: accepted.

    >>> tf.contrib.cudnn_rnn.cudnn_rnn_opaque_params_size("lstm", 1, 3, 4).numpy()
    array([108], dtype=int32)
    """
    check(direction, input_mode)
    return cudnn_rnn.params_size(
        num_layers, num_units, input_size, "int32", rnn_mode, input_mode, direction
    )


def cudnn_rnn_canonical_to_opaque_params(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    weights: Sequence[Any],
    biases: Sequence[Any],
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int = 0,
    name: str | None = None,
) -> _core.Tensor:
    """The parameter vector of matrices and biases, which come layer by layer, forwards first.

    Arguments are those of `cudnn_rnn_opaque_params_size`.
    """
    check(direction, input_mode)
    return cudnn_rnn.to_params(list(weights), list(biases))


def cudnn_rnn_opaque_params_to_canonical(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    params: Any,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int = 0,
    name: str | None = None,
) -> tuple[list[_core.Tensor], list[_core.Tensor]]:
    """The matrices `[units, inputs]` and biases of a parameter vector.

    Arguments are those of `cudnn_rnn_opaque_params_size`.
    """
    check(direction, input_mode)
    return cudnn_rnn.to_canonical(
        num_layers,
        num_units,
        input_size,
        _core.as_tensor(params),
        rnn_mode,
        input_mode,
        direction,
    )

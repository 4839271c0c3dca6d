"""Loops over the steps of sequences: all steps of an LSTM or a GRU are one operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import tree

import eagerflow as tf
from eagerflow import _core
from eagerflow.keras import backend as sequences
from eagerflow.keras.typing import ActivationLike
from eagerflow.typing import Structure, TensorLike
from eagerflow.util import lazy

from .core import convert_to_tensor

# Imported when they are first used: they import this module.
activations = lazy.Module("keras.src.activations")
ops = lazy.Module("keras.src.ops")

_native = _core.ops
# What the operations compute within a step; Keras's layers do the steps of others one by one.
_VALUES = ("tanh", "relu")
_GATES = ("sigmoid",)


def rnn(step_function: Any, inputs: Any, initial_states: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs a function over the steps of its inputs, as `tf.keras.backend.rnn` does.

    The states may be of any structure.

    Returns:
        The last output, the outputs of all steps, and the last states.
    """
    inputs = tree.map_structure(convert_to_tensor, inputs)
    flat = [convert_to_tensor(state) for state in tree.flatten(initial_states)]
    constants = kwargs.get("constants")

    def step(x: Any, states: list[_core.Tensor]) -> tuple[Structure, list[_core.Tensor]]:
        rest = states[len(flat) :]
        given = tree.pack_sequence_as(initial_states, states[: len(flat)])
        output, new = step_function(x, [*given, *rest] if constants else given)
        return output, tree.flatten(new)

    last, every, final = sequences.rnn(step, inputs, flat, *args, **kwargs)
    return last, every, tree.pack_sequence_as(initial_states, final)


def cudnn_ok(*args: object, **kwargs: object) -> bool:
    """Whether layers leave their steps to cuDNN, which they never do here."""
    return False


def lstm(
    inputs: _core.Tensor,
    initial_state_h: _core.Tensor,
    initial_state_c: _core.Tensor,
    mask: _core.Tensor | None,
    kernel: TensorLike,
    recurrent_kernel: TensorLike,
    bias: TensorLike,
    activation: ActivationLike,
    recurrent_activation: ActivationLike,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
) -> tuple[_core.Tensor, _core.Tensor, list[_core.Tensor]]:
    """Long short-term memory over all steps.

    Raises:
        NotImplementedError: if there is a mask, the activations have no kernel, or a second
            derivative may be asked for.
    """
    functions = _functions(activation, recurrent_activation, mask)

    def run(projection: _core.Tensor, states: list[_core.Tensor]) -> tuple[Any, list[Any]]:
        recurrent = tf.cast(recurrent_kernel, projection.dtype)
        begin = (states[0], states[1], recurrent)
        outputs, h, c, _, _ = _native.lstm(projection, *begin, None, *functions)
        return outputs, [h, c]

    states = [initial_state_h, initial_state_c]
    return _all_steps(run, inputs, states, kernel, bias, go_backwards, time_major)


def gru(
    inputs: _core.Tensor,
    initial_state: _core.Tensor,
    mask: _core.Tensor | None,
    kernel: TensorLike,
    recurrent_kernel: TensorLike,
    bias: TensorLike,
    activation: ActivationLike,
    recurrent_activation: ActivationLike,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
    reset_after: bool = True,
) -> tuple[_core.Tensor, _core.Tensor, list[_core.Tensor]]:
    """Gated recurrent units over all steps.

    Raises:
        NotImplementedError: as of `lstm`, and without `reset_after`.
    """
    if not reset_after:
        raise NotImplementedError
    functions = _functions(activation, recurrent_activation, mask)
    biases = None if bias is None else tf.unstack(convert_to_tensor(bias))

    def run(projection: _core.Tensor, states: list[_core.Tensor]) -> tuple[Any, list[Any]]:
        recurrent = tf.cast(recurrent_kernel, projection.dtype)
        inner = tf.zeros_like(recurrent[0]) if biases is None else biases[1]
        inner = tf.cast(inner, projection.dtype)
        outputs, h, _ = _native.gru(projection, states[0], recurrent, inner, None, *functions)
        return outputs, [h]

    states = tree.flatten(initial_state)
    first = None if biases is None else biases[0]
    return _all_steps(run, inputs, states, kernel, first, go_backwards, time_major)


def _functions(activation: Any, recurrent_activation: Any, mask: object) -> tuple[str, str]:
    """What the operation computes in a step, unless the layer has to do the steps itself.

    Its masks are among what the operation cannot have: layers do not say what missing steps give.
    """
    value, gate = _named(activation, _VALUES), _named(recurrent_activation, _GATES)
    if value is None or gate is None or mask is not None or not _core.differentiated_once():
        raise NotImplementedError
    return value, gate


def _named(function: object, names: tuple[str, ...]) -> str | None:
    """Which of Keras's activations it is."""
    for name in names:
        if function is getattr(activations, name) or function is getattr(ops, name):
            return name
    return None


def _all_steps(
    run: Callable[[_core.Tensor, list[_core.Tensor]], tuple[_core.Tensor, list[_core.Tensor]]],
    inputs: _core.Tensor,
    states: list[_core.Tensor],
    kernel: Any,
    bias: TensorLike,
    go_backwards: bool,
    time_major: bool,
) -> tuple[_core.Tensor, _core.Tensor, list[_core.Tensor]]:
    """The last output, all outputs, and the last states of a layer whose steps are one operation."""
    kernel = convert_to_tensor(kernel)
    dtype = kernel.dtype
    wide = tf.float32 if dtype in (tf.float16, tf.bfloat16) else dtype
    x = tf.cast(convert_to_tensor(inputs), dtype)
    if not time_major:
        x = _native.transpose(x, [1, 0, 2])
    projection = tf.matmul(x, kernel)
    if bias is not None:
        projection = _native.bias_add(projection, convert_to_tensor(bias), "NHWC")
    if go_backwards:
        projection = _native.reverse(projection, [0])
    outputs, final = run(
        tf.cast(projection, wide), [tf.cast(convert_to_tensor(state), wide) for state in states]
    )
    outputs = tf.cast(outputs, dtype)
    every = outputs if time_major else _native.transpose(outputs, [1, 0, 2])
    return outputs[-1], every, [tf.cast(state, dtype) for state in final]


def _no_fused_pair(*args: object, **kwargs: object) -> Any:
    """Both directions of a layer at once, which no operation computes: layers run one after the other."""
    raise NotImplementedError


bidirectional_lstm = bidirectional_gru = _no_fused_pair

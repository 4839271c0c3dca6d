"""Decoders that attend to what an encoder made of each step (Vinyals et al., arXiv 1412.7449)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.ops.nn.embedding import embedding_lookup
from eagerflow_compat.contrib.legacy_seq2seq.decoders import (
    Feeding,
    LoopFunction,
    encoded,
    feeding,
)
from eagerflow_compat.contrib.rnn import parts
from eagerflow_compat.contrib.rnn.wrappers import OutputProjectionWrapper
from eagerflow_compat.v1.rnn_cells import batch_size
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

_ops = _core.ops


class _Linear:
    """`inputs @ kernel + bias` of the current scope."""

    def __init__(self, rows: int, columns: int) -> None:
        self._kernel = get_variable("kernel", [rows, columns])
        self._bias = get_variable("bias", [columns], initializer=initializers.Zeros())

    def __call__(self, *inputs: Any) -> Any:
        joined = _ops.concat(list(inputs), 1) if len(inputs) > 1 else inputs[0]
        return _ops.bias_add(_ops.matmul(joined, self._kernel), self._bias)


class _Head:
    """One way to attend to states `[batch, length, size]`."""

    def __init__(self, number: int, states: Any, size: int, query: int) -> None:
        kernel = get_variable(f"AttnW_{number}", [1, 1, size, size])
        self._vector = get_variable(f"AttnV_{number}", [size])
        self._states = states
        flat = _ops.matmul(_ops.reshape(states, [-1, size]), _ops.reshape(kernel, [size, size]))
        self._features = _ops.reshape(flat, [-1, states.shape.as_list()[1], size])
        with variable_scope(f"Attention_{number}"):
            self._of_query = _Linear(query, size)

    def __call__(self, query: Any) -> Any:
        wanted = _ops.expand_dims(self._of_query(query), 1)
        scores = _ops.reduce_sum(self._vector * _ops.tanh(self._features + wanted), [2])
        weights = _ops.expand_dims(_ops.softmax(scores), 2)
        return _ops.reduce_sum(weights * self._states, [1])


def attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: LoopFunction | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """A decoder that attends to states.

    Args:
        decoder_inputs: `[batch, size]` for each step.
        initial_state: the state at first.
        attention_states: to which it attends, `[batch, length, size]`.
        cell: the cell.
        output_size: the size of the outputs, by default that of the cell's.
        num_heads: how many ways to attend there are.
        loop_function: see `rnn_decoder`.
        dtype: accepted: all have the dtype of the inputs.
        scope: the variable scope, "attention_decoder" by default.
        initial_state_attention: whether the first step attends, too, by the state at first.

    Returns:
        The outputs, a list, and the last state.

    Raises:
        ValueError: without inputs or heads, or if the length or the size of states is unknown.

    >>> cell = tf.contrib.rnn.GRUCell(3)
    >>> outputs, state = tf.contrib.legacy_seq2seq.attention_decoder(
    ...     [tf.ones([2, 4])] * 5, cell.zero_state(2, tf.float32), tf.ones([2, 6, 3]), cell
    ... )
    >>> len(outputs), outputs[0].shape
    (5, TensorShape([2, 3]))
    """
    inputs = Feeding(loop_function)
    return _attending(
        decoder_inputs,
        initial_state,
        attention_states,
        cell,
        output_size,
        num_heads,
        inputs,
        scope,
        initial_state_attention,
    )


def _attending(
    decoder_inputs: Sequence[Any],
    state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None,
    num_heads: int,
    inputs: Feeding,
    scope: Any,
    attends_first: bool,
) -> tuple[list[Any], Any]:
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    states = _core.as_tensor(attention_states)
    sizes = states.shape.as_list()
    if None in sizes[1:]:
        raise ValueError(f"Shape[1] and [2] of attention_states must be known: {states.shape}")
    size, outer = parts.last_size(states.shape), output_size or cell.output_size

    def query(state: Any) -> Any:
        return _ops.concat(nest.flatten(state), 1)

    with variable_scope(scope or "attention_decoder"):
        wanted = parts.last_size(query(state).shape)
        heads = [_Head(k, states, size, wanted) for k in range(num_heads)]
        width = parts.last_size(decoder_inputs[0].shape)
        of_inputs = _Linear(width + num_heads * size, width)
        with variable_scope("AttnOutputProjection"):
            of_output = _Linear(cell.output_size + num_heads * size, outer)
        zeros = _ops.zeros([batch_size(decoder_inputs[0]), size], states.dtype)
        attention = [head(query(state)) for head in heads] if attends_first else [zeros] * num_heads
        outputs: list[Any] = []
        for step, given in enumerate(decoder_inputs):
            given = inputs.next(given, outputs[-1] if outputs else None, step)
            output, state = cell(of_inputs(given, *attention), state)
            attention = [head(query(state)) for head in heads]
            outputs.append(of_output(output, *attention))
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """A decoder of symbols that attends to states.

    Arguments are those of `attention_decoder` and `embedding_rnn_decoder`.
    """
    with variable_scope(scope or "embedding_attention_decoder"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        vectors = [embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        return _attending(
            vectors,
            initial_state,
            attention_states,
            cell,
            output_size or cell.output_size,
            num_heads,
            feeding(feed_previous, embedding, output_projection, update_embedding_for_previous),
            None,
            initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """An encoder of symbols, and a decoder that attends to its outputs.

    Arguments are those of `embedding_rnn_seq2seq` and `attention_decoder`.

    Returns:
        The decoder's outputs, a list, and its last state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq"):
        found, state = encoded(encoder_inputs, cell, num_encoder_symbols, embedding_size, dtype)
        size = None
        if output_projection is None:
            cell, size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols
        return embedding_attention_decoder(
            decoder_inputs,
            state,
            _ops.stack(found, 1),
            cell,
            num_decoder_symbols,
            embedding_size,
            num_heads,
            size,
            output_projection,
            feed_previous,
            initial_state_attention=initial_state_attention,
        )

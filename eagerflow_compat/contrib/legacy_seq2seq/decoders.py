"""Decoders without attention, and their encoders."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.ops.nn.embedding import embedding_lookup
from eagerflow_compat.contrib.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper
from eagerflow_compat.v1.rnn import static_rnn
from eagerflow_compat.v1.variable_scope import get_variable, get_variable_scope, variable_scope

_ops = _core.ops

# A function of the output before and the step that gives the next input.
LoopFunction = Callable[[Any, int], Any]


class Feeding:
    """Which inputs a decoder takes: those that are given, or what its loop function makes.

    Args:
        loop_function: makes an input of the output before; None: all are given.
        condition: a boolean scalar tensor that says so when the graph runs; None: always.
    """

    def __init__(self, loop_function: LoopFunction | None, condition: Any = None) -> None:
        self.loop_function = loop_function
        self._condition = condition

    def next(self, given: Any, before: Any, step: int) -> Any:
        """The input of a step, whose output before is None at first."""
        if self.loop_function is None or before is None:
            return given
        with variable_scope("loop_function", reuse=True):
            made = self.loop_function(before, step)
        if self._condition is None:
            return made
        return _ops.select(self._condition, made, given)


def feeding(
    feed_previous: Any, embedding: Any, output_projection: Any, updates: bool = True
) -> Feeding:
    """The inputs of decoders of symbols, which may be the embedded symbol of the output before.

    Args:
        feed_previous: whether they are, a boolean or a boolean scalar tensor.
        embedding: the symbols' vectors.
        output_projection: a pair of weights and biases that maps outputs to symbols; None if they are.
        updates: whether vectors of symbols that are fed have gradients.
    """
    if feed_previous is False:
        return Feeding(None)

    def embedded(before: Any, step: int) -> Any:
        if output_projection is not None:
            weights, biases = output_projection
            before = _ops.bias_add(_ops.matmul(before, weights), biases)
        vectors = embedding_lookup(embedding, _ops.argmax(before, 1))
        return vectors if updates else _ops.stop_gradient(vectors)

    return Feeding(embedded, None if feed_previous is True else feed_previous)


def fresh(cell: Any) -> Any:
    """A cell of the same kind without variables, for the encoder beside the decoder."""
    made = copy.copy(cell)
    for name in ("_variables", "_scope", "_called", "built"):
        made.__dict__.pop(name, None)
    if hasattr(cell, "_cell"):
        made._cell = fresh(cell._cell)
    if hasattr(cell, "_cells"):
        made._cells = [fresh(each) for each in cell._cells]
    return made


def decoded(
    decoder_inputs: Iterable[Any], state: Any, cell: Any, inputs: Feeding
) -> tuple[list[Any], Any]:
    """Outputs of a cell, and its last state."""
    outputs: list[Any] = []
    for step, given in enumerate(decoder_inputs):
        before = outputs[-1] if outputs else None
        given = inputs.next(given, before, step)
        if step:
            get_variable_scope().reuse_variables()
        output, state = cell(given, state)
        outputs.append(output)
    return outputs, state


def rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Any,
    loop_function: LoopFunction | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Repeats a cell along a list of steps, from a state.

    Args:
        decoder_inputs: `[batch, size]` for each step.
        initial_state: the state at first.
        cell: the cell.
        loop_function: makes the input of each step but the first of the output before, and the step's
            number; what is given is not used then.
        scope: the variable scope, "rnn_decoder" by default.

    Returns:
        The outputs, a list, and the last state.

    >>> cell = tf.contrib.rnn.GRUCell(3)
    >>> steps = [tf.ones([2, 3])] * 4
    >>> outputs, state = tf.contrib.legacy_seq2seq.rnn_decoder(
    ...     steps, cell.zero_state(2, tf.float32), cell, loop_function=lambda output, step: output
    ... )
    >>> len(outputs), state.shape
    (4, TensorShape([2, 3]))
    """
    with variable_scope(scope or "rnn_decoder"):
        return decoded(decoder_inputs, initial_state, cell, Feeding(loop_function))


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    dtype: Any = "float32",
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder, whose last state a decoder begins with; each has weights of its own.

    Args:
        encoder_inputs: `[batch, size]` for each step of the encoder.
        decoder_inputs: `[batch, size]` for each step of the decoder.
        cell: the decoder's cell; the encoder has one of its kind.
        dtype: of the encoder's state at first.
        scope: the variable scope, "basic_rnn_seq2seq" by default.

    Returns:
        The decoder's outputs, a list, and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(fresh(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    loop_function: LoopFunction | None = None,
    dtype: Any = "float32",
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`basic_rnn_seq2seq` with one cell for both; `loop_function` as in `rnn_decoder`."""
    return _tied(encoder_inputs, decoder_inputs, cell, Feeding(loop_function), dtype, scope)


def _tied(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    inputs: Feeding,
    dtype: Any,
    scope: Any,
) -> tuple[list[Any], Any]:
    with variable_scope("combined_tied_rnn_seq2seq"):
        with variable_scope(scope or "tied_rnn_seq2seq") as inner:
            pass
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=inner)
        with variable_scope(inner, reuse=True):
            return decoded(decoder_inputs, state, cell, inputs)


def embedding_rnn_decoder(
    decoder_inputs: Sequence[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """A decoder of symbols, which become vectors.

    Args:
        decoder_inputs: int32 `[batch]` for each step.
        initial_state: the state at first.
        cell: the cell.
        num_symbols: the number of symbols.
        embedding_size: the size of their vectors.
        output_projection: a pair of weights `[size, symbols]` and biases that finds the symbol of an
            output; by default, outputs have a score for each symbol.
        feed_previous: whether each step but the first gets the symbol of the output before.
        update_embedding_for_previous: whether vectors of symbols that are fed have gradients.
        scope: the variable scope, "embedding_rnn_decoder" by default.

    Returns:
        The outputs, a list, and the last state.
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        vectors = [embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        inputs = feeding(feed_previous, embedding, output_projection, update_embedding_for_previous)
        with variable_scope("rnn_decoder"):
            return decoded(vectors, initial_state, cell, inputs)


def encoded(
    encoder_inputs: Sequence[Any], cell: Any, symbols: int, embedding_size: int, dtype: Any
) -> tuple[list[Any], Any]:
    """Outputs and the last state of an encoder of symbols."""
    encoder = EmbeddingWrapper(fresh(cell), symbols, embedding_size)
    return static_rnn(encoder, encoder_inputs, dtype=dtype or "float32")


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder of symbols.

    Args:
        encoder_inputs: int32 `[batch]` for each step of the encoder.
        decoder_inputs: int32 `[batch]` for each step of the decoder.
        cell: the decoder's cell; the encoder has one of its kind.
        num_encoder_symbols: the number of the encoder's symbols.
        num_decoder_symbols: the number of the decoder's symbols.
        embedding_size: the size of their vectors.
        output_projection: see `embedding_rnn_decoder`; without it, outputs are mapped to symbols.
        feed_previous: see there, or a boolean scalar tensor.
        dtype: of the encoder's state at first, float32 by default.
        scope: the variable scope, "embedding_rnn_seq2seq" by default.

    Returns:
        The decoder's outputs, a list, and its last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq"):
        _, state = encoded(encoder_inputs, cell, num_encoder_symbols, embedding_size, dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
        return embedding_rnn_decoder(
            decoder_inputs,
            state,
            cell,
            num_decoder_symbols,
            embedding_size,
            output_projection,
            feed_previous,
        )


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: tuple[Any, Any] | None = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`embedding_rnn_seq2seq` with one cell and the same vectors for encoder and decoder.

    Args:
        encoder_inputs: int32 `[batch]` for each step of the encoder.
        decoder_inputs: int32 `[batch]` for each step of the decoder.
        cell: the cell.
        num_symbols: the number of all symbols.
        embedding_size: the size of their vectors.
        num_decoder_symbols: the number of the first ones, which the decoder gives; all by default.
        output_projection: see `embedding_rnn_decoder`.
        feed_previous: see `embedding_rnn_seq2seq`.
        dtype: of the encoder's state at first, float32 by default.
        scope: the variable scope, "embedding_tied_rnn_seq2seq" by default.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        sources, targets = (
            [embedding_lookup(embedding, symbols) for symbols in steps]
            for steps in (encoder_inputs, decoder_inputs)
        )
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)
        inputs = feeding(feed_previous, embedding, output_projection)
        return _tied(sources, targets, cell, inputs, dtype or "float32", None)

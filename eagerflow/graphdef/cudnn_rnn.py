"""TensorFlow's CudnnRNN operations, which NVIDIA's kernels compute there, and the engine's kernels here.

Their parameters are one vector: the matrices of all layers and directions, each gate's for the input and then
for the state, and after all of them the biases in the same order. A gate's matrix is `[units, inputs]`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import eagerflow as tf
from eagerflow import _core
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
# The order in which the engine has the gates of a GRU: update, reset, new; cuDNN's begins with reset.
_ENGINES_GRU = (1, 0, 2)


class _Kind(NamedTuple):
    """The configuration of a network."""

    mode: str
    layers: int
    directions: int
    units: int
    inputs: int

    @property
    def gates(self) -> int:
        return _GATES[self.mode]

    def weight_shapes(self) -> Iterator[tuple[int, int]]:
        """The shapes of matrices, in the order in which the vector has them."""
        for layer in range(self.layers):
            inputs = self.directions * self.units if layer else self.inputs
            for _ in range(self.directions):
                yield from itertools.repeat((self.units, inputs), self.gates)
                yield from itertools.repeat((self.units, self.units), self.gates)

    def bias_count(self) -> int:
        """How many vectors of biases there are."""
        return 2 * self.gates * self.layers * self.directions

    def size(self) -> int:
        """The size of the parameter vector."""
        # All layers but the first are alike.
        one, two = (
            sum(map(math.prod, self._replace(layers=min(count, self.layers)).weight_shapes()))
            for count in (1, 2)
        )
        return one + (two - one) * max(self.layers - 1, 0) + self.bias_count() * self.units


def kind_of(
    mode: str, direction: str, input_mode: str, layers: Any, units: Any, inputs: Any
) -> _Kind:
    text = [
        value.decode() if isinstance(value, bytes) else value
        for value in (mode, direction, input_mode)
    ]
    if text[2] == "skip_input":
        raise tf.errors.UnimplementedError(
            None,
            None,
            "Networks whose inputs skip the first product are not implemented [Op:CudnnRNN]",
        )
    directions = 2 if text[1] == "bidirectional" else 1
    return _Kind(text[0], int(layers), directions, int(units), int(inputs))


def _parts(params: Tensor, kind: _Kind) -> tuple[list[Tensor], list[Tensor]]:
    shapes = list(kind.weight_shapes())
    sizes = [*map(math.prod, shapes), *[kind.units] * kind.bias_count()]
    parts = tf.split(params, sizes)
    weights = [tf.reshape(part, shape) for part, shape in zip(parts, shapes, strict=False)]
    return weights, list(parts[len(shapes) :])


def params_size(
    num_layers: TensorLike,
    num_units: TensorLike,
    input_size: TensorLike,
    kind: DTypeLike,
    mode: str,
    input_mode: str,
    direction: str,
) -> Tensor:
    """`CudnnRNNParamsSize`: the size of the parameter vector."""
    found = kind_of(mode, direction, input_mode, num_layers, num_units, input_size)
    return tf.constant([found.size()], kind)


def to_canonical(
    num_layers: TensorLike,
    num_units: TensorLike,
    input_size: TensorLike,
    params: Tensor,
    mode: str,
    input_mode: str,
    direction: str,
) -> tuple[list[Tensor], list[Tensor]]:
    """`CudnnRNNParamsToCanonical`: the matrices and the biases."""
    return _parts(params, kind_of(mode, direction, input_mode, num_layers, num_units, input_size))


def to_params(weights: list[Tensor], biases: list[Tensor]) -> Tensor:
    """`CudnnRNNCanonicalToParams`: the vector of matrices and biases."""
    return tf.concat([tf.reshape(part, [-1]) for part in [*weights, *biases]], 0)


def run(
    x: Tensor, h: Tensor, c: Tensor, params: Tensor, mode: str, input_mode: str, direction: str,
    dropout: float, seed: int, is_training: bool, lengths: Tensor | None = None, time_major: bool = True,
) -> list[Tensor]:  # fmt: skip
    """`CudnnRNN`: the outputs of the last layer, and the last states of all.

    Args:
        x: inputs `[time, batch, inputs]`.
        h: the first states `[layers * directions, batch, units]`.
        c: the first states of an LSTM's cells; others ignore it.
        params: the parameters, a vector.
        mode: "lstm", "gru", "rnn_tanh" or "rnn_relu".
        input_mode: how the first layer takes its inputs: "linear_input".
        direction: "unidirectional" or "bidirectional".
        dropout: the fraction of values between layers that is dropped in training.
        seed: the seed of the dropout.
        is_training: whether to apply the dropout.
        lengths: int32 `[batch]`, how many steps each sequence has; None: all.
        time_major: whether `x` has the time first, and not the batch.

    Returns:
        The outputs, the last states, an LSTM's last cells, and an empty tensor for what cuDNN keeps.
    """
    x = x if time_major else tf.transpose(x, [1, 0, 2])
    h = h if time_major else tf.transpose(h, [1, 0, 2])
    c = c if time_major or c.shape.rank != 3 else tf.transpose(c, [1, 0, 2])
    found = kind_of(mode, direction, input_mode, 0, h.shape[2], x.shape[2] or 0)
    kind = found._replace(layers=h.shape[0] // found.directions)
    if x.shape[2] is None and params.shape[0] is not None:
        # Of what no input needs, the parameters have the rest for each.
        each = kind.directions * kind.gates * kind.units
        kind = kind._replace(inputs=(params.shape[0] - kind.size()) // each)
    weights, biases = _parts(params, kind)
    mask = None if lengths is None else tf.transpose(tf.sequence_mask(lengths, tf.shape(x)[0]))
    states, cells = [], []
    for layer in range(kind.layers):
        if layer and dropout and is_training:
            x = tf.nn.dropout(x, dropout, seed=seed or None)
        outputs = []
        for backward in range(kind.directions):
            number = layer * kind.directions + backward
            where = slice(2 * kind.gates * number, 2 * kind.gates * (number + 1))
            given = _turned(x, lengths) if backward else x
            start = c[number] if kind.mode == "lstm" else None
            output, state, cell = _layer(
                given, h[number], start, weights[where], biases[where], kind, mask
            )
            outputs.append(_turned(output, lengths) if backward else output)
            states.append(state)
            cells.append(cell)
        x = tf.concat(outputs, 2) if len(outputs) > 1 else outputs[0]
    if mask is not None:
        x = tf.where(mask[:, :, None], x, tf.zeros_like(x))
    last = [tf.stack(states), tf.stack(cells) if kind.mode == "lstm" else tf.zeros([0], x.dtype)]
    if not time_major:
        last = [tf.transpose(part, [1, 0, 2]) if part.shape.rank == 3 else part for part in last]
    return [x if time_major else tf.transpose(x, [1, 0, 2]), *last, tf.zeros([0], x.dtype)]


def _turned(x: Tensor, lengths: Tensor | None) -> Tensor:
    """Sequences from their ends to their beginnings."""
    if lengths is None:
        return tf.reverse(x, [0])
    return tf.reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


def _layer(
    x: Tensor,
    h: Tensor,
    c: Any,
    weights: list[Tensor],
    biases: list[Tensor],
    kind: _Kind,
    mask: Any,
) -> tuple[Tensor, Tensor, None] | tuple[Tensor, Tensor, Tensor]:
    """All states of one layer in one direction, the last one, and the last cell."""
    gates = kind.gates
    order = _ENGINES_GRU if kind.mode == "gru" else range(gates)
    kernel, recurrent = (
        tf.transpose(tf.concat([part[gate] for gate in order], 0))
        for part in (weights[:gates], weights[gates:])
    )
    of_input, of_state = (
        tf.concat([part[gate] for gate in order], 0) for part in (biases[:gates], biases[gates:])
    )
    projection = tf.matmul(x, kernel) + of_input
    if kind.mode == "gru":
        states, last, _ = _ops.gru(projection, h, recurrent, of_state, mask)
        return states, last, None
    projection = projection + of_state
    if kind.mode == "lstm":
        states, last, cell, _, _ = _ops.lstm(projection, h, c, recurrent, mask)
        return states, last, cell
    activation = kind.mode.removeprefix("rnn_")
    states, last = _ops.simple_rnn(projection, h, recurrent, mask, activation=activation)
    return states, last, None

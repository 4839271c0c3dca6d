"""TensorFlow's operations that are cells and blocks of recurrent networks, and their gradients."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core

Tensor = _core.Tensor

# In which order the weights of a cell have its gates: input, new values (c), forget, output.
_CELL, _BLOCK_2 = "icfo", "ifco"


def lstm_cell(
    x: Tensor, cs: Tensor, h: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor, b: Tensor,
    bias: float, clip: float, peephole: bool, order: str = _CELL,
) -> tuple[Tensor, ...]:  # fmt: skip
    """`LSTMBlockCell`: the gates i, cs, f, o, ci, co, and h.

    Args:
        x: input `[batch, inputs]`.
        cs: the cell's state `[batch, units]`, after the last step.
        h: the last output `[batch, units]`.
        w: `[inputs + units, 4 * units]`.
        wci: what of the state is added to the input gate `[units]`; so `wcf` and `wco`.
        wcf: for the forget gate.
        wco: for the output gate, of the new state.
        b: `[4 * units]`.
        bias: added to the forget gate.
        clip: the largest absolute value of the state, if positive.
        peephole: whether the gates see the state.
        order: in which order `w` has the gates.
    """
    parts = tf.split(tf.matmul(tf.concat([x, h], 1), w) + b, 4, 1)
    gates = dict(zip(order, parts, strict=True))
    i, f = gates["i"], gates["f"] + bias
    if peephole:
        i, f = i + cs * wci, f + cs * wcf
    i, f, ci = tf.sigmoid(i), tf.sigmoid(f), tf.tanh(gates["c"])
    state = ci * i + cs * f
    if clip > 0:
        state = tf.clip_by_value(state, -clip, clip)
    o = tf.sigmoid(gates["o"] + state * wco if peephole else gates["o"])
    co = tf.tanh(state)
    return i, state, f, o, ci, co, co * o


def lstm_block(
    length: Tensor, x: Tensor, cs: Tensor, h: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor,
    b: Tensor, bias: float, clip: float, peephole: bool, version: int,
) -> list[Tensor]:  # fmt: skip
    """`BlockLSTM` over `x` `[time, batch, inputs]`; what follows `length` is 0."""
    order = _CELL if version == 1 else _BLOCK_2

    def step(last: Any, given: tuple[Tensor, Tensor]) -> Any:
        now, is_inside = given
        found = lstm_cell(now, last[1], last[6], w, wci, wcf, wco, b, bias, clip, peephole, order)
        return tuple(tf.where(is_inside, new, tf.zeros_like(new)) for new in found)

    return list(tf.scan(step, (x, _inside(length, x)), (cs, cs, cs, cs, cs, cs, h)))


def _inside(length: Tensor, x: Tensor) -> Tensor:
    return tf.range(tf.shape(x, tf.int64)[0]) < tf.cast(length, tf.int64)


def _cell_gradients(
    cs: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor, gates: Any, dcs: Tensor, dh: Tensor,
    peephole: bool,
) -> tuple[Tensor, dict[str, Tensor], Tensor]:  # fmt: skip
    """The gradients with respect to the last state, the gates' inputs, and the new state."""
    i, _, f, o, ci, co = gates
    do = dh * co * o * (1 - o)
    dcs = dcs + dh * o * (1 - co * co)
    if peephole:
        dcs += do * wco
    dc = dcs * i * (1 - ci * ci)
    df = dcs * cs * f * (1 - f)
    di = dcs * ci * i * (1 - i)
    before = dcs * f
    if peephole:
        before += di * wci + df * wcf
    return before, {"i": di, "c": dc, "f": df, "o": do}, dcs


def lstm_cell_grad(
    x: Tensor, cs_prev: Tensor, h: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor, b: Tensor,
    i: Tensor, cs: Tensor, f: Tensor, o: Tensor, ci: Tensor, co: Tensor, dcs: Tensor, dh: Tensor,
    peephole: bool,
) -> list[Tensor]:  # fmt: skip
    """`LSTMBlockCellGrad`: by the last state, by the sums before the gates, and by the peepholes."""
    gates = (i, cs, f, o, ci, co)
    before, sums, _ = _cell_gradients(cs_prev, wci, wcf, wco, gates, dcs, dh, peephole)
    peepholes = [sums["i"] * cs_prev, sums["f"] * cs_prev, sums["o"] * cs]
    return [
        before,
        tf.concat([sums[gate] for gate in _CELL], 1),
        *(tf.reduce_sum(each, 0) if peephole else tf.zeros_like(wci) for each in peepholes),
    ]


def lstm_block_grad(
    length: Tensor, x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor, wcf: Tensor,
    wco: Tensor, b: Tensor, i: Tensor, cs: Tensor, f: Tensor, o: Tensor, ci: Tensor, co: Tensor,
    h: Tensor, dcs: Tensor, dh: Tensor, peephole: bool, version: int,
) -> list[Tensor]:  # fmt: skip
    """`BlockLSTMGrad`: by x, cs_prev, h_prev, w, wci, wcf, wco and b."""
    order = _CELL if version == 1 else _BLOCK_2
    states = tf.concat([cs_prev[None], cs[:-1]], 0)
    outputs = tf.concat([h_prev[None], h[:-1]], 0)
    inputs = tf.shape(x)[2]

    def step(last: Any, given: Any) -> Any:
        before, *gates, gradient, output, is_inside = given
        by_state, sums, _ = _cell_gradients(
            before, wci, wcf, wco, gates, gradient + last[0], output + last[1], peephole
        )
        joined = tf.concat([sums[gate] for gate in order], 1)
        by_both = tf.matmul(joined, w, transpose_b=True)
        found = by_state, by_both[:, inputs:], by_both[:, :inputs], joined
        return tuple(tf.where(is_inside, new, tf.zeros_like(new)) for new in found)

    begin = (
        tf.zeros_like(cs_prev),
        tf.zeros_like(h_prev),
        tf.zeros_like(x[0]),
        tf.zeros_like(tf.tile(cs_prev, [1, 4])),
    )
    elements = (states, i, cs, f, o, ci, co, dcs, dh, _inside(length, x))
    by_state, by_output, by_input, joined = tf.scan(step, elements, begin, reverse=True)
    sums = dict(zip(order, tf.split(joined, 4, 2), strict=True))
    peepholes = [sums["i"] * states, sums["f"] * states, sums["o"] * cs]
    return [
        by_input, by_state[0], by_output[0],
        tf.einsum("tbi,tbg->ig", tf.concat([x, outputs], 2), joined),
        *(tf.reduce_sum(each, [0, 1]) if peephole else tf.zeros_like(wci) for each in peepholes),
        tf.reduce_sum(joined, [0, 1]),
    ]  # fmt: skip


def gru_cell(
    x: Tensor, h: Tensor, w_ru: Tensor, w_c: Tensor, b_ru: Tensor, b_c: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`GRUBlockCell`: the gates r, u and c, and h."""
    r, u = tf.split(tf.sigmoid(tf.matmul(tf.concat([x, h], 1), w_ru) + b_ru), 2, 1)
    c = tf.tanh(tf.matmul(tf.concat([x, h * r], 1), w_c) + b_c)
    return r, u, c, u * h + (1 - u) * c


def gru_cell_grad(
    x: Tensor, h: Tensor, w_ru: Tensor, w_c: Tensor, r: Tensor, u: Tensor, c: Tensor, dh: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`GRUBlockCellGrad`: by x, by h, and by the sums before c and before r and u."""
    inputs = tf.shape(x)[1]
    dc = dh * (1 - u) * (1 - c * c)
    du = dh * (h - c) * u * (1 - u)
    by_both = tf.matmul(dc, w_c, transpose_b=True)
    by_reset = by_both[:, inputs:]
    dr = by_reset * h * r * (1 - r)
    sums = tf.concat([dr, du], 1)
    rest = tf.matmul(sums, w_ru, transpose_b=True)
    by_h = dh * u + by_reset * r + rest[:, inputs:]
    return by_both[:, :inputs] + rest[:, :inputs], by_h, dc, sums

"""Cells of tf.contrib.rnn: against their formulas, in graphs as at once, and names of variables."""

import re

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import rnn

v1 = tf.compat.v1


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def lstm(joined, memory, forget_bias=1.0):
    into, candidate, forget, out = np.split(joined, 4, 1)
    memory = memory * sigmoid(forget + forget_bias) + sigmoid(into) * np.tanh(candidate)
    return np.tanh(memory) * sigmoid(out), memory


def normalized(x):
    return (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)


def layer_norm_basic(v, x, state):
    memory, hidden = state
    gates = np.split(np.concatenate([x, hidden], 1) @ v["kernel"], 4, 1)
    into, candidate, forget, out = (normalized(gate) for gate in gates)
    memory = memory * sigmoid(forget + 1) + sigmoid(into) * np.tanh(candidate)
    return np.tanh(normalized(memory)) * sigmoid(out)


def coupled(v, x, state):
    joined = np.concatenate([x, state[1]], 1) @ np.concatenate([v["W_0"], v["W_1"]]) + v["B"]
    candidate, forget, out = np.split(joined, 3, 1)
    kept = sigmoid(forget + 1 + v["W_F_diag"] * state[0])
    memory = kept * state[0] + (1 - kept) * np.tanh(candidate)
    return sigmoid(out + v["W_O_diag"] * memory) * np.tanh(memory)


def nas(v, x, state):
    xs = np.split(x @ v["kernel"], 8, 1)
    hs = np.split(state[1] @ v["recurrent_kernel"], 8, 1)
    a, b, c = sigmoid(xs[0] + hs[0]), relu(xs[1] + hs[1]), sigmoid(xs[2] + hs[2])
    d, e, f = relu(xs[3] * hs[3]), np.tanh(xs[4] + hs[4]), sigmoid(xs[5] + hs[5])
    g, h = np.tanh(xs[6] + hs[6]), sigmoid(xs[7] + hs[7])
    memory = np.tanh(np.tanh(a * b) + state[0]) * np.tanh(c + d)
    return np.tanh(memory * np.tanh(np.tanh(e * f) + sigmoid(g + h)))


def ugrnn(v, x, state):
    gate, candidate = np.split(np.concatenate([x, state], 1) @ v["kernel"] + v["bias"], 2, 1)
    return sigmoid(gate + 1) * state + (1 - sigmoid(gate + 1)) * np.tanh(candidate)


def intersection(v, x, state):
    x = x @ v["in_projection/kernel"] + v["in_projection/bias"]
    joined = np.concatenate([x, state], 1) @ v["kernel"] + v["bias"]
    depth_gate, depth = np.split(joined, 4, 1)[2:]
    return sigmoid(depth_gate + 1) * x + (1 - sigmoid(depth_gate + 1)) * relu(depth)


def sru(v, x, state):
    candidate, forget, reset, through = np.split(x @ v["kernel"], 4, 1)
    forget, reset = (
        sigmoid(g + b) for g, b in zip((forget, reset), np.split(v["bias"], 2), strict=True)
    )
    memory = forget * state + (1 - forget) * candidate
    return reset * np.tanh(memory) + (1 - reset) * through


def minimal(v, x, state):
    mapped = np.tanh(x @ v["kernel"])
    kept = sigmoid(np.concatenate([mapped, state], 1) @ v["recurrent_kernel"] + v["bias"])
    return kept * state + (1 - kept) * mapped


def cfn(v, x, state):
    gates = x @ v["kernel"][:, :6] + state @ v["recurrent_kernel"] + v["bias"]
    kept, taken = np.split(sigmoid(gates), 2, 1)
    return kept * np.tanh(state) + taken * np.tanh(x @ v["kernel"][:, 6:])


def independent(v, x, state):
    return np.tanh(x @ v["kernel_w"] + state * v["kernel_u"] + v["bias"])


def indy_gru(v, x, state):
    def mapped(scope, state):
        kernel, recurrent = v[f"{scope}/kernel_w"], v[f"{scope}/kernel_u"]
        return x @ kernel + state * recurrent + v[f"{scope}/bias"]

    reset, update = np.split(sigmoid(mapped("gates", np.tile(state, 2))), 2, 1)
    return update * state + (1 - update) * np.tanh(mapped("candidate", reset * state))


def indy_lstm(v, x, state):
    joined = x @ v["kernel_w"] + np.tile(state[1], 4) * v["kernel_u"] + v["bias"]
    return lstm(joined, state[0])[0]


def plain(v, x, state):
    return lstm(np.concatenate([x, state[1]], 1) @ v["kernel"] + v["bias"], state[0])[0]


def weight_norm(v, x, state):
    name = "wn_lstm_cell"
    parts = np.split(v[f"{name}/kernel"], [4])
    lengths = [v[f"{name}/norm_{k}"] for k in range(2)]
    kernel = np.concatenate(
        [p / np.linalg.norm(p, axis=0) * g for p, g in zip(parts, lengths, strict=True)]
    )
    joined = np.concatenate([x, state[1]], 1) @ kernel + v[f"{name}/bias"]
    return lstm(joined, state[0])[0]


def grouped(v, x, state):
    gates = [
        np.split(np.concatenate(pair, 1) @ v[f"group{k}/kernel"], 4, 1)
        for k, pair in enumerate(zip(np.split(x, 2, 1), np.split(state[1], 2, 1), strict=True))
    ]
    joined = [np.concatenate(g, 1) for g in zip(*gates, strict=True)]
    biases = [v[f"bias_{gate}"] for gate in "ijfo"]
    return lstm(np.concatenate([g + b for g, b in zip(joined, biases, strict=True)], 1), state[0])[
        0
    ]


def old_gru(v, x, state):
    gates = np.concatenate([x, state], 1) @ v["w_ru"] + v["b_ru"]
    reset, update = np.split(sigmoid(gates), 2, 1)
    candidate = np.tanh(np.concatenate([x, reset * state], 1) @ v["w_c"] + v["b_c"])
    return update * state + (1 - update) * candidate


def highway(v, x, state):
    reset, update = np.split(
        sigmoid(np.concatenate([x, state], 1) @ v["gates/kernel"] + v["gates/bias"]), 2, 1
    )
    joined = np.concatenate([x, reset * state], 1)
    candidate = np.tanh(joined @ v["candidate/kernel"] + v["candidate/bias"])
    output = update * state + (1 - update) * candidate
    carried = sigmoid(x @ v["carry_w"] + v["carry_b"])
    return x * carried + output * sigmoid(x @ v["transform_w"] + v["transform_b"])


def time_frequency(v, x, state):
    outputs, below = [], np.zeros([len(x), 3])
    for k in range(2):
        memory, hidden = np.split(state, 4, 1)[2 * k : 2 * k + 2]
        joined = np.concatenate([x[:, k : k + 3], hidden, below], 1) @ v["W_0"] + v["B"]
        below, _ = lstm(joined, memory)
        outputs.append(below)
    return np.concatenate(outputs, 1)


def grid(v, x, state):
    outputs = []
    low_memory = low_hidden = np.zeros([len(x), 3])
    for k, (memory, hidden) in enumerate(zip(state[::2], state[1::2], strict=True)):
        joined = np.concatenate([x[:, k : k + 2], hidden, low_hidden], 1)
        low_hidden, low_memory = lstm(joined @ v["W_f_0_0"] + v["B_f_0"], low_memory)
        outputs += [lstm(joined @ v["W_t_0_0"] + v["B_t_0"], memory)[0], low_hidden]
    return np.concatenate(outputs, 1)


CELLS = {
    "layer_norm_basic": (lambda: rnn.LayerNormBasicLSTMCell(3), layer_norm_basic),
    "layer_norm": (lambda: rnn.LayerNormLSTMCell(3), plain),
    "layer_norm_on": (lambda: rnn.LayerNormLSTMCell(3, layer_norm=True), layer_norm_basic),
    "coupled": (
        lambda: rnn.CoupledInputForgetGateLSTMCell(3, use_peepholes=True, num_unit_shards=2),
        coupled,
    ),
    "nas": (lambda: rnn.NASCell(3), nas),
    "ugrnn": (lambda: rnn.UGRNNCell(3), ugrnn),
    "intersection": (lambda: rnn.IntersectionRNNCell(3, num_in_proj=3), intersection),
    "sru": (lambda: rnn.SRUCell(3), sru),
    "minimal": (lambda: rnn.MinimalRNNCell(3), minimal),
    "cfn": (lambda: rnn.CFNCell(3), cfn),
    "independent": (lambda: rnn.IndRNNCell(3), independent),
    "indy_gru": (lambda: rnn.IndyGRUCell(3), indy_gru),
    "indy_lstm": (lambda: rnn.IndyLSTMCell(3), indy_lstm),
    "block": (lambda: rnn.LSTMBlockCell(3), plain),
    "old_gru": (lambda: rnn.GRUBlockCell(3), old_gru),
    "weight_norm": (lambda: rnn.WeightNormLSTMCell(3), weight_norm),
    "grouped": (lambda: rnn.GLSTMCell(4, number_of_groups=2), grouped),
    "highway": (lambda: rnn.HighwayWrapper(rnn.GRUCell(4), False), highway),
    "grid": (
        lambda: rnn.GridLSTMCell(3, feature_size=2, frequency_skip=1, num_frequency_blocks=[3]),
        grid,
    ),
}
# Cells that are compared only with themselves in a graph.
OTHERS = {
    "peepholes": lambda: rnn.LayerNormLSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2),
    "weight_norm": lambda: rnn.WeightNormLSTMCell(3, use_peepholes=True, num_proj=2, cell_clip=0.5),
    "shared grid": lambda: rnn.GridLSTMCell(
        3,
        use_peepholes=True,
        share_time_frequency_weights=True,
        couple_input_forget_gates=True,
        feature_size=2,
        frequency_skip=1,
        num_frequency_blocks=[3],
        state_is_tuple=False,
    ),
    "both ways": lambda: rnn.BidirectionalGridLSTMCell(
        3,
        use_peepholes=True,
        feature_size=2,
        frequency_skip=2,
        num_frequency_blocks=[2],
        backward_slice_offset=1,
    ),
    "attention": lambda: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(3), 2, input_size=5),
    "input": lambda: rnn.InputProjectionWrapper(rnn.GRUCell(3), 2),
    "output": lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(3), 2),
    "compiled": lambda: rnn.CompiledWrapper(rnn.GRUCell(3)),
}


def inner_name(variable):
    """The name within the cell's scope, or without a scope if it has no slash."""
    parts = variable.name.split(":")[0].split("/")
    cell = next((k for k, part in enumerate(parts) if re.search("_cell(_[0-9]+)?$", part)), -1)
    return "/".join(parts[cell + 1 :])


def drawn(rng, like):
    return tf.nest.map_structure(
        lambda part: rng.uniform(-1, 1, part.shape.as_list()).astype(np.float32), like
    )


@pytest.mark.parametrize("name", CELLS)
def test_a_step_is_the_formula(name):
    make, formula = CELLS[name]
    rng = np.random.RandomState(1)
    cell, x = make(), rng.normal(size=[2, 4]).astype(np.float32)
    state = drawn(rng, cell.zero_state(2, tf.float32))
    cell(x, state)
    for variable in cell.variables:
        if "gamma" not in variable.name and "beta" not in variable.name:
            variable.assign(rng.uniform(-1, 1, variable.shape))
    output, new = cell(x, tf.nest.map_structure(tf.constant, state))
    tf.nest.assert_same_structure(new, state)
    values = {inner_name(v): v.numpy().astype(np.float64) for v in cell.variables}
    np.testing.assert_allclose(output, formula(values, x, state), rtol=1e-4, atol=1e-5)


def test_frequencies_in_turn():
    cell, rng = rnn.TimeFreqLSTMCell(3, feature_size=3), np.random.RandomState(1)
    x, state = rng.normal(size=[2, 4]), rng.normal(size=[2, 12])
    output, new = cell(tf.constant(x, tf.float32), tf.constant(state, tf.float32))
    values = {inner_name(v): v.numpy() for v in cell.variables}
    np.testing.assert_allclose(output, time_frequency(values, x, state), rtol=1e-4, atol=1e-5)
    assert new.shape == [2, 12]


@pytest.mark.parametrize("name", [*CELLS, *OTHERS])
def test_networks_in_graphs_are_those_at_once(name):
    make = OTHERS[name] if name in OTHERS else CELLS[name][0]
    rng = np.random.RandomState(2)
    x = rng.normal(size=[2, 5, 4]).astype(np.float32)
    cell = make()
    expected, last = v1.nn.dynamic_rnn(cell, x, [3, 5], dtype=tf.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [None, None, 4])
        outputs, end = v1.nn.dynamic_rnn(make(), given, [3, 5], dtype=tf.float32)
        variables = v1.trainable_variables()
        assert [inner_name(v) for v in variables] == [inner_name(v) for v in cell.variables]
        gradients = v1.gradients(outputs, variables)
        # A bias that layer normalization makes of no use has no gradient.
        assert [v.op.name for v, g in zip(variables, gradients, strict=True) if g is None] == (
            ["rnn/layer_norm_lstm_cell/bias"] if name == "layer_norm_on" else []
        )
        session.run(v1.global_variables_initializer())
        for variable, value in zip(variables, cell.variables, strict=True):
            variable.load(value.numpy(), session)
        found, state = session.run([outputs, end], {given: x})
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    for one, other in zip(tf.nest.flatten(state), tf.nest.flatten(last), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    assert (found[0, 3:] == 0).all()


@pytest.mark.parametrize("ndims", [1, 2, 3])
def test_convolutions(ndims):
    """With kernels of one point, each point has an LSTM of its own."""
    shape = [4, 3, 2][:ndims]
    cell = rnn.ConvLSTMCell(ndims, [*shape, 4], 3, [1] * ndims)
    x = np.random.RandomState(1).normal(size=[2, 5, *shape, 4]).astype(np.float32)
    outputs, _ = v1.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    assert [inner_name(v) for v in cell.variables] == ["kernel", "biases"]
    kernel = cell.variables[0].numpy().reshape([7, 12])
    memory = hidden = np.zeros([2, *shape, 3])
    for k in range(5):
        joined = np.concatenate([x[:, k], hidden], -1) @ kernel
        hidden, memory = lstm(joined.reshape([-1, 12]), memory.reshape([-1, 3]))
        hidden, memory = (part.reshape([2, *shape, 3]) for part in (hidden, memory))
    np.testing.assert_allclose(outputs[:, -1], hidden, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.ConvLSTMCell(ndims, [3], 3, [1] * ndims)


def test_phases():
    cell = rnn.PhasedLSTMCell(3, use_peepholes=True)
    rng = np.random.RandomState(1)
    times = np.cumsum(rng.uniform(size=[2, 6, 1]), 1).astype(np.float32)
    x = rng.normal(size=[2, 6, 4]).astype(np.float32)
    outputs, _ = v1.nn.dynamic_rnn(cell, (times, x), dtype=tf.float32)
    v = {inner_name(v): v.numpy() for v in cell.variables}
    assert (v["phase"] <= v["period"]).all() and (v["period"] >= 1).all()
    memory = hidden = np.zeros([2, 3])
    for k in range(6):
        seen = [x[:, k], hidden]

        def mapped(scope, *inputs):
            return np.concatenate(inputs, 1) @ v[f"{scope}/kernel"] + v[f"{scope}/bias"]

        into, forget = np.split(sigmoid(mapped("mask_gates", *seen, memory)), 2, 1)
        new = memory * forget + into * np.tanh(mapped("new_input", *seen))
        output = np.tanh(new) * sigmoid(mapped("output_gate", *seen, new))
        position = np.mod(times[:, k] - v["phase"], v["period"]) / v["period"]
        ratio = v["ratio_on"]
        rising = 2 * position / ratio
        opened = np.where(position < ratio, 2 - rising, 0.001 * position)
        opened = np.where(position < 0.5 * ratio, rising, opened)
        memory = opened * new + (1 - opened) * memory
        hidden = opened * output + (1 - opened) * hidden
    np.testing.assert_allclose(outputs[:, -1], hidden, rtol=1e-4, atol=1e-5)


def test_dropout_of_candidates():
    cell = rnn.LayerNormBasicLSTMCell(200, dropout_keep_prob=0.5, layer_norm=False)
    state = cell.zero_state(1, tf.float32)
    cell(tf.ones([1, 4]), state)
    _, new = cell(tf.ones([1, 4]), state)
    assert 0.3 < np.mean(new.c.numpy() == 0) < 0.7
    assert [inner_name(v) for v in cell.variables] == ["kernel", "bias"]


def test_embedded_ids():
    cell = rnn.EmbeddingWrapper(rnn.BasicRNNCell(3), 5, 4)
    output, _ = cell(tf.constant([[1], [2]]), cell.zero_state(2, tf.float32))
    embedding, kernel, bias = (v.numpy() for v in cell.variables)
    assert embedding.shape == (5, 4)
    np.testing.assert_allclose(output, np.tanh(embedding[1:3] @ kernel[:4] + bias), rtol=1e-5)


def test_all_steps_in_one_call():
    x = np.random.RandomState(1).normal(size=[5, 2, 4]).astype(np.float32)
    fused = rnn.LSTMBlockFusedCell(3, use_peephole=True)
    outputs, state = fused(x, dtype=tf.float32, sequence_length=[2, 5])
    single = rnn.LSTMCell(3, use_peepholes=True, name="lstm_cell")
    single.prepare(tf.constant(x[0]))
    for variable, value in zip(single.variables, fused.variables, strict=True):
        variable.assign(value)
    expected, last = v1.nn.dynamic_rnn(single, x, [2, 5], dtype=tf.float32, time_major=True)
    np.testing.assert_allclose(outputs, expected, rtol=1e-5)
    np.testing.assert_allclose(state.c, last.c, rtol=1e-5)
    assert state.h.shape == [2, 3] and fused.num_units == 3
    for dynamic in (False, True):
        backwards = rnn.TimeReversedFusedRNN(rnn.FusedRNNCellAdaptor(single, dynamic))
        turned, _ = backwards(tf.constant(x), dtype=tf.float32, sequence_length=[2, 5])
        forth, _ = v1.nn.dynamic_rnn(
            single,
            tf.reverse_sequence(x, [2, 5], seq_axis=0, batch_axis=1),
            [2, 5],
            dtype=tf.float32,
            time_major=True,
        )
        expected = tf.reverse_sequence(forth, [2, 5], seq_axis=0, batch_axis=1)
        np.testing.assert_allclose(turned, expected, rtol=1e-5)
    listed, _ = fused(list(x), dtype=tf.float32)
    assert len(listed) == 5


def test_a_fused_cell_shares_its_checkpoint(tmp_path):
    x = np.ones([5, 2, 4], np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        outputs, _ = rnn.LSTMBlockFusedCell(3, name="lstm")(tf.constant(x), dtype=tf.float32)
        session.run(v1.global_variables_initializer())
        expected = session.run(outputs)
        path = v1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), v1.Session() as session:
        cell = rnn.LSTMCell(3, name="lstm")
        outputs, _ = v1.nn.dynamic_rnn(cell, tf.constant(x), dtype=tf.float32, time_major=True)
        kernel, bias = v1.global_variables()
        v1.train.Saver({"lstm/kernel": kernel, "lstm/bias": bias}).restore(session, path)
        np.testing.assert_allclose(session.run(outputs), expected, rtol=1e-5)


@pytest.mark.parametrize("dynamic", [True, False])
def test_stacks_in_both_directions(dynamic):
    x = np.random.RandomState(1).normal(size=[2, 5, 4]).astype(np.float32)
    forth, back = ([rnn.GRUCell(3), rnn.GRUCell(2)] for _ in range(2))
    if dynamic:
        outputs, ends, _ = rnn.stack_bidirectional_dynamic_rnn(forth, back, x, dtype=tf.float32)
    else:
        steps = tf.unstack(tf.constant(x), axis=1)
        listed, ends, _ = rnn.stack_bidirectional_rnn(forth, back, steps, dtype=tf.float32)
        outputs = tf.stack(listed, 1)
    assert outputs.shape == [2, 5, 4] and len(ends) == 2
    below = x
    for pair in zip(forth, back, strict=True):
        below, _ = v1.nn.bidirectional_dynamic_rnn(*pair, below, dtype=tf.float32)
        below = tf.concat(below, 2)
    np.testing.assert_allclose(outputs, below, rtol=1e-5)
    with pytest.raises(ValueError, match="same depth"):
        rnn.stack_bidirectional_dynamic_rnn(forth, back[:1], x, dtype=tf.float32)
    with pytest.raises(ValueError, match="one per layer"):
        rnn.stack_bidirectional_dynamic_rnn(forth, back, x, [1], dtype=tf.float32)


def test_sizes_of_batches():
    with tf.Graph().as_default(), v1.Session() as session:
        known = v1.placeholder(tf.float32, [None, 2, 4])
        assert rnn.best_effort_input_batch_size([known]) == 2
        unknown = v1.placeholder(tf.float32, [None, None, 4])
        size = rnn.best_effort_input_batch_size([unknown])
        assert session.run(size, {unknown: np.zeros([5, 3, 4])}) == 3
        assert rnn.transpose_batch_time(known).shape.as_list() == [2, None, 4]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: rnn.GLSTMCell(3, number_of_groups=2), "divisible"),
        (lambda: rnn.GridLSTMCell(3), "num_frequency_blocks"),
        (lambda: rnn.AttentionCellWrapper(rnn.GRUCell(3), 0), "greater than zero"),
        (lambda: rnn.AttentionCellWrapper(rnn.LSTMCell(3), 1, state_is_tuple=False), "tuple"),
        (lambda: rnn.EmbeddingWrapper(rnn.GRUCell(3), 0, 2), "must be > 0"),
        (lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(3), 0), "must be > 0"),
        (lambda: rnn.GRUBlockCellV2(), "Exactly one"),
        (
            lambda: rnn.IntersectionRNNCell(3)(tf.ones([1, 4]), tf.ones([1, 3])),
            "num_in_proj",
        ),
        (
            lambda: rnn.CoupledInputForgetGateLSTMCell(1, num_unit_shards=9)(
                tf.ones([1, 4]), (tf.ones([1, 1]), tf.ones([1, 1]))
            ),
            "Too many shards",
        ),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def turing_step(v, controller, x, state):
    """One reading head and one writing head, by the equations of the paper."""
    size = state.M.shape[2]
    hidden, controller_state = controller(
        tf.concat([x, *state.read_vector_list], 1), state.controller_state
    )
    hidden = hidden.numpy()
    parameters = hidden @ v["o2p/kernel"] + v["o2p/bias"]
    places = []
    for head, last in zip(
        np.split(parameters[:, : 2 * (size + 6)], 2, 1), state.w_list, strict=True
    ):
        key, strength, gate = np.tanh(head[:, :size]), head[:, size], sigmoid(head[:, size + 1])
        shift = np.exp(head[:, size + 2 : size + 5])
        shift /= shift.sum(1, keepdims=True)
        new = np.zeros(last.shape)
        for b, memory in enumerate(state.M.numpy()):
            alike = (
                memory @ key[b] / (np.linalg.norm(memory, axis=1) * np.linalg.norm(key[b]) + 1e-8)
            )
            alike = np.exp(np.log1p(np.exp(strength[b])) * alike)
            mixed = gate[b] * alike / alike.sum() + (1 - gate[b]) * last[b].numpy()
            moved = (
                shift[b, 0] * mixed
                + shift[b, 1] * np.roll(mixed, 1)
                + shift[b, 2] * np.roll(mixed, -1)
            )
            sharp = moved ** (np.log1p(np.exp(head[b, -1])) + 1)
            new[b] = sharp / sharp.sum()
        places.append(new)
    erase, add = sigmoid(parameters[:, -2 * size : -size]), np.tanh(parameters[:, -size:])
    read = np.einsum("bp,bps->bs", places[0], state.M.numpy())
    memory = state.M.numpy() * (1 - np.einsum("bp,bs->bps", places[1], erase))
    memory = memory + np.einsum("bp,bs->bps", places[1], add)
    output = np.concatenate([hidden, read], 1) @ v["o2o/kernel"] + v["o2o/bias"]
    return output, places, memory


def test_turing_machines():
    random = np.random.default_rng(2)
    controller = rnn.GRUCell(5)
    cell = rnn.NTMCell(controller, 7, 3, 1, 1)
    x = tf.constant(random.normal(size=(2, 4)), tf.float32)
    state = cell.zero_state(2, tf.float32)
    for _ in range(3):
        before = state
        output, state = cell(x, state)
        names = {v.name.partition("/")[2].removesuffix(":0"): v.numpy() for v in cell.variables}
        expected, places, memory = turing_step(names, controller, x, before)
        np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(state.w_list[0], places[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(state.w_list[1], places[1], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(state.M, memory, rtol=1e-4, atol=1e-5)
    assert float(state.time) == 3 and output.shape == (2, 4)


def test_turing_machines_unroll_and_learn_where_they_begin():
    with tf.Graph().as_default(), v1.Session() as session:
        cell = rnn.NTMCell(rnn.BasicLSTMCell(6), 8, 4, 2, 1, output_dim=3)
        x = v1.placeholder(tf.float32, [None, 5, 3])
        start = cell.zero_state(tf.shape(x)[0], tf.float32)
        outputs, _ = v1.nn.dynamic_rnn(cell, x, initial_state=start)
        loss = tf.reduce_mean(tf.square(outputs - tf.reverse(x, [1])))
        train = v1.train.AdamOptimizer(0.02).minimize(loss)
        gradients = tf.gradients(loss, v1.trainable_variables())
        assert all(gradient is not None for gradient in gradients)
        session.run(v1.global_variables_initializer())
        feeds = {x: np.random.default_rng(0).integers(0, 2, (4, 5, 3))}
        first = session.run(loss, feeds)
        for _ in range(60):
            session.run(train, feeds)
        assert session.run(loss, feeds) < first / 2

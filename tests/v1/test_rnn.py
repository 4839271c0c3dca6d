"""Recurrent networks of version 1, beside sums recorded from TensorFlow 2.21."""

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1
cells = tf.nn.rnn_cell
INPUTS = np.random.RandomState(0).randn(3, 4, 5).astype(np.float32)
LENGTHS = [4, 2, 1]


def sums(make, time=None):
    """Names of the variables; sums of outputs, states and the inputs' gradient."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, time, 5])
        n = tf.placeholder(tf.int32, [None])
        with tf.variable_scope("m", initializer=tf.constant_initializer(0.05)):
            flat = eagerflow.nest.flatten(make(x, n))
        total = tf.add_n([tf.reduce_sum(part) for part in flat])
        (gradient,) = tf.gradients(total, x)
        session.run(tf.global_variables_initializer())
        values = session.run([*flat, gradient], {x: INPUTS, n: LENGTHS})
        names = [variable.op.name for variable in tf.global_variables()]
        return names, [float(value.sum()) for value in values]


def test_lstm():
    names, found = sums(
        lambda x, n: tf.nn.dynamic_rnn(cells.BasicLSTMCell(3), x, n, dtype=tf.float32)
    )
    assert names == ["m/rnn/basic_lstm_cell/kernel", "m/rnn/basic_lstm_cell/bias"]
    np.testing.assert_allclose(found, [1.2332, 0.525, 0.2781, 6.162], atol=2e-4)


def test_lstm_with_everything():
    def make(x, n):
        cell = cells.LSTMCell(3, use_peepholes=True, num_proj=2, cell_clip=0.3, proj_clip=0.1)
        return tf.nn.dynamic_rnn(cell, x, n, dtype=tf.float32)

    names, found = sums(make)
    assert names[2:] == [
        "m/rnn/lstm_cell/w_f_diag",
        "m/rnn/lstm_cell/w_i_diag",
        "m/rnn/lstm_cell/w_o_diag",
        "m/rnn/lstm_cell/projection/kernel",
    ]
    np.testing.assert_allclose(found, [0.1174, 0.4717, 0.0251, 2.5665], atol=2e-4)


def test_cells_above_each_other():
    def make(x, n):
        cell = cells.MultiRNNCell([cells.GRUCell(3), cells.BasicRNNCell(2)])
        return tf.nn.dynamic_rnn(cell, x, n, dtype=tf.float32)

    names, found = sums(make)
    assert names[0] == "m/rnn/multi_rnn_cell/cell_0/gru_cell/gates/kernel"
    assert names[-1] == "m/rnn/multi_rnn_cell/cell_1/basic_rnn_cell/bias"
    np.testing.assert_allclose(found, [0.0875, 0.1718, 0.0199, 1.3819], atol=2e-4)


def test_time_first_and_one_state():
    cell = cells.BasicLSTMCell(3, state_is_tuple=False)
    _, found = sums(lambda x, n: tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, time_major=True))
    np.testing.assert_allclose(found, [0.9971, 0.1104, 9.2843], atol=2e-4)


def test_both_directions():
    names, found = sums(
        lambda x, n: tf.nn.bidirectional_dynamic_rnn(
            cells.GRUCell(3), cells.GRUCell(2), x, n, dtype=tf.float32
        )
    )
    assert names[0] == "m/bidirectional_rnn/fw/gru_cell/gates/kernel"
    np.testing.assert_allclose(found, [0.8074, 0.3874, 0.1718, 0.1595, 5.1565], atol=2e-4)


def test_lists_of_steps():
    _, found = sums(
        lambda x, n: tf.nn.static_rnn(
            cells.BasicLSTMCell(3), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=n
        ),
        time=4,
    )
    expected = [0.2881, 0.317, 0.3333, 0.2948, 0.525, 0.2781, 6.162]
    np.testing.assert_allclose(found, expected, atol=2e-4)
    names, found = sums(
        lambda x, n: tf.nn.static_bidirectional_rnn(
            cells.BasicLSTMCell(3), cells.BasicLSTMCell(3), tf.unstack(x, axis=1), dtype=tf.float32
        ),
        time=4,
    )
    assert names[-1] == "m/bidirectional_rnn/bw/basic_lstm_cell/bias"
    np.testing.assert_allclose(found[:4], [0.6055, 0.1666, 0.1525, 0.2933], atol=2e-4)


def test_wrappers():
    def make(x, n):
        inner = cells.DropoutWrapper(cells.GRUCell(5), output_keep_prob=1.0)
        return tf.nn.dynamic_rnn(cells.ResidualWrapper(inner), x, n, dtype=tf.float32)

    _, found = sums(make)
    np.testing.assert_allclose(found, [11.9315, 0.3027, 40.1573], atol=2e-4)


def test_dropout_with_a_placeholder():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, 5])
        keep = tf.placeholder_with_default(1.0, [])
        cell = cells.DropoutWrapper(cells.BasicRNNCell(64), output_keep_prob=keep)
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        assert np.all(session.run(outputs, {x: INPUTS}) != 0)
        dropped = session.run(outputs, {x: INPUTS, keep: 0.5})
        assert 0.3 < np.mean(dropped == 0) < 0.7


def test_eager_cells_learn():
    cell = cells.GRUCell(4)
    x = tf.constant(INPUTS)
    with eagerflow.GradientTape() as tape:
        outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        loss = tf.reduce_sum(outputs * outputs)
    gradients = tape.gradient(loss, cell.trainable_variables)
    assert [g.shape for g in gradients] == [v.shape for v in cell.trainable_variables]
    np.testing.assert_array_equal(outputs[:, -1], state)


def test_a_cell_of_a_program():
    class Cell(cells.RNNCell):
        @property
        def state_size(self):
            return 2

        @property
        def output_size(self):
            return 2

        def build(self, shape):
            self.w = self.add_variable("w", [int(shape[-1]), 2])
            self.built = True

        def call(self, inputs, state):
            new = tf.tanh(tf.matmul(inputs, self.w) + state)
            return new, new

    names, found = sums(lambda x, n: tf.nn.dynamic_rnn(Cell(), x, dtype=tf.float32))
    assert names == ["m/rnn/cell/w"]
    assert len(found) == 3


def test_bad_arguments():
    with pytest.raises(ValueError, match="dtype"):
        tf.nn.dynamic_rnn(cells.GRUCell(2), INPUTS)
    with pytest.raises(TypeError, match="sequence"):
        tf.nn.static_rnn(cells.GRUCell(2), tf.ones([2, 3]), dtype=tf.float32)
    with pytest.raises(ValueError, match="between 0 and 1"):
        cells.DropoutWrapper(cells.GRUCell(2), input_keep_prob=1.5)
    with pytest.raises(ValueError, match="at least one cell"):
        cells.MultiRNNCell([])


@pytest.mark.parametrize("counts", [False, True])
def test_raw_rnn_is_what_a_function_makes_of_a_cell(counts):
    inputs = np.random.RandomState(0).randn(4, 3, 2).astype(np.float32)
    lengths = np.array([4, 2, 3], np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [4, 3, 2])
        steps = tf.TensorArray(tf.float32, 4).unstack(fed)
        cell = tf.nn.rnn_cell.LSTMCell(5)

        def loop(time, output, state, count):
            ended = time >= lengths
            following = tf.cond(
                tf.reduce_all(ended), lambda: tf.zeros([3, 2]), lambda: steps.read(time)
            )
            state = cell.zero_state(3, tf.float32) if output is None else state
            if counts:
                count = tf.constant(0) if output is None else count + 1
            return ended, following, state, output, count

        arrays, state, count = tf.nn.raw_rnn(cell, loop)
        emitted = arrays.stack()
        assert emitted.shape.as_list() == [None, 3, 5]
        with tf.variable_scope("rnn", reuse=True):
            expected, last = tf.nn.dynamic_rnn(
                cell, fed, lengths, dtype=tf.float32, time_major=True, scope=tf.get_variable_scope()
            )
        gradients = [
            tf.reduce_sum(tf.gradients(tf.reduce_sum(y), tf.trainable_variables())[0])
            for y in (emitted, expected)
        ]
        assert len(tf.trainable_variables()) == 2
        session.run(tf.global_variables_initializer())
        found, wanted = session.run([[emitted, state], [expected, last]], {fed: inputs})
        np.testing.assert_allclose(found[0], wanted[0], atol=1e-6)
        np.testing.assert_allclose(found[1], wanted[1], atol=1e-6)
        np.testing.assert_allclose(*session.run(gradients, {fed: inputs}), rtol=1e-5)
        assert session.run(count, {fed: inputs}) == 4 if counts else count is None


def test_raw_rnn_takes_a_function():
    with pytest.raises(TypeError, match="callable"):
        tf.nn.raw_rnn(tf.nn.rnn_cell.BasicRNNCell(2), 3)


def test_states_that_are_kept_elsewhere():
    class Saver:
        def __init__(self):
            self.kept = tf.get_variable("st", [1, 2], initializer=tf.zeros_initializer())

        def state(self, name):
            return self.kept.read_value()

        def save_state(self, name, value):
            return self.kept.assign(value)

    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.BasicRNNCell(2)
        with tf.variable_scope("a", initializer=tf.ones_initializer()):
            outputs, state = tf.nn.static_state_saving_rnn(
                cell, [tf.ones([1, 1])] * 2, Saver(), "st"
            )
        session.run(tf.global_variables_initializer())
        ran = [float(session.run(t)[0, 0]) for t in (outputs[-1], outputs[-1], state)]
    assert ran == pytest.approx([0.9872171, 0.99495095, 0.99495405], abs=1e-6)
    with pytest.raises(ValueError, match="same type"):
        tf.nn.static_state_saving_rnn(cell, [tf.ones([1, 1])], None, ("st",))


def named(*tensors):
    return [tensor.op.name for tensor in tensors]


def test_cells_have_scopes_of_their_own():
    """Each cell has variables of its own unless it shall share them; calls add to its scope."""
    with tf.Graph().as_default():
        x = tf.ones([2, 3])
        zeros = cells.LSTMCell(3).zero_state(2, tf.float32)
        assert named(*zeros) == ["LSTMCellZeroState/zeros", "LSTMCellZeroState/zeros_1"]
        state = zeros.h
        first, second = cells.BasicRNNCell(3), cells.BasicRNNCell(3)
        assert named(first(x, state)[0], first(x, state)[0], second(x, state)[0]) == [
            "basic_rnn_cell/Tanh",
            "basic_rnn_cell/Tanh_1",
            "basic_rnn_cell_1/Tanh",
        ]
        assert (second.name, second.scope_name) == ("basic_rnn_cell", "basic_rnn_cell_1")
        given = cells.BasicRNNCell(3)
        assert named(given(x, state, scope="s")[0], given(x, state)[0]) == ["s/Tanh", "s/Tanh_1"]
        named_cells = [cells.BasicRNNCell(3, name="n", reuse=reuse) for reuse in (None, None, True)]
        assert named(*(cell(x, state)[0] for cell in named_cells)) == [
            "n/Tanh",
            "n_1/Tanh",
            "n_2/Tanh",
        ]
        assert named_cells[2].variables == named_cells[0].variables
        stack = cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(3)])
        output, states = stack(x, stack.zero_state(2, tf.float32))
        assert named(output, states[0].c) == [
            "multi_rnn_cell/cell_1/gru_cell/add",
            "multi_rnn_cell/cell_0/basic_lstm_cell/Add_1",
        ]
        outputs, _ = tf.nn.dynamic_rnn(cells.GRUCell(2), tf.ones([2, 4, 3]), dtype=tf.float32)
        assert named(outputs) == ["rnn/transpose_1"]
        names = named(*tf.trainable_variables())
    assert [name for name in names if name.endswith("kernel")] == [
        "basic_rnn_cell/kernel",
        "basic_rnn_cell_1/kernel",
        "s/kernel",
        "n/kernel",
        "n_1/kernel",
        "multi_rnn_cell/cell_0/basic_lstm_cell/kernel",
        "multi_rnn_cell/cell_1/gru_cell/gates/kernel",
        "multi_rnn_cell/cell_1/gru_cell/candidate/kernel",
        "rnn/gru_cell/gates/kernel",
        "rnn/gru_cell/candidate/kernel",
    ]


class Calling(tf.nn.rnn_cell.RNNCell):
    """Makes its variable when it is called."""

    state_size = output_size = 3

    def call(self, inputs, state):
        kernel = tf.get_variable("k", [3, 3])
        return (tf.matmul(inputs, kernel) + state,) * 2


class Older(Calling):
    """Of the time before there were scopes in the base class."""

    def __init__(self):
        pass

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__):
            return self.call(inputs, state)


@pytest.mark.parametrize("cell, name", [(Calling, "rnn/calling/k"), (Older, "rnn/Older/k")])
def test_cells_that_make_variables_when_they_are_called(cell, name):
    with tf.Graph().as_default(), tf.Session() as session:
        ones = tf.ones_initializer()
        with tf.variable_scope("rnn", initializer=ones) as scope:
            output, _ = tf.nn.dynamic_rnn(cell(), tf.ones([1, 2, 3]), dtype=tf.float32, scope=scope)
        assert named(*tf.trainable_variables()) == [name]
        session.run(tf.global_variables_initializer())
        assert session.run(output).tolist() == [[[3.0] * 3, [6.0] * 3]]


def test_stacks_join_states():
    stack = cells.MultiRNNCell([cells.BasicRNNCell(2), cells.GRUCell(3)], state_is_tuple=False)
    assert stack.state_size == 5
    _, state = stack(tf.ones([1, 4]), stack.zero_state(1, tf.float32))
    assert state.shape == [1, 5]
    lower = cells.BasicLSTMCell(2, state_is_tuple=False)
    assert cells.MultiRNNCell([lower, cells.GRUCell(3)], state_is_tuple=False).state_size == 7
    with pytest.raises(ValueError, match="state_is_tuple"):
        cells.MultiRNNCell([cells.LSTMCell(3)], state_is_tuple=False)


def test_dropped_values_are_those_of_tensorflow():
    """Recorded from TensorFlow 2.21: its seeds are made of the wrapper's."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        x = tf.ones([2, 3])
        wrapper = cells.DropoutWrapper(cells.LSTMCell(8), 0.5, 0.5, 0.5, seed=7)
        with tf.variable_scope("e", initializer=tf.constant_initializer(0.1)):
            output, state = wrapper(x, wrapper.zero_state(2, tf.float32))
        assert output.op.name == "e/dropout_2/SelectV2"
        session.run(tf.global_variables_initializer())
        output, state = session.run([output, state])
    assert (output > 0).astype(int).tolist() == [[0, 1, 1, 0, 0, 0, 1, 0], [0, 0, 0, 1, 1, 1, 1, 1]]
    assert (state.h > 0).astype(int).tolist() == [
        [1, 0, 0, 1, 0, 1, 1, 0],
        [1, 0, 0, 0, 0, 1, 0, 1],
    ]
    assert (state.c > 0).all()


def test_steps_drop_the_same():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)  # a mask that drops all inputs makes all outputs 0
        arguments = {"variational_recurrent": True, "dtype": tf.float32, "input_size": 3}
        cell = cells.DropoutWrapper(cells.GRUCell(16), 0.5, 0.5, 0.5, **arguments)
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 4, 3]), dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        dropped = session.run(outputs) == 0.0
    assert dropped.any() and not dropped.all() and (dropped == dropped[:1, :1]).all()
    for wrong in ({"dtype": None}, {"input_size": None}):
        with pytest.raises(ValueError):
            cells.DropoutWrapper(cells.GRUCell(16), 0.5, **{**arguments, **wrong})
    with pytest.raises(TypeError):
        cells.DropoutWrapper(cells.GRUCell(16), dropout_state_filter_visitor=3)

"""Graphs, and the sessions that run them."""

import gc
import weakref

import numpy as np
import pytest

import eagerflow
import eagerflow.compat.v1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed_dict=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed_dict)


def test_tensors_have_names_shapes_and_no_values(graph):
    x = tf.placeholder(tf.float32, [1, 1])
    product = tf.matmul(x, x)
    assert str(product) == 'Tensor("MatMul:0", shape=(1, 1), dtype=float32)'
    assert repr(product) == "<tf.Tensor 'MatMul:0' shape=(1, 1) dtype=float32>"
    assert [(x + 1.0).name, (x + 1.0).name, tf.add(x, 1.0).name] == ["add:0", "add_1:0", "Add_2:0"]
    assert isinstance(product, tf.Tensor) and tf.is_tensor(product)
    assert list(product.op.inputs) == [x, x] and x.consumers()[0] == product.op
    assert graph.get_tensor_by_name("MatMul:0") == product
    assert not tf.executing_eagerly()
    with pytest.raises(TypeError, match="as a Python `bool`"):
        bool(product)
    with pytest.raises(NotImplementedError, match="numpy array"):
        np.array(product)
    with pytest.raises(AttributeError, match=r"session\.run"):
        product.numpy()


def test_placeholders_are_fed():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = x * 2.0
    assert y.shape.as_list() == [None, 2]
    assert run(y, {x: [[1, 2], [3, 4]]}).tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert run("mul:0", {"x:0": [[1, 2]]}).tolist() == [[2.0, 4.0]]
    with pytest.raises(eagerflow.errors.InvalidArgumentError, match="placeholder tensor 'x'"):
        run(y)
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor x:0"):
        run(y, {x: [1, 2, 3]})
    with pytest.raises(TypeError, match="cannot be a tf.Tensor"):
        run(y, {x: tf.constant(1.0)})
    assert run(y + 1.0, {y: [[0.0, 1.0]]}).tolist() == [[1.0, 2.0]]


def test_shapes_are_inferred_as_far_as_they_are_known():
    x = tf.placeholder(tf.float32, [None, 4])
    assert tf.reshape(x, [tf.shape(x)[0], 2, -1]).shape.as_list() == [None, 2, None]
    assert tf.reduce_sum(x, 0).shape.as_list() == [4]
    assert tf.concat([x, x], 0).shape.as_list() == [None, 4]
    assert tf.concat([x, x], 1).shape.as_list() == [None, 8]
    assert tf.boolean_mask(x, x[:, 0] > 0.0).shape.as_list() == [None, 4]
    assert tf.expand_dims(x, -1).get_shape().as_list() == [None, 4, 1]
    anything = tf.placeholder(tf.int32)
    assert anything.shape.rank is None and (anything + 1).shape.rank is None
    images = tf.placeholder(tf.float32, [None, 28, 28, 1])
    assert tf.nn.conv2d(
        images, tf.zeros([3, 3, 1, 8]), strides=[1, 1, 1, 1], padding="SAME"
    ).shape.as_list() == [None, 28, 28, 8]
    x.set_shape([5, None])
    assert (x * x).shape.as_list() == [5, 4]
    with pytest.raises(ValueError):
        tf.matmul(x, tf.zeros([3, 3]))


def test_structures_are_fetched():
    a, b = tf.constant(1), tf.constant([2.0])
    nothing = tf.no_op()
    found = run({"a": a, "rest": (b, [nothing])})
    assert found["a"] == 1 and found["rest"][0].tolist() == [2.0] and found["rest"][1] == [None]
    assert run([]) == []
    with pytest.raises(TypeError, match="Fetch argument 3"):
        run(3)
    with pytest.raises(TypeError, match="`fetch` = None has invalid type"):
        run(None)


def test_random_tensors_change_from_run_to_run_and_not_within():
    x = tf.random_uniform([4])
    with tf.Session() as session:
        first, same = session.run([x, x + 0.0])
        assert (first == same).all() and (session.run(x) != first).any()


def test_each_session_has_its_own_variables():
    w = tf.Variable(10, name="w")
    add, subtract = w.assign_add(10), tf.assign_sub(w, 2)
    first, second = tf.Session(), tf.Session()
    with pytest.raises(eagerflow.errors.FailedPreconditionError, match="uninitialized value w"):
        first.run(w)
    first.run(w.initializer)
    second.run(tf.global_variables_initializer())
    assert first.run(add) == 20 and second.run(subtract) == 8
    assert first.run(add) == 30 and second.run(w) == 8
    assert str(w) == "<tf.Variable 'w:0' shape=() dtype=int32>"
    assert w.eval(session=second) == 8
    first.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        first.run(w)


def test_operations_wait_for_others():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        after = tf.identity(v)
    assert run(after) == 5.0
    step = tf.group(v.assign_add(1.0), v.assign_add(1.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(step) is None and session.run(v) == 3.0


def test_conditions_run_one_branch():
    x = tf.placeholder(tf.float32, [])
    v = tf.Variable(0.0)
    result = tf.cond(x > 0.0, lambda: v.assign_add(1.0) + x, lambda: -x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(result, {x: -2.0}) == 2.0 and session.run(v) == 0.0
        assert session.run(result, {x: 2.0}) == 3.0 and session.run(v) == 1.0
    chosen = tf.case(
        [(x > 10.0, lambda: tf.constant(1)), (x > 0.0, lambda: tf.constant(2))],
        default=lambda: tf.constant(3),
    )
    assert [run(chosen, {x: value}) for value in (20.0, 5.0, -1.0)] == [1, 2, 3]


def test_loops():
    x = tf.placeholder(tf.float32, [])
    count, total = tf.while_loop(
        lambda i, total: i < 4, lambda i, total: (i + 1, total * x), [tf.constant(0), 1.0]
    )
    assert run([count, total], {x: 3.0}) == [4, 81.0]
    (gradient,) = tf.gradients(total, x)
    assert run(gradient, {x: 3.0}) == 4 * 27.0
    rows = tf.map_fn(lambda row: row * x, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert run(rows, {x: 2.0}).tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_errors_name_the_line_that_made_the_node():
    x = tf.placeholder(tf.float32, [2, 2])
    inverse = tf.matrix_inverse(x)
    with pytest.raises(eagerflow.errors.InvalidArgumentError) as caught:
        run(inverse, {x: np.zeros((2, 2))})
    message = str(caught.value)
    assert "Detected at node" in message and "test_sessions.py" in message


def test_graphs_do_not_mix(graph):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="same graph"):
            tf.add(x, 1.0)
        with tf.Session() as session:
            with pytest.raises(RuntimeError, match="graph is empty"):
                session.run(x)
            tf.no_op()
            with pytest.raises(ValueError, match="not an element of this"):
                session.run(x)
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(1.0)


def test_python_functions_run_in_sessions():
    seen = []

    def look(x):
        seen.append(x)
        return x + 1.0

    x = tf.placeholder(tf.float32, [2])
    y = tf.py_func(look, [x], tf.float32)
    assert not seen
    assert run(y, {x: [1, 2]}).tolist() == [2.0, 3.0]
    assert len(seen) == 1 and isinstance(seen[0], np.ndarray)


def test_interactive_sessions_are_the_default():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="No default session"):
        x.eval()
    session = tf.InteractiveSession()
    assert x.eval() == 2.0 and tf.get_default_session() is session
    session.close()
    assert tf.get_default_session() is None


def test_scopes_and_collections():
    with tf.name_scope("outer"), tf.name_scope("inner"):
        x = tf.constant(1, name="x")
    assert x.name == "outer/inner/x:0"
    tf.add_to_collection("kept", x)
    assert tf.get_collection("kept") == [x] and tf.get_collection("others") == []
    v = tf.Variable(1.0, trainable=False)
    assert tf.global_variables() == [v] and tf.trainable_variables() == []


def test_a_fetched_variable_without_a_value_names_its_line():
    v = tf.get_variable("no_value_yet", [2])
    with tf.Session() as session:
        message = r"no_value_yet(.|\n)*test_sessions.py"
        with pytest.raises(tf.errors.FailedPreconditionError, match=message):
            session.run([v])


def test_python_cannot_look_into_tensors_of_a_graph():
    x = tf.placeholder(tf.float32, [None, 2])
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Python `bool`"):
        bool(x)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating"):
        list(x)


def test_loops_use_variables_and_have_gradients():
    w = tf.get_variable("loop_weight", [], initializer=tf.constant_initializer(2.0))
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda k, _: k < 3, lambda k, v: (k + 1, v * w), [0, x])
    by_w, by_x = tf.gradients(y, [w, x])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([y, by_w, by_x], {x: 5.0}) == [40.0, 60.0, 8.0]


@pytest.mark.parametrize("kind", [list, tuple])
def test_loops_of_version_1_are_packed_like_the_result_of_their_body(kind):
    tf.disable_control_flow_v2()
    try:
        total = tf.while_loop(lambda i, a: i < 3, lambda i, a: kind([i + 1, a * 2]), [0, 1])
        single = tf.while_loop(lambda i: i < 3, lambda i: kind([i + 1]), (0,))
    finally:
        tf.enable_control_flow_v2()
    assert run([total, single]) == [kind([3, 8]), 3]


def test_a_variable_is_evaluated_in_the_session_given():
    v = tf.Variable([1.0, 2.0])
    with tf.Session() as first:
        first.run(v.initializer)
    session = tf.Session()
    session.run(v.assign([3.0, 4.0]))
    assert v.eval(session).tolist() == v.eval(session=session).tolist() == [3.0, 4.0]


def test_changes_of_rows_are_what_a_session_runs():
    v = tf.get_variable("rows", [3], initializer=tf.zeros_initializer())
    changes = [
        tf.scatter_add(v, [0, 2], [1.0, 2.0]),
        v[1:2].assign([7.0]),
        tf.scatter_update(v, [1], [9.0]),
        v.scatter_nd_sub([[0]], [5.0]),
    ]
    with tf.Session() as session:
        session.run(v.initializer)
        found = [session.run(change).tolist() for change in changes]
        assert found == [[1, 0, 2], [1, 7, 2], [1, 9, 2], [-4, 9, 2]]
        assert session.run(v).tolist() == found[-1]


def test_results_wait_for_their_checks(capfd):
    x = tf.placeholder(tf.float32, [2])
    checked = tf.check_numerics(x, "bad")
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad : Tensor had Inf"):
            session.run(checked, {x: [1.0, np.inf]})
        assert session.run(tf.Print(checked, [checked], "seen "), {x: [1, 2]}).tolist() == [1, 2]
    assert "seen [1 2]" in capfd.readouterr().err


def test_all_tensors_can_be_fed():
    x = tf.placeholder(tf.float32, [None])
    default = tf.placeholder_with_default([1.0, 2.0], [None])
    constant = tf.constant(3.0)
    first, second = tf.unstack(tf.stack([x, x + 1.0]))
    total = tf.reduce_sum(first) + tf.reduce_sum(second) + constant
    with tf.Session() as session:
        assert session.run(default * 2.0).tolist() == [2, 4]
        assert session.run(default * 2.0, {default: [5.0]}).tolist() == [10]
        assert session.run(total, {x: [1.0], constant: 10.0}) == 13
        assert session.run(total, {x: [1.0], first: [100.0]}) == 105
        assert session.run([total, constant], {total: 1.0}) == [1, 3]


def test_controls_decide_what_runs():
    v, w = tf.Variable(0.0, name="v"), tf.Variable(0.0, name="w")
    first = v.assign_add(1.0)
    with tf.control_dependencies([first]):
        second = w.assign_add(1.0)
        with tf.control_dependencies(None):
            apart = tf.constant(5.0) * 2.0
    assert apart.op.control_inputs == []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(apart)
        assert session.run([v, w]) == [0, 0]
        session.run(second.op)
        assert session.run([v, w]) == [1, 1]
        session.run(first)
        assert session.run([v, w]) == [2, 1]


def test_seeds_are_those_of_tensorflow():
    tf.set_random_seed(7)
    uniform, normal = tf.random_uniform([3]), tf.random_normal([2], seed=5)
    whole = tf.random_uniform([3], 0, 10, tf.int32)
    with tf.Session() as session:
        found = session.run([uniform, normal, whole])
    # Recorded from TensorFlow 2.21.
    np.testing.assert_allclose(found[0], [0.75372851, 0.0779376, 0.45880914], rtol=1e-5)
    np.testing.assert_allclose(found[1], [0.00727805, 0.53435814], rtol=1e-5)
    assert found[2].tolist() == [8, 1, 3]


def test_functions_are_called_by_nodes():
    v = tf.Variable(2.0)

    @eagerflow.function
    def scaled(x):
        v.assign_add(1.0)
        return x * v

    x = tf.placeholder(tf.float32, [])
    y = scaled(x)
    (by_x,) = tf.gradients(y, x)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(y, {x: 10.0}) == 30
        assert session.run(v) == 3
        assert session.run(by_x, {x: 10.0}) == 4


def test_sparse_tensors_are_fed_and_fetched():
    x = tf.sparse_placeholder(tf.float32)
    value = tf.SparseTensorValue([[0, 1]], [2.0], [2, 2])
    with tf.Session() as session:
        assert session.run(tf.sparse.to_dense(x), {x: value}).tolist() == [[0, 2], [0, 0]]
        found = session.run(x, {x: value})
    assert isinstance(found, tf.SparseTensorValue) and found.indices.tolist() == [[0, 1]]


@pytest.mark.parametrize("shape", [[None, 3], [-1, 3], tf.TensorShape([None, 3])])
def test_sparse_placeholders_keep_the_sizes_that_are_known(shape):
    x = tf.sparse_placeholder(tf.float32, shape, name="x")
    assert x.shape.as_list() == [None, 3] and tf.sparse.reorder(x).shape.as_list() == [None, 3]
    assert [part.op.name for part in (x.values, x.indices, x.dense_shape)] == [
        "x/values",
        "x/indices",
        "x/shape",
    ]
    assert x.op is not None and x.graph is x.values.graph
    total = tf.sparse_tensor_dense_matmul(x, tf.ones([3, 2]))
    assert [op.name for op in x.consumers()] == [op.name for op in x.values.consumers()]
    with tf.Session() as session:
        # The sizes are a value that feeds replace: -1 for those that are unknown.
        assert session.run(x.dense_shape).tolist() == [-1, 3]
        fed = {x.indices: [[1, 2]], x.values: [2.0]}
        assert session.run(x, fed).dense_shape.tolist() == [-1, 3]
        value = tf.SparseTensorValue([[1, 2]], [2.0], [2, 3])
        assert session.run(total, {x: value}).tolist() == [[0, 0], [2, 2]]
        assert x.eval({x: value}).dense_shape.tolist() == [2, 3]
    with pytest.raises(ValueError):
        x.set_shape([2, 4])
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, 3]


def test_names_are_those_of_tensorflow():
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    results = [x + 1.0, 1.0 - x, x * x, x / 2.0, x // 2.0, x % 2.0, x**2.0, -x, abs(x), x > 1.0]
    results += [x @ x, x[0], tf.add(x, 1.0), tf.reduce_mean(x), tf.zeros([2]), tf.cast(x, tf.int32)]
    results += [
        tf.matmul(x, x, name="product"),
        tf.argmax(x, 1),
        tf.squeeze(x),
        tf.concat([x, x], 0),
    ]
    assert [tensor.op.name for tensor in results] == (
        "add sub mul truediv floordiv mod pow Neg Abs Greater matmul strided_slice Add_1 Mean zeros "
        "Cast product ArgMax Squeeze concat"
    ).split()
    graph = tf.get_default_graph()
    assert [graph.get_operation_by_name(f"{name}").type for name in ("add/y", "sub/x")] == [
        "Const",
        "Const",
    ]
    assert [graph.unique_name(name) for name in ("new", "new", "NEW")] == ["new", "new_1", "NEW_2"]


def test_variables_are_made_outside_of_branches_loops_and_functions(graph):
    def weight(name):
        return tf.get_variable(name, [], initializer=tf.ones_initializer())

    class Scale(eagerflow.Module):
        factor = None

        @eagerflow.function
        def __call__(self, x):
            if self.factor is None:
                self.factor = eagerflow.Variable(3.0, name="factor")
            return x * self.factor

    chosen = tf.cond(tf.constant(True), lambda: weight("inner") * 2.0, lambda: tf.constant(0.0))
    step = tf.while_loop(lambda i: i < 4, lambda i: i + tf.cast(weight("step"), tf.int32), [0])
    scaled = Scale()(tf.constant(2.0))
    with tf.control_dependencies([tf.constant(1)]), eagerflow.init_scope():
        lifted = tf.constant(5)
    assert lifted.op.control_inputs == [] and lifted.graph is graph
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([chosen, step, scaled]) == [2, 4, 6]
    assert [v.name for v in tf.global_variables()] == ["inner:0", "step:0", "factor:0"]


def test_attributes_refuse_feeds_of_other_sizes_than_they_take():
    ones = np.ones([4], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32)
        made = {
            "range": (tf.range(x), [[], [1, 2]]),
            "expand": (tf.expand_dims(ones, x), [[], [1, 2]]),
            "fill": (tf.fill(x, 1.0), [[[1]]]),
            "one_hot": (tf.one_hot([1], x), [[], [1, 2]]),
            "slice": (tf.constant(ones)[x:], [[], [1, 2]]),
            "reshape": (tf.reshape(ones, x), [[], [[2, 2]]]),
        }
        for name, (fetch, feeds) in made.items():
            for feed in feeds:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(fetch, {x: np.array(feed, np.int32)})
                    pytest.fail(name)
        assert session.run(made["reshape"][0], {x: [2, 2]}).shape == (2, 2)


def test_a_size_in_bytes_that_no_number_holds_is_refused_when_it_runs():
    value = tf.placeholder(tf.float32, [])
    filled = tf.fill([2**63 - 1], value)
    assert filled.shape == [2**63 - 1]
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="size"):
        session.run(filled, {value: 1.0})


def test_a_tensor_keeps_its_graph():
    def build():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [])
            return x, x * 2.0

    x, y = build()
    gc.collect()
    with tf.Session(graph=y.graph) as session:
        assert session.run(y, {x: 3.0}) == 6.0


def test_graphs_whose_attributes_lead_back_to_them_are_collected():
    graph = tf.Graph()
    with graph.as_default():
        value = tf.constant(1.0)
        value.note = [value]
        tf.add_to_collection("values", value)
    graph.value = value
    gone = weakref.ref(graph)
    del graph, value
    gc.collect()
    assert gone() is None


def test_graphs_keep_their_placeholders():
    graph = tf.Graph()
    with graph.as_default():
        made = [tf.placeholder(tf.float32, [2]), tf.placeholder_with_default(False, [])]
        found = [weakref.ref(tensor) for tensor in made]
        names = [tensor.name for tensor in made]
        del made
    gc.collect()
    assert [reference().name for reference in found] == names
    del graph
    gc.collect()
    assert [reference() for reference in found] == [None, None]


@pytest.mark.parametrize("version", [1, 2])
def test_sparse_placeholders_of_any_shape_beside_lists(version):
    """Lists are values of their own key, whatever components other keys have."""
    if version == 1:
        tf.disable_v2_tensorshape()
    try:
        sparse, sizes = tf.sparse_placeholder(tf.float32), tf.placeholder(tf.int32, [None])
        assert sparse.shape.rank is None
        sums, dense = tf.sparse_reduce_sum(sparse, 1), tf.sparse_tensor_to_dense(sparse)
        value = tf.SparseTensorValue([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
        found = run([sums, dense, sparse, sizes], {sparse: value, sizes: [5]})
        assert found[0].tolist() == [1, 2] and found[1].tolist() == [[1, 0, 0], [0, 0, 2]]
        assert found[2].values.tolist() == [1, 2] and found[3].tolist() == [5]
        assert run(dense, {sparse: ([[0, 1]], [3.0], [1, 2])}).tolist() == [[0, 3]]
        known = tf.sparse_placeholder(tf.float32, [2, 3])
        assert known.shape.as_list() == [2, 3]
        found = run([tf.sparse_tensor_to_dense(known), known.dense_shape], {known: value})
        assert found[0].tolist() == [[1, 0, 0], [0, 0, 2]] and found[1].tolist() == [2, 3]
    finally:
        tf.enable_v2_tensorshape()


def test_nested_keys_feed_their_parts():
    cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2) for _ in range(2)])
    state = cell.zero_state(1, tf.float32)
    x = tf.placeholder(tf.float32, [2])
    fed = tuple(tf.nn.rnn_cell.LSTMStateTuple(*np.full((2, 1, 2), k, "f")) for k in (1, 2))
    with tf.Session() as session:
        found = session.run(state, {state: fed, x: [0.0, 0.0]})
        np.testing.assert_array_equal(found, fed)
        assert session.run(state, {state: found})[1].c.tolist() == [[2.0, 2.0]]
        pair = (np.ones(2, "f"), np.zeros((1, 2), "f"))
        assert session.run(x + state[0].c, {(x, state[0].c): pair}).tolist() == [[1.0, 1.0]]
        with pytest.raises(ValueError, match="Key had 2 elements, but value had 1 elements"):
            session.run(x, {(x, state[0].c): pair[:1]})


def test_arguments_of_unknown_rank():
    n = tf.placeholder(tf.int32)
    x = tf.constant([1, 2, 3])
    made = [
        (tf.sequence_mask([1, 2], n), 3, [[True, False, False], [True, True, False]]),
        (tf.roll(x, n, 0), 1, [3, 1, 2]),
        (tf.roll(x, n, [0]), [1], [3, 1, 2]),
        (tf.reshape(x, [n, 1]), 3, [[1], [2], [3]]),
        (tf.slice(x, [n], [1]), 1, [2]),
        (x[n:], 2, [3]),
        (tf.tile(x[:1], n), [2], [1, 1]),
        (tf.one_hot([1], n), 2, [[0.0, 1.0]]),
        (tf.range(n), 2, [0, 1]),
        (tf.cond(n > 1, lambda: x, lambda: -x), 2, [1, 2, 3]),
        (tf.while_loop(lambda i: i < n, lambda i: i + 2, [0]), 5, 6),
    ]
    with tf.Session() as session:
        for fetch, value, expected in made:
            assert session.run(fetch, {n: value}).tolist() == expected
        with pytest.raises(ValueError, match="must be scalar"):
            tf.sequence_mask([1], tf.placeholder(tf.int32, [None]))


def test_what_waits_for_a_placeholder_runs_if_it_is_fed():
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.placeholder(tf.float32, [])
        counter = tf.get_variable("counter", [], initializer=tf.zeros_initializer())
        with tf.control_dependencies([given]):
            count = counter.assign_add(1.0)
        with tf.control_dependencies([count]):
            answer = tf.constant(3.0) * 2.0
        session.run(counter.initializer)
        assert session.run(answer, {given: 1.0}) == 6.0 and session.run(counter) == 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="feed a value for placeholder"):
            session.run(answer)
        assert session.run(counter) == 1.0
        # A node that is no placeholder runs as well, whatever its output is taken to be.
        with tf.control_dependencies([count]):
            waits = tf.identity(answer)
        assert session.run(waits, {given: 1.0, answer: 5.0}) == 5.0 and session.run(counter) == 2.0


def test_more_kinds_of_fetches():
    with eagerflow.Graph().as_default(), eagerflow.compat.v1.Session() as session:
        x = eagerflow.constant([2.0], name="x")
        assert session.run(b"x:0") == [2.0]
        slices = eagerflow.IndexedSlices(x, eagerflow.constant([1]))
        for fetched in (session.run(slices), session.run([slices])[0]):
            assert type(fetched).__name__ == "IndexedSlicesValue"
            assert (fetched.values, fetched.indices, fetched.dense_shape) == ([2.0], [1], None)
        for fetches in (None, [None], [x, None]):
            with pytest.raises(TypeError, match="None has invalid type"):
                session.run(fetches)
        with pytest.raises(eagerflow.errors.InvalidArgumentError, match="at least one target"):
            session.partial_run_setup([], [x])

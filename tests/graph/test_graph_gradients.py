"""Derivatives and training in graphs."""

import numpy as np
import pytest

import eagerflow
import eagerflow.compat.v1 as tf
from eagerflow.framework import context


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_gradients_of_every_order():
    x = tf.placeholder(tf.float32, [])
    y = x**4.0
    orders = []
    for _ in range(4):
        (y,) = tf.gradients(y, x)
        orders.append(y)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(orders, {x: 2.0}), [32, 48, 48, 24], rtol=1e-6)


def test_weights_stops_and_unconnected_sources():
    x, y = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    middle = x * x
    target = middle * x
    (weighed,) = tf.gradients(target, x, grad_ys=[[1.0, 10.0]])
    (stopped,) = tf.gradients(target, x, stop_gradients=[middle])
    assert tf.gradients(target, y) == [None]
    assert tf.gradients(tf.stop_gradient(target), x) == [None]
    (zeros,) = tf.gradients(target, y, unconnected_gradients="zero")
    with tf.Session() as session:
        found = session.run([weighed, stopped, zeros], {x: [1, 2], y: [0, 0]})
    np.testing.assert_allclose(found[0], [3.0, 120.0])
    np.testing.assert_allclose(found[1], [1.0, 4.0])
    np.testing.assert_allclose(found[2], [0.0, 0.0])


def test_random_values_are_those_of_the_run():
    x = tf.placeholder(tf.float32, [3])
    noise = tf.random_normal([3])
    (gradient,) = tf.gradients(x * noise, x)
    with tf.Session() as session:
        first, second = session.run([gradient, noise], {x: [1, 1, 1]})
    np.testing.assert_array_equal(first, second)


def test_hessians():
    x = tf.placeholder(tf.float32, [2])
    (hessian,) = tf.hessians(x[0] * x[0] * x[1], x)
    with tf.Session() as session:
        found = session.run(hessian, {x: [2.0, 3.0]})
    np.testing.assert_allclose(found, [[6.0, 4.0], [4.0, 0.0]])


def test_lookups_have_sparse_gradients():
    table = tf.Variable(np.ones((4, 2), np.float32))
    rows = tf.nn.embedding_lookup(table, [1, 1, 3])
    (gradient,) = tf.gradients(rows, table)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(rows))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(gradient)
        assert found.indices.tolist() == [1, 1, 3] and found.values.shape == (3, 2)
        session.run(train)
        assert session.run(table)[:, 0].tolist() == [1.0, 0.0, 1.0, 0.5]


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda: tf.train.GradientDescentOptimizer(0.1),
        lambda: tf.train.MomentumOptimizer(0.05, 0.8),
        lambda: tf.train.AdamOptimizer(0.1),
        lambda: tf.train.RMSPropOptimizer(0.05),
        lambda: tf.train.AdagradOptimizer(0.5),
    ],
)
def test_training(optimizer):
    rng = np.random.RandomState(0)
    data = rng.normal(size=(64, 3)).astype(np.float32)
    labels = data @ np.float32([[1.0], [-2.0], [0.5]]) + 1.0
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
    w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = tf.train.get_or_create_global_step()
    train = optimizer().minimize(loss, global_step=step)
    attempts = []
    with tf.Session() as session:
        for _ in range(2):  # initializing again starts from the beginning, slots included
            session.run(tf.global_variables_initializer())
            losses = [
                session.run([train, loss], feed_dict={x: data, y: labels})[1] for _ in range(150)
            ]
            assert losses[-1] < 0.05 * losses[0] and session.run(step) == 150
            attempts.append(losses)
    np.testing.assert_allclose(*attempts, rtol=1e-4, atol=1e-6)


def test_clipped_gradients():
    v = tf.Variable([3.0, 4.0])
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(v * v))
    clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)
    train = optimizer.apply_gradients(zip(clipped, [v], strict=True))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([norm, train])[0] == 10.0
        np.testing.assert_allclose(session.run(v), [2.4, 3.2], rtol=1e-6)


def test_custom_gradients():
    @tf.custom_gradient
    def doubled(x):
        return x * 1.0, lambda dy: dy * 2.0

    x = tf.placeholder(tf.float32, [])
    (gradient,) = tf.gradients(doubled(x), x)
    with tf.Session() as session:
        assert session.run(gradient, {x: 1.0}) == 2.0


def test_bad_arguments():
    assert tf.gradients(1.0, tf.constant(1.0)) == [None]
    with pytest.raises(ValueError, match="No variables to optimize"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="No gradients provided"):
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0), var_list=[v])
    with eagerflow.init_scope():
        pass


def test_one_gradient_takes_a_tensor_for_a_constant():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        doubled = x * 2.0
        (gradient,) = tf.gradients(doubled * x, x, stop_gradients=[doubled])
        assert session.run(gradient, {x: 3.0}) == 6.0


def test_the_result_of_a_branch_is_a_tensor_of_its_own():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        doubled = x * 2.0
        chosen = tf.cond(x > 0.0, lambda: doubled, lambda: x)
        gradients = tf.gradients(chosen * doubled, [chosen])
        gradients += tf.gradients(chosen * doubled, [doubled])
        assert session.run(gradients, {x: 3.0}) == [6.0, 12.0]
        assert session.run(gradients, {x: -3.0}) == [-6.0, -3.0]


def test_values_that_only_a_branch_reads_again_are_kept():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        doubled = x * 2.0
        more = doubled + 1.0
        chosen = tf.cond(more > 0.0, lambda: doubled * 10.0 + more, lambda: doubled - more)
        assert session.run([chosen + 1.0, more], {x: 3.0}) == [68.0, 7.0]
        assert session.run(chosen + 1.0, {x: -3.0}) == 0.0


def test_a_variable_keeps_its_shape():
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        value = tf.placeholder(tf.float32, None)
        assign = variable.assign(value)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot assign .* shape \[3\]"):
            session.run(assign, {value: np.ones(3, "float32")})
        assert session.run(variable).tolist() == [0.0, 0.0]
        session.run(assign, {value: np.ones(2, "float32")})
        assert session.run(variable).tolist() == [1.0, 1.0]


def gradient_dtypes(ys, xs, **options):
    found = tf.gradients(ys, xs, **options)
    return [None if gradient is None else gradient.dtype for gradient in found]


@pytest.mark.parametrize("dtype", [tf.string, tf.int32, tf.bool, tf.float32])
def test_gradients_of_constants(dtype):
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(dtype, [])
        assert gradient_dtypes(tf.constant(2.0), x) == [None]
        assert gradient_dtypes(tf.constant(2.0), x, unconnected_gradients="zero") == [dtype]


@pytest.mark.parametrize("dtype", [tf.int32, tf.bool, tf.float32])
def test_gradients_by_itself(dtype):
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(dtype, [])
        (gradient,) = tf.gradients(x, x)
        with tf.compat.v1.Session() as session:
            assert session.run(gradient, {x: 0}) == 1


def test_complex_targets_need_weights():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.complex64, [])
        with pytest.raises(TypeError, match="must set grad_ys"):
            tf.gradients(x * x, x)
        (gradient,) = tf.gradients(x * x, x, grad_ys=[tf.constant(1.0 + 0.0j, tf.complex64)])
        with tf.compat.v1.Session() as session:
            assert session.run(gradient, {x: 1.0 + 2.0j}) == 2.0 - 4.0j


def test_gradients_that_are_rows_become_tensors():
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    (gradient,) = tf.gradients(tf.reduce_sum(tf.gather(variable, [0, 0])), [variable])
    with pytest.raises(TypeError, match="unsupported operand"):
        gradient * 2.0
    dense = tf.convert_to_tensor(gradient)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([dense * 2.0, dense[0]])[0].tolist() == [[4.0, 4.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (lambda: tf.train.MomentumOptimizer(0.1, 0.9), [1.0, 0.12, 0.8, 0.46, 1.0]),
        (
            lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
            [1.0, -0.1752, 0.62, 0.2224, 1.0],
        ),
        (lambda: tf.train.AdamOptimizer(0.1), [1.0, 0.73751, 0.86806, 0.7523, 1.0]),
        (lambda: tf.train.AdagradOptimizer(0.1), [1.0, 0.85937, 0.90123, 0.83474, 1.0]),
        (lambda: tf.train.RMSPropOptimizer(0.1), [1.0, 0.65202, 0.82459, 0.68725, 1.0]),
        (
            lambda: tf.train.RMSPropOptimizer(0.1, centered=True, momentum=0.5),
            [1.0, 0.50842, 0.82183, 0.58976, 1.0],
        ),
        (lambda: tf.train.AdadeltaOptimizer(1.0), [1.0, 0.99926, 0.99955, 0.9991, 1.0]),
        (
            lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
            [1.0, 0.78337, 0.74456, 0.68531, 1.0],
        ),
        (
            lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.1),
            [1.0, 0.47054, 0.79208, 0.62739, 1.0],
        ),
        (lambda: tf.train.GradientDescentOptimizer(0.1), [1.0, 0.48, 0.8, 0.64, 1.0]),
    ],
)
def test_rows_that_have_no_gradient_stay_as_they_are(optimizer, expected):
    table = tf.get_variable("table", [5, 2], initializer=tf.ones_initializer())
    indices = tf.placeholder(tf.int32, [None])
    rows = tf.nn.embedding_lookup(table, indices)
    train = optimizer().minimize(tf.reduce_sum(rows * rows))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in ([1, 1, 3], [1, 2], [3]):
            session.run(train, {indices: step})
        # Recorded from TensorFlow 2.21.
        np.testing.assert_allclose(session.run(table)[:, 0], expected, atol=2e-5)


def test_eager_updates_of_rows_are_those_of_graphs():
    with context.running_eagerly():
        table = eagerflow.Variable(np.ones((5, 2), np.float32))
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        for step in ([1, 1, 3], [1, 2], [3]):
            optimizer.minimize(lambda step=step: eagerflow.reduce_sum(tf.gather(table, step) ** 2))
        found = table.numpy()[:, 0]
    np.testing.assert_allclose(found, [1.0, 0.12, 0.8, 0.46, 1.0], atol=1e-6)


def test_graphs_are_imported_by_name():
    x = tf.placeholder(tf.float32, [None], name="x")
    tf.identity(x * 2.0 + 1.0, name="y")
    definition = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(definition, return_elements=["y:0"], name="imported")
        assert y.name == "imported/y:0"
        assert session.run(y, {"imported/x:0": [1.0, 2.0]}).tolist() == [3, 5]


def test_tapes_record_where_the_graph_is_made_the_default_again(graph):
    v, w = tf.get_variable("v", [], use_resource=True), tf.get_variable("w", [], use_resource=True)
    with eagerflow.GradientTape(persistent=True) as tape:
        with graph.as_default():
            y = v * v
        with eagerflow.init_scope():
            z = w * w
        made = eagerflow.Variable(3.0)
    assert [x.name for x in tape.watched_variables()] == ["v:0"]
    assert tape.gradient(z, w) is None and tape.gradient(y, made) is None
    gradient = tape.gradient(y, v)
    with tf.Session() as session:
        session.run(v.assign(3.0))
        assert session.run(gradient) == 6.0


@tf.RegisterGradient("TestGuided")
def _guided(op, grad):
    assert op.type == "Relu" and len(op.inputs) == 1
    passes = (grad > 0.0) & (op.outputs[0] > 0.0)
    return tf.where(passes, grad, tf.zeros_like(grad))


@tf.RegisterGradient("TestFlipped")
def _flipped(op, grad):
    return [-2.0 * grad]


@tf.RegisterGradient("TestByFirst")
def _by_first(op, grad):
    return grad * op.inputs[0], None


@tf.RegisterGradient("TestTwo")
def _two(op, grad):
    return grad, grad


tf.NotDifferentiable("TestNone")


def test_programs_exchange_gradients_of_operations():
    """Values of TensorFlow 2.21."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, w = tf.constant([-1.0, 2.0, 3.0]), tf.Variable([-1.0, 3.0, 2.0])
        with graph.gradient_override_map({"Relu": "TestGuided", "Neg": "TestFlipped"}):
            first = tf.nn.relu(x * w)
            middle = -(tf.negative(first * first + x)) * 0.1
            second = tf.nn.relu(middle - tf.constant([0.0, 2.0, 1.0]))
            with graph.gradient_override_map({"Sign": "TestFlipped", "Neg": "TestNone"}):
                sign = tf.sign(second * w)
        outputs = tf.nn.relu(sign * 3.0 - second * 0.3)
        by_sign, by_second = tf.gradients(outputs, [sign, second], stop_gradients=[sign])
        found = tf.gradients(outputs, [x, w, first, middle])
        session.run(w.initializer)
        assert session.run([by_sign, by_second])[0].tolist() == [0, 3, 3]
        expected = differentiated_by_hand(*session.run([x, w, first, second, by_sign]))
        for value, wanted in zip(session.run(found), expected, strict=True):
            assert value == pytest.approx(wanted, rel=1e-5)
        train = tf.train.GradientDescentOptimizer(1.0).minimize(outputs)
        session.run(train)
        assert session.run(w) == pytest.approx(np.array([-1.0, 3.0, 2.0]) - expected[1], rel=1e-5)


def differentiated_by_hand(x, w, first, second, by_sign):
    by_product = -2.0 * by_sign  # of second * w, whose sign has the gradient of another function
    by_second = by_product * w - 0.3 * (by_sign > 0)
    by_middle = np.where((by_second > 0) & (second > 0), by_second, 0.0)
    by_square = 4.0 * 0.1 * by_middle  # through two negations
    by_first = by_square * 2.0 * first
    by_inputs = np.where((by_first > 0) & (first > 0), by_first, 0.0)
    return by_inputs * w + by_square, by_inputs * x + by_product * second, by_first, by_middle


def test_exchanged_gradients_of_python_functions():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x, y = tf.constant([2.0, 3.0]), tf.constant([5.0, 7.0])
        with graph.gradient_override_map({"PyFunc": "TestByFirst"}):
            product = tf.py_func(lambda a, b: a * b, [x, y], tf.float32)
            by_x, by_y = tf.gradients(product, [x, y])  # the map is still in force
        assert by_y is None and session.run(by_x).tolist() == [2, 3]
        assert tf.gradients(product * 2.0, x)[0] is not None


def test_errors_of_exchanged_gradients():
    with tf.Graph().as_default() as graph:
        x = tf.constant([2.0, -3.0])
        for name, error, message in (
            ("TestTwo", ValueError, "do not match num inputs 1"),
            ("TestNoSuch", LookupError, "TestNoSuch"),
        ):
            with graph.gradient_override_map({"Abs": name}):
                y = tf.abs(x)
            with pytest.raises(error, match=message):
                tf.gradients(y, x)
        with graph.gradient_override_map({"Abs": "TestNone"}):
            y = tf.abs(x)
        assert tf.gradients(y, x) == [None] and tf.gradients(y * x, x)[0] is not None
        for wrong in ([1], {1: "x"}, {"Abs": None}):
            with pytest.raises(TypeError, match="dictionary"), graph.gradient_override_map(wrong):
                pass


@pytest.mark.parametrize(
    ("reshaped", "weights"),
    [
        (lambda x: tf.reshape(x, [2, 3]), [1, 2, 3]),
        (lambda x: tf.expand_dims(x, 0), [6]),
        (lambda x: tf.squeeze(tf.expand_dims(x, 0)), [3, 2]),
    ],
)
def test_weights_of_what_is_reshaped_may_have_its_elements_in_another_shape(reshaped, weights):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [6])
        given = tf.reshape(tf.range(6.0), weights)
        (gradient,) = tf.gradients(reshaped(x), x, grad_ys=[given])
        assert session.run(gradient).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        with pytest.raises(ValueError, match="has shape"):
            tf.gradients(reshaped(x), x, grad_ys=[tf.range(5.0)])
        with pytest.raises(ValueError, match="has shape"):
            tf.gradients(2.0 * reshaped(x), x, grad_ys=[given])


def _added(graph, ys, xs, **kwargs):
    """The operations that gradients add, but for constants, by their names."""
    count = len(graph.get_operations())
    found = tf.gradients(ys, xs, **kwargs)
    operations = graph.get_operations()[count:]
    return found, {op.name: op for op in operations if op.type != "Const"}


def test_operations_of_gradients_are_in_scopes_of_their_operations(graph):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    w = tf.Variable(np.ones((4, 3), np.float32), name="w")
    b = tf.Variable(np.ones(3, np.float32), name="b")
    c = tf.Variable(np.ones(3, np.float32), name="c")
    with tf.name_scope("layer"):
        y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b)) + c
    found, added = _added(graph, y, [x, w, b, c])
    assert [slope.name for slope in found] == [
        "gradients/layer/MatMul_grad/MatMul:0",
        "gradients/layer/MatMul_grad/MatMul_1:0",
        "gradients/layer/BiasAdd_grad/BiasAddGrad:0",
        "gradients/layer/add_grad/Reshape:0",
    ]
    assert [op.type for op in added.values()] == [
        "OnesLike", "Sum", "Reshape", "ReluGrad", "BiasAddGrad", "MatMul", "MatMul",
    ]  # fmt: skip
    assert [*added][0] == "gradients/grad_ys_0"
    relu = added["gradients/layer/Relu_grad/ReluGrad"]
    assert relu.inputs[0].name == "gradients/grad_ys_0:0"
    assert added["gradients/layer/add_grad/Sum"].inputs[0].name == "gradients/grad_ys_0:0"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        dx, dw, db, dc = session.run(found, {x: np.ones((2, 4), np.float32)})
    np.testing.assert_array_equal(dx, np.full((2, 4), 3.0))
    np.testing.assert_array_equal(dw, np.full((4, 3), 2.0))
    np.testing.assert_array_equal(db, [2.0] * 3)
    np.testing.assert_array_equal(dc, [2.0] * 3)


def test_what_several_operations_give_is_one_sum(graph):
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.sigmoid(x) * x + x
    found, added = _added(graph, y, x, name="slopes")
    assert found[0].name == "slopes/AddN:0"
    assert [tensor.name for tensor in found[0].op.inputs] == [
        "slopes/grad_ys_0:0", "slopes/mul_grad/Mul_1:0", "slopes/Sigmoid_grad/SigmoidGrad:0",
    ]  # fmt: skip
    again, _ = _added(graph, y, x, name="slopes")
    assert again[0].name == "slopes_1/AddN:0"
    with tf.Session() as session:
        first, second = session.run([found[0], again[0]], {x: [0.0, 1.0, -1.0]})
    np.testing.assert_allclose(first, [1.5, 1.9276706, 1.0723295], rtol=1e-6)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([None, 3], [3]),
        ([None, 3], [1, 3]),
        ([None, 1], [3]),
        ([None, None, 2], [1, 2]),
        ([None], [None]),
    ],
)
def test_operands_of_unknown_sizes_get_gradients_of_their_shapes(left, right):
    x, y = tf.placeholder(tf.float32, left), tf.placeholder(tf.float32, right)
    slopes = tf.gradients(x * y, [x, y])
    shapes = [[4 if size is None else size for size in sizes] for sizes in (left, right)]
    values = [
        np.arange(1.0, 1 + np.prod(shape), dtype=np.float32).reshape(shape) for shape in shapes
    ]
    with tf.Session() as session:
        found = session.run(slopes, dict(zip([x, y], values, strict=True)))
    for slope, value, other in zip(found, values, values[::-1], strict=True):
        whole = np.broadcast_to(other, np.broadcast_shapes(*shapes))
        added = tuple(range(whole.ndim - value.ndim))
        summed = whole.sum(added).sum(
            tuple(k for k, size in enumerate(value.shape) if size == 1), keepdims=True
        )
        np.testing.assert_array_equal(slope, summed)


def test_gradients_are_in_the_shape_of_what_was_broadcast_when_sizes_are_one():
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 2])
    slopes = tf.gradients(x - y, [x, y])
    with tf.Session() as session:
        dx, dy = session.run(slopes, {x: np.ones((3, 2)), y: np.ones((1, 2))})
    np.testing.assert_array_equal(dx, np.ones((3, 2)))
    np.testing.assert_array_equal(dy, [[-3.0, -3.0]])

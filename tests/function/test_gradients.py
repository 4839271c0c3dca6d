"""Derivatives of traced functions equal those of the same programs run eagerly."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
WEIGHTS = tf.Variable([[1.0, -1.0, 0.5], [0.5, 2.0, 1.0]])
BIAS = tf.Variable([0.1, 0.2, 0.3])
UNKNOWN_SIZES = [tf.TensorSpec([None, None], tf.float32)]
UNKNOWN_RANK = [tf.TensorSpec(None, tf.float32)]


def loss(x):
    return tf.reduce_mean(tf.tanh(tf.matmul(x, WEIGHTS) + BIAS) ** 2)


def first(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = f(x)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def second(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        by_x, by_weights, _ = first(x, f)
        value = tf.reduce_sum(by_x * by_x) + tf.reduce_sum(by_weights**3)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def third(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        by_x, by_weights, _ = second(x, f)
        value = tf.reduce_sum(by_x) + tf.reduce_sum(by_weights * by_weights)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def jacobians(x, f):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.matmul(x, WEIGHTS) * f(x)
    return [*tape.jacobian(y, [x, WEIGHTS]), tape.batch_jacobian(tf.tanh(y), x)]


def after_jacobian(x, f):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * tf.reduce_sum(x, axis=1)
        jacobian = tape.jacobian(y, x)
        value = tf.reduce_sum(jacobian * jacobian)
    return outer.gradient(value, [x, WEIGHTS])


def forward(x, f):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return [accumulator.jvp(y)]


def forward_over_backward(x, f):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        gradients = first(x, f)
    return accumulator.jvp(gradients)


def check(results, expected):
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result.numpy(), value.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("called", ["inside", "traced", "outside"])
@pytest.mark.parametrize("signature", [None, UNKNOWN_SIZES, UNKNOWN_RANK])
@pytest.mark.parametrize(
    "derive",
    [first, second, third, jacobians, after_jacobian, forward, forward_over_backward],
    ids=lambda derive: derive.__name__,
)
def test_derivatives_are_those_of_the_eager_program(derive, signature, called):
    if derive in (jacobians, after_jacobian) and signature is UNKNOWN_RANK and called != "outside":
        pytest.skip("Jacobians need a rank.")
    expected = derive(X, loss)
    f = loss if called == "inside" else function(loss, input_signature=signature)
    if called == "outside":
        return check(derive(X, f), expected)
    whole = function(lambda x: derive(x, f), input_signature=signature)
    check(whole(X), expected)


def test_a_call_runs_once_although_it_is_differentiated():
    count = tf.Variable(0)

    @function
    def noisy(x):
        count.assign_add(1)
        return loss(x)

    check(function(lambda x: first(x, noisy))(X), first(X, loss))
    assert int(count) == 1
    check(function(lambda x: third(x, noisy))(X), third(X, loss))
    assert int(count) == 2


SCALAR = tf.constant(2.0)
FACTOR = tf.Variable(3.0)


def by_argument_and_variable(f):
    def derive(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, [x, FACTOR])

    return derive


def twice_by_argument_and_variable(f):
    def derive(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            gradient = by_argument_and_variable(f)(x)[0]
        return tape.gradient(gradient, [x, FACTOR], unconnected_gradients="zero")

    return derive


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@tf.custom_gradient
def seven_times(x):
    return x * x, lambda dy: dy * x * 7.0


@tf.custom_gradient
def ten_and_hundred(x):
    def grad(dy, variables):
        return dy * 10.0, [dy * 100.0 for _ in variables]

    return x * FACTOR, grad


@tf.recompute_grad
def recomputed(x):
    return tf.sin(x * FACTOR) * x


def looped(x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x * FACTOR), [0, x])[1]


def chosen(x):
    return tf.cond(x > 1.0, lambda: x * x * FACTOR, lambda: x)


def switched(x):
    branches = [lambda: x, lambda: x**3 * FACTOR]
    return tf.switch_case(tf.cast(x, tf.int32) - 1, branches)


@pytest.mark.parametrize("derive", [by_argument_and_variable, twice_by_argument_and_variable])
@pytest.mark.parametrize(
    "f",
    [
        log1pexp,
        seven_times,
        ten_and_hundred,
        recomputed,
        tf.grad_pass_through(lambda x: tf.round(x * 1.4)),
        looped,
        chosen,
        switched,
    ],
    ids=lambda f: f.__name__,
)
def test_custom_gradients_and_control_flow_have_their_gradients(f, derive):
    def numbers(gradients):
        return [None if g is None else pytest.approx(float(g), rel=1e-5) for g in gradients]

    expected = numbers(derive(f)(SCALAR))
    called = function(f)
    unknown = function(derive(f), input_signature=UNKNOWN_RANK)
    for way in (function(derive(f)), derive(called), function(derive(called)), unknown):
        assert [None if g is None else float(g) for g in way(SCALAR)] == expected


def test_an_error_of_a_custom_gradient_is_one_of_the_backward_pass():
    @tf.custom_gradient
    def square(x):
        def grad(dy):
            raise ValueError("no gradient here")

        return x * x, grad

    f = function(square)
    assert float(f(SCALAR)) == 4.0
    with pytest.raises(ValueError, match="no gradient here"):
        by_argument_and_variable(f)(SCALAR)
    with pytest.raises(ValueError, match="no gradient here"):
        function(by_argument_and_variable(f))(SCALAR)


TABLE = tf.Variable(tf.reshape(tf.range(15.0), [5, 3]))


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("called", ["inside", "traced", "outside"])
def test_rows_of_tables_have_gradients_of_rows(called, dtype):
    def lookup(ids):
        return tf.gather(TABLE, ids) * 2.0

    def derive(ids, f):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(f(ids) ** 2)
        return tape.gradient(value, TABLE)

    ids = tf.constant([0, 3, 3], dtype)
    expected = derive(ids, lookup)
    signature = [tf.TensorSpec([None], dtype)]
    f = lookup if called == "inside" else function(lookup, input_signature=signature)
    if called == "outside":
        result = derive(ids, f)
    else:
        result = function(lambda ids: derive(ids, f), input_signature=signature)(ids)
    assert isinstance(result, tf.IndexedSlices)
    assert result.indices.dtype == dtype
    assert result.shape == [5, 3]
    assert result.values.numpy().tolist() == expected.values.numpy().tolist()
    assert result.indices.numpy().tolist() == [0, 3, 3]


def test_a_traced_training_step_changes_the_rows_that_it_looked_up():
    table = tf.Variable(tf.ones([4, 2]))
    optimizer = tf.keras.optimizers.SGD(0.5)

    @function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def step(ids):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.gather(table, ids))
        optimizer.apply_gradients([(tape.gradient(value, table), table)])
        return value

    step(tf.constant([1, 3, 3]))
    assert table.numpy().tolist() == [[1, 1], [0.5, 0.5], [1, 1], [0, 0]]


def test_tapes_inside_functions_keep_their_rules():
    @function
    def derive(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * x
            w = y * y
            early = tape.gradient(y, x)
        return [
            tape.gradient(w, x),
            tape.gradient(z, x, unconnected_gradients="zero"),
            early,
            *tape.gradient(w, [x, y]),
        ]

    assert [float(g) for g in derive(SCALAR)] == [32.0, 0.0, 4.0, 32.0, 8.0]

    @function
    def used_up(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        return tape.gradient(y, x)

    with pytest.raises(RuntimeError, match="only be used to compute one set of gradients"):
        used_up(SCALAR)


def test_results_of_integers_do_not_disturb_gradients():
    @function
    def square(x):
        return x * x, tf.cast(x, tf.int32)

    def derive(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, _ = square(x)
        return tape.gradient(y, x)

    assert float(derive(SCALAR)) == float(function(derive)(SCALAR)) == 4.0


def test_an_argument_that_nothing_uses_has_no_gradient():
    @function
    def square(x, unused):
        return x * x

    @function
    def derive(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            unused = x + 1.0
            tape.watch(unused)
            y = square(x, unused)
        gradients = tape.gradient(y, [x, unused])
        assert gradients[1] is None
        return gradients[0]

    assert float(derive(SCALAR)) == 4.0


@pytest.mark.parametrize(
    ("derive", "expected"),
    [
        (lambda a: tf.gradients(a * a, a), [4.0]),
        (lambda a: tf.gradients(tf.gradients(a**3, a), a), [12.0]),
        (lambda a: tf.gradients([a * a, a * 3], a, grad_ys=[None, 2.0]), [10.0]),
        (lambda a: tf.gradients(tf.cond(a > 0.0, lambda: a * a, lambda: a), a), [4.0]),
        (lambda a: tf.gradients(tf.stop_gradient(a), a), [None]),
        (lambda a: tf.gradients(tf.stop_gradient(a), a, unconnected_gradients="zero"), [0.0]),
        (lambda a: tf.gradients(a * FACTOR, [a, FACTOR]), [3.0, 2.0]),
        (lambda a: tf.gradients(a * SCALAR, SCALAR), [2.0]),
        (lambda a: tf.gradients(seven_times(a), a), [14.0]),
        (lambda a: tf.hessians([a * a, a**3], [a]), [14.0]),
        (lambda a: tf.gradients([], a), [None]),
        (lambda a: tf.gradients(a * a, []), []),
    ],
)
def test_gradients_of_a_graph(derive, expected):
    results = function(derive)(SCALAR)
    assert [None if r is None else float(r) for r in results] == expected


def test_stopped_tensors_are_constants_of_gradients():
    @function
    def derive(a):
        b = 2 * a
        partial = tf.gradients(a + b, [a, b], stop_gradients=[a, b])
        return partial + tf.gradients(a * b, [a, b])

    assert [float(r) for r in derive(SCALAR)] == [1.0, 1.0, 8.0, 2.0]


def test_hessians_of_vectors():
    f = function(
        lambda a: tf.hessians(tf.reduce_sum(a**3) * tf.reduce_sum(a), a),
        input_signature=[tf.TensorSpec([None], tf.float32)],
    )
    assert f(tf.constant([1.0, 2.0]))[0].numpy().tolist() == [[24.0, 15.0], [15.0, 60.0]]


@pytest.mark.parametrize(
    ("derive", "error", "message"),
    [
        (lambda a: tf.gradients(a, a, grad_ys=[1, 2]), ValueError, "Length mismatch. Passed 2"),
        (lambda a: tf.gradients(a, a, tf.constant(3)), TypeError, "int32"),
        (lambda a: tf.gradients(a, a, [[1.0, 2.0]]), ValueError, r"\(2,\)"),
        (lambda a: tf.gradients(a, a, aggregation_method=17), ValueError, "specified 17"),
        (lambda a: tf.gradients(a, a, unconnected_gradients="foo"), ValueError, "'foo'"),
    ],
)
def test_bad_arguments_of_gradients(derive, error, message):
    with pytest.raises(error, match=message):
        function(derive)(SCALAR)
    with pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(SCALAR, SCALAR)

"""Functions with gradients of their own."""

import numpy as np
import pytest

import eagerflow as tf


def gradient(function, *inputs, variables=()):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    return tape.gradient(y, [*inputs, *variables])


def test_the_given_gradient_is_used():
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda dy: dy * 100.0

    assert gradient(doubled, tf.constant([1.0, 2.0]))[0].numpy().tolist() == [100.0, 100.0]
    assert doubled(3.0).numpy() == 6.0


def test_variables_get_gradients_through_a_keyword():
    v = tf.Variable([1.0, 2.0])

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            assert [variable is v for variable in variables] == [True]
            return dy * 100.0, [dy * 7.0]

        return x * v, grad

    by_x, by_v = gradient(scaled, tf.constant([3.0, 4.0]), variables=[v])
    assert by_x.numpy().tolist() == [100.0, 100.0] and by_v.numpy().tolist() == [7.0, 7.0]

    @tf.custom_gradient
    def forgetful(x):
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        forgetful(tf.constant([1.0, 1.0]))


def test_several_arguments_and_results():
    @tf.custom_gradient
    def both(a, b):
        return {"q": a * b, "r": a}, lambda dq, dr: (dq, dr * 5.0)

    x, y = tf.constant(3.0), tf.constant(4.0)
    by_x, by_y = gradient(lambda a, b: both(a, b), x, y)
    assert float(by_x) == 1.0 and float(by_y) == 5.0

    @tf.custom_gradient
    def lossy(a, b):
        return a * b, lambda dy: dy

    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
        gradient(lossy, x, y)


def test_second_order():
    @tf.custom_gradient
    def cube(x):
        square = x * x
        return square * x, lambda dy: dy * 3.0 * square

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    assert float(first) == 12.0 and float(outer.gradient(first, x)) == 12.0


def test_grad_pass_through():
    x = tf.Variable([1.4, 2.6])
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(tf.round)(x)
    assert y.numpy().tolist() == [1.0, 3.0]
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


def test_recompute_grad():
    v = tf.Variable(3.0)
    calls = []

    @tf.recompute_grad
    def scaled(x):
        calls.append(1)
        return x * x * v

    by_x, by_v = gradient(scaled, tf.constant(2.0), variables=[v])
    assert (float(by_x), float(by_v), len(calls)) == (12.0, 4.0, 2)


def test_methods_and_keyword_arguments():
    class Scale:
        factor = 3.0

        @tf.custom_gradient
        def __call__(self, x, power=None):
            return self.factor * x**power, lambda dy: dy * 7.0

    class Half(Scale):
        factor = 0.5

    x, power = tf.constant(2.0), tf.constant(2.0)
    for cls, expected in ((Scale, 12.0), (Half, 2.0)):
        with tf.GradientTape() as tape:
            tape.watch([x, power])
            y = cls()(x, power=power)
        gradients = tape.gradient(y, [x, power])
        assert y.numpy() == expected and gradients[0].numpy() == 7.0 and gradients[1] is None


def test_recomputed_functions_nest_and_have_second_derivatives():
    v, x = tf.Variable(2.0), tf.constant(3.0)
    cube = tf.recompute_grad(lambda x: x * x * x)
    scaled = tf.recompute_grad(lambda x: cube(x) * v)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = scaled(x)
        by_x, by_v = inner.gradient(y, [x, v])
    assert (float(by_x), float(by_v)) == (54.0, 27.0)
    assert float(outer.gradient(by_x, x)) == 36.0
    assert float(outer.gradient(by_x, v)) == float(outer.gradient(by_v, x)) == 27.0


def test_recomputed_functions_keep_nothing_for_the_gradient():
    x = tf.Variable(tf.ones([1 << 19]))  # 2 MiB

    def block(x):
        for _ in range(6):
            x = tf.sin(x)
        return x

    def kept(function):
        before = tf.config.experimental.get_memory_info("CPU:0")["current"]
        with tf.GradientTape() as tape:
            y = x
            for _ in range(4):
                y = function(y)
            loss = tf.reduce_sum(y)
        del y
        held = tf.config.experimental.get_memory_info("CPU:0")["current"] - before
        return held // (2 << 20), tape.gradient(loss, x).numpy()

    everything, expected = kept(block)
    few, got = kept(tf.recompute_grad(block))
    assert everything >= 23 and few <= 5
    np.testing.assert_array_equal(got, expected)


def test_a_gradient_with_a_gradient_of_its_own():
    @tf.custom_gradient
    def f(x):
        @tf.custom_gradient
        def first(dy):
            return dy * 5.0 * x, lambda ddy: ddy * 7.0

        return x * x, first

    x, w = tf.constant(2.0), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    # Nothing that `first` was given is watched: what it captured is differentiated.
    assert g.numpy() == 10.0 and outer.gradient(g, x).numpy() == 5.0
    with tf.GradientTape() as outer:
        outer.watch(w)
        g = inner.gradient(y, x, output_gradients=w)
    assert outer.gradient(g, w).numpy() == 7.0


def test_a_function_that_its_own_gradient_calls():
    @tf.custom_gradient
    def power(x, n):
        return x**n, lambda dy: (dy * n * power(x, n - 1), None)

    def derivative(f, x, order):
        if not order:
            return f(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(f, x, order - 1)
        return tape.gradient(y, x)

    traced = tf.function(lambda x: power(x, 5.0))
    x = tf.constant(2.0)
    for order, expected in enumerate([32.0, 80.0, 160.0, 240.0]):
        assert float(derivative(lambda x: power(x, 5.0), x, order)) == expected
        if order < 3:
            assert float(derivative(traced, x, order)) == expected
    with pytest.raises(tf.errors.UnimplementedError, match="power is called by its own gradient"):
        derivative(traced, x, 3)
    inside = tf.function(lambda x: derivative(lambda x: power(x, 5.0), x, 2))
    assert float(inside(x)) == 160.0


def test_arguments_stay_as_they_are_given():
    seen = []

    @tf.custom_gradient
    def scaled(step, x, parts):
        seen.append([type(step), type(parts["by"]), type(x)])
        # As many gradients as there are arguments, those that are no tensors included.
        return x * parts["by"], lambda dy: (None, dy * 7.0, {"by": None})

    x, by = tf.Variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    with tf.GradientTape() as tape:
        y = scaled(3, x, {"by": by})
    assert tape.gradient(y, x).numpy().tolist() == [7.0, 7.0]
    assert seen == [[int, np.ndarray, type(x)]]
    # A graph converts them.
    assert tf.function(lambda: scaled(3, x, {"by": by}))().numpy().tolist() == [3.0, 8.0]
    assert [kind for kind in seen[1][:2] if issubclass(kind, tf.Tensor)] == seen[1][:2]


def test_recomputed_functions_take_numbers_and_arrays():
    x = tf.constant([1.0, 2.0])
    scaled = tf.recompute_grad(lambda x, by, power: (x * by) ** power)
    by_x, by_by = gradient(lambda x, by: scaled(x, by, 2.0), x, tf.constant(3.0))
    assert by_x.numpy().tolist() == [18.0, 36.0] and float(by_by) == 30.0
    assert gradient(lambda x: scaled(x, np.float32(3), 2.0), x)[0].numpy().tolist() == [18.0, 36.0]

"""ForwardAccumulator: products of Jacobians and vectors."""

import numpy as np
import pytest

import eagerflow as tf

Accumulator = tf.autodiff.ForwardAccumulator
X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6]])
T = np.array([[1.0, 0.5, -0.3], [0.2, -2.0, 0.9]])
FUNCTIONS = {
    "product": lambda x: x * tf.exp(x),
    "matmul": lambda x: tf.matmul(x, x, transpose_b=True),
    "softmax": lambda x: tf.nn.softmax(x),
    "norm": lambda x: tf.sqrt(tf.reduce_sum(x * x, 1)),
    "slices": lambda x: tf.concat([x[:, 1:], x[:, :1] * 2.0], 1) * x,
    "choice": lambda x: tf.where(x > 0.0, x * x, -x),
    "gather": lambda x: tf.gather(x, [1, 1, 0]) ** 3.0,
    "maximum": lambda x: tf.reduce_max(x, 1) * tf.math.log1p(x[:, 0] ** 2),
    "norm_layer": lambda x: (x - tf.reduce_mean(x)) / tf.math.reduce_std(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_the_jacobian_and_differences(name):
    f = FUNCTIONS[name]
    x, t = tf.constant(X), tf.constant(T)
    with Accumulator(x, t) as accumulator:
        y = f(x)
    found = accumulator.jvp(y)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    jacobian = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(found, np.tensordot(jacobian, T, 2), rtol=1e-10)
    step = 1e-6
    differences = (f(x + step * t) - f(x - step * t)) / (2 * step)
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-8)


def test_forward_over_forward():
    x = tf.constant(2.0)
    with Accumulator(x, tf.constant(1.0)) as outer:
        with Accumulator(x, tf.constant(1.0)) as inner:
            y = x**4.0
        first = inner.jvp(y)
    assert first.numpy() == 32.0 and outer.jvp(first).numpy() == 48.0


def test_forward_over_backward_and_backward_over_forward():
    x, t = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 0.0, -1.0])

    def f(x):
        return tf.reduce_prod(x) + tf.reduce_sum(x**3.0)

    hessian = np.array([[6.0, 3.0, 2.0], [3.0, 12.0, 1.0], [2.0, 1.0, 18.0]])
    with Accumulator(x, t) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        gradient = tape.gradient(y, x)
    np.testing.assert_allclose(accumulator.jvp(gradient), hessian @ t.numpy(), rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Accumulator(x, t) as accumulator:
            y = f(x)
        product = accumulator.jvp(y)
    np.testing.assert_allclose(tape.gradient(product, x), hessian @ t.numpy(), rtol=1e-6)


def test_variables_structures_and_unconnected_results():
    v, w = tf.Variable([1.0, 2.0]), tf.constant(3.0)
    with Accumulator({"v": v, "w": w}, {"v": tf.constant([1.0, 0.0]), "w": 2.0}) as accumulator:
        y = v * w
        inside = accumulator.jvp(y)
        other = tf.constant([5.0])
    assert inside.numpy().tolist() == [5.0, 4.0]
    found = accumulator.jvp([y, other, v])
    assert found[0].numpy().tolist() == [5.0, 4.0] and found[1] is None
    assert found[2].numpy().tolist() == [1.0, 0.0]
    assert accumulator.jvp(other, unconnected_gradients="zero").numpy().tolist() == [0.0]
    assert accumulator.jvp(tf.argmax(y)) is None


def test_complex_numbers():
    z, t = tf.constant([1 + 2j, 3 - 1j]), tf.constant([0.5 + 0.2j, 1j])
    with Accumulator(z, t) as accumulator:
        cube, size = z * z * z, tf.abs(z) ** 2
    np.testing.assert_allclose(accumulator.jvp(cube), 3 * z * z * t)
    expected = 2 * np.real(np.conj(z.numpy()) * t.numpy())
    np.testing.assert_allclose(accumulator.jvp(size), expected)


def test_several_directions():
    x = tf.constant([1.0, 2.0])
    with Accumulator._batch_accumulator(x, tf.eye(2)) as accumulator:
        y = x * x
    assert accumulator.jvp(y).numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_several_directions_of_several_primals():
    x, w = tf.constant([1.0, 2.0]), tf.Variable([[3.0], [4.0]])
    dx, dw = tf.constant([[1.0, 0.0], [0.0, 2.0]]), tf.zeros([2, 2, 1])
    with Accumulator._batch_accumulator([x, w], [dx, dw]) as accumulator:
        y = tf.matmul(x[None], w)
        z = tf.reduce_sum(w)
    assert accumulator.jvp(y).numpy().tolist() == [[[3.0]], [[8.0]]]
    assert accumulator.jvp(z).numpy().tolist() == [0.0, 0.0]
    assert accumulator.jvp(w).shape == dw.shape
    other = tf.constant([1.0, 2.0, 3.0])
    assert accumulator.jvp(other) is None
    assert accumulator.jvp(other, unconnected_gradients="zero").shape == [2, 3]


def test_bad_arguments():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        Accumulator(x, tf.constant(1.0))
    with pytest.raises(ValueError, match="multiple times"):
        Accumulator([x, x], [x, x])
    with Accumulator(x, x) as accumulator, pytest.raises(ValueError, match="already recording"):
        accumulator.__enter__()


def test_results_of_calls_that_depend_on_a_primal_have_derivatives_whichever_branch_ran():
    """As in TensorFlow: zeros where a path leads through what did not run, and None without one."""
    x = tf.constant(1.0)

    @tf.function
    def choose(k):
        return tf.cond(k > 1, lambda: (3.0 * x, 1.0), lambda: (0.0, x))

    @tf.function
    def repeat(k, x):
        return tf.while_loop(
            lambda i, *_: i < k, lambda i, a, b: (i + 1, a * x, b), [0, tf.constant(1.0), 5.0 * x]
        )

    @tf.function
    def several(x):
        return x * 2.0, tf.constant(1.0), tf.stop_gradient(x)

    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        chosen = [choose(tf.constant(k)) for k in (0, 5)]
        repeated = [repeat(tf.constant(k), x)[1:] for k in (0, 2)]
        double, one, stopped = several(x)
    found = tf.nest.map_structure(lambda y: float(accumulator.jvp(y)), chosen + repeated)
    assert found == [(0.0, 1.0), (3.0, 0.0), [0.0, 5.0], [2.0, 5.0]]
    assert float(accumulator.jvp(double)) == 2.0
    assert accumulator.jvp(one) is None and accumulator.jvp(stopped) is None

"""Legacy optimizers: functions of gradients."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers
legacy = keras.optimizers.legacy


def test_functions_of_gradients():
    legacy = keras.optimizers.legacy
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    calls = []

    def double(pairs):
        calls.append(len(pairs))
        return [(gradient * 2.0, variable) for gradient, variable in pairs]

    optimizer = legacy.SGD(0.1, gradient_aggregator=double, gradient_transformers=[double, double])
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v), (None, w)])
    np.testing.assert_allclose(v.numpy(), [0.2, 1.2], rtol=1e-6)
    assert calls == [1, 1, 1]
    with pytest.raises(ValueError, match="gradient_transformers"):
        legacy.Adam(clipnorm=1.0, gradient_transformers=[double])


def test_graphs_are_given_the_update() -> None:
    """In a graph that a program builds, the operation that a step returns updates the variables."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable([[1.0], [2.0]])
        rows = tf.IndexedSlices(tf.constant([[0.5]]), tf.constant([0]), tf.constant([2, 1]))
        optimizer = tf.keras.optimizers.legacy.SGD(1.0)
        step = optimizer.apply_gradients([(rows, v)])
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(step) is None
        session.run(step)
        assert session.run(v).tolist() == [[0.0], [2.0]]
        assert session.run(optimizer.iterations) == 2


class Descent(legacy.Optimizer):
    """As programs wrote them before rules were given a state, and without a learning rate."""

    def _resource_apply_dense(self, grad, handle):
        assert self._use_locking
        return handle.assign_sub(0.5 * grad)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._resource_scatter_add(handle, indices, -0.5 * grad)

    def get_config(self):
        return super().get_config()


def test_rules_without_a_state_and_a_rate():
    table = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [0, 2, 2])) + tf.reduce_sum(table[1:2])
    Descent("descent").apply_gradients([(tape.gradient(loss, table), table)])
    np.testing.assert_allclose(table.numpy(), [[0.5, 0.5], [0.5, 0.5], [0, 0]])
    sparse = tf.Variable(tf.ones([3, 2]))
    Descent("descent").minimize(lambda: tf.reduce_sum(tf.gather(sparse, [0, 2, 2])), [sparse])
    np.testing.assert_allclose(sparse.numpy(), [[0.5, 0.5], [1, 1], [0, 0]])


class Wrapped(legacy.Optimizer):
    """Hands every update on to another optimizer, and counts."""

    def __init__(self, inner):
        super().__init__("wrapped")
        self._optimizer = inner
        self._track_trackable(inner, "inner")
        self.calls = 0

    def _create_slots(self, var_list):
        self._optimizer._create_slots(var_list=var_list)

    def _prepare(self, var_list):
        return self._optimizer._prepare(var_list)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        self.calls += 1
        assert "apply_state" in self._optimizer._dense_apply_args
        return self._optimizer._resource_apply_dense(grad, var, apply_state=apply_state)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        self.calls += 1
        return self._optimizer._resource_apply_sparse(grad, var, indices, apply_state=apply_state)


@pytest.mark.parametrize("kind", [legacy.Adam, legacy.SGD, legacy.Adagrad, legacy.RMSprop])
@pytest.mark.parametrize("rows", [False, True])
def test_an_optimizer_updates_for_one_that_wraps_it(kind, rows):
    alone, wrapped = tf.Variable(tf.ones([3, 2])), tf.Variable(tf.ones([3, 2]))

    def loss(variable):
        return tf.reduce_sum(tf.gather(variable, [0, 2, 2]) ** 2 if rows else variable**2)

    optimizer = Wrapped(kind(0.1))
    kind(0.1).minimize(lambda: loss(alone), [alone])
    optimizer.minimize(lambda: loss(wrapped), [wrapped])
    assert optimizer.calls == 1
    np.testing.assert_allclose(wrapped.numpy(), alone.numpy(), rtol=1e-6)
    assert optimizer._trackable_children()["inner"] is optimizer._optimizer


def test_legacy_optimizers_are_told_from_others():
    optimizers = tf.keras.optimizers
    old, new = legacy.Adam(), optimizers.Adam()
    assert isinstance(old, legacy.Optimizer) and isinstance(new, optimizers.Optimizer)
    assert not isinstance(old, optimizers.Optimizer) and not isinstance(old, optimizers.Adam)
    assert not isinstance(new, legacy.Optimizer)
    assert optimizers.get(old) is old


@pytest.mark.parametrize("name", ["learning_rate", "lr"])
def test_nadam_takes_no_schedule(name):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    with pytest.raises(ValueError, match="no schedule"):
        tf.keras.optimizers.legacy.Nadam(**{name: schedule})
    assert tf.keras.optimizers.legacy.Nadam(**{name: 0.1})


@pytest.mark.parametrize("is_late", [False, True])
def test_variables_to_minimize_may_be_one_or_nested(is_late):
    v, w = tf.Variable(1.0), tf.Variable([1.0, 1.0])
    optimizer = tf.keras.optimizers.legacy.SGD(0.1)

    def given(variables):
        return (lambda: variables) if is_late else variables

    optimizer.minimize(lambda: v**2, given(v))
    np.testing.assert_allclose(v, 0.8, 1e-6)
    optimizer.minimize(lambda: v * tf.reduce_sum(w), given({"v": v, "rest": [(w,)]}))
    np.testing.assert_allclose(v, 0.6, 1e-6)
    np.testing.assert_allclose(w, [0.92, 0.92], 1e-6)


@pytest.mark.parametrize("floatx", ["float32", "float64"])
def test_numbers_are_of_float32_for_variables_of_float64(floatx):
    # Recorded from TensorFlow 2.21: hyperparameters are rounded to float32 first.
    v1 = tf.compat.v1.train
    expected = [
        (legacy.SGD(0.3), [0.5799999833106995, 1.8199999928474426]),
        (v1.GradientDescentOptimizer(0.3), [0.5799999833106995, 1.8199999928474426]),
        (legacy.Adam(0.3), [0.40000229, 1.40000538]),
        (v1.AdamOptimizer(0.3), [0.40000123, 1.40000154]),
        (v1.MomentumOptimizer(0.3, 0.7), [0.43299998, 1.75699999]),
        (legacy.RMSprop(0.3, 0.7, 0.1), [-0.02257857, 0.97742271]),
        (v1.FtrlOptimizer(0.3), [0.11283719, 0.17248931]),
    ]
    tf.keras.backend.set_floatx(floatx)
    try:
        for optimizer, values in expected:
            variable = tf.Variable([1.0, 2.0], dtype=tf.float64)
            for _ in range(2):
                gradient = tf.constant([0.7, 0.3], tf.float64)
                optimizer.apply_gradients([(gradient, variable)])
            np.testing.assert_allclose(variable, values, atol=1e-8)
    finally:
        tf.keras.backend.set_floatx("float32")

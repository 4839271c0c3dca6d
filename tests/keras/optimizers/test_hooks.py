"""Subclasses of Keras's legacy optimizers with hooks around the rules of those."""

import numpy as np
import pytest

import eagerflow as tf

legacy = tf.keras.optimizers.legacy
KINDS = {
    "sgd": lambda kind: kind(0.1),
    "momentum": lambda kind: kind(0.1, momentum=0.9),
    "adam": lambda kind: kind(0.1),
    "rmsprop": lambda kind: kind(0.1),
    "adagrad": lambda kind: kind(0.1),
}
CLASSES = {"sgd": legacy.SGD, "momentum": legacy.SGD, "adam": legacy.Adam}
CLASSES |= {"rmsprop": legacy.RMSprop, "adagrad": legacy.Adagrad}


class Decay:
    """Decays a variable, or the rows that have a gradient, before each step."""

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)]["kept"] = tf.constant(0.5, var_dtype)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        var.assign(var * apply_state[(var.device, var.dtype)]["kept"])
        return super()._resource_apply_dense(grad, var, apply_state=apply_state)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        self._resource_scatter_update(var, indices, tf.gather(var, indices) * 0.5)
        return super()._resource_apply_sparse(grad, var, indices, apply_state=apply_state)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_hooks_wrap_the_rule_of_the_class(name, sparse, traced):
    plain = KINDS[name](CLASSES[name])
    hooked = KINDS[name](type("Hooked", (Decay, CLASSES[name]), {}))
    start = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    expected, var = tf.Variable(start), tf.Variable(start)
    rows = tf.IndexedSlices(tf.ones([3, 2]), tf.constant([0, 2, 2]), tf.constant([3, 2]))
    gradient = rows if sparse else tf.convert_to_tensor(rows)
    kept = tf.constant([[0.5], [1.0], [0.5]] if sparse else [[0.5], [0.5], [0.5]])

    def apply():
        hooked.apply_gradients([(gradient, var)])

    step = tf.function(apply) if traced else apply
    for _ in range(3):
        expected.assign(expected * kept)
        plain.apply_gradients([(gradient, expected)])
        step()
    np.testing.assert_allclose(var, expected, rtol=1e-6)
    assert hooked.get_config().keys() == plain.get_config().keys()
    assert int(hooked.iterations) == 3


def test_a_hook_for_one_kind_of_gradient_leaves_the_other_to_the_class():
    class Dense(legacy.Adam):
        def _resource_apply_dense(self, grad, var, apply_state=None):
            raise AssertionError("of no row")

    var, expected = tf.Variable([[1.0], [2.0]]), tf.Variable([[1.0], [2.0]])
    rows = tf.IndexedSlices(tf.ones([1, 1]), tf.constant([1]), tf.constant([2, 1]))
    Dense(0.1).apply_gradients([(rows, var)])
    legacy.Adam(0.1).apply_gradients([(rows, expected)])
    np.testing.assert_allclose(var, expected, rtol=1e-6)


def test_slots_are_made_when_a_program_asks_for_them():
    var = tf.Variable([1.0, 2.0])
    optimizer = legacy.Adam(0.1)
    optimizer._create_slots([var])
    for name in ("m", "v"):
        optimizer.get_slot(var, name).assign(var)
    optimizer._create_slots([var])
    assert optimizer.get_slot(var, "m").numpy().tolist() == [1.0, 2.0]
    assert len(optimizer.variables()) == 2


@pytest.mark.parametrize(("value", "dtype"), [(True, tf.bool), (0.5, tf.float32)])
def test_hyperparameters_that_are_conditions_stay_booleans(value, dtype):
    optimizer = legacy.SGD(0.1)
    optimizer._set_hyper("own", value)
    assert optimizer._get_hyper("own").dtype is dtype
    assert optimizer._serialize_hyperparameter("own") == value

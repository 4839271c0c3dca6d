"""Optimizers of programs that wrap a legacy one, and count its steps instead of their own."""

import numpy as np
import pytest

import eagerflow as tf

legacy = tf.keras.optimizers.legacy


class Wrapper(legacy.Optimizer):
    """Updates by another optimizer's rule, with its counter."""

    def __init__(self, inner):
        super().__init__("Wrapper")
        self.inner = inner

    @property
    def iterations(self):
        """The counter of the other."""
        return self.inner.iterations

    @iterations.setter
    def iterations(self, variable):
        self.inner.iterations = variable

    def _create_slots(self, var_list):
        self.inner._create_slots(var_list=var_list)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        with self._distribution_strategy_scope():
            return self.inner._resource_apply_dense(grad, var)

    def get_config(self):
        """The name."""
        return {"name": self._name}


@pytest.mark.parametrize("traced", [False, True])
def test_a_wrapper_counts_in_the_other_optimizer(traced):
    wrapper, plain = Wrapper(legacy.Adam(0.1)), legacy.Adam(0.1)
    values = [tf.Variable([1.0, 2.0]) for _ in range(2)]

    def step(k):
        for optimizer, value in zip((wrapper, plain), values, strict=True):
            optimizer.apply_gradients([(tf.constant([0.5, -1.0]) * k, value)])

    run = tf.function(step) if traced else step
    for k in range(1, 4):
        run(tf.constant(float(k)))
    assert wrapper.iterations is wrapper.inner.iterations
    assert int(wrapper.iterations) == 3
    np.testing.assert_allclose(*values, rtol=1e-6)
    assert all(weight is not wrapper.iterations for weight in wrapper.weights)


def test_the_counter_of_another_is_not_saved(tmp_path):
    wrapper, value = Wrapper(legacy.Adam(0.1)), tf.Variable(1.0)
    wrapper.apply_gradients([(tf.constant(1.0), value)])
    path = tf.train.Checkpoint(optimizer=wrapper).write(str(tmp_path / "ckpt"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert not [name for name in names if "iter" in name]


def test_a_property_may_return_the_own_counter():
    class Counted(legacy.SGD):
        """An optimizer that shows its counter by a property of its own."""

        @property
        def iterations(self):
            """The own counter."""
            return super().iterations

    optimizer, value = Counted(0.1), tf.Variable(1.0)
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant(1.0), value)])
    assert int(optimizer.iterations) == 2
    assert optimizer.weights[0] is optimizer.iterations


def test_dtypes_of_losses():
    optimizer = legacy.SGD()
    optimizer._assert_valid_dtypes([tf.constant(1.0), tf.constant(1j)])
    with pytest.raises(ValueError, match="int32"):
        optimizer._assert_valid_dtypes([tf.constant(1)])
    assert optimizer._call_if_callable(lambda: 3) == optimizer._call_if_callable(3) == 3

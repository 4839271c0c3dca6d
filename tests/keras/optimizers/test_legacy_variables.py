"""The variables of legacy optimizers: counter, hyperparameters and slots, and checkpoints of them."""

import numpy as np
import pytest

import eagerflow as tf

legacy = tf.keras.optimizers.legacy


class Gain(legacy.Optimizer):
    """A rule with a hyperparameter and a slot of its own."""

    def __init__(self, learning_rate=0.5, gain=2.0, name="Gain", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("gain", gain)

    def _create_slots(self, var_list):
        for variable in var_list:
            self.add_slot(variable, "sum")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        rate = apply_state[(var.device, var.dtype.base_dtype)]["lr_t"]
        self.get_slot(var, "sum").assign_add(grad)
        return var.assign_sub(rate * self._get_hyper("gain", var.dtype) * grad)

    def get_config(self):
        gain = self._serialize_hyperparameter("gain")
        return {**super().get_config(), "gain": gain}


def test_variables_are_made_by_the_first_step():
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = legacy.Adam(0.5)
    assert optimizer.weights == []
    assert optimizer.get_config()["beta_1"] == 0.9
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    assert [w.name for w in optimizer.weights] == ["Adam/iter:0", "Adam/v/m:0", "Adam/v/v:0"]
    assert optimizer.beta_1.name == "Adam/beta_1:0"
    assert optimizer.lr is optimizer.learning_rate
    assert optimizer.get_config()["learning_rate"] == np.float32(0.5)


def test_reading_makes_the_variables():
    optimizer = legacy.SGD(0.5, momentum=0.25)
    assert optimizer.momentum.name == "momentum:0"
    optimizer.momentum = 0.75
    assert optimizer.momentum.numpy() == 0.75
    with pytest.raises(AttributeError, match="rho"):
        optimizer.rho  # noqa: B018
    with pytest.raises(RuntimeError, match="iterations"):
        int(optimizer.iterations)
        optimizer.iterations = tf.Variable(3, dtype=tf.int64)


@pytest.mark.parametrize("traced", [False, True])
def test_a_step_sees_what_is_assigned(traced):
    v = tf.Variable(1.0)
    rate, momentum = tf.Variable(0.25), tf.Variable(0.5)
    optimizer = legacy.SGD(rate, momentum=momentum)

    def step():
        optimizer.apply_gradients([(tf.constant(1.0), v)])

    step = tf.function(step) if traced else step
    step()
    np.testing.assert_allclose(v.numpy(), 0.75)
    momentum.assign(1.0)
    optimizer.learning_rate = 0.5
    step()
    np.testing.assert_allclose(v.numpy(), 0.75 - 0.25 - 0.5)
    assert rate.numpy() == 0.5


def test_functions_and_tensors_are_not_replaced_by_variables():
    optimizer = legacy.Adam(lambda: 0.5, beta_1=tf.constant(0.5))
    assert optimizer.lr == 0.5
    assert isinstance(optimizer.beta_1, tf.Tensor)
    optimizer.beta_1 = 0.25
    assert optimizer.beta_1 == 0.25
    assert optimizer.get_config()["learning_rate"] == 0.5


def test_hyperparameters_of_a_program():
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = Gain()
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    assert v.numpy().tolist() == [0.0, 1.0]
    assert [w.name for w in optimizer.weights] == ["Gain/iter:0", "Gain/v/sum:0"]
    optimizer.gain = 4.0
    assert optimizer._get_hyper("gain").numpy() == 4.0
    assert "gain" in dir(optimizer)
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    assert v.numpy().tolist() == [-2.0, -1.0]
    assert optimizer.get_config() == {"name": "Gain", "gain": 4.0}


def test_checkpoints_name_slots_as_tensorflow_does(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = Gain()
    saved = tf.train.Checkpoint(optimizer=optimizer, v=v)
    optimizer.apply_gradients([(tf.constant([1.0, 3.0]), v)])
    optimizer.gain = 4.0
    path = saved.write(str(tmp_path / "ck"))
    value = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "optimizer/gain" + value,
        "optimizer/iter" + value,
        "optimizer/learning_rate" + value,
        "v" + value,
        "v/.OPTIMIZER_SLOT/optimizer/sum" + value,
    ]
    other = Gain(0.125)
    w = tf.Variable([0.0, 0.0], name="v")
    status = tf.train.Checkpoint(optimizer=other, v=w).read(path)
    assert (other.gain.numpy(), other.lr.numpy(), int(other.iterations)) == (4.0, 0.5, 1)
    other.apply_gradients([(tf.constant([1.0, 1.0]), w)])
    status.assert_consumed()
    assert other.get_slot(w, "sum").numpy().tolist() == [2.0, 4.0]


def test_slots_are_refused_by_optimizers_that_have_none(tmp_path):
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = legacy.Adam(0.1)
    optimizer.minimize(lambda: v * v, [v])
    path = tf.train.Checkpoint(optimizer=optimizer, v=v).write(str(tmp_path / "ck"))
    newer = tf.train.Checkpoint(optimizer=tf.keras.optimizers.Adam(), v=v)
    with pytest.raises(ValueError, match="checkpoint from a legacy .*legacy.Adam"):
        newer.read(path)


def test_adam_takes_weights_with_the_largest_ones():
    v = tf.Variable([1.0, 2.0], name="v")
    one, other = legacy.Adam(0.1, amsgrad=True), legacy.Adam(0.1)
    for optimizer in (one, other):
        optimizer.minimize(lambda: v * v, [v])
    other.set_weights(one.get_weights())
    assert len(one.get_weights()) == 4
    np.testing.assert_allclose(other.get_slot(v, "v").numpy(), one.get_slot(v, "v").numpy())
    with pytest.raises(ValueError, match="weight list of length 2"):
        other.set_weights(one.get_weights()[:2])


def test_nadam_saves_the_product_of_its_momenta():
    v = tf.Variable(1.0, name="v")
    optimizer = legacy.Nadam(0.1, schedule_decay=0.5)
    values = []
    for _ in range(3):
        optimizer.minimize(lambda: v * v, [v])
        values.append(v.numpy())
    np.testing.assert_allclose(values, [0.89403933, 0.8201238, 0.75374967], rtol=1e-6)
    assert [w.name for w in optimizer.weights][:2] == ["Nadam/iter:0", "Nadam/momentum_cache:0"]
    assert optimizer.decay.numpy() == 0.5


def test_hyperparameters_are_written_as_they_were_set():
    class Slow(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, period, learning_rate, name="Slow"):
            super().__init__(name)
            self._set_hyper("period", period)
            self._set_hyper("learning_rate", learning_rate)

        def _resource_apply_dense(self, grad, var, apply_state=None):
            return var.assign_sub(grad * self._get_hyper("learning_rate", var.dtype))

        def get_config(self):
            names = ("period", "learning_rate")
            return super().get_config() | {n: self._serialize_hyperparameter(n) for n in names}

    optimizer = Slow(6, 0.5)
    for _ in range(2):  # Reading makes no variables.
        config = optimizer.get_config()
        assert config == {"name": "Slow", "period": 6, "learning_rate": 0.5}
        assert type(config["period"]) is int
    again = Slow.from_config(config)
    again.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    assert again.get_config() == config
    assert Slow(6, lambda: 0.25).get_config()["learning_rate"] == 0.25

"""Gradients that are added up over several calls of `apply_gradients`."""

import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf

optimizers = tf.keras.optimizers
# Sums of these are exact, so that the mean of means is the mean of all, bit by bit.
X = np.arange(24, dtype=np.float32).reshape(8, 3) / 8
Y = np.arange(8, dtype=np.float32).reshape(8, 1) / 4

MAKERS = {
    "SGD": lambda **kw: optimizers.SGD(0.125, **kw),
    "momentum": lambda **kw: optimizers.SGD(0.125, momentum=0.5, clipvalue=2.0, **kw),
    "Adam": lambda **kw: optimizers.Adam(0.125, weight_decay=0.25, global_clipnorm=1.0, **kw),
    "averages": lambda **kw: optimizers.RMSprop(
        0.125, use_ema=True, ema_overwrite_frequency=2, **kw
    ),
    "schedule": lambda **kw: optimizers.SGD(
        optimizers.schedules.ExponentialDecay(0.5, 1, 0.5), **kw
    ),
    "legacy": lambda **kw: optimizers.legacy.Adam(0.125, decay=0.5, **kw),
    "LossScaleOptimizer": lambda **kw: tf.keras.mixed_precision.LossScaleOptimizer(
        optimizers.SGD(0.125, **kw), initial_scale=4.0
    ),
}


def model_of(maker, steps, run_eagerly=False):
    model = tf.keras.Sequential(
        [
            tf.keras.Input([3]),
            tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_constraint="non_neg"),
            tf.keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    optimizer = maker(gradient_accumulation_steps=steps) if steps else maker()
    model.compile(optimizer, "mse", run_eagerly=run_eagerly)
    return model


@pytest.mark.parametrize("run_eagerly", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_fit_as_with_large_batches(name, run_eagerly):
    parts = model_of(MAKERS[name], 4, run_eagerly)
    whole = model_of(MAKERS[name], None, run_eagerly)
    parts.fit(X, Y, batch_size=2, epochs=3, shuffle=False, verbose=0)
    whole.fit(X, Y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    for one, other in zip(parts.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert parts.optimizer.iterations.numpy() == whole.optimizer.iterations.numpy() == 3


@pytest.mark.parametrize("mode", ["eager", "traced", "xla"])
def test_custom_loops(mode):
    v, constant = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    optimizer = optimizers.SGD(0.5, gradient_accumulation_steps=3)

    def step(gradient):
        optimizer.apply_gradients([(gradient, v), (tf.constant(3.0), constant)])

    if mode != "eager":
        step = tf.function(step, jit_compile=mode == "xla")
    seen = []
    for k in range(7):
        step(tf.constant([float(k), 0.0]))
        seen.append(v.numpy().tolist())
    first, second = [0.5, 2.0], [-1.5, 2.0]
    assert seen == [[1.0, 2.0]] * 2 + [first] * 3 + [second] * 2
    assert constant.numpy() == -2.0 and optimizer.iterations.numpy() == 2


def test_the_mean_is_exact():
    for dtype in ("float32", "float64", "bfloat16"):
        v = tf.Variable(tf.zeros([4], dtype))
        optimizer = optimizers.SGD(1.0, gradient_accumulation_steps=4)
        for gradient in np.eye(4) * 8:
            optimizer.apply_gradients([(tf.constant(gradient, dtype), v)])
        assert v.numpy().tolist() == [-2.0] * 4


def test_rows():
    table = tf.Variable(tf.zeros([3, 2]))
    optimizer = optimizers.SGD(1.0, gradient_accumulation_steps=2)
    for row in ([0, 0], [2, 0]):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, row))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    assert table.numpy().tolist() == [[-1.5, -1.5], [0.0, 0.0], [-0.5, -0.5]]


def test_own_rules():
    class Plain(optimizers.Optimizer):
        def __init__(self, name="Plain", **kwargs):
            super().__init__(name=name, **kwargs)

        def update_step(self, gradient, variable):
            variable.assign_sub(gradient)

    v = tf.Variable(4.0)
    optimizer = Plain(gradient_accumulation_steps=2)
    for gradient in (1.0, 2.0):
        optimizer.apply_gradients([(tf.constant(gradient), v)])
    assert v.numpy() == 2.5


REPLICAS = """
import numpy as np
import eagerflow as tf
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.arange(24, dtype="f").reshape(8, 3) / 8
for traced in (False, True):
    with strategy.scope():
        v = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.SGD(0.5, gradient_accumulation_steps=2)
    def step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        optimizer.apply_gradients([(tf.cast(replica, tf.float32) + 1.0, v)])
    values = []
    for _ in range(4):
        strategy.run(tf.function(step) if traced else step)
        values.append(float(v.numpy()))
    assert values == [1.0, -0.5, -0.5, -2.0] and optimizer.iterations.numpy() == 2, values
weights = []
for steps, size in ((4, 2), (None, 8)):
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
        model.compile(tf.keras.optimizers.Adam(0.125, gradient_accumulation_steps=steps), "mse")
    model.fit(x, x[:, :1], batch_size=size, epochs=2, shuffle=False, verbose=0)
    weights.append(model.get_weights()[0])
np.testing.assert_allclose(*weights, rtol=1e-5)
"""


def test_strategies():
    run = subprocess.run([sys.executable, "-c", REPLICAS], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("maker", [optimizers.Adam, optimizers.legacy.Adam])
def test_state_is_saved_between_updates(maker, tmp_path):
    def made():
        return tf.Variable([1.0, 2.0]), maker(0.1, gradient_accumulation_steps=3)

    def step(v, optimizer):
        optimizer.apply_gradients([(v * 2.0, v)])

    v, optimizer = made()
    for _ in range(4):
        step(v, optimizer)
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).save(str(tmp_path / "state"))
    for _ in range(3):
        step(v, optimizer)
    again, other = made()
    tf.train.Checkpoint(v=again, optimizer=other).restore(path)
    for _ in range(3):
        step(again, other)
    np.testing.assert_array_equal(again.numpy(), v.numpy())
    assert other.iterations.numpy() == 2


def test_model_files(tmp_path):
    model = model_of(MAKERS["Adam"], 4)
    model.fit(X[:6], Y[:6], batch_size=2, epochs=1, shuffle=False, verbose=0)
    for name in ("model.keras", "model.h5", "folder"):
        model.save(tmp_path / name)
        again = tf.keras.models.load_model(tmp_path / name)
        assert again.optimizer.gradient_accumulation_steps == 4
        again.fit(X[6:], Y[6:], batch_size=2, verbose=0)
        assert again.optimizer.iterations.numpy() == 1
        assert not np.array_equal(again.get_weights()[2], model.get_weights()[2])


def test_configuration():
    assert "gradient_accumulation_steps" not in optimizers.SGD().get_config()
    config = optimizers.SGD(gradient_accumulation_steps=2).get_config()
    assert optimizers.SGD.from_config(config).gradient_accumulation_steps == 2
    assert optimizers.SGD(gradient_accumulation_steps=None).gradient_accumulation_steps is None
    for wrong in (1, 0, -2, 2.0, "2"):
        with pytest.raises(ValueError, match="gradient_accumulation_steps"):
            optimizers.SGD(gradient_accumulation_steps=wrong)

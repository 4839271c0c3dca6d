"""Version 1's optimizers, eagerly; the numbers are TensorFlow's."""

import numpy as np
import pytest

import eagerflow as tf

train = tf.compat.v1.train
GRADIENTS = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]
CASES = [
    ("GradientDescentOptimizer", {"learning_rate": 0.1}, [1.009999, -2.079999]),
    (
        "MomentumOptimizer",
        {"learning_rate": 0.1, "momentum": 0.9},
        [0.965900, -2.081799],
    ),
    (
        "MomentumOptimizer",
        {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True},
        [0.979309, -2.153620],
    ),
    ("AdamOptimizer", {}, [0.998243, -2.000047]),
    (
        "AdamOptimizer",
        {"learning_rate": 0.1, "beta1": 0.8, "beta2": 0.9, "epsilon": 0.001},
        [0.834086, -2.015420],
    ),
    ("AdagradOptimizer", {"learning_rate": 0.1}, [0.977302, -2.093432]),
    ("AdadeltaOptimizer", {"learning_rate": 1.0}, [0.999689, -2.000805]),
    ("RMSPropOptimizer", {"learning_rate": 0.1}, [1.013577, -2.090703]),
    (
        "RMSPropOptimizer",
        {"learning_rate": 0.1, "momentum": 0.5, "centered": True},
        [0.989071, -2.097173],
    ),
    ("FtrlOptimizer", {"learning_rate": 0.1}, [0.023839, -0.403123]),
    (
        "FtrlOptimizer",
        {
            "learning_rate": 0.1,
            "l1_regularization_strength": 0.05,
            "l2_regularization_strength": 0.1,
            "l2_shrinkage_regularization_strength": 0.1,
        },
        [-0.015255, -0.262378],
    ),
    (
        "ProximalGradientDescentOptimizer",
        {
            "learning_rate": 0.1,
            "l1_regularization_strength": 0.05,
            "l2_regularization_strength": 0.1,
        },
        [0.966275, -2.005681],
    ),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_three_steps(name, arguments, expected):
    variable = tf.Variable([1.0, -2.0])
    optimizer = getattr(train, name)(**arguments)
    step = train.get_or_create_global_step() if name == "AdamOptimizer" else tf.Variable(0)
    before = int(step)
    for gradient in GRADIENTS:
        optimizer.apply_gradients([(tf.constant(gradient), variable)], global_step=step)
    np.testing.assert_allclose(variable.numpy(), expected, rtol=1e-4)
    assert int(step) == before + 3


def test_minimize_a_function():
    variable, other = tf.Variable(3.0), tf.Variable(1.0)
    optimizer = train.GradientDescentOptimizer(lambda: 0.25)
    optimizer.minimize(lambda: variable * variable + other, var_list=[variable])
    assert variable.numpy() == 1.5 and other.numpy() == 1.0
    pairs = optimizer.compute_gradients(lambda: variable * other)
    assert [gradient.numpy() for gradient, _ in pairs] == [1.0, 1.5]


def test_sparse_gradients():
    table = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [0, 2, 0]))
    gradient = tape.gradient(loss, table)
    train.GradientDescentOptimizer(0.5).apply_gradients([(gradient, table)])
    assert table.numpy().tolist() == [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]
    train.AdagradOptimizer(0.5).apply_gradients([(gradient, table)])
    assert table.numpy()[1].tolist() == [1.0, 1.0]


def test_slots_have_names():
    variable = tf.Variable(1.0)
    optimizer = train.AdamOptimizer()
    optimizer.apply_gradients([(tf.constant(2.0), variable)])
    assert optimizer.get_slot_names() == ["m", "v"]
    np.testing.assert_allclose(optimizer.get_slot(variable, "m").numpy(), 0.2, rtol=1e-6)
    assert optimizer.get_slot(variable, "w") is None
    assert len(optimizer.variables()) == 4


def test_bad_arguments():
    optimizer = train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, tf.Variable(1.0))])
    with pytest.raises(RuntimeError, match="should be a function"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="initial_accumulator_value must be positive"):
        train.AdagradOptimizer(0.1, initial_accumulator_value=0.0)


@pytest.mark.parametrize("kind", ["AdamOptimizer", "MomentumOptimizer", "RMSPropOptimizer"])
def test_checkpoints_hold_what_optimizers_keep(kind, tmp_path):
    def made():
        arguments = (0.1, 0.9) if kind == "MomentumOptimizer" else (0.1,)
        optimizer = getattr(tf.compat.v1.train, kind)(*arguments)
        variable = tf.Variable([1.0, 2.0])
        return optimizer, variable, tf.train.Checkpoint(optimizer=optimizer, variable=variable)

    optimizer, variable, checkpoint = made()
    optimizer.apply_gradients([(variable * 2.0, variable)])
    path = checkpoint.save(str(tmp_path / "state"))
    optimizer.apply_gradients([(variable * 2.0, variable)])

    again, restored, checkpoint = made()
    status = checkpoint.restore(path)
    again.apply_gradients([(restored * 2.0, restored)])  # slots are filled when they are made
    status.assert_consumed()
    np.testing.assert_array_equal(restored.numpy(), variable.numpy())

"""Complex variables, hyperparameters that are variables, shapes of gradients: TensorFlow's answers."""

import numpy as np
import pytest

import eagerflow as tf

optimizers = tf.keras.optimizers

# After two steps of rate 0.1 from 1+1j with the gradient 0.5+1j.
ANSWERS = {
    "SGD": (0.9 + 0.8j, 0.9 + 0.8j),
    "Adam": (0.80000155 + 0.99999957j, 0.80000021 + 0.99999957j),
    "RMSprop": (0.45435639 + 0.99999986j, 0.45435662 + 0.99999988j),
    "Adagrad": (0.82613715 + 0.99539208j, 0.82613716 + 0.99539207j),
    "Adadelta": (0.99971536 + 1j, 0.99971536 + 1j),
    "Nadam": (0.81636215 + 0.99999999j, 0.81598639 + 0.99999999j),
}


def stepped(optimizer, *variables):
    gradients = [tf.cast(0.5 + 1j if v.dtype.is_complex else 1.0, v.dtype) for v in variables]
    for _ in range(2):
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return [v.numpy() for v in variables]


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("legacy", [False, True])
def test_complex_variables(name, legacy):
    kind = getattr(optimizers.legacy if legacy else optimizers, name)
    (value,) = stepped(kind(0.1), tf.Variable(1 + 1j))
    np.testing.assert_allclose(value, ANSWERS[name][legacy], atol=3e-6)


def test_real_and_complex_variables_together():
    value, real = stepped(optimizers.Adam(0.1), tf.Variable(1 + 1j), tf.Variable(1.0))
    np.testing.assert_allclose(value, ANSWERS["Adam"][0], atol=3e-6)
    np.testing.assert_allclose(real, 0.8, atol=3e-6)


def test_rows_of_a_complex_matrix():
    matrix = tf.Variable([[1 + 1j], [2 + 0j]])
    rows = tf.IndexedSlices(tf.constant([[1j]], tf.complex128), tf.constant([1]), [2, 1])
    optimizers.SGD(0.5).apply_gradients([(rows, matrix)])
    np.testing.assert_allclose(matrix.numpy(), [[1 + 1j], [2 - 0.5j]])


@pytest.mark.parametrize("name", ["Adamax", "Ftrl"])
def test_rules_that_order_numbers_refuse_complex_ones(name):
    with pytest.raises(tf.errors.InvalidArgumentError):
        stepped(getattr(optimizers, name)(0.1), tf.Variable(1 + 1j))


@pytest.mark.parametrize("kind", [optimizers.SGD, optimizers.legacy.SGD])
@pytest.mark.parametrize("make", [tf.Variable, tf.constant])
def test_momentum_may_be_a_variable_or_a_tensor(kind, make):
    (value,) = stepped(kind(0.1, momentum=make(0.9)), tf.Variable(1.0))
    np.testing.assert_allclose(value, 0.71, rtol=1e-6)


def test_a_variable_changes_between_steps_of_a_function():
    momentum = tf.Variable(0.0)
    optimizer, v = optimizers.SGD(0.1, momentum=momentum), tf.Variable(1.0)
    optimizer.build([v])

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(1.0), v)])

    step()
    momentum.assign(0.9)
    step()
    np.testing.assert_allclose(v.numpy(), 0.71, rtol=1e-6)


@pytest.mark.parametrize(
    "kind, arguments, answer",
    [
        ("Adam", {"beta_1": 0.9}, 0.998),
        ("Adam", {"epsilon": 0.1}, 0.9994508),
        ("RMSprop", {"rho": 0.9}, 0.99454355),
    ],
)
def test_other_hyperparameters_may_be_variables(kind, arguments, answer):
    arguments = {name: tf.Variable(value) for name, value in arguments.items()}
    v = tf.Variable(1.0)
    stepped(getattr(optimizers, kind)(**arguments), v)
    np.testing.assert_allclose(v.numpy(), answer, rtol=1e-5)


def test_tensors_are_not_updated():
    with pytest.raises(NotImplementedError, match="Updating a `Tensor`"):
        optimizers.legacy.SGD(0.1).apply_gradients([(tf.constant(1.0), tf.constant(1.0))])


def test_axes_of_size_one_may_be_missing_in_gradients():
    v = tf.Variable(tf.ones([1, 1]))
    optimizers.SGD(1.0).apply_gradients([(tf.ones([1]), v)])
    assert v.numpy().tolist() == [[0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[2\]"):
        optimizers.SGD(1.0).apply_gradients([(tf.ones([2]), v)])


def test_names_of_slots_of_programs_for_older_versions():
    v = tf.Variable(1.0)
    for kind in (tf.keras.optimizers.SGD, tf.keras.optimizers.legacy.SGD):
        optimizer = kind(0.5, momentum=0.9)
        optimizer.apply_gradients([(tf.constant(2.0), v)])
        assert optimizer.get_slot_names() == ["momentum"]
        assert optimizer.get_slot(v, "momentum").numpy() == -1.0


@pytest.mark.parametrize("name", ["SGD", "Adam", "Ftrl"])
def test_variables_that_come_later_are_refused_but_by_legacy_optimizers(name):
    first, later = tf.Variable(1.0), tf.Variable([1.0])
    optimizer = getattr(tf.keras.optimizers, name)(0.1)
    optimizer.apply_gradients([(tf.constant(1.0), first)])
    with pytest.raises(KeyError, match="cannot recognize variable"):
        optimizer.apply_gradients([(tf.constant(1.0), first), (tf.constant([1.0]), later)])
    assert later.numpy() == [1.0] and int(optimizer.iterations) == 1
    both = getattr(tf.keras.optimizers, name)(0.1)
    both.build([first, later])
    legacy = getattr(tf.keras.optimizers.legacy, name)(0.1)
    for able in (both, legacy):
        before = later.numpy()
        able.apply_gradients([(tf.constant(1.0), first)])
        able.apply_gradients([(tf.constant([1.0]), later)])
        assert later.numpy() < before


def test_checkpoints_have_the_current_rate_of_a_schedule(tmp_path):
    v = tf.Variable(1.0)
    schedule = optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)
    optimizer = optimizers.SGD(schedule)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    path = tf.train.Checkpoint(optimizer=optimizer).write(str(tmp_path / "c"))
    key = "optimizer/_current_learning_rate/.ATTRIBUTES/VARIABLE_VALUE"
    assert tf.train.load_variable(path, key) == 0.5
    later = optimizers.SGD(schedule)
    later.build([v])
    tf.train.Checkpoint(optimizer=later).read(path).assert_consumed()
    later.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 0.25 and int(later.iterations) == 2


@pytest.mark.parametrize("name", "Adadelta Adagrad Adam AdamW Adamax Nadam RMSprop".split())
@pytest.mark.parametrize("legacy", [False, True])
def test_no_epsilon_is_that_of_keras(name, legacy):
    """As in TensorFlow 2.0 and in `tf.keras.optimizers.legacy`."""
    classes = tf.keras.optimizers.legacy if legacy else tf.keras.optimizers
    if not hasattr(classes, name):
        return
    before = tf.keras.backend.epsilon()
    results = []
    try:
        tf.keras.backend.set_epsilon(0.5)
        for epsilon in (None, 0.5):
            optimizer, v = getattr(classes, name)(0.1, epsilon=epsilon), tf.Variable([1.0, 2.0])
            optimizer.apply_gradients([(tf.constant([1.0, 3.0]), v)])
            results.append((v.numpy().tolist(), optimizer.get_config()["epsilon"]))
    finally:
        tf.keras.backend.set_epsilon(before)
    assert results[0] == results[1] and results[0][1] == 0.5

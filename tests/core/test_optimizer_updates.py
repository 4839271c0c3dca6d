"""Native updates of optimizers: their changes, and errors raised before any change."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core


def descend(variables, gradients):
    _core.gradient_descent_update(variables, gradients, learning_rate=0.5)


def momentum(variables, momentums, gradients, nesterov=False):
    _core.momentum_update(
        variables, momentums, gradients, learning_rate=0.5, momentum=0.9, nesterov=nesterov
    )


def test_every_variable_by_its_own_gradient():
    variables = [tf.Variable([1.0, 2.0]), tf.Variable([[3.0]]), tf.Variable(4.0)]
    descend(variables, [[2.0, 4.0], tf.constant([[6.0]]), np.float32(8.0)])
    assert variables[0].numpy().tolist() == [0.0, 0.0]
    assert variables[1].numpy().tolist() == [[0.0]]
    assert variables[2].numpy() == 0.0


def test_slots_belong_to_their_variables():
    variables = [tf.Variable([1.0]), tf.Variable([1.0])]
    slots = [tf.Variable([0.0]), tf.Variable([10.0])]
    momentum(variables, slots, [[2.0], [4.0]])
    np.testing.assert_allclose([s.numpy()[0] for s in slots], [-1.0, 7.0], rtol=1e-6)
    np.testing.assert_allclose([v.numpy()[0] for v in variables], [0.0, 8.0], rtol=1e-6)


def test_optional_slots():
    numbers = {"learning_rate": 0.5, "beta_1": 0.9, "beta_2": 0.99, "epsilon": 1e-7}
    for largest in (None, [tf.Variable([9.0])]):
        variable, mean, square = (tf.Variable([v]) for v in (1.0, 0.0, 0.0))
        _core.adam_update([variable], [mean], [square], largest, [[2.0]], **numbers)
        np.testing.assert_allclose(mean.numpy(), [0.2], rtol=1e-6)
        np.testing.assert_allclose(square.numpy(), [0.04], rtol=1e-6)
        root = 3.0 if largest else 0.2
        np.testing.assert_allclose(variable.numpy(), [1 - 0.5 * 0.2 / root], rtol=1e-5)


def test_nesterov():
    for nesterov, expected in ((False, 0.0), (True, -0.9)):
        variable, slot = tf.Variable([1.0]), tf.Variable([0.0])
        momentum([variable], [slot], [[2.0]], nesterov)
        np.testing.assert_allclose(variable.numpy(), [expected], rtol=1e-6)


def test_hyperparameters_are_named():
    variable = tf.Variable([1.0])
    with pytest.raises(TypeError, match=r"\*, learning_rate"):
        _core.gradient_descent_update([variable], [[1.0]], 0.5)
    with pytest.raises(TypeError, match=r"\*, learning_rate"):
        _core.gradient_descent_update([variable], [[1.0]], rate=0.5)
    assert variable.numpy() == [1.0]


def test_rows():
    variable = tf.Variable(tf.ones([4, 2]))
    descend([variable], [([3, 0], [[1.0, 2.0], [3.0, 4.0]])])
    assert variable.numpy().tolist() == [[-0.5, -1.0], [1, 1], [1, 1], [0.5, 0.0]]
    descend([variable], [(tf.constant([], tf.int64), tf.zeros([0, 2]))])
    assert variable.numpy()[1].tolist() == [1, 1]
    tensor = tf.Variable(tf.ones([2]))
    descend([tensor], [(tf.constant([1], tf.int32), [2.0])])
    assert tensor.numpy().tolist() == [1.0, 0.0]


def test_values_that_others_hold_stay():
    variable = tf.Variable([1.0])
    before = variable.read_value()
    descend([variable], [[2.0]])
    assert before.numpy() == [1.0]
    assert variable.numpy() == [0.0]


def test_weight_decay_takes_no_gradients():
    variables = [tf.Variable([2.0]), tf.Variable([[4.0]])]
    _core.decay_weights(variables, rate=0.5)
    assert [variable.numpy().item() for variable in variables] == [1.0, 2.0]


def test_averages():
    average = tf.Variable([2.0])
    _core.update_averages([average], [[4.0]], momentum=0.75)
    assert average.numpy() == [2.5]


REFUSED = {
    "a gradient too many": (ValueError, "one gradient per variable", {"gradients": [1, 1]}),
    "no list": (TypeError, "incompatible function arguments", {"slots": (1,)}),
    "a short slot": (ValueError, "one slot variable", {"slots": []}),
    "no variable": (TypeError, "updates Variables", {"variables": [tf.ones([2, 2])]}),
    "no slot variable": (TypeError, "updates Variables", {"slots": [1.0]}),
    "a shape": ("invalid", "gradient has shape", {"gradients": [tf.ones([2])]}),
    "a dtype": ("invalid", "gradient has shape", {"gradients": [np.ones((2, 2))]}),
    "row values": ("invalid", "gradient has shape", {"gradients": [([0], [[1.0]])]}),
    "rows below": ("invalid", "not in", {"gradients": [([-1], [[1.0, 1.0]])]}),
    "rows above": ("invalid", "not in", {"gradients": [([2], [[1.0, 1.0]])]}),
    "float rows": ("invalid", "int32 or int64", {"gradients": [([0.0], [[1.0, 1.0]])]}),
    "a slot's shape": ("invalid", "slot has shape", {"slots": [tf.Variable([1.0])]}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_change_nothing(name):
    error, message, changes = REFUSED[name]
    error = tf.errors.InvalidArgumentError if error == "invalid" else error
    first, second = tf.Variable([1.0]), tf.Variable(tf.ones([2, 2]))
    slots = [tf.Variable(tf.zeros([2, 2]))]
    given = {"variables": [second], "slots": slots, "gradients": [tf.ones([2, 2])], **changes}
    # A valid update before the invalid one, which must not be applied either.
    given["variables"] = [first, *given["variables"]]
    given["gradients"] = [[1.0], *given["gradients"]]
    if isinstance(given["slots"], list):
        given["slots"] = [tf.Variable([0.0]), *given["slots"]]
    with pytest.raises(error, match=message):
        momentum(given["variables"], given["slots"], given["gradients"])
    assert first.numpy() == [1.0]
    assert second.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_slots_are_variables_of_their_own():
    variable, slot = tf.Variable([1.0]), tf.Variable([0.0])
    numbers = {"learning_rate": 0.5, "beta_1": 0.9, "beta_2": 0.99, "epsilon": 1e-7}
    for slots in ([[variable], [slot]], [[slot], [slot]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="each for one purpose"):
            _core.adam_update([variable], *slots, None, [[1.0]], **numbers)


def test_scalars_and_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="no rows"):
        descend([tf.Variable(1.0)], [([0], [1.0])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="floating variables"):
        descend([tf.Variable(1)], [tf.constant(1)])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(50, 3), (9000,), (40, 2, 700), (3, 20_000)])
def test_rows_of_which_the_others_are_zero(shape, dtype):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, shape[0], 37)
    values = tf.cast(tf.constant(rng.normal(size=(37, *shape[1:]))), dtype)
    dense = tf.math.unsorted_segment_sum(values, rows, shape[0])
    numbers = {"learning_rate": 0.5, "beta_1": 0.9, "beta_2": 0.99, "epsilon": 1e-7}
    start = [tf.cast(tf.constant(rng.uniform(1, 2, shape)), dtype) for _ in range(3)]
    found = []
    for gradient in (dense, (rows, values, True), (tf.cast(rows, "int32"), values, True)):
        variables = [tf.Variable(value) for value in start]
        for _ in range(2):
            _core.adam_update(*([v] for v in variables), None, [gradient], **numbers)
        found.append([v.numpy() for v in variables])
    for others in found[1:]:
        for value, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(value, other)


def test_rows_that_are_not_there():
    variable, slot = tf.Variable(tf.ones([3, 2])), tf.Variable(tf.zeros([3, 2]))
    for rows in ([0, 3], [-1, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 3\)"):
            momentum([variable], [slot], [(tf.constant(rows), tf.ones([2, 2]), True)])
    momentum([variable], [slot], [(tf.constant([], tf.int64), tf.ones([0, 2]), True)])
    np.testing.assert_array_equal(variable, np.ones([3, 2]))

"""The native update of optimizers: what it changes, and what it refuses before it changes anything."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

NUMBERS = (0.5, 0.9, 0.9, 0.99, 1e-7, False)


def update(kind, variables, slots, gradients, numbers=NUMBERS):
    _core.apply_update(kind, variables, slots, gradients, numbers)


def test_every_variable_by_its_own_gradient():
    variables = [tf.Variable([1.0, 2.0]), tf.Variable([[3.0]]), tf.Variable(4.0)]
    update("sgd", variables, [], [[2.0, 4.0], tf.constant([[6.0]]), np.float32(8.0)])
    assert variables[0].numpy().tolist() == [0.0, 0.0]
    assert variables[1].numpy().tolist() == [[0.0]]
    assert variables[2].numpy() == 0.0


def test_slots_belong_to_their_variables():
    variables = [tf.Variable([1.0]), tf.Variable([1.0])]
    slots = [tf.Variable([0.0]), tf.Variable([10.0])]
    update("momentum", variables, [slots], [[2.0], [4.0]])
    np.testing.assert_allclose([s.numpy()[0] for s in slots], [-1.0, 7.0], rtol=1e-6)
    np.testing.assert_allclose([v.numpy()[0] for v in variables], [0.0, 8.0], rtol=1e-6)


def test_slots_may_be_left_out():
    variable, sums, average = (tf.Variable([v]) for v in (1.0, 0.0, 0.0))
    update("adam", [variable], [[sums], [average], None], [[2.0]])
    np.testing.assert_allclose(sums.numpy(), [0.2], rtol=1e-6)
    np.testing.assert_allclose(average.numpy(), [0.04], rtol=1e-6)


def test_nesterov():
    for nesterov, expected in ((False, 0.0), (True, -0.9)):
        variable, slot = tf.Variable([1.0]), tf.Variable([0.0])
        update("momentum", [variable], [[slot]], [[2.0]], (*NUMBERS[:5], nesterov))
        np.testing.assert_allclose(variable.numpy(), [expected], rtol=1e-6)


def test_rows():
    variable = tf.Variable(tf.ones([4, 2]))
    update("sgd", [variable], [], [([3, 0], [[1.0, 2.0], [3.0, 4.0]])])
    assert variable.numpy().tolist() == [[-0.5, -1.0], [1, 1], [1, 1], [0.5, 0.0]]
    update("sgd", [variable], [], [(tf.constant([], tf.int64), tf.zeros([0, 2]))])
    assert variable.numpy()[1].tolist() == [1, 1]
    tensor = tf.Variable(tf.ones([2]))
    update("sgd", [tensor], [], [(tf.constant([1], tf.int32), [2.0])])
    assert tensor.numpy().tolist() == [1.0, 0.0]


def test_values_that_others_hold_stay():
    variable = tf.Variable([1.0])
    before = variable.read_value()
    update("sgd", [variable], [], [[2.0]])
    assert before.numpy() == [1.0]
    assert variable.numpy() == [0.0]


def test_decay_takes_no_gradient():
    variable = tf.Variable([2.0])
    update("decay", [variable], [], [None])
    assert variable.numpy() == [1.0]


REFUSED = {
    "a kind": ("adamantium", ValueError, "no optimizer update", {}),
    "a gradient too many": ("sgd", ValueError, "one gradient per variable", {"gradients": [1, 1]}),
    "slots": ("sgd", ValueError, "at most 3 slots", {"slots": [None] * 4}),
    "a short slot": ("momentum", ValueError, "one slot variable", {"slots": [[]]}),
    "no list": ("momentum", ValueError, "one slot variable", {"slots": [(1,)]}),
    "no variable": ("sgd", TypeError, "updates Variables", {"variables": [tf.ones([2, 2])]}),
    "no slot variable": ("momentum", TypeError, "updates Variables", {"slots": [[1.0]]}),
    "a shape": ("sgd", "invalid", "gradient has shape", {"gradients": [tf.ones([2])]}),
    "a dtype": ("sgd", "invalid", "gradient has shape", {"gradients": [np.ones((2, 2))]}),
    "row values": ("sgd", "invalid", "gradient has shape", {"gradients": [([0], [[1.0]])]}),
    "rows below": ("sgd", "invalid", "not in", {"gradients": [([-1], [[1.0, 1.0]])]}),
    "rows above": ("sgd", "invalid", "not in", {"gradients": [([2], [[1.0, 1.0]])]}),
    "float rows": ("sgd", "invalid", "int32 or int64", {"gradients": [([0.0], [[1.0, 1.0]])]}),
    "a slot's shape": ("momentum", "invalid", "slot has shape", {"slots": [[tf.Variable([1.0])]]}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_change_nothing(name):
    kind, error, message, changes = REFUSED[name]
    error = tf.errors.InvalidArgumentError if error == "invalid" else error
    first, second = tf.Variable([1.0]), tf.Variable(tf.ones([2, 2]))
    given = {"variables": [second], "slots": [], "gradients": [tf.ones([2, 2])], **changes}
    # A good update before the bad one, which is not made either.
    given["variables"] = [first, *given["variables"]]
    given["gradients"] = [[1.0], *given["gradients"]]
    given["slots"] = [
        [tf.Variable([0.0]), *slot] if isinstance(slot, list) else slot for slot in given["slots"]
    ]
    with pytest.raises(error, match=message):
        update(kind, given["variables"], given["slots"], given["gradients"])
    assert first.numpy() == [1.0]
    assert second.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_slots_are_variables_of_their_own():
    variable, slot = tf.Variable([1.0]), tf.Variable([0.0])
    for slots in ([[variable]], [[slot], [slot]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="each for one purpose"):
            update("momentum", [variable], slots, [[1.0]])


def test_scalars_and_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="no rows"):
        update("sgd", [tf.Variable(1.0)], [], [([0], [1.0])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="floating variables"):
        update("sgd", [tf.Variable(1)], [], [tf.constant(1)])

"""Native code that iterates over Python sequences while Python code or another thread changes them.

Each of these crashed the process or read freed memory when a list was iterated in place.
"""

import gc
import threading

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core


class Changes:
    """An element whose conversion changes something first."""

    def __init__(self, change, value):
        self.change = change
        self.value = np.asarray(value, np.float32)

    def __array__(self, dtype=None, copy=None):
        self.change()
        gc.collect()
        return self.value


def clearing(size, value):
    """A list of arrays whose first element empties it."""
    parts = []
    parts.append(Changes(parts.clear, value))
    parts.extend(np.array(value, np.float32) for _ in range(size - 1))
    return parts


def ones(count):
    return [tf.Variable(tf.ones([4])) for _ in range(count)]


def test_lists_of_tensors():
    assert tf.concat(clearing(9, [[1.0]]), 0).shape == (9, 1)
    assert tf.stack(clearing(9, [1.0])).shape == (9, 1)
    assert tf.parallel_stack(clearing(9, [1.0])).shape == (9, 1)
    assert tf.add_n(clearing(9, [1.0])).numpy() == [9.0]
    assert tf.constant(clearing(9, 1.0)).shape == (9,)


def test_a_list_that_another_thread_changes():
    buffer, stop = [], threading.Event()

    def produce():
        while not stop.is_set():
            buffer.extend(np.ones((64, 64), np.float32) for _ in range(8))
            buffer.clear()

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        for _ in range(2000):
            try:
                rows = tf.concat(buffer, 0).shape[0]
            except (ValueError, tf.errors.InvalidArgumentError):
                continue
            assert rows % 64 == 0
    finally:
        stop.set()
        thread.join()


def test_indices_and_axes():
    class Index:
        def __init__(self, owner):
            self.owner = owner

        def __index__(self):
            self.owner.clear()
            return 0

    axes = []
    axes.extend([Index(axes), 1])
    assert tf.reduce_sum(tf.ones([2, 3]), axes).numpy() == 6.0
    shape = []
    shape.extend([6, Index(shape)])
    assert tf.zeros(shape).shape == (6, 0)


def test_what_a_message_shows_may_change_the_list():
    class Shown:
        def __repr__(self):
            values.clear()
            gc.collect()
            return "shown"

    values = [Shown(), Shown()]
    with pytest.raises(ValueError, match="unsupported type"):
        tf.constant(values)


def test_who_takes_a_call_over_is_held():
    class Taker:
        def __op_function__(self, function, args, kwargs):
            return "taken"

    class Clearing:
        def __del__(self):
            values.clear()

    class Refuses:
        def __array__(self, dtype=None, copy=None):
            local = Clearing()  # is freed with the traceback
            raise TypeError(str(local))

    values = [Refuses(), Taker()]
    assert tf.concat(values, 0) == "taken"


def test_numpy_subclasses_may_import(monkeypatch):
    class bfloat16(np.float64):  # the name of an extension type
        pass

    values = [1.5, bfloat16(2.5), *(float(i) for i in range(1000))]
    assert tf.constant(values).shape == (1002,)
    assert tf.constant([bfloat16(2.5)]).dtype == tf.float64


@pytest.mark.parametrize("change", ["clear", "extend"])
def test_sources_that_a_backward_step_changes(change):
    x = [tf.constant(1.0) for _ in range(3)]

    @tf.custom_gradient
    def watched(value):
        def grad(dy):
            sources.clear()
            if change == "extend":
                sources.extend(tf.constant(float(i)) for i in range(100))
            gc.collect()
            return dy * 5.0

        return value * 1.0, grad

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = watched(x[0]) + x[1]
    sources, x = x, None
    gradients = tape.gradient(y, sources, unconnected_gradients="zero")
    assert [g.numpy() for g in gradients] == [5.0, 1.0, 0.0]


def test_nested_sources_that_a_backward_step_changes():
    x = [tf.constant(1.0) for _ in range(3)]

    @tf.custom_gradient
    def watched(value):
        def grad(dy):
            sources[0].clear()
            sources[1]["b"] = tf.constant(1.0)
            return dy

        return value * 1.0, grad

    sources = [[x[0]], {"a": x[1]}]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = watched(x[0])
    with pytest.raises(ValueError, match="was changed while"):
        tape.gradient(y, sources)


def test_weights_and_results_of_backward_steps():
    @tf.custom_gradient
    def add(a, b, c):
        return a + b + c, lambda dy: clearing(3, 2.0)

    x = [tf.constant(1.0) for _ in range(3)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = add(*x)
        targets = [x[0] * k for k in (2.0, 3.0, 4.0)]
    assert [g.numpy() for g in tape.gradient(y, x)] == [2.0, 2.0, 2.0]
    assert tape.gradient(targets, x[0], output_gradients=clearing(3, 1.0)).numpy() == 9.0


def test_structures_that_contain_themselves():
    structure = []
    structure.append(structure)
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with pytest.raises(RecursionError):
            tape.watch(structure)
    with pytest.raises(RecursionError):
        tape.gradient(x, structure)
    with pytest.raises(RecursionError):
        tape.gradient(structure, x)


def test_a_tape_that_is_reset_while_it_watches(monkeypatch):
    tape = tf.GradientTape()
    with tape:
        monkeypatch.setattr("eagerflow.autodiff.tape.warn_of_dtype", lambda *_: tape.reset())
        tape.watch([tf.constant([1]), tf.constant([2])])


def test_a_tape_whose_gradient_another_thread_takes():
    """The recording thread goes on while the other one frees what was recorded."""
    x = tf.constant(np.ones(200_000, np.float32))
    for _ in range(10):
        tape, found = tf.GradientTape(), []
        with tape:
            tape.watch(x)
            y = x
            for _ in range(10):
                y = y * 2.0
            thread = threading.Thread(
                target=lambda t=tape, y=y, to=found: to.append(t.gradient(y, x))
            )
            thread.start()
            while thread.is_alive():
                x * 3.0
            thread.join()
        assert found[0].numpy()[0] == 1024.0
        assert not _core.recording()


def test_optimizer_updates_hold_what_they_change():
    variables, state, gradients = ones(4), ones(4), []

    def change():
        for items in (variables, state, gradients):
            items.clear()

    kept = list(variables)
    gradients.append(Changes(change, np.ones(4)))
    gradients.extend(np.ones(4, np.float32) for _ in range(3))
    _core.momentum_update(
        variables, state, gradients, learning_rate=0.5, momentum=0.0, nesterov=False
    )
    assert [v.numpy()[0] for v in kept] == [0.5] * 4


def test_optimizer_updates_check_shapes_last():
    """The conversion of a gradient changes the shape of a variable that was read before."""
    first = tf.Variable(tf.ones([4]), shape=tf.TensorShape(None))
    second = tf.Variable(tf.ones([4]))
    gradients = [np.ones(4, np.float32), Changes(lambda: first.assign([1.0]), np.ones(4))]
    with pytest.raises(tf.errors.InvalidArgumentError, match="its variable has shape"):
        _core.gradient_descent_update([first, second], gradients, learning_rate=0.5)


def test_variables_of_changing_shape_in_threads():
    variable = tf.Variable(tf.ones([100_000]), shape=tf.TensorShape(None))
    small, large = tf.ones([10]), tf.ones([100_000])
    stop = threading.Event()

    def change():
        while not stop.is_set():
            variable.assign(small)
            variable.assign(large)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(1000):
            try:
                variable.assign_add(large)
            except tf.errors.InvalidArgumentError as error:
                assert "shapes must be equal" in str(error)
            try:
                _core.gradient_descent_update([variable], [large], learning_rate=0.5)
            except tf.errors.InvalidArgumentError as error:
                assert "shape" in str(error)
    finally:
        stop.set()
        thread.join()


def test_a_variable_that_is_initialised_anew_while_it_is_assigned():
    variable = tf.Variable([1.0, 2.0])
    variable.assign(Changes(lambda: variable.__init__([3.0, 4.0]), [5.0, 6.0]))
    assert variable.shape == (2,)


def test_tapes_name_no_variables_that_are_gone():
    variable = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        variable + 1.0
    variable.__init__([3.0])  # the tape keeps the previous one
    del variable
    gc.collect()
    assert tape.watched_variables() == ()

    class Asks:
        def __del__(self):
            seen.append(tape.watched_variables())

    seen = []
    variable = tf.Variable([1.0, 2.0])
    variable.attribute = Asks()
    with tf.GradientTape() as tape:
        variable + 1.0
    del variable
    gc.collect()
    assert seen == [()]


def test_observers_may_keep_what_they_see():
    kept = []

    def observe(name, inputs, outputs):
        kept.append(inputs[0])

    _core.add_observer(observe)
    try:
        array = np.ones(1 << 20, np.float64)
        tf.constant(array, tf.float32)
    finally:
        _core.remove_observer(observe)
    del array
    gc.collect()
    others = [np.zeros(1 << 20) for _ in range(4)]
    assert len(others) == 4
    assert kept[0].numpy().sum() == 1 << 20


def test_dlpack_capsules_are_consumed_by_copies_too():
    capsule = np.arange(6.0).reshape(2, 3).T.__dlpack__()
    assert tf.experimental.dlpack.from_dlpack(capsule).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="only once"):
        tf.experimental.dlpack.from_dlpack(capsule)


def begun_tape():
    tape = tf.GradientTape()
    tape.watch(tf.ones([]))
    return tape


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.is_symbolic(1),
        lambda: _core.VariableStore().value(1),
        lambda: _core.SessionPlan(1, [], [], []),
        lambda: _core.DenseExamples(["a", "b"], [tf.int64], []),
        lambda: _core.symbolic(tf.float32, [2**62, 8]),
        lambda: _core.symbolic(tf.float32, [-5]),
        lambda: recorded(_core.record_custom, [1.0], [1.0], len),
        lambda: recorded(_core.record_custom, [tf.ones([])], [1.0], len),
        lambda: begun_tape()._gradients_of_rows([], [], []),
        lambda: begun_tape()._gradients_of_rows(tf.ones([]), [], tf.ones([])),
    ],
)
def test_native_functions_refuse_what_they_do_not_take(call):
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        call()


def recorded(function, *args):
    with tf.GradientTape() as tape:
        tape.watch(tf.ones([]))
        function(*args)


def test_specs_of_a_node_hold_the_list():
    class Dims:
        def __iter__(self):
            specs.clear()
            return iter([1])

    specs = [(tf.float32, Dims()), *((tf.float32, [1000 + i]) for i in range(100))]
    with tf.Graph().as_default():
        _core.host_node(len, [], specs, "a")

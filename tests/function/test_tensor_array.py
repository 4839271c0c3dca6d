"""TensorArrays in traced functions, and the tensor lists that implement them."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from function.traced import traced

COUNT = tf.TensorSpec([], tf.int32)
VECTOR = tf.TensorSpec([3], tf.float32)
InvalidArgumentError = tf.errors.InvalidArgumentError


def array(size=3, **kwargs):
    return tf.TensorArray(tf.float32, size, **kwargs)


def result(function):
    """The result of a function without arguments when its graph runs."""
    return traced(function)()


def test_writes_and_reads():
    def function(n):
        ta = array(n).write(0, [1.0, 2.0]).write(n - 1, [3.0, 4.0])
        return ta.stack(), ta.read(0), ta.size(), ta.gather([2, 0])

    stack, first, size, gathered = traced(function, COUNT)(3)
    np.testing.assert_array_equal(stack, [[1, 2], [0, 0], [3, 4]])
    np.testing.assert_array_equal(first, [1, 2])
    assert int(size) == 3
    np.testing.assert_array_equal(gathered, [[3, 4], [1, 2]])


def test_unstack_scatter_split_and_concat():
    np.testing.assert_array_equal(
        result(lambda: array().unstack([[1.0], [2.0], [3.0]]).read(1)), [2]
    )
    scattered = result(lambda: array().scatter([2, 0], [[1.0], [2.0]]).stack())
    np.testing.assert_array_equal(scattered, [[2], [0], [1]])
    split = result(lambda: array(2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2]).read(1))
    np.testing.assert_array_equal(split, [2, 3])
    joined = result(
        lambda: array(2, infer_shape=False).write(0, [1.0]).write(1, [2.0, 3.0]).concat()
    )
    np.testing.assert_array_equal(joined, [1, 2, 3])


def test_dynamic_arrays_grow():
    grown = result(lambda: array(1, dynamic_size=True).write(3, [1.0]).stack())
    np.testing.assert_array_equal(grown, [[0], [0], [0], [1]])
    assert int(result(lambda: array(1, dynamic_size=True).write(3, 1.0).size())) == 4


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: array().write(5, 1.0).stack(), "modify element 5 in a list with 3 elements"),
        (lambda: array().write(-1, 1.0).stack(), "modify element -1 in a list with 3 elements"),
        (lambda: array(element_shape=[]).read(5), "access element 5 in a list with 3 elements"),
        (lambda: array().read(0), "element_shape is not fully defined"),
        (lambda: array(0).stack(), "Tried to stack elements of an empty"),
        (lambda: array().write(0, tf.constant([1])).stack(), "op elements int32 but list elements"),
        (lambda: array().unstack([1.0, 2.0]).stack(), "expected a list with 3 elements"),
        (lambda: array().scatter([5], [1.0]).stack(), "expected a list with 3 elements"),
        (lambda: array(2).write(0, 1.0).write(1, 2.0).concat(), "saw a scalar shape at index 0"),
        (lambda: array(2).split([1.0, 2.0, 3.0], [1, 1]).stack(), "Unused values in tensor"),
    ],
)
def test_runs_refuse_what_tensorflow_refuses(function, message):
    with pytest.raises(InvalidArgumentError, match=message):
        result(function)


def test_shapes_of_elements_are_checked_while_tracing():
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(1,\) but expected \(2,\)"):
        result(lambda: array(element_shape=[2]).write(0, [1.0]).stack())
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(2,\) but expected \(1,\)"):
        result(lambda: array().write(0, [1.0]).write(1, [1.0, 2.0]).stack())
    with pytest.raises(ValueError, match="`size` must be provided"):
        result(lambda: tf.TensorArray(tf.float32).stack())


def test_shapes_of_results_are_known_as_far_as_in_tensorflow():
    shapes = {}

    def function(n):
        ta = array(n)
        shapes["before"] = ta.element_shape
        body = lambda i, a: (i + 1, a.write(i, tf.ones([2])))  # noqa: E731
        _, ta = tf.while_loop(lambda i, _: i < n, body, (0, ta))
        shapes.update(after=ta.element_shape, stack=ta.stack().shape, read=ta.read(0).shape)
        shapes.update(gather=ta.gather([1]).shape, concat=ta.concat().shape)
        shapes["fixed"] = array(4, element_shape=[2]).stack().shape
        return ta.stack()

    traced(function, COUNT)
    assert {name: None if s.rank is None else s.as_list() for name, s in shapes.items()} == {
        "before": None,
        "after": [2],
        "stack": [None, 2],
        "read": [2],
        "gather": [1, 2],
        "concat": [None],
        "fixed": [4, 2],
    }


def test_arrays_are_loop_variables_results_of_branches_and_of_functions():
    def function(n):
        def body(i, ta):
            return i + 1, tf.cond(
                tf.equal(i % 2, 0), lambda: ta.write(i, tf.cast(i, tf.float32)), lambda: ta
            )

        return tf.while_loop(lambda i, _: i < n, body, (0, array(n, element_shape=[])))[1]

    ta = traced(function, COUNT)(5)
    assert isinstance(ta, tf.TensorArray)
    np.testing.assert_array_equal(ta.stack(), [0, 0, 2, 0, 4])
    np.testing.assert_array_equal(ta.write(1, 7.0).stack(), [0, 7, 2, 0, 4])
    np.testing.assert_array_equal(ta.stack(), [0, 0, 2, 0, 4])


def test_an_array_from_outside_becomes_a_loop_variable():
    outside = array().unstack([1.0, 2.0, 3.0])

    def function(n):
        body = lambda i, a: (i + 1, a.write(i, a.read(i) * 10))  # noqa: E731
        return tf.while_loop(lambda i, _: i < n, body, (0, outside))[1].stack()

    np.testing.assert_array_equal(traced(function, COUNT)(2), [10, 20, 3])


def test_properties():
    def function():
        ta = array(2, element_shape=[1])
        assert ta.dtype is tf.float32 and ta.handle is None and ta.dynamic_size is None
        assert ta.flow.dtype is tf.variant and ta.flow.shape == []
        assert ta.identity() is not ta and ta.close() is None
        with pytest.raises(NotImplementedError):
            ta.grad("gradients")
        return ta.identity().stack()

    assert result(function).shape == [2, 1]


def squares(x):
    """Reads and writes in a loop, whose reads are those of a captured list."""
    source = array().unstack(x)

    def body(i, product, ta):
        product = product * source.read(i)
        return i + 1, product, tf.cond(i > 0, lambda: ta.write(i, product), lambda: ta)

    first = (0, tf.constant(1.0), array(element_shape=[]))
    return tf.while_loop(lambda i, *_: i < 3, body, first)[2].stack()


def recurrence(x):
    """Each element is read from the list that is written."""
    ta = array(4, clear_after_read=False).write(0, x[0])
    body = lambda i, a: (i + 1, a.write(i + 1, a.read(i) * x[i] + a.read(0)))  # noqa: E731
    return tf.while_loop(lambda i, _: i < 3, body, (0, ta))[1].stack()


DERIVED = [
    lambda x: array().unstack(x).read(0) * array().unstack(x).read(2),
    lambda x: (
        array().write(1, x[0] * x[1]).write(0, x[2]).write(0, x[1]).write(2, x[2]).stack() ** 2
    ),
    lambda x: array(clear_after_read=False).unstack(x).gather([0, 0, 2]) ** 3,
    lambda x: array().scatter([2, 0, 1], x).scatter([0], x[:1]).stack() ** 2 * [1.0, 10.0, 100.0],
    lambda x: array(3, dynamic_size=True).unstack(x).write(5, x[0] ** 2).stack() ** 2,
    squares,
    recurrence,
]


@pytest.mark.parametrize("function", DERIVED)
def test_derivatives_are_those_of_eager_programs(function):
    x = tf.constant([1.5, 2.0, 3.0])

    def derivatives(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x))
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -2.0, 0.5])) as accumulator:
            z = function(x)
        return y, first, second, accumulator.jvp(z)

    def derivatives_outside(x):
        run = traced(function, VECTOR)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(run(x))
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -2.0, 0.5])) as accumulator:
            z = run(x)
        return y, first, second, accumulator.jvp(z)

    expected = derivatives(x)
    for found in (derivatives_outside(x), traced(derivatives, VECTOR)(x)):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_gradients_of_parts_of_different_sizes():
    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            ta = array(2, infer_shape=False).split(x, [1, 2])
            whole, part = ta.concat() ** 2, ta.read(1) ** 3
        return tape.gradient(whole, x), tape.gradient(part, x)

    for found in (gradients(tf.constant([1.0, 2.0, 3.0])), traced(gradients, VECTOR)([1, 2, 3])):
        np.testing.assert_allclose(found[0], [2, 4, 6])
        np.testing.assert_allclose(found[1], [0, 12, 27])


def test_jacobians_go_through_lists():
    x = tf.constant([1.5, 2.0, 3.0])

    def jacobian(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    np.testing.assert_allclose(jacobian(traced(squares, VECTOR)), jacobian(squares), rtol=1e-6)


def test_writing_in_a_loop_does_not_copy_the_list():
    count = 100_000
    body = lambda i, a: (i + 1, a.write(i, i))  # noqa: E731
    run = traced(
        lambda n: tf.while_loop(lambda i, _: i < n, body, (0, tf.TensorArray(tf.int32, n)))[
            1
        ].stack(),
        COUNT,
    )
    # Copying a list of this length in each write would take minutes.
    np.testing.assert_array_equal(run(count), np.arange(count))


def test_lists_are_values_that_operations_do_not_change():
    first = _core.ops.tensor_list_from_tensor([1, 2, 3])
    second = _core.ops.tensor_list_set_item(first, 0, 9)
    assert _core.ops.tensor_list_stack(first, tf.int32).numpy().tolist() == [1, 2, 3]
    assert _core.ops.tensor_list_stack(second, tf.int32).numpy().tolist() == [9, 2, 3]
    assert repr(first) == "<tf.Tensor: shape=(), dtype=variant, value=<TensorList>>"
    with pytest.raises(InvalidArgumentError, match="dtype variant to a NumPy array"):
        first.numpy()
    with pytest.raises(InvalidArgumentError, match="list of allowed values"):
        tf.add(first, first)


def test_spec_of_an_array():
    spec = tf.TensorArraySpec([2], tf.int32)
    assert repr(spec) == "TensorArraySpec(TensorShape([2]), tf.int32, False, True)"
    run = traced(lambda ta: ta.write(1, [5, 6]).stack(), spec)
    ta = tf.TensorArray(tf.int32, 2).unstack([[1, 2], [3, 4]])
    (flow,) = spec._to_components(ta)
    np.testing.assert_array_equal(run.graph.run([flow])[0], [[1, 2], [5, 6]])


def test_methods_may_be_called_by_the_class():
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    assert tf.TensorArray.stack(array).numpy().tolist() == [1.0, 2.0]

    @tf.function
    def stacked(x):
        return tf.TensorArray.stack(tf.TensorArray(tf.float32, 2).unstack(x))

    assert stacked(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    assert tf.TensorArray.stack.__name__ == "stack"


def test_sizes_in_graphs_of_programs_are_fetched():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        array = tf.TensorArray(tf.float32, 3)
        assert session.run(array.size()) == 3

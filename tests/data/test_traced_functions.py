"""Functions of pipelines are traced when the pipeline is created, and run as graphs."""

import collections.abc
import functools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data.functions import Debugging
from python_functions import as_python

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)


def numbers(dataset):
    return [int(x) for x in dataset]


GIVEN = {
    "map": lambda d, f: d.map(f),
    "parallel map": lambda d, f: d.map(f, num_parallel_calls=2),
    "filter": lambda d, f: d.filter(lambda x: f(x) > 0),
    "flat_map": lambda d, f: d.flat_map(lambda x: D.from_tensors(f(x))),
    "interleave": lambda d, f: d.interleave(lambda x: D.from_tensors(f(x)), 2),
    "scan": lambda d, f: d.scan(np.int64(0), lambda s, x: (s, f(x))),
    "take_while": lambda d, f: d.take_while(lambda x: f(x) < 9),
    "group_by_window": lambda d, f: d.group_by_window(f, lambda k, w: w, 1),
    "bucket": lambda d, f: d.bucket_by_sequence_length(
        lambda x: tf.cast(f(x), tf.int32), [2], [1, 1], no_padding=True
    ),
    "rejection_resample": lambda d, f: d.rejection_resample(f, [0.5] * 4, [0.25] * 4, seed=1),
}


@pytest.mark.parametrize("give", GIVEN.values(), ids=GIVEN)
def test_python_runs_once_when_a_function_is_given(give):
    seen = []

    def look(x):
        seen.append(x.dtype)
        return x

    dataset = give(D.range(4), look)
    assert seen == [tf.int64]
    for _ in range(2):
        list(dataset)
    assert len(seen) == 1


@pytest.mark.parametrize("give", GIVEN.values(), ids=GIVEN)
def test_a_bad_function_is_refused_when_it_is_given(give):
    def fail(x):
        return tf.ones([2]) + tf.ones([3])

    with pytest.raises(ValueError, match="fail"):
        give(D.range(4), fail)


def test_specs_come_from_the_trace():
    unknown = D.range(3).map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64))
    assert unknown.element_spec == tf.TensorSpec(None, tf.int64)
    assert unknown.batch(2).element_spec == tf.TensorSpec(None, tf.int64)
    ones = D.range(3).map(lambda n: tf.ones([n, 2]))
    assert ones.element_spec == tf.TensorSpec([None, 2], tf.float32)
    assert ones.padded_batch(2).element_spec == tf.TensorSpec([None, None, 2], tf.float32)
    assert D.range(7).batch(2).map(lambda x: x * 2).element_spec == tf.TensorSpec([None], tf.int64)
    whole = D.range(7).batch(2, drop_remainder=True)
    assert whole.map(lambda x: tf.reshape(x, [-1])).element_spec == tf.TensorSpec([2], tf.int64)
    assert D.range(2).map(lambda x: [x, 2.0]).element_spec == (INT, tf.TensorSpec([], tf.float32))
    ragged = D.range(2).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), [x]))
    assert isinstance(ragged.element_spec, tf.RaggedTensorSpec)
    sparse = D.range(2).map(lambda x: tf.SparseTensor([[x]], [1.0], [5]))
    assert sparse.element_spec == tf.SparseTensorSpec([5], tf.float32)
    assert D.range(2).map(D.range).element_spec == tf.data.DatasetSpec(INT)
    optional = D.range(2).map(tf.experimental.Optional.from_value)
    assert optional.element_spec == tf.OptionalSpec(INT)
    assert [int(o.get_value()) for o in optional] == [0, 1]
    assert D.range(2).flat_map(lambda x: D.range(3).batch(x + 1)).element_spec == tf.TensorSpec(
        [None], tf.int64
    )


def test_the_state_of_a_scan_or_reduction_may_change_its_shape():
    traces = []

    def double(s, x):
        traces.append(s.shape)
        return tf.concat([s, s], 0)

    assert D.range(3).reduce([1], double).shape == [8]
    assert traces == [tf.TensorShape([1]), tf.TensorShape([None])]
    scanned = D.range(3).scan([1], lambda s, x: (tf.concat([s, s], 0), s))
    assert scanned.element_spec == tf.TensorSpec([None], tf.int32)
    assert [x.shape[0] for x in scanned] == [1, 2, 4]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda d: d.filter(lambda x: x), ValueError),
        (lambda d: d.take_while(lambda x: x), ValueError),
        (lambda d: d.flat_map(lambda x: [x]), TypeError),
        (lambda d: d.interleave(lambda x: x, 2), TypeError),
        (lambda d: d.scan(0, lambda s, x: s), TypeError),
        (lambda d: d.scan(0, lambda s, x: (x, x)), TypeError),
        (lambda d: d.reduce(0, lambda s, x: x), TypeError),
        (lambda d: d.group_by_window(lambda x: 1.5, lambda k, w: w, 2), (TypeError, ValueError)),
        (lambda d: d.group_by_window(lambda x: x, lambda k, w: k, 2), TypeError),
        (lambda d: d.map(lambda x: tf.Variable(1)), ValueError),
        (lambda d: d.map(lambda x: x.numpy()), AttributeError),
        (lambda d: d.map(3), ValueError),
        (lambda d: d.map(lambda x, y: x), TypeError),
    ],
)
def test_what_functions_must_not_do(make, kind):
    with pytest.raises(kind):
        make(D.range(3))


def test_control_flow_is_converted():
    def steps(x):
        count = tf.constant(0, tf.int64)
        while x > 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            count += 1
        return count

    assert numbers(D.range(1, 8).map(steps)) == [0, 1, 7, 2, 5, 8, 16]


def test_variables_are_read_and_changed_for_each_element():
    v = tf.Variable(5, dtype=tf.int64)
    shifted = D.range(2).map(lambda x: x + v)
    assert numbers(shifted) == [5, 6]
    v.assign(10)
    assert numbers(shifted) == [10, 11]
    assert numbers(D.range(1, 4).map(lambda x: v.assign_add(x))) == [11, 13, 16]


def test_tables_are_looked_up_for_each_element():
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    table = tf.lookup.StaticHashTable(pairs, -1)
    assert numbers(D.from_tensor_slices(["b", "c", "a"]).map(table.lookup)) == [2, -1, 1]


def test_each_reading_draws_the_same_values_from_seeds():
    """The values are TensorFlow's."""
    tf.random.set_seed(1)
    one = D.range(3).map(lambda x: tf.random.uniform([]))
    inner = D.range(2).flat_map(lambda x: D.range(2).map(lambda y: tf.random.uniform([])))
    expected = [0.81269646, 0.5272893, 0.8489425, 0.8928561]
    for _ in range(2):
        np.testing.assert_allclose([float(x) for x in one], expected[:3])
        np.testing.assert_allclose([float(x) for x in inner], expected)
    iterator = iter(one)
    next(iterator)
    tf.random.set_seed(1)
    np.testing.assert_allclose(float(next(iterator)), expected[1])


def test_without_seeds_all_values_differ():
    tf.random.set_seed(None)
    dataset = D.range(20).map(lambda x: tf.random.uniform([]), num_parallel_calls=2)
    assert len({float(x) for _ in range(2) for x in dataset}) == 40


def test_datasets_with_a_state_are_new_for_every_element():
    tf.random.set_seed(1)
    shuffled = D.range(3).flat_map(lambda x: D.range(5).shuffle(5))
    assert numbers(shuffled) == [2, 1, 4, 0, 3] * 3
    assert numbers(shuffled) == [2, 1, 4, 0, 3] * 3


def nested(x):
    return D.range(2).map(lambda y: x * 10 + y).filter(lambda z: z != x)


MADE_OF_ELEMENTS = {
    "skip, take": (lambda x: D.range(10).skip(x).take(x), 4, [1, 2, 3, 3, 4, 5]),
    "shard": (lambda x: D.range(5).shard(2, x), 2, [0, 2, 4, 1, 3]),
    "repeat": (lambda x: D.from_tensors(x).repeat(x), 4, [1, 2, 2, 3, 3, 3]),
    "enumerate": (lambda x: D.range(2).enumerate(x).map(lambda i, v: i), 2, [0, 1, 1, 2]),
    "closures": (nested, 3, [1, 10, 11, 20, 21]),
    "slices": (lambda x: D.from_tensor_slices([x, x + 1]), 2, [0, 1, 1, 2]),
    "shuffle": (lambda x: D.range(x).shuffle(x + 1, seed=1).batch(x + 1).unbatch(), 1, []),
    "window": (lambda x: D.range(3).window(x + 1).flat_map(lambda w: w), 2, [0, 1, 2] * 2),
    "rebatch": (lambda x: D.range(3).batch(3).rebatch(x + 1).unbatch(), 2, [0, 1, 2] * 2),
    "scan": (lambda x: D.range(3).scan(x, lambda s, e: (s + e, s)), 2, [0, 0, 1, 1, 1, 2]),
    "generator": (
        lambda x: D.from_generator(lambda n: iter(range(n)), output_signature=INT, args=(x,)),
        3,
        [0, 0, 1],
    ),
}


@pytest.mark.parametrize(
    ("make", "count", "expected"), MADE_OF_ELEMENTS.values(), ids=MADE_OF_ELEMENTS
)
def test_datasets_made_of_elements(make, count, expected):
    assert numbers(D.range(count).flat_map(make)) == expected
    for size in (1, 3):
        found = numbers(D.range(count).interleave(make, size, 99))
        assert found == expected


def test_datasets_in_functions_are_reduced():
    sums = D.range(3).map(lambda x: D.range(x + 1).reduce(np.int64(0), lambda s, e: s + e))
    assert numbers(sums) == [0, 1, 3]
    windows = D.range(6).window(2)
    assert numbers(windows.map(lambda w: w.reduce(np.int64(0), lambda s, e: s + e))) == [1, 5, 9]
    assert numbers(windows.map(lambda w: w.cardinality())) == [2, 2, 2]
    assert numbers(windows.flat_map(lambda w: w.batch(2)).unbatch()) == list(range(6))


def looped(n):
    total = tf.constant(0, tf.int64)
    for i in tf.range(n):
        for x in D.range(3).map(lambda v: v * i):  # noqa: B023
            total += x
    return total


def chosen(n):
    if n > 2:
        dataset = D.range(n).map(lambda v: v * n)
        return dataset.reduce(np.int64(0), lambda s, v: s + v)
    return n


IN_FUNCTIONS = {
    "loop over a map": (looped, 4, 18),
    "branch": (chosen, 4, 24),
    "iterator": (lambda n: next(iter(D.range(3).map(lambda v: v + n))), 4, 4),
    "interleave": (
        lambda n: (
            D.range(9)
            .interleave(lambda v: D.from_tensors(v + n).repeat(2), 2)
            .take(n)
            .reduce(np.int64(0), lambda s, v: s + v)
        ),
        6,
        43,
    ),
    "count": (lambda n: D.range(n).map(lambda v: v).batch(2).cardinality(), 5, 3),
    "py_function": (
        lambda n: (
            D.range(n)
            .map(lambda v: tf.py_function(lambda a, b: a * b, [v, n], tf.int64), 2)
            .reduce(np.int64(0), lambda s, v: s + tf.ensure_shape(v, []))
        ),
        4,
        24,
    ),
}


@pytest.mark.parametrize(
    ("function", "argument", "expected"), IN_FUNCTIONS.values(), ids=IN_FUNCTIONS
)
def test_functions_of_pipelines_in_functions(function, argument, expected):
    traced = tf.function(function)
    for _ in range(2):
        assert int(traced(tf.constant(argument, tf.int64))) == expected
    assert traced.experimental_get_tracing_count() == 1


def test_python_functions_run_for_each_element():
    seen = []
    dataset = D.range(3).map(as_python(lambda x: seen.append(int(x)) or x * 2))
    assert not seen
    assert numbers(dataset) == [0, 2, 4]
    assert seen == [0, 1, 2]


def test_classes_of_the_program_that_make_datasets():
    class Numbers(tf.data.Dataset, collections.abc.Sized):
        def __new__(cls, count=3):
            return D.range(count).map(lambda x: x + 1)

        def __len__(self):
            return 3

    assert numbers(Numbers(2)) == [1, 2]
    assert numbers(D.range(3).interleave(lambda x: Numbers(), 1)) == [1, 2, 3] * 3


def test_what_can_be_called():
    class Adder:
        def __call__(self, x):
            return x + 7

    for function in (Adder(), functools.partial(lambda k, x: x + k, 7), tf.function(Adder())):
        assert numbers(D.range(2).map(function)) == [7, 8]
    assert numbers(D.from_tensor_slices(([1, 2], [3, 4])).map(lambda *parts: sum(parts))) == [4, 6]


def test_structures_go_through_functions():
    data = {"b": [1, 2], "a": ([3, 4], [5.0, 6.0])}
    dataset = D.from_tensor_slices(data).map(lambda d: {"z": d["a"][0], "y": (d["b"], d["a"][1])})
    found = list(dataset.as_numpy_iterator())
    assert found == [{"z": 3, "y": (1, 5.0)}, {"z": 4, "y": (2, 6.0)}]
    assert list(found[0]) == ["z", "y"]
    again = dataset.batch(2).unbatch().map(lambda d: d)
    assert list(again.as_numpy_iterator()) == found


def test_tensor_arrays_are_elements():
    def squares(n):
        array = tf.TensorArray(tf.int32, element_shape=(), size=n)
        return array.unstack(tf.range(n) ** 2)

    arrays = D.range(3, output_type=tf.int32).map(squares)
    assert arrays.element_spec == tf.TensorArraySpec([], tf.int32, None)
    assert [x.stack().numpy().tolist() for x in arrays] == [[], [0], [0, 1]]
    stacked = arrays.map(lambda array: array.stack())
    assert [x.numpy().tolist() for x in stacked] == [[], [0], [0, 1]]
    with pytest.raises(TypeError, match="not supported"):
        list(arrays.as_numpy_iterator())


def test_values_of_sparse_tensors_are_sparse_tensors():
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [1.5], [2, 2])
    spec = tf.SparseTensorSpec([2, 2], tf.float32)
    assert D.from_tensors(value).element_spec == spec
    assert D.from_tensors((value, 1)).element_spec[0] == spec
    assert D.range(2).map(lambda x: value).element_spec == spec


def test_shapes_of_sparse_elements_are_kept():
    rows = D.from_tensor_slices(tf.sparse.from_dense(np.eye(4, 3)))
    for drop, spec in ((True, [2, 3]), (False, [None, 3])):
        batches = rows.batch(2, drop_remainder=drop).map(lambda x: x)
        assert batches.element_spec == tf.SparseTensorSpec(spec, tf.float64)


def test_tapes_outside_do_not_record():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        value = next(iter(D.range(3).map(lambda i: x * 2.0)))
    assert tape.gradient(value, x) is None


def test_functions_with_tapes_inside():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    for calls in (None, 2):
        found = D.from_tensor_slices([1.0, 2.0]).map(slope, num_parallel_calls=calls)
        assert numbers(found) == [3, 12]


def test_the_debug_mode_runs_python_for_each_element(monkeypatch):
    monkeypatch.setattr(Debugging, "enabled", False)
    tf.data.experimental.enable_debug_mode()
    seen = []

    def look(x):
        seen.append(x)
        return x + 1

    dataset = D.range(3).map(look, num_parallel_calls=2).prefetch(2)
    assert dataset.element_spec == INT
    assert numbers(dataset) == [1, 2, 3]
    assert [int(x) for x in seen[1:]] == [0, 1, 2]


def test_functions_run_eagerly_elsewhere_are_traced_here():
    tf.config.run_functions_eagerly(True)
    try:
        with pytest.warns(UserWarning, match="does not apply to tf.data"):
            dataset = D.range(3).map(lambda x: x + 1)
        assert numbers(dataset) == [1, 2, 3]
    finally:
        tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("calls", [None, 2])
def test_errors_of_elements_keep_their_places(calls):
    dataset = D.from_tensor_slices([1.0, 0.0, 2.0]).map(
        lambda x: tf.debugging.check_numerics(1 / x, "inverse"), num_parallel_calls=calls
    )
    iterator = iter(dataset)
    assert float(next(iterator)) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="inverse"):
        next(iterator)
    assert float(next(iterator)) == 0.5
    assert [float(x) for x in dataset.ignore_errors()] == [1.0, 0.5]


def test_layers_are_built_by_the_functions_that_call_them():
    layer = tf.keras.layers.Dense(2)
    dataset = D.from_tensor_slices(np.ones([4, 3], "f")).batch(2).map(layer)
    assert [batch.shape for batch in dataset] == [[2, 2], [2, 2]]
    assert len(layer.weights) == 2
    with pytest.raises(ValueError, match="singleton"):
        D.range(2).map(lambda x: x + tf.Variable(1, dtype=tf.int64))

"""Errors in a pipeline have TensorFlow's types, and are raised where it is read or created."""

import functools
import threading

import pytest

import eagerflow as tf
from python_functions import as_python

D = tf.data.Dataset
INTEGER = tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize(
    "result", [object(), (1, object()), {"a": object()}, {1, 2}, ([[1], [1, 2]], 1)]
)
@pytest.mark.parametrize("calls", [None, 2])
def test_functions_that_return_what_is_no_element(result, calls):
    with pytest.raises(TypeError, match="Unsupported return value"):
        D.range(2).map(lambda x: result, num_parallel_calls=calls)


def test_functions_that_return_nothing():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one tensor"):
        D.range(2).map(lambda x: None)


def test_datasets_that_cannot_be_made():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one"):
        D.zip(())
    with pytest.raises(ValueError, match="sizes"):
        D.from_tensors(([1, 2], [1])).unbatch()
    with pytest.raises(TypeError, match="Options"):
        D.range(3).with_options(3)


CHOICES = {
    "batch": lambda d, choice: d.batch(2, choice),
    "padded_batch": lambda d, choice: d.padded_batch(2, drop_remainder=choice),
    "ragged_batch": lambda d, choice: d.ragged_batch(2, choice),
    "window": lambda d, choice: d.window(2, drop_remainder=choice),
    "rebatch": lambda d, choice: d.batch(1).rebatch(2, choice),
}
FLAGS = {
    "shuffle": lambda d, choice: d.shuffle(2, 1, choice),
    "random": lambda d, choice: D.random(1, choice),
    "sample": lambda d, choice: D.sample_from_datasets(
        [d, d], [0.5, 0.5], rerandomize_each_iteration=choice
    ),
}


@pytest.mark.parametrize("name", [*CHOICES, *FLAGS])
def test_choices_that_are_no_booleans(name):
    transform = (CHOICES | FLAGS)[name]
    for wrong in (5, 1, "a", 1.0):
        with pytest.raises(TypeError, match="bool"):
            transform(D.range(3), wrong)
    scalar, vector = tf.constant(True), [True]
    if name in FLAGS:
        for tensor in (scalar, vector):
            with pytest.raises(TypeError, match="bool"):
                transform(D.range(3), tensor)
        return
    assert len(list(transform(D.range(3), scalar))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        transform(D.range(3), vector)


def test_elements_that_transformations_do_not_take():
    with pytest.raises(ValueError, match="batch it first"):
        D.range(3).rebatch(2)
    for elements in ((1, 2), {"a": "b", "c": "d"}, tf.ragged.constant([[1], [2, 3]])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="one tensor"):
            D.from_tensors(elements).unique()


def test_one_tensor_in_a_structure_is_unique():
    for wrap in (lambda x: (x,), lambda x: {"a": x}, lambda x: ((x,),)):
        dataset = D.from_tensor_slices([1, 2, 1]).map(wrap).unique()
        assert list(dataset.as_numpy_iterator()) == [wrap(1), wrap(2)]


def test_rows_of_ragged_tensors_are_unbatched():
    rows = D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]]))
    assert [int(x) for x in rows.unbatch()] == [1, 2, 3]
    assert [x.numpy().tolist() for x in rows.rebatch(2)] == [[1, 2], [3]]


def test_sizes_of_batches_made_anew():
    whole = D.range(8).batch(4, drop_remainder=True)
    assert whole.rebatch(2).element_spec.shape == [2]
    assert whole.rebatch([2, 2]).element_spec.shape == [2]
    assert whole.rebatch(3, drop_remainder=True).element_spec.shape == [3]
    for dataset in (whole.rebatch(3), whole.rebatch([2, 1]), D.range(8).batch(4).rebatch(2)):
        assert dataset.element_spec.shape.as_list() == [None]


def test_options_are_listed():
    assert {"deterministic", "threading", "autotune"} <= set(dir(tf.data.Options()))
    with pytest.raises(AttributeError, match="no such option"):
        tf.data.Options().nothing = 1


def ends_early():
    yield 1


def raises():
    yield 1
    raise ValueError("out of paper")


def other_dtype():
    yield 1
    yield "a"


def other_shape():
    yield [1, 2]
    yield [1, 2, 3]


def other_structure():
    yield 1, 2
    yield 3


@pytest.mark.parametrize(
    ("generator", "signature", "kind", "text"),
    [
        (raises, INTEGER, tf.errors.InvalidArgumentError, 'raise ValueError."out of paper"'),
        (other_dtype, INTEGER, tf.errors.InvalidArgumentError, "a"),
        (other_shape, tf.TensorSpec([2], tf.int32), tf.errors.InvalidArgumentError, "shape"),
        (other_structure, (INTEGER, INTEGER), tf.errors.InvalidArgumentError, "structure"),
    ],
)
@pytest.mark.parametrize("threads", [False, True])
def test_generators_that_break_their_promise(generator, signature, kind, text, threads):
    dataset = D.from_generator(generator, output_signature=signature)
    if threads:
        dataset = dataset.map(lambda *x: x, num_parallel_calls=2).prefetch(2)
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(kind, match=text):
        next(iterator)
    del iterator, dataset
    for thread in threading.enumerate():
        if thread.name == "eagerflow-data":
            thread.join(5)
            assert not thread.is_alive()


def test_a_generator_that_ends_early_just_ends():
    dataset = D.from_generator(ends_early, output_signature=INTEGER)
    assert [int(x) for x in dataset.take(3)] == [1]
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 3"):
        list(dataset.apply(tf.data.experimental.assert_cardinality(3)))


@pytest.mark.parametrize("threads", [False, True])
def test_elements_that_do_not_fit_into_a_batch(threads):
    dataset = D.range(1, 4).map(lambda x: tf.range(x)).batch(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes in component 0"):
        list(dataset.prefetch(1) if threads else dataset)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.batch(0),
        lambda d: d.batch(-1),
        lambda d: d.padded_batch(0),
        lambda d: d.shuffle(0),
        lambda d: d.shuffle(-5),
        lambda d: d.shard(2, -1),
        lambda d: d.shard(2, 2),
        lambda d: d.window(0),
        lambda d: d.window(2, 0),
        lambda d: d.window(2, 1, 0),
        lambda d: d.prefetch(-2),
        lambda d: d.ragged_batch(0),
        lambda d: d.interleave(lambda x: D.range(2), cycle_length=0),
        lambda d: d.interleave(lambda x: D.range(2), block_length=0),
        lambda d: d.map(lambda x: x, num_parallel_calls=0),
    ],
)
def test_counts_that_make_no_sense(make):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        make(D.range(3))


def test_negative_counts_that_do():
    assert [int(x) for x in D.range(3).take(-2)] == [0, 1, 2]
    assert list(D.range(3).skip(-1)) == []
    assert [int(x) for x in D.range(2).repeat(-3).take(3)] == [0, 1, 0]


@pytest.mark.parametrize("threads", [False, True])
def test_files_that_are_missing_or_cut(tmp_path, threads):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for text in (b"one", b"two"):
            writer.write(text)
    data = (tmp_path / "records").read_bytes()
    (tmp_path / "cut").write_bytes(data[:-3])

    def read(name):
        paths = [str(tmp_path / name)] * 2
        dataset = tf.data.TFRecordDataset(paths, num_parallel_reads=2 if threads else None)
        return list((dataset.prefetch(2) if threads else dataset).as_numpy_iterator())

    assert sorted(read("records")) == [b"one", b"one", b"two", b"two"]
    with pytest.raises(tf.errors.DataLossError, match="cut.*truncated record"):
        read("cut")
    with pytest.raises(tf.errors.NotFoundError, match="nothing"):
        read("nothing")


def test_an_error_of_the_trace_names_the_programs_line():
    def reshape(x):
        return tf.reshape(tf.range(3), [7])  # this line

    with pytest.raises(ValueError, match="this line") as caught:
        D.range(3).map(reshape, num_parallel_calls=2)
    lines = [str(entry.statement) for entry in caught.traceback]
    assert any("this line" in line for line in lines)


def test_an_error_of_an_element_is_raised_when_it_is_read():
    dataset = D.range(8).map(lambda x: tf.reshape(tf.range(x), [7]), num_parallel_calls=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Reshape"):
        list(dataset.batch(2).prefetch(1))
    assert len(list(dataset.ignore_errors())) == 1


def stop(x):
    raise StopIteration


NUMBER, TRUTH = as_python(stop), as_python(stop, tf.bool)
OUT_OF_RANGE = {
    "map": (lambda d: d.map(NUMBER), tf.errors.InvalidArgumentError),
    "parallel_map": (lambda d: d.map(NUMBER, 2), tf.errors.InvalidArgumentError),
    "scan": (lambda d: d.scan(0, lambda s, x: (s, NUMBER(x))), tf.errors.InvalidArgumentError),
    "filter": (lambda d: d.filter(TRUTH), tf.errors.InternalError),
    "take_while": (lambda d: d.take_while(TRUTH), tf.errors.InternalError),
    "flat_map": (lambda d: d.flat_map(lambda x: D.range(NUMBER(x))), tf.errors.InternalError),
    "interleave": (lambda d: d.interleave(lambda x: D.range(NUMBER(x))), tf.errors.InternalError),
    "parallel_interleave": (
        lambda d: d.interleave(lambda x: D.range(NUMBER(x)), 2, num_parallel_calls=2),
        tf.errors.InternalError,
    ),
    "group_by_window": (
        lambda d: d.group_by_window(NUMBER, lambda k, w: w, window_size=2),
        tf.errors.InternalError,
    ),
}


@pytest.mark.parametrize(("step", "kind"), OUT_OF_RANGE.values(), ids=OUT_OF_RANGE)
def test_stop_iteration_in_a_function_does_not_end_the_pipeline_quietly(step, kind):
    with pytest.raises(kind, match="(?s)produced OutOfRangeError: .*StopIteration"):
        list(step(D.range(3)))


class Callable:
    def method(self, a, b):
        return a + b

    def __call__(self, x):
        return x


@pytest.mark.parametrize(
    "function",
    [
        Callable(),
        int,
        tf.square,
        lambda *parts: parts[0],
        lambda x, y=2: x + y,
        lambda x, *, k=1: x + k,
        functools.partial(lambda a, b: a + b, 3),
        functools.partial(lambda a, b: a + b, b=3),
        tf.function(lambda x: x),
        tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.int64)]),
    ],
)
def test_functions_that_take_an_element_are_accepted(function):
    assert len(list(tf.data.Dataset.range(3).map(function))) == 3


@pytest.mark.parametrize(
    "function",
    [Callable().method, functools.partial(lambda a, b: a, 1, 2), tf.function(lambda a, b: a)],
)
def test_functions_that_do_not_take_an_element_are_refused_when_they_are_given(function):
    with pytest.raises(TypeError, match="argument"):
        tf.data.Dataset.range(3).map(function)


def test_a_wrong_cardinality_is_told_once_at_the_end():
    """Otherwise a pipeline that ignores errors would never end."""
    check = tf.data.experimental.assert_cardinality
    assert [int(x) for x in D.range(2).apply(check(5)).ignore_errors()] == [0, 1]
    iterator = iter(D.range(3).apply(check(2)))
    assert [int(next(iterator)) for _ in range(2)] == [0, 1]
    for _ in range(2):
        with pytest.raises(tf.errors.FailedPreconditionError):
            next(iterator)
    assert next(iterator, None) is None

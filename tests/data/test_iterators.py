"""Iterators in both generations' spelling, and optional values."""

import functools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data import iterator as iterators

D = tf.data.Dataset


def test_one_shot_iterator_gives_element_after_element():
    iterator = D.from_tensor_slices(([1, 2], ["a", "b"])).make_one_shot_iterator()
    number, text = iterator.get_next()
    assert (int(number), text.numpy()) == (1, b"a")
    assert iterator.output_types == (tf.int32, tf.string)
    assert iterator.output_shapes == (tf.TensorShape([]), tf.TensorShape([]))
    assert iterator.output_classes == (tf.Tensor, tf.Tensor)
    iterator.get_next()
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            iterator.get_next()


def test_initializable_iterator_starts_when_told_and_anew():
    iterator = D.range(3).make_initializable_iterator()
    with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
        iterator.get_next()
    iterator.initializer()
    assert [int(x) for x in iterator] == [0, 1, 2]
    iterator.initializer()
    assert int(iterator.get_next()) == 0


def test_one_iterator_reads_several_datasets():
    training = D.range(2)
    iterator = iterators.InitializableIterator.from_structure(tf.int64, tf.TensorShape([]))
    start, check = (iterator.make_initializer(d) for d in (training, D.range(5, 6)))
    start()
    assert [int(x) for x in iterator] == [0, 1]
    check()
    assert [int(x) for x in iterator] == [5]
    with pytest.raises(TypeError, match="output types"):
        iterator.make_initializer(D.from_tensors("a"))


def test_positions_as_checkpoints_keep_them():
    iterator = iter(D.range(9).shuffle(4, seed=1).batch(2))
    next(iterator)
    kept = iterator._serialize_to_tensors()
    rest = [x.numpy().tolist() for x in iterator]
    other = iter(D.range(9).shuffle(4, seed=1).batch(2))
    other._restore_from_tensors(kept)
    assert [x.numpy().tolist() for x in other] == rest
    numbers = D.range(9).as_numpy_iterator()
    next(numbers)
    kept = numbers._serialize_to_tensors()
    other = D.range(9).as_numpy_iterator()
    other._restore_from_tensors(kept)
    assert next(other) == 1


def test_a_checkpoint_saves_and_restores_positions(tmp_path):
    def pipeline():
        return D.range(20).shuffle(6, seed=2).map(lambda x: x * 2, num_parallel_calls=2).batch(3)

    step, iterator = tf.Variable(0), iter(pipeline())
    checkpoint = tf.train.Checkpoint(step=step, iterator=iterator)
    step.assign_add(1)
    next(iterator)
    path = checkpoint.save(str(tmp_path / "ckpt"))
    rest = [x.numpy().tolist() for x in iterator]
    fresh_step, fresh = tf.Variable(0), iter(pipeline())
    tf.train.Checkpoint(step=fresh_step, iterator=fresh).restore(path).assert_consumed()
    assert int(fresh_step) == 1
    assert [x.numpy().tolist() for x in fresh] == rest


def shuffled_rows(x):
    return D.range(3).shuffle(3)


VARIABLE = tf.Variable(1, dtype=tf.int64)
STATEFUL = {
    "ReadVariableOp": lambda d: d.map(lambda x: x + VARIABLE),
    "AssignAddVariableOp": lambda d: d.map(lambda x: VARIABLE.assign_add(x)),
    "RandomUniform": lambda d: d.filter(lambda x: tf.random.uniform([], seed=1) < 2),
    "EagerPyFunc": lambda d: d.map(lambda x: tf.py_function(lambda y: y, [x], tf.int64)),
    "ShuffleDataset": lambda d: d.flat_map(shuffled_rows),
    "MapDataset": lambda d: d.flat_map(
        lambda x: D.range(2).map(lambda y: tf.random.uniform([]), num_parallel_calls=None)
    ),
    "RngReadAndSkip": lambda d: d.map(
        functools.partial(lambda g, x: g.uniform([]), tf.random.Generator.from_seed(1))
    ),
}


@pytest.mark.parametrize("name", STATEFUL)
def test_positions_that_do_not_say_what_comes_next_are_refused(name):
    dataset = STATEFUL[name](D.range(4))
    iterator = iter(dataset)
    next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"{name} is stateful"):
        iterator._serialize_to_tensors()
    policies = tf.data.experimental.ExternalStatePolicy
    options = tf.data.Options()
    options.experimental_external_state_policy = policies.IGNORE
    iter(dataset.with_options(options))._serialize_to_tensors()
    options = tf.data.Options()
    options.experimental_external_state_policy = policies.WARN
    with pytest.warns(UserWarning, match="is stateful"):
        iter(dataset.with_options(options))._serialize_to_tensors()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.random.stateless_uniform([], [1, 2]),
        lambda x: tf.numpy_function(lambda y: y, [x], tf.int64, stateful=False),
        lambda x: (tf.print(x, output_stream="file:///dev/null"), x)[1],
        lambda x: (tf.debugging.assert_equal(x, x), x)[1],
        lambda x: D.range(2).map(lambda y: x + y),
    ],
)
def test_positions_of_functions_without_state_are_kept(function):
    iter(D.range(4).map(function))._serialize_to_tensors()


def test_damaged_positions_are_refused():
    iterator = iter(D.range(9))
    for data in (b"", b"xxx", b"\0" * 40, iterator._serialize_to_tensors()["_STATE"].numpy()[:-1]):
        with pytest.raises(tf.errors.DataLossError):
            iterator._restore_from_tensors({"_STATE": tf.constant(data)})


def test_optional_values():
    full = tf.experimental.Optional.from_value((1, [2.0]))
    assert full.has_value() and full.get_value()[1].numpy().tolist() == [2.0]
    empty = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    assert not empty.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_structures_of_one_tensor_of_a_list_and_of_none():
    assert int(next(iter(D.range(3).map(lambda x: [x])))[0]) == 0
    element = next(iter(D.from_tensors((1, None, {"a": None}))))
    assert element[1] is None and element[2] == {"a": None}
    batch = next(iter(D.from_tensors((1, None)).repeat(2).batch(2)))
    assert batch[0].numpy().tolist() == [1, 1] and batch[1] is None


def test_arrays_from_numpy_iterators_cannot_be_written_to():
    array = next(D.from_tensor_slices(np.zeros([2, 3])).as_numpy_iterator())
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0


def test_a_function_with_a_signature_gets_what_it_declares():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def double(x):
        return x * 2

    assert [int(x) for x in D.range(3).map(double)] == [0, 2, 4]
    with pytest.raises(TypeError):
        list(D.from_tensors([1, 2]).map(double))


def test_asking_for_specs_does_not_disturb_random_numbers():
    def drawn(ask):
        tf.random.set_seed(5)
        dataset = D.range(3).map(lambda x: tf.random.uniform([])).shuffle(3)
        if ask:
            assert dataset.element_spec == tf.TensorSpec([], tf.float32)
        return [float(x) for x in dataset] + [float(tf.random.uniform([]))]

    assert drawn(True) == drawn(False)
    tf.random.set_seed(None)


def test_a_function_is_traced_once_when_it_is_given():
    calls = []
    dataset = D.range(3).map(lambda x: calls.append(x) or x)
    assert len(calls) == 1
    repr(dataset), dataset.element_spec, list(dataset), list(dataset.batch(2))
    assert len(calls) == 1


def _last_of(iterator, steps):
    """The last of `steps` elements, by a loop that begins without one."""
    last = tf.experimental.Optional.empty(None)

    def more(k, found, following):
        return (k < steps) & following.has_value()

    def step(k, found, following):
        def double():
            made = tf.experimental.Optional.from_value({"y": 2 * following.get_value()})
            last._element_spec = made.element_spec
            return made

        def same():
            found._element_spec = last.element_spec
            return found

        found = tf.cond(following.has_value(), double, same)
        return k + 1, found, iterator.get_next_as_optional()

    first = iterator.get_next_as_optional()
    _, found, _ = tf.while_loop(more, step, [tf.constant(0), last, first])
    found._element_spec = last.element_spec
    return found


@pytest.mark.parametrize("traced", [False, True])
def test_loops_carry_optional_values(traced):
    last_of = tf.function(_last_of) if traced else _last_of
    iterator = iter(D.range(5))
    assert last_of(iterator, tf.constant(3)).get_value()["y"].numpy() == 4
    none = last_of(iter(D.range(0)), tf.constant(3))
    assert not none.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        none.get_value()


def test_optional_values_are_arguments_and_results():
    @tf.function
    def doubled(given):
        return tf.cond(
            given.has_value(),
            lambda: tf.experimental.Optional.from_value(2 * given.get_value()),
            lambda: given,
        )

    assert doubled(tf.experimental.Optional.from_value(4.0)).get_value().numpy() == 8.0
    assert not doubled(tf.experimental.Optional.empty(tf.TensorSpec([]))).has_value()
    assert doubled.experimental_get_tracing_count() == 1


def test_datasets_are_written_as_tensorflow_does():
    numbers = D.range(3)
    written = {
        "CacheDataset": numbers.cache(),
        "_ZipDataset": numbers.enumerate(),
        "_ScanDataset": D.counter(),
        "_FlatMapDataset": D.from_generator(lambda: [1], output_signature=tf.TensorSpec([])),
        "_VariantDataset": next(iter(numbers.window(2))),
        "_DenseToSparseBatchDataset": D.from_tensor_slices([[1]]).sparse_batch(2, [3]),
        "TextLineDatasetV2": tf.data.TextLineDataset("x"),
    }
    for name, dataset in written.items():
        assert repr(dataset).startswith(f"<{name} element_spec=")


def test_random_dataset_takes_a_seed():
    values = tf.data.experimental.RandomDataset(4).take(2)
    assert list(values.as_numpy_iterator()) == list(D.random(seed=4).take(2).as_numpy_iterator())


def test_a_seed_says_from_which_dataset_an_element_is_sampled():
    sources = [D.range(3), D.range(10, 13)]
    chosen = D.sample_from_datasets(sources, weights=[0.3, 0.7], seed=1)
    assert list(chosen.as_numpy_iterator()) == [10, 11, 0, 1, 2, 12]


# Repetitions of 0 to 3 shuffled with seed 1, and TensorFlow's order in the next pass: an exhausted
# repetition has begun one pass more than it has read.
REPETITIONS = {
    "mapped": (lambda d: d.map(lambda x: x + 0).repeat(2), [0, 2, 1, 3]),
    "indices": (lambda d: d.take(3).repeat(2), [0, 2, 1, 3]),
    "itself": (lambda d: d.repeat(2), [3, 0, 1, 2]),
    "twice": (lambda d: d.repeat(2).repeat(2), [2, 1, 0, 3]),
    "once": (lambda d: d.batch(2).repeat(1), [2, 3, 1, 0]),
    "not to the end": (lambda d: d.batch(2).repeat(2).take(4), [3, 0, 1, 2]),
    "without end": (lambda d: d.batch(2).repeat().take(3), [3, 0, 1, 2]),
}


@pytest.mark.parametrize("name", REPETITIONS)
def test_shuffles_after_repetitions(name):
    repeated, after = REPETITIONS[name]
    shuffled = D.range(4).shuffle(4, seed=1)
    list(repeated(shuffled))
    assert [int(x) for x in shuffled] == after


def test_positions_of_iterators_of_arrays_are_saved():
    iterator = tf.data.Dataset.range(5).as_numpy_iterator()
    next(iterator)
    position = iterator.save()
    assert [int(element) for element in iterator] == [1, 2, 3, 4]
    iterator.restore(position)
    assert int(next(iterator)) == 1

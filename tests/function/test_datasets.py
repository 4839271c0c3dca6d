"""Datasets, iterators and optionals as arguments and results of traced functions."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function

Dataset = tf.data.Dataset


def total(dataset):
    return dataset.reduce(np.int64(0), lambda a, b: a + b)


def test_datasets_of_one_kind_share_a_trace():
    f = function(total)
    assert int(f(Dataset.range(4))) == 6
    assert int(f(Dataset.range(5))) == 10
    assert f.experimental_get_tracing_count() == 1


def test_pipelines_are_continued_in_functions():
    @function
    def f(dataset):
        return dataset.map(lambda x: x * 2).batch(2)

    assert [batch.numpy().tolist() for batch in f(Dataset.range(5))] == [[0, 2], [4, 6], [8]]
    assert [batch.numpy().tolist() for batch in f(Dataset.range(1))] == [[0]]


def test_datasets_are_passed_on():
    inner = function(total)

    @function
    def outer(dataset):
        return inner(dataset) + inner(dataset.take(2))

    assert int(outer(Dataset.range(5))) == 11


def test_iterators_advance_when_the_function_runs():
    @function
    def f(iterator):
        return next(iterator), iterator.get_next()

    iterator = iter(Dataset.range(5))
    assert [int(x) for x in f(iterator)] == [0, 1]
    assert [int(x) for x in f(iterator)] == [2, 3]
    with pytest.raises(tf.errors.OutOfRangeError):
        f(iterator)


def test_captured_iterators_advance_when_the_function_runs():
    iterator = iter(Dataset.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]}))
    f = function(lambda: next(iterator), autograph=False)
    assert [(int(x["a"]), float(x["b"])) for x in (f(), f())] == [(1, 3.0), (2, 4.0)]


def test_iterators_made_in_a_function_begin_in_every_call():
    @function
    def f():
        iterator = iter(Dataset.range(5))
        return next(iterator) + next(iterator)

    assert [int(f()), int(f())] == [1, 1]


def test_optionals():
    @function
    def f(iterator):
        found = iterator.get_next_as_optional()
        return found.has_value(), found

    iterator = iter(Dataset.range(1))
    has_value, found = f(iterator)
    assert bool(has_value) and int(found.get_value()) == 0
    has_value, found = f(iterator)
    assert not has_value and not found.has_value()

    @function
    def g(optional):
        return optional.get_value() + 1

    assert int(g(tf.experimental.Optional.from_value(1))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        g(tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)))
    assert g.experimental_get_tracing_count() == 1


def test_single_elements():
    f = function(lambda dataset: dataset.get_single_element(), autograph=False)
    assert int(f(Dataset.from_tensors(7))) == 7

"""Errors of functions say which step of a pipeline called them."""

import pytest

import eagerflow as tf

Dataset = tf.data.Dataset


def fail(x):
    return x // 0


PIPELINES = {
    "MapDataset Map": lambda d: d.map(fail),
    "MapDataset Prefetch::Batch::Map": lambda d: d.map(fail).batch(2).prefetch(1),
    "ParallelMapDataset ParallelMap": lambda d: d.map(fail, num_parallel_calls=1),
    "ParallelMapDataset Take::ParallelMap": lambda d: d.map(fail, num_parallel_calls=2).take(1),
    "MapDataset Zip[1]::Map": lambda d: Dataset.zip((d, d.map(fail))),
    "FilterDataset Filter": lambda d: d.filter(lambda x: fail(x) > 0),
    "FlatMapDataset FlatMap": lambda d: d.flat_map(lambda x: Dataset.from_tensors(fail(x))),
    "InterleaveDataset Interleave": lambda d: d.interleave(lambda x: Dataset.from_tensors(fail(x))),
    "MapDataset Map ": lambda d: d.flat_map(lambda x: Dataset.from_tensors(x).map(fail)),
}


@pytest.mark.parametrize("place", PIPELINES)
@pytest.mark.parametrize("options", [False, True])
def test_messages_begin_with_the_step_and_the_path_to_it(place, options):
    dataset = PIPELINES[place](Dataset.range(3))
    if options:
        dataset = dataset.with_options(tf.data.Options())
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        next(iter(dataset))
    kind, path = place.split()
    begin = f"Error in user-defined function passed to {kind} transformation with iterator: "
    assert str(caught.value).startswith(f"{begin}Iterator::Root::{path}: ")
    assert str(caught.value).count(begin) == 1
    assert "Integer division by zero" in str(caught.value)


def test_errors_of_python_stay_as_they_are():
    def interrupted(x):
        raise KeyboardInterrupt

    dataset = Dataset.range(3).map(lambda x: tf.py_function(interrupted, [x], tf.int64))
    with pytest.raises(KeyboardInterrupt):
        next(iter(dataset))

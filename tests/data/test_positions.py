"""Iterators return their position, and another iterator continues from it."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data import codec
from python_functions import as_python

D = tf.data.Dataset
DATA = np.arange(40).reshape(20, 2)


def rows():
    for i in range(12):
        yield i, [i] * (i % 3)


def fourth(x):
    return tf.cast(x % 4 == 0, tf.int32)


PIPELINES = {
    "range": lambda: D.range(20),
    "slices": lambda: D.from_tensor_slices((DATA, {"a": DATA[:, 0]})),
    "counter": lambda: D.counter(3).take(20),
    "random": lambda: D.random(seed=1).take(20),
    "generator": lambda: D.from_generator(rows, (tf.int32, tf.int32), ([], [None])),
    "map": lambda: D.range(20).map(lambda x: x * x),
    "map_parallel": lambda: D.range(20).map(lambda x: x * x, num_parallel_calls=3),
    "map_autotune": lambda: D.range(20).map(lambda x: x * x, num_parallel_calls=-1),
    "filter": lambda: D.range(40).filter(lambda x: x % 2 == 0),
    "batch": lambda: D.range(40).map(lambda x: x).batch(2),
    "gather": lambda: D.from_tensor_slices(DATA).shuffle(6, seed=1).repeat(2).batch(3),
    "gather_skip": lambda: D.range(99).skip(3).shard(2, 1).repeat(3).batch(5),
    "shuffle_indices": lambda: D.from_tensor_slices(DATA).shuffle(6, seed=1).repeat(2),
    "shuffle": lambda: D.range(20).map(lambda x: (x, x)).shuffle(6, seed=1).repeat(2),
    "shuffle_all": lambda: D.range(20).map(lambda x: x).shuffle(100, seed=1),
    "take": lambda: D.range(50).map(lambda x: x).take(20),
    "skip": lambda: D.range(50).map(lambda x: x).skip(20),
    "shard": lambda: D.range(50).map(lambda x: x).shard(3, 1),
    "repeat": lambda: D.range(5).map(lambda x: x).repeat(4),
    "take_while": lambda: D.range(50).take_while(lambda x: x < 18),
    "enumerate": lambda: D.range(20).enumerate(4),
    "zip": lambda: D.zip(D.range(20), D.range(30).shuffle(4, seed=3)),
    "concatenate": lambda: D.range(6).concatenate(D.range(20)),
    "scan": lambda: D.range(20).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1]), s[0])),
    "unique": lambda: D.from_tensor_slices(
        [1, 2, 1, 3, 4, 1, 5, 6, 7, 8, 9, 2, 10, 11, 12, 13]
    ).unique(),
    "unbatch": lambda: D.range(40).map(lambda x: x).batch(7).unbatch(),
    "rebatch": lambda: D.range(40).batch(7).rebatch([1, 3]),
    "padded_batch": lambda: (
        D.from_generator(rows, (tf.int32, tf.int32), ([], [None])).repeat(3).padded_batch(2)
    ),
    "window": lambda: D.range(30).window(4, 2).flat_map(lambda w: w.batch(4)),
    "flat_map": lambda: D.range(9).flat_map(lambda x: D.range(x)),
    "interleave": lambda: D.range(9).interleave(lambda x: D.range(x), 3, 2),
    "interleave_parallel": lambda: D.range(9).interleave(
        lambda x: D.range(x), 3, num_parallel_calls=2
    ),
    "group_by_window": lambda: D.range(60).group_by_window(
        lambda x: x % 3, lambda k, w: w.batch(2), 4
    ),
    "prefetch": lambda: D.range(20).shuffle(5, seed=4).prefetch(3),
    "cache": lambda: D.range(8).shuffle(5, seed=4).cache().repeat(3),
    "choose": lambda: D.choose_from_datasets([D.range(30), D.range(50, 90)], D.range(2).repeat()),
    "sample": lambda: D.sample_from_datasets([D.range(30), D.range(50, 90)], seed=3),
    "resample": lambda: D.range(60).rejection_resample(fourth, [0.5, 0.5], seed=1),
    "resample_known": lambda: D.range(60).rejection_resample(
        fourth, [0.5, 0.5], [0.75, 0.25], seed=1
    ),
    "resample_chosen": lambda: D.range(60).rejection_resample(
        fourth, [0.0, 1.0], [0.75, 0.25], seed=1
    ),
    "resample_deep": lambda: (
        D.range(60)
        .rejection_resample(fourth, [0.3, 0.7], seed=2)
        .repeat(2)
        .shuffle(4, seed=2)
        .batch(2)
    ),
    "sample_weights": lambda: D.sample_from_datasets(
        [D.range(30), D.range(50, 60)], D.from_tensors([0.3, 0.7]).repeat(), seed=1
    ),
    "sample_stop": lambda: D.sample_from_datasets(
        [D.range(30), D.range(50, 90)], [0.2, 0.8], seed=3, stop_on_empty_dataset=True
    ),
    "bucket": lambda: (
        D.range(1, 50)
        .map(lambda x: tf.range(x % 7))
        .bucket_by_sequence_length(tf.size, [3, 5], [2, 3, 2])
    ),
    "ignore_errors": lambda: (
        D.range(30).map(lambda x: tf.debugging.check_numerics(1 / (x % 3), "")).ignore_errors()
    ),
    "scan_until": lambda: (
        D.range(30).scan(np.int64(0), lambda s, x: (s + x, s)).take_while(lambda x: x < 200)
    ),
    "cache_shuffle": lambda: D.range(8).map(lambda x: x).cache().shuffle(3, seed=1).repeat(3),
    "everything": lambda: (
        D.from_tensor_slices(DATA)
        .shuffle(9, seed=2)
        .map(lambda row: {"row": row, "sum": tf.reduce_sum(row)}, num_parallel_calls=2)
        .repeat(3)
        .batch(4)
        .prefetch(2)
    ),
}


def plain(element):
    """An element as lists and numbers."""
    return tf.nest.map_structure(lambda leaf: leaf.numpy().tolist(), element)


@pytest.mark.parametrize("read", [0, 1, 5, 11])
@pytest.mark.parametrize("name", PIPELINES)
def test_reading_goes_on_where_the_position_was_taken(name, read):
    tf.random.set_seed(1)
    iterator = iter(PIPELINES[name]())
    for _ in range(read):
        next(iterator)
    state = codec.decode(codec.encode(iterator.state()))
    rest = [plain(element) for element in iterator]
    assert rest
    tf.random.set_seed(1)
    other = iter(PIPELINES[name]())
    next(other)
    other.restore(state)
    assert [plain(element) for element in other] == rest


AROUND = {
    "prefetch": lambda d: d.prefetch(2),
    "shuffle": lambda d: d.shuffle(3, seed=5),
    "repeat": lambda d: d.take(13).repeat(2),
    "cache": lambda d: d.take(13).cache().repeat(2),
    "zip": lambda d: D.zip((d, D.range(100))),
    "interleave": lambda d: D.range(2).interleave(lambda _: d, 2),
    "flat_map": lambda d: D.range(2).flat_map(lambda _: d),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", ["resample", "sample", "cache_shuffle", "group_by_window"])
def test_a_checkpoint_taken_anywhere_has_the_rest(name, around, tmp_path):
    dataset = AROUND[around](PIPELINES[name]()).take(24)
    iterator = iter(dataset)
    elements = []
    for count in range(24):
        if count % 4 == 1:
            tf.train.Checkpoint(i=iterator).write(tmp_path / str(count))
        elements.append(plain(next(iterator)))
    for count in range(1, 24, 4):
        other = iter(dataset)
        next(other)
        tf.train.Checkpoint(i=other).read(str(tmp_path / str(count))).assert_consumed()
        assert [plain(element) for element in other] == elements[count:]


def test_resampling_reads_all_that_it_is_given():
    """If classes already have the target distribution, no element is rejected."""
    even = D.range(20).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5], seed=1)
    assert [int(x) for _, x in even] == list(range(20))
    chosen = D.range(2000).rejection_resample(fourth, [0.5, 0.5], seed=1)
    classes = [int(label) for label, _ in chosen]
    assert len(classes) > 1400
    assert 0.45 < sum(classes) / len(classes) < 0.55
    with pytest.raises(tf.errors.InvalidArgumentError, match="class 7"):
        list(D.range(9).rejection_resample(lambda x: 7, [0.4, 0.6], [0.5, 0.5], seed=1))


def test_the_end_is_a_position():
    iterator = iter(D.range(2))
    list(iterator)
    other = iter(D.range(2))
    other.restore(iterator.state())
    assert list(other) == []


def test_the_position_between_errors():
    """A dataset that could not be created keeps its turn in a restored iterator, too."""

    def check(x):
        if int(x) == 1:
            raise ValueError("damaged")
        return x

    def rows(i):
        return tf.data.Dataset.range(as_python(check)(i) * 10, i * 10 + 3)

    def rest(iterator):
        found = []
        while True:
            try:
                found.append(int(next(iterator)))
            except tf.errors.InvalidArgumentError:
                found.append("error")
            except StopIteration:
                return found

    def make():
        return iter(tf.data.Dataset.range(4).interleave(rows, 2, num_parallel_calls=1))

    whole = rest(make())
    assert whole == [0, "error", 1, 2, 20, 21, 30, 22, 31, 32]
    for taken in range(2, 9):
        iterator = make()
        for _ in range(taken):
            try:
                next(iterator)
            except tf.errors.InvalidArgumentError:
                pass
        other = make()
        other.restore(iterator.state())
        assert rest(other) == whole[taken:]
    iterator = make()
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError):
        iterator.state()


def read_whole(value):
    """An element with datasets as lists of their elements."""
    if isinstance(value, tf.data.Dataset):
        return [read_whole(element) for element in value]
    if isinstance(value, tuple):
        return tuple(read_whole(part) for part in value)
    return np.asarray(value).tolist()


SLICES = tf.data.Dataset.from_tensor_slices
DATASETS_OF = {
    "range": lambda n: tf.data.Dataset.range(n, 20, 3),
    "typed": lambda n: tf.data.Dataset.range(3, output_type="int32"),
    "slices": lambda n: SLICES(([n, n + 1], [["a"], ["b"]])),
    "tensors": lambda n: tf.data.Dataset.from_tensors((n, tf.constant("b"))),
    "batch": lambda n: tf.data.Dataset.range(n).batch(2, drop_remainder=True),
    "unbatch": lambda n: tf.data.Dataset.range(n).batch(2).unbatch(),
    "repeat": lambda n: SLICES([n]).repeat(3),
    "take, skip": lambda n: tf.data.Dataset.range(9).skip(n).take(2),
    "shard": lambda n: tf.data.Dataset.range(9).shard(4, n % 4),
    "enumerate": lambda n: SLICES([n]).enumerate(5),
    "concatenate": lambda n: tf.data.Dataset.range(n).concatenate(tf.data.Dataset.range(2)),
    "zip": lambda n: tf.data.Dataset.zip((tf.data.Dataset.range(n), SLICES([[n]]).repeat())),
    "prefetch": lambda n: tf.data.Dataset.range(n).prefetch(2),
    "window": lambda n: tf.data.Dataset.range(n + 3).window(2, 1, drop_remainder=True),
}


@pytest.mark.parametrize("make", DATASETS_OF.values(), ids=DATASETS_OF)
def test_positions_with_datasets_in_buffers(make, tmp_path):
    def iterator():
        dataset = tf.data.Dataset.range(6).map(lambda n: (n, make(n)))
        return iter(dataset.shuffle(4, seed=1).prefetch(2))

    first, second = iterator(), iterator()
    next(first)
    path = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "position"))
    rest = [read_whole(element) for element in first]
    assert len(rest) == 5
    tf.train.Checkpoint(iterator=second).restore(path)
    assert [read_whole(element) for element in second] == rest


@pytest.mark.parametrize(
    "make",
    [
        lambda n: tf.data.Dataset.range(n).map(lambda x: x),
        lambda n: tf.data.Dataset.range(n).shuffle(2).batch(2),
        lambda n: tf.data.TextLineDataset("file"),
    ],
)
def test_positions_with_datasets_that_files_cannot_hold(make):
    iterator = iter(tf.data.Dataset.range(6).map(make).shuffle(4, seed=1))
    next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match="cannot be stored|is stateful"):
        iterator._serialize_to_tensors()
    assert len(list(iterator)) == 5

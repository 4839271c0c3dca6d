"""Input pipelines: elements and their order, specs, cardinalities and errors."""

import collections
import gzip
import os
import tempfile
import zlib

import numpy as np

from oracle.registry import case, errors

SOURCES = {
    "tensors": lambda d: d.from_tensors((1, [2.0, 3.0])),
    "slices": lambda d: d.from_tensor_slices([[1, 2], [3, 4], [5, 6]]),
    "tuple": lambda d: d.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])),
    "dict": lambda d: d.from_tensor_slices({"b": np.arange(3.0), "a": ([1, 2, 3], [4, 5, 6])}),
    "empty": lambda d: d.from_tensor_slices([]),
    "range": lambda d: d.range(5),
    "backwards": lambda d: d.range(10, 2, -3),
    "typed": lambda d: d.range(3, output_type="float32"),
    "counter": lambda d: d.counter(5, 3, dtype="int32").take(3),
    "zip": lambda d: d.zip(d.range(3), d.range(5, 9)),
    "zip_structure": lambda d: d.zip({"a": d.range(2), "b": (d.range(3), d.range(4))}),
    "zip_one": lambda d: d.zip((d.range(2),)),
    "zip_old": lambda d: d.zip(datasets=(d.range(2), d.range(3))),
    "random": lambda d: d.random(seed=3).take(5),
}

CHAINS = {
    "map": lambda d: d.range(4).map(lambda x: x * x),
    "map_tuple": lambda d: d.zip(d.range(3), d.range(3)).map(lambda a, b: (a + b, {"d": a - b})),
    "map_dict": lambda d: d.from_tensor_slices({"x": [1, 2]}).map(lambda e: e["x"] + 1),
    "map_list": lambda d: d.range(2).map(lambda x: [x, x]),
    "map_constant": lambda d: d.range(2).map(lambda x: 7),
    "map_nested_list": lambda d: d.range(2).map(lambda x: (x, [1, 2])),
    "map_parallel": lambda d: d.range(20).map(lambda x: x * 2, num_parallel_calls=3),
    "map_autotune": lambda d: d.range(20).map(lambda x: x * 2, num_parallel_calls=-1),
    "filter": lambda d: d.range(10).filter(lambda x: x % 3 == 0),
    "batch": lambda d: d.range(7).batch(3),
    "batch_drop": lambda d: d.range(7).batch(3, drop_remainder=True),
    "batch_batch": lambda d: d.range(6).batch(2).batch(2, drop_remainder=True),
    "batch_tuple": lambda d: d.zip(d.range(3), d.range(3).map(str_of)).batch(2),
    "batch_mapped": lambda d: d.range(5).map(lambda x: {"y": x * 2}).batch(2),
    "unbatch": lambda d: d.from_tensors(([1, 2], [[3], [4]])).unbatch(),
    "unbatch_batches": lambda d: d.range(5).batch(2).unbatch(),
    "rebatch": lambda d: d.range(9).batch(4).rebatch(3),
    "rebatch_drop": lambda d: d.range(8).batch(3).rebatch(5, drop_remainder=True),
    "rebatch_sizes": lambda d: d.range(8).batch(4).rebatch([2, 1, 1]),
    "take": lambda d: d.range(5).take(2),
    "take_all": lambda d: d.range(3).take(-1),
    "take_many": lambda d: d.range(3).take(9),
    "skip": lambda d: d.range(5).skip(3),
    "skip_all": lambda d: d.range(5).skip(-1),
    "shard": lambda d: d.range(10).shard(3, 1),
    "shard_twice": lambda d: d.range(20).shard(2, 1).shard(3, 2),
    "repeat": lambda d: d.range(2).repeat(3),
    "repeat_none": lambda d: d.range(2).repeat(0),
    "repeat_batch": lambda d: d.range(3).repeat().batch(2).take(4),
    "take_while": lambda d: d.range(9).take_while(lambda x: x < 4),
    "enumerate": lambda d: d.range(3).enumerate(start=5),
    "concatenate": lambda d: d.range(2).concatenate(d.range(8, 10)),
    "prefetch": lambda d: d.range(4).prefetch(2),
    "prefetch_none": lambda d: d.range(4).prefetch(0),
    "cache": lambda d: d.range(4).cache(),
    "scan": lambda d: d.range(5).scan(np.int64(0), lambda s, x: (s + x, s * x)),
    "scan_structure": lambda d: d.range(3).scan(
        {"a": np.int64(1), "b": (np.int64(0),)},
        lambda s, x: ({"a": s["a"] * 2, "b": (s["b"][0] + x,)}, (s["a"], s["b"][0])),
    ),
    "unique": lambda d: d.from_tensor_slices([1, 3, 1, 2, 3]).unique(),
    "unique_strings": lambda d: d.from_tensor_slices(["a", "b", "a"]).unique(),
    "flat_map": lambda d: d.range(4).flat_map(lambda x: d.range(x)),
    "flat_map_deep": lambda d: d.range(1, 4).flat_map(
        lambda x: d.range(2).map(lambda y: (x, x * y))
    ),
    "apply": lambda d: d.range(4).apply(lambda ds: ds.skip(1).batch(2)),
    "group_by_window": lambda d: d.range(11).group_by_window(
        key_func=lambda x: x % 3, reduce_func=lambda k, ds: ds.batch(3), window_size=3
    ),
    "group_by_window_sizes": lambda d: d.range(11).group_by_window(
        key_func=lambda x: x % 2,
        reduce_func=lambda k, ds: ds.batch(10).map(lambda b: b + 100 * k),
        window_size_func=lambda k: k + 2,
    ),
    "choose": lambda d: d.choose_from_datasets(
        [d.range(3), d.range(10, 20)], d.from_tensor_slices(np.array([1, 0, 1, 1, 0, 0, 1, 0, 1]))
    ),
    "choose_on": lambda d: d.choose_from_datasets(
        [d.range(1), d.range(10, 13)],
        d.from_tensor_slices(np.array([1, 0, 0, 1, 0, 1, 1])),
        stop_on_empty_dataset=False,
    ),
    "sample": lambda d: d.sample_from_datasets([d.range(6), d.range(10, 16)], seed=2),
    "sample_weights": lambda d: d.sample_from_datasets(
        [d.range(20), d.range(100, 120), d.range(200, 220)], weights=[0.2, 0.7, 0.1], seed=5
    ).take(20),
    "sample_stop": lambda d: d.sample_from_datasets(
        [d.range(3), d.range(10, 19)], [0.5, 0.5], seed=4, stop_on_empty_dataset=True
    ),
    "sample_varying": lambda d: d.sample_from_datasets(
        [d.range(9), d.range(10, 19)],
        weights=d.from_tensor_slices([[0.9, 0.1], [0.1, 0.9]]).repeat(4),
        seed=1,
    ),
    "ignore_errors": lambda d: (
        d.from_tensor_slices([1, 3, 0, 2]).map(lambda n: (n, [[1, 2]][0:1])).ignore_errors()
    ),
    "options": lambda d: d.range(3).with_options(d.range(1).options()),
}


def str_of(value):
    """A string that is not the value's."""
    return "text"


def parts(value):
    """An element with datasets, ragged and sparse tensors as lists of what they hold."""
    if hasattr(value, "nested_row_splits"):
        return ["ragged", value.flat_values, *value.nested_row_splits]
    if hasattr(value, "dense_shape"):
        return ["sparse", value.indices, value.values, value.dense_shape]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value).__name__, *map(parts, value)]
    if isinstance(value, (tuple, list)):
        return [parts(item) for item in value]
    if isinstance(value, dict):
        return {key: parts(item) for key, item in value.items()}
    return elements(value) if hasattr(value, "as_numpy_iterator") else value


def elements(dataset):
    """All elements, as a list."""
    return [parts(element) for element in dataset]


def everything(dataset):
    """The elements of two passes, the spec and the cardinality."""
    return {
        "first": elements(dataset),
        "second": elements(dataset),
        "spec": repr(dataset.element_spec),
        "count": int(dataset.cardinality()),
    }


@case(make=SOURCES)
def sources(tf, make):
    return everything(make(tf.data.Dataset))


@case(make=CHAINS)
def chains(tf, make):
    return everything(make(tf.data.Dataset))


@case(
    size=[1, 3, 10, 11, 100],
    seed=[0, 7, 2**40],
    fixed=[True, False],
)
def shuffle_order(tf, size, seed, fixed):
    dataset = tf.data.Dataset.range(11).shuffle(size, seed=seed, reshuffle_each_iteration=not fixed)
    passes = [elements(dataset) for _ in range(3)]
    single = tf.data.Dataset.range(11).shuffle(size, seed=seed, reshuffle_each_iteration=not fixed)
    return [passes, elements(single.repeat(3)), elements(single.repeat(2).batch(4))]


@case(seed=[None, 3])
def shuffle_global_seed(tf, seed):
    tf.random.set_seed(9)
    first = tf.data.Dataset.range(9).shuffle(4, seed=seed)
    second = tf.data.Dataset.range(9).shuffle(9, seed=seed)
    found = [elements(first), elements(second.batch(2)), elements(first)]
    tf.random.set_seed(9)
    found.append(elements(tf.data.Dataset.range(9).shuffle(4, seed=seed)))
    tf.random.set_seed(None)
    return found


@case
def shuffle_long(tf):
    dataset = tf.data.Dataset.range(3000).shuffle(256, seed=11)
    return [
        tf.stack(list(dataset)),
        tf.stack(list(dataset.map(lambda x: x))),
        tf.concat(list(dataset.batch(64)), 0),
    ]


@case
def shuffle_steps(tf):
    d = tf.data.Dataset
    return [
        elements(d.range(12).repeat(2).shuffle(5, seed=1)),
        elements(d.range(12).map(lambda x: x).shuffle(5, seed=1)),
        elements(d.range(12).shuffle(5, seed=1).shuffle(3, seed=2).batch(5)),
        elements(d.range(12).skip(1).shard(2, 0).shuffle(5, seed=1).take(4).repeat(2)),
        elements(d.range(12).shuffle(5, seed=1).skip(3).batch(4)),
        elements(d.range(6).shuffle(6, seed=1).enumerate().shuffle(3, seed=2)),
        elements(d.range(5).shuffle(5, seed=3).cache().repeat(2)),
        elements(d.range(12).batch(2).shuffle(4, seed=8)),
    ]


@case(
    cycle=[1, 2, 3, 7],
    block=[1, 2, 5],
    lengths={"even": [3, 3, 3, 3], "uneven": [4, 1, 0, 5, 2, 3], "none": []},
    calls=[None, 1, -1],
)
def interleave(tf, cycle, block, lengths, calls):
    d = tf.data.Dataset
    rows = d.from_tensor_slices(np.array(lengths, np.int64)).enumerate()
    dataset = rows.interleave(
        lambda i, n: d.range(n).map(lambda x: 10 * i + x),
        cycle_length=cycle,
        block_length=block,
        num_parallel_calls=calls,
    )
    return elements(dataset)


@case(
    size=[1, 3, 4],
    shift=[None, 1, 5],
    stride=[1, 2],
    drop=[True, False],
)
def window(tf, size, shift, stride, drop):
    dataset = tf.data.Dataset.range(8).window(size, shift, stride, drop_remainder=drop)
    pairs = tf.data.Dataset.range(4).map(lambda x: (x, {"y": -x})).window(2)
    return [everything(dataset), elements(pairs)]


@case
def window_batches(tf):
    windows = tf.data.Dataset.range(7).window(3, shift=1, drop_remainder=True)
    return everything(windows.flat_map(lambda w: w.batch(3)))


def rows_of(tf, lengths):
    """Rows of these lengths, with their numbers."""
    return tf.data.Dataset.from_generator(
        lambda: ((np.full([n], n), str(n)) for n in lengths),
        output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.string)),
    )


@case(
    arguments={
        "default": {},
        "shapes": {"padded_shapes": ([None], [])},
        "wide": {"padded_shapes": ([6], [])},
        "values": {"padding_values": (-1, "")},
        "drop": {"drop_remainder": True},
        "tensorshape": {"padded_shapes": ((None,), ())},
    }
)
def padded_batch(tf, arguments):
    return everything(rows_of(tf, [1, 3, 0, 4, 2]).padded_batch(2, **arguments))


@case
def padded_batch_forms(tf):
    d = tf.data.Dataset
    texts = d.from_generator(
        lambda: iter([["a"], ["b", "c"]]), output_signature=tf.TensorSpec([None], tf.string)
    )
    squares = d.range(1, 4).map(lambda n: tf.ones([n, 2 * n]))
    return [
        everything(texts.padded_batch(2)),
        everything(texts.padded_batch(2, padding_values="?")),
        elements(squares.padded_batch(3, padding_values=2.0)),
        elements(squares.padded_batch(3, [3, None])),
        everything(d.range(4).padded_batch(3)),
        everything(
            d.from_tensor_slices({"a": [[1, 2], [3, 4]], "b": [1.0, 2.0]}).padded_batch(
                2, {"a": [3], "b": []}, {"a": 9, "b": 0.0}
            )
        ),
    ]


@case(
    arguments={
        "default": {},
        "boundary": {"pad_to_bucket_boundary": True},
        "drop": {"drop_remainder": True},
        "values": {"padding_values": (-1, "")},
        "shapes": {"padded_shapes": ([None], [])},
    }
)
def buckets(tf, arguments):
    dataset = rows_of(tf, [1, 3, 0, 4, 2, 2, 5, 4, 1])
    return everything(
        dataset.bucket_by_sequence_length(
            lambda row, text: tf.shape(row)[0], [2, 4, 7], [2, 2, 3, 1], **arguments
        )
    )


@case
def generators(tf):
    d = tf.data.Dataset

    def rows(stop, start=0):
        for i in range(start, stop):
            yield i, {"row": [i] * 2, "text": str(i)}

    signature = (
        tf.TensorSpec([], tf.int64),
        {"row": tf.TensorSpec([2], tf.float32), "text": tf.TensorSpec([], tf.string)},
    )
    return [
        everything(d.from_generator(rows, args=[3], output_signature=signature)),
        everything(d.from_generator(rows, args=(5, 3), output_signature=signature).batch(2)),
        everything(d.from_generator(lambda: range(3), tf.int64)),
        everything(d.from_generator(lambda: range(3), tf.float32, [])),
        everything(d.from_generator(lambda: [[1, 2], [3, 4]], tf.int32, [None])),
        everything(
            d.from_generator(
                lambda: [(1, [2.5])], (tf.int32, tf.float64), ([], tf.TensorShape([1]))
            )
        ),
        everything(
            d.from_generator(lambda: [1.7, 2.2], output_signature=tf.TensorSpec([], tf.int32))
        ),
        everything(d.from_generator(lambda: iter(()), tf.int32)),
        elements(d.from_generator(lambda: [np.int64(3)], tf.int32, [])),
        elements(
            d.from_generator(lambda: [[1, 2]], output_signature=tf.TensorSpec(None, tf.int32))
        ),
    ]


Point = collections.namedtuple("Point", "x y")


@case
def named_tuples(tf):
    d = tf.data.Dataset
    points = d.from_tensor_slices(Point([1, 2, 3], [4, 5, 6]))
    return [
        everything(points),
        everything(points.batch(2)),
        elements(points.map(lambda p: p.x + p.y)),
        elements(d.range(2).map(lambda x: Point(x, (x, x)))),
        elements(points.shuffle(3, seed=1).batch(3)),
    ]


@case
def numpy_iterators(tf):
    d = tf.data.Dataset
    mixed = d.from_tensor_slices({"a": [1, 2], "b": ["x", "y"], "c": [[1.0], [2.0]]})
    found = list(mixed.as_numpy_iterator())
    return [found, [found[0]["c"].flags.writeable], list(d.range(3).batch(2).as_numpy_iterator())]


@case
def reductions(tf):
    d = tf.data.Dataset
    return [
        d.range(5).reduce(np.int64(0), lambda s, x: s + x),
        d.range(5).reduce((np.int64(0), 1.0), lambda s, x: (s[0] + x, s[1] * 2.0)),
        d.zip(d.range(3), d.range(3)).reduce(np.int64(1), lambda s, pair: s + pair[0] * pair[1]),
        d.from_tensor_slices([]).reduce(3, lambda s, x: s),
        d.from_tensors((1, [2])).get_single_element(),
        len(d.range(7).batch(2)),
        bool(d.range(0)),
    ]


@case
def iterators(tf):
    iterator = iter(tf.data.Dataset.range(2).map(lambda x: (x, x)))
    first = next(iterator)
    option = iterator.get_next_as_optional()
    end = iterator.get_next_as_optional()
    return [
        first,
        option.has_value(),
        option.get_value(),
        end.has_value(),
        repr(iterator.element_spec),
        list(iterator),
        type(option).__mro__[1].__name__,
    ]


@case
def cardinalities(tf):
    d, data = tf.data.Dataset, tf.data
    datasets = [
        d.range(5).repeat(),
        d.range(0).repeat(),
        d.range(5).repeat().take(3),
        d.range(5).repeat().skip(3),
        d.range(5).filter(lambda x: True),
        d.range(5).filter(lambda x: True).repeat(),
        d.range(5).filter(lambda x: True).take(2),
        d.range(5).take_while(lambda x: True),
        d.range(5).flat_map(lambda x: d.range(2)),
        d.range(5).interleave(lambda x: d.range(2)),
        d.zip(d.range(5), d.range(3).repeat()),
        d.zip(d.range(5), d.range(3).filter(lambda x: True)),
        d.range(5).concatenate(d.range(3).repeat()),
        d.range(5).concatenate(d.range(3).filter(lambda x: True)),
        d.from_generator(lambda: range(3), tf.int32),
        d.range(10).window(3),
        d.range(10).window(3, 2, drop_remainder=True),
        d.range(10).window(3, 2, 2, drop_remainder=True),
        d.range(10).shard(3, 0),
        d.range(10).batch(4).unbatch(),
        d.range(10).batch(4, drop_remainder=True).unbatch(),
        d.range(10).unique(),
        d.range(10).ignore_errors(),
        d.range(10).repeat().shuffle(3).prefetch(2).cache(),
        d.range(10).enumerate().repeat(2),
        d.range(10).scan(np.int64(0), lambda s, x: (s, x)),
        d.range(10).apply(data.experimental.assert_cardinality(10)),
        d.range(10).filter(lambda x: x > 2).apply(data.experimental.assert_cardinality(7)),
        d.range(10).group_by_window(lambda x: x, lambda k, w: w, 3),
        d.range(10).batch(3).rebatch(2),
        d.choose_from_datasets([d.range(2), d.range(3)], d.range(2)),
        d.choose_from_datasets([d.range(2), d.range(3)], d.range(2), stop_on_empty_dataset=False),
        d.sample_from_datasets([d.range(2), d.range(3).repeat()]),
    ]
    constants = [data.AUTOTUNE, data.INFINITE_CARDINALITY, data.UNKNOWN_CARDINALITY]
    return [constants, [int(dataset.cardinality()) for dataset in datasets]]


@case
def representations(tf):
    d = tf.data.Dataset
    return [
        repr(d.range(3)),
        str(d.from_tensor_slices([1])),
        repr(d.range(3).batch(2).map(lambda x: (x, {"a": x}))),
        repr(d.range(3).shuffle(2).repeat().prefetch(1)),
        repr(d.zip(d.range(3), d.range(2))),
        repr(tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))),
    ]


@case
def specs(tf):
    d = tf.data.Dataset
    images = d.from_tensor_slices(np.zeros([4, 2, 3], np.uint8))
    datasets = [
        images.batch(2).map(lambda x: tf.cast(x, tf.float32)),
        images.batch(2, drop_remainder=True).map(lambda x: tf.reshape(x, [2, -1])),
        images.batch(2).map(lambda x: tf.reduce_mean(tf.cast(x, tf.float32), [1, 2])),
        images.map(lambda x: {"x": x, "n": tf.shape(x)}),
        images.batch(3).unbatch(),
        images.repeat().shuffle(2).enumerate(),
        images.concatenate(images),
        rows_of(tf, [1]).batch(2),
        rows_of(tf, [1]).map(lambda row, text: (row + 1, text)),
        images.window(2),
        images.flat_map(d.from_tensor_slices),
        images.interleave(d.from_tensor_slices),
    ]
    return [repr(dataset.element_spec) for dataset in datasets]


@case
def files(tf):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        d = tf.data.Dataset
        for name in ("b.txt", "a.txt", "c.csv", ".hidden.txt"):
            open(os.path.join(folder, name), "w").close()
        names = d.list_files(os.path.join(folder, "*.txt"), shuffle=False)
        found.append([os.path.basename(name.numpy()) for name in names])
        both = d.list_files([os.path.join(folder, p) for p in ("?.csv", "[ab].txt")], seed=3)
        found.append([os.path.basename(name.numpy()) for name in both])
        cache = d.range(5).map(lambda x: (x, "t")).cache(os.path.join(folder, "cache"))
        found.append([elements(cache), elements(cache)])
        path = os.path.join(folder, "saved")
        d.range(6).batch(4).save(path)
        found.append(everything(d.load(path)))
        shuffled = d.range(4).snapshot(os.path.join(folder, "snapshot"))
        found.append([elements(shuffled), elements(shuffled)])
    return found


@case
def resampled(tf):
    classes = tf.data.Dataset.from_tensor_slices([0, 1, 1, 1] * 25)
    chosen = classes.rejection_resample(
        lambda c: c, target_dist=[0.5, 0.5], initial_dist=[0.25, 0.75], seed=3
    )
    return [repr(chosen.element_spec), int(chosen.cardinality())]


def consume(make):
    """A program that reads all elements."""
    return lambda tf: elements(make(tf, tf.data.Dataset))


def raising(error):
    def generator():
        yield 1
        raise error

    return generator


errors(
    "data",
    "bad_arguments",
    {
        "batch_0": (consume(lambda tf, d: d.range(3).batch(0)), ["Batch size"]),
        "batch_negative": (consume(lambda tf, d: d.range(3).batch(-1)), ["Batch size"]),
        "batch_text": (consume(lambda tf, d: d.range(3).batch("a")), []),
        "take_text": (consume(lambda tf, d: d.range(3).take("a")), []),
        "repeat_float": (consume(lambda tf, d: d.range(3).repeat(2.5)), []),
        "shuffle_0": (consume(lambda tf, d: d.range(3).shuffle(0)), ["buffer_size"]),
        "shard_index": (consume(lambda tf, d: d.range(3).shard(3, 5)), ["Index"]),
        "shard_0": (consume(lambda tf, d: d.range(3).shard(0, 0)), ["shards"]),
        "map_value": (consume(lambda tf, d: d.range(3).map(3)), ["callable"]),
        "filter_int": (consume(lambda tf, d: d.range(3).filter(lambda x: x)), ["predicate"]),
        "slices_scalar": (consume(lambda tf, d: d.from_tensor_slices(3)), ["rank"]),
        "slices_sizes": (
            consume(lambda tf, d: d.from_tensor_slices(([1, 2], [1]))),
            ["compatible"],
        ),
        "concatenate": (
            consume(lambda tf, d: d.range(3).concatenate(d.from_tensors("a"))),
            ["Incompatible"],
        ),
        "concatenate_structure": (
            consume(lambda tf, d: d.range(3).concatenate(d.from_tensors((1, 2)))),
            ["Incompatible"],
        ),
        "range_none": (consume(lambda tf, d: d.range()), []),
        "range_step": (consume(lambda tf, d: d.range(1, 5, 0)), ["step"]),
        "prefetch": (consume(lambda tf, d: d.range(3).prefetch(-3)), ["buffer_size"]),
        "window_0": (consume(lambda tf, d: d.range(3).window(0)), ["Window"]),
        "interleave_0": (
            consume(lambda tf, d: d.range(3).interleave(lambda x: d.range(2), cycle_length=0)),
            ["cycle_length"],
        ),
        "interleave_block": (
            consume(lambda tf, d: d.range(3).interleave(lambda x: d.range(2), 1, block_length=0)),
            ["block_length"],
        ),
        "parallel_calls": (
            consume(lambda tf, d: d.range(3).map(lambda x: x, num_parallel_calls=-5)),
            ["num_parallel_calls"],
        ),
        "zip_value": (consume(lambda tf, d: d.zip(3)), ["zip"]),
        "zip_list": (consume(lambda tf, d: d.zip([d.range(2), d.range(3)])), ["list"]),
        "zip_nothing": (consume(lambda tf, d: d.zip()), []),
        "len_infinite": (lambda tf: len(tf.data.Dataset.range(3).repeat()), ["infinite"]),
        "len_unknown": (
            lambda tf: len(tf.data.Dataset.range(3).filter(lambda x: True)),
            ["unknown"],
        ),
        "index": (lambda tf: tf.data.Dataset.range(3)[0], []),
        "next": (lambda tf: next(tf.data.Dataset.range(3)), []),
        "end": (lambda tf: iter(tf.data.Dataset.range(0)).get_next(), ["End of sequence"]),
        "single_none": (lambda tf: tf.data.Dataset.range(0).get_single_element(), ["empty"]),
        "single_two": (lambda tf: tf.data.Dataset.range(2).get_single_element(), ["more than one"]),
        "apply": (lambda tf: tf.data.Dataset.range(2).apply(lambda d: 3), ["Dataset"]),
        "unbatch_scalar": (consume(lambda tf, d: d.range(3).unbatch()), ["scalar"]),
        "unique_float": (consume(lambda tf, d: d.from_tensor_slices([1.0]).unique()), ["type"]),
        "no_files": (
            consume(lambda tf, d: d.list_files("/nowhere/*.png")),
            ["No files matched"],
        ),
        "load": (consume(lambda tf, d: d.load("/nowhere/at/all")), []),
        "choose_empty": (consume(lambda tf, d: d.choose_from_datasets([], d.range(3))), ["empty"]),
        "choose_type": (
            consume(lambda tf, d: d.choose_from_datasets([d.range(2)], d.from_tensors("a"))),
            ["choice_dataset"],
        ),
        "sample_weights": (
            consume(lambda tf, d: d.sample_from_datasets([d.range(2), d.range(2)], [1.0])),
            ["weights"],
        ),
        "sample_types": (
            consume(lambda tf, d: d.sample_from_datasets([d.range(2), d.from_tensors("a")])),
            ["datasets"],
        ),
        "window_size": (
            consume(lambda tf, d: d.range(3).group_by_window(lambda x: x, lambda k, w: w)),
            ["window_size"],
        ),
        "buckets": (
            consume(
                lambda tf, d: d.range(3).bucket_by_sequence_length(lambda x: 1, [1, 2], [1, 2])
            ),
            ["bucket_batch_sizes"],
        ),
        "generator_value": (consume(lambda tf, d: d.from_generator(3, tf.int32)), ["callable"]),
        "generator_nothing": (consume(lambda tf, d: d.from_generator(lambda: [1])), []),
        "generator_both": (
            consume(
                lambda tf, d: d.from_generator(
                    lambda: [1], tf.int32, output_signature=tf.TensorSpec([], tf.int32)
                )
            ),
            ["output_signature"],
        ),
        "generator_signature": (
            consume(lambda tf, d: d.from_generator(lambda: [1], output_signature=tf.int32)),
            ["TypeSpec"],
        ),
    },
)


errors(
    "data",
    "bad_elements",
    {
        "generator_value_error": (
            consume(lambda tf, d: d.from_generator(raising(ValueError("boom")), tf.int32)),
            ["ValueError: boom", "in generator", "raise error"],
        ),
        "generator_key_error": (
            consume(lambda tf, d: d.from_generator(raising(KeyError("kk")), tf.int32)),
            ["KeyError"],
        ),
        "generator_not_implemented": (
            consume(lambda tf, d: d.from_generator(raising(NotImplementedError("x")), tf.int32)),
            ["x"],
        ),
        "generator_prefetched": (
            consume(
                lambda tf, d: (
                    d.from_generator(raising(ValueError("boom")), tf.int32)
                    .map(lambda x: x, num_parallel_calls=2)
                    .prefetch(2)
                )
            ),
            ["ValueError: boom"],
        ),
        "generator_text": (
            consume(lambda tf, d: d.from_generator(lambda: [1, "a"], tf.int32)),
            ["TypeError: `generator` yielded an element", "a."],
        ),
        "generator_text_scalar": (
            consume(lambda tf, d: d.from_generator(lambda: [1, "a"], tf.int32, [])),
            ["could not be converted to the expected type", "int32"],
        ),
        "generator_float": (
            consume(lambda tf, d: d.from_generator(lambda: [1.5], tf.int32)),
            ["TypeError: `generator` yielded an element"],
        ),
        "generator_shape": (
            consume(lambda tf, d: d.from_generator(lambda: [[1], [1, 2]], tf.int32, [2])),
            ["shape (1,) where an element of shape (2,) was expected"],
        ),
        "generator_structure": (
            consume(
                lambda tf, d: d.from_generator(
                    lambda: [(1, 2), (1,)], (tf.int32, tf.int32), ([], [])
                )
            ),
            ["did not match the expected structure"],
        ),
        "batch_shapes": (
            consume(lambda tf, d: d.from_generator(lambda: [[1], [1, 2]], tf.int32).batch(2)),
            ["Cannot batch tensors with different shapes in component 0", "[1]", "[2]"],
        ),
        "padded_smaller": (
            consume(lambda tf, d: rows_of(tf, [1, 5]).padded_batch(2, ([3], []))),
            ["pad"],
        ),
        "padded_rank": (
            consume(lambda tf, d: rows_of(tf, [1, 5]).padded_batch(2, ([3, 3], []))),
            ["shape"],
        ),
        "padded_type": (
            consume(lambda tf, d: rows_of(tf, [1, 5]).padded_batch(2, None, (1.5, ""))),
            [],
        ),
        "cardinality_more": (
            consume(lambda tf, d: d.range(3).apply(tf.data.experimental.assert_cardinality(2))),
            ["expected to contain 2 elements"],
        ),
        "cardinality_fewer": (
            consume(lambda tf, d: d.range(3).apply(tf.data.experimental.assert_cardinality(5))),
            ["expected to contain 5 elements", "only 3"],
        ),
        "scan_state": (
            consume(lambda tf, d: d.range(3).scan(0, lambda s, x: (x, x))),
            [],
        ),
        "reduce_state": (
            lambda tf: tf.data.Dataset.range(3).reduce(0, lambda s, x: "a"),
            [],
        ),
        "sparse_row": (
            consume(
                lambda tf, d: d.from_generator(lambda: [[1, 2]], tf.int32, [None]).sparse_batch(
                    2, [1]
                )
            ),
            ["larger than the row shape"],
        ),
        "padded_ragged": (
            consume(
                lambda tf, d: d.from_tensor_slices(tf.ragged.constant([[1], []])).padded_batch(2)
            ),
            ["padded_batch"],
        ),
        "op_error": (
            consume(lambda tf, d: d.range(3).map(lambda x: tf.reshape(tf.range(x), [2]))),
            [],
        ),
        "op_error_parallel": (
            consume(
                lambda tf, d: d.range(3).map(
                    lambda x: tf.reshape(tf.range(x), [2]), num_parallel_calls=2
                )
            ),
            [],
        ),
    },
)


def composites(tf):
    """Ragged and sparse tensors, alone and together."""
    ragged = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    deep = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5], [6]]])
    sparse = tf.sparse.from_dense([[1, 0, 2], [0, 0, 0], [0, 3, 4]])
    return {"ragged": ragged, "deep": deep, "sparse": sparse, "both": (ragged, {"a": sparse})}


@case(kind=["ragged", "deep", "sparse", "both"])
def composite_elements(tf, kind):
    d, value = tf.data.Dataset, composites(tf)[kind]
    slices = d.from_tensor_slices(value)
    datasets = [
        slices,
        d.from_tensors(value),
        slices.batch(2),
        slices.skip(1).repeat(2).batch(2, drop_remainder=True),
        slices.shuffle(3, seed=1).batch(2),
        slices.batch(2).unbatch(),
        slices.batch(2).rebatch(3),
        d.from_tensors(value).repeat(2).batch(2),
        d.from_tensors(value).unbatch(),
        slices.cache(),
        slices.window(2).flat_map(
            lambda *w: (w[0] if len(w) == 1 else d.zip((w[0], w[1]["a"]))).batch(2)
        ),
    ]
    return [everything(dataset) for dataset in datasets]


@case
def composite_functions(tf):
    d, found = tf.data.Dataset, composites(tf)
    deep = d.from_tensor_slices(found["deep"])
    made = d.from_generator(
        lambda: iter([tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4]])]),
        output_signature=tf.RaggedTensorSpec([None, None], tf.int32),
    )
    datasets = [
        deep.map(lambda v: v * 2).batch(2),
        made,
        made.batch(2),
        d.range(3).map(lambda x: tf.sparse.from_dense([x, 0, 1])).batch(2),
        d.from_tensor_slices(([1, 2, 3], found["ragged"])).map(lambda a, b: tf.reduce_sum(b) + a),
        d.from_tensor_slices(found["ragged"]).filter(lambda v: tf.size(v) > 0).batch(2),
    ]
    return [
        [elements(dataset) for dataset in datasets],
        [repr(dataset.element_spec) for dataset in datasets[:3] + datasets[5:]],
        list(d.from_tensor_slices(found["sparse"]).as_numpy_iterator()),
        list(d.from_tensor_slices(found["ragged"]).as_numpy_iterator()),
    ]


@case
def ragged_and_sparse_batches(tf):
    d = tf.data.Dataset
    rows = d.from_generator(
        lambda: iter([[1, 2], [3], []]), output_signature=tf.TensorSpec([None], tf.int32)
    )
    pairs = d.from_generator(
        lambda: iter([([[1, 2]], 1), ([[3], [4]], 2)]),
        output_signature=(tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)),
    )
    fixed = d.from_generator(
        lambda: iter([[[1, 2]], [[3, 4], [5, 6]]]),
        output_signature=tf.TensorSpec([None, 2], tf.int32),
    )
    datasets = [
        rows.ragged_batch(2),
        rows.ragged_batch(2, drop_remainder=True, row_splits_dtype=tf.int32),
        rows.apply(tf.data.experimental.dense_to_ragged_batch(2)),
        pairs.ragged_batch(2),
        fixed.ragged_batch(2),
        d.range(3).ragged_batch(2),
        d.range(1, 4).map(lambda x: tf.fill([x], x)).ragged_batch(2),
        rows.sparse_batch(2, [4]),
        rows.sparse_batch(2, [None]),
        rows.apply(tf.data.experimental.dense_to_sparse_batch(2, [3])),
    ]
    return [everything(dataset) for dataset in datasets]


TABLE = b"""name,size,share,"far, away"
a,1,0.5,x
"b, c",,1e3,"two
lines"
"q""q",3000000000,,
"""


def written(folder, name, data, compress=None):
    """The path of a new file."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(compress(data) if compress else data)
    return path


@case
def text_lines(tf):
    d = tf.data
    found = []
    with tempfile.TemporaryDirectory() as folder:
        first = written(folder, "a", b"one\ntwo\r\n\nfour")
        second = written(folder, "b", b"x\ny\nz\n")
        empty = written(folder, "c", b"")
        zipped = written(folder, "d", b"p\nq", gzip.compress)
        found += [
            everything(d.TextLineDataset(first)),
            elements(d.TextLineDataset([first, empty, second])),
            elements(d.TextLineDataset(d.Dataset.from_tensor_slices([second, first]))),
            elements(d.TextLineDataset([first, second], num_parallel_reads=2)),
            elements(d.TextLineDataset(zipped, compression_type="GZIP")),
            elements(d.TextLineDataset([])),
            repr(d.TextLineDataset(first)),
            elements(d.TextLineDataset(first).skip(1).enumerate()),
        ]
    return found


@case
def fixed_lengths(tf):
    d = tf.data.FixedLengthRecordDataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a", b"HHaabbccF")
        zipped = written(folder, "b", b"HHaabbccF", zlib.compress)
        found += [
            everything(d(path, 2, 2, 1)),
            elements(d(path, 3)),
            elements(d([path, path], 2, header_bytes=2, footer_bytes=1)),
            elements(d(zipped, 2, 2, 1, compression_type="ZLIB")),
            repr(d(path, 1)),
        ]
    return found


@case
def records(tf):
    d = tf.data
    found = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in "abc"]
        for i, path in enumerate(paths):
            with tf.io.TFRecordWriter(path, "GZIP" if i == 2 else None) as writer:
                for j in range(4):
                    writer.write(bytes([65 + i]) * (j * 50))
        found += [
            everything(d.TFRecordDataset(paths[0])),
            elements(d.TFRecordDataset(paths[:2])),
            elements(d.TFRecordDataset(paths[:2], num_parallel_reads=2)),
            elements(d.TFRecordDataset(paths[2], "GZIP")),
            elements(
                d.TFRecordDataset(paths[0], buffer_size=7).map(
                    lambda record: tf.io.decode_raw(record, tf.uint8)[-2:]
                )
            ),
            repr(d.TFRecordDataset(paths)),
        ]
    return found


@case
def tables(tf):
    csv = tf.data.experimental.CsvDataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a.csv", TABLE)
        kinds = [tf.string, tf.constant([7], tf.int64), tf.constant([0.5]), ["none"]]
        found += [
            everything(csv(path, kinds, header=True)),
            elements(csv(path, [tf.string] * 3 + [""], header=True).take(1)),
            elements(csv([path, path], [kinds[1], kinds[3]], header=True, select_cols=[1, 3])),
            elements(csv(path, [kinds[2]], header=True, select_cols=[2], na_value="1e3")),
            elements(csv(path, kinds[:2], header=True, exclude_cols=[2, 3])),
            repr(csv(path, kinds)),
        ]
        tabs = written(folder, "b.tsv", b"1\t2\n3\t4\n")
        found.append(elements(csv(tabs, [tf.int32, tf.float64], field_delim="\t")))
    return found


@case
def named_tables(tf):
    make = tf.data.experimental.make_csv_dataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        data = b"a,b,c,d\n" + b"".join(b"%d,%d.5,t%d,%d\n" % (i, i, i, i * 10**9) for i in range(7))
        written(folder, "1.csv", data)
        written(folder, "2.csv", data.replace(b"t", b"u"))
        pattern = os.path.join(folder, "*.csv")
        plain = {"num_epochs": 1, "shuffle": False}
        datasets = [
            make(pattern, 4, **plain),
            make(pattern, 4, label_name="c", **plain),
            make(pattern, 3, label_name="b", select_columns=["b", "a"], **plain),
            make(pattern, 3, column_defaults=[tf.float32, 1.0, "", 0.0], **plain),
            make(pattern, 3, num_parallel_reads=2, **plain),
            make(pattern, 3, column_names=["w", "x", "y", "z"], **plain),
            make(pattern, 3, shuffle_seed=4, shuffle_buffer_size=5, num_epochs=2),
            make(pattern, 5, shuffle_seed=4).take(4),
        ]
        for dataset in datasets:
            found.append([elements(dataset), repr(dataset.element_spec)])
    return found


@case
def examples(tf):
    features = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "v": tf.io.VarLenFeature(tf.float32),
        "t": tf.io.FixedLenFeature([], tf.string, "none"),
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in "ab":
            with tf.io.TFRecordWriter(os.path.join(folder, name)) as writer:
                for n in range(5):
                    example = tf.train.Example()
                    example.features.feature["n"].int64_list.value.append(n)
                    example.features.feature["v"].float_list.value.extend([0.5] * n)
                    if n % 2:
                        example.features.feature["t"].bytes_list.value.append(name.encode())
                    writer.write(example.SerializeToString())
        pattern = os.path.join(folder, "*")
        make = tf.data.experimental.make_batched_features_dataset
        parsed = tf.data.TFRecordDataset(os.path.join(folder, "a")).batch(4)
        found += [
            elements(parsed.apply(tf.data.experimental.parse_example_dataset(features))),
            elements(make(pattern, 4, features, num_epochs=1, shuffle=False)),
            elements(make(pattern, 3, features, label_key="n", num_epochs=2, shuffle_seed=5)),
        ]
    return found


@case
def tables_of_datasets(tf):
    d, experimental = tf.data.Dataset, tf.data.experimental
    keys = d.from_tensor_slices(["a", "b", "c"])
    pairs = d.zip((d.from_tensor_slices(["a", "b"]), d.from_tensor_slices(np.array([10, 20]))))
    words = tf.constant([["b", "z"], ["y", "c"]])
    index, table = experimental.index_table_from_dataset, experimental.table_from_dataset
    initializer = experimental.DatasetInitializer(pairs)
    return [
        index(keys).lookup(words),
        index(keys, num_oov_buckets=2).lookup(words),
        index(keys, vocab_size=2).lookup(words),
        index(keys).size(),
        index(d.range(5, 8), key_dtype=tf.int64).lookup(tf.constant([6, 9], tf.int64)),
        table(pairs, default_value=-5).lookup(words),
        table(pairs).lookup(words),
        tf.lookup.StaticHashTable(initializer, -1).lookup(words),
        [initializer.key_dtype, initializer.value_dtype],
    ]


def with_file(data, program):
    """A program of a file with these contents."""

    def run(tf):
        with tempfile.TemporaryDirectory() as folder:
            return elements(program(tf, tf.data, written(folder, "file", data)))

    return run


errors(
    "data",
    "bad_files",
    {
        "missing": (
            with_file(b"", lambda tf, d, path: d.TextLineDataset(path + ".not")),
            ["file.not"],
        ),
        "missing_records": (
            with_file(b"", lambda tf, d, path: d.TFRecordDataset([path, path + ".not"])),
            ["file.not"],
        ),
        "no_records": (
            with_file(b"x" * 40, lambda tf, d, path: d.TFRecordDataset(path)),
            ["corrupted record at 0"],
        ),
        "fixed": (
            with_file(b"xxx", lambda tf, d, path: d.FixedLengthRecordDataset(path, 2)),
            ["body length 3 bytes", "2 bytes"],
        ),
        "fixed_0": (
            with_file(b"xxx", lambda tf, d, path: d.FixedLengthRecordDataset(path, 0)),
            ["record_bytes"],
        ),
        "csv_number": (
            with_file(b"a\n", lambda tf, d, path: d.experimental.CsvDataset(path, [tf.int32])),
            ["not a valid int32", "a"],
        ),
        "csv_fields": (
            with_file(b"1,2\n", lambda tf, d, path: d.experimental.CsvDataset(path, [tf.int32])),
            ["1 fields"],
        ),
        "csv_required": (
            with_file(b",\n", lambda tf, d, path: d.experimental.CsvDataset(path, ["", tf.int32])),
            ["required"],
        ),
        "compression": (
            with_file(b"", lambda tf, d, path: d.TextLineDataset(path, compression_type="LZ4")),
            [],
        ),
        "numbers": (consume(lambda tf, d: tf.data.TextLineDataset([1, 2])), ["tf.string"]),
    },
)

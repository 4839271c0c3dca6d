"""Input pipelines: elements and their order, specs, cardinalities and errors."""

import collections

import numpy as np

from oracle.elements import elements, everything, rows_of
from oracle.registry import case

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
def resampled(tf):
    classes = tf.data.Dataset.from_tensor_slices([0, 1, 1, 1] * 25)
    chosen = classes.rejection_resample(
        lambda c: c, target_dist=[0.5, 0.5], initial_dist=[0.25, 0.75], seed=3
    )
    return [repr(chosen.element_spec), int(chosen.cardinality())]


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

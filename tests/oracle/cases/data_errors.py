"""Input pipelines asked for what they cannot do."""

from oracle.elements import consume, rows_of
from oracle.registry import errors


def raising(error):
    def generator():
        yield 1
        raise error

    return generator


errors(
    "data_errors",
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
    "data_errors",
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

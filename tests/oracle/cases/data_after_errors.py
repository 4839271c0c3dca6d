"""What pipelines give after an error, and elements asked for by position."""

import numpy as np

from oracle.registry import case, errors


def outcomes(dataset, most=40):
    """The elements up to the end; the name of the error where there is one."""
    iterator = iter(dataset)
    found = []
    for _ in range(most):
        try:
            found.append(str(np.asarray(next(iterator)).tolist()))
        except StopIteration:
            return [*found, "end"]
        except Exception as error:
            found.append(type(error).__name__)
    return found


def failing(tf, *numbers):
    """The identity, but for some numbers."""

    def check(x):
        for number in numbers:
            tf.debugging.assert_none_equal(x, tf.constant(number, x.dtype))
        return x

    return check


def plus(x):
    return x + 100


def unfused(tf, dataset):
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


# Programs of the module, Dataset, and a function that makes the function that fails.
STEPS = {
    "batch_of_map": lambda d, f: d.range(8).map(f(1)).batch(4),
    "batch_of_parallel_map": lambda d, f: d.range(8).map(f(1), num_parallel_calls=2).batch(4),
    "batch_of_maps": lambda d, f: d.range(8).map(f(1)).map(plus).batch(4),
    "batch_of_map_of_filter": lambda d, f: (
        d.range(8).filter(lambda x: f(1)(x) >= 0).map(plus).batch(4)
    ),
    "batch_of_filter": lambda d, f: d.range(8).filter(lambda x: f(1)(x) >= 0).batch(4),
    "batch_of_take": lambda d, f: d.range(8).map(f(1)).take(8).batch(4),
    "batch_of_prefetch": lambda d, f: d.range(8).map(f(1)).prefetch(1).batch(4),
    "batch_parallel": lambda d, f: d.range(8).map(f(1)).batch(4, num_parallel_calls=2),
    "batch_drop": lambda d, f: d.range(10).map(f(1, 9)).batch(4, drop_remainder=True),
    "batch_several": lambda d, f: d.range(8).map(f(1, 3, 5)).batch(4),
    "batch_last": lambda d, f: d.range(10).map(f(9)).batch(4),
    "batch_ignored": lambda d, f: d.range(8).map(f(1)).batch(4).ignore_errors(),
    "padded_batch": lambda d, f: d.range(8).map(f(1)).padded_batch(4),
    "ragged_batch": lambda d, f: d.range(8).map(f(1)).ragged_batch(4),
    "rebatch": lambda d, f: d.range(8).map(f(1)).batch(2).rebatch(3),
    "unbatch": lambda d, f: d.range(6).map(f(2)).batch(2).unbatch(),
    "zip_first": lambda d, f: d.zip((d.range(6).map(f(3)), d.range(6))).map(
        lambda a, b: a * 10 + b
    ),
    "zip_second": lambda d, f: d.zip((d.range(6), d.range(6).map(f(3)))).map(
        lambda a, b: a * 10 + b
    ),
    "zip_both": lambda d, f: d.zip((d.range(6).map(f(3)), d.range(6).map(f(3, 4)))).map(
        lambda a, b: a * 10 + b
    ),
    "zip_and_end": lambda d, f: d.zip((d.range(6).map(f(3)), d.range(4))).map(
        lambda a, b: a * 10 + b
    ),
    "enumerate": lambda d, f: d.range(6).map(f(2)).enumerate().map(lambda i, x: i * 10 + x),
    "skip": lambda d, f: d.range(8).map(f(1)).skip(3),
    "skip_twice": lambda d, f: d.range(12).map(f(1, 4)).skip(3),
    "shard": lambda d, f: d.range(14).map(f(5)).shard(3, 2),
    "take": lambda d, f: d.range(8).map(f(1, 2)).take(3),
    "repeat": lambda d, f: d.range(3).map(f(1)).repeat(2),
    "shuffle": lambda d, f: d.range(7).map(f(3)).shuffle(3, seed=1),
    "prefetch": lambda d, f: d.range(7).map(f(3)).prefetch(2),
    "cache": lambda d, f: d.range(4).map(f(1)).cache().ignore_errors(),
    "scan": lambda d, f: d.range(6).scan(np.int64(0), lambda s, x: (s + f(2)(x), s)),
    "group_by_window": lambda d, f: (
        d.range(8)
        .map(f(3))
        .group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), window_size=2)
    ),
    "choose": lambda d, f: d.choose_from_datasets(
        [d.range(4).map(f(1)), d.range(10, 14)], d.range(2).repeat(4)
    ),
    "flat_map": lambda d, f: d.range(3).flat_map(lambda i: d.range(f(1)(i), i + 3)),
}


@case(step=STEPS)
def after_an_error(tf, step):
    return outcomes(step(tf.data.Dataset, lambda *numbers: failing(tf, *numbers)))


@case(number=[0, 1, 2, 3], window=[(2, 1, 1), (3, 2, 2), (2, 3, 1), (3, None, 2), (2, 4, 3)])
def after_an_error_in_a_window(tf, number, window):
    dataset = tf.data.Dataset.range(8).map(failing(tf, number))
    return outcomes(dataset.window(*window).flat_map(lambda part: part.batch(5)))


@case
def after_an_error_without_fusion(tf):
    return outcomes(unfused(tf, tf.data.Dataset.range(8).map(failing(tf, 1)).batch(4)))


def tens(tf, *numbers):
    """Datasets of which each has its own ten."""
    check = failing(tf, *numbers)
    return lambda i: tf.data.Dataset.range(i * 10, i * 10 + 4).map(check)


@case(calls=[None, 1, 2, -1], cycle=[2, 3], block=[1, 2, 3])
def interleave_after_an_error(tf, calls, cycle, block):
    dataset = tf.data.Dataset.range(4)
    return outcomes(dataset.interleave(tens(tf, 12), cycle, block, num_parallel_calls=calls))


@case(calls=[None, 2, -1], block=[1, 2], where=["input", "function"])
def interleave_after_a_dataset_fails(tf, calls, block, where):
    check = failing(tf, 1, 3)
    dataset = tf.data.Dataset.range(6)
    if where == "input":
        dataset = dataset.map(check)

    def rows(i):
        return tf.data.Dataset.range((check(i) if where == "function" else i) * 10, i * 10 + 3)

    return outcomes(dataset.interleave(rows, 2, block, num_parallel_calls=calls))


@case(calls=[None, 2, -1], cycle=[1, 2, 3, 5], block=[1, 2])
def interleave_of_datasets_of_many_lengths(tf, calls, cycle, block):
    if calls == 2 and cycle == 1:
        calls = 1
    return outcomes(
        tf.data.Dataset.range(8).interleave(
            lambda i: tf.data.Dataset.range(i * 10, i * 10 + (i * 7) % 4),
            cycle,
            block,
            num_parallel_calls=calls,
        )
    )


@case
def interleave_one_at_a_time(tf):
    """One call at a time reads one dataset at a time, where no other number is given."""
    dataset = tf.data.Dataset.range(4)
    return outcomes(dataset.interleave(tens(tf, 12), num_parallel_calls=1))


errors(
    "data_after_errors",
    "interleave_arguments",
    {
        "more_calls_than_datasets": (
            lambda tf: tf.data.Dataset.range(4).interleave(tens(tf), 2, num_parallel_calls=3),
            ["less than or equal to `cycle_length`", "3", "2"],
        )
    },
)


POSITIONS = {
    "shuffle": lambda d: d.range(10).shuffle(10, seed=3),
    "shuffle_small": lambda d: d.range(10).shuffle(3, seed=3),
    "shuffle_once": lambda d: d.range(10).shuffle(10, seed=3, reshuffle_each_iteration=False),
    "shuffle_batch": lambda d: d.range(10).shuffle(10, seed=3).batch(3),
    "shuffle_map": lambda d: d.range(10).shuffle(10, seed=3).map(plus),
    "repeat_shuffle": lambda d: d.range(5).repeat(2).shuffle(10, seed=3),
    "slices": lambda d: d.from_tensor_slices([5, 6, 7]),
    "repeat": lambda d: d.range(3).repeat(2),
    "concatenate": lambda d: d.range(3).concatenate(d.range(10, 13)),
    "shard": lambda d: d.range(8).shard(3, 2),
    "skip": lambda d: d.range(8).skip(3),
    "take": lambda d: d.range(8).take(3),
    "prefetch": lambda d: d.range(3).prefetch(2),
    "cache": lambda d: d.range(3).cache(),
    "zip": lambda d: d.zip((d.range(3), d.range(5).map(plus))).map(lambda a, b: a + b),
    "batch": lambda d: d.range(5).batch(2),
    "batch_drop": lambda d: d.range(5).batch(2, drop_remainder=True),
    "filter": lambda d: d.range(5).filter(lambda x: x > 2),
    "flat_map": lambda d: d.range(5).flat_map(d.range),
    "endless": lambda d: d.range(5).repeat(),
    "unknown": lambda d: d.range(5).filter(lambda x: x > 2).shuffle(3),
}


@case(make=POSITIONS)
def at_each_position(tf, make):
    dataset = make(tf.data.Dataset)
    found = []
    for index in (-1, *range(11)):
        try:
            element = tf.data.experimental.at(dataset, index)
            found.append(str(np.asarray(element).tolist()))
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found

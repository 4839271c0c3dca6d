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


def raising(error):
    def function(*args):
        raise error

    return function


PYTHON_ERRORS = {
    "stop": StopIteration(),
    "value": ValueError("v"),
    "type": TypeError("t"),
    "key": KeyError("k"),
    "index": IndexError("i"),
    "memory": MemoryError("m"),
    "not_implemented": NotImplementedError("n"),
    "runtime": RuntimeError("r"),
    "os": OSError("o"),
    "unicode": UnicodeDecodeError("utf8", b"a", 0, 1, "x"),
}


@case(error=PYTHON_ERRORS)
def errors_of_python_code(tf, error):
    """The kinds of errors that stand for exceptions, wherever Python code is called."""
    dataset = tf.data.Dataset
    function = raising(error)

    def generator():
        yield 1
        raise error

    def kind(make):
        try:
            make()
        except Exception as found:
            return type(found).__name__
        return "nothing"

    return {
        "py_function": kind(lambda: tf.py_function(function, [1], tf.int64)),
        "numpy_function": kind(lambda: tf.numpy_function(function, [1], tf.int64)),
        "map": outcomes(dataset.range(2).map(lambda x: tf.py_function(function, [x], tf.int64))),
        "map_numpy": outcomes(
            dataset.range(2).map(lambda x: tf.numpy_function(function, [x], tf.int64))
        ),
        "generator": outcomes(
            dataset.from_generator(generator, output_signature=tf.TensorSpec([], tf.int64))
        ),
    }


def stop_at_two(tf):
    def check(x):
        if int(x) == 2:
            raise StopIteration
        return x

    def function(x):
        y = tf.py_function(check, [x], tf.int64)
        y.set_shape([])
        return y

    return function


ENDS = {
    "map": lambda d, f: d.range(5).map(f),
    "parallel_map": lambda d, f: d.range(5).map(f, num_parallel_calls=2),
    "filter": lambda d, f: d.range(5).filter(lambda x: f(x) >= 0),
    "flat_map": lambda d, f: d.range(5).flat_map(lambda x: d.range(f(x))),
    "interleave": lambda d, f: d.range(5).interleave(lambda x: d.range(f(x)), 2),
    "parallel_interleave": lambda d, f: d.range(5).interleave(
        lambda x: d.range(f(x)), 2, num_parallel_calls=2
    ),
    "scan": lambda d, f: d.range(5).scan(np.int64(0), lambda s, x: (s, f(x))),
    "take_while": lambda d, f: d.range(5).take_while(lambda x: f(x) >= 0),
    "group_by_window": lambda d, f: d.range(5).group_by_window(
        f, lambda k, w: w.batch(2), window_size=2
    ),
    "inside": lambda d, f: d.range(2).flat_map(lambda i: d.range(5).map(f)),
}


@case(step=ENDS)
def an_end_in_a_function_is_not_the_end(tf, step):
    return outcomes(step(tf.data.Dataset, stop_at_two(tf)))


@case
def another_iterator_ends_in_a_map(tf):
    iterator = iter(tf.data.Dataset.range(2))
    return outcomes(tf.data.Dataset.range(5).map(lambda x: next(iterator)))


def in_a_function(tf, body, size=1):
    iterator = iter(tf.data.Dataset.range(size))
    function = tf.function(body)
    found = []
    for _ in range(3):
        try:
            found.append(int(function(iterator)))
        except Exception as error:
            found.append(type(error).__name__)
    return found


def added(tf):
    def add(iterator):
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x + 1
        return total

    return add


@case(size=[0, 1, 2, 5])
def iterators_read_in_functions(tf, size):
    return {
        "next": in_a_function(tf, lambda iterator: next(iterator), size),
        "get_next": in_a_function(tf, lambda iterator: iterator.get_next(), size),
        "default": in_a_function(tf, lambda i: next(i, tf.constant(-5, tf.int64)), size),
        "two": in_a_function(tf, lambda iterator: next(iterator) + next(iterator), size),
        "optional": in_a_function(
            tf, lambda i: tf.cast(i.get_next_as_optional().has_value(), tf.int32), size
        ),
        "loop": in_a_function(tf, added(tf), size),
        "loop_over_dataset": int(tf.function(added(tf))(tf.data.Dataset.range(size))),
    }


def lengths(d, tf):
    return d.range(5).map(lambda n: tf.fill([n], n))


PADDED = {
    "all": lambda d, tf: lengths(d, tf).padded_batch(5, [3]),
    "one_batch": lambda d, tf: lengths(d, tf).padded_batch(2, [3]),
    "drop": lambda d, tf: lengths(d, tf).padded_batch(5, [3], drop_remainder=True),
    "tensor": lambda d, tf: lengths(d, tf).padded_batch(3, tf.constant([1], tf.int64)),
    "sparse": lambda d, tf: (
        lengths(d, tf)
        .apply(tf.data.experimental.dense_to_sparse_batch(2, [1]))
        .map(lambda s: s.values)
    ),
}


@case(make=PADDED)
def padding_that_is_too_short(tf, make):
    return outcomes(make(tf.data.Dataset, tf))


errors(
    "data_after_errors",
    "functions_that_do_not_take_the_elements",
    {
        "map_none": (lambda tf: tf.data.Dataset.range(3).map(lambda: 1), []),
        "map_two": (lambda tf: tf.data.Dataset.range(3).map(lambda a, b: a), ["'b'"]),
        "map_keyword": (lambda tf: tf.data.Dataset.range(3).map(lambda x, *, k: x), ["'k'"]),
        "map_parallel": (lambda tf: tf.data.Dataset.range(3).map(lambda a, b: a, 2), ["'b'"]),
        "map_tuple": (
            lambda tf: tf.data.Dataset.zip((tf.data.Dataset.range(3),) * 2).map(lambda x: x),
            [],
        ),
        "map_tuple_of_three": (
            lambda tf: tf.data.Dataset.zip((tf.data.Dataset.range(3),) * 2).map(lambda a, b, c: a),
            ["'c'"],
        ),
        "map_dictionary": (
            lambda tf: tf.data.Dataset.from_tensor_slices({"a": [1], "b": [2]}).map(lambda a, b: a),
            ["'b'"],
        ),
        "filter": (lambda tf: tf.data.Dataset.range(3).filter(lambda: True), []),
        "take_while": (lambda tf: tf.data.Dataset.range(3).take_while(lambda a, b: True), ["'b'"]),
        "flat_map": (lambda tf: tf.data.Dataset.range(3).flat_map(lambda: 1), []),
        "interleave": (lambda tf: tf.data.Dataset.range(3).interleave(lambda a, b: 1), ["'b'"]),
        "scan": (lambda tf: tf.data.Dataset.range(3).scan(0, lambda s: (s, s)), []),
        "reduce": (lambda tf: tf.data.Dataset.range(0).reduce(0, lambda s: s), []),
        "group_key": (
            lambda tf: tf.data.Dataset.range(3).group_by_window(
                lambda: 1, lambda k, w: w, window_size=2
            ),
            [],
        ),
        "group": (
            lambda tf: tf.data.Dataset.range(3).group_by_window(
                lambda x: x, lambda w: w, window_size=2
            ),
            [],
        ),
        "resample": (
            lambda tf: tf.data.Dataset.range(3).rejection_resample(3, [0.5, 0.5]),
            ["callable"],
        ),
        "shards": (
            lambda tf: tf.data.Dataset.range(3).snapshot("/nowhere", shard_func=3),
            ["callable"],
        ),
    },
)

INPUTS = {
    "empty": lambda d: d.range(0),
    "one": lambda d: d.range(1),
    "three": lambda d: d.range(3),
    "endless": lambda d: d.range(3).repeat(),
    "unknown": lambda d: d.range(3).filter(lambda x: True),
}
COUNTED = {
    "filter": lambda d, i: i.filter(lambda x: True),
    "take_while": lambda d, i: i.take_while(lambda x: True),
    "flat_map": lambda d, i: i.flat_map(lambda x: d.range(2)),
    "interleave": lambda d, i: i.interleave(lambda x: d.range(2), 2),
    "parallel_interleave": lambda d, i: i.interleave(lambda x: d.range(2), 2, None, 2),
    "ignore_errors": lambda d, i: i.ignore_errors(),
    "unique": lambda d, i: i.unique(),
    "group_by_window": lambda d, i: i.group_by_window(lambda x: x, lambda k, w: w, 2),
    "unbatch": lambda d, i: i.batch(2).unbatch(),
    "unbatch_whole": lambda d, i: i.batch(2, drop_remainder=True).unbatch(),
    "rebatch": lambda d, i: i.batch(2).rebatch(3),
    "rebatch_whole": lambda d, i: i.batch(2, drop_remainder=True).rebatch(3, True),
    "scan": lambda d, i: i.scan(0, lambda s, x: (s, x)),
    "window": lambda d, i: i.window(2),
    "zip": lambda d, i: d.zip((i, d.range(2))),
    "concatenate": lambda d, i: i.concatenate(d.range(2)),
    "choose": lambda d, i: d.choose_from_datasets([i, d.range(2)], d.range(4)),
    "take": lambda d, i: i.take(2),
    "take_none": lambda d, i: i.take(0),
    "take_all": lambda d, i: i.take(-1),
    "skip": lambda d, i: i.skip(2),
    "skip_all": lambda d, i: i.skip(-1),
    "shard": lambda d, i: i.shard(2, 1),
    "repeat": lambda d, i: i.repeat(2),
    "repeat_none": lambda d, i: i.repeat(0),
    "repeat_endless": lambda d, i: i.repeat(),
    "enumerate": lambda d, i: i.enumerate(),
    "shuffle": lambda d, i: i.shuffle(2),
    "cache": lambda d, i: i.cache(),
    "padded_batch": lambda d, i: i.padded_batch(2),
}


@case(step=COUNTED)
def cardinality(tf, step):
    d = tf.data.Dataset
    return {name: int(step(d, make(d)).cardinality()) for name, make in INPUTS.items()}


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

"""Control flow as functions: loops along an axis, host functions, lists of tensors."""

import numpy as np

from oracle.inputs import gradient, tensor
from oracle.registry import case, errors


@case
def map_fn(tf):
    x, y = tensor(tf, (3, 2)), tensor(tf, (3,), seed=1)
    return [
        tf.map_fn(lambda row: row * 2, x),
        tf.map_fn(lambda pair: pair[0] * pair[1], (x, y), fn_output_signature=tf.float32),
        tf.map_fn(lambda row: (row, tf.argmax(row)), x, fn_output_signature=(tf.float32, tf.int64)),
        tf.map_fn(
            lambda item: {"sum": item["a"] + item["b"]}, {"a": x, "b": x}, {"sum": tf.float32}
        ),
        tf.map_fn(lambda row: row, tf.zeros([0, 3])),
        tf.map_fn(
            lambda n: n * 2, tf.constant([1, 2]), fn_output_signature=tf.TensorSpec([], tf.int32)
        ),
        tf.map_fn(lambda n: 1, np.array([1.0, 2.0])),
    ]


@case
def map_gradient(tf):
    def mapped(x, w):
        return tf.map_fn(lambda row: tf.reduce_sum(row * w), x)

    return gradient(tf, mapped, tensor(tf, (3, 2)), tensor(tf, (2,), seed=1))


@case
def vectorized_map(tf):
    x = tensor(tf, (3, 2))
    return [
        tf.vectorized_map(lambda row: tf.reduce_sum(row), x),
        tf.vectorized_map(lambda row: 1.0, x),
        tf.vectorized_map(lambda p: p[0] + p[1], (tf.constant([1]), tf.constant([[1, 1], [2, 2]]))),
        gradient(tf, lambda x: tf.vectorized_map(lambda row: row * row[0], x), x),
    ]


@case
def folds(tf):
    x = tf.constant([1, 2, 3])
    return [
        tf.foldl(lambda a, b: 10 * a + b, x),
        tf.foldr(lambda a, b: 10 * a + b, x),
        tf.foldl(lambda a, p: a + p[0] * p[1], (x, x), initializer=0),
        tf.foldl(lambda a, b: a + b, tf.zeros([0, 2]), initializer=tf.ones([2])),
        tf.scan(lambda a, b: a + b, x),
        tf.scan(lambda a, b: a + b, x, reverse=True),
        tf.scan(lambda a, b: (a[0] + b, a[1] * 2.0), x, initializer=(0, 1.0)),
        tf.scan(lambda a, b: a + b[0] - b[1], (x, x), initializer=5),
        gradient(tf, lambda x: tf.scan(lambda a, b: a * b, x), tensor(tf, (4,))),
        gradient(tf, lambda x: tf.foldr(lambda a, b: a * b, x), tensor(tf, (4, 2))),
    ]


@case
def while_loops(tf):
    return [
        tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [0]),
        tf.while_loop(lambda i: i < 9, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=4),
        tf.while_loop(
            lambda i, d: i < 3,
            lambda i, d: (i + 1, {"a": d["a"] * 2}),
            (tf.constant(0), {"a": tf.constant(1.0)}),
        )[1]["a"],
        gradient(
            tf,
            lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1],
            tf.constant(1.5),
        ),
    ]


@case
def py_function(tf):
    return [
        tf.py_function(lambda x: x + 1, [tf.constant(1)], tf.int32),
        tf.py_function(lambda x: (x + 1, 2), [tf.constant(1)], [tf.int32, tf.float32]),
        tf.py_function(lambda x: None, [tf.constant(1)], []),
        tf.py_function(lambda x: np.float64(3), [1.0], tf.float32),
        tf.py_function(lambda x: [x], [tf.constant("a")], [tf.string]),
        gradient(tf, lambda x: tf.py_function(lambda x: x * x, [x], tf.float32), tensor(tf, (3,))),
    ]


@case
def numpy_function(tf):
    x = tf.constant([1, 2])
    return [
        tf.numpy_function(lambda x: x + 1, [x], tf.int32),
        tf.numpy_function(lambda x: x * 1.5, [x], tf.float64),
        tf.numpy_function(lambda x: (x, x), [x], [tf.int32, tf.int32]),
        tf.numpy_function(lambda x: None, [x], []),
        tf.numpy_function(lambda x: 3, [x], tf.int64),
        tf.numpy_function(lambda x: 3.0, [x], tf.float32),
        tf.numpy_function(lambda x: x, [tf.constant(["a", "b"])], tf.string),
        tf.numpy_function(lambda x: "abc", [x], tf.string),
    ]


@case
def tensor_array(tf):
    def floats(size, **more):
        return tf.TensorArray(tf.float32, size, **more)

    twice = floats(2, clear_after_read=False).unstack([1.0, 2.0])
    return [
        floats(3).write(0, 1).stack(),
        floats(3).write(0, [1.0, 2.0]).read(1),
        floats(2).write(0, [1.0, 2.0]).concat(),
        floats(0, dynamic_size=True).write(3, [1.0]).stack(),
        floats(0).stack(),
        floats(0, element_shape=[2]).stack(),
        floats(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).concat(),
        floats(2).scatter([1, 0], [1.0, 2.0]).stack(),
        floats(2).split([1.0, 2.0, 3.0], [1, 2]).read(1),
        floats(2).unstack([1.0, 2.0]).gather([1, 1]),
        floats(2).size(),
        [twice.read(0), twice.read(0)],
        floats(2).dynamic_size,
        str(floats(2).element_shape),
        floats(2).dtype,
    ]


@case
def tensor_array_gradient(tf):
    def squares(x):
        array = tf.TensorArray(tf.float32, 3)
        for i in range(3):
            array = array.write(i, x[i] * x[i])
        return array.stack()

    return gradient(tf, squares, tensor(tf, (3, 2)))


def branch():
    return 1


def switch(branches, at=0):
    return lambda tf: tf.switch_case(tf.constant(at), branches)


SWITCHES = {
    "index": (lambda tf: tf.switch_case(0, [branch]), ["branch_index", "Tensor"]),
    "variable": (lambda tf: tf.switch_case(tf.Variable(0), [branch]), ["branch_index", "Tensor"]),
    "float": (lambda tf: tf.switch_case(tf.constant(0.0), [branch]), []),
    "vector": (lambda tf: tf.switch_case(tf.constant([0]), [branch]), []),
    "gap": (switch({0: branch, 5: branch}), ["contiguous range of [0 to 2)", "{0,5}"]),
    "negative": (switch({-1: branch, 0: branch}), ["contiguous", "{-1,0}"]),
    "from one": (switch({1: branch}, 1), ["contiguous", "{1}"]),
    "twice": (switch([(0, branch), (0, branch)]), ["contiguous", "{0,0}"]),
    "text": (switch({"a": branch}), ["key must be a Python `int`"]),
    "floats": (switch({0.0: branch}), ["key must be a Python `int`"]),
    "value": (switch([(0, 1)]), ["fn for key 0 must be callable"]),
    "empty": (switch([]), ["at least one item"]),
    "triples": (switch([(0, branch, 1)]), ["2-tuple"]),
    "pairs and functions": (switch([(0, branch), branch]), ["2-tuple"]),
}
CASES = {
    "bool": (lambda tf: tf.case([(True, branch)]), ["pred must be a Tensor"]),
    "variable": (lambda tf: tf.case([(tf.Variable(True), branch)]), ["pred must be a Tensor"]),
    "dictionary": (lambda tf: tf.case({True: branch}), ["Unordered dictionaries"]),
    "default": (lambda tf: tf.case([(tf.constant(True), branch)], default=3), ["must be callable"]),
}


@case
def map_rows_of_sparse(tf):
    x = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [3, 4])
    return tf.map_fn(lambda row: tf.sparse.reduce_sum(row) + 1.0, x, fn_output_signature=tf.float32)


@case
def vectorized_map_of_nothing(tf):
    return [
        tf.vectorized_map(lambda row: row * 2.0, tf.zeros([0, 2])),
        tf.vectorized_map(lambda row: (row[0], tf.ones([3, 1])), tf.zeros([0, 2])),
        tf.vectorized_map(lambda row: None, tf.zeros([2, 2])),
    ]


@case
def switch_case(tf):
    branches = [lambda k=k: tf.constant(k) for k in range(3)]
    numbered = dict(zip((2, 0, 1), branches, strict=True))
    index = [tf.constant(k, tf.int64) for k in (0, 1, 2, 3, -1)]
    return [
        *(tf.switch_case(k, branches) for k in index),
        *(tf.switch_case(k, numbered) for k in index),
        *(tf.switch_case(k, list(numbered.items()), lambda: tf.constant(9)) for k in index),
    ]


@case
def while_loops_of_version_1(tf):
    """A body may give the only variable's value by itself; then the loop does, too."""
    repeat = tf.compat.v1.while_loop
    return [
        repeat(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]),
        repeat(lambda i: i < 3, lambda i: i + 1, (0,)),
        repeat(lambda i: i[0] < 3, lambda i: i + 1, [tf.constant([0, 1])]),
        repeat(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)]),
        repeat(lambda i: i < 3, lambda i: (i + 1,), [tf.constant(0)]),
        repeat(lambda i: i < 0, lambda i: i + 1, [tf.constant(0)]),
        repeat(lambda s: s[0] < 3, lambda s: ((s[0] + 1, s[1] * 2.0),), ((0, 1.0),)),
        repeat(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2.0), [0, 1.0]),
        repeat(lambda i: i < 3, lambda i: [i + 1], [0], return_same_structure=True),
    ]


@case
def cond_of_version_1(tf):
    yes, choose = tf.constant(True), tf.compat.v1.cond
    return [
        choose(yes, lambda: [1], lambda: [2]),
        choose(yes, lambda: [1], lambda: [2], strict=True),
        choose(yes, lambda: (1, 2), lambda: (3, 4)),
    ]


errors(
    "loops",
    "wrong",
    {
        "map dtype": (
            lambda tf: tf.map_fn(lambda x: tf.cast(x, tf.float32), tf.constant([1, 2])),
            ["TensorArray dtype is int32"],
        ),
        "map structure": (
            lambda tf: tf.map_fn(lambda x: (x, x), tf.constant([1, 2])),
            ["structure"],
        ),
        "map shapes": (lambda tf: tf.map_fn(lambda x: tf.range(x), tf.constant([1, 2])), ["shape"]),
        "map spec": (
            lambda tf: tf.map_fn(
                lambda n: [n],
                tf.constant([1, 2]),
                fn_output_signature=[tf.TensorSpec([3], tf.int32)],
            ),
            ["Incompatible shape", "3"],
        ),
        "map scalar": (lambda tf: tf.map_fn(lambda x: x, tf.constant(1)), []),
        "fold empty": (lambda tf: tf.foldl(lambda a, x: a + x, tf.zeros([0])), ["index 0"]),
        "while body": (lambda tf: tf.while_loop(lambda i: i < 3, None, [1]), ["callable"]),
        "while empty": (lambda tf: tf.while_loop(lambda: False, lambda: [], []), ["loop_vars"]),
        "while bare": (
            lambda tf: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]),
            ["iterable"],
        ),
        "while structure": (
            lambda tf: tf.while_loop(lambda i: i < 3, lambda i: [i + 1, 2], [0]),
            ["structure"],
        ),
        "while parallel": (
            lambda tf: tf.while_loop(lambda i: i < 3, lambda i: [i], [0], parallel_iterations=0),
            ["parallel_iterations"],
        ),
        "while limits": (
            lambda tf: tf.while_loop(lambda i: i < 3, lambda i: [i], [0], maximum_iterations=[4]),
            ["maximum_iterations", "scalar"],
        ),
        "cond twice": (
            lambda tf: tf.compat.v1.cond(True, branch, branch, fn1=branch),
            ["true_fn", "simultaneously"],
        ),
        "cond empty": (lambda tf: tf.cond(tf.zeros([0]), lambda: 1, lambda: 2), ["empty"]),
        "cond None": (lambda tf: tf.cond(None, lambda: 1, lambda: 2), ["None"]),
        **{f"switch {label}": case for label, case in SWITCHES.items()},
        **{f"case {label}": case for label, case in CASES.items()},
        "py dtype": (
            lambda tf: tf.py_function(lambda x: x + 1, [tf.constant(1)], tf.float32),
            ["float32"],
        ),
        "py raises": (
            lambda tf: tf.py_function(lambda: 1 / 0, [], tf.float32),
            ["ZeroDivisionError"],
        ),
        "py nothing": (
            lambda tf: tf.py_function(lambda: None, [], tf.float32),
            ["returns 0 values"],
        ),
        "np raises": (lambda tf: tf.numpy_function(lambda: 1 / 0, [], tf.int32), ["division"]),
        "array index": (lambda tf: tf.TensorArray(tf.float32, 3).write(5, 1.0), ["not resizeable"]),
        "array negative": (lambda tf: tf.TensorArray(tf.float32, 3).write(-1, 1.0), ["negative"]),
        "array dtype": (
            lambda tf: tf.TensorArray(tf.float32, 3).write(0, tf.constant(1)),
            ["TensorArray dtype is"],
        ),
        "array shape": (
            lambda tf: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]),
            ["Incompatible shape"],
        ),
        "array unknown": (lambda tf: tf.TensorArray(tf.float32, 2).stack(), ["partially known"]),
        "array read": (lambda tf: tf.TensorArray(tf.float32, 2).read(5), ["index 5"]),
        "array size": (lambda tf: tf.TensorArray(tf.float32), ["Size"]),
        "array unstack": (
            lambda tf: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0, 3.0]),
            ["static size"],
        ),
        "array split": (
            lambda tf: tf.TensorArray(tf.float32, 3).split([1.0, 2.0, 3.0], [1, 2]),
            ["resizeable"],
        ),
        "array lengths": (
            lambda tf: tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], [1, 1]),
            ["sum of lengths"],
        ),
    },
)

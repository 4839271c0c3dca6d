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


def parts(value):
    """Ragged and sparse tensors as their parts, others as they are."""
    if isinstance(value, (list, tuple)):
        return [parts(part) for part in value]
    if hasattr(value, "nested_row_splits"):
        return [value.flat_values, *value.nested_row_splits]
    if hasattr(value, "dense_shape"):
        return [value.indices, value.values, value.dense_shape]
    return value


def ragged(tf, dims, dtype="int32"):
    return tf.RaggedTensorSpec(dims, dtype)


def ragged_square(tf, x):
    rows = tf.RaggedTensor.from_row_lengths(x, [2, 0, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(lambda row: row * row, rows).flat_values
    return [y, tape.gradient(y, x)]


COUNTS = [1, 3, 0]
# Functions of a vector; map_fn takes and returns composite tensors in them.
COMPOSITES = {
    "ragged from tensors": lambda tf, n: tf.map_fn(
        tf.range, n, fn_output_signature=ragged(tf, [None])
    ),
    "ragged rank 2": lambda tf, n: tf.map_fn(
        lambda r: tf.RaggedTensor.from_row_lengths(tf.range(r), [r]),
        n,
        fn_output_signature=ragged(tf, [None, None]),
    ),
    "ragged inner": lambda tf, n: tf.map_fn(
        lambda r: tf.reduce_sum(r, -1),
        tf.ragged.constant([[[1, 2], [3]], [[4]]]),
        fn_output_signature=ragged(tf, [None]),
    ),
    "ragged arguments": lambda tf, n: tf.map_fn(
        lambda row: row * 2, tf.RaggedTensor.from_row_lengths(n, [1, 0, 2])
    ),
    "ragged gradient": lambda tf, n: ragged_square(tf, tf.cast(n, tf.float32)),
    "sums of rows": lambda tf, n: tf.map_fn(
        tf.reduce_sum,
        tf.RaggedTensor.from_row_lengths(n, [1, 0, 2]),
        fn_output_signature=tf.int32,
    ),
    "two results": lambda tf, n: tf.map_fn(
        lambda r: (tf.range(r), r * 2),
        n,
        fn_output_signature=(ragged(tf, [None]), tf.int32),
    ),
    "sparse": lambda tf, n: tf.map_fn(
        lambda r: tf.sparse.from_dense([r, 0, r]),
        n,
        fn_output_signature=tf.SparseTensorSpec([3], tf.int32),
    ),
    "sparse arguments": lambda tf, n: tf.map_fn(
        tf.sparse.to_dense,
        tf.sparse.from_dense([[1, 0], [0, 2]]),
        fn_output_signature=tf.int32,
    ),
}


@case(mapped=COMPOSITES)
def composites_in_functions(tf, mapped):
    return parts(tf.function(lambda n: mapped(tf, n))(tf.constant(COUNTS)))


def slope_of_cube(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    return tape.gradient(y, x)


# Functions of one of three matrices.
VECTORIZED = {
    "product": lambda tf, a: a @ tf.ones([2, 2]) + a,
    "reductions": lambda tf, a: [tf.reduce_logsumexp(tf.nn.softmax(a)), tf.reduce_max(a, 0)],
    "slices": lambda tf, a: [a[1:, ::-1], tf.concat([a, a], 0)[None], tf.reshape(a, [-1])],
    "shape and constants": lambda tf, a: [tf.shape(a), tf.constant(3), tf.ones([2])],
    "choice": lambda tf, a: tf.cond(a[0, 0] > 1, lambda: a, lambda: -a),
    "loop": lambda tf, a: tf.while_loop(
        lambda i, s: i < 2, lambda i, s: (i + 1, s + a), (0, tf.zeros([2, 2]))
    ),
    "nested": lambda tf, a: tf.vectorized_map(lambda b: b * tf.reduce_sum(a), a),
    "gradient": slope_of_cube,
    "inverse": lambda tf, a: tf.linalg.inv(a + 9.0 * tf.eye(2)),
    "gather": lambda tf, a: tf.gather(tf.range(100), tf.cast(a, tf.int32)),
    "late attribute": lambda tf, a: a[0, 0] * tf.ones([2 + 0 * tf.cast(a[0, 0], tf.int32)]),
    "sorted": lambda tf, a: list(tf.math.top_k(a, 1)),
}


@case(mapped=VECTORIZED, traced=(False, True), loose=10)
def vectorized(tf, mapped, traced):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda a: mapped(tf, a), x)
        floating = [leaf for leaf in tf.nest.flatten(y) if leaf.dtype.is_floating]
        gradient = tape.gradient(floating, x)
        return [y, None if gradient is None else tf.convert_to_tensor(gradient)]

    x = tf.reshape(tf.range(12.0), [3, 2, 2])
    return (tf.function(run, autograph=False) if traced else run)(x)

"""Variables: making, naming, text, reading, assigning, operators, and values that stay put."""

import numpy as np

from oracle.inputs import ALL, array, resolve, tensor
from oracle.registry import case

MADE = {
    "int": lambda tf: tf.Variable(3),
    "float": lambda tf: tf.Variable(2.5),
    "list": lambda tf: tf.Variable([1.0, 2.0]),
    "nested": lambda tf: tf.Variable([[1, 2], [3, 4]]),
    "tensor": lambda tf: tf.Variable(tf.constant([1, 2], tf.int64)),
    "array": lambda tf: tf.Variable(np.arange(3.0)),
    "variable": lambda tf: tf.Variable(tf.Variable([1.0])),
    "callable": lambda tf: tf.Variable(lambda: tf.ones([2, 2])),
    "dtype": lambda tf: tf.Variable([1, 2], dtype=tf.float32),
    "dtype string": lambda tf: tf.Variable(1, dtype="float64"),
    "bool": lambda tf: tf.Variable(True),
    "string": lambda tf: tf.Variable(["a", "b"]),
    "complex": lambda tf: tf.Variable(1 + 2j),
    "empty": lambda tf: tf.Variable(tf.zeros([0, 3])),
    "not trainable": lambda tf: tf.Variable(1.0, trainable=False),
    "named": lambda tf: tf.Variable([1.0], name="weights"),
    "shape": lambda tf: tf.Variable([1.0, 2.0], shape=[2]),
    "open shape": lambda tf: tf.Variable([1.0, 2.0], shape=tf.TensorShape(None)),
    "half open shape": lambda tf: tf.Variable([[1.0, 2.0]], shape=[None, 2]),
}


@case(form=MADE)
def made(tf, form):
    v = form(tf)
    return [v, v.numpy(), repr(v), str(v), v.name, v.dtype, v.shape, v.trainable, v.device]


@case(dtype=ALL)
def made_dtype(tf, dtype):
    v = tf.Variable(array((2, 2), dtype))
    return [v, repr(v)]


NAMES = {
    "default": lambda tf: [tf.Variable(1).name, tf.Variable(2).name],
    "same name twice": lambda tf: [tf.Variable(1, name="w").name, tf.Variable(2, name="w").name],
    "slashes": lambda tf: tf.Variable(1, name="dense/kernel").name,
    "name scope": lambda tf: _scoped(tf),
}


def _scoped(tf):
    with tf.name_scope("outer"), tf.name_scope("inner"):
        return tf.Variable(1, name="w").name


@case(form=NAMES)
def names(tf, form):
    return form(tf)


@case(
    value={
        "long": np.arange(1200.0),
        "matrix": np.arange(6).reshape(2, 3),
        "deep": np.arange(8.0, dtype=np.float32).reshape(2, 2, 2),
    }
)
def text(tf, value):
    v = tf.Variable(value, name="v")
    return [repr(v), str(v), f"{v}", str([v])]


def reads(tf, v):
    return [v.numpy(), v.read_value(), v.value(), tf.convert_to_tensor(v), tf.identity(v)]


STEPS = {
    "assign": lambda tf, v: v.assign([3.0, 4.0]),
    "assign tensor": lambda tf, v: v.assign(tf.constant([5.0, 6.0])),
    "assign variable": lambda tf, v: v.assign(tf.Variable([7.0, 8.0])),
    "assign array": lambda tf, v: v.assign(np.array([7.0, 8.0], np.float32)),
    "assign ints": lambda tf, v: v.assign([1, 2]),
    "assign_add": lambda tf, v: v.assign_add([0.5, 1.0]),
    "assign_sub": lambda tf, v: v.assign_sub([0.5, 1.0]),
    "assign_add tensor": lambda tf, v: v.assign_add(tf.ones([2])),
    "assign_sub itself": lambda tf, v: v.assign_sub(v),
    "assign own expression": lambda tf, v: v.assign(v * 2.0 + 1.0),
    "no read_value": lambda tf, v: v.assign([9.0, 9.0], read_value=False),
    "chain": lambda tf, v: v.assign([1.0, 1.0]).assign_add([1.0, 2.0]).assign_sub([0.5, 0.5]),
    "name": lambda tf, v: v.assign([1.0, 2.0], name="n"),
}


@case(step=STEPS)
def assign(tf, step):
    v = tf.Variable([1.0, 2.0])
    result = step(tf, v)
    return [result is None, result if result is not None else 0, v, reads(tf, v)]


@case(step=STEPS)
def assign_leaves_what_was_read(tf, step):
    v = tf.Variable([1.0, 2.0])
    held = [*reads(tf, v), v[0], v[:1], tf.reshape(v, [2, 1]), v + 0.0]
    step(tf, v)
    return [held, v]


@case(
    name=("assign_add", "assign_sub", "assign"),
    dtype=("float16", "bfloat16", "float64", "int32", "int64", "uint8", "complex64"),
)
def assign_dtype(tf, name, dtype):
    v = tf.Variable(array((2, 3), dtype, 2, 5))
    getattr(v, name)(array((2, 3), dtype, 0, 2, seed=1))
    return v


ASSIGN_FORMS = {
    "scalar": lambda tf: tf.Variable(1).assign_add(2),
    "scalar float": lambda tf: tf.Variable(1.0).assign_sub(0.25),
    "bool": lambda tf: tf.Variable(True).assign(False),
    "string": lambda tf: tf.Variable("a").assign("b"),
    "slice": lambda tf: _sliced(tf),
    "augmented": lambda tf: _augmented(tf),
    "open shape": lambda tf: _reshaped(tf),
    "empty": lambda tf: tf.Variable(tf.zeros([0])).assign(tf.zeros([0])),
    "many": lambda tf: _repeated(tf),
    "independent of the source": lambda tf: _source(tf),
    "initialized": lambda tf: tf.Variable(1).is_initialized(),
    "indexed result": lambda tf: [tf.Variable([1, 2]).assign([3, 4])[1], tf.Variable(2) * 3],
}


def _sliced(tf):
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v[0].assign([7.0, 8.0, 9.0])
    v[:, 1].assign([0.0, -1.0])
    v[1, 2].assign(99.0)
    return v


def _augmented(tf):
    v = w = tf.Variable([1.0, 2.0])
    w = w + 1.0
    return [v, w, isinstance(w, tf.Variable)]


def _reshaped(tf):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    v.assign([1.0, 2.0, 3.0])
    return [v, v.shape, v.numpy(), tf.shape(v)]


def _repeated(tf):
    v = tf.Variable([0.0, 0.0])
    held = []
    for step in range(5):
        v.assign_add([1.0, float(step)])
        if step % 2:
            held.append(v.value())
    return [held, v]


def _source(tf):
    source = tf.constant([1.0, 2.0])
    v, w = tf.Variable(source), tf.Variable(source)
    v.assign_add([10.0, 10.0])
    return [source, v, w]


@case(form=ASSIGN_FORMS)
def assign_form(tf, form):
    return form(tf)


OPERATORS = {
    "arithmetic": lambda tf, v: [v + 1.0, 1.0 - v, v * v, v / 2.0, 2.0 / v, -v, abs(v), v**2],
    "integer": lambda tf, v: [tf.Variable(7) // 2, tf.Variable(7) % 4, 7 // tf.Variable(2)],
    "compare": lambda tf, v: [v < 1.5, v >= tf.constant([1.0, 3.0]), v == v, v != [1.0, 0.0]],
    "with tensor": lambda tf, v: [v + tf.constant([1.0, 1.0]), tf.constant([1.0, 1.0]) - v],
    "with array": lambda tf, v: v * np.array([2.0, 3.0], np.float32),
    "functions": lambda tf, v: [
        tf.exp(v),
        tf.reduce_sum(v),
        tf.stack([v, v]),
        tf.concat([v, v], 0),
    ],
    "index": lambda tf, v: [v[0], v[-1], v[::-1], v[..., None]],
    "protocols": lambda tf, v: [int(tf.Variable(3)), float(tf.Variable(2.5)), bool(tf.Variable(0))],
    "iteration": lambda tf, v: list(v),
    "numpy": lambda tf, v: [np.asarray(v), np.sum(v), np.exp(v)],
    "shape": lambda tf, v: [v.shape, v.get_shape(), v.shape.rank, tf.shape(v), tf.rank(v)],
    "dtype": lambda tf, v: [v.dtype, v.dtype == tf.float32],
    "logical": lambda tf, v: [tf.Variable([True]) & True, ~tf.Variable([True, False])],
    "matmul": lambda tf, v: tf.Variable([[1.0, 2.0]]) @ tf.Variable([[3.0], [4.0]]),
    "instance": lambda tf, v: [
        isinstance(v, tf.Variable),
        isinstance(v, tf.Tensor),
        tf.is_tensor(v),
        isinstance(v.value(), tf.Variable),
    ],
    "ref": lambda tf, v: [v.ref() == v.ref(), v.ref() == tf.Variable([1.0, 2.0]).ref()],
    "truth of equality": lambda tf, v: bool(tf.Variable(1) == 1),
    "ref as key": lambda tf, v: {v.ref(): 1}[v.ref()],
    "deepcopy": lambda tf, v: _deepcopied(tf, v),
}


def _deepcopied(tf, v):
    import copy

    other = copy.deepcopy(v)
    other.assign([0.0, 0.0])
    return [v, other, v.name == other.name]


@case(form=OPERATORS)
def operator(tf, form):
    return form(tf, tf.Variable([1.0, 2.0]))


SCATTERS = {
    "gather": lambda tf, v: [tf.gather(v, [1, 0]), v.sparse_read([0, 1])],
    "gather_nd": lambda tf, v: tf.gather_nd(v, [[0], [1]]),
}


@case(form=SCATTERS)
def gathered(tf, form):
    return form(tf, tf.Variable([[1.0, 2.0], [3.0, 4.0]]))


@case(trainable=(True, False))
def trainable_decides_watching(tf, trainable):
    v = tf.Variable([1.0, 2.0], trainable=trainable)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    return [tape.gradient(y, v), v.trainable]


@case(dtype=("float32", "int32"))
def large_variable_in_place(tf, dtype):
    v = tf.Variable(tf.ones([1000], resolve(tf, dtype)))
    before = v.value()
    v.assign_add(tf.ones([1000], resolve(tf, dtype)))
    after = v.value()
    v.assign_sub(tensor(tf, (1000,), dtype))
    return [tf.reduce_sum(before), tf.reduce_sum(after), v[:7]]


@case(method=("scatter_nd_max", "scatter_nd_min", "scatter_nd_add", "scatter_nd_sub"))
def scattered_into(tf, method):
    v = tf.Variable([[1.0, 5.0], [3.0, 4.0], [2.0, 2.0]])
    rows = getattr(v, method)([[0], [2]], [[2.0, 2.0], [1.0, 3.0]])
    first = rows.numpy()
    getattr(v, method)([[1, 1], [1, 0]], [3.5, 3.5])
    return [first, v]

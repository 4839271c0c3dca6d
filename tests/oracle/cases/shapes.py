"""Operations on shape and place: reshaping, joining, splitting, padding, gathering, making."""

import numpy as np

from oracle.inputs import ALL, COMMON, SHAPES, array, gradient, gradient2, resolve, tensor
from oracle.registry import case, errors

# Programs on a (2, 3, 4) tensor; each is run over dtypes, differentiated, and twice.
MOVES = {
    "reshape": lambda tf, x: tf.reshape(x, [4, 6]),
    "reshape -1": lambda tf, x: tf.reshape(x, [3, -1]),
    "reshape flat": lambda tf, x: tf.reshape(x, [-1]),
    "reshape tuple": lambda tf, x: tf.reshape(x, (2, 2, 3, 2)),
    "transpose": lambda tf, x: tf.transpose(x),
    "transpose 102": lambda tf, x: tf.transpose(x, [1, 0, 2]),
    "transpose 120": lambda tf, x: tf.transpose(x, perm=[1, 2, 0]),
    "transpose 021": lambda tf, x: tf.transpose(x, [0, 2, 1]),
    "transpose identity": lambda tf, x: tf.transpose(x, [0, 1, 2]),
    "expand_dims 0": lambda tf, x: tf.expand_dims(x, 0),
    "expand_dims -1": lambda tf, x: tf.expand_dims(x, axis=-1),
    "expand_dims 1": lambda tf, x: tf.expand_dims(x, 1),
    "squeeze": lambda tf, x: tf.squeeze(tf.reshape(x, [1, 2, 3, 1, 4])),
    "squeeze axis": lambda tf, x: tf.squeeze(tf.reshape(x, [1, 2, 3, 1, 4]), axis=[0, -2]),
    "squeeze one": lambda tf, x: tf.squeeze(tf.reshape(x, [1, 2, 3, 1, 4]), 3),
    "concat 0": lambda tf, x: tf.concat([x, x], 0),
    "concat 1": lambda tf, x: tf.concat([x, x[:, :1], x], axis=1),
    "concat -1": lambda tf, x: tf.concat([x[..., :0], x, x[..., 2:]], axis=-1),
    "concat one": lambda tf, x: tf.concat([x], axis=2),
    "stack 0": lambda tf, x: tf.stack([x, x]),
    "stack 2": lambda tf, x: tf.stack([x, x, x], axis=2),
    "stack -1": lambda tf, x: tf.stack([x, x], axis=-1),
    "unstack": lambda tf, x: tf.stack(tf.unstack(x)[::-1]),
    "unstack 2": lambda tf, x: tf.stack(tf.unstack(x, axis=2)[1:3]),
    "unstack -2": lambda tf, x: tf.concat(tf.unstack(x, num=3, axis=-2), 0),
    "split": lambda tf, x: tf.concat(tf.split(x, 2, axis=2)[::-1], 2),
    "split sizes": lambda tf, x: tf.concat(tf.split(x, [1, 3], axis=-1)[::-1], 0 - 1),
    "split -1": lambda tf, x: tf.split(x, [1, -1], axis=1)[1],
    "slice": lambda tf, x: tf.slice(x, [0, 1, 1], [2, 1, 2]),
    "slice rest": lambda tf, x: tf.slice(x, [1, 0, 2], [-1, 2, -1]),
    "strided_slice": lambda tf, x: tf.strided_slice(x, [0, 0, 3], [2, 3, 0], [1, 2, -1]),
    "tile": lambda tf, x: tf.tile(x, [2, 1, 3]),
    "tile ones": lambda tf, x: tf.tile(x, [1, 1, 1]),
    "tile none": lambda tf, x: tf.tile(x, [1, 0, 1]),
    "pad constant": lambda tf, x: tf.pad(x, [[1, 0], [0, 2], [1, 1]]),
    "pad reflect": lambda tf, x: tf.pad(x, [[1, 1], [0, 2], [3, 1]], "REFLECT"),
    "pad symmetric": lambda tf, x: tf.pad(x, [[2, 1], [0, 3], [1, 4]], mode="SYMMETRIC"),
    "pad none": lambda tf, x: tf.pad(x, [[0, 0], [0, 0], [0, 0]]),
    "broadcast_to": lambda tf, x: tf.broadcast_to(x, [2, 2, 3, 4]),
    "broadcast_to rows": lambda tf, x: tf.broadcast_to(x[:, :1], [2, 3, 4]),
    "gather": lambda tf, x: tf.gather(x, [1, 0, 1]),
    "gather axis": lambda tf, x: tf.gather(x, [[3, 0], [1, 1]], axis=2),
    "gather -2": lambda tf, x: tf.gather(x, [2], axis=-2),
    "gather scalar": lambda tf, x: tf.gather(x, 1, axis=1),
    "gather empty": lambda tf, x: tf.gather(x, tf.zeros([0], tf.int32), axis=1),
    "gather batch": lambda tf, x: tf.gather(x, [[0, 2], [1, 1]], axis=1, batch_dims=1),
    "gather batch 2": lambda tf, x: tf.gather(
        x, tf.constant([[[0], [3], [1]], [[2], [2], [0]]]), batch_dims=2
    ),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[0, 1, 2], [1, 2, 3], [0, 1, 2]]),
    "gather_nd rows": lambda tf, x: tf.gather_nd(x, [[[0, 1]], [[1, 2]]]),
    "gather_nd all": lambda tf, x: tf.gather_nd(x, tf.zeros([2, 0], tf.int32)),
    "gather_nd batch": lambda tf, x: tf.gather_nd(x, [[[1], [0]], [[2], [2]]], batch_dims=1),
    "scatter_nd": lambda tf, x: tf.scatter_nd([[3], [0]], x, [5, 3, 4]),
    "scatter_nd adds": lambda tf, x: tf.scatter_nd([[1], [1]], x, [2, 3, 4]),
    "reverse": lambda tf, x: tf.reverse(x, [0]),
    "reverse two": lambda tf, x: tf.reverse(x, axis=[-1, 1]),
    "reverse none": lambda tf, x: tf.reverse(x, []),
    "boolean_mask": lambda tf, x: tf.boolean_mask(x, [True, False]),
    "boolean_mask 2d": lambda tf, x: tf.boolean_mask(x, [[True, False, True], [False, True, True]]),
    "boolean_mask axis": lambda tf, x: tf.boolean_mask(x, [True, False, True, True], axis=2),
    "boolean_mask none": lambda tf, x: tf.boolean_mask(x, np.zeros([2, 3, 4], bool)),
    "identity": lambda tf, x: tf.identity(x),
    "stop_gradient": lambda tf, x: x * tf.stop_gradient(x) if x.dtype.is_floating else x,
    "zeros_like": lambda tf, x: tf.zeros_like(x),
    "ones_like": lambda tf, x: tf.ones_like(x),
}


@case(move=MOVES)
def move(tf, move):
    return move(tf, tensor(tf, (2, 3, 4)))


@case(sweep=True, name=list(MOVES), dtype=[d for d in ALL if d != "float32"])
def move_dtype(tf, name, dtype):
    return MOVES[name](tf, tensor(tf, (2, 3, 4), dtype, -9, 9))


# TensorFlow cannot differentiate a gather_nd whose indices are empty.
SMOOTH = [name for name in MOVES if name != "gather_nd all"]


@case(name=SMOOTH)
def move_gradient(tf, name):
    return gradient(tf, lambda x: MOVES[name](tf, x), tensor(tf, (2, 3, 4)))["grads"]


@case(name=[name for name in SMOOTH if " " not in name or "pad" in name or "gather" in name])
def move_gradient2(tf, name):
    def twice(x):
        return MOVES[name](tf, x * x)

    return gradient2(tf, twice, tensor(tf, (2, 3, 4), "float64"))


@case(name=("transpose", "concat 1", "gather axis", "pad reflect", "tile"))
def move_gradient_complex(tf, name):
    return gradient(tf, lambda x: MOVES[name](tf, x), tensor(tf, (2, 3, 4), "complex64"))["grads"]


STRINGS = (
    "reshape",
    "transpose",
    "concat 0",
    "stack 0",
    "gather",
    "slice",
    "tile",
    "expand_dims 0",
    "strided_slice",
    "reverse",
    "boolean_mask",
    "broadcast_to",
    "identity",
    "split",
    "gather_nd",
    "squeeze",
    "unstack",
)


@case(name=STRINGS)
def move_strings(tf, name):
    words = [f"w{i}" for i in range(24)]
    return MOVES[name](tf, tf.reshape(tf.constant(words), [2, 3, 4]))


# --- shapes that are easily got wrong ---------------------------------------------------------

CORNERS = {
    "reshape scalar": lambda tf: [tf.reshape([7], []), tf.reshape(7.0, [1, 1])],
    "reshape empty": lambda tf: [tf.reshape(tf.zeros([0, 3]), [3, 0]), tf.reshape([], [0, 5])],
    "reshape empty -1": lambda tf: tf.reshape(tf.zeros([0, 3]), [-1, 3]),
    "reshape tensor shape": lambda tf: tf.reshape(tf.range(6), tf.constant([3, 2])),
    "reshape int64 shape": lambda tf: tf.reshape(tf.range(6), tf.constant([3, 2], tf.int64)),
    "reshape packed shape": lambda tf: tf.reshape(tf.range(6), [tf.constant(3), 2]),
    "reshape TensorShape": lambda tf: tf.reshape(tf.range(6), tf.TensorShape([2, 3])),
    "reshape scalar -1": lambda tf: tf.reshape(5, [-1]),
    "transpose scalar": lambda tf: tf.transpose(3.0),
    "transpose vector": lambda tf: tf.transpose([1, 2, 3]),
    "transpose empty": lambda tf: tf.transpose(tf.zeros([0, 2, 3])),
    "transpose 5d": lambda tf: tf.transpose(tensor(tf, (2, 1, 3, 2, 2)), [4, 2, 0, 3, 1]),
    "transpose 6d": lambda tf: tf.transpose(tensor(tf, (2, 1, 3, 2, 1, 2)), [5, 3, 1, 0, 2, 4]),
    "transpose large": lambda tf: tf.transpose(tensor(tf, (37, 53)))[::9, ::7],
    "transpose conjugate": lambda tf: tf.transpose(tensor(tf, (2, 3), "complex64"), conjugate=True),
    "matrix_transpose": lambda tf: tf.linalg.matrix_transpose(tensor(tf, (2, 3, 4))),
    "expand scalar": lambda tf: tf.expand_dims(1.5, 0),
    "expand empty": lambda tf: tf.expand_dims(tf.zeros([0]), -1),
    "squeeze nothing": lambda tf: tf.squeeze([[1, 2], [3, 4]]),
    "squeeze to scalar": lambda tf: tf.squeeze([[[5]]]),
    "squeeze empty": lambda tf: tf.squeeze(tf.zeros([1, 0, 1])),
    "concat lists": lambda tf: tf.concat([[1, 2], [3]], 0),
    "concat list and tensor": lambda tf: tf.concat([tf.constant([1.0]), [2, 3]], 0),
    "concat empty": lambda tf: tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0),
    "concat axis tensor": lambda tf: tf.concat([[[1]], [[2]]], tf.constant(1)),
    "concat many": lambda tf: tf.concat([tf.fill([1, i], i) for i in range(1, 9)], 1),
    "concat 5d": lambda tf: tf.concat([tensor(tf, (2, 1, 3, 1, 2))] * 2, 3),
    "concat single tensor": lambda tf: tf.concat(tf.constant([1, 2]), 0),
    "stack scalars": lambda tf: [tf.stack([1, 2, 3]), tf.stack([tf.constant(1.0), 2.0])],
    "stack lists": lambda tf: tf.stack([[1, 2], [3, 4]], axis=1),
    "stack empty": lambda tf: tf.stack([tf.zeros([0]), tf.zeros([0])]),
    "stack arrays": lambda tf: tf.stack([np.arange(3), np.arange(3)], axis=-1),
    "unstack scalars": lambda tf: tf.unstack([1.0, 2.0]),
    "unstack empty": lambda tf: tf.unstack(tf.zeros([0, 2])),
    "unstack list": lambda tf: tf.unstack([[1, 2], [3, 4]], axis=1),
    "split three": lambda tf: tf.split(tf.range(6), 3),
    "split sizes": lambda tf: tf.split(tf.range(6), [1, 2, 3]),
    "split zero size": lambda tf: tf.split(tf.range(3), [0, 3, 0]),
    "split tensor sizes": lambda tf: tf.split(tf.range(6), tf.constant([4, 2])),
    "split one": lambda tf: tf.split(tf.range(4), 1),
    "split empty": lambda tf: tf.split(tf.zeros([0, 4]), 2, axis=1),
    "slice scalar size": lambda tf: tf.slice([1, 2, 3], [1], [1]),
    "slice none": lambda tf: tf.slice([1, 2, 3], [3], [0]),
    "tile scalar": lambda tf: tf.tile(3, []),
    "tile vector": lambda tf: tf.tile([1, 2], [3]),
    "tile by tensor": lambda tf: tf.tile([[1], [2]], tf.constant([1, 2])),
    "tile 5d": lambda tf: tf.tile(tensor(tf, (2, 1, 2, 1, 1)), [1, 2, 1, 1, 3]),
    "pad value": lambda tf: tf.pad([[1, 2]], [[1, 1], [0, 2]], constant_values=7),
    "pad lower case": lambda tf: tf.pad([1, 2, 3], [[2, 2]], "reflect"),
    "pad vector": lambda tf: [tf.pad([1, 2, 3], [[1, 2]], m) for m in ("REFLECT", "SYMMETRIC")],
    "pad tensor": lambda tf: tf.pad([1.0], tf.constant([[1, 2]]), "CONSTANT", -1.0),
    "pad empty": lambda tf: tf.pad(tf.zeros([0, 2]), [[1, 0], [0, 1]]),
    "pad 5d": lambda tf: tf.pad(
        tensor(tf, (1, 2, 1, 1, 2)), [[0, 0], [1, 0], [0, 0], [0, 0], [0, 1]]
    ),
    "broadcast scalar": lambda tf: tf.broadcast_to(3, [2, 2]),
    "broadcast to scalar": lambda tf: tf.broadcast_to(3.0, []),
    "broadcast empty": lambda tf: tf.broadcast_to(tf.zeros([1, 3]), [0, 3]),
    "broadcast 5d": lambda tf: tf.broadcast_to(tensor(tf, (2, 1, 2, 1)), [2, 2, 3, 2, 2]),
    "gather int64": lambda tf: tf.gather([1, 2, 3], tf.constant([2, 0], tf.int64)),
    "gather list": lambda tf: tf.gather([[1, 2], [3, 4]], 1),
    "gather of empty": lambda tf: tf.gather(tf.zeros([3, 0]), [0, 2]),
    "gather_nd scalar": lambda tf: tf.gather_nd([1, 2, 3], [1]),
    "gather_nd strings": lambda tf: tf.gather_nd([["a", "b"], ["c", "d"]], [[1, 0], [0, 1]]),
    "scatter_nd": lambda tf: tf.scatter_nd([[4], [3], [1], [7]], [9, 10, 11, 12], [8]),
    "scatter_nd points": lambda tf: tf.scatter_nd(
        [[0, 1], [1, 1], [0, 1]], [1.0, 2.0, 4.0], [2, 2]
    ),
    "scatter_nd empty": lambda tf: tf.scatter_nd(
        tf.zeros([0, 1], tf.int32), tf.zeros([0, 2]), [3, 2]
    ),
    "scatter_nd int64": lambda tf: tf.scatter_nd(
        tf.constant([[0], [2]], tf.int64), [1, 2], tf.constant([3], tf.int64)
    ),
    "scatter_nd nested": lambda tf: tf.scatter_nd([[[0], [1]], [[2], [0]]], [[1, 2], [3, 4]], [3]),
    "reverse list": lambda tf: tf.reverse([[1, 2], [3, 4]], [1]),
    "reverse 5d": lambda tf: tf.reverse(tensor(tf, (2, 1, 3, 1, 2)), [0, 2, 4]),
    "mask array": lambda tf: tf.boolean_mask(np.arange(4), np.array([True, False, False, True])),
    "mask tensor": lambda tf: tf.boolean_mask([1.0, 2.0], tf.constant([False, True])),
    "meaning of name": lambda tf: tf.reshape([1, 2], [2, 1], name="r"),
}


@case(form=CORNERS)
def corner(tf, form):
    return form(tf)


# --- shape, size, rank ------------------------------------------------------------------------


@case(shape=SHAPES)
def shape_size_rank(tf, shape):
    x = tensor(tf, shape)
    return [tf.shape(x), tf.size(x), tf.rank(x), x.shape, x.shape.rank, x.ndim, x.shape.as_list()]


SHAPE_FORMS = {
    "shape of list": lambda tf: tf.shape([[1, 2, 3]]),
    "shape int64": lambda tf: tf.shape([[1, 2]], out_type=tf.int64),
    "size int64": lambda tf: tf.size([[1, 2]], out_type=tf.int64),
    "shape of variable": lambda tf: [tf.shape(tf.Variable([1.0, 2.0])), tf.rank(tf.Variable(1))],
    "shape entry": lambda tf: [tf.shape(tf.zeros([2, 3]))[1], tf.zeros([2, 3]).shape[1]],
    "rank of list": lambda tf: tf.rank([[1]]),
    "get_shape": lambda tf: tf.zeros([2, 3]).get_shape(),
    "identity of list": lambda tf: tf.identity([1, 2]),
    "identity of variable": lambda tf: tf.identity(tf.Variable([1.0])),
    "stop_gradient of list": lambda tf: tf.stop_gradient([1.0]),
}


@case(form=SHAPE_FORMS)
def shape_form(tf, form):
    return form(tf)


# --- making tensors ---------------------------------------------------------------------------

MADE = {
    "zeros": lambda tf: [tf.zeros([2, 3]), tf.zeros(()), tf.zeros([0]), tf.zeros(3)],
    "zeros shapes": lambda tf: [
        tf.zeros(tf.constant([1, 2])),
        tf.zeros(tf.TensorShape([2])),
        tf.zeros((2, tf.constant(1))),
        tf.zeros(np.array([2, 1])),
    ],
    "ones": lambda tf: [tf.ones([2, 3]), tf.ones([]), tf.ones((1, 0)), tf.ones(2, tf.int64)],
    "zeros string": lambda tf: tf.zeros([2], tf.string),
    "ones_like dtype": lambda tf: tf.ones_like([1, 2], dtype=tf.float64),
    "zeros_like dtype": lambda tf: tf.zeros_like(tf.constant([1.5, 2.0]), tf.int32),
    "zeros_like list": lambda tf: tf.zeros_like([[1, 2]]),
    "zeros_like string": lambda tf: tf.zeros_like(tf.constant(["a", "b"])),
    "zeros_like variable": lambda tf: tf.zeros_like(tf.Variable([1.0, 2.0])),
    "fill": lambda tf: [
        tf.fill([2, 2], 7),
        tf.fill([], 1.5),
        tf.fill([0], True),
        tf.fill([3], "s"),
    ],
    "fill tensor dims": lambda tf: tf.fill(tf.constant([1, 2]), tf.constant(3, tf.uint8)),
    "eye": lambda tf: [tf.eye(2), tf.eye(2, 3), tf.eye(3, 2, dtype=tf.int32), tf.eye(0)],
    "eye batch": lambda tf: [tf.eye(2, batch_shape=[2, 1]), tf.linalg.eye(2, dtype=tf.complex64)],
    "range": lambda tf: [tf.range(5), tf.range(2, 5), tf.range(10, 1, -3), tf.range(0)],
    "range floats": lambda tf: [tf.range(3.0), tf.range(0.0, 1.0, 0.25), tf.range(1.0, 2.0)],
    "range mixed": lambda tf: [tf.range(0, 1.0, 0.5), tf.range(1, 4.0), tf.range(0.0, 3)],
    "range dtype": lambda tf: [
        tf.range(4, dtype=tf.float32),
        tf.range(1, 9, 4, dtype=tf.int64),
        tf.range(3, dtype=tf.float64),
    ],
    "range tensors": lambda tf: [
        tf.range(tf.constant(3)),
        tf.range(tf.constant(1, tf.int64), 4),
        tf.range(np.int64(3)),
        tf.range(limit=3, start=1),
    ],
    "range empty": lambda tf: [tf.range(3, 3), tf.range(2, 2, -1), tf.range(0.0)],
    "range negative": lambda tf: [tf.range(3, 0, -1), tf.range(1.0, -1.0, -0.5)],
    "linspace": lambda tf: [
        tf.linspace(0.0, 1.0, 5),
        tf.linspace(1.0, -1.0, 3),
        tf.linspace(2.0, 3.0, 1),
        tf.linspace(0, 10, 5),
        tf.linspace(tf.constant(0.0, tf.float64), 1.0, 4),
    ],
    "linspace rows": lambda tf: [
        tf.linspace([0.0, 5.0], [10.0, 40.0], 3),
        tf.linspace([0.0, 5.0], [10.0, 40.0], 3, axis=-1),
    ],
    "one_hot": lambda tf: tf.one_hot([0, 2, -1, 5], 3),
    "one_hot values": lambda tf: tf.one_hot([0, 2], 3, on_value=5, off_value=-1),
    "one_hot bool": lambda tf: tf.one_hot([0, 2], 3, on_value=True, off_value=False),
    "one_hot dtype": lambda tf: [
        tf.one_hot([1], 2, dtype=tf.int32),
        tf.one_hot([1], 2, 1.0, 0.0, dtype=tf.float64),
        tf.one_hot(tf.constant([1], tf.int64), 2, dtype=tf.complex64),
        tf.one_hot(tf.constant([1], tf.uint8), 2, dtype=tf.float16),
    ],
    "one_hot axis": lambda tf: [
        tf.one_hot([[0, 1], [2, 0]], 3, axis=0),
        tf.one_hot([[0, 1], [2, 0]], 3, axis=1),
        tf.one_hot([[0, 1], [2, 0]], 3, axis=-1),
    ],
    "one_hot scalar": lambda tf: [tf.one_hot(1, 3), tf.one_hot(tf.zeros([0], tf.int32), 2)],
    "one_hot depth tensor": lambda tf: tf.one_hot([1], tf.constant(2)),
}


@case(form=MADE)
def made(tf, form):
    return form(tf)


@case(sweep=True, dtype=(*ALL, "string"), name=("zeros", "ones", "eye", "range", "fill"))
def made_dtype(tf, name, dtype):
    dtype = resolve(tf, dtype)
    if name == "range":
        return tf.range(4, dtype=dtype)
    if name == "eye":
        return tf.eye(2, 3, dtype=dtype)
    if name == "fill":
        return tf.fill([2], tf.zeros([], dtype))
    return resolve(tf, name)([2, 2], dtype)


@case(sweep=True, dtype=COMMON, name=("zeros_like", "ones_like"))
def like_dtype(tf, name, dtype):
    return resolve(tf, name)(tensor(tf, (2, 1), dtype))


@case
def fill_gradient(tf):
    return gradient(tf, lambda x: tf.fill([2, 3], x), tf.constant(2.0))


@case
def linspace_gradient(tf):
    def line(start, stop):
        return tf.linspace(start, stop, 4)

    return gradient(tf, line, tf.constant(1.0), tf.constant(3.0))


@case
def stack_gradient_of_scalars(tf):
    def build(a, b):
        return tf.stack([a, b, a * b, 1.0])

    return gradient(tf, build, tf.constant(2.0), tf.constant(3.0))


@case
def gather_gradient_repeated(tf):
    x = tensor(tf, (4, 2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [1, 1, 3]) * [[1.0], [2.0], [3.0]]
    grad = tape.gradient(y, x)
    return [type(grad).__name__, tf.convert_to_tensor(grad)]


@case(kind=("variable", "tensor"))
def gather_gradient_is_sparse(tf, kind):
    x = array((4, 2))
    x = tf.Variable(x) if kind == "variable" else tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, [1, 1, 3])
    grad = tape.gradient(y, x)
    return [type(grad).__name__, grad.values, grad.indices, grad.dense_shape]


# The length of a range depends on how many digits each step of its computation has.
RANGES = (
    (0.0, 1.0, 0.04),
    (1.0, 0.0, -0.04),
    (0.0, 6.3, 0.7),
    (-1.0, 7.4, 0.7),
    (0.0, 0.17, 0.01),
    (8.1, 0.0, -0.3),
    (2.0, 2.0, 0.5),
    (0.0, 3000.0, 7.0),
    (0.0, 1.0, float("inf")),
)


@case(dtype=("float16", "bfloat16", "float32", "float64"), loose=0.0)
def range_of_floats(tf, dtype):
    return [tf.range(*(tf.constant(part, dtype) for part in parts)) for parts in RANGES]


@case(dtype=("int32", "int64"), loose=0.0)
def range_of_integers(tf, dtype):
    top = tf.as_dtype(dtype).max
    parts = [(0, 10, 3), (10, 0, -3), (0, 0, 1), (-top - 1, top, top // 2), (top, top - 7, -2)]
    return [tf.range(*(tf.constant(part, dtype) for part in three)) for three in parts]


@case(dtype=("int64",), loose=0.0)
def range_beyond_the_digits_of_doubles(tf, dtype):
    return tf.range(tf.constant(2**53, dtype), tf.constant(2**53 + 9, dtype), 2)


@case
def range_of_vectors_of_one(tf):
    return [tf.range([3]), tf.range(0, [3], [2])]


@case(dtype=("float16", "bfloat16", "float32", "float64", "complex64", "complex128"), loose=0.0)
def linspace(tf, dtype):
    ends = [(0.0, 1.0, 10), (10.0, 0.0, 4), (-1.5, 7.25, 10), (0.0, 6.0, 7), (3.0, 4.0, 1)]
    parts = [tf.linspace(tf.constant(a, dtype), tf.constant(b, dtype), n) for a, b, n in ends]
    vectors = tf.constant([0, 1], dtype), tf.constant([4, 10], dtype)
    return [*parts, tf.linspace(*vectors, 4), tf.linspace(*vectors, 4, axis=-1)]


@case(dtype=("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64"))
def linspace_of_integers(tf, dtype):
    return tf.linspace(tf.constant([0, 1], dtype), tf.constant([10, 5], dtype), 4)


@case(dtype=("float32", "complex64"))
def linspace_gradient_by_dtype(tf, dtype):
    ends = [tf.constant([0, 1], dtype), tf.constant([4, 10], dtype)]
    with tf.GradientTape() as tape:
        tape.watch(ends)
        y = tf.linspace(*ends, 4) * tf.reshape(tf.cast(tf.range(8), dtype), [4, 2])
    return tape.gradient(y, ends)


@case
def long_shapes(tf):
    long = tf.zeros([2**32, 0], tf.int8)
    return [tf.shape(long, tf.int64), tf.size(long), tf.shape_n([long], tf.int64)[0]]


@case
def unravel_index_of_any_sign(tf):
    return [
        tf.unravel_index([5, 0, 7], [2, 2, 3]),
        tf.unravel_index([-1, -7], [3, 3]),
        tf.unravel_index(tf.constant(5, tf.int64), [2, 3]),
        tf.unravel_index([0], tf.zeros([0], tf.int32)),
    ]


@case
def shapes_of_sparse_values(tf):
    value = tf.compat.v1.SparseTensorValue([[0, 1], [1, 0]], [42, 24], [2, 3])
    whole = tf.sparse.to_dense(tf.SparseTensor.from_value(value))
    return [tf.shape(value), tf.shape(value, tf.int64), tf.size(value), tf.rank(value), whole]


errors(
    "shapes",
    "wrong",
    {
        "range nan": (lambda tf: tf.range(0.0, float("nan")), ["start <= limit"]),
        "range nan step": (lambda tf: tf.range(0.0, 1.0, float("nan")), ["start >= limit"]),
        "range endless": (lambda tf: tf.range(float("inf")), ["9223372036854775807"]),
        "range vectors": (lambda tf: tf.range([1, 2]), ["scalar"]),
        "unravel zero": (lambda tf: tf.unravel_index([2], [3, 0]), ["dim of zero", "index 1"]),
        "unravel negative": (lambda tf: tf.unravel_index([2], [-3, 3]), ["-3", "index 0"]),
        "unravel overflow": (lambda tf: tf.unravel_index(1, [1 << 28, 1 << 28]), ["overflow"]),
        "unravel beyond": (lambda tf: tf.unravel_index([9], [3, 3]), ["index is out of bound"]),
        "unravel matrix": (lambda tf: tf.unravel_index([[1]], [3]), ["scalar or vector"]),
        "unravel nothing": (lambda tf: tf.unravel_index([], [3]), ["empty tensor indices"]),
        "unravel float": (lambda tf: tf.unravel_index([1.0], [3]), ["Tidx", "int32, int64"]),
        "slice of scalar": (lambda tf: tf.strided_slice(1, [0], [1]), ["to slice scalar input"]),
        "expand_dims axes": (lambda tf: tf.expand_dims(1, [0, 1]), ["tensor with a single value"]),
        "long shape": (
            lambda tf: tf.shape(tf.zeros([2**32, 0])),
            ["32-bit", "dim 0 is 4294967296"],
        ),
        "long shape_n": (
            lambda tf: tf.shape_n([tf.zeros([2]), tf.zeros([1, 2**31, 0])]),
            ["32-bit", "shape 1 dim 1 is 2147483648"],
        ),
    },
)

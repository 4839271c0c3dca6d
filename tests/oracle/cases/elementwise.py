"""Operations that act on each element: values, dtypes, broadcasting, special values, gradients."""

import itertools

import numpy as np

from elementwise_intervals import DIFFERENTIABLE, SMOOTH, UNARY
from oracle.inputs import (
    ALL,
    COMPLEX,
    FLOATS,
    INTS,
    SHAPES,
    array,
    gradient,
    gradient2,
    resolve,
    tensor,
)
from oracle.registry import case

HOLOMORPHIC = (
    "negative",
    "square",
    "sqrt",
    "math.rsqrt",
    "exp",
    "math.expm1",
    "math.log",
    "math.log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "sigmoid",
)


@case(sweep=True, op=list(UNARY), dtype=ALL)
def unary(tf, op, dtype):
    return resolve(tf, op)(tensor(tf, (2, 3), dtype, *UNARY[op]))


@case(op=list(UNARY), shape=SHAPES)
def unary_shape(tf, op, shape):
    return resolve(tf, op)(tensor(tf, shape, "float32", *UNARY[op]))


@case(op=DIFFERENTIABLE, dtype=("float32", "float64"))
def unary_gradient(tf, op, dtype):
    return gradient(tf, resolve(tf, op), tensor(tf, (2, 3), dtype, *UNARY[op]))


@case(loose=4, op=HOLOMORPHIC)
def unary_gradient_complex(tf, op):
    return gradient(tf, resolve(tf, op), tensor(tf, (2, 3), "complex64", *UNARY[op]))


@case(op=SMOOTH, dtype=("float16", "bfloat16"))
def unary_gradient_half(tf, op, dtype):
    return gradient(tf, resolve(tf, op), tensor(tf, (4,), dtype, *UNARY[op]))["grads"]


@case(loose=10, op=SMOOTH)
def unary_gradient2(tf, op):
    return gradient2(tf, resolve(tf, op), tensor(tf, (2, 3), "float64", *UNARY[op]))


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-30, 2.5, -2.5, 0.5, -0.5, 1.5, 80.0]


@case(op=list(UNARY), dtype=("float32", "float64"))
def unary_special(tf, op, dtype):
    return resolve(tf, op)(tf.constant(np.array(SPECIAL, dtype)))


KINKS = [op for op in DIFFERENTIABLE if op not in ("math.rsqrt", "math.log", "acos", "asin")]


@case(op=KINKS)
def unary_gradient_at_zero(tf, op):
    return gradient(tf, resolve(tf, op), tf.constant([0.0, -0.0]))


@case(op=("nn.relu", "nn.relu6", "nn.leaky_relu", "nn.elu", "nn.selu", "math.softplus", "sigmoid"))
def unary_gradient_far(tf, op):
    return gradient(tf, resolve(tf, op), tf.constant([6.0, 40.0, -40.0, 100.0, -100.0, 7.0]))


ALIASES = {
    "math.abs": "abs",
    "math.negative": "negative",
    "math.sign": "sign",
    "math.square": "square",
    "math.sqrt": "sqrt",
    "math.exp": "exp",
    "math.sin": "sin",
    "math.cos": "cos",
    "math.tan": "tan",
    "math.asin": "asin",
    "math.acos": "acos",
    "math.atan": "atan",
    "math.sinh": "sinh",
    "math.cosh": "cosh",
    "math.tanh": "tanh",
    "math.sigmoid": "sigmoid",
    "math.floor": "floor",
    "math.round": "round",
    "nn.sigmoid": "sigmoid",
    "nn.tanh": "tanh",
    "nn.softplus": "math.softplus",
}


@case(op=list(ALIASES))
def unary_alias(tf, op):
    return resolve(tf, op)(tensor(tf, (3,), "float32", *UNARY[ALIASES[op]]))


CONVERTED = {
    "list": [[0.25, 0.5], [0.75, 1.0]],
    "int": 1,
    "float": 0.5,
    "float64 array": np.array([0.25, 0.5]),
    "float32 scalar": np.float32(0.5),
}


@case(op=("square", "exp", "nn.relu", "sigmoid", "abs"), value=CONVERTED)
def unary_converted(tf, op, value):
    if isinstance(value, int) and op in ("exp", "sigmoid"):
        value = 1.0
    return resolve(tf, op)(value)


@case(alpha=(0.0, 0.1, 0.5, 1.5), dtype=("float32", "float64", "float16"))
def leaky_relu_alpha(tf, alpha, dtype):
    return gradient(tf, lambda x: tf.nn.leaky_relu(x, alpha=alpha), tensor(tf, (5,), dtype))


@case(approximate=(True, False), dtype=FLOATS)
def gelu_approximate(tf, approximate, dtype):
    def gelu(x):
        return tf.nn.gelu(x, approximate=approximate)

    return gradient(tf, gelu, tensor(tf, (6,), dtype, -3, 3))


# name -> (range of the left input, range of the right one).
BINARY = {
    "add": ((-2, 2), (-2, 2)),
    "subtract": ((-2, 2), (-2, 2)),
    "multiply": ((-2, 2), (-2, 2)),
    "divide": ((-2, 2), (1, 3)),
    "truediv": ((-2, 2), (1, 3)),
    "math.floordiv": ((-9, 9), (1, 3)),
    "math.floormod": ((-9, 9), (1, 3)),
    "math.divide_no_nan": ((-2, 2), (1, 3)),
    "math.mod": ((-9, 9), (1, 3)),
    "pow": ((1, 3), (0, 2)),
    "atan2": ((-2, 2), (1, 2)),
    "maximum": ((-3, 3), (-3, 3)),
    "minimum": ((-3, 3), (-3, 3)),
    "math.squared_difference": ((-2, 2), (-2, 2)),
    "equal": ((0, 2), (0, 2)),
    "not_equal": ((0, 2), (0, 2)),
    "less": ((0, 2), (0, 2)),
    "less_equal": ((0, 2), (0, 2)),
    "greater": ((0, 2), (0, 2)),
    "greater_equal": ((0, 2), (0, 2)),
    "logical_and": ((0, 1), (0, 1)),
    "logical_or": ((0, 1), (0, 1)),
    "math.logical_xor": ((0, 1), (0, 1)),
}
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
LOGICAL = ("logical_and", "logical_or", "math.logical_xor")
ARITHMETIC = [op for op in BINARY if op not in COMPARISONS + LOGICAL]
BROADCASTS = (
    ((), ()),
    ((), (3,)),
    ((2, 3), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((4, 1, 3), (2, 1)),
    ((1,), (2, 3)),
    ((0, 3), (1, 3)),
    ((2, 0), (1,)),
    ((1, 0, 3), (2, 1, 1)),
    ((2, 1, 2, 1, 2), (2, 1, 2, 1)),
    ((1, 2, 1, 2, 1), (2, 1, 2, 1, 2)),
)
PAIRS = {
    f"{'x'.join(map(str, a)) or '-'}&{'x'.join(map(str, b)) or '-'}": (a, b) for a, b in BROADCASTS
}


def operands(tf, op, shapes=((2, 3), (2, 3)), dtype="float32"):
    left, right = BINARY[op]
    if op in LOGICAL and dtype == "float32":
        dtype = "bool"
    return tensor(tf, shapes[0], dtype, *left), tensor(tf, shapes[1], dtype, *right, seed=1)


@case(sweep=True, op=list(BINARY), dtype=ALL)
def binary(tf, op, dtype):
    return resolve(tf, op)(*operands(tf, op, dtype=dtype))


@case(op=list(BINARY), shapes=PAIRS)
def binary_broadcast(tf, op, shapes):
    return resolve(tf, op)(*operands(tf, op, shapes))


@case(
    op=("add", "multiply", "maximum", "equal", "less"),
    dtype=("int32", "uint8", "float64"),
    shapes={k: PAIRS[k] for k in ("2x3&3", "4x1x3&2x1", "1x2x1x2x1&2x1x2x1x2")},
)
def binary_broadcast_dtype(tf, op, shapes, dtype):
    return resolve(tf, op)(*operands(tf, op, shapes, dtype))


@case(op=ARITHMETIC, shapes=PAIRS)
def binary_gradient(tf, op, shapes):
    return gradient(tf, resolve(tf, op), *operands(tf, op, shapes))["grads"]


SMOOTH_PAIRS = ("2x3&3", "4x1x3&2x1", "2x1&1x3")


@case(loose=10, op=ARITHMETIC, shapes={k: PAIRS[k] for k in SMOOTH_PAIRS})
def binary_gradient2(tf, op, shapes):
    return gradient2(tf, resolve(tf, op), *operands(tf, op, shapes, "float64"))


@case(
    loose=4,
    op=(
        "add",
        "subtract",
        "multiply",
        "divide",
        "math.divide_no_nan",
        "pow",
        "math.squared_difference",
    ),
    shapes={k: PAIRS[k] for k in ("2x3&3", "2x1&1x3")},
)
def binary_gradient_complex(tf, op, shapes):
    return gradient(tf, resolve(tf, op), *operands(tf, op, shapes, "complex64"))


@case(op=ARITHMETIC, dtype=("float16", "bfloat16"))
def binary_gradient_half(tf, op, dtype):
    return gradient(tf, resolve(tf, op), *operands(tf, op, ((3,), (3,)), dtype))["grads"]


EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 3.0, 0.5, -1.0]


@case(op=ARITHMETIC + list(COMPARISONS), dtype=("float32", "float64"))
def binary_special(tf, op, dtype):
    pairs = np.array(list(itertools.product(EDGES, EDGES)), dtype)
    return resolve(tf, op)(tf.constant(pairs[:, 0]), tf.constant(pairs[:, 1]))


SIGNS = np.array(list(itertools.product([-7, -3, -1, 0, 1, 2, 7], [-3, -2, -1, 1, 2, 3])))


@case(
    sweep=True,
    dtype=("int8", "int16", "int32", "int64", "float32", "float64", "float16"),
    op=(
        "math.floordiv",
        "math.floormod",
        "math.mod",
        "truediv",
        "divide",
        "pow",
        "maximum",
        "math.divide_no_nan",
        "math.squared_difference",
        "atan2",
    ),
)
def binary_signs(tf, op, dtype):
    left, right = SIGNS.astype(dtype).T
    if op == "pow":
        right = abs(right)
    return resolve(tf, op)(tf.constant(left), tf.constant(right))


@case(op=("add", "subtract", "multiply", "square", "negative", "abs"), dtype=INTS)
def integer_overflow(tf, op, dtype):
    info = np.iinfo(dtype)
    left = tf.constant(np.array([info.max, info.min, info.max, info.min, 3], dtype))
    right = tf.constant(np.array([1, 1, info.max, info.max, 5], dtype))
    if op in ("negative", "abs") and dtype.startswith("uint"):
        return None
    if op in ("square", "negative", "abs"):
        return resolve(tf, op)(left)
    return resolve(tf, op)(left, right)


TIES = np.array([-1.0, 0.0, 2.0])


@case(op=("maximum", "minimum", "pow", "atan2", "math.divide_no_nan", "math.squared_difference"))
def binary_gradient_ties(tf, op):
    return gradient(
        tf, resolve(tf, op), tf.constant(TIES, tf.float32), tf.constant(TIES * 1.0, tf.float32)
    )


@case(op=("math.divide_no_nan", "pow"))
def binary_gradient_at_zero(tf, op):
    left = tf.constant([0.0, 0.0, 0.0, 2.0, -2.0])
    right = tf.constant([0.0, 2.0, 1.0, 0.0, 3.0])
    return gradient(tf, resolve(tf, op), left, right)


BINARY_ALIASES = {
    "math.add": "add",
    "math.subtract": "subtract",
    "math.multiply": "multiply",
    "math.divide": "divide",
    "math.truediv": "truediv",
    "math.pow": "pow",
    "math.atan2": "atan2",
    "math.maximum": "maximum",
    "math.minimum": "minimum",
    "math.equal": "equal",
    "math.not_equal": "not_equal",
    "math.less": "less",
    "math.less_equal": "less_equal",
    "math.greater": "greater",
    "math.greater_equal": "greater_equal",
    "math.logical_and": "logical_and",
    "math.logical_or": "logical_or",
}


@case(op=list(BINARY_ALIASES))
def binary_alias(tf, op):
    return resolve(tf, op)(*operands(tf, BINARY_ALIASES[op]))


@case(name=("logical_not", "math.logical_not"), shape=SHAPES)
def logical_not(tf, name, shape):
    return resolve(tf, name)(tensor(tf, shape, "bool"))


# What the right operand may be when the left one is a tensor, and the other way round.
PARTNERS = {
    "int": 2,
    "list": [1, 2, 3],
    "nested": [[1, 2, 3], [3, 2, 1]],
    "tuple": (3, 2, 1),
}


@case(
    op=(
        "add",
        "subtract",
        "multiply",
        "divide",
        "math.floordiv",
        "math.mod",
        "pow",
        "maximum",
        "equal",
        "less",
        "math.squared_difference",
    ),
    dtype=("float32", "float64", "int32", "int64", "float16"),
    partner=PARTNERS,
)
def binary_python_partner(tf, op, dtype, partner):
    value = tensor(tf, (2, 3), dtype, 1, 3)
    function = resolve(tf, op)
    if op == "add":
        return function(value, partner)
    return [function(value, partner), function(partner, value)]


# --- cast -------------------------------------------------------------------------------------

CASTS = {
    **{name: [0.0, 1.0, 2.75, 100.5, 0.49] for name in FLOATS},
    **{name: [0, 1, 2, 100, 127] for name in INTS},
    **{name: [0, 1, 2.5 + 1j, 100, 3j] for name in COMPLEX},
    "bool": [False, True, True, False, True],
}


@case(sweep=True, source=ALL, target=ALL)
def cast(tf, source, target):
    value = array((5,), source)
    value[...] = CASTS[source]
    return tf.cast(tf.constant(value), target)


@case(target=("int8", "int16", "int32", "int64", "float32", "float16", "bool"))
def cast_negative(tf, target):
    return tf.cast(tf.constant([-1.0, -2.5, -0.5, 0.5, -100.75]), target)


@case(source=("int32", "int64", "int16"), target=("int8", "uint8", "int16", "uint16", "uint32"))
def cast_wraps(tf, source, target):
    return tf.cast(tf.constant(np.array([-1, -129, 255, 256, 300, 32767], source)), target)


@case(source=("float32", "float64"), target=("float16", "bfloat16", "float32"))
def cast_narrows(tf, source, target):
    values = [
        1e-8,
        6e-5,
        65504.0,
        65519.9,
        65520.0,
        1e6,
        np.nan,
        np.inf,
        -np.inf,
        1.0009765625,
        1.00390625,
        1.001953125,
        1.005859375,
        0.1,
        1 / 3,
        3.3e38,
    ]
    return tf.cast(tf.constant(np.array(values, source)), target)


@case(source=("float32", "float64", "complex64"), target=("float32", "float64", "complex128"))
def cast_gradient(tf, source, target):
    if source == "complex64" and target != "complex128":
        return None
    return gradient(tf, lambda x: tf.cast(x, target), tensor(tf, (3,), source))


CAST_FORMS = {
    "list": lambda tf: tf.cast([1, 2], tf.float32),
    "python float": lambda tf: tf.cast(3.7, tf.int32),
    "python bool": lambda tf: tf.cast(True, tf.float32),
    "array": lambda tf: tf.cast(np.array([1.5, 2.5]), "int32"),
    "numpy dtype": lambda tf: tf.cast(tf.constant([1.5]), np.int64),
    "python type": lambda tf: [tf.cast([1.5], float), tf.cast([1.5], bool)],
    "variable": lambda tf: tf.cast(tf.Variable([1.9, -1.9]), tf.int32),
    "dtypes": lambda tf: tf.dtypes.cast([1.9], tf.uint8),
    "same": lambda tf: tf.cast(tf.constant([1.0]), tf.float32),
    "empty": lambda tf: tf.cast(tf.zeros([0, 2]), tf.int32),
    "scalar": lambda tf: tf.cast(tf.constant(7), tf.float64),
}


@case(form=CAST_FORMS)
def cast_form(tf, form):
    return form(tf)


# --- where, clip ------------------------------------------------------------------------------

WHERE_SHAPES = {
    "same": ((2, 3), (2, 3), (2, 3)),
    "scalars": ((2, 3), (), ()),
    "rows": ((2, 1), (2, 3), (3,)),
    "all": ((2, 1, 1), (3, 1), (2,)),
    "scalar condition": ((), (2,), (2,)),
    "empty": ((0, 2), (1, 2), ()),
    "5d": ((2, 1, 2, 1, 2), (1, 2, 1), (2, 2, 1, 2, 1)),
}


@case(shapes=WHERE_SHAPES, dtype=("float32", "int32", "bool", "complex64"))
def where(tf, shapes, dtype):
    condition = tensor(tf, shapes[0], "bool", seed=3)
    return tf.where(condition, tensor(tf, shapes[1], dtype), tensor(tf, shapes[2], dtype, seed=1))


@case(sweep=True, dtype=ALL)
def where_dtype(tf, dtype):
    condition = tf.constant([True, False, True])
    return tf.where(condition, tensor(tf, (3,), dtype), tensor(tf, (3,), dtype, seed=1))


@case(shapes=WHERE_SHAPES)
def where_gradient(tf, shapes):
    condition = tensor(tf, shapes[0], "bool", seed=3)
    return gradient(
        tf,
        lambda x, y: tf.where(condition, x, y),
        tensor(tf, shapes[1]),
        tensor(tf, shapes[2], seed=1),
    )


@case(shape=((4,), (0,), (2, 3), (2, 2, 2, 1, 2)))
def where_indices(tf, shape):
    return tf.where(tensor(tf, shape, "bool", seed=5))


@case(dtype=("float32", "int32", "complex64", "uint8"))
def where_nonzero(tf, dtype):
    value = np.array([[0, 1, 0], [2, 0, 3]], dtype)
    return tf.where(tf.constant(value))


WHERE_FORMS = {
    "lists": lambda tf: tf.where([True, False], [1, 2], [3, 4]),
    "python scalars": lambda tf: tf.where(tf.constant([True, False]), 1.0, 0.0),
    "tensor and scalar": lambda tf: tf.where([True, False], tf.constant([1.0, 2.0]), 0.0),
    "comparison": lambda tf: tf.where(tf.constant([1.0, -1.0]) > 0, tf.constant([1.0, 2.0]), 9.0),
    "strings": lambda tf: tf.where([True, False], ["a", "b"], ["c", "d"]),
    "indices of list": lambda tf: tf.where([[True, False], [True, True]]),
    "nan gradient": lambda tf: gradient(
        tf, lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), tf.constant([4.0, 0.0, 1.0])
    ),
}


@case(form=WHERE_FORMS)
def where_form(tf, form):
    return form(tf)


CLIPS = {
    "scalars": (-1.0, 0.5),
    "vector bounds": ([-1.0, -0.5, 0.0], [1.0, 0.5, 0.25]),
    "inverted": (1.0, -1.0),
    "row and scalar": ([[-1.0, 0.0, -1.0]], 1.0),
}


@case(bounds=CLIPS, dtype=FLOATS)
def clip(tf, bounds, dtype):
    low, high = (tf.constant(bound, dtype) for bound in bounds)
    return tf.clip_by_value(tensor(tf, (2, 3), dtype), low, high)


@case(dtype=("int32", "int64", "uint8"))
def clip_integers(tf, dtype):
    return tf.clip_by_value(tensor(tf, (6,), dtype, 0, 9), 2, 5)


@case(bounds=CLIPS)
def clip_gradient(tf, bounds):
    def clip(x, low, high):
        return tf.clip_by_value(x, low, high)

    low, high = (tf.constant(bound) for bound in bounds)
    return gradient(tf, clip, tensor(tf, (2, 3)), low, high)


@case
def clip_gradient_at_the_bound(tf):
    x = tf.constant([-1.0, 1.0, 0.0, -2.0, 2.0, np.nan])
    return gradient(tf, lambda x: tf.clip_by_value(x, -1.0, 1.0), x)


@case(dtype=("float32", "float64", "float16", "bfloat16"))
def round_half_to_even(tf, dtype):
    values = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49, 1.0])
    x = tf.cast(tf.constant(values), dtype)
    return [tf.round(x), tf.floor(x), tf.math.ceil(x)]


@case(op=("==", "!="), dtype=("float32", "int32", "bool", "complex64"))
def operators_compare_unequal_shapes(tf, op, dtype):
    left, right = tensor(tf, (2,), dtype), tensor(tf, (3,), dtype)
    return left == right if op == "==" else left != right


@case(op=("add", "equal", "not_equal"))
def string_operands(tf, op):
    return resolve(tf, op)(tf.constant(["ab", "c", ""]), tf.constant(["ab", "d", "é"]))


@case(op=("add", "multiply", "maximum", "sigmoid", "exp"))
def operation_name_is_accepted(tf, op):
    x = tf.constant([1.0, 2.0])
    arguments = (x,) if op in ("sigmoid", "exp") else (x, x)
    return resolve(tf, op)(*arguments, name="some_name")


@case(size=(17, 1000, 4099), op=("add", "exp", "tanh", "sigmoid", "math.erf", "sin"))
def longer_than_a_vector_register(tf, size, op):
    x = tensor(tf, (size,), "float32", -4, 4)
    value = resolve(tf, op)(x, x) if op == "add" else resolve(tf, op)(x)
    return [tf.reduce_sum(value), value[:5], value[-5:]]

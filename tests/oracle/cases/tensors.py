"""The Tensor object: text forms, operators, conversion, equality, hashing, NumPy's view of it."""

import numpy as np

from oracle.inputs import ALL, COMPLEX, INTS, NUMERIC, array, np_dtype, resolve, tensor
from oracle.registry import case


def texts(value):
    """Every text form of a value."""
    return [repr(value), str(value)]


# --- repr and str -----------------------------------------------------------------------------


@case(dtype=ALL, shape=((), (1,), (3,), (2, 3), (0,), (2, 0), (2, 1, 2)))
def text(tf, dtype, shape):
    return texts(tensor(tf, shape, dtype, -3, 9))


@case(dtype=("float32", "float64", "float16", "bfloat16", "int32", "bool"))
def text_5d(tf, dtype):
    return texts(tensor(tf, (2, 1, 2, 1, 3), dtype, -9, 9))


@case(dtype=("float32", "float64", "int32", "int64", "bool", "complex64", "float16", "uint8"))
def text_long(tf, dtype):
    results = []
    for shape in ((1000,), (1001,), (2000,), (50, 50), (3, 400), (20, 10, 10), (2, 2, 300)):
        results += texts(
            tf.constant((np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype))
        )
    return results


FLOAT_TEXTS = {
    "whole": [1.0, 2.0, 3.0],
    "mixed": [1.0, 0.5, 123.456],
    "small": [1e-10, 2e-5, 1.0],
    "large": [1e10, 1.0, 2.5],
    "huge": [3e38, -3e38],
    "tiny": [1e-38, 1e-45],
    "special": [np.nan, np.inf, -np.inf, 0.0, -0.0],
    "nan only": [np.nan, np.nan],
    "zero": [0.0, -0.0],
    "thirds": [1 / 3, -2 / 3, 1e-3],
    "negative": [-1.5, 2.25, -300.0],
    "wide lines": [float(i) / 7 for i in range(30)],
    "16 digits": [0.1 + 0.2, 1 / 3],
    "million": [1e6, 1e7, 1e8],
    "big whole": [16777216.0, 16777217.0, 123456789.0],
    "exponents": [1e-7, 1e7],
}


@case(name=list(FLOAT_TEXTS), dtype=("float32", "float64", "float16", "bfloat16"))
def text_floats(tf, name, dtype):
    with np.errstate(over="ignore"):
        return texts(tf.constant(np.array(FLOAT_TEXTS[name]).astype(np_dtype(dtype))))


@case(
    value=(
        0.0,
        -0.0,
        1.0,
        1.5,
        0.1,
        1 / 3,
        1e-10,
        1e10,
        1e16,
        1e22,
        123456.789,
        -2.5,
        np.nan,
        np.inf,
        -np.inf,
        1e-45,
        16777217.0,
        3.4e38,
    ),
    dtype=("float32", "float64", "float16", "bfloat16"),
)
def text_float_scalar(tf, value, dtype):
    with np.errstate(over="ignore"):
        return texts(tf.constant(np.array(value).astype(np_dtype(dtype))))


COMPLEX_TEXTS = {
    "scalar": 1.5 - 2j,
    "imaginary": 1j,
    "row": [1 + 2j, -0.5j, 3],
    "special": [complex(np.nan, np.inf), complex(-np.inf, -0.0)],
    "long": list(np.arange(1001) * (1 - 1j)),
}


@case(value=COMPLEX_TEXTS, dtype=COMPLEX)
def text_complex(tf, value, dtype):
    return texts(tf.constant(np.array(value, dtype)))


STRING_TEXTS = {
    "scalar": "hello",
    "empty": "",
    "quotes": ["it's", 'say "hi"', "both ' and \""],
    "unicode": ["é", "日本", "😀"],
    "bytes": [b"\x00\xff", b"abc"],
    "newline": ["a\nb", "tab\t", "back\\slash"],
    "nested": [["a", "bb"], ["ccc", ""]],
    "long": [f"word{i}" for i in range(40)],
    "very long": [f"{i}" for i in range(1200)],
    "one long word": ["x" * 200, "y"],
    "empty array": np.array([], object),
}


@case(value=STRING_TEXTS)
def text_string(tf, value):
    return texts(tf.constant(value, tf.string))


INT_TEXTS = {
    "extremes": lambda dtype: [np.iinfo(dtype).min, np.iinfo(dtype).max],
    "widths": lambda dtype: [1, 100, 23],
    "rows": lambda dtype: [[1, 22], [100, 4]],
    "scalar": lambda dtype: np.iinfo(dtype).max,
    "lines": lambda dtype: list(range(100)),
}


@case(name=list(INT_TEXTS), dtype=INTS)
def text_int(tf, name, dtype):
    return texts(tf.constant(np.array(INT_TEXTS[name](dtype), dtype)))


@case
def text_with_print_options(tf):
    with np.printoptions(precision=3, suppress=True, threshold=5, linewidth=40):
        return texts(tf.constant([1 / 3, 1e-6, 100.0])) + texts(tf.range(9))


FORMATS = {
    "plain": lambda tf: f"{tf.constant(3)} {tf.constant(1.5)} {tf.constant([1, 2])}",
    "fixed": lambda tf: f"{tf.constant(3.14159):.2f}",
    "width": lambda tf: f"{tf.constant(42):>6d}|{tf.constant(2.5):<8.3f}|",
    "exponent": lambda tf: f"{tf.constant(12345.678):.3e}",
    "percent": lambda tf: f"{tf.constant(0.256):.1%}",
    "thousands": lambda tf: f"{tf.constant(1234567):,}",
    "float64": lambda tf: f"{tf.constant(1 / 3, tf.float64):.12f}",
    "half": lambda tf: f"{tf.constant(1 / 3, tf.float16):.4f}",
    "bool": lambda tf: f"{tf.constant(True)}",
    "repr": lambda tf: f"{tf.constant(1)!r} {tf.constant([1.0])!r}",
    "str": lambda tf: f"{tf.constant(1)!s}",
    "str.format": lambda tf: "{} {:.1f}".format(tf.constant(1), tf.constant(2.25)),
    "percent operator": lambda tf: (
        "%s %.2f %d" % (tf.constant(1), tf.constant(2.5), tf.constant(3))
    ),
    "numpy": lambda tf: f"{tf.constant(2.5).numpy()} {tf.constant(2.5).numpy():.3f}",
    "string": lambda tf: f"{tf.constant('a')}",
    "empty spec": lambda tf: format(tf.constant([1.5, 2.5]), ""),
    "in a list": lambda tf: str([tf.constant(1), tf.constant([2.0])]),
    "in a dict": lambda tf: str({"a": tf.constant("x")}),
    "join": lambda tf: ", ".join(str(x) for x in tf.constant([1, 2])),
}


@case(form=FORMATS)
def formatted(tf, form):
    return form(tf)


# --- operators --------------------------------------------------------------------------------

OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@case(sweep=True, op=list(OPERATORS), dtype=ALL)
def operator(tf, op, dtype):
    left, right = tensor(tf, (2, 3), dtype, -3, 3), tensor(tf, (2, 3), dtype, 1, 3, seed=1)
    return OPERATORS[op](left, right)


PARTNERS = {
    "int": 2,
    "negative int": -1,
    "list": [1, 2, 3],
    "tuple": (3, 1, 2),
    "nested list": [[1], [2]],
    "bool": True,
    "float": 2.5,
    "list of floats": [0.5, 1.5, 2.5],
    "float32 array": np.array([1, 2, 3], np.float32),
    "float64 array": np.array([1.0, 2.0, 3.0]),
    "int64 array": np.array([1, 2, 3]),
    "int32 array": np.array([1, 2, 3], np.int32),
    "float32 scalar": np.float32(2),
    "float64 scalar": np.float64(2),
    "int64 scalar": np.int64(2),
    "int32 scalar": np.int32(2),
    "none": None,
    "string": "a",
    "complex": 1 + 2j,
    "empty list": [],
}
TABLE = ("+", "-", "*", "/", "//", "**", "<", "==")


@case(
    sweep=True,
    op=TABLE,
    dtype=("float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16"),
    partner=list(PARTNERS),
)
def operator_partner(tf, op, dtype, partner):
    return OPERATORS[op](tensor(tf, (2, 3), dtype, 1, 3), PARTNERS[partner])


@case(
    sweep=True,
    op=TABLE,
    dtype=("float32", "int32", "int64", "complex64", "bool"),
    partner=list(PARTNERS),
)
def operator_reflected(tf, op, dtype, partner):
    return OPERATORS[op](PARTNERS[partner], tensor(tf, (2, 3), dtype, 1, 3))


FUNCTIONS = {
    "add": lambda tf, x, y: [tf.add(x, y)],
    "multiply": lambda tf, x, y: [tf.multiply(x, y), tf.multiply(y, x)],
    "maximum": lambda tf, x, y: [tf.maximum(x, y), tf.maximum(y, x)],
    "pow": lambda tf, x, y: [tf.pow(x, y)],
    "less": lambda tf, x, y: [tf.less(x, y)],
    "squared_difference": lambda tf, x, y: [tf.math.squared_difference(x, y)],
    "matmul": lambda tf, x, y: [tf.matmul(x[None], y[:, None])],
    "matmul reflected": lambda tf, x, y: [tf.matmul(y[None], x[:, None])],
    "matmul operator": lambda tf, x, y: [x[None] @ y[:, None], y[None] @ x[:, None]],
    "concat": lambda tf, x, y: [tf.concat([x, y], 0)],
    "concat reflected": lambda tf, x, y: [tf.concat([y, x], 0)],
    "stack": lambda tf, x, y: [tf.stack([x, y])],
    "stack reflected": lambda tf, x, y: [tf.stack([y, x])],
    "where": lambda tf, x, y: [tf.where([True, False], x, y)],
    "where reflected": lambda tf, x, y: [tf.where([True, False], y, x)],
    "clip": lambda tf, x, y: [tf.clip_by_value(x, y, y)],
    "einsum": lambda tf, x, y: [tf.einsum("i,i->", x, y)],
    "bias_add": lambda tf, x, y: [tf.nn.bias_add(x[None], y)],
    "assign": lambda tf, x, y: [tf.Variable(x).assign(y)],
    "assign_add": lambda tf, x, y: [tf.Variable(x).assign_add(y)],
    "variable": lambda tf, x, y: [tf.Variable(x) + y, y * tf.Variable(x)],
}


@case(
    sweep=True,
    name=list(FUNCTIONS),
    dtype=("float32", "float64", "int32", "float16"),
    array=("float32", "float64", "int32", "int64"),
)
def function_of_tensor_and_array(tf, name, dtype, array):
    x = tf.constant(np.array([1, 2], dtype))
    return FUNCTIONS[name](tf, x, np.array([3.75, 2.25]).astype(array))


@case(sweep=True, left=NUMERIC, right=("float32", "int32", "int64", "float64"))
def operator_never_promotes(tf, left, right):
    return tensor(tf, (2,), left, 1, 3) + tensor(tf, (2,), right, 1, 3)


UNARY = {
    "-": lambda a: -a,
    "abs": abs,
    "~": lambda a: ~a,
}


@case(sweep=True, op=UNARY, dtype=ALL)
def operator_unary(tf, op, dtype):
    return op(tensor(tf, (2, 3), dtype, -3, 3))


BITS = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}


@case(sweep=True, op=BITS, dtype=("bool", "int32", "uint8", "int64", "float32"))
def operator_bits(tf, op, dtype):
    return op(tensor(tf, (8,), dtype, 0, 7), tensor(tf, (8,), dtype, 0, 7, seed=1))


@case(op=BITS)
def operator_bits_python(tf, op):
    x = tf.constant([True, False])
    return [op(x, True), op(x, [True, False]), op(True, x)]


AUGMENTED = {
    "augmented": lambda tf: _augmented(tf),
    "matmul": lambda tf: tf.ones([2, 2]) @ np.ones([2, 1], np.float32),
    "signs": lambda tf: [tf.constant(7) // 2, tf.constant(7) % 2, -tf.constant(7) // 2],
    "chain": lambda tf: 1.0 - 2.0 * tf.constant([1.0, 2.0]) / 4.0,
    "power": lambda tf: [2 ** tf.constant([1, 2]), tf.constant([2.0, 3.0]) ** 2, 2.0 ** tf.ones(2)],
    "broadcast": lambda tf: tf.constant([[1], [2]]) + tf.constant([10, 20]),
    "array on the left": lambda tf: np.array([1.0, 2.0], np.float32) + tf.constant([1.0, 2.0]),
    "array type": lambda tf: type(np.ones(2, np.float32) * tf.ones(2)).__name__ != "ndarray",
    "string concatenation": lambda tf: ["a" + tf.constant(["b"]), tf.constant("a") + "b"],
    "strings compare": lambda tf: [tf.constant(["a", "b"]) == "a", tf.constant("a") != "b"],
    "sum of list": lambda tf: sum([tf.constant(1.0), tf.constant(2.0)]),
    "compare with None": lambda tf: [tf.constant(1) == None, tf.constant(1) != None],  # noqa: E711
    "compare lists": lambda tf: tf.constant([1, 2]) == [1, 3],
    "compare shapes": lambda tf: [
        tf.constant([1, 2]) == tf.constant([1, 2, 3]),
        tf.constant([1, 2]) != tf.constant([1, 2, 3]),
    ],
    "is": lambda tf: tf.constant(1) is not None,
    "nan": lambda tf: [tf.constant(np.nan) == np.nan, tf.constant(np.nan) != np.nan],
}


def _augmented(tf):
    first = x = tf.constant([1.0, 2.0])
    x += 1
    x *= x
    return [first, x]


@case(form=AUGMENTED)
def operator_form(tf, form):
    return form(tf)


# --- Python protocols -------------------------------------------------------------------------

PROTOCOLS = {
    "int": lambda tf: [int(tf.constant(3)), int(tf.constant(2.9)), int(tf.constant(True))],
    "float": lambda tf: [
        float(tf.constant(3)),
        float(tf.constant(2.5)),
        float(tf.constant(1.0, tf.half)),
    ],
    "bool": lambda tf: [
        bool(tf.constant(0)),
        bool(tf.constant(0.5)),
        bool(tf.constant(False)),
        bool(tf.constant([3])),
        bool(tf.constant([[0.0]])),
    ],
    "complex": lambda tf: complex(tf.constant(1 + 2j)),
    "index": lambda tf: [[10, 20, 30][tf.constant(1)], list(range(tf.constant(3)))],
    "len": lambda tf: [len(tf.constant([1, 2])), len(tf.zeros([0, 3])), len(tf.zeros([4, 0]))],
    "iteration": lambda tf: list(tf.constant([[1, 2], [3, 4]])),
    "iteration of empty": lambda tf: list(tf.zeros([0, 2])),
    "unpacking": lambda tf: [*tf.constant([1.0, 2.0])],
    "zip": lambda tf: [[a, b] for a, b in zip(tf.range(2), tf.constant(["x", "y"]), strict=True)],
    "enumerate": lambda tf: [[i, x] for i, x in enumerate(tf.constant([5, 6]))],
    "reversed": lambda tf: list(reversed(tf.constant([1, 2, 3]))),
    "if": lambda tf: "yes" if tf.constant([1.0]) > 0 else "no",
    "and or not": lambda tf: [tf.constant(1) and 5, tf.constant(0) or 5, not tf.constant(True)],
    "min max sorted": lambda tf: [max(tf.constant([1, 3, 2])), min(tf.constant([4, 3]))],
    "sum": lambda tf: sum(tf.constant([1, 2, 3])),
    "any all": lambda tf: [any(tf.constant([False, True])), all(tf.constant([True, False]))],
    "in a list": lambda tf: tf.constant(2) in [tf.constant(1), tf.constant(2)],
    "ref as key": lambda tf: _ref(tf),
    "ref": lambda tf: [tf.constant(1).ref() == tf.constant(1).ref()],
    "string numpy": lambda tf: tf.constant("héllo").numpy(),
    "string item": lambda tf: tf.constant(["a", "b"])[1].numpy(),
    "tolist": lambda tf: tf.constant([[1.5, 2.0]]).numpy().tolist(),
    "scalar numpy types": lambda tf: [
        type(tf.constant(v).numpy()).__name__ for v in (1, 1.5, True, 1j, "a", [1])
    ],
    "truth of string": lambda tf: bool(tf.constant("a") == "a"),
    "copy": lambda tf: _copies(tf),
    "pickle": lambda tf: _pickled(tf),
}


def _ref(tf):
    x, y = tf.constant(1), tf.constant(1)
    table = {x.ref(): "x", y.ref(): "y"}
    return [table[x.ref()], table[y.ref()], len(table), x.ref().deref() is x]


def _copies(tf):
    import copy

    x = tf.constant([1.0, 2.0])
    return [copy.copy(x), copy.deepcopy(x)]


def _pickled(tf):
    import pickle

    return pickle.loads(pickle.dumps(tf.constant([[1, 2]])))


@case(form=PROTOCOLS)
def protocol(tf, form):
    return form(tf)


PROPERTIES = {
    "shape": lambda tf, x: [x.shape, x.shape == (2, 3), x.shape.as_list(), tuple(x.shape)],
    "dtype": lambda tf, x: [
        x.dtype,
        x.dtype == tf.float32,
        x.dtype == "float32",
        x.dtype == np.float32,
    ],
    "ndim": lambda tf, x: x.ndim,
    "device": lambda tf, x: x.device,
    "get_shape": lambda tf, x: x.get_shape(),
    "set_shape": lambda tf, x: x.set_shape([2, 3]),
    "is tensor": lambda tf, x: [tf.is_tensor(x), tf.is_tensor([1]), tf.is_tensor(tf.Variable(1))],
    "isinstance": lambda tf, x: [isinstance(x, tf.Tensor), isinstance(tf.Variable(1), tf.Tensor)],
    "numpy": lambda tf, x: x.numpy(),
    "no array": lambda tf, x: isinstance(x, np.ndarray),
}


@case(form=PROPERTIES)
def tensor_property(tf, form):
    return form(tf, tensor(tf, (2, 3)))


# --- NumPy ------------------------------------------------------------------------------------

NUMPY = {
    "asarray": lambda tf, x: np.asarray(x),
    "array": lambda tf, x: np.array(x),
    "array dtype": lambda tf, x: np.array(x, dtype=np.float64),
    "add": lambda tf, x: np.add(x, 1.0),
    "exp": lambda tf, x: np.exp(x),
    "sum": lambda tf, x: np.sum(x, axis=0),
    "mean": lambda tf, x: np.mean(x),
    "max": lambda tf, x: np.max(x),
    "concatenate": lambda tf, x: np.concatenate([x, x]),
    "stack": lambda tf, x: np.stack([x, x]),
    "dot": lambda tf, x: np.dot(x, np.asarray(x).T),
    "matmul": lambda tf, x: np.matmul(x, np.ones([3, 1], np.float32)),
    "allclose": lambda tf, x: bool(np.allclose(x, np.asarray(x))),
    "array_equal": lambda tf, x: bool(np.array_equal(x, np.asarray(x))),
    "shape": lambda tf, x: [list(np.shape(x)), int(np.ndim(x)), int(np.size(x))],
    "transpose": lambda tf, x: np.transpose(x),
    "argmax": lambda tf, x: np.argmax(x, axis=1),
    "where": lambda tf, x: np.where(x > 0, x, 0),
    "clip": lambda tf, x: np.clip(x, -1, 1),
    "reshape": lambda tf, x: np.reshape(x, [3, 2]),
    "isnan": lambda tf, x: np.isnan(x),
    "linalg norm": lambda tf, x: np.linalg.norm(x),
    "unique": lambda tf, x: np.unique(tf.constant([3, 1, 3])),
    "array of tensors": lambda tf, x: np.array([tf.constant(1), tf.constant(2)]),
    "array index": lambda tf, x: np.arange(5)[tf.constant([3, 1])],
    "array index scalar": lambda tf, x: np.arange(5)[tf.constant(3)],
    "assignment": lambda tf, x: _assigned(tf, x),
    "float scalar": lambda tf, x: float(np.sqrt(tf.constant(4.0))),
    "memory is copied": lambda tf, x: _independent(tf),
    "bfloat16": lambda tf, x: np.asarray(tf.cast(x, tf.bfloat16)),
    "strings": lambda tf, x: [np.asarray(tf.constant(["a", "b"])).dtype.name],
    "testing": lambda tf, x: np.testing.assert_allclose(x, x.numpy()),
    "iteration": lambda tf, x: [np.float32(v) for v in x[0]],
}


def _assigned(tf, x):
    target = np.zeros([2, 3], np.float32)
    target[...] = x
    target[0] = tf.constant([7.0, 8.0, 9.0])
    return target


def _independent(tf):
    source = np.array([1.0, 2.0])
    x = tf.constant(source)
    source[0] = 99
    view = x.numpy()
    copied = view.copy()
    copied[1] = 99
    return [x, view]


@case(form=NUMPY)
def numpy_interop(tf, form):
    return form(tf, tensor(tf, (2, 3)))


@case(dtype=ALL)
def numpy_round_trip(tf, dtype):
    value = array((2, 3), dtype, -9, 9)
    x = tf.constant(value)
    return [x, x.numpy(), np.asarray(x).dtype.name, tf.convert_to_tensor(value[::-1, ::2])]


@case(order=("C", "F"))
def numpy_layouts(tf, order):
    value = np.asarray(np.arange(12, dtype=np.float32).reshape(3, 4), order=order)
    return [
        tf.constant(value),
        tf.constant(value.T),
        tf.constant(value[::2, 1::2]),
        tf.constant(value[::-1]),
        tf.constant(value[1]),
        tf.constant(np.broadcast_to(value[0], (2, 4))),
        tf.constant(value.astype(">f4")),
    ]


# --- constant, convert_to_tensor --------------------------------------------------------------

VALUES = {
    "int": 3,
    "negative int": -3,
    "large int": 2**31 - 1,
    "float": 2.5,
    "bool": True,
    "complex": 1 + 2j,
    "string": "héllo",
    "bytes": b"a\x00b",
    "list": [1, 2, 3],
    "floats": [1.5, 2.0],
    "mixed": [1, 2.5],
    "mixed the other way": [2.5, 1],
    "bools": [True, False],
    "complexes": [1j, 2.0 + 0j],
    "strings": ["a", "bc"],
    "nested": [[1, 2], [3, 4]],
    "tuples": ((1.0, 2.0), (3.0, 4.0)),
    "deep": [[[[[1]]]]],
    "empty list": [],
    "list of empty": [[], []],
    "range": range(4),
    "np int64": np.int64(3),
    "np int32": np.int32(3),
    "np float64": np.float64(2.5),
    "np float32": np.float32(2.5),
    "np float16": np.float16(2.5),
    "np bool": np.bool_(True),
    "np uint8": np.uint8(200),
    "np str": np.str_("a"),
    "array int64": np.arange(3),
    "array float64": np.array([1.5, 2.5]),
    "array of str": np.array(["a", "bcd"]),
    "array of bytes": np.array([b"a", b"bcd"]),
    "array of objects": np.array(["a", "b"], object),
    "scalar array": np.array(7),
    "empty array": np.zeros([0, 3]),
    "list of np scalars": [np.float32(1), np.float32(2)],
    "list of np float64": [np.float64(1), np.float64(2)],
    "list of np int64": [np.int64(1), np.int64(2)],
    "list of arrays": [np.array([1.0, 2.0]), np.array([3.0, 4.0])],
    "list of float32 arrays": [np.ones(2, np.float32), np.zeros(2, np.float32)],
    "int and array": [np.array(1), np.array(2)],
}


@case(value=VALUES)
def constant(tf, value):
    return [tf.constant(value), tf.convert_to_tensor(value)]


@case(
    sweep=True,
    name=(
        "int",
        "float",
        "bool",
        "complex",
        "string",
        "list",
        "mixed",
        "empty list",
        "np float64",
        "array int64",
        "array float64",
        "np int64",
        "large int",
        "negative int",
        "nested",
    ),
    dtype=(
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "int8",
        "int32",
        "int64",
        "uint8",
        "uint32",
        "bool",
        "complex64",
        "string",
    ),
)
def constant_dtype(tf, name, dtype):
    return tf.constant(VALUES[name], dtype=resolve(tf, dtype))


@case(
    sweep=True,
    name=("int", "float", "bool", "list", "mixed", "np float64", "array int64", "array float64"),
    dtype=("float32", "float64", "int32", "int64", "bool", "float16"),
)
def convert_dtype(tf, name, dtype):
    return tf.convert_to_tensor(VALUES[name], dtype=resolve(tf, dtype))


TENSOR_VALUES = {
    "tensor": lambda tf: tf.constant([1.0, 2.0]),
    "scalar tensor": lambda tf: tf.constant(1),
    "list of tensors": lambda tf: [tf.constant(1), tf.constant(2)],
    "tensors and numbers": lambda tf: [tf.constant(1.0), 2.0, 3],
    "numbers and tensors": lambda tf: [1, 2.5, tf.constant(1.0)],
    "nested tensors": lambda tf: [[tf.constant(1), 2], [3, tf.constant(4)]],
    "rows": lambda tf: [tf.constant([1, 2]), tf.constant([3, 4])],
    "row and list": lambda tf: [tf.constant([1.0, 2.0]), [3.0, 4.0]],
    "variable": lambda tf: tf.Variable([1.0, 2.0]),
    "list of variables": lambda tf: [tf.Variable(1.0), tf.Variable(2.0)],
    "shape": lambda tf: tf.TensorShape([2, 3]),
    "tuple of tensors": lambda tf: (tf.constant("a"), tf.constant("b")),
}


@case(value=TENSOR_VALUES)
def convert_tensors(tf, value):
    return tf.convert_to_tensor(value(tf))


CONSTANT_FORMS = {
    "shape fill": lambda tf: tf.constant(5, shape=[2, 3]),
    "shape fill float": lambda tf: tf.constant(0.5, shape=(3,), dtype=tf.float64),
    "shape reshape": lambda tf: tf.constant([1, 2, 3, 4, 5, 6], shape=[2, 3]),
    "shape same": lambda tf: tf.constant([[1, 2]], shape=[1, 2]),
    "shape scalar": lambda tf: tf.constant(3, shape=[]),
    "shape empty": lambda tf: tf.constant([], shape=[0, 3]),
    "shape array": lambda tf: tf.constant(np.arange(4), shape=[2, 2]),
    "shape string": lambda tf: tf.constant("a", shape=[2]),
    "dtype string": lambda tf: tf.constant(1, "float64"),
    "dtype numpy": lambda tf: tf.constant(1, np.int16),
    "dtype python": lambda tf: [tf.constant(1, float), tf.constant(True, bool)],
    "empty dtype": lambda tf: [tf.constant([], tf.int32), tf.constant([[], []])],
    "name": lambda tf: tf.constant([1, 2], name="numbers"),
    "of tensor": lambda tf: tf.constant(tf.constant([1.0])),
    "of variable": lambda tf: tf.constant(tf.Variable([1.0])),
    "dtype_hint": lambda tf: [
        tf.convert_to_tensor([1, 2], dtype_hint=tf.float32),
        tf.convert_to_tensor([1.5], dtype_hint=tf.int32),
        tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32),
    ],
    "int64 range": lambda tf: tf.constant(2**40, tf.int64),
    "uint64 range": lambda tf: tf.constant(2**64 - 1, tf.uint64),
    "float to half": lambda tf: tf.constant([1e5, 0.1], tf.float16),
    "inf": lambda tf: tf.constant([float("inf"), float("nan")]),
    "list of strings and bytes": lambda tf: tf.constant(["a", b"b"]),
    "negative as uint8": lambda tf: tf.constant(-1, tf.uint8),
    "large as int32": lambda tf: tf.constant(2**31, tf.int32),
    "large int": lambda tf: [tf.constant(2**31), tf.constant([2**40, 1])],
    "large as int8": lambda tf: tf.constant(300, tf.int8),
    "bool as float": lambda tf: tf.constant(True, tf.float32),
    "truth of nothing": lambda tf: bool(tf.zeros([0])),
    "is the same": lambda tf: _same(tf),
}


def _same(tf):
    x = tf.constant([1.0])
    return [tf.convert_to_tensor(x) is x, tf.constant(x) is x, tf.identity(x) is x]


@case(form=CONSTANT_FORMS)
def constant_form(tf, form):
    return form(tf)


EQUALITY = {
    "tensor equality is elementwise": lambda tf: tf.constant([1, 2]) == tf.constant([1, 3]),
    "bool of equality": lambda tf: bool(tf.constant(2) == tf.constant(2)),
    "scalar and python": lambda tf: [tf.constant(2) == 2, tf.constant(2.0) != 2],
    "scalar and list": lambda tf: tf.constant(2) == [2, 3],
    "variable": lambda tf: [tf.Variable(1) == 1, tf.Variable([1, 2]) != tf.constant([1, 3])],
    "broadcast": lambda tf: tf.constant([[1], [2]]) == tf.constant([1, 2]),
    "bools": lambda tf: tf.constant([True, False]) == True,  # noqa: E712
    "tensor in tuple": lambda tf: tf.constant(1) in (tf.constant(3), tf.constant(1)),
    "numpy scalar": lambda tf: tf.constant(1.0) == np.float32(1),
}


@case(form=EQUALITY)
def equality(tf, form):
    return form(tf)

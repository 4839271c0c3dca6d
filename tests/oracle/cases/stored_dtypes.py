"""Quantized types and numbers of 8 bits and less: conversions, moves, and what refuses them."""

import functools

import ml_dtypes
import numpy as np

from oracle.registry import case, errors

QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16",
             "qint32": "int32"}  # fmt: skip
FLOAT8 = ("float8_e5m2", "float8_e4m3fn")
OTHERS = ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "int2", "uint2",
          "float4_e2m1fn")  # fmt: skip
INT4 = ("int4", "uint4")
NAMES = (*QUANTIZED, *FLOAT8, *INT4, *OTHERS)
PLAIN = ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
         "uint16", "uint32", "uint64", "bool", "complex64", "complex128")  # fmt: skip
NUMBERS = np.array(
    [0, -0.0, 1, 1.7, -2.5, 3.5, 6.6, -8.4, 100.3, -127.2, 200, 1e-5, 1e-3, 0.0029, 447, 464, 465]
)


def kind(tf, name):
    return tf.as_dtype(name)


def values(tf, name):
    """A few numbers of a type."""
    if name in QUANTIZED:
        return tf.bitcast(tf.constant([3, 0, 100, 1], QUANTIZED[name]), kind(tf, name))
    array = np.array([1, 0, 1.5, -2] if "float" in name else [1, 0, 1, 1])
    return tf.constant(array.astype(getattr(ml_dtypes, name, None) or name))


def shown(tensor):
    """A result as plain data: bits where NumPy has no such type of its own."""
    array = tensor.numpy()
    if tensor.dtype.is_floating and array.dtype.name in NAMES:
        array = np.asarray(array).view(np.uint8)
    elif array.dtype.name in NAMES:
        array = array.astype(np.int8)
    return [tensor.dtype.name, repr(tensor), array]


@case(name=NAMES)
def properties(tf, name):
    d = kind(tf, name)
    numpy_dtype = np.dtype(d.as_numpy_dtype)
    found = [repr(d), str(d), d.name, d.size, d.as_datatype_enum, str(numpy_dtype)]
    found += [d.is_floating, d.is_integer, d.is_complex, d.is_bool, d.is_unsigned, d.is_numeric]
    found += [d.is_quantized, tf.as_dtype(numpy_dtype) is d, tf.as_dtype(int(d)) is d]
    found += [d == name, d == numpy_dtype, d == np.int8]
    return [*found, [] if d.is_quantized else [float(d.min), float(d.max)]]


@case(sweep=True, name=NAMES, other=(*PLAIN, *NAMES))
def casts(tf, name, other):
    return shown(tf.cast(values(tf, name), kind(tf, other)))


@case(sweep=True, name=NAMES, source=PLAIN)
def casts_of_numbers(tf, name, source):
    low, high = (0, 100) if "uint" in name + source else (-127, 110)
    numbers = NUMBERS if "float" in name and "float" in source else np.clip(NUMBERS, low, high)
    return shown(tf.cast(tf.cast(tf.constant(numbers), source), kind(tf, name)))


@case(name=FLOAT8)
def float8_edges(tf, name):
    numbers = [57344, 61439, 61440, 1e9, -1e9, np.inf, -np.inf, np.nan, 2e-6, 7.6e-6, 7.7e-6]
    return [
        shown(tf.cast(tf.constant(numbers, dtype), kind(tf, name)))
        for dtype in ("float32", "float64")
    ]


@case(name=FLOAT8)
def float8_values(tf, name):
    bits = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))
    return tf.cast(tf.constant(bits), tf.float32)


MOVES = {
    "reshape": lambda tf, x: tf.reshape(x, [2, 2]),
    "identity": lambda tf, x: tf.identity(x),
    "expand_dims": lambda tf, x: tf.expand_dims(x, 1),
    "squeeze": lambda tf, x: tf.squeeze(tf.reshape(x, [1, 4])),
    "slices": lambda tf, x: x[1:3],
    "strides": lambda tf, x: x[::-2],
    "rows": lambda tf, x: tf.stack(list(x)),
    "slice": lambda tf, x: tf.slice(x, [1], [2]),
    "concat": lambda tf, x: tf.concat([x, x], 0),
    "stack": lambda tf, x: tf.stack([x, x], 1),
    "unstack": lambda tf, x: tf.unstack(x)[2],
    "split": lambda tf, x: tf.split(x, 2)[1],
    "gather": lambda tf, x: tf.gather(x, [2, 0]),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[1]]),
    "transpose": lambda tf, x: tf.transpose(tf.reshape(x, [2, 2])),
    "pad": lambda tf, x: tf.pad(x, [[1, 1]]),
    "mirror_pad": lambda tf, x: tf.pad(x, [[1, 1]], "REFLECT"),
    "broadcast_to": lambda tf, x: tf.broadcast_to(x, [2, 4]),
    "fill": lambda tf, x: tf.fill([2], x[2]),
    "zeros": lambda tf, x: tf.zeros([3], x.dtype),
    "ones": lambda tf, x: tf.ones([3], x.dtype),
    "boolean_mask": lambda tf, x: tf.boolean_mask(x, [True, False, True, False]),
    "variable": lambda tf, x: tf.Variable(x).read_value(),
    "assigned": lambda tf, x: tf.Variable(x).assign(tf.reshape(x, [4])).read_value(),
    "round": lambda tf, x: tf.round(x),
    "numbers": lambda tf, x: tf.constant([1, 300, -9], x.dtype),
    "floats": lambda tf, x: tf.constant([1.5, 300, -9], x.dtype),
    "arrays": lambda tf, x: tf.constant(np.array([1, 3], np.int32), x.dtype),
    "messages": lambda tf, x: tf.io.parse_tensor(
        tf.make_tensor_proto(x.numpy(), x.dtype).SerializeToString(), x.dtype
    ),
}


@case(sweep=True, name=NAMES, move=tuple(MOVES))
def moves(tf, name, move):
    return shown(MOVES[move](tf, values(tf, name)))


@case(name=tuple(QUANTIZED))
def equality(tf, name):
    x = values(tf, name)
    y = tf.gather(x, [0, 1, 1, 1])
    return [
        x == y,
        x != y,
        tf.equal(x, y[:1] if name[-2:] != "16" else y),
        x == tf.cast(3, x.dtype),
    ]


def _refused(tf, name, what):
    return REFUSALS[what](tf, values(tf, name))


REFUSALS = {
    "add": lambda tf, x: x + x,
    "subtract": lambda tf, x: x - x,
    "multiply": lambda tf, x: x * x,
    "divide": lambda tf, x: x / x,
    "negative": lambda tf, x: -x,
    "less": lambda tf, x: x < x,
    "maximum": lambda tf, x: tf.maximum(x, x),
    "square": lambda tf, x: tf.square(x),
    "exp": lambda tf, x: tf.exp(x),
    "matmul": lambda tf, x: tf.matmul(tf.reshape(x, [2, 2]), tf.reshape(x, [2, 2])),
    "reverse": lambda tf, x: tf.reverse(x, [0]),
    "clip": lambda tf, x: tf.clip_by_value(x, x, x),
    "top_k": lambda tf, x: tf.math.top_k(x),
    "as_string": lambda tf, x: tf.strings.as_string(x),
    "bitwise": lambda tf, x: tf.bitwise.invert(x),
    "ones_like": lambda tf, x: tf.ones_like(x),
}


errors(
    "stored_dtypes",
    "refusals",
    {
        f"{name} {what}": (functools.partial(_refused, name=name, what=what), [name])
        for name in NAMES
        for what in REFUSALS
    },
)


# What TensorFlow declares, but has no kernel for.
ABSENT = {
    "where": lambda tf, x: tf.where([True], x, x),
    "zeros_like": lambda tf, x: tf.zeros_like(x),
    "tile": lambda tf, x: tf.tile(x, [2]),
}


@case(name=("qint8", "float8_e5m2", "int4", "uint2"), what=("where", "zeros_like", "tile"))
def absent(tf, name, what):
    try:
        return ABSENT[what](tf, values(tf, name)).shape
    except (tf.errors.NotFoundError, tf.errors.UnimplementedError) as error:
        return type(error).__name__


@case(name=tuple(QUANTIZED))
def bitcasts(tf, name):
    x = values(tf, name)
    found = [tf.bitcast(x, tf.uint8), tf.bitcast(tf.bitcast(x, tf.uint8), x.dtype)]
    return [shown(y) for y in found]


@case(name=NAMES)
def messages(tf, name):
    return tf.make_tensor_proto(values(tf, name).numpy(), name).SerializeToString()


errors(
    "stored_dtypes",
    "refusals",
    {
        "bitcast float8": (
            lambda tf: tf.bitcast(values(tf, "float8_e5m2"), tf.uint8),
            ["float8_e5m2"],
        ),
        "bitcast int4": (lambda tf: tf.bitcast(tf.constant([1], tf.int8), "int4"), ["int4"]),
        "message": (lambda tf: tf.make_tensor_proto([1, 2], tf.qint8), ["qint8", "int"]),
        "max": (lambda tf: tf.qint8.max, ["qint8", "maximum"]),
        **{
            f"limits {name}": (lambda tf, name=name: kind(tf, name).limits, [name])
            for name in NAMES
        },
    },
)

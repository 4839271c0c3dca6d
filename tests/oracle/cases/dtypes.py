"""DType and TensorShape: names, properties, comparison, text, arithmetic of shapes."""

import numpy as np

from oracle.inputs import ALL, resolve
from oracle.registry import case

NAMES = (*ALL, "string", "half", "double")


@case(name=NAMES)
def dtype(tf, name):
    d = resolve(tf, name)
    return {
        "name": d.name,
        "repr": repr(d),
        "str": str(d),
        "size": d.size,
        "floating": d.is_floating,
        "integer": d.is_integer,
        "complex": d.is_complex,
        "bool": d.is_bool,
        "unsigned": d.is_unsigned,
        "numpy": np.dtype(d.as_numpy_dtype).name,
        "real": d.real_dtype if d.is_complex or d.is_floating else d,
        "base": d.base_dtype,
        "enum": d.as_datatype_enum,
        "alias": resolve(tf, "dtypes." + name),
        "hash": hash(d) == hash(tf.as_dtype(d.name)),
    }


@case(name=[n for n in NAMES if n not in ("string", "complex64", "complex128", "bool")])
def dtype_range(tf, name):
    d = resolve(tf, name)
    # A plain number, whatever type carries it.
    return [float(d.min), float(d.max)]


@case(
    form={
        "string": lambda tf: tf.as_dtype("float32"),
        "numpy type": lambda tf: tf.as_dtype(np.int64),
        "numpy dtype": lambda tf: tf.as_dtype(np.dtype("uint8")),
        "python float": lambda tf: tf.as_dtype(float),
        "python bool": lambda tf: tf.as_dtype(bool),
        "itself": lambda tf: tf.as_dtype(tf.int32) is tf.int32,
        "str": lambda tf: tf.as_dtype("string"),
        "bfloat16": lambda tf: tf.as_dtype("bfloat16"),
        "dtypes": lambda tf: tf.dtypes.as_dtype("half"),
        "enum": lambda tf: [tf.as_dtype(1), tf.as_dtype(3), tf.as_dtype(14)],
        "aliases": lambda tf: [tf.half is tf.float16, tf.double is tf.float64],
        "equality": lambda tf: [
            tf.float32 == "float32",
            tf.float32 == np.float32,
            tf.float32 == np.dtype("float32"),
            tf.float32 != tf.float64,
            tf.int32 == "nonsense",
            tf.int32 == None,  # noqa: E711
            tf.float32 == float,
        ],
        "as key": lambda tf: {tf.float32: 1}[tf.as_dtype("float32")],
        "isinstance": lambda tf: isinstance(tf.float32, tf.DType),
        "in text": lambda tf: f"{tf.float32} {tf.constant(1).dtype!r}",
        "numpy uses it": lambda tf: np.zeros(2, tf.float32.as_numpy_dtype),
        "limits": lambda tf: [list(tf.uint8.limits), list(tf.int32.limits)],
        "sorted names": lambda tf: sorted(d.name for d in {tf.int8, tf.bool, tf.half}),
    }
)
def dtype_form(tf, form):
    return form(tf)


S = {
    "scalar": [],
    "vector": [3],
    "matrix": [2, 3],
    "open": [None, 3],
    "all open": [None, None],
    "unknown": None,
    "five": [1, 2, 3, 4, 5],
}


@case(dims=S)
def shape(tf, dims):
    s = tf.TensorShape(dims)
    known = dims is not None
    full = known and None not in dims
    return {
        "itself": s,
        "repr": repr(s),
        "str": str(s),
        "rank": s.rank,
        "ndims": s.ndims,
        "elements": s.num_elements(),
        "full": s.is_fully_defined(),
        "len": len(s) if known else None,
        "list": list(s) if known else None,
        "as_list": s.as_list() if known else None,
        "dims": [d.value for d in s.dims] if known else None,
        "truth": bool(s),
        "format": f"{s}",
        "first": s[0] if known and dims else None,
        "rest": s[1:] if known else None,
        "tuple": list(tuple(s)) if full else None,
    }


SHAPE_FORMS = {
    "equality": lambda tf: [
        tf.TensorShape([2, 3]) == tf.TensorShape([2, 3]),
        tf.TensorShape([2, 3]) == [2, 3],
        tf.TensorShape([2, 3]) == (2, 3),
        tf.TensorShape([2, 3]) != [2, 4],
        tf.TensorShape([2]) == 2,
        tf.TensorShape([None]) == [None],
        tf.TensorShape(None) == None,  # noqa: E711
        tf.TensorShape([]) == [],
        tf.TensorShape([2, None]) == [2, 3],
    ],
    "hash": lambda tf: hash(tf.TensorShape([2, 3])) == hash(tf.TensorShape([2, 3])),
    "add": lambda tf: [
        tf.TensorShape([2]) + tf.TensorShape([3]),
        tf.TensorShape([2]) + [3, 4],
        [1] + tf.TensorShape([2]),
        tf.TensorShape(None) + [1],
    ],
    "concatenate": lambda tf: tf.TensorShape([2]).concatenate([None, 3]),
    "index": lambda tf: [
        tf.TensorShape([2, 3, 4])[-1],
        tf.TensorShape([2, 3, 4])[1],
        tf.TensorShape([2, None])[1],
    ],
    "slice": lambda tf: [
        tf.TensorShape([2, 3, 4])[1:],
        tf.TensorShape([2, 3, 4])[:-1],
        tf.TensorShape([2, 3, 4])[::-1],
        tf.TensorShape([2, 3, 4])[5:],
    ],
    "from int": lambda tf: [tf.TensorShape(3), tf.TensorShape((2,)), tf.TensorShape(np.int64(4))],
    "from shape": lambda tf: tf.TensorShape(tf.TensorShape([1, 2])),
    "from array": lambda tf: tf.TensorShape(np.array([2, 3])),
    "iteration": lambda tf: [d for d in tf.TensorShape([2, None])],
    "unpacking": lambda tf: [*tf.zeros([2, 5]).shape],
    "in": lambda tf: [3 in tf.TensorShape([2, 3]), 9 in tf.TensorShape([2])],
    "merge_with": lambda tf: tf.TensorShape([None, 3]).merge_with([2, None]),
    "compatible": lambda tf: [
        tf.TensorShape([None, 3]).is_compatible_with([2, 3]),
        tf.TensorShape([2, 3]).is_compatible_with([2, 4]),
        tf.TensorShape(None).is_compatible_with([1]),
        tf.TensorShape([1]).is_compatible_with([1, 1]),
    ],
    "with_rank": lambda tf: [tf.TensorShape(None).with_rank(2), tf.TensorShape([1]).with_rank(1)],
    "most specific": lambda tf: tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4]),
    "numpy": lambda tf: np.zeros(tf.TensorShape([2, 3])).shape == (2, 3),
    "int sizes": lambda tf: [type(d).__name__ for d in tf.zeros([2, 3]).shape],
    "as_proto free": lambda tf: tf.TensorShape([2, 3]).num_elements() * 2,
    "broadcast_static_shape": lambda tf: tf.broadcast_static_shape(
        tf.TensorShape([2, 1]), tf.TensorShape([3])
    ),
    "tensor of shape": lambda tf: tf.constant(tf.TensorShape([2, 3])),
    "in a message": lambda tf: "shape %s" % tf.TensorShape([2, None]),
    "isinstance": lambda tf: isinstance(tf.zeros([1]).shape, tf.TensorShape),
}


@case(form=SHAPE_FORMS)
def shape_form(tf, form):
    return form(tf)

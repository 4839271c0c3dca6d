"""Python indexing of tensors and variables: every form, its gradient, and NumPy's view of it."""

import numpy as np

from oracle.inputs import array, dense, gradient, gradient2, tensor
from oracle.registry import case

NEW = None
S = slice
E = Ellipsis

# Indices into a (3, 4, 5) tensor.
INDICES = {
    "[0]": 0,
    "[-1]": -1,
    "[1,2]": (1, 2),
    "[1,2,3]": (1, 2, 3),
    "[-1,-2,-3]": (-1, -2, -3),
    "[:]": S(None),
    "[1:]": S(1, None),
    "[:2]": S(None, 2),
    "[1:2]": S(1, 2),
    "[-2:]": S(-2, None),
    "[:-1]": S(None, -1),
    "[::2]": S(None, None, 2),
    "[::-1]": S(None, None, -1),
    "[::-2]": S(None, None, -2),
    "[2:0:-1]": S(2, 0, -1),
    "[5:]": S(5, None),
    "[:9]": S(None, 9),
    "[-9:9]": S(-9, 9),
    "[2:1]": S(2, 1),
    "[0:0]": S(0, 0),
    "[9:0:-1]": S(9, 0, -1),
    "[...]": E,
    "[...,0]": (E, 0),
    "[...,1:3]": (E, S(1, 3)),
    "[0,...]": (0, E),
    "[0,...,1]": (0, E, 1),
    "[1,...,::2]": (1, E, S(None, None, 2)),
    "[:,1]": (S(None), 1),
    "[:,:,1]": (S(None), S(None), 1),
    "[:,1:3]": (S(None), S(1, 3)),
    "[:,1:3,2]": (S(None), S(1, 3), 2),
    "[:,::-1]": (S(None), S(None, None, -1)),
    "[:,3:0:-2,::3]": (S(None), S(3, 0, -2), S(None, None, 3)),
    "[1:,:2,-1]": (S(1, None), S(None, 2), -1),
    "[newaxis]": NEW,
    "[newaxis,0]": (NEW, 0),
    "[:,newaxis]": (S(None), NEW),
    "[...,newaxis]": (E, NEW),
    "[newaxis,...,newaxis]": (NEW, E, NEW),
    "[0,newaxis,1]": (0, NEW, 1),
    "[:,newaxis,1:3,newaxis,0]": (S(None), NEW, S(1, 3), NEW, 0),
    "[:,:,:,newaxis,newaxis]": (S(None), S(None), S(None), NEW, NEW),
    "[1,2,3,newaxis]": (1, 2, 3, NEW),
    "[1,2,3,...]": (1, 2, 3, E),
    "[np.int64]": np.int64(1),
    "[np.int32,:]": (np.int32(2), S(None)),
    "[np slice]": S(np.int64(0), np.int32(2)),
}


@case(index=INDICES)
def index(tf, index):
    return tensor(tf, (3, 4, 5))[index]


@case(index=INDICES)
def index_gradient(tf, index):
    return gradient(tf, lambda x: x[index], tensor(tf, (3, 4, 5)))["grads"]


@case(index=INDICES)
def index_variable(tf, index):
    variable = tf.Variable(array((3, 4, 5), "int32", -9, 9))
    return variable[index]


@case(name=("[1,2]", "[::-2]", "[:,3:0:-2,::3]", "[0,newaxis,1]", "[1:,:2,-1]"))
def index_gradient2(tf, name):
    def cube(x):
        return (x * x * x)[INDICES[name]]

    return gradient2(tf, cube, tensor(tf, (3, 4, 5), "float64"))


@case(
    name=("[1,2,3]", "[::-1]", "[:,1:3,2]", "[...,newaxis]", "[0:0]"),
    dtype=("float16", "bfloat16", "float64", "int8", "int64", "uint8", "bool", "complex64"),
)
def index_dtype(tf, name, dtype):
    return tensor(tf, (3, 4, 5), dtype, -9, 9)[INDICES[name]]


@case(name=("[0]", "[1,2,3]", "[::-1]", "[:,1:3,2]"))
def index_strings(tf, name):
    words = np.array([f"w{i}" for i in range(60)], object).reshape(3, 4, 5)
    return tf.constant(words)[INDICES[name]]


# Indices that are themselves tensors, and other unusual forms.
TENSORS = {
    "scalar": lambda tf, x: x[tf.constant(1)],
    "scalar int64": lambda tf, x: x[tf.constant(2, tf.int64)],
    "negative scalar": lambda tf, x: x[tf.constant(-1)],
    "two scalars": lambda tf, x: x[tf.constant(1), tf.constant(2)],
    "scalar and int": lambda tf, x: x[tf.constant(1), 2],
    "slice start": lambda tf, x: x[tf.constant(1) :],
    "slice stop": lambda tf, x: x[: tf.constant(2)],
    "slice all": lambda tf, x: x[tf.constant(0) : tf.constant(3) : tf.constant(2)],
    "slice and ellipsis": lambda tf, x: x[..., tf.constant(1) : 4],
    "slice of computed": lambda tf, x: x[: tf.shape(x)[0] - 1],
    "scalar and newaxis": lambda tf, x: x[tf.newaxis, tf.constant(1)],
    "newaxis constant": lambda tf, x: x[:, tf.newaxis],
    "boolean mask": lambda tf, x: x[x > 0],
    "boolean mask rows": lambda tf, x: x[tf.constant([True, False, True])],
    "boolean mask none": lambda tf, x: x[x > 99],
    "variable": lambda tf, x: x[tf.Variable(1)],
    "chained": lambda tf, x: x[1][2][3],
    "chained slices": lambda tf, x: x[1:][:, :2][..., ::2],
}


@case(form=TENSORS)
def index_tensor(tf, form):
    return form(tf, tensor(tf, (3, 4, 5)))


@case(name=[name for name in TENSORS])
def index_tensor_gradient(tf, name):
    return gradient(tf, lambda x: TENSORS[name](tf, x), tensor(tf, (3, 4, 5)))["grads"]


SMALL = {
    "scalar ellipsis": lambda tf: tf.constant(3)[...],
    "scalar newaxis": lambda tf: tf.constant(3)[tf.newaxis],
    "scalar two newaxes": lambda tf: tf.constant(3.5)[None, ..., None],
    "empty": lambda tf: tf.zeros([0, 3])[:, 1],
    "empty slice": lambda tf: tf.zeros([3])[3:],
    "empty reversed": lambda tf: tf.zeros([0])[::-1],
    "5 dims": lambda tf: tensor(tf, (2, 3, 2, 3, 2))[1, ::2, ..., -1],
    "5 dims strides": lambda tf: tensor(tf, (2, 3, 2, 3, 2))[::-1, 1:, :, ::-2, 0],
    "6 dims": lambda tf: tensor(tf, (2, 1, 2, 1, 2, 2))[:, 0, ..., ::-1],
    "step past the end": lambda tf: tf.range(5)[1:4:7],
    "negative stop": lambda tf: tf.range(5)[4:-6:-1],
    "empty tuple": lambda tf: tf.range(3)[()],
    "size one": lambda tf: tf.constant([5])[0:1],
    "keeps dtype": lambda tf: tf.constant([1, 2], tf.uint8)[0],
}


@case(form=SMALL)
def index_small(tf, form):
    return form(tf)


STRIDED = {
    "begin_mask": {"begin_mask": 1},
    "end_mask": {"end_mask": 2},
    "shrink": {"shrink_axis_mask": 1},
    "ellipsis": {"ellipsis_mask": 2},
    "new_axis": {"new_axis_mask": 1},
    "both": {"begin_mask": 3, "end_mask": 3},
}


@case(masks=STRIDED)
def strided_slice_masks(tf, masks):
    return tf.strided_slice(tensor(tf, (3, 4, 5)), [1, 2], [2, 4], [1, 1], **masks)


@case
def strided_slice_default_strides(tf):
    return tf.strided_slice([1, 2, 3, 4], [1], [3])


SPARSE = "tf.sparse.SparseTensor([[0, 0], [1, 1], [2, 2], [3, 3], [4, 0], [5, 1]], v, [6, 4])"
CHOOSING = {
    "mask": "x[tf.constant([True, False] * 3)]",
    "boolean_mask": "tf.boolean_mask(x, [True, False] * 3)",
    "repeat": "tf.repeat(x, [1, 2, 0, 1, 1, 1], axis=0)",
    "frame": "tf.signal.frame(v, 3, 1)",
    "cross": "tf.linalg.cross(v[:3], v[3:])",
    "cross of a whole vector": "tf.linalg.cross(w, [1.0, 2.0, 3.0])",
    "sparse segment_sum": "tf.sparse.segment_sum(x, [0, 2], [0, 1])",
    "sparse slice": f"tf.sparse.slice({SPARSE}, [1, 0], [3, 4]).values",
    "sparse transpose": f"tf.sparse.transpose({SPARSE}).values",
    "ragged mask": "tf.ragged.boolean_mask(v, [True, False] * 3)",
    "ragged of lengths": "tf.RaggedTensor.from_tensor(x, lengths=[1, 2, 3, 4, 1, 0]).flat_values",
    "gather": "tf.gather(x, [0, 2])",
    "embedding_lookup": "tf.nn.embedding_lookup(x, [0, 2])",
}


@case(program=CHOOSING)
def kind_of_gradient(tf, program):
    names = {"tf": tf, "x": tensor(tf, (6, 4)), "v": tensor(tf, (6,)), "w": tensor(tf, (3,))}
    sources = [names["x"], names["v"], names["w"]]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = eval(program, names)
    grads = tape.gradient(value, sources)
    return [(type(grad).__name__ == "IndexedSlices", dense(tf, grad)) for grad in grads]

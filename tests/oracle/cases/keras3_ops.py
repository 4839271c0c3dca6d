"""keras.ops and keras.random: values, dtypes and gradients as Keras 3 has them."""

import importlib

import numpy as np

from oracle.inputs import array
from oracle.registry import case

A = array((3, 4), seed=1)
B = array((3, 4), seed=2)
POSITIVE = np.abs(A) + 0.5
SMALL = A / 2.5
K = array((3, 4), "int32", -5, 5, seed=3)
J = array((3, 4), "int32", 1, 6, seed=4)
T = array((2, 3, 4), seed=5)
V = array((6,), seed=6)
NAN = np.where(A > 1, np.nan, A).astype("float32")
SQUARE = array((3, 3), seed=7) + 3 * np.eye(3, dtype="float32")
DEFINITE = SQUARE @ SQUARE.T
IMAGE = array((2, 6, 8, 3), low=0.0, high=1.0, seed=8)
HALF = A.astype("float16")


def keras(tf):
    """Keras 3, whatever generation `tf.keras` is."""
    return tf.keras if tf.__name__ == "eagerflow" else importlib.import_module("keras")


UNARY = {
    "real": "abs absolute fabs negative square sign floor ceil trunc round exp expm1 sin cos tan "
    "sinh cosh tanh arctan arcsinh sigmoid relu relu6 softplus softsign silu swish log_sigmoid "
    "leaky_relu hard_sigmoid hard_silu hard_swish hard_tanh hard_shrink soft_shrink tanh_shrink "
    "elu selu celu gelu glu sparse_plus sparse_sigmoid squareplus softmax log_softmax "
    "erf exp2 cbrt deg2rad rad2deg sinc isfinite isinf isnan isposinf isneginf signbit "
    "logical_not conj real nan_to_num".split(),
    "positive": "sqrt rsqrt log log1p log2 log10 reciprocal i0".split(),
    "small": "arcsin arccos arctanh erfinv".split(),
    "int": "abs negative square sign floor exp sqrt sin relu cumsum logical_not "
    "bitwise_not bitwise_invert mean sum prod var std max min any all argmax".split(),
    "half": "exp sum mean softmax gelu var".split(),
}
DATA = {"real": A, "positive": POSITIVE, "small": SMALL, "int": J, "half": HALF}
NAMES = {f"{kind} {name}": (kind, name) for kind, names in UNARY.items() for name in names}


@case(loose=10, name=NAMES)
def of_one(tf, name):
    kind, operation = name
    return getattr(keras(tf).ops, operation)(tf.constant(DATA[kind]))


BINARY = (
    "add subtract multiply divide true_divide divide_no_nan maximum minimum mod floor_divide fmod "
    "equal not_equal less less_equal greater greater_equal arctan2 hypot logaddexp logaddexp2 "
    "logical_and logical_or logical_xor heaviside fmax fmin isclose".split()
)


@case(loose=10, name=BINARY)
def of_two(tf, name):
    function = getattr(keras(tf).ops, name)
    return [
        function(tf.constant(A), tf.constant(B)),
        function(tf.constant(A), 2),
        function(tf.constant(J), tf.constant(A)),
        function(tf.constant(J), 3),
        function(A, B),
    ]


PAIRS = {
    "int64 int32": ("int64", "int32"),
    "uint8 int8": ("uint8", "int8"),
    "int32 float16": ("int32", "float16"),
    "bool int32": ("bool", "int32"),
    "float16 float32": ("float16", "float32"),
    "float16 bfloat16": ("float16", "bfloat16"),
    "int64 bfloat16": ("int64", "bfloat16"),
    "uint8 float64": ("uint8", "float64"),
}


@case(pair=PAIRS)
def common_dtypes(tf, pair):
    ops = keras(tf).ops
    one, other = (tf.cast(tf.constant([1, 2]), dtype) for dtype in pair)
    return [ops.multiply(one, other), ops.where(one == one, one, other), ops.stack([one, other])]


REDUCED = "sum mean prod var std max min amax amin any all ptp median logsumexp".split()


@case(loose=10, name=REDUCED, axis=(None, 1, -1, (0, 2)), keepdims=(False, True))
def reduced(tf, name, axis, keepdims):
    return getattr(keras(tf).ops, name)(tf.constant(T), axis=axis, keepdims=keepdims)


NAN_REDUCED = "nansum nanmean nanmax nanmin nanprod nanstd nanvar".split()


@case(loose=10, name=NAN_REDUCED, axis=(None, 0))
def reduced_without_nan(tf, name, axis):
    return getattr(keras(tf).ops, name)(tf.constant(NAN), axis=axis)


PROGRAMS = {
    "arange": lambda o: [o.arange(5), o.arange(1, 7, 2), o.arange(1.0, 2.0, 0.25)],
    "arange dtype": lambda o: [o.arange(4, dtype="float32"), o.arange(1, 2.5)],
    "linspace": lambda o: [o.linspace(0.0, 1.0, 5), o.linspace(0, 10, 4, endpoint=False)],
    "linspace axis": lambda o: o.linspace(A, B, 3, axis=-1),
    "logspace": lambda o: o.logspace(0.0, 2.0, 3),
    "zeros": lambda o: [o.zeros((2, 3)), o.ones([2], "int32"), o.full((2, 2), 7)],
    "full": lambda o: [o.full((2,), 1.5, "float16"), o.zeros_like(K), o.ones_like(A, "int8")],
    "full_like": lambda o: [o.full_like(A, 2), o.full_like(K, 3), o.full_like(A, 1, "bool")],
    "eye": lambda o: [o.eye(3), o.eye(2, 3, 1), o.identity(2, "int32"), o.tri(3, k=-1)],
    "tril": lambda o: [o.tril(A), o.triu(A, 1), o.tril(T, -1)],
    "diag": lambda o: [o.diag(V), o.diag(A, 1), o.diagonal(T, 0, 1, 2), o.trace(A)],
    "diag below": lambda o: [o.diag(V[:2], -1), o.diagonal(A, -1), o.diagflat(SMALL[:1])],
    "vander": lambda o: o.vander(V[:3], 3),
    "reshape": lambda o: [o.reshape(A, (2, -1)), o.ravel(A), o.size(A), o.ndim(T)],
    "shape": lambda o: list(o.shape(T)),
    "transpose": lambda o: [o.transpose(T), o.transpose(T, (1, 0, 2)), o.swapaxes(T, 0, -1)],
    "moveaxis": lambda o: [o.moveaxis(T, 0, -1), o.moveaxis(T, (0, 1), (1, 2))],
    "expand_dims": lambda o: [o.expand_dims(A, 1), o.expand_dims(A, (0, -1))],
    "squeeze": lambda o: [o.squeeze(A[:1]), o.squeeze(A[:1, None], (0, 1))],
    "broadcast_to": lambda o: o.broadcast_to(V, (2, 6)),
    "concatenate": lambda o: [o.concatenate([A, B], axis=-1), o.concatenate([A, K])],
    "append": lambda o: [o.append(A, B), o.append(A, B, axis=1)],
    "stack": lambda o: [o.stack([A, B], -1), o.hstack([A, B]), o.vstack([A, B]), o.dstack([A, B])],
    "split": lambda o: [*o.split(A, 2, axis=1), *o.split(V, [2, 3]), *o.array_split(V, 4)],
    "hsplit": lambda o: [*o.hsplit(A, 2), *o.vsplit(A, 3)],
    "unstack": lambda o: o.unstack(A, axis=1),
    "tile": lambda o: [o.tile(A, (2, 1)), o.tile(V, (2, 2))],
    "repeat": lambda o: [o.repeat(A, 2), o.repeat(A, 3, axis=1), o.repeat(A, [1, 0, 2], axis=0)],
    "flip": lambda o: [o.flip(A), o.flip(A, 1), o.flip(T, (0, 2)), o.rot90(A), o.rot90(A, 3)],
    "roll": lambda o: [o.roll(A, 1), o.roll(A, 2, axis=1), o.roll(A, (1, -1), (0, 1))],
    "pad": lambda o: [o.pad(A, ((1, 1),) * 2), o.pad(A, ((1, 0), (0, 2)), constant_values=3)],
    "pad modes": lambda o: [
        o.pad(A, ((1, 1), (2, 0)), "reflect"),
        o.pad(A, ((0, 1), (1, 1)), "symmetric"),
    ],
    "meshgrid": lambda o: o.meshgrid(V[:2], V[:3]),
    "take": lambda o: [o.take(A, [0, -1], axis=1), o.take(A, 5), o.take(A, [[0, 1]], axis=0)],
    "take_along_axis": lambda o: o.take_along_axis(A, np.argsort(A, 1), axis=1),
    "where": lambda o: [o.where(A > 0, A, 0.0), o.where(A > 0, 1, 0), *o.where(A > 1)],
    "nonzero": lambda o: list(o.nonzero(K > 2)),
    "select": lambda o: o.select([A > 1, A < 0], [A, -A], 9.0),
    "sort": lambda o: [o.sort(A), o.sort(A, 0), o.argsort(A), o.argsort(A, axis=0)],
    "top_k": lambda o: list(o.top_k(A, 2)),
    "searchsorted": lambda o: [o.searchsorted([1.0, 2.0, 3.0], V), o.digitize(V, [-1.0, 0.0, 1.0])],
    "unravel_index": lambda o: list(o.unravel_index([1, 5, 7], (2, 4))),
    "isin": lambda o: [o.isin(K, [1, 2]), o.isin(K, [1, 2], invert=True)],
    "diff": lambda o: [o.diff(A), o.diff(A, n=2, axis=0)],
    "clip": lambda o: [o.clip(A, -1, 1), o.clip(K, 0, 3), o.clip(A, 0.5, B + 2)],
    "round": lambda o: o.round(A, 1),
    "gcd": lambda o: [o.gcd(J, 4), o.lcm(J, 4)],
    "bits": lambda o: [o.bitwise_and(J, 3), o.bitwise_or(J, 8), o.left_shift(J, 2)],
    "power": lambda o: [o.power(POSITIVE, 1.5), o.power(J, 2), o.ldexp(A, 2)],
    "argmax": lambda o: [o.argmax(A), o.argmax(A, 1), o.argmin(A, 0, keepdims=True)],
    "count_nonzero": lambda o: [o.count_nonzero(K), o.count_nonzero(K, axis=1)],
    "cumsum": lambda o: [o.cumsum(A), o.cumsum(A, axis=1), o.cumprod(A, axis=0)],
    "average": lambda o: [o.average(A), o.average(A, 1, B + 3), o.average(A, 0, V[:3] + 3)],
    "quantile": lambda o: [o.quantile(A, 0.3), o.quantile(A, [0.1, 0.9], axis=1)],
    "quantile methods": lambda o: [
        o.quantile(A, 0.4, axis=0, method=m) for m in ("lower", "higher", "midpoint", "nearest")
    ],
    "percentile": lambda o: o.percentile(A, 25.0),
    "trapezoid": lambda o: [o.trapezoid(A), o.trapezoid(V, dx=0.5)],
    "bincount": lambda o: [o.bincount(J[0]), o.bincount(J[0], minlength=9)],
    "histogram": lambda o: list(o.histogram(V, 4, (-2, 2))),
    "matmul": lambda o: [o.matmul(A, B.T), o.matmul(V, V), o.matmul(T, V[:4]), o.matmul(J, J.T)],
    "dot": lambda o: [o.dot(A, B.T), o.dot(T, A.T), o.inner(A, B), o.vdot(A, B), o.outer(V, V)],
    "kron": lambda o: o.kron(A, SMALL[:2]),
    "tensordot": lambda o: [o.tensordot(T, A, axes=[[1, 2], [0, 1]]), o.tensordot(A, B.T, 1)],
    "einsum": lambda o: [o.einsum("ij,kj->ik", A, B), o.einsum("bij,ij->b", T, A)],
    "cross": lambda o: o.cross(A[:, :3], B[:, :3]),
    "corrcoef": lambda o: o.corrcoef(A),
    "correlate": lambda o: [o.correlate(V, V[:3], m) for m in ("valid", "same", "full")],
    "nan": lambda o: [o.nan_to_num(NAN), o.nanmean(NAN), o.nancumsum(NAN), o.nanargmax(NAN, 1)],
    "cast": lambda o: [o.cast(A, "int32"), o.cast(K, "float16"), o.cast(A, "bool")],
    "convert_to_tensor": lambda o: [o.convert_to_tensor([1, 2]), o.convert_to_tensor(A, "float16")],
    "slice": lambda o: [o.slice(T, (0, 1, 0), (1, 2, 3)), o.slice_update(A, (1, 1), B[:2, :2])],
    "scatter": lambda o: o.scatter([[0], [2], [0]], A, (4, 4)),
    "scatter_update": lambda o: o.scatter_update(A, [[0, 1], [2, 3]], [9.0, 8.0]),
    "segment": lambda o: [o.segment_sum(A, J[:, 0] % 3, 4), o.segment_max(A, np.array([0, 1, 1]))],
    "while_loop": lambda o: o.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, 1.5)),
    "fori_loop": lambda o: o.fori_loop(0, 4, lambda i, v: v + i, 10),
    "scan": lambda o: o.scan(lambda c, x: (c + x, c * x), 1.0, V),
    "map": lambda o: o.map(lambda x: x * 2, V),
    "vectorized_map": lambda o: o.vectorized_map(lambda x: x * 2, A),
    "cond": lambda o: [
        o.cond(True, lambda: 1.0, lambda: 2.0),
        o.switch(1, [o.abs, o.square], -3.0),
    ],
    "associative_scan": lambda o: o.associative_scan(lambda a, b: a + b, V),
    "unique": lambda o: o.unique(np.array([3, 1, 3, 2])),
    "fft": lambda o: [*o.fft((A, B)), *o.rfft(V), o.irfft(o.rfft(V))],
    "one_hot": lambda o: [o.one_hot([0, 2], 3), o.one_hot([[1]], 2, axis=0, dtype="int32")],
    "multi_hot": lambda o: o.multi_hot(np.array([[0, 2], [1, 1]]), 4),
    "softmax": lambda o: [o.softmax(T, 1), o.softmax(A, None), o.log_softmax(T, (1, 2))],
    "conv": lambda o: o.conv(IMAGE, array((3, 3, 3, 2), seed=9), 2, "same"),
    "conv 1d": lambda o: o.conv(T, array((2, 4, 5), seed=9), dilation_rate=1),
    "conv_transpose": lambda o: [
        o.conv_transpose(IMAGE, array((3, 3, 2, 3), seed=9), 2, p) for p in ("same", "valid")
    ],
    "conv_transpose more": lambda o: o.conv_transpose(
        IMAGE, array((3, 3, 2, 3), seed=9), 2, "valid", output_padding=1
    ),
    "depthwise_conv": lambda o: o.depthwise_conv(IMAGE, array((3, 3, 3, 2), seed=9), 1, "same"),
    "separable_conv": lambda o: o.separable_conv(
        IMAGE, array((3, 3, 3, 1), seed=9), array((1, 1, 3, 4), seed=10)
    ),
    "max_pool": lambda o: [o.max_pool(IMAGE, 2), o.max_pool(IMAGE, 3, 2, "same")],
    "average_pool": lambda o: [o.average_pool(IMAGE, 2), o.average_pool(T, 2, 1, "same")],
    "moments": lambda o: [*o.moments(T, [0, 1]), *o.moments(T, [2], keepdims=True)],
    "normalize": lambda o: [o.normalize(A), o.normalize(A, 0, 1), o.normalize(A, order=3)],
    "layer_normalization": lambda o: o.layer_normalization(T, V[:4], V[2:]),
    "rms_normalization": lambda o: o.rms_normalization(T, V[:4]),
    "batch_normalization": lambda o: o.batch_normalization(A, V[:4], V[:4] ** 2, 1, V[2:], V[:4]),
    "binary_crossentropy": lambda o: [
        o.binary_crossentropy((A > 0).astype("float32"), o.sigmoid(B)),
        o.binary_crossentropy((A > 0).astype("float32"), B, from_logits=True),
    ],
    "categorical_crossentropy": lambda o: o.categorical_crossentropy(
        o.softmax(A), B, from_logits=True
    ),
    "sparse_categorical_crossentropy": lambda o: o.sparse_categorical_crossentropy(
        np.array([0, 2, 1]), o.softmax(A)
    ),
    "dot_product_attention": lambda o: [
        o.dot_product_attention(*[array((2, 3, 2, 4), seed=k) for k in (1, 2, 3)], is_causal=c)
        for c in (False, True)
    ],
    "in_top_k": lambda o: o.in_top_k(np.array([0, 1, 2]), A, 2),
    "depth_to_space": lambda o: o.space_to_depth(IMAGE, 2),
    "linalg": lambda o: [o.det(SQUARE), o.inv(SQUARE), o.cholesky(DEFINITE), o.solve(SQUARE, A)],
    "logdet": lambda o: [o.logdet(DEFINITE), *o.slogdet(SQUARE)],
    "norm": lambda o: [
        o.norm(A),
        o.norm(A, 1),
        o.norm(A, 2, axis=1),
        o.norm(A, np.inf, keepdims=True),
    ],
    "norm more": lambda o: [o.norm(V, 3), o.norm(A, "nuc"), o.norm(A, "fro"), o.norm(A, -2)],
    "svd": lambda o: o.svd(A, compute_uv=False),
    "solve_triangular": lambda o: o.solve_triangular(np.tril(SQUARE), A, lower=True),
    "lstsq": lambda o: o.lstsq(SQUARE, A),
    "image resize": lambda o: [
        o.image.resize(IMAGE, (3, 4)),
        o.image.resize(IMAGE, (12, 12), interpolation="nearest"),
        o.image.resize(IMAGE, (4, 4), crop_to_aspect_ratio=True),
        o.image.resize(IMAGE, (4, 4), pad_to_aspect_ratio=True),
    ],
    "image patches": lambda o: [
        o.image.extract_patches(IMAGE, (2, 2)),
        o.image.extract_patches(IMAGE, 3, 2, padding="same"),
    ],
    "image crop": lambda o: [
        o.image.crop_images(IMAGE, 1, 2, target_height=3, target_width=4),
        o.image.pad_images(IMAGE, 1, 2, target_height=9, target_width=11),
    ],
    "image color": lambda o: [o.image.rgb_to_grayscale(IMAGE), o.image.rgb_to_hsv(IMAGE)],
}


# Positions inside of the array, at its border and beyond it, where Keras's backends agree.
PLACES = np.array(
    [[[0.0, 1.3, 2.0], [0.5, 3.7, 6.2]], [[0.25, 2.0, 3.0], [1.5, 0.8, 9.4]]], "float32"
)
MOVES = np.array(
    [[1.1, 0.2, -0.7, -0.1, 0.9, 0.6, 0, 0], [0.8, -0.3, 2.2, 0.3, 1.2, -1.6, 0.02, -0.01]],
    "float32",
)
CORNERS = np.array([[[0, 0], [0, 5], [7, 0], [7, 5]], [[1, 1], [0, 4], [6, 0], [7, 5]]], "float32")
SEEN = np.array([[[1, 0.5], [0, 6], [6, 1], [8, 4]], [[0, 0], [1, 5], [7, 0.5], [6, 5]]], "float32")
CODES = array((2, 6, 4), low=-3.0, high=3.0, seed=11)
BYTES = (IMAGE * 255).astype("uint8")
FIRST = np.transpose(IMAGE, (0, 3, 1, 2))
MISSING = np.where(array((3, 4, 5), seed=12) > 0.7, np.nan, array((3, 4, 5), seed=13))
MISSING[1, :, 2] = np.nan
MISSING = MISSING.astype("float32")


def of_patches(o):
    one, other = o.unfold(FIRST, 2), o.unfold(FIRST, (3, 2), (1, 2), (1, 0), (2, 1))
    return [
        one,
        other,
        o.fold(one, (6, 8), 2),
        o.fold(other, (6, 8), (3, 2), (1, 2), (1, 0), (2, 1)),
    ]


RESAMPLED = {
    f"scale {method} {antialias}": lambda o, method=method, antialias=antialias: [
        o.image.scale_and_translate(
            IMAGE[0], (4, 12, 3), [0.6, 1.7], [0.3, -1.1], (0, 1), method, antialias
        ),
        o.image.scale_and_translate(IMAGE, (2, 6, 5, 3), [0.7], [1.5], (-2,), method, antialias),
    ]
    for method in "linear bilinear trilinear cubic bicubic tricubic lanczos3 lanczos5".split()
    for antialias in (True, False)
}
AFFINE = {
    f"affine {interpolation} {mode}": lambda o, interpolation=interpolation, mode=mode: [
        o.image.affine_transform(IMAGE, MOVES, interpolation, mode, 0.3),
        o.image.affine_transform(FIRST[0], MOVES[1], interpolation, mode, 0.3, "channels_first"),
        o.image.affine_transform(BYTES, MOVES[:1], interpolation, mode, 7),
        o.image.affine_transform(
            FIRST.astype("float16"), MOVES, interpolation, mode, 1, data_format="channels_first"
        ),
    ]
    for interpolation in ("nearest", "bilinear")
    for mode in ("constant", "nearest", "wrap", "reflect")
}
PERSPECTIVE = {
    f"perspective {interpolation}": lambda o, interpolation=interpolation: [
        o.image.perspective_transform(IMAGE, CORNERS, SEEN, interpolation, 0.3),
        o.image.perspective_transform(IMAGE[0], CORNERS[1], SEEN[1], interpolation),
        o.image.perspective_transform(
            FIRST, CORNERS[:1], SEEN[:1], interpolation, data_format="channels_first"
        ),
    ]
    for interpolation in ("nearest", "bilinear")
}
MAPPED = {
    f"map_coordinates {order} {mode}": lambda o, order=order, mode=mode: [
        o.image.map_coordinates(array((7, 11), seed=14), PLACES, order, mode, 0.5),
        o.image.map_coordinates(array((7, 11), "int32", 0, 90, seed=14), PLACES, order, mode, 5),
        o.image.map_coordinates(
            V, PLACES[0, :1] - 1 if mode == "wrap" else PLACES[0, :1], order, mode
        ),
    ]
    for order in (0, 1)
    for mode in ("constant", "nearest", "wrap", "reflect")
}
ELASTIC = {
    f"elastic {interpolation} {mode}": lambda o, interpolation=interpolation, mode=mode: [
        o.image.elastic_transform(IMAGE, 2.0, 1.0, interpolation, mode, 0.3, seed=5),
        o.image.elastic_transform(
            FIRST[0], 3.0, 2.0, interpolation, mode, 0.3, seed=6, data_format="channels_first"
        ),
    ]
    for interpolation in ("nearest", "bilinear")
    for mode in ("constant", "nearest", "wrap")
}
PROGRAMS |= {
    **RESAMPLED,
    **AFFINE,
    **PERSPECTIVE,
    **MAPPED,
    **ELASTIC,
    "blur": lambda o: [
        o.image.gaussian_blur(IMAGE),
        o.image.gaussian_blur(IMAGE[0], (5, 5), (0.7, 2.0), "channels_last"),
        o.image.gaussian_blur(FIRST, (4, 4), (1.5, 0.6), "channels_first"),
        o.image.gaussian_blur(FIRST[1], (3, 5), (1.5, 0.6), "channels_first"),
    ],
    "patches": of_patches,
    "view": lambda o: [
        o.view(A, "int32"),
        o.view(A, "uint8"),
        o.view(K, "float64"),
        o.view(A),
        o.view(np.float32(2.5), "int32"),
    ],
    "nanmedian": lambda o: [
        o.nanmedian(MISSING),
        o.nanmedian(MISSING, 1),
        o.nanmedian(MISSING, (0, 2), keepdims=True),
        o.nanmedian(A, -1),
    ],
    "nanquantile": lambda o: [
        o.nanquantile(MISSING, 0.3),
        o.nanquantile(MISSING, [0.0, 0.2, 1.0]),
        o.nanquantile(MISSING, 0.7, axis=1, keepdims=True),
        o.nanpercentile(MISSING, 35, axis=(0, 1)),
        o.nanpercentile(MISSING, [12.5, 80], axis=-1),
        o.nanpercentile(MISSING, [12.5, 80], keepdims=True),
    ],
    "nanquantile methods": lambda o: [
        o.nanquantile(MISSING, 0.4, axis=0, method=m)
        for m in ("linear", "lower", "higher", "midpoint", "nearest")
    ],
    "ctc_decode": lambda o: [
        *o.ctc_decode(CODES, [6, 4]),
        *o.ctc_decode(CODES, np.array([5, 6]), merge_repeated=False, mask_index=2),
        *o.ctc_decode(CODES, [6, 4], mask_index=None),
        *o.ctc_decode(CODES.astype("float16"), [6, 4], mask_index=-1),
    ],
    "ctc_decode beams": lambda o: [
        *o.ctc_decode(CODES, [6, 4], "beam_search", 20, 3),
        *o.ctc_decode(CODES, [6, 4], "beam_search", 10, 2, mask_index=2),
        *o.ctc_decode(CODES, [6, 4], "beam_search", mask_index=None),
        *o.ctc_decode(CODES, [6, 4], "beam_search", mask_index=-2),
    ],
}


@case(loose=20, program=PROGRAMS)
def programs(tf, program):
    result = program(keras(tf).ops)
    return list(result) if isinstance(result, tuple) else result


RANDOM = {
    "normal": lambda r: r.normal((3, 2), 1.0, 2.0, seed=5),
    "uniform": lambda r: [r.uniform((4,), seed=1), r.uniform((4,), -1.0, 3.0, seed=2)],
    "truncated_normal": lambda r: r.truncated_normal((5,), seed=3),
    "randint": lambda r: r.randint((6,), 0, 10, seed=4),
    "categorical": lambda r: r.categorical(A, 3, seed=4),
    "generator": lambda r: [r.uniform((2,), seed=s) for s in [r.SeedGenerator(7)] * 3],
}


@case(loose=10, program=RANDOM)
def numbers(tf, program):
    return program(keras(tf).random)


@case(
    loose=10,
    name="softmax logsumexp gelu silu elu norm median std normalize layer_normalization".split(),
)
def gradients(tf, name):
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(keras(tf).ops, name)(x)
        total = tf.reduce_sum(y * tf.cos(tf.cast(tf.size(y), "float32") * y))
    return tape.gradient(total, x)


DIFFERENTIABLE = {
    "nanquantile": lambda o, x: o.nanquantile(o.where(A > 1, np.nan, x), [0.2, 0.6], axis=1),
    "unfold": lambda o, x: o.unfold(o.reshape(x, (1, 1, 3, 4)), 2, padding=1),
    "fold": lambda o, x: o.fold(o.reshape(x, (1, 4, 3)), (2, 4), 2),
    # TensorFlow's gradient is that of a transformation whose inverse is its transpose.
    "affine": lambda o, x: o.image.affine_transform(
        o.reshape(x, (3, 4, 1)), np.array([1, 0, -1, 0, 1, 2, 0, 0], "float32")
    ),
    "map_coordinates": lambda o, x: o.image.map_coordinates(x, PLACES, 1),
    "map_coordinates positions": lambda o, x: o.image.map_coordinates(
        IMAGE[0, :, :, 0], x[:2] * 0.3 + 1.7, 1
    ),
    "blur": lambda o, x: o.image.gaussian_blur(o.reshape(x, (3, 4, 1))),
    "scale": lambda o, x: o.image.scale_and_translate(x, (3, 6), [1.4], [0.3], [1], "cubic"),
    "scale translation": lambda o, x: o.image.scale_and_translate(
        A, (3, 6), x[0, :1] / x[0, :1] * 1.4, x[1, :1], [1], "lanczos3"
    ),
}


@case(loose=10, program=DIFFERENTIABLE)
def gradients_of_programs(tf, program):
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = program(keras(tf).ops, x)
        weights = np.cos(np.arange(y.shape.num_elements()) + 1.0).reshape(y.shape)
        total = tf.reduce_sum(y * weights.astype("float32"))
    return tape.gradient(total, x)

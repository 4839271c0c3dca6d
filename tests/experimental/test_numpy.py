"""tf.experimental.numpy beside NumPy itself: values, dtypes, shapes, gradients."""

import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.experimental import numpy as tnp

FLOATS = np.array([[-1.5, 0.25, 2.0], [0.5, -0.75, 3.0]])
INTEGERS = np.array([[3, -4, 5], [7, 2, -6]])
POSITIVE = np.array([1, 2, 5], np.int32)

# A name of a function, and what it is called with.
CALLS = [
    *[
        (name, (values,))
        for values in (FLOATS, FLOATS.astype(np.float32), INTEGERS, INTEGERS.astype(np.int32))
        for name in (
            "abs ceil cos cosh deg2rad exp exp2 expm1 fabs fix floor imag iscomplex isfinite isinf "
            "isnan isneginf isposinf isreal logical_not negative positive rad2deg real sign sin "
            "sinc sinh square tan tanh arctan arcsinh cbrt sum prod mean var std max min ptp all "
            "any count_nonzero cumsum cumprod argmax argmin diff ravel transpose flip flipud fliplr "
            "rot90 sort argsort tril triu diag trace diagonal copy zeros_like ones_like around "
            "angle nonzero nansum nanprod nanmean average squeeze signbit"
        ).split()
    ],
    *[
        (name, (x, y))
        for x, y in (
            (FLOATS, INTEGERS),
            (INTEGERS.astype(np.int32), FLOATS.astype(np.float32)),
            (INTEGERS, 3),
            (FLOATS.astype(np.float32), 0.5),
        )
        for name in (
            "add subtract multiply divide true_divide floor_divide mod remainder maximum minimum "
            "greater greater_equal less less_equal equal not_equal logical_and logical_or "
            "logical_xor hypot arctan2 isclose logaddexp logaddexp2 heaviside"
        ).split()
    ],
    *[(name, (np.abs(FLOATS),)) for name in "sqrt log log10 log2 log1p reciprocal".split()],
    *[(name, (FLOATS / 4,)) for name in "arccos arcsin arctanh".split()],
    *[(name, (INTEGERS, 5)) for name in "bitwise_and bitwise_or bitwise_xor gcd lcm".split()],
    *[(name, (INTEGERS,)) for name in "bitwise_not atleast_1d atleast_2d atleast_3d".split()],
    *[(name, ([1, 2],)) for name in "atleast_2d atleast_3d vander diagflat".split()],
    ("outer", (INTEGERS, FLOATS)),
    ("append", (INTEGERS, FLOATS)),
    ("arccosh", (np.abs(FLOATS) + 1,)),
    ("power", (FLOATS, 2)),
    ("power", (POSITIVE, POSITIVE)),
    ("float_power", (POSITIVE, -1)),
    ("nextafter", (FLOATS, 1.0)),
    ("divmod", (INTEGERS, 3)),
    ("clip", (INTEGERS, 0, 4)),
    ("clip", (FLOATS, None, 1)),
    ("sum", ([True, True],)),
    ("sum", (INTEGERS, 1)),
    ("mean", (INTEGERS, 0)),
    ("matmul", (INTEGERS, FLOATS.T)),
    ("matmul", (INTEGERS, POSITIVE)),
    ("matmul", (POSITIVE, POSITIVE)),
    ("dot", (FLOATS, INTEGERS.T)),
    ("dot", (FLOATS, 2)),
    ("vdot", (FLOATS, FLOATS)),
    ("inner", (FLOATS, POSITIVE)),
    ("kron", (FLOATS, [[1, 2]])),
    ("cross", (FLOATS, POSITIVE)),
    ("tensordot", (FLOATS, INTEGERS, [[0], [0]])),
    ("einsum", ("ij,kj->ik", FLOATS, INTEGERS)),
    ("polyval", ([1, 2, 3], FLOATS)),
    ("eye", (2, 3, 1)),
    ("identity", (2,)),
    ("tri", (2, 3)),
    ("zeros", ([2],)),
    ("ones", ((2, 1), np.int32)),
    ("full", ([2, 2], 3)),
    ("full", ([2, 2], [1.0, 2.0])),
    ("full_like", (INTEGERS, 2.5)),
    ("arange", (3,)),
    ("arange", (1, 2, 0.25)),
    ("linspace", (0, 1, 5)),
    ("linspace", (0, [1.0, 2.0], 4)),
    ("logspace", (0, 2, 3)),
    ("geomspace", (1, 8, 4)),
    ("array", ([1, 2.5],)),
    ("array", (3, np.float32)),
    ("reshape", (INTEGERS, (3, -1))),
    ("reshape", (INTEGERS, 6, "F")),
    ("swapaxes", (INTEGERS, 0, 1)),
    ("moveaxis", (INTEGERS[None], 0, -1)),
    ("expand_dims", (INTEGERS, -1)),
    ("broadcast_to", (POSITIVE, (2, 3))),
    ("broadcast_arrays", (POSITIVE, INTEGERS)),
    ("stack", ([POSITIVE, POSITIVE * 1.5],)),
    ("concatenate", ([INTEGERS, FLOATS], 1)),
    ("concatenate", ([INTEGERS, POSITIVE], None)),
    ("vstack", ([POSITIVE, INTEGERS],)),
    ("hstack", ([POSITIVE, [1]],)),
    ("dstack", ([INTEGERS, INTEGERS],)),
    ("split", (INTEGERS, 3, 1)),
    ("split", (POSITIVE, [1, 2])),
    ("hsplit", (INTEGERS, 3)),
    ("vsplit", (INTEGERS, 2)),
    ("dsplit", (INTEGERS[None], [1])),
    ("roll", (INTEGERS, 1)),
    ("roll", (INTEGERS, 1, 1)),
    ("repeat", (INTEGERS, 2)),
    ("repeat", (INTEGERS, 2, 1)),
    ("tile", (POSITIVE, (2, 2))),
    ("pad", (INTEGERS, 1, "constant")),
    ("pad", (INTEGERS, ((1, 0), (0, 2)), "reflect")),
    ("where", (INTEGERS > 2, INTEGERS, 0.5)),
    ("where", (INTEGERS > 2,)),
    ("select", ([INTEGERS > 4, INTEGERS > 1], [INTEGERS, -INTEGERS], 9)),
    ("compress", ([True, False, True], INTEGERS, 1)),
    ("take", (INTEGERS, [2, 0], 1)),
    ("take_along_axis", (INTEGERS, np.argsort(INTEGERS, 1), 1)),
    ("sort", (INTEGERS, None)),
    ("average", (INTEGERS, None, [[1, 2, 3], [4, 5, 6]])),
    ("meshgrid", ([1, 2], [3, 4, 5])),
    ("diag", (POSITIVE, 1)),
    ("ix_", ([0, 1], [2])),
    ("array_equal", (INTEGERS, INTEGERS)),
    ("allclose", (FLOATS, FLOATS + 1e-12)),
    ("ndim", (INTEGERS,)),
    ("size", (INTEGERS,)),
    ("shape", (INTEGERS,)),
    ("isscalar", (3,)),
    ("diag_indices", (2,)),
]


def _flat(value):
    return list(value) if isinstance(value, list | tuple | tf.TensorShape) else [value]


@pytest.mark.parametrize("call", CALLS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CALLS)])
def test_answers_are_numpys(call):
    name, arguments = call
    expected = _flat(getattr(np, name)(*arguments))
    found = _flat(getattr(tnp, name)(*arguments))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        theirs = np.asarray(theirs)
        ours = np.asarray(ours)
        assert ours.shape == theirs.shape
        if name not in ("ceil", "floor", "fix"):  # integers become floats here, as in TensorFlow
            assert ours.dtype == theirs.dtype
        tolerance = 1e-5 if theirs.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def test_cross_products_in_the_plane():
    assert tnp.cross([1, 2], [3, 4]).numpy() == -2
    assert tnp.cross([1, 2], [3, 4, 0]).numpy().tolist() == [0, 0, -2]


def test_dtypes():
    assert tnp.result_type(tf.int32, tf.float32) is tf.float64
    assert tnp.result_type(tf.constant(1.0), 2.5) is tf.float32
    assert tnp.promote_types(tf.int8, tf.int32) == np.int32
    assert tnp.int_ is np.int64 and tnp.float_ is np.float64 and tnp.newaxis is None
    assert tnp.finfo(tf.float32).bits == 32 and tnp.iinfo(tnp.int8).max == 127
    assert tnp.issubdtype(tnp.float32, tnp.inexact)
    assert isinstance(tnp.ones([1]), tnp.ndarray)
    assert not tnp.iscomplexobj(1.5) and tnp.iscomplexobj(1j) and tnp.isrealobj([1])


def test_types_of_python_are_numpys_dtypes():
    for kind, dtype in ((int, tf.int64), (float, tf.float64), (bool, tf.bool)):
        arrays = (tnp.ones(2, dtype=kind), tnp.zeros(2, dtype=kind), tnp.array([1], dtype=kind))
        assert {array.dtype for array in arrays} == {dtype}
    assert tnp.arange(3, dtype=float).dtype is tf.float64


def test_gradients_flow():
    x = tf.constant([0.5, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum(tnp.log1p(tnp.square(x)) * tnp.flip(x)) + tnp.dot(x, x)
    values = x.numpy()
    expected = 2 * values / (1 + values**2) * values[::-1]
    expected = expected + np.log1p(values**2)[::-1] + 2 * values
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-6)


def test_lists_of_tensors_keep_their_gradients():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tnp.sum(tnp.array([x * 1.0, x * x, 3.0]))
    assert float(tape.gradient(y, x)) == 5.0


def test_random_numbers():
    tnp.random.seed(3)
    assert tnp.random.randn(2, 3).shape == (2, 3)
    assert tnp.random.rand(2).dtype is tf.float64
    drawn = tnp.random.randint(2, 5, 100).numpy()
    assert set(drawn) == {2, 3, 4} and drawn.dtype == np.int64
    spread = tnp.random.uniform([0.0, 10.0], [1.0, 11.0]).numpy()
    assert 0 <= spread[0] < 1 and 10 <= spread[1] < 11
    assert tnp.random.poisson(4.0, [5]).shape == (5,)
    tnp.random.seed(3)
    first = tnp.random.standard_normal([4]).numpy()
    tnp.random.seed(3)
    np.testing.assert_array_equal(tnp.random.standard_normal([4]).numpy(), first)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tnp.arange(1, 5, 0),
        lambda: tnp.reshape([1], 1, "K"),
        lambda: tnp.diag(np.ones((1, 1, 1))),
        lambda: tnp.clip([1], None, None),
        lambda: tnp.matmul(1, 2),
        lambda: tnp.pad([1], 1, "wrong"),
        lambda: tnp.take([1], [0], mode="wrong"),
        lambda: tnp.select([True], []),
        lambda: tnp.where([True], 1),
        lambda: tnp.cross([1], [2]),
        lambda: tnp.sort([1], kind="heapsort"),
        lambda: tnp.mean([1], out=[2]),
        lambda: tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="wrong"),
    ],
)
def test_bad_arguments(call):
    with pytest.raises(ValueError):
        call()


BEHAVIOR = """
import numpy as np
import eagerflow as tf
tnp = tf.experimental.numpy
tnp.experimental_enable_numpy_behavior()
i = tnp.array([3, 4])
assert (i + tf.constant([1.0, 2.0])).dtype is tf.float64
assert (tf.constant(1) + 1.5).dtype is tf.float64 and (1.5 + tf.constant(1)).dtype is tf.float64
assert (tf.Variable(1) * 1.5).dtype is tf.float64
assert (i / 2).numpy().tolist() == [1.5, 2.0] and (i @ i).numpy() == 25
assert (tf.constant(7) // 2.0).numpy() == 3.0 and (i == 3.0).numpy().tolist() == [True, False]
assert i[[1, 0]].numpy().tolist() == [4, 3] and i[i > 3].numpy().tolist() == [4]
grid = tnp.arange(6).reshape(2, 3)
assert grid[:, [0, 2]].numpy().tolist() == [[0, 2], [3, 5]] and grid[1, 2].numpy() == 5
assert grid[(True, False),].numpy().tolist() == [[0, 1, 2]]
assert grid[..., (True, False, True)].numpy().tolist() == [[0, 2], [3, 5]]
assert grid[[[0, 1], [1, 0]]].numpy().tolist() == [1, 3] and grid[[slice(0, 1), 1]].numpy() == [1]
array = np.arange(120).reshape(2, 3, 4, 5)
chosen = np.random.default_rng(0).random((4, 5)) > 0.5
cases = [(slice(None), [0, 2], [1, -3]), ([0, 1], slice(None), [1, 3]), (0, slice(None), [1, 3])]
cases += [(..., chosen), (None, [[0], [1]], [0, 1]), (slice(1, None), [True, False, True], -1), ([],)]
for index in cases:
    assert np.array_equal(tnp.asarray(array)[index], array[index]), index
@tf.function(input_signature=[tf.TensorSpec([None, None], tf.int64), tf.TensorSpec([None], tf.int32)])
def indexed(values, rows):
    return values[rows], values[:, rows], values[values > 2]
found = indexed(grid, tf.constant([1, 0]))
assert [f.numpy().tolist() for f in found] == [[[3, 4, 5], [0, 1, 2]], [[1, 0], [4, 3]], [3, 4, 5]]
assert grid.T.shape == (3, 2) and grid.transpose((1, 0)).shape == (3, 2)
assert grid.ravel().shape == (6,) and grid.flatten("F").numpy().tolist() == [0, 3, 1, 4, 2, 5]
assert grid.max() == 5 and grid.min(axis=0).numpy().tolist() == [0, 1, 2]
assert grid.mean(axis=1).numpy().tolist() == [1.0, 4.0] and grid.size == 6
assert grid.astype(tf.float32).dtype is tf.float32 and grid.tolist() == [[0, 1, 2], [3, 4, 5]]
assert grid.clip(1, 3).max() == 3 and (+i).numpy().tolist() == [3, 4]
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = (x[[1, 1]] * 2.0 + x * tf.constant([1, 2])).mean()
assert tape.gradient(y, x).numpy().tolist() == [0.5, 3.0], tape
"""


def test_behavior_of_tensors_in_a_process_of_its_own():
    done = subprocess.run([sys.executable, "-c", BEHAVIOR], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Their results are no tensors, or their arguments' sizes decide how many tensors there are.
STATIC = {"shape", "ndim", "size", "cross"}


@pytest.mark.parametrize("name", sorted({name for name, _ in CALLS} - STATIC))
def test_functions_of_arrays_of_unknown_sizes(name):
    for _, arguments in (call for call in CALLS if call[0] == name):
        arrays = [value for value in arguments[:1] if isinstance(value, np.ndarray) and value.ndim]
        if not arrays:
            continue

        def call(*arrays, rest=arguments[1:]):
            return getattr(tnp, name)(*arrays, *rest)

        unknown = [tf.TensorSpec([None] * value.ndim, value.dtype) for value in arrays]
        found = _flat(tf.function(call, input_signature=unknown)(*map(tf.constant, arrays)))
        for ours, eager in zip(found, _flat(call(*arrays)), strict=True):
            assert ours.dtype == eager.dtype
            np.testing.assert_allclose(ours, eager, rtol=1e-6)


def test_counts_of_padding_may_be_floats():
    def padded(x):
        return tf.experimental.numpy.pad(x, tf.experimental.numpy.ones((1, 2)), mode="constant")

    for function in (padded, tf.function(padded)):
        assert function(tf.constant([3, 4])).numpy().tolist() == [0, 3, 4, 0]

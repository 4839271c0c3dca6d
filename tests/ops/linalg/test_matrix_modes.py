"""Functions of matrices in all modes: values, gradients and second gradients are the same ones."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

linalg = tf.linalg


def side(a, columns=2):
    """A right-hand side that depends on the matrices, of any shape."""
    return tf.sin(tf.math.real(a))[..., :columns]


def with_side(function):
    return lambda a: function(a, tf.cast(side(a), a.dtype))


def positive(a):
    """Hermitian positive definite matrices of any ones."""
    return tf.matmul(a, a, adjoint_b=True) / 4 + tf.cast(tf.eye(tf.shape(a)[-1]), a.dtype)


def bands_of(a):
    """Three diagonals that depend on the matrices."""
    return tf.stack([a[..., 0, :] / 4, a[..., -1, :] / 8 + 4, a[..., 0, :] / 8 - 1], -2)


FUNCTIONS = {
    "cholesky": lambda a: linalg.cholesky(positive(a)),
    "cholesky_solve": with_side(
        lambda a, b: linalg.cholesky_solve(linalg.cholesky(positive(a)), b)
    ),
    "logdet": lambda a: linalg.logdet(positive(a)),
    "det": lambda a: linalg.det(a / 4),
    "slogdet": linalg.slogdet,
    "inv": linalg.inv,
    "inv adjoint": lambda a: linalg.inv(a, adjoint=True),
    "lu": lambda a: linalg.lu(a)[0],
    "lu_solve": with_side(lambda a, b: linalg.lu_solve(*linalg.lu(a), b)),
    "lu_reconstruct": lambda a: linalg.lu_reconstruct(*linalg.lu(a)) ** 2,
    "lu_matrix_inverse": lambda a: linalg.lu_matrix_inverse(*linalg.lu(a)),
    "lstsq": with_side(lambda a, b: linalg.lstsq(a, b, 0.5)),
    "solve": with_side(linalg.solve),
    "solve adjoint": with_side(lambda a, b: linalg.solve(a, b, adjoint=True)),
    "triangular_solve": with_side(linalg.triangular_solve),
    "tridiagonal_solve": with_side(lambda a, b: linalg.tridiagonal_solve(bands_of(a), b)),
    "upper": with_side(lambda a, b: linalg.triangular_solve(a, b, lower=False)),
    "upper adjoint": with_side(lambda a, b: linalg.triangular_solve(a, b, False, True)),
    "qr": linalg.qr,
    "eigh": lambda a: (linalg.eigh(positive(a))[0], tf.abs(linalg.eigh(positive(a))[1])),
    "eigvalsh": lambda a: linalg.eigvalsh(positive(a)),
}
# Programs have no eigenvalues and no diagonals of complex matrices.
REAL_IN_PROGRAMS = {"eigh", "eigvalsh", "logdet"}
NOT_IN_PROGRAMS = {"tridiagonal_solve"}
SHAPES = {"one": (1, 1), "batch": (3, 4, 4), "seven": (7, 7)}
DOUBLE = ["float64", "complex128"]
HAS_PROGRAMS = any(p.is_cpu for p in plugins.installed()) and _core.pjrt.built_in()


def matrices(shape, dtype):
    random = np.random.RandomState(sum(shape))
    numbers = random.uniform(-1, 1, shape)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * random.uniform(-1, 1, shape)
    spread = np.diag(np.arange(1, shape[-1] + 1) + 1.5)
    return tf.constant((numbers + spread).astype(dtype))


def sums(parts):
    """A number that depends on all parts of the results in different ways."""
    total = 0.0
    for k, part in enumerate(tf.nest.flatten(parts), 1):
        total += tf.reduce_sum(tf.cast(tf.sin(k * tf.math.real(part)), tf.float64))
        if part.dtype.is_complex:
            total += tf.reduce_sum(tf.cast(tf.math.imag(part) ** 2, tf.float64))
    return total


def derivatives(function):
    """A function of the value, the gradient, and that of the gradient's length."""

    def call(a):
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                value = sums(function(a))
            gradient = inner.gradient(value, a)
            length = tf.reduce_sum(tf.abs(gradient) ** 2)
        return value, gradient, outer.gradient(length, a)

    return call


def assert_same(found, expected, dtype, times=1):
    tolerance = times * (5e-3 if dtype in ("float32", "complex64") else 1e-8)
    for mine, theirs in zip(found, expected, strict=True):
        scale = np.abs(theirs.numpy()).max() + 1
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine.numpy() / scale, theirs.numpy() / scale, atol=tolerance)


@pytest.fixture(params=FUNCTIONS)
def name(request):
    return request.param


@pytest.fixture(params=SHAPES)
def shape(request):
    return SHAPES[request.param]


@pytest.fixture(params=DOUBLE)
def dtype(request):
    return request.param


@pytest.mark.parametrize(
    "kind, dtype",
    [*((kind, dtype) for kind in SHAPES for dtype in DOUBLE)]
    + [("batch", "float32"), ("batch", "complex64")],
)
def test_functions_of_known_and_unknown_shapes(name, kind, dtype):
    shape = SHAPES[kind]
    call, a = derivatives(FUNCTIONS[name]), matrices(shape, dtype)
    expected = call(a)
    assert_same(tf.function(call)(a), expected, dtype)
    for known in ([None] * len(shape), None):
        if known is None and name == "qr":
            continue  # its gradient depends on which side is longer
        traced = tf.function(call, input_signature=[tf.TensorSpec(known, dtype)])
        assert_same(traced(a), expected, dtype)


def test_gradients_are_slopes(name, shape, dtype):
    """Along a direction, of first and second order; a tape around a traced function, too."""
    call, a = derivatives(FUNCTIONS[name]), matrices(shape, dtype)
    _, gradient, second = call(a)
    direction = matrices(shape[::-1], dtype) if len(shape) == 2 else matrices(shape, dtype) * 0.7
    step = tf.cast(1e-5, dtype)
    low, high = call(a - step * direction), call(a + step * direction)
    lengths = [tf.reduce_sum(tf.abs(point[1]) ** 2) for point in (low, high)]
    for derivative, ends in ((gradient, (low[0], high[0])), (second, lengths)):
        slope = float((ends[1] - ends[0]) / 2e-5)
        found = float(tf.reduce_sum(tf.math.real(tf.math.conj(derivative) * direction)))
        np.testing.assert_allclose(found, slope, rtol=2e-4, atol=2e-4 * (1 + abs(slope)))
    traced = tf.function(FUNCTIONS[name])
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = sums(traced(a))
    assert_same([tape.gradient(value, a)], [gradient], dtype)


def test_loops(name, dtype):
    a = matrices((3, 3), dtype)

    def repeated(count):
        def call(a):
            total = tf.constant(0.0, tf.float64)
            for k in range(3) if count is None else tf.range(count):
                total += sums(FUNCTIONS[name](a * tf.cast(1 + tf.cast(k, tf.float64) / 4, dtype)))
            return total

        return call

    def with_gradient(function):
        def call(a):
            with tf.GradientTape() as tape:
                tape.watch(a)
                value = function(a)
            return value, tape.gradient(value, a)

        return call

    expected = with_gradient(repeated(None))(a)
    assert_same(tf.function(with_gradient(repeated(3)))(a), expected, dtype)


@pytest.mark.skipif(not HAS_PROGRAMS, reason="needs the package xla-cpu-pjrt")
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - NOT_IN_PROGRAMS))
def test_programs(name, shape, dtype):
    call, a = derivatives(FUNCTIONS[name]), matrices(shape, dtype)
    compiled = tf.function(lambda a: call(a * 1.0), jit_compile=True)
    if dtype == "complex128" and name in REAL_IN_PROGRAMS:
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="(eigenvalues|diagonals) of complex"
        ):
            compiled(a)
        return
    # XLA's Eigh iterates until it is as exact as this.
    assert_same(compiled(a), call(a), dtype, 1e4 if name in REAL_IN_PROGRAMS else 10)


@pytest.mark.parametrize("known", [True, False])
def test_files(name, dtype, known, tmp_path):
    """Exported functions have TensorFlow's operations, also of gradients."""
    if name in ("qr", "lstsq") and not known:
        pytest.skip("its gradient depends on which side is longer")
    a = matrices((2, 3, 3), dtype)

    def call(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            value = sums(FUNCTIONS[name](a))
        return value, tape.gradient(value, a)

    module = tf.Module()
    spec = tf.TensorSpec([2, 3, 3] if known else [None, None, None], dtype)
    module.call = tf.function(call, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path))
    assert_same(tf.saved_model.load(str(tmp_path)).call(a), call(a), dtype)


def test_nothing_calls_python():
    """Graphs of real matrices consist of the engine's operations, that of Cholesky factors too."""

    @tf.function
    def call(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            factor = linalg.cholesky(positive(a))
            parts = [
                linalg.cholesky_solve(factor, b),
                linalg.solve(a, b),
                linalg.inv(a) @ b,
                linalg.det(a) * linalg.slogdet(a)[1] * b,
                linalg.lu(a)[0] @ b,
                linalg.qr(a)[1] @ b,
                linalg.eigh(a)[0][:, None] * b,
            ]
            loss = tf.add_n([tf.reduce_sum(part**2) for part in parts])
        return tape.gradient(loss, [a, b])

    a = tf.constant(matrices((4, 4), "float64"))
    for spec in ([4, 4], [None, None]):
        graph = call.get_concrete_function(
            tf.TensorSpec(spec, tf.float64), tf.TensorSpec([spec[0], 1], tf.float64)
        ).graph
        assert not [node.name for node in graph.nodes if node.host_function is not None]
    names = {op.type for op in graph.get_operations()}
    assert {
        "Cholesky",
        "MatrixTriangularSolve",
        "MatrixSolve",
        "MatrixInverse",
        "Lu",
        "Qr",
    } <= names
    assert {"MatrixDeterminant", "LogMatrixDeterminant", "SelfAdjointEigV2"} <= names
    assert all(np.isfinite(part).all() for part in call(a, a[:, :1]))


def test_rows_at_once(name, dtype):
    """Jacobians and vectorized maps compute what single calls do."""
    function = FUNCTIONS[name]
    many = tf.stack([matrices((3, 3), dtype) * (1 + k / 5) for k in range(4)])
    mapped = tf.nest.flatten(tf.vectorized_map(function, many))
    each = [tf.nest.flatten(function(a)) for a in many]
    assert_same(mapped, [tf.stack(parts) for parts in zip(*each, strict=True)], dtype)

    def jacobian(a, pfor):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            y = tf.math.real(tf.nest.flatten(function(a))[-1])
        return tape.jacobian(y, a, experimental_use_pfor=pfor)

    slow, fast = (jacobian(many[1], pfor) for pfor in (False, True))
    assert_same([fast], [slow], dtype)
    with tf.GradientTape() as tape:
        tape.watch(many)
        y = tf.math.real(tf.nest.flatten(function(many))[-1])
        y = y[:, None] if y.shape.rank == 1 else y
    rows = tape.batch_jacobian(y, many)
    assert_same([tf.reshape(rows[1], slow.shape)], [slow], dtype)


@pytest.mark.parametrize("function", [linalg.solve, linalg.triangular_solve])
def test_right_hand_sides_of_one_matrix(function):
    """Rows with the same matrix, or the same right-hand side."""
    a, b = matrices((3, 3), "float64"), matrices((5, 3, 3), "float64")
    shared = tf.vectorized_map(lambda row: function(a, row), b)
    assert_same([shared], [tf.stack([function(a, row) for row in b])], "float64")
    shared = tf.vectorized_map(lambda matrix: function(matrix, a), b)
    assert_same([shared], [tf.stack([function(matrix, a) for matrix in b])], "float64")
    batches = tf.vectorized_map(lambda row: function(b, row[None] * b), b)
    assert_same([batches], [tf.stack([function(b, row[None] * b) for row in b])], "float64")


def test_forward_mode(name):
    dtype = "float64"
    function, a = FUNCTIONS[name], matrices((3, 3), dtype)
    direction = matrices((3, 3), dtype) * 0.3

    def along(a, direction):
        with tf.autodiff.ForwardAccumulator(a, direction) as forward:
            value = sums(function(a))
        return forward.jvp(value)

    with tf.GradientTape() as tape:
        tape.watch(a)
        value = sums(function(a))
    expected = [tf.reduce_sum(tape.gradient(value, a) * direction)]
    assert_same([along(a, direction)], expected, dtype)
    assert_same([tf.function(along)(a, direction)], expected, dtype)


def test_triangles_broadcast():
    a, b = matrices((2, 1, 3, 3), "float64"), matrices((4, 3, 3), "float64")

    def call(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            value = sums(linalg.triangular_solve(a, b))
        return tape.gradient(value, [a, b])

    expected = call(a, b)
    whole = call(tf.tile(a, [1, 4, 1, 1]), tf.tile(b[None], [2, 1, 1, 1]))
    summed = [tf.reduce_sum(whole[0], 1, keepdims=True), tf.reduce_sum(whole[1], 0)]
    assert_same(expected, summed, "float64")
    specs = [tf.TensorSpec([None] * 4, tf.float64), tf.TensorSpec([None] * 3, tf.float64)]
    assert_same(tf.function(call, input_signature=specs)(a, b), expected, "float64")
    assert_same(tf.function(call)(a, b), expected, "float64")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 30])
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_determinants_of_singular_matrices(n, rank, dtype):
    """Gradients are cofactors, and second ones determinants without two rows and columns."""
    if rank > n:
        pytest.skip("no such matrix")
    left = np.linalg.qr(matrices((n, n), dtype).numpy())[0]
    right = np.linalg.qr(matrices((n, n), dtype).numpy()[::-1])[0]
    kept = np.arange(n) < n - rank  # `rank` dimensions are missing
    numbers = left @ np.diag(np.where(kept, 0.5 + np.arange(n) / n, 0)) @ right
    a = tf.constant(numbers)
    direction = matrices((n, n), dtype) / n

    def call(a):
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as inner:
                inner.watch(a)
                value = linalg.det(a)
            gradient = inner.gradient(value, a)
            slope = tf.reduce_sum(tf.math.conj(gradient) * direction)
        return gradient, outer.gradient(slope, a)

    def exact(x):
        """The derivative along the direction, by differences of the polynomial."""
        places = np.linspace(-1, 1, n + 1) * 0.4
        values = [np.linalg.det(x + t * direction.numpy()) for t in places]
        return np.polyfit(places, values, n)[-2] if n > 1 else (values[1] - values[0]) / 0.8

    gradient, second = call(a)
    if n <= 9:
        found = np.sum(gradient.numpy().conj() * direction.numpy())
        scale = np.abs(found) + 1
        np.testing.assert_allclose(found / scale, exact(numbers) / scale, atol=1e-6)
    if rank >= 2:
        assert np.abs(gradient).max() <= 1e-7 * max(1, np.abs(second).max())
    if rank >= 3:
        assert np.abs(second).max() < 1e-6
    near = tf.constant(numbers + 1e-9 * np.eye(n))
    for mine, theirs in zip((gradient, second), call(near), strict=True):
        scale = np.abs(theirs.numpy()).max() + 1
        np.testing.assert_allclose(mine.numpy() / scale, theirs.numpy() / scale, atol=1e-4)
    for traced in (tf.function(call), tf.function(call, jit_compile=HAS_PROGRAMS)):
        for mine, theirs in zip(traced(a * 1.0), (gradient, second), strict=True):
            scale = np.abs(theirs.numpy()).max() + 1
            np.testing.assert_allclose(mine.numpy() / scale, theirs.numpy() / scale, atol=1e-7)


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_third_derivatives_of_determinants(n):
    """Of singular matrices of up to 6 rows, and of regular ones."""
    numbers = matrices((n, n), "float64").numpy()
    if n <= 6:
        numbers[-1] = numbers[0]
    directions = [matrices((n, n), "float64") * factor for factor in (0.3, 0.7, -0.4)]

    def order(function, direction):
        def call(a):
            with tf.GradientTape() as tape:
                tape.watch(a)
                value = function(a)
            return tf.reduce_sum(tape.gradient(value, a) * direction)

        return call

    function = linalg.det
    for direction in directions:
        lower, function = function, order(function, direction)
    a = tf.constant(numbers)
    step = 1e-4
    slope = (lower(a + step * directions[-1]) - lower(a - step * directions[-1])) / (2 * step)
    np.testing.assert_allclose(float(function(a)), float(slope), rtol=1e-5, atol=1e-6)
    if n == 2:
        return  # the third one is zero
    fourth = order(function, directions[0])(a)
    slope = (function(a + step * directions[0]) - function(a - step * directions[0])) / (2 * step)
    np.testing.assert_allclose(float(fourth), float(slope), rtol=1e-5, atol=1e-5)


def test_errors_are_those_of_eager_calls(dtype):
    zeros = tf.zeros([2, 2, 2], dtype)
    for function, message in (
        (linalg.inv, "Input is not invertible"),
        (lambda a: linalg.solve(a, a), "Input matrix is not invertible"),
        (linalg.lu, "Input is not invertible"),
    ):
        for call in (function, tf.function(function)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                call(zeros)
    for call in (linalg.cholesky, tf.function(linalg.cholesky)):
        assert np.isnan(call(zeros - tf.eye(2, dtype=dtype))[0, 1, 0].numpy())
    broken = tf.fill([3, 3], tf.cast(np.nan, dtype))
    for call in (linalg.eigh, tf.function(linalg.eigh), linalg.eigvalsh):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
            call(broken)


@pytest.mark.parametrize("rows", [[0, 0, 1], [0, 1, 3], [[0, 1, 2], [0, 2, 2]]])
def test_orders_of_rows_are_permutations(rows):
    factors = matrices((*np.shape(rows), 3), "float32")
    for call in (linalg.lu_reconstruct, tf.function(linalg.lu_reconstruct)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="InvertPermutation"):
            call(factors, tf.constant(rows))


def test_half_precision():
    """Computed in float32, also by graphs."""
    a = tf.cast(matrices((3, 3), "float32"), tf.float16)
    for function in (linalg.inv, linalg.qr, with_side(linalg.triangular_solve)):

        def call(a, function=function):
            with tf.GradientTape() as tape:
                tape.watch(a)
                parts = tf.nest.flatten(function(a))
                value = tf.add_n([tf.reduce_sum(part**2) for part in parts])
            return [*parts, tape.gradient(value, a)]

        expected = call(tf.cast(a, tf.float32))
        for run in (call, tf.function(call)):
            for mine, theirs in zip(run(a), expected, strict=True):
                assert mine.dtype == tf.float16
                np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=3e-2, atol=3e-2)

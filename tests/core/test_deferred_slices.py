"""Large slices that elementwise operations read without a copy have the elements of NumPy's slices."""

import numpy as np
import pytest

import eagerflow as tf

SHAPE = (9, 80, 90)
KEYS = [
    np.s_[:, 1:-1, 2:-2],
    np.s_[1:, :, :64],
    np.s_[::2, 5:, 10:],
    np.s_[::-1, ::-3, 30:],
    np.s_[3:4, 1:, 1:],
    np.s_[..., 7:],
    np.s_[2, :, :],
    np.s_[:, None, 40:, 5:40],
    np.s_[:, :, ::2],
]
MODES = {"eager": lambda f: f, "traced": tf.function}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex64", "bfloat16", "bool"])
@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_elements_of_slices(mode, key, dtype) -> None:
    array = np.random.default_rng(0).integers(0, 50, SHAPE)
    x = tf.cast(array, dtype)

    def compute(x):
        part = x[key]
        if dtype == "bool":
            return part, tf.logical_not(part), tf.reduce_any(part)
        return part, part * part + part, tf.reduce_sum(part)

    part, changed, total = MODES[mode](compute)(x)
    expected = x.numpy()[key]
    np.testing.assert_array_equal(part, expected)
    if dtype == "bool":
        np.testing.assert_array_equal(changed, ~expected)
        assert total.numpy() == expected.any()
    else:
        np.testing.assert_array_equal(changed, expected * expected + expected)
        np.testing.assert_allclose(
            total.numpy().astype("c16"), tf.reduce_sum(tf.constant(expected)).numpy(), rtol=1e-2
        )


@pytest.mark.parametrize("mode", MODES)
def test_differences_of_neighbours(mode) -> None:
    u = np.random.default_rng(1).normal(size=(300, 310))
    variable = tf.Variable(u)

    def step():
        x = variable
        laplace = x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]
        variable[1:-1, 1:-1].assign(x[1:-1, 1:-1] + 0.1 * laplace)
        return laplace

    for _ in range(3):
        found = MODES[mode](step)()
        laplace = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += 0.1 * laplace
        np.testing.assert_allclose(found, laplace, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(variable, u, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_through_slices(mode) -> None:
    array = np.random.default_rng(2).normal(size=(200, 210))

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x[1:, 3:]) * x[:-1, :-3])
        return tape.gradient(y, x)

    expected = np.zeros_like(array)
    expected[1:, 3:] += np.cos(array[1:, 3:]) * array[:-1, :-3]
    expected[:-1, :-3] += np.sin(array[1:, 3:])
    np.testing.assert_allclose(
        MODES[mode](gradient)(tf.constant(array)), expected, rtol=1e-12, atol=1e-14
    )


def test_a_slice_keeps_its_elements_when_its_variable_changes() -> None:
    variable = tf.Variable(tf.ones([300, 300]))
    part = variable[1:-1, 1:-1]
    variable[5].assign(tf.zeros([300]))
    variable.assign_add(tf.ones([300, 300]))
    assert (part.numpy() == 1).all()
    array = np.ones([300, 300], "f")
    part = tf.constant(array)[:, 1:-1]
    array[:] = 2
    assert (part.numpy() == 1).all()


@pytest.mark.parametrize("dtype", ["float32", "int8", "string"])
@pytest.mark.parametrize("shape", [(4, 3, 5), (1, 7, 1), (300, 40, 5), (0, 3, 2)], ids=str)
@pytest.mark.parametrize("mode", [*MODES, "shift unknown"])
def test_elements_that_move_along_axes(mode, shape, dtype) -> None:
    array = np.random.default_rng(3).integers(0, 50, shape)
    x = tf.constant(array.astype(str)) if dtype == "string" else tf.cast(array, dtype)
    for axis in (0, 1, -1):
        for shift in (0, 1, -1, 6, -13, 1000):

            def move(x, shift, axis=axis):
                moved = tf.roll(x, shift, axis)
                return moved if dtype == "string" else (moved + moved) - moved

            if mode == "shift unknown":
                found = tf.function(move)(x, tf.constant(shift))
            else:
                found = MODES[mode](lambda x, s=shift, f=move: f(x, s))(x)
            np.testing.assert_array_equal(found, np.roll(x.numpy(), shift, axis))


# Around the lengths from which rows are read in the memory of the sliced tensor.
ROWS = [63, 64, 65, 127, 128, 129, 200, 300, 513]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bfloat16", "bool"])
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("mode", MODES)
def test_rows_of_slices_beside_other_operands(mode, row, dtype) -> None:
    rng = np.random.default_rng(row)
    array = rng.integers(-3, 4, (5, 26, row + 4))
    x = tf.cast(array, dtype)
    others = [
        tf.cast(rng.integers(-3, 4, shape), dtype)
        for shape in [(5, 24, row), (row,), (24, 1), (5, 1, 1), ()]
    ]

    def compute(x, whole, columns, rows, blocks, single):
        y, z = x[:, 1:-1, 2:-2], x[:, 2:, 4:]
        deep = x[:, 1:, :][:, :24, :row]  # a slice of a slice
        if dtype == "bool":
            return tf.where(y, z, whole), (y | rows) & (z ^ columns) | deep
        fresh = whole + single  # memory that a result may have
        return (
            tf.where(y < z, fresh * y, -z) + columns * rows,
            fresh + y,
            tf.reduce_sum(y * z + deep, 2),
            tf.cast(y > blocks, x.dtype) * tf.abs(z) - deep,
        )

    found = MODES[mode](compute)(x, *others)
    small = [part.numpy().astype("int32" if dtype != "bool" else bool) for part in (x, *others)]
    array, whole, columns, rows, blocks, single = small
    y, z, deep = array[:, 1:-1, 2:-2], array[:, 2:, 4:], array[:, 1:25, :row]
    if dtype == "bool":
        expected = np.where(y, z, whole), (y | rows) & (z ^ columns) | deep
    else:
        expected = (
            np.where(y < z, (whole + single) * y, -z) + columns * rows,
            whole + single + y,
            (y * z + deep).sum(2),
            (y > blocks) * abs(z) - deep,
        )
    for one, other in zip(found, expected, strict=True):
        tolerance = 1e-2 if dtype == "bfloat16" else 0  # of sums
        np.testing.assert_allclose(
            one.numpy().astype(other.dtype), other, rtol=tolerance, atol=8 * tolerance
        )

"""Gradients, Jacobians, maps and functional calls: values, composition, graphs, errors."""

import numpy as np
import pytest

import eagerflow as tf

func = tf.func
VECTOR = np.array([0.5, -1.0, 2.0])
MATRIX = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])

MODES = {
    "eager": lambda f: f,
    "traced": tf.function,
    "xla": tf.function(jit_compile=True),
    "unknown sizes": lambda f: tf.function(f, reduce_retracing=True),
}


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


def close(found, expected):
    tf.nest.assert_same_structure(found, expected, check_types=False)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_grad(mode):
    x = tf.constant(VECTOR)
    cube = lambda x: tf.reduce_sum(x**3)  # noqa: E731
    close(mode(func.grad(cube))(x), 3 * VECTOR**2)
    close(mode(func.value_and_grad(cube))(x), (np.sum(VECTOR**3), 3 * VECTOR**2))
    close(
        mode(func.grad(lambda x: func.grad(lambda y: y**4)(x) * x))(tf.constant(2.0)), 4 * 4 * 8.0
    )
    close(
        mode(func.grad(lambda a, b: tf.reduce_sum(a["x"] * b), (0, 1)))({"x": x}, x),
        ({"x": VECTOR}, VECTOR),
    )
    close(mode(func.grad(lambda a, b: tf.reduce_sum(a), -1))(x, x), np.zeros(3))
    gradient, aux = mode(func.grad(lambda x: (cube(x), 2 * x), has_aux=True))(x)
    close((gradient, aux), (3 * VECTOR**2, 2 * VECTOR))
    close(mode(func.grad(lambda x, *, k: k * cube(x)))(x, k=2.0), 6 * VECTOR**2)


def test_what_is_read_from_outside_is_constant():
    x = tf.constant(3.0)
    close(func.grad(lambda a: a * x)(x), 3.0)
    close(func.grad(lambda a: func.grad(lambda b: a * b)(x))(x), 1.0)
    v = tf.Variable(3.0)
    close(func.grad(lambda a: a * v)(v), 3.0)
    with tf.GradientTape() as tape:
        y = func.grad(lambda a: a**3)(v)
    close(tape.gradient(y, v), 18.0)


def test_rows_have_dense_gradients():
    gradient = func.grad(lambda table: tf.reduce_sum(tf.gather(table, [1, 1])))(MATRIX)
    assert isinstance(gradient, tf.Tensor)
    close(gradient, np.array([[0.0] * 3, [2.0] * 3]))


def test_jacobians(mode):
    x = tf.constant(VECTOR)
    f = lambda x: {"y": x[:2] ** 2, "z": tf.reduce_prod(x)}  # noqa: E731
    expected = {
        "y": np.diag(2 * VECTOR)[:2],
        "z": np.prod(VECTOR) / VECTOR,
    }
    close(mode(func.jacrev(f))(x), expected)
    close(mode(func.jacfwd(f))(x), expected)
    for jacobian in (func.jacrev, func.jacfwd):
        of_both = mode(jacobian(lambda a, b: tf.linalg.matvec(a, b), (0, 1)))
        by_matrix = np.einsum("ij,k->ijk", np.eye(2), VECTOR)
        close(of_both(tf.constant(MATRIX), x), (by_matrix, MATRIX))
        rows, aux = mode(jacobian(lambda x: (x * x, x), has_aux=True))(x)
        close((rows, aux), (np.diag(2 * VECTOR), VECTOR))


def test_hessians_and_their_kin(mode):
    x = tf.constant(VECTOR)
    f = lambda x: tf.reduce_sum(x**3) + x[0] * x[1] * x[2]  # noqa: E731
    a, b, c = VECTOR
    expected = np.diag(6 * VECTOR) + [[0, c, b], [c, 0, a], [b, a, 0]]
    for second in (
        func.hessian(f),
        func.jacfwd(func.jacrev(f)),
        func.jacrev(func.jacfwd(f)),
        func.jacfwd(func.jacfwd(f)),
        func.jacrev(func.grad(f)),
        func.jacfwd(func.grad(f)),
    ):
        close(mode(second)(x), expected)
    third = np.zeros([3, 3, 3])
    third[range(3), range(3), range(3)] = 6.0
    for i, j, k in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        third[i, j, k] = 1.0
    close(mode(func.jacrev(func.hessian(f)))(x), third)
    pairs = mode(func.hessian(lambda u, v: tf.reduce_sum(u * v**2), (0, 1)))(x, x)
    close(
        pairs, ((np.zeros([3, 3]), np.diag(2 * VECTOR)), (np.diag(2 * VECTOR), np.diag(2 * VECTOR)))
    )


def test_products(mode):
    x, direction = tf.constant(VECTOR), np.array([1.0, 2.0, 3.0])

    def both(x, direction):
        value, product = func.vjp(lambda x, y: (x * y, tf.reduce_sum(x)), x, x)
        return value, product((direction, 1.0)), product((direction, 0.0))

    value, one, two = mode(both)(x, direction)
    close(value, (VECTOR**2, VECTOR.sum()))
    close(one, (VECTOR * direction + 1, VECTOR * direction))
    close(two, (VECTOR * direction, VECTOR * direction))
    found = mode(lambda x, d: func.jvp(lambda x: {"y": x**2}, (x,), (d,)))(x, direction)
    close(found, ({"y": VECTOR**2}, {"y": 2 * VECTOR * direction}))
    along = mode(lambda x, d: func.jvp(func.grad(lambda x: tf.reduce_sum(x**3)), (x,), (d,))[1])
    close(along(x, direction), 6 * VECTOR * direction)
    assert len(func.vjp(lambda x: (x, 1), x, has_aux=True)) == 3
    assert func.jvp(lambda x: (x, 1), (x,), (x,), has_aux=True)[2] == 1


def test_structures_of_arguments():
    x = tf.constant(VECTOR)
    square = lambda p: tf.reduce_sum(p["w"] ** 2)  # noqa: E731
    close(func.grad(square)({"w": x, "b": None})["w"], 2 * VECTOR)
    assert func.grad(square)({"w": x, "b": None})["b"] is None
    assert func.jacfwd(square)({"w": x, "b": None})["b"] is None
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    gradient = func.grad(lambda r: tf.reduce_sum(r.flat_values**2))(ragged)
    assert gradient.to_list() == [[2.0, 4.0], [6.0]]
    assert func.jacrev(lambda x: {"y": x, "n": None})(x)["n"] is None


@pytest.mark.parametrize("argnums", [[0, 1], (0, 1), (-2, -1)], ids=str)
def test_several_arguments(argnums, mode):
    x, y = tf.constant(VECTOR), tf.constant(2 * VECTOR)
    product = lambda a, b: tf.reduce_sum(a * b)  # noqa: E731
    for transform in (func.grad, func.jacrev, func.jacfwd):
        close(mode(transform(product, argnums))(x, y), (2 * VECTOR, VECTOR))
    with pytest.raises(ValueError, match="no argument 1.*Arguments by name are constants"):
        func.grad(product, 1)(x, b=y)
    with pytest.raises(TypeError, match="argnums must be"):
        func.grad(product, True)(x, y)


def test_vmap(mode):
    rows, x = tf.constant(MATRIX), tf.constant(VECTOR)
    dot = lambda a, b: tf.reduce_sum(a * b)  # noqa: E731
    close(mode(func.vmap(dot, (0, None)))(rows, x), MATRIX @ VECTOR)
    close(mode(func.vmap(dot))(rows, rows), (MATRIX**2).sum(1))
    close(mode(func.vmap(dot, (1, None)))(tf.transpose(rows), x), MATRIX @ VECTOR)
    close(mode(func.vmap(dot, (-1, None)))(tf.transpose(rows), x), MATRIX @ VECTOR)
    outer = func.vmap(func.vmap(dot, (None, 0)), (0, None))
    close(mode(outer)(rows, rows), MATRIX @ MATRIX.T)
    close(mode(func.vmap(lambda a: (a, a[0]), out_dims=(1, 0)))(rows), (MATRIX.T, MATRIX[:, 0]))
    close(
        mode(func.vmap(lambda d, s: d["a"] * d["b"] + s, ({"a": 0, "b": None}, None)))(
            {"a": rows, "b": x}, 1.0
        ),
        MATRIX * VECTOR + 1,
    )
    close(mode(func.vmap(lambda a, *, b: a + b))(rows, b=rows), 2 * MATRIX)


def test_vmap_of_derivatives(mode):
    rows = tf.constant(MATRIX)
    f = lambda x: tf.reduce_sum(x**3)  # noqa: E731
    close(mode(func.vmap(func.grad(f)))(rows), 3 * MATRIX**2)
    close(mode(func.vmap(func.hessian(f)))(rows), np.array([np.diag(6 * row) for row in MATRIX]))
    close(
        mode(func.vmap(func.jacfwd(lambda x: x**2)))(rows),
        np.array([np.diag(2 * row) for row in MATRIX]),
    )
    close(
        mode(func.vmap(lambda x, d: func.jvp(f, (x,), (d,))[1]))(rows, rows), (3 * MATRIX**3).sum(1)
    )
    of_weight = func.grad(lambda w: tf.reduce_sum(func.vmap(lambda x: w * f(x))(rows)))
    close(mode(of_weight)(tf.constant(2.0, tf.float64)), (MATRIX**3).sum())
    close(
        mode(func.jacrev(func.vmap(lambda x: tf.reduce_sum(x**2))))(rows),
        np.einsum("ij,ik->ijk", np.eye(2), 2 * MATRIX),
    )


def test_effects_of_slices_run_in_a_loop():
    found = func.vmap(lambda n: tf.while_loop(lambda i: i < n, lambda i: (i + 3,), (0,))[0])
    close(found(tf.constant([1, 4, 7])), np.array([3, 6, 9]))


def model_with_everything():
    return tf.keras.Sequential(
        [
            tf.keras.Input([3]),
            tf.keras.layers.Dense(4, activation="tanh"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dense(1),
        ]
    )


def test_functional_call(mode):
    model = model_with_everything()
    before = [w.copy() for w in model.get_weights()]
    x = tf.constant(MATRIX, tf.float32)
    weights = [tf.zeros_like(w) + 0.5 for w in model.trainable_variables]
    found = mode(lambda w, x: func.functional_call(model, w, x))(weights, x)
    moved = mode(lambda w, x: func.functional_call(model, w, (x,), {"training": True}))(weights, x)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    model.set_weights(
        [
            np.full_like(w, 0.5) if v.trainable else w
            for w, v in zip(before, model.variables, strict=True)
        ]
    )
    close(found, model(x))
    close(moved, model(x, training=True))


def test_per_example_gradients(mode):
    model = model_with_everything()
    x, y = tf.constant(MATRIX, tf.float32), tf.constant([1.0, 2.0])

    def loss(weights, x, y):
        return tf.reduce_sum((func.functional_call(model, weights, x[None]) - y) ** 2)

    found = mode(func.vmap(func.grad(loss), (None, 0, 0)))(model.trainable_variables, x, y)
    for example in range(2):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum((model(x[example : example + 1]) - y[example]) ** 2)
        for own, gradient in zip(
            found, tape.gradient(value, model.trainable_variables), strict=True
        ):
            close(own[example], gradient)


def test_ensembles():
    models = [model_with_everything() for _ in range(3)]
    x = tf.constant(MATRIX, tf.float32)
    stacked = [tf.stack(ws) for ws in zip(*(m.variables for m in models), strict=True)]
    found = func.vmap(lambda w: func.functional_call(models[0], w, x))(stacked)
    close(found, tf.stack([m(x) for m in models]))


def test_functional_call_of_modules():
    class Scaled(tf.Module):
        def __init__(self):
            self.scale = tf.Variable(2.0, name="scale")
            self.calls = tf.Variable(0, name="calls", trainable=False)

        @tf.function
        def __call__(self, x):
            self.calls.assign_add(1)
            return self.scale * x + tf.cast(self.calls, tf.float32)

    module = Scaled()
    module(1.0)
    gradient = func.grad(lambda s: func.functional_call(module, {"scale": s}, tf.constant(4.0)))
    close(gradient(3.0), 4.0)
    close(func.functional_call(module, {"scale:0": 3.0}, tf.constant(4.0)), 14.0)
    assert module.scale == 2.0 and module.calls == 1
    assert not tf.config.functions_run_eagerly()


def test_errors():
    x = tf.constant(VECTOR)
    with pytest.raises(ValueError, match="scalar"):
        func.grad(lambda x: x)(x)
    with pytest.raises(TypeError, match="int32"):
        func.grad(lambda x: x)(tf.constant(1))
    with pytest.raises(TypeError, match="real number"):
        func.grad(lambda x: 1)(1.0)
    with pytest.raises(ValueError, match="no argument 1"):
        func.grad(lambda x: x, 1)(1.0)
    with pytest.raises(TypeError, match="pair"):
        func.grad(lambda x: x, has_aux=True)(1.0)
    with pytest.raises(ValueError, match="No argument is sliced"):
        func.vmap(lambda x: x, None)(x)
    with pytest.raises(ValueError, match="different numbers"):
        func.vmap(lambda a, b: a)(x, tf.constant(MATRIX))
    with pytest.raises(ValueError, match="no axis 1"):
        func.vmap(lambda x: x, 1)(x)
    with pytest.raises(ValueError, match="2 items"):
        func.vmap(lambda x: x, (0, 0))(x)
    model = model_with_everything()
    with pytest.raises(ValueError, match="3 weights"):
        func.functional_call(model, [1, 2, 3], x)
    with pytest.raises(ValueError, match="0 variables named nothing"):
        func.functional_call(model, {"nothing": x}, x)
    weights = list(model.trainable_variables)
    with pytest.raises(ValueError, match=r"float32 of shape \(3, 4\)"):
        func.functional_call(model, [x, *weights[1:]], x)

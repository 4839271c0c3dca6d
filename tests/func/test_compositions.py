"""Derivatives and maps of each other, up to three deep, beside exact differences of polynomials."""

import itertools

import numpy as np
import pytest

import eagerflow as tf

func = tf.func


def differences(f):
    """The Jacobian of a polynomial of degree 4 at most along each variable, for which this is exact."""

    def jacobian(x):
        columns = []
        for index in np.ndindex(x.shape):
            unit = np.zeros(x.shape)
            unit[index] = 0.5
            columns.append(
                (8 * (f(x + unit) - f(x - unit)) - f(x + 2 * unit) + f(x - 2 * unit)) / 6
            )
        value = np.asarray(f(x))
        if not columns:
            return np.zeros([*value.shape, *x.shape])
        return np.stack(columns, -1).reshape([*value.shape, *x.shape])

    return jacobian


def contracted(a, b, axes):
    """The product of two arrays, summed over the last axes of one and the first ones of the other."""
    return np.tensordot(a, b, axes)


def along(x):
    return 0.5 * x + 1.0


def _expected_jvp(f):
    return lambda x: contracted(differences(f)(x), along(x), x.ndim)


def _expected_vjp(f):
    def product(x):
        value = np.asarray(f(x))
        return contracted(0.5 * np.ones(value.shape), differences(f)(x), value.ndim)

    return product


def _jvp(f):
    return lambda x: func.jvp(f, (x,), (along(x),))[1]


def _vjp(f):
    def product(x):
        value, pullback = func.vjp(f, x)
        return pullback(0.5 * tf.ones_like(value))[0]

    return product


def _expected_vmap(f):
    return lambda x: np.stack([f(row) for row in x])


# What transforms a function, and the same by differences.
TRANSFORMATIONS = {
    "jacrev": (func.jacrev, differences),
    "jacfwd": (func.jacfwd, differences),
    "hessian": (func.hessian, lambda f: differences(differences(f))),
    "vmap": (func.vmap, _expected_vmap),
    "jvp": (_jvp, _expected_jvp),
    "vjp": (_vjp, _expected_vjp),
    "grad": (func.grad, differences),
}
FUNCTIONS = {
    "elements": lambda x, np: x**3 + 2.0 * x,
    "all elements": lambda x, np: (np.sum if np is not tf else tf.reduce_sum)(x * x) * x,
}
SHAPES = [(), (2,), (2, 2)]
MODES = {
    "eager": lambda shape: None,
    "traced": lambda shape: [tf.TensorSpec(shape, tf.float64)],
    "unknown sizes": lambda shape: [tf.TensorSpec([None] * len(shape), tf.float64)],
    "unknown rank": lambda shape: [tf.TensorSpec(None, tf.float64)],
}


def composed(names, function, which):
    for name in reversed(names):
        function = TRANSFORMATIONS[name][which](function)
    return function


def is_possible(names, shape, limit):
    """Whether a gradient is that of a scalar, and a map has something to map over."""
    ranks = [len(shape)]  # of the argument of each function, the outer first
    for name in names:
        ranks.append(ranks[-1] - (name == "vmap"))
    if ranks[-1] < 0:
        return False
    result = ranks[-1]
    for name, rank in zip(reversed(names), reversed(ranks[:-1]), strict=True):
        if name == "grad" and result:
            return False
        result = {
            "jacrev": result + rank,
            "jacfwd": result + rank,
            "hessian": result + 2 * rank,
            "vmap": result + 1,
            "jvp": result,
            "vjp": rank,
            "grad": rank,
        }[name]
    return result <= limit


def check(names, mode, shapes, limit):
    counted = 0
    for shape in shapes:
        if not is_possible(names, shape, limit):
            continue
        x = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)
        for function in FUNCTIONS.values():
            expected = composed(names, lambda x, f=function: f(x, np), 1)(x)
            call = composed(names, lambda x, f=function: f(x, tf), 0)
            signature = MODES[mode](shape)
            call = call if signature is None else tf.function(call, signature)
            np.testing.assert_allclose(
                call(tf.constant(x)), expected, 1e-7, 1e-7, err_msg=str(names)
            )
            counted += 1
    return counted


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("names", itertools.product(TRANSFORMATIONS, repeat=2), ids="-".join)
def test_two(names, mode):
    assert check(names, mode, SHAPES, 6) or "grad" in names


@pytest.mark.parametrize("outer", TRANSFORMATIONS)
@pytest.mark.parametrize("mode", ["eager", "traced", "unknown rank"])
def test_three(outer, mode):
    for inner in itertools.product(TRANSFORMATIONS, repeat=2):
        check((outer, *inner), mode, [(2,)], 4)

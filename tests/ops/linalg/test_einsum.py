"""Einsum against NumPy's, and the equations it refuses."""

import numpy as np
import pytest

import eagerflow as tf

EQUATIONS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk": [(2, 3), (3, 4)],
    "ji": [(2, 3)],
    "ij->ji": [(2, 3)],
    "ij->": [(2, 3)],
    "ii": [(3, 3)],
    "ii->i": [(3, 3)],
    "iji->j": [(2, 3, 2)],
    "iiii->i": [(2, 2, 2, 2)],
    "i,j->ij": [(2,), (3,)],
    "i,i->i": [(3,), (3,)],
    "i,i->": [(3,), (3,)],
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
    "bij,bjk->kbi": [(2, 3, 4), (2, 4, 5)],
    "abc,abd->abcd": [(2, 3, 4), (2, 3, 5)],
    "aab,b->a": [(2, 2, 3), (3,)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 5)],
    "i,ij,ij,j->": [(2,), (2, 3), (2, 3), (3,)],
    "...ij,...jk->...ik": [(2, 1, 3, 4), (5, 4, 2)],
    "...i->i...": [(2, 3, 4)],
    "i...->...": [(2, 3)],
    "...i,...i->...": [(2, 3), (3,)],
    "...": [(2, 3)],
    "i...,i...->...": [(2, 3), (2, 1)],
    "ab,cd->abcd": [(2, 3), (4, 5)],
    "ij,kj->ik": [(0, 3), (2, 3)],
    "ab,bc->ac": [(2, 0), (0, 3)],
    "->": [()],
    " i j , j -> i ": [(2, 3), (3,)],
}


@pytest.mark.parametrize("equation", list(EQUATIONS))
def test_values(equation):
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=shape) for shape in EQUATIONS[equation]]
    result = tf.einsum(equation, *map(tf.constant, arrays))
    expected = np.einsum(equation.replace(" ", ""), *arrays)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12, atol=1e-12)


def test_other_types():
    a = tf.constant([[1, 2], [3, 4]])
    assert tf.einsum("ij,j->i", a, [1, 10]).numpy().tolist() == [21, 43]
    assert tf.einsum("ij,j->i", [[1 + 1j]], [1j]).numpy().tolist() == [-1 + 1j]


@pytest.mark.parametrize("equation", ["ij,jk->ik", "ii->i", "...i,...i->...", "i,j->ij", "iji->j"])
def test_gradients(equation):
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=shape) for shape in EQUATIONS[equation] if 0 not in shape]
    if len(arrays) != len(equation.partition("->")[0].split(",")):
        arrays = [generator.normal(size=(2, 3)), generator.normal(size=(3, 4))]
    tensors = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        total = tf.reduce_sum(tf.sin(tf.einsum(equation, *tensors)))
    for k, gradient in enumerate(tape.gradient(total, tensors)):
        shift = generator.normal(size=arrays[k].shape)

        def moved(step, k=k, shift=shift):
            inputs = [array + step * shift if i == k else array for i, array in enumerate(arrays)]
            return np.sin(np.einsum(equation, *inputs)).sum()

        slope = (moved(1e-6) - moved(-1e-6)) / 2e-6
        np.testing.assert_allclose((gradient.numpy() * shift).sum(), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("equation", "shapes", "error", "text"),
    [
        ("ij,jk->iz", [(2, 2), (2, 2)], ValueError, "label z not present in the input"),
        ("i->ii", [(2,)], ValueError, "appearing more than once"),
        ("i1->i", [(2, 2)], ValueError, "incorrect format"),
        ("ij,jk->ik", [(2, 2)], ValueError, "Got 1 inputs"),
        ("ij->ji", [(2,)], tf.errors.InvalidArgumentError, "rank 2 but got: 1"),
        ("ij,jk->ik", [(2, 2), (3, 2)], tf.errors.InvalidArgumentError, "Expected dimension 2"),
        ("i...->i", [(2, 3)], tf.errors.InvalidArgumentError, "no ellipsis"),
        ("ii", [(2, 3)], tf.errors.InvalidArgumentError, "Expected dimension 2"),
    ],
)
def test_refused(equation, shapes, error, text):
    with pytest.raises(error, match=text):
        tf.einsum(equation, *(tf.ones(shape) for shape in shapes))


def test_refused_types():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="to be a float tensor but is a double"
    ):
        tf.einsum("i,i", tf.ones([2]), tf.ones([2], tf.float64))
    with pytest.raises(TypeError, match="Invalid keyword arguments"):
        tf.einsum("i", tf.ones([2]), foo=1)

"""Implementations that tf.experimental.numpy and keras.ops share, and their functions."""

import inspect
import pickle

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.util import lazy, own_code

PACKAGES = {
    "eagerflow.experimental.numpy": tf.experimental.numpy,
    "eagerflow.keras.ops.numpy": tf.keras.ops.numpy,
}
FUNCTIONS = [(package, name) for package in PACKAGES for name in lazy.signatures(package)]


@pytest.mark.parametrize(("package", "name"), FUNCTIONS)
def test_functions_have_the_parameters_of_their_stub(package, name):
    function = getattr(PACKAGES[package], name)
    assert function.__name__ == name and function.__doc__
    assert function.__module__ == own_code.home(package)
    scope = {"TensorLike": None, "Any": None, "Axes": None, "DTypeLike": None, "ShapeLike": None}
    stub = lazy.signatures(package)[name]
    exec(f"from __future__ import annotations\ndef declared{stub}: ...", scope)
    declared = inspect.signature(scope["declared"]).parameters.values()
    found = inspect.signature(function).parameters.values()
    assert [(p.name, p.default) for p in found] == [(p.name, p.default) for p in declared]
    assert pickle.loads(pickle.dumps(function)) is function


X = np.array([[3, -4, 5], [7, 2, -6]], "float32")


def test_parameters_reach_the_body_by_their_names():
    tnp, ops = tf.experimental.numpy, tf.keras.ops
    assert tnp.mean(keepdims=True, a=X, axis=1).shape == (2, 1)
    assert tnp.var(X, ddof=1).numpy() == pytest.approx(np.var(X, ddof=1))
    assert tnp.sum(X, 0, np.float64, True).dtype == tf.float64
    assert ops.max(X, keepdims=True, initial=9.0).numpy().tolist() == [[9.0]]
    assert ops.prod(X, 1, False, "float64").dtype == tf.float64
    assert ops.sum(x=X, axis=0).shape == (3,)


def test_nothing_is_written_into():
    with pytest.raises(ValueError, match="out"):
        tf.experimental.numpy.mean(X, out=np.zeros(()))


def test_the_namespaces_promote_in_their_own_ways():
    assert tf.experimental.numpy.add(np.int32(1), np.float32(1)).dtype == tf.float64
    assert tf.keras.ops.add(np.int32(1), np.float32(1)).dtype == tf.float32
    assert tf.experimental.numpy.argmax(X).dtype == tf.int64
    assert tf.keras.ops.argmax(X).dtype == tf.int32
    assert tf.experimental.numpy.add([True], [True]).dtype == tf.bool
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        tf.keras.ops.add([True], [True])


def test_what_a_stub_takes_from_another_one_is_among_the_names():
    assert "add" in tf.keras.ops.__all__ and "add" in dir(tf.keras.ops)
    assert tf.keras.ops.add is tf.keras.ops.numpy.add

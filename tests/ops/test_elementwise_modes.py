"""Every mode knows the elementwise operations of the op table from their entries, without lists."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef import op_defs, rules

NATIVE = {
    name: function
    for name, function in vars(_core.ops).items()
    if isinstance(function, _core.OpFunction) and function.elementwise
}
# Those whose inputs are not all of one shape and dtype.
_SPECIAL = {"select": ("bool",), "zeros_like": (), "ones_like": ()}


def _dtype_of(function):
    """A dtype that all inputs may have; floats rather."""
    for dtype in ("float32", "int32", "bool", "complex64"):
        try:
            function(*[tf.ones([2], dtype)] * function.elementwise, *_attributes(function))
        except (TypeError, tf.errors.InvalidArgumentError, ValueError):
            continue
        return dtype
    return None


def _attributes(function):
    return ["float64"] if function.__name__ == "cast" else []


@functools.cache
def _call(name):
    """Operands `[4, 2]` of the operation, and a function of them alone."""
    function = NATIVE[name]
    dtype = _dtype_of(function)
    random = np.random.default_rng(len(name))
    operands = []
    for k in range(function.elementwise):
        kind = "bool" if name == "select" and k == 0 else dtype or "float32"
        values = random.uniform(0.2, 0.8, (4, 2))
        operands.append(tf.cast(tf.constant(values > 0.5 if kind == "bool" else values * 4), kind))
    return operands, lambda *x: function(*x, *_attributes(function))


def _same(one, other):
    np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)
    assert one.dtype == other.dtype


@pytest.mark.parametrize("name", NATIVE)
def test_every_mode_knows_it(name):
    operands, call = _call(name)
    expected = call(*operands)

    _same(tf.function(call)(*operands), expected)
    rows = tf.vectorized_map(lambda x: call(*x), tuple(operands))
    _same(rows, expected)
    ragged = [tf.RaggedTensor.from_row_lengths(x, [1, 0, 3]) for x in operands]
    result = call(*ragged)
    assert isinstance(result, tf.RaggedTensor)
    _same(result.flat_values, expected)


@pytest.mark.parametrize("name", [n for n in NATIVE if NATIVE[n].of_sparse_values])
def test_sparse_tensors_keep_their_indices(name):
    (operand,), call = _call(name)
    sparse = tf.SparseTensor([[0], [2], [5], [7]], operand[:, 0], [9])
    result = call(sparse)
    assert isinstance(result, tf.SparseTensor)
    _same(result.values, call(operand)[:, 0])
    np.testing.assert_array_equal(result.indices, sparse.indices)


@pytest.mark.parametrize("name", NATIVE)
def test_graphs_name_it_as_tensorflow_does(name):
    operands, call = _call(name)
    operation = NATIVE[name].op_name
    if operation not in op_defs.names():
        return  # an operation of the engine only
    specs = [tf.TensorSpec([None, 2], x.dtype) for x in operands]
    nodes = tf.function(call).get_concrete_function(*specs).graph.as_graph_def().node
    assert rules.is_mapped(operation)
    assert "EagerPyFunc" not in {node.op for node in nodes}

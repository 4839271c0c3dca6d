"""Every mode knows elementwise operations from what they declare, without lists."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.composite import FORWARDING
from eagerflow.framework.op_function import each_elementwise, op_function
from eagerflow.graphdef import op_defs, rules

NATIVE = {
    name: function
    for name, function in vars(_core.ops).items()
    if isinstance(function, _core.OpFunction) and function.elementwise
}


def _all_functions():
    """The op table's and those composed in Python, of all modules."""
    for namespace in (tf.debugging, tf.image, tf.io, tf.math, tf.nn, tf.strings):
        for name in dir(namespace):
            getattr(namespace, name)
    functions = []
    each_elementwise(functions.append)
    names = (f"{function.__module__}.{function.__name__}" for function in functions)
    return {
        name.removeprefix("eagerflow."): function
        for name, function in zip(names, functions, strict=True)
    }


ALL = _all_functions()


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


class Measure(tf.experimental.ExtensionType):
    value: tf.Tensor


@pytest.fixture
def handled():
    """Handlers of elementwise functions of measures, which return what they are called with."""

    def unary(function, x):
        return "unary", function, x

    def binary(function, x, y):
        return "binary", function, x, y

    tf.experimental.dispatch_for_unary_elementwise_apis(Measure)(unary)
    tf.experimental.dispatch_for_binary_elementwise_apis(Measure, Measure)(binary)
    yield
    tf.experimental.unregister_dispatch_for(unary)
    tf.experimental.unregister_dispatch_for(binary)


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name] not in FORWARDING])
def test_handlers_of_types_override_it(name, handled):
    measure = Measure(1.0)
    binary = ALL[name].elementwise == 2 and ALL[name] is not tf.math.nextafter
    kind, function, *operands = ALL[name](*[measure] * (2 if binary else 1))
    assert kind == ("binary" if binary else "unary")
    assert all(operand is measure for operand in operands)
    if name in NATIVE and NATIVE[name].elementwise == len(operands):
        operands, call = _call(name)
        _same(function(*operands, *_attributes(NATIVE[name])), call(*operands))


def test_modes_know_what_is_defined_later(handled):
    @op_function(elementwise=1)
    def halve(x):
        return tf.convert_to_tensor(x) * 0.5

    @op_function(elementwise=2)
    def mean(x, y):
        return halve(tf.convert_to_tensor(x) + y)

    measure = Measure(1.0)
    assert halve(measure)[::2] == ("unary", measure)
    assert mean(measure, measure)[0] == "binary"
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    assert halve(rows).to_list() == [[0.5, 1.0], [], [1.5]]
    assert mean(rows, 1.0).to_list() == [[1.0, 1.5], [], [2.0]]

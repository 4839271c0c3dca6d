"""Every mode knows elementwise operations from their declarations, without lists."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins
from eagerflow.framework.composite import FORWARDING
from eagerflow.framework.op_function import each_declared, op_function
from eagerflow.graphdef import op_defs, rules

NATIVE = {
    name: function
    for name, function in vars(_core.ops).items()
    if isinstance(function, _core.OpFunction) and function.elementwise
}


def _all_functions():
    """The functions of the op table, and those composed in Python, of all modules."""
    for namespace in (tf.debugging, tf.image, tf.io, tf.math, tf.nn, tf.strings):
        for name in dir(namespace):
            getattr(namespace, name)
    functions = []
    each_declared(lambda function: functions.append(function) if function.elementwise else None)
    names = (f"{function.__module__}.{function.__name__}" for function in functions)
    return {
        name.removeprefix("eagerflow."): function
        for name, function in zip(names, functions, strict=True)
    }


ALL = _all_functions()


def _dtype_of(function):
    """A dtype that all inputs may have; float32 if possible."""
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
    """Operands `[4, 2]` of the operation, and a function of only these operands."""
    function = NATIVE[name]
    dtype = _dtype_of(function)
    random = np.random.default_rng(len(name))
    operands = []
    for k in range(function.elementwise):
        kind = "bool" if name == "select" and k == 0 else dtype or "float32"
        values = random.uniform(0.2, 0.8, (4, 2))
        operands.append(tf.cast(tf.constant(values > 0.5 if kind == "bool" else values * 4), kind))
    return operands, lambda *x: function(*x, *_attributes(function))


def _same(one, other, tolerance=1e-5):
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance / 10)
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
    traced = tf.function(call).get_concrete_function(*specs)
    graph_def = traced.graph.as_graph_def()
    assert rules.is_mapped(operation)
    assert "EagerPyFunc" not in {node.op for node in graph_def.node}

    names = [tensor.name for tensor in (*traced.inputs, traced.outputs[0])]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        graph_def = type(graph_def).FromString(graph_def.SerializeToString())
        *inputs, output = tf.graph_util.import_graph_def(graph_def, return_elements=names, name="")
        fed = {x: value.numpy() for x, value in zip(inputs, operands, strict=True)}
        result = session.run(output, fed)
    _same(result, call(*operands).numpy())


@pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
@pytest.mark.parametrize("name", sorted(NATIVE.keys() & set(_core.pjrt.lowered())))
def test_programs_compute_it(name):
    operands, call = _call(name)
    _same(tf.function(call, jit_compile=True)(*operands), call(*operands), 1e-4)


@pytest.mark.parametrize("name", NATIVE)
def test_stubs_and_documents_have_it(name):
    assert f"def {name}(" in _text("eagerflow/_core/ops.pyi")
    assert f"`{name}`" in _text("docs/devices.md")
    assert NATIVE[name].__doc__


@functools.cache
def _text(path):
    return (Path(__file__).parents[2] / path).read_text()


@pytest.mark.parametrize("namespace", ["bitwise", "dtypes", "io", "math", "nn", "strings"])
def test_version_1_has_it(namespace):
    second = getattr(tf, namespace)
    first = getattr(tf.compat.v1, namespace)
    functions = set(ALL.values())
    found = {name: getattr(second, name) for name in dir(second)}
    names = [name for name, it in found.items() if callable(it) and it in functions]
    assert names
    for name in names:
        assert callable(getattr(first, name)), name


PROMOTED = """
import eagerflow as tf
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import is_weak
from test_elementwise_modes import NATIVE, _attributes, _call

calls = {name: _call(name) for name in NATIVE}
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")


@op_function(elementwise=1)
def halve(x):
    return x / 2.0


@op_function(elementwise=2, promotion="operands")
def mean(x, y):
    return halve(x + y)


@op_function(elementwise=1, promotion="none")
def steady(x):
    return x / 2.0


weak = tf.constant(1.0)
assert is_weak(halve(weak)) and is_weak(mean(weak, weak)) and not is_weak(steady(weak))
assert mean(weak, tf.constant(1.0, tf.float16)).dtype is tf.float16

for name, function in NATIVE.items():
    operands, _ = calls[name]
    if operands[0].dtype not in (tf.float32, tf.int32):
        continue
    weak = [tf.constant(x.numpy().tolist()) for x in operands]
    assert all(map(is_weak, weak))
    result = function(*weak, *_attributes(function))
    promotes = function.promotion in ("weak", "operands") and name != "cast"
    assert is_weak(result) == (promotes and result.dtype is not tf.bool), name
    if function.promotion in ("operands", "strong"):
        strong = tf.cast(operands[1], tf.float64)
        if weak[0].dtype is tf.float32:
            assert not is_weak(function(weak[0], strong)), name
"""


def test_weak_tensors_are_promoted_as_declared():
    command = [sys.executable, "-c", PROMOTED]
    here = Path(__file__).parent
    run = subprocess.run(command, capture_output=True, text=True, cwd=here, check=False)
    assert run.returncode == 0, run.stderr


class Measure(tf.experimental.ExtensionType):
    value: tf.Tensor


@pytest.fixture
def handled():
    """Handlers of elementwise functions of measures, which return their arguments."""

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

"""Every layer beside Keras 2, and what holds for all layers."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
import layer_cases
from eagerflow.keras.mixed_precision.policy import policy_scope
from layer_cases import Case, compare_arrays, flat, plain

recorded = functools.cache(layer_cases.load)


CASES = [
    pytest.param(family, case, id=f"{family}/{case.name}")
    for family in layer_cases.FAMILIES
    for case in importlib.import_module(f"layer_cases.{family}").CASES
]


def called(layer: Any, case: Case, arrays: list[Any]) -> list[Any]:
    return flat(layer(case.packed([tf.constant(array) for array in arrays]), **case.arguments(tf)))


@pytest.mark.parametrize(("family", "case"), CASES)
def test_layer(family: str, case: Case) -> None:
    """Outputs, gradients, states, names, config and shapes are those of Keras."""
    layer, arrays, facts = layer_cases.run(tf, tf.keras, case)
    layer_cases.compare((arrays, facts), recorded(family)[case.name], case.name)
    assert layer.built
    if case.shape:
        for found, output in zip(facts["shape"], flat(layer_output(layer, case)), strict=True):
            assert tf.TensorShape(found).is_compatible_with(output.shape)
    check_config(layer, case)
    check_symbolic(layer, case)
    if case.examples:
        check_batch(layer, case)
    if case.dtype:
        check_dtype(case)
        if case.examples:
            check_mixed_precision(case_layer(case), case)


def layer_output(layer: Any, case: Case) -> Any:
    return called(layer, case, case.arrays)


def check_config(layer: Any, case: Case) -> None:
    """A layer made from the config is like this one."""
    if not case.config:
        return
    config = layer.get_config()
    again = type(layer).from_config(config)
    assert plain(again.get_config()) == plain(config)
    revived = tf.keras.layers.deserialize(plain(tf.keras.layers.serialize(layer)))
    assert type(revived) is type(layer) and revived.name == layer.name
    if not case.weights:
        return
    called(again, case, case.arrays)
    assert [w.shape for w in again.weights] == [w.shape for w in layer.weights]
    again.set_weights(layer.get_weights())
    for a, b in zip(layer_output(again, case), layer_output(layer, case), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def check_symbolic(layer: Any, case: Case) -> None:
    """A functional model with the layer has the right shapes and gives the same."""
    if any(isinstance(value, (list, np.ndarray)) for value in case.call.values()):
        return
    inputs = [tf.keras.Input(a.shape[1:], dtype=tensor_dtype(a)) for a in case.arrays]
    outputs = flat(layer(case.packed(inputs), **case.call))
    model = tf.keras.Model(inputs, outputs)
    results = flat(model([tf.constant(array) for array in case.arrays]))
    for symbolic, result in zip(outputs, results, strict=True):
        assert symbolic.dtype == result.dtype
        assert tf.TensorShape(symbolic.shape).is_compatible_with(result.shape)
    if case.examples:
        for a, b in zip(results, layer_output(layer, case), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def tensor_dtype(array: Any) -> str:
    return "string" if array.dtype == object else array.dtype.name


def check_batch(layer: Any, case: Case) -> None:
    """Examples do not depend on each other, and a batch may have any size."""
    whole = layer_output(layer, case)
    first = called(layer, case, [array[:1] for array in case.arrays])
    for a, b in zip(first, whole, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy()[:1], rtol=1e-4, atol=1e-5)
    for output in called(layer, case, [array[:0] for array in case.arrays]):
        assert output.shape[0] == 0


def check_dtype(case: Case) -> None:
    """A layer computes in the dtype it is given."""
    outputs = []
    for dtype in ("float32", "float64"):
        try:
            tf.keras.backend.set_floatx(dtype)
            layer = case.make(tf.keras.layers)
            called(layer, case, case.arrays)
            layer_cases.set_weights(layer)
            outputs.append(layer_output(layer, case))
        finally:
            tf.keras.backend.set_floatx("float32")
    for a, b in zip(*outputs, strict=True):
        assert b.dtype.name == ("float64" if a.dtype.name == "float32" else a.dtype.name)
        compare_arrays(a.numpy().astype(b.numpy().dtype), b.numpy(), f"{case.name}: float64")


def case_layer(case: Case) -> Any:
    layer = case.make(tf.keras.layers)
    called(layer, case, case.arrays)
    layer_cases.set_weights(layer)
    return layer


def check_mixed_precision(layer: Any, case: Case) -> None:
    """A policy's compute dtype is that of outputs, about as exact as it can be."""
    expected = layer_output(layer, case)
    with policy_scope("mixed_bfloat16"):
        mixed = case.make(tf.keras.layers)
    called(mixed, case, case.arrays)
    layer_cases.set_weights(mixed)
    assert all(weight.dtype != tf.bfloat16 for weight in mixed.weights)
    for a, b in zip(layer_output(mixed, case), expected, strict=True):
        assert a.dtype == (tf.bfloat16 if b.dtype == tf.float32 else b.dtype)
        difference = np.abs(a.numpy().astype("float64") - b.numpy().astype("float64"))
        assert np.mean(difference) <= 0.05 * max(1.0, float(np.max(np.abs(b.numpy()))))


def test_cases_are_recorded() -> None:
    """No recorded answer is left over."""
    for family in layer_cases.FAMILIES:
        module = importlib.import_module(f"layer_cases.{family}")
        assert list(recorded(family)) == [case.name for case in module.CASES]

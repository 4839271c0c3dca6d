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

NOT_RECORDED = (
    "Configuration, shapes and gradients are as they have to be. TensorFlow's answer is not recorded: "
    "run `python -m oracle.record layers` in tests/, beside tensorflow 2.21 and tf_keras."
)

CASES = [
    pytest.param(family, case, id=f"{family}/{case.name}")
    for family in layer_cases.FAMILIES
    for case in importlib.import_module(f"layer_cases.{family}").CASES
]


def called(layer: Any, case: Case, arrays: list[Any]) -> list[Any]:
    return flat(layer(case.packed([tf.constant(array) for array in arrays]), **case.arguments(tf)))


@pytest.mark.parametrize(("family", "case"), CASES)
def test_layer(family: str, case: Case) -> None:
    """Outputs, gradients, states, names, config and shapes are those of Keras.

    A case without a recorded answer of Keras has the shapes that it computes, gradients that are the
    slopes of its outputs, and a configuration that makes a layer like it.
    """
    layer, arrays, facts = layer_cases.run(tf, tf.keras, case)
    is_recorded = case.name in recorded(family)
    if is_recorded:
        layer_cases.compare((arrays, facts), recorded(family)[case.name], case.name)
    else:
        check_gradient(case)
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
    if not is_recorded:
        pytest.skip(NOT_RECORDED)


def check_gradient(case: Case) -> None:
    """The gradient by inputs and weights is the slope of the loss along a direction."""
    if not case.gradient:
        return
    dtype, step, rtol = ("float64", 1e-6, 1e-4) if case.dtype else ("float32", 1e-2, 2e-2)
    floats = [i for i, array in enumerate(case.arrays) if array.dtype == np.float32]

    def loss_and_sources(shift: float, tape: Any = None) -> tuple[Any, list[Any], list[Any]]:
        """The loss of a new layer whose inputs and weights lie `shift` along the direction."""
        tf.keras.backend.reset_uids()
        tf.random.set_seed(1)
        layer = case.make(tf.keras.layers)
        called(layer, case, case.arrays)
        layer_cases.set_weights(layer)
        arrays = list(case.arrays)
        directions = []
        for seed, i in enumerate(floats):
            directions.append(layer_cases.values(*arrays[i].shape, seed=seed, low=-1.0, high=1.0))
            arrays[i] = arrays[i].astype(dtype) + shift * directions[-1].astype(dtype)
        for seed, weight in enumerate(layer.trainable_weights, len(directions)):
            directions.append(layer_cases.values(*weight.shape, seed=seed, low=-1.0, high=1.0))
            weight.assign_add(shift * directions[-1].astype(weight.dtype.name))
        tensors = [tf.constant(array) for array in arrays]
        sources = [tensors[i] for i in floats] + list(layer.trainable_weights)
        if tape is not None:
            tape.watch([tensors[i] for i in floats])
        outputs = flat(layer(case.packed(tensors), **case.arguments(tf)))
        return layer_cases.loss_of(tf, layer, outputs), sources, directions

    try:
        tf.keras.backend.set_floatx(dtype)
        with tf.GradientTape() as tape:
            loss, sources, directions = loss_and_sources(0.0, tape)
        gradients = tape.gradient(loss, sources)
        ahead, behind = (float(loss_and_sources(shift)[0]) for shift in (step, -step))
    finally:
        tf.keras.backend.set_floatx("float32")
    terms = [
        tf.convert_to_tensor(gradient).numpy() * direction
        for gradient, direction in zip(gradients, directions, strict=True)
        if gradient is not None
    ]
    slope = sum(float(np.sum(term)) for term in terms)
    scale = max(1.0, sum(float(np.sum(np.abs(term))) for term in terms))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), atol=rtol * scale)


# Cases whose loss has no slope that differences show, and why.
NO_SLOPE = {
    "core/masking": "a step is masked where its values equal another one",
    "merging/minimum": "some values of the two inputs are equal",
    "normalization/spectral-training": "the gradient holds the singular vectors constant",
    "images/center-crop-larger": "images are resized in float32",
    "images/resizing-crop": "images are resized in float32",
}


@pytest.mark.parametrize(("family", "case"), [case for case in CASES if case.id not in NO_SLOPE])
def test_gradients_are_slopes(family: str, case: Case) -> None:
    """The check that cases without a recorded answer get holds for the others, too."""
    check_gradient(case)


def test_a_case_without_answer_says_how_to_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "recorded", lambda family: {})
    case = next(case for case in importlib.import_module("layer_cases.core").CASES if case.gradient)
    with pytest.raises(pytest.skip.Exception, match=r"oracle\.record layers"):
        test_layer("core", case)


class Wrong(tf.keras.layers.Layer):
    """A layer whose gradient is not that of its outputs."""

    def call(self, inputs: Any) -> Any:
        return 2.0 * inputs - tf.stop_gradient(inputs)


def test_a_case_without_answer_fails_for_a_wrong_gradient() -> None:
    with pytest.raises(AssertionError):
        check_gradient(Case("wrong", lambda k: Wrong(), layer_cases.values(2, 3)))


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
        names = [case.name for case in module.CASES]
        assert list(recorded(family)) == [name for name in names if name in recorded(family)]

"""Gradients of every differentiable operation of the table, first and second order."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from gradient_cases import arrays, elementwise, matrices, nn
from gradient_check import check_first, check_second, gradient_of, output_weights

CASES = [*elementwise.CASES, *arrays.CASES, *matrices.CASES, *nn.CASES]
OPERATIONS = {
    name: operation
    for name, operation in vars(_core.ops).items()
    if hasattr(operation, "differentiable")
}


# Their results are float32, too coarse for differences: see tests/image/test_crops.py and
# tests/core/test_attention_operation.py.
SINGLE_PRECISION = {"attention", "crop_and_resize", "crop_and_resize_grad_image"}
# Their results are rounded, but their gradients are not: see tests/keras/test_quantize.py.
ROUNDED = {"int8_conv2d", "int8_depthwise_conv2d", "int8_matmul"}
# Operations of lists are tested as TensorArrays: see tests/function/test_tensor_array.py.
LISTS = {name for name in OPERATIONS if name.startswith("tensor_list_")}
# And those of variants as raw operations: see tests/graphdef/test_ragged_variants.py.
VARIANTS = {"ragged_from_variant", "ragged_to_variant", "ragged_to_variant_grad", "variant_add"}


def test_every_differentiable_operation_has_cases():
    differentiable = {name for name, operation in OPERATIONS.items() if operation.differentiable}
    assert (
        differentiable - LISTS - VARIANTS - ROUNDED
        == {case.name for case in CASES} | SINGLE_PRECISION
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_first_order(case):
    check_first(case)


@pytest.mark.parametrize("case", [case for case in CASES if case.second], ids=str)
def test_second_order(case):
    check_second(case)


SINGLE = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "cast"], ids=str)
def test_float32_agrees_with_float64(case):
    arrays = [value.astype(SINGLE.get(value.dtype, value.dtype)) for value in case.inputs]
    weights = output_weights(case)
    double = gradient_of(case, [*map(tf.constant, case.inputs)], [*map(tf.constant, weights)])
    single = gradient_of(
        case,
        [*map(tf.constant, arrays)],
        [tf.constant(weight.astype(SINGLE[weight.dtype])) for weight in weights],
    )
    for i, expected, got in zip(case.varied, double, single, strict=True):
        assert (expected is None) == (got is None)
        if got is None:
            continue
        expected, got = tf.convert_to_tensor(expected), tf.convert_to_tensor(got)
        assert got.dtype == arrays[i].dtype and got.shape == arrays[i].shape
        scale = float(np.max(np.abs(expected.numpy()), initial=1.0))
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-4, atol=2e-5 * scale)

"""Functions that programs define for a type, and their lifetime."""

import pytest

import eagerflow as tf
from oracle.cases.dispatch import names


def test_nothing_stays_registered():
    before = {name: getattr(tf, name) for name in ("abs", "add", "concat", "shape", "stack")}
    found = names(tf)
    for function in found["registered"]:
        tf.experimental.unregister_dispatch_for(function)
    assert all(getattr(tf, name) is function for name, function in before.items())
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(found["unary"])


def test_ragged_tensors_can_be_taken_over():
    @tf.experimental.dispatch_for_api(tf.reverse, {"tensor": tf.RaggedTensor})
    def reverse(tensor, axis, name=None):
        return "mine" if tensor.ragged_rank == 1 else NotImplemented

    rows = tf.ragged.constant([[1, 2], [3]])
    assert tf.reverse(rows, [0]) == "mine"
    tf.experimental.unregister_dispatch_for(reverse)
    assert tf.reverse(rows, [0]).to_list() == [[3], [1, 2]]


def test_all_names_of_a_function_look_at_types():
    class Box(tf.experimental.ExtensionType):
        value: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.math.reduce_std, {"input_tensor": Box})
    def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
        return "std"

    from eagerflow.ops import reduction

    assert reduction.reduce_std(Box(1.0)) == tf.math.reduce_std(Box(1.0)) == "std"
    tf.experimental.unregister_dispatch_for(reduce_std)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.math.reduce_std(Box(1.0))


def test_functions_still_become_layers_of_models():
    class Box(tf.experimental.ExtensionType):
        value: tf.Tensor

    def layers():
        x = tf.keras.Input([3])
        model = tf.keras.Model(x, tf.nn.silu(tf.nn.gelu(x)))
        return [type(layer).__name__ for layer in model.layers], len(model.layers)

    before = layers()

    @tf.experimental.dispatch_for_unary_elementwise_apis(Box)
    def unary(api_func, x):
        return Box(api_func(x.value))

    assert float(tf.nn.silu(Box(0.0)).value) == 0
    assert layers() == before
    tf.experimental.unregister_dispatch_for(unary)
    assert layers() == before

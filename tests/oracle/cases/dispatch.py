"""Expressions with functions that programs register for types of their own."""

# ruff: noqa: UP006, UP007, UP035

import contextlib
from typing import Any, List, Union

from oracle import registry
from oracle.values import told


def names(tf: Any) -> dict[str, Any]:
    """Registers functions for a type, and gives what expressions are about."""
    experimental = tf.experimental

    class Masked(experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api_func, x):
        return Masked(api_func(x.values), x.mask)

    @experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def binary(api_func, x, y):
        return Masked(api_func(x.values, y.values), x.mask & y.mask)

    @experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def asserted(api_func, x, y):
        return api_func(x.values, y.values)

    @experimental.dispatch_for_api(tf.concat, {"values": List[Masked]})
    def concat(values, axis, name=None):
        return "concat", len(values), axis, name

    @experimental.dispatch_for_api(tf.stack)
    def stack(values: List[Masked], axis=0, name="stack"):
        return "stack", len(values)

    @experimental.dispatch_for_api(tf.reduce_sum, {0: Masked})
    def reduce_sum(input_tensor, axis=None, keepdims=False):
        return "sum", axis, keepdims

    @experimental.dispatch_for_api(tf.shape, {"input": Masked})
    def shape(input, out_type=tf.int32, name=None):
        return tf.shape(input.values, out_type)

    @experimental.dispatch_for_api(tf.matmul, {"a": Masked, "b": Union[tf.Tensor, int]})
    def matmul(*args, **kwargs):
        return "matmul"

    @experimental.dispatch_for_api(tf.size, {"input": Masked})
    def size(input, out_type=None, name=None):
        return NotImplemented

    @experimental.dispatch_for_api(tf.nn.softmax, {"logits": Masked})
    def softmax(logits, axis=None, name=None):
        return "softmax"

    @experimental.dispatch_for_api(tf.image.resize, {"images": Masked})
    def resize(
        images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None
    ):
        return "resize", size

    @experimental.dispatch_for_api(tf.reverse, {"tensor": tf.RaggedTensor})
    def reverse(tensor, axis, name=None):
        return "reverse", axis

    def register(api, *signatures):
        return lambda target: experimental.dispatch_for_api(api, *signatures)(target)

    def twice(call):
        """What a call gives while a second function is registered that fits it, and afterwards."""

        @experimental.dispatch_for_binary_elementwise_apis(Union[Masked, int], Union[Masked, int])
        def second(api_func, x, y):
            return "second"

        results = []
        for unregister in (True, False):
            try:
                results.append(repr(call()))
            except ValueError as error:
                results.append(str(error)[:40])
            if unregister:
                experimental.unregister_dispatch_for(second)
        return results

    known = dict(locals())
    return known | {
        "Any": Any,
        "List": List,
        "m": Masked([1, -2, 3], [True, False, True]),
        "f": Masked([0.5, -2.0], [True, False]),
        "rt": tf.ragged.constant([[1], [2, 3]]),
        "registered": [v for k, v in known.items() if k in REGISTERED],
    }


REGISTERED = (
    "unary binary asserted concat stack reduce_sum shape matmul size softmax resize reverse"
).split()


def run(tf: Any, expression: str) -> str:
    """What an expression shows while the functions are registered."""
    known = names(tf)
    try:
        return told(lambda: repr(eval(expression, dict(known))))
    finally:
        for function in known["registered"]:
            with contextlib.suppress(KeyError):  # TensorFlow cannot forget handlers of assertions
                tf.experimental.unregister_dispatch_for(function)


EXPRESSIONS = r"""
tf.abs(m)
tf.nn.relu(m)
tf.cast(m, tf.float32)
tf.cast(x=m, dtype='float64')
tf.ones_like(m)
tf.zeros_like(m, tf.float32)
abs(m)
tf.negative(m)
tf.clip_by_value(m, -1, 1)
tf.nn.leaky_relu(f, alpha=0.5)
tf.math.sign(f)
tf.math.is_nan(f)
tf.math.softplus(tf.cast(m, 'float64')).mask
tf.math.rint(f)
tf.saturate_cast(m, tf.uint8)
tf.strings.as_string(m)
tf.bitwise.invert(m)
tf.identity(m)
tf.add(m, m)
tf.add(m, m, name='n')
tf.equal(m, m)
tf.divide(m, m)
tf.math.squared_difference(m, m)
m + m
tf.add(m, 1)
tf.maximum(x=m, y=m)
tf.math.divide_no_nan(f, f)
tf.math.atan2(f, f).mask
tf.constant(1) + tf.constant(2)
tf.add([1, 2], 3)
tf.math.floordiv(m, m)
tf.math.scalar_mul(m, m)
tf.debugging.assert_equal(m, m)
tf.debugging.assert_less(m, m, message='hello')
tf.debugging.assert_none_equal(m, m)
tf.concat([m, m], 0)
tf.concat(axis=1, values=[m, m])
tf.concat((m, m), 0)
tf.concat([[1], [2]], 0)
tf.concat([m, [1]], 0)
tf.concat([m, m], 0, name='n')
tf.stack([m])
tf.stack([m, m], axis=1)
tf.stack([1, 2])
tf.reduce_sum(m)
tf.reduce_sum(m, 1, keepdims=True)
tf.reduce_sum(m, name='n')
tf.reduce_sum([1, 2])
tf.shape(m)
tf.shape(m, tf.int64)
tf.shape(input=m)
tf.shape([1])
tf.math.reduce_sum(m)
tf.matmul(m, tf.constant(1))
tf.matmul(m, 1)
tf.matmul(a=m, b=2)
tf.linalg.matmul(m, m)
tf.size(m)
tf.nn.softmax(m)
tf.image.resize(m, [1, 2])
tf.reverse([1, 2], [0])
tf.rank(m)
twice(lambda: tf.add(m, 1))
twice(lambda: tf.add(m, m))
twice(lambda: tf.add(1, 2))
tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda a, x: 1)
tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)(lambda a, x, y: 1)
register(tf.concat, {'values': List[Masked]})(lambda v, axis: 1)
register(tf.concat, {'vals': List[Masked]})(concat)
register(tf.concat)(lambda values, axis, name=None: 1)
register(len)(lambda x: 1)
register(tf.concat, {'values': 3})(concat)
tf.experimental.unregister_dispatch_for(len)
"""

registry.expressions("dispatch", EXPRESSIONS, run)

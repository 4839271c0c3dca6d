"""What recorded expressions register and call, made with any TensorFlow."""

# ruff: noqa: UP006, UP007, UP035

from typing import Any, List, Union


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

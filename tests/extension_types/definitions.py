"""The types that recorded expressions are about, made with any TensorFlow."""

import typing
from collections.abc import Mapping
from typing import Any


def names(tf: Any) -> dict[str, Any]:
    """Types, values of them, and what expressions call."""
    experimental = tf.experimental

    class Masked(experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __validate__(self):
            self.values.shape.assert_is_compatible_with(self.mask.shape)

    class Plain(experimental.ExtensionType):
        a: tf.Tensor
        n: int = 3
        s: str = "x"
        f: float = 1.5
        b: bool = False
        d: tf.DType = tf.float32
        shape: tf.TensorShape = tf.TensorShape([None])

    class Generic(experimental.ExtensionType):
        t: tuple[tf.Tensor, ...]
        u: tuple[int, tf.Tensor] = (1, 2.0)
        m: Mapping[str, tf.Tensor] = {}
        o: typing.Optional[tf.Tensor] = None  # noqa: UP045
        e: typing.Union[int, tf.Tensor, None] = 4  # noqa: UP007

    class Outer(experimental.ExtensionType):
        inner: Masked
        k: int = 1

    class Derived(Masked):
        c: int = 2

    class Doubled(experimental.ExtensionType):
        a: tf.Tensor

        def __init__(self, z):
            self.a = tf.constant(z) * 2

    class Ragged(experimental.BatchableExtensionType):
        r: tf.RaggedTensor
        q: tf.Tensor

    class Pair(experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor
        k: int = 3

    class Shaped(experimental.ExtensionType):
        values: tf.Tensor

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values = tf.TensorSpec(shape, dtype)

            @property
            def shape(self):
                return self.values.shape

    def declare(annotation: Any, *default: Any) -> type:
        members = {"__annotations__": {"a": annotation}}
        if default:
            members["a"] = default[0]
        return type("X", (experimental.ExtensionType,), members)

    def plain(structure: Any) -> Any:
        """Tensors as lists, and their dtypes."""
        leaves = tf.nest.flatten(structure, expand_composites=True)
        return [(v.dtype.name, v.numpy().tolist()) for v in leaves]

    def gradient(function: Any, *fields: str) -> Any:
        value = Pair([1.0, 2.0], [3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(value)
            y = function(value)
        return tape.gradient(y, [getattr(value, field) for field in fields] or value)

    known = dict(locals())
    m = Masked([1, 2, 3], [True, False, True])
    v = Pair([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    slices = tf.data.Dataset.from_tensor_slices
    return known | {
        "m": m,
        "v": v,
        "p": Plain(1.0),
        "g": Generic([1, 2.0], m={"b": 1, "a": 3}, e=tf.constant(3)),
        "o": Outer(m),
        "rv": Ragged(tf.ragged.constant([[1], [2, 3]]), [1, 2]),
        "ds": slices(v),
        "slices": slices,
        "scalar": tf.TensorSpec([], tf.float32),
        "row": tf.TensorSpec([None], tf.int32),
        "flags": tf.TensorSpec([None], tf.bool),
        "typing": typing,
    }

"""Functions that programs call; each library runs a copy of its own, and printed programs quote them."""

from __future__ import annotations

from typing import Any

import numpy as np

tf: Any = None  # the library under test


def gradients(tape: Any, targets: list[Any], sources: list[Any]) -> list[Any]:
    """The gradients of all inexact targets, each weighted by itself."""
    inexact = [
        t
        for t in tf.nest.flatten(targets)
        if hasattr(t, "dtype") and (t.dtype.is_floating or t.dtype.is_complex)
    ]
    if not inexact:
        return [None] * len(sources)
    return tape.gradient(inexact, sources, output_gradients=inexact)


def uniform(seed: int, shape: tuple, dtype: str, low: float = -2, high: float = 2) -> Any:
    """A tensor of values between two bounds, the same in both libraries."""
    values = np.random.default_rng(seed).uniform(low, high, shape)
    if "complex" in dtype:
        values = values + 1j * values[..., ::-1] if shape else values + 1j
    return tf.constant(values.astype(tf.as_dtype(dtype).as_numpy_dtype))


def repeated(values: list[Any], shape: tuple, dtype: str) -> Any:
    """A tensor of a few values in turn."""
    if dtype == "string":
        return tf.constant(np.resize(np.array(values, object), shape))
    return tf.constant(np.resize(values, shape).astype(tf.as_dtype(dtype).as_numpy_dtype))


def filled(thing: Any, seed: int) -> Any:
    """A layer, model or list of variables whose values are drawn from the seed."""
    random = np.random.default_rng(seed)
    variables = thing if isinstance(thing, list) else thing.variables
    for v in variables:
        if v.dtype.is_floating:
            positive = "variance" in v.name or "stddev" in v.name
            v.assign(
                random.uniform(0.5 if positive else -1, 1, v.shape).astype(v.dtype.as_numpy_dtype)
            )
    return thing


def elements(dataset: Any, count: int = 40) -> list[Any]:
    """The first elements of a dataset."""
    return [element for _, element in zip(range(count), dataset, strict=False)]


def applied(layer: Any, seed: int, *inputs: Any, **options: Any) -> list[Any]:
    """A layer's output with weights drawn from the seed, its gradients, and its state afterwards."""
    layer(*inputs, **options)
    filled(layer, seed)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        output = layer(*inputs, **options)
        total = tf.add_n(
            [tf.reduce_sum(tf.cast(o, "float32") ** 2) for o in tf.nest.flatten(output)]
        )
    weights = layer.trainable_variables
    found = None
    if all(
        0 not in o.shape for o in tf.nest.flatten(output)
    ):  # else TensorFlow's convolutions crash
        found = tape.gradient(total, [*weights, *tf.nest.flatten(inputs)])
    shape = layer.compute_output_shape(tf.nest.map_structure(lambda x: x.shape, inputs[0]))
    return [output, found, [w.value() for w in layer.non_trainable_variables], shape]


def trained(optimizer: Any, seed: int, steps: int, rows: bool) -> list[Any]:
    """Variables, dense and looked up, after some steps of an optimizer."""
    random = np.random.default_rng(seed)
    draw = lambda *shape: tf.constant(random.normal(size=shape).astype("float32"))  # noqa: E731
    variables = [tf.Variable(draw(3, 2)), tf.Variable(draw(4)), tf.Variable(draw())]
    for _ in range(steps):
        slopes = [draw(3, 2), draw(4), draw()]
        if rows:
            ids = random.integers(0, 3, 2)
            slopes[0] = tf.IndexedSlices(draw(2, 2), tf.constant(ids), tf.constant([3, 2]))
        optimizer.apply_gradients(zip(slopes, variables, strict=True))
    return [v.value() for v in variables]


def restored(path: str, variables: list[Any]) -> list[Any]:
    """What a checkpoint has for variables like these."""
    fresh = [tf.Variable(tf.zeros_like(v)) for v in variables]
    tf.train.Checkpoint(v=fresh).read(path).assert_consumed()
    return [v.value() for v in fresh]


def recorded(path: str, texts: list[str], compression: str) -> None:
    """Writes records."""
    with tf.io.TFRecordWriter(path, compression) as writer:
        for text in texts:
            writer.write(text.encode())


def called(model: Any, x: Any) -> Any:
    """A model that is built."""
    model(x)
    return model

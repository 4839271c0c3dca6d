"""Ragged arguments of several ragged ranks, made with any TensorFlow, and results as plain data."""

from typing import Any

import numpy as np

# Ragged rank, shape of the elements, and whether the innermost rows have one length by construction.
CONFIGURATIONS = {
    "rows": (1, (), False),
    "rows of vectors": (1, (2,), False),
    "rows of rows": (2, (), False),
    "rows of pairs": (2, (), True),
    "rows of rows of rows": (3, (), False),
}


def names(tf: Any, configuration: str) -> dict[str, Any]:
    """What expressions are about: ragged tensors of the same rows, and what fits them."""
    rank, inner, uniform = CONFIGURATIONS[configuration]
    rng = np.random.default_rng(list(CONFIGURATIONS).index(configuration) + 3)
    ragged_tensor = tf.RaggedTensor
    lengths, count = [], 4
    for level in range(rank):
        if uniform and level == rank - 1:
            lengths.append(None)
            count *= 2
        else:
            row = rng.integers(0, 3, count)
            row[rng.integers(0, count)] = 2
            lengths.append(row)
            count = int(row.sum())

    def ragged(flat: Any) -> Any:
        value = tf.constant(flat)
        for row in reversed(lengths):
            if row is None:
                value = ragged_tensor.from_uniform_row_length(value, 2)
            else:
                value = ragged_tensor.from_row_lengths(value, row)
        return value

    def floats(low: float = -1.0) -> Any:
        return ragged(rng.uniform(low, low + 2, (count, *inner)).round(2).astype(np.float32))

    x, y, p = floats(), floats(), floats(0.5)
    i, i2 = (ragged(rng.integers(1, 5, (count, *inner)).astype(np.int32)) for _ in range(2))
    b, b2 = (ragged(rng.random((count, *inner)) > 0.5) for _ in range(2))
    words = np.array([b"a", b"Bc", b"d e", b"12"], object)
    s = ragged(words[rng.integers(0, 4, (count, *inner))])
    columns = [4] + [1] * (len(x.shape) - 1)
    column = tf.reshape(tf.constant([0.5, -1.0, 2.0, 3.0]), columns)
    places = [[0] if length else [] for length in x.row_lengths().numpy()]

    def grad(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(function(x))
        return tape.gradient(total, x)

    def grad_column(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(column)
            total = tf.reduce_sum(function(column))
        return tape.gradient(total, column)

    found = dict(locals())
    return found | {"np": np, "R": ragged_tensor, "g": tf.ragged.constant(places, dtype=tf.int32)}


def plain(tf: Any, value: Any) -> Any:
    """A result as lists, with dtypes, shapes and splits."""
    if isinstance(value, (list, tuple)):
        return [plain(tf, item) for item in value]
    if isinstance(value, tf.RaggedTensor):
        splits = [part.numpy().tolist() for part in value.nested_row_splits]
        return ["ragged", str(value.shape), splits, plain(tf, value.flat_values)]
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return ["sparse", *(plain(tf, part) for part in parts)]
    if isinstance(value, tf.Tensor):
        flat = np.ravel(np.asarray(value.numpy(), object if value.dtype == tf.string else None))
        if value.dtype == tf.string:
            return ["string", list(value.shape), [item.decode("latin-1") for item in flat]]
        if value.dtype.is_complex:
            flat = np.stack([flat.real, flat.imag])
        if flat.dtype.kind == "f":
            flat = np.array([float(f"{item:.5g}") for item in flat.ravel()])
        return [value.dtype.name, list(value.shape), flat.tolist()]
    return repr(value)


def answer(tf: Any, expression: str, known: dict[str, Any]) -> Any:
    """What an expression gives, as plain data; for an error its type."""
    try:
        return plain(tf, eval(expression, known))
    except Exception as error:
        return ["raised", type(error).__name__]

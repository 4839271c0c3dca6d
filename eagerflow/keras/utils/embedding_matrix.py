"""Embedding tables for a new vocabulary, with the vectors of an old one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.keras import initializers
from eagerflow.keras.layers.preprocessing_layer import listed
from eagerflow.util.regular import read_regular


def warmstart_embedding_matrix(
    base_vocabulary: object,
    new_vocabulary: object,
    base_embeddings: object,
    new_embeddings_initializer: object = "uniform",
) -> _core.Tensor:
    """An embedding table for a new vocabulary: words of the old vocabulary keep their vectors.

    Args:
        base_vocabulary: the old words: an array, a list, or the path of a file with a word in
            each line.
        new_vocabulary: the new words, likewise.
        base_embeddings: the old vectors, `[words, dimension]`.
        new_embeddings_initializer: the vectors of other words.

    Returns:
        `[new words, dimension]`.

    >>> old = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.keras.utils.warmstart_embedding_matrix(["a", "b"], ["b", "c"], old, "zeros").numpy()
    array([[3., 4.],
           [0., 0.]])
    """
    table = np.asarray(base_embeddings)
    old = {word: index for index, word in enumerate(_words(base_vocabulary))}
    new = _words(new_vocabulary)
    shape = (len(new), table.shape[1])
    made = initializers.get(new_embeddings_initializer)(shape, dtype=table.dtype.name)
    result = np.array(made.numpy(), dtype=table.dtype)
    for index, word in enumerate(new):
        if word in old:
            result[index] = table[old[word]]
    return _core.as_tensor(result)


def _words(vocabulary: object) -> list[Any]:
    """The words of a vocabulary, as text."""
    if isinstance(vocabulary, str | Path):
        return read_regular(vocabulary, None).decode("utf-8").splitlines()
    words = np.asarray(listed(vocabulary), dtype=object).reshape(-1).tolist()
    return [word.decode("utf-8") if isinstance(word, bytes) else word for word in words]

"""tf.keras.datasets.imdb: reviews of films, good and bad."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow.io.array_files import read_archive
from eagerflow.keras.datasets import cache

_HASH = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    cache_dir: str | None = None,
    **kwargs: Any,
) -> tuple[tuple, tuple]:
    """25,000 reviews for training and 25,000 for testing; Maas et al. (ACL 2011).

    Words are ids; a lower id is a more frequent word.

    Args:
        path: the file's name in `~/.keras/datasets`.
        num_words: only words below this number are kept.
        skip_top: the number of most frequent words to skip.
        maxlen: only reviews with fewer words are kept.
        seed: of the order.
        start_char: the number at each review's beginning; None for none.
        oov_char: the number in the place of words left out; None for none.
        index_from: an offset of the word ids.
        cache_dir: another cache than `~/.keras`.
        **kwargs: `nb_words`, the deprecated name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: arrays of lists, and int64 labels, 1 for good.

    Raises:
        ValueError: if no review is short enough.
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    num_words = kwargs.pop("nb_words", num_words)
    cache.check_unknown(kwargs)
    path = cache.cached(path, cache.ORIGIN + "imdb.npz", _HASH, cache_dir)
    data: dict[str, Any] = read_archive(path, objects=True)
    x_train, y_train, x_test, y_test = (
        data[name] for name in ("x_train", "y_train", "x_test", "y_test")
    )
    rng = np.random.RandomState(seed)
    x_train, y_train = cache.shuffled(rng, x_train, y_train)
    x_test, y_test = cache.shuffled(rng, x_test, y_test)
    x_train = cache.with_markers(x_train, start_char, index_from)
    x_test = cache.with_markers(x_test, start_char, index_from)
    if maxlen:
        x_train, y_train = cache.shorter_than(maxlen, x_train, y_train)
        x_test, y_test = cache.shorter_than(maxlen, x_test, y_test)
        if not x_train or not x_test:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was "
                "kept. Increase maxlen."
            )
    texts = cache.frequent(x_train + x_test, num_words, skip_top, oov_char)
    labels = np.concatenate([y_train, y_test])
    count = len(x_train)
    return (
        (cache.ragged(texts[:count]), labels[:count]),
        (cache.ragged(texts[count:]), labels[count:]),
    )


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The id of each word, to which `load_data` adds `index_from`.

    Args:
        path: the file's name in `~/.keras/datasets`.
    """
    return cache.word_index(path, "imdb_word_index.json", "bfafd718b763782e994055a2d397834f")

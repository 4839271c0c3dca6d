"""tf.keras.datasets.reuters: short news of 46 topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow.io.array_files import read_archive
from eagerflow.keras.datasets import cache

_HASH = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
_TOPICS = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves "
    "ship cotton carcass crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin "
    "strategic-metal livestock retail ipi iron-steel rubber heat jobs lei bop zinc orange pet-chem "
    "dlr gas silver wpi hog lead"
)


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    cache_dir: str | None = None,
    **kwargs: Any,
) -> tuple[tuple, tuple]:
    """11,228 news wires; words are ids, and a lower id is a more frequent word.

    Args:
        path: the file's name in `~/.keras/datasets`.
        num_words: only words below this number are kept.
        skip_top: the number of most frequent words to skip.
        maxlen: only news with fewer words are kept.
        test_split: the part that is for testing.
        seed: of the order.
        start_char: the number at the beginning; None for none.
        oov_char: the number in the place of words left out; None for none.
        index_from: an offset of the word ids.
        cache_dir: another cache than `~/.keras`.
        **kwargs: `nb_words`, the deprecated name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: arrays of lists, and int64 labels.

    Raises:
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    num_words = kwargs.pop("nb_words", num_words)
    cache.check_unknown(kwargs)
    path = cache.cached(path, cache.ORIGIN + "reuters.npz", _HASH, cache_dir)
    data: dict[str, Any] = read_archive(path, objects=True)
    texts, labels = data["x"], data["y"]
    texts, labels = cache.shuffled(np.random.RandomState(seed), texts, labels)
    texts = cache.with_markers(texts, start_char, index_from)
    if maxlen:
        texts, labels = cache.shorter_than(maxlen, texts, labels)
    texts = cache.frequent(texts, num_words, skip_top, oov_char)
    count = int(len(texts) * (1 - test_split))
    return (
        (cache.ragged(texts[:count]), np.array(labels[:count])),
        (cache.ragged(texts[count:]), np.array(labels[count:])),
    )


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """The id of each word, to which `load_data` adds `index_from`.

    Args:
        path: the file's name in `~/.keras/datasets`.
    """
    return cache.word_index(path, "reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921")


def get_label_names() -> tuple[str, ...]:
    """The topics, by label.

    >>> tf.keras.datasets.reuters.get_label_names()[:3]
    ('cocoa', 'grain', 'veg-oil')
    """
    return tuple(_TOPICS.split())

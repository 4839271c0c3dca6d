"""tf.keras.preprocessing.text: texts as sequences of word ids."""

from __future__ import annotations

import collections
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from eagerflow.keras.typing import Config
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

__all__ = ["Tokenizer", "hashing_trick", "one_hot", "text_to_word_sequence", "tokenizer_from_json"]

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    input_text: str, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Splits a text into words.

    Args:
        input_text: the text.
        filters: characters that separate words, in addition to `split`.
        lower: whether to convert words to lower case.
        split: the separator of words.

    >>> tf.keras.preprocessing.text.text_to_word_sequence("Some text, and more!")
    ['some', 'text', 'and', 'more']
    """
    if lower:
        input_text = input_text.lower()
    input_text = input_text.translate({ord(c): split for c in filters})
    return [word for word in input_text.split(split) if word]


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """The hashes of a text's words, from 1 to `n - 1`; collisions are possible.

    Args:
        text: the text.
        n: one more than the largest hash.
        hash_function: a function, "md5", or None for Python's `hash`, which differs between runs.
        filters: characters that separate words.
        lower: whether to convert words to lower case.
        split: the separator of words.
        analyzer: a function that splits a text instead.

    >>> tf.keras.preprocessing.text.hashing_trick("a b a", 10, "md5")
    [2, 5, 2]
    """
    if hash_function is None:
        hash_function = hash
    elif hash_function == "md5":

        def hash_function(word: str) -> int:
            return int(hashlib.md5(word.encode()).hexdigest(), 16)

    words = analyzer(text) if analyzer else text_to_word_sequence(text, filters, lower, split)
    return [hash_function(word) % (n - 1) + 1 for word in words]


def one_hot(
    input_text: str,
    n: int,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], list[str]] | None = None,
) -> list[int]:
    """`hashing_trick` with Python's `hash`."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


class Tokenizer:
    """Assigns ids to the words of texts by frequency; 1 is the most frequent word.

    Args:
        num_words: only words with lower ids are kept.
        filters: characters that separate words, in addition to `split`.
        lower: whether to convert words to lower case.
        split: the separator of words.
        char_level: whether each character is a word.
        oov_token: the word, with id 1, that replaces unknown words.
        analyzer: a function that splits a text into words.
        **kwargs: `document_count`.

    Raises:
        TypeError: for an unknown argument.

    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
    >>> tokenizer.fit_on_texts(["the cat", "the dog and the cat"])
    >>> tokenizer.texts_to_sequences(["the dog"])
    [[1, 3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], list[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            warn("The `nb_words` argument in `Tokenizer` has been renamed `num_words`.")
            num_words = kwargs.pop("nb_words")
        self.document_count = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.word_counts: dict[str, int] = collections.OrderedDict()
        self.word_docs: dict[str, int] = collections.defaultdict(int)
        self.index_docs: dict[int, int] = collections.defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}
        self.filters = filters
        self.split = split
        self.lower = lower
        self.num_words = num_words
        self.char_level = char_level
        self.oov_token = oov_token
        self.analyzer = analyzer

    def _words(self, text: Any) -> Any:
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [word.lower() for word in text] if isinstance(text, list) else text.lower()
        if self.analyzer is not None:
            return self.analyzer(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Counts the words of texts (strings, or lists of words) and assigns new ids."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ranked = sorted(self.word_counts, key=lambda word: self.word_counts[word], reverse=True)
        if self.oov_token is not None:
            ranked.insert(0, self.oov_token)
        self.word_index = {word: index for index, word in enumerate(ranked, start=1)}
        self.index_word = {index: word for word, index in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Counts the sequences that contain each id, which `sequences_to_matrix` needs."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for index in set(sequence):
                self.index_docs[index] += 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """The ids of the words of each text; unknown words are skipped."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """A generator version of `texts_to_sequences`."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        for text in texts:
            ids = (self.word_index.get(word) for word in self._words(text))
            yield self._kept(ids, unknown)

    def _kept(self, ids: Iterable[int | None], unknown: int | None) -> list[int]:
        """The ids below `num_words`; others are replaced by `unknown`, or skipped if it is None."""
        kept = []
        for index in ids:
            if index is not None and not (self.num_words and index >= self.num_words):
                kept.append(index)
            elif unknown is not None:
                kept.append(unknown)
        return kept

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """The words of each sequence of ids, joined by spaces."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """A generator version of `sequences_to_texts`."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        for sequence in sequences:
            known = (index if index in self.index_word else None for index in sequence)
            yield " ".join(self.index_word[index] for index in self._kept(known, unknown))

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """A row for each text, see `sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """A row for each sequence and a column for each word.

        Args:
            sequences: lists of word ids.
            mode: "binary" (1 if the word occurs), "count", "freq" or "tfidf".

        Raises:
            ValueError: if the number of words is unknown, and for an unknown mode.
        """
        if not self.num_words and not self.word_index:
            raise ValueError(
                "Specify a dimension (`num_words` argument), or fit on some text data first."
            )
        if mode not in ("binary", "count", "freq", "tfidf"):
            raise ValueError("Unknown vectorization mode:", mode)
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        size = self.num_words or len(self.word_index) + 1
        matrix = np.zeros((len(sequences), size))
        for row, sequence in zip(matrix, sequences, strict=True):
            for index, count in collections.Counter(sequence).items():
                if index >= size:
                    continue
                if mode == "binary":
                    row[index] = 1
                elif mode == "count":
                    row[index] = count
                elif mode == "freq":
                    row[index] = count / len(sequence)
                else:
                    documents = self.index_docs.get(index, 0)
                    rarity = np.log(1 + self.document_count / (1 + documents))
                    row[index] = (1 + np.log(count)) * rarity
        return matrix

    def get_config(self) -> Config:
        """The arguments, and the counts as JSON texts."""
        return {
            "num_words": self.num_words,
            "filters": self.filters,
            "lower": self.lower,
            "split": self.split,
            "char_level": self.char_level,
            "oov_token": self.oov_token,
            "document_count": self.document_count,
            "word_counts": json.dumps(self.word_counts),
            "word_docs": json.dumps(self.word_docs),
            "index_docs": json.dumps(self.index_docs),
            "index_word": json.dumps(self.index_word),
            "word_index": json.dumps(self.word_index),
        }

    def to_json(self, **kwargs: Any) -> str:
        """The class name and the configuration as JSON."""
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """A tokenizer from what `Tokenizer.to_json` returned."""
    config = json.loads(json_string)["config"]
    counts = {
        name: json.loads(config.pop(name))
        for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
    }
    for name in ("index_docs", "index_word"):
        counts[name] = {int(index): value for index, value in counts[name].items()}
    tokenizer = Tokenizer(**config)
    for name, value in counts.items():
        setattr(tokenizer, name, value)
    return tokenizer


__dir__ = lazy.listing(__name__)

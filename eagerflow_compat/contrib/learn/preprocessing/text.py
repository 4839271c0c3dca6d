"""Texts as rows of numbers: of words, or of bytes."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from eagerflow.io import gfile
from eagerflow.typing import FilePath
from eagerflow_compat.contrib.learn.preprocessing.categories import CategoricalVocabulary

# Acronyms, the parts of names in CamelCase, and words with apostrophes and hyphens.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text.

    >>> list(tf.contrib.learn.preprocessing.tokenizer(["I can't read a TensorFlow."]))
    [['I', "can't", 'read', 'a', 'Tensor', 'Flow']]
    """
    for text in iterator:
        yield TOKENIZER_RE.findall(text)


class ByteProcessor:
    """Texts as rows of their bytes in UTF-8.

    Args:
        max_document_length: the size of rows; longer texts are cut, and 0 fills shorter ones.

    >>> processor = tf.contrib.learn.preprocessing.ByteProcessor(4)
    >>> rows = list(processor.transform(["ab"]))
    >>> rows[0].tolist(), list(processor.reverse(rows))
    ([97, 98, 0, 0], ['ab'])
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: object) -> ByteProcessor:
        """Learns nothing."""
        return self

    def fit_transform(self, x: Iterable[Any]) -> Iterator[np.ndarray]:
        """The same as `transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[np.ndarray]:
        """A row of uint8 for each text."""
        for text in x:
            data = text if isinstance(text, bytes) else text.encode()
            row = np.zeros(self.max_document_length, np.uint8)
            data = data[: self.max_document_length]
            row[: len(data)] = np.frombuffer(data, np.uint8)
            yield row

    @staticmethod
    def reverse(x: Iterable[Any]) -> Iterator[str]:
        """The texts of rows, without zeros at the end."""
        for row in x:
            data = np.asarray(row, np.uint8).tobytes().rstrip(b"\0")
            yield data.decode(errors="replace")


class VocabularyProcessor:
    """Texts as rows of the numbers of their words.

    Args:
        max_document_length: the size of rows; longer texts are cut, and 0 fills shorter ones.
        min_frequency: more often than this come the words that have numbers.
        vocabulary: a `CategoricalVocabulary`; by default an empty one.
        tokenizer_fn: gives the words of each text, for an iterator of texts; `tokenizer` by default.

    >>> processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    >>> rows = list(processor.fit_transform(["the cat sat", "the dog"]))
    >>> [row.tolist() for row in rows]
    [[1, 2, 3, 0], [1, 4, 0, 0]]
    >>> list(processor.reverse(rows))
    ['the cat sat <UNK>', 'the dog <UNK> <UNK>']
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[Iterable[Any]]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: object = None) -> VocabularyProcessor:
        """Learns the words of texts."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: object = None
    ) -> Iterator[np.ndarray]:
        """Learns the words of texts, and gives their rows."""
        texts = list(raw_documents)
        self.fit(texts)
        return self.transform(texts)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """A row of int64 for each text."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for k, word in zip(range(self.max_document_length), words, strict=False):
                row[k] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Iterable[Any]]) -> Iterator[str]:
        """The words of rows, separated by spaces."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(int(number)) for number in row)

    def save(self, filename: FilePath) -> None:
        """Writes the processor with its words to a file, by `pickle`."""
        with gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: FilePath) -> VocabularyProcessor:
        """The processor that `save` wrote; read only files that you trust, as of `pickle`."""
        with gfile.GFile(filename, "rb") as file:
            return pickle.loads(file.read())

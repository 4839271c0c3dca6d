"""Numbers of categories, in the order in which they come, or by how frequent they are."""

from __future__ import annotations

import collections
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np


class CategoricalVocabulary:
    """The numbers of categories; unknown ones are 0.

    Args:
        unknown_token: the category of number 0.
        support_reverse: whether `reverse` finds categories by their numbers.

    >>> words = tf.contrib.learn.preprocessing.CategoricalVocabulary()
    >>> words.get("red"), words.get("blue"), words.get("red"), len(words)
    (1, 2, 1, 3)
    >>> words.freeze()
    >>> words.get("green"), words.reverse(2)
    (0, 'blue')
    """

    def __init__(self, unknown_token: Hashable = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._mapping: dict[Hashable, int] = {unknown_token: 0}
        self._freq: collections.Counter[Any] = collections.Counter()
        self._frozen = False

    def __len__(self) -> int:
        """The number of categories, the unknown one among them."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Takes in no more categories; from then on, those that are new are unknown."""
        self._frozen = freeze

    def get(self, category: Hashable) -> int:
        """The number of a category, which gets one if it has none, unless the vocabulary is frozen."""
        if category not in self._mapping:
            if self._frozen:
                return 0
            self._mapping[category] = len(self._mapping)
        return self._mapping[category]

    def add(self, category: Hashable, count: int = 1) -> None:
        """Counts a category, for `trim`; the unknown one is not counted."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories that are more frequent than a number, and numbers the most frequent 1.

        Args:
            min_frequency: as often, or less, are categories that are left out.
            max_frequency: as often, or more, are those that are left out, too, if it is positive.
        """
        # Equally frequent ones are in alphabetical order.
        ordered = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        kept = [
            (category, count)
            for category, count in sorted(ordered, key=lambda item: item[1], reverse=True)
            if count > min_frequency and not 0 < max_frequency <= count
        ]
        self._freq = collections.Counter(dict(kept))
        self._mapping = {self._unknown_token: 0}
        for category, _ in kept:
            self._mapping[category] = len(self._mapping)

    def reverse(self, class_id: int) -> Any:
        """The category of a number.

        Raises:
            ValueError: if the vocabulary was made without this.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse.")
        return list(self._mapping)[class_id]


class CategoricalProcessor:
    """Numbers of the categories in each column.

    Args:
        min_frequency: how frequent a category must be.
        share: whether all columns have one vocabulary.
        vocabularies: those of the columns, or the one of all.

    >>> processor = tf.contrib.learn.preprocessing.CategoricalProcessor()
    >>> [row.tolist() for row in processor.fit_transform([["a", "x"], ["b", "x"]])]
    [[1, 1], [2, 1]]
    """

    def __init__(
        self, min_frequency: int = 0, share: bool = False, vocabularies: Any = None
    ) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Takes in no more categories."""
        for vocabulary in self._vocabularies(1):
            vocabulary.freeze(freeze)

    def _vocabularies(self, columns: int) -> list[CategoricalVocabulary]:
        if self.vocabularies_ is None:
            made = [CategoricalVocabulary() for _ in range(1 if self.share else columns)]
            self.vocabularies_ = made[0] if self.share else made
        return [self.vocabularies_] * columns if self.share else self.vocabularies_

    def fit(self, x: Iterable[Sequence[Any]], unused_y: object = None) -> CategoricalProcessor:
        """Learns the categories of rows."""
        vocabularies: list[CategoricalVocabulary] = []
        for row in x:
            vocabularies = self._vocabularies(len(row))
            for vocabulary, category in zip(vocabularies, row, strict=False):
                vocabulary.add(category)
        for vocabulary in {id(each): each for each in vocabularies}.values():
            if self.min_frequency > 0:
                vocabulary.trim(self.min_frequency)
            vocabulary.freeze()
        return self

    def fit_transform(self, x: Iterable[Sequence[Any]], unused_y: object = None) -> Iterator[Any]:
        """Learns the categories of rows, and numbers them."""
        rows = list(x)
        self.fit(rows)
        return self.transform(rows)

    def transform(self, x: Iterable[Sequence[Any]]) -> Iterator[np.ndarray]:
        """The numbers of each row, int64."""
        for row in x:
            pairs = zip(self._vocabularies(len(row)), row, strict=False)
            yield np.array([vocabulary.get(category) for vocabulary, category in pairs], np.int64)

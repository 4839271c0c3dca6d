"""tf.keras.preprocessing.sequence: padded sequences, windows of time series, skip-grams."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np

from eagerflow.keras.typing import Config
from eagerflow.keras.utils.sequence import Sequence
from eagerflow.util import lazy

__all__ = ["TimeseriesGenerator", "make_sampling_table", "pad_sequences", "skipgrams"]


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """Pads or truncates sequences to one length.

    Args:
        sequences: a list of sequences.
        maxlen: the length; by default the length of the longest sequence.
        dtype: the dtype of the result.
        padding: whether to pad before ("pre") or after ("post") a sequence.
        truncating: whether to remove the beginning ("pre") or the end ("post").
        value: the padding value.

    Returns:
        An array `[sequences, maxlen, ...]`.

    Raises:
        ValueError: if `sequences` is not a list of sequences, if the shapes of their elements
            differ, and for an unknown `padding` or `truncating`.

    >>> tf.keras.utils.pad_sequences([[1], [2, 3], [4, 5, 6]], maxlen=2)
    array([[0, 1],
           [2, 3],
           [5, 6]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    if truncating not in ("pre", "post"):
        raise ValueError(f'Truncating type "{truncating}" not understood')
    if padding not in ("pre", "post"):
        raise ValueError(f'Padding type "{padding}" not understood')
    lengths = []
    shape: tuple[int, ...] | None = None
    for sequence in sequences:
        try:
            lengths.append(len(sequence))
        except TypeError as error:
            raise ValueError(
                "`sequences` must be a list of iterables. Found non-iterable: " + str(sequence)
            ) from error
        if shape is None and len(sequence):
            shape = np.asarray(sequence).shape[1:]
    shape = shape or ()
    if maxlen is None:
        maxlen = int(np.max(lengths))
    if isinstance(value, str) and dtype is not object and not np.issubdtype(dtype, np.str_):
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\n"
            "You should set `dtype=object` for variable length strings."
        )
    padded = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for row, sequence in enumerate(sequences):
        if not len(sequence) or maxlen == 0:
            continue
        kept = np.asarray(
            sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen], dtype=dtype
        )
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {row} is different from "
                f"expected shape {shape}"
            )
        if padding == "post":
            padded[row, : len(kept)] = kept
        else:
            padded[row, -len(kept) :] = kept
    return padded


class TimeseriesGenerator(Sequence):
    """Batches of windows over a time series, each with the target that follows it.

    Args:
        data: the series.
        targets: the targets, as many as there are points.
        length: the number of points that a window spans.
        sampling_rate: the distance between a window's points.
        stride: the distance between windows.
        start_index: the first point that is used.
        end_index: the last point that is used.
        shuffle: whether to draw windows at random.
        reverse: whether to reverse the points of a window.
        batch_size: the number of windows in a batch.

    Raises:
        ValueError: if data and targets differ in length, or there is no window.

    >>> data = np.arange(10)
    >>> x, y = tf.keras.preprocessing.sequence.TimeseriesGenerator(data, data, 3, batch_size=2)[0]
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [1, 2, 3]], [3, 4])
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while "
                f"target length is {len(targets)}"
            )
        self.data = data
        self.targets = targets
        self.length = length
        self.sampling_rate = sampling_rate
        self.stride = stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle = shuffle
        self.reverse = reverse
        self.batch_size = batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is "
                "disallowed, as no part of the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            step = self.batch_size * self.stride
            first = self.start_index + step * index
            rows = np.arange(first, min(first + step, self.end_index + 1), self.stride)
        windows = np.array(
            [self.data[row - self.length : row : self.sampling_rate] for row in rows]
        )
        targets = np.array([self.targets[row] for row in rows])
        return (windows[:, ::-1, ...] if self.reverse else windows), targets

    def get_config(self) -> Config:
        """The arguments, data as JSON text."""
        texts = {}
        for name, values in (("data", self.data), ("targets", self.targets)):
            plain = values.tolist() if isinstance(values, np.ndarray) else values
            try:
                texts[name] = json.dumps(plain)
            except TypeError as error:
                raise TypeError(f"{name.capitalize()} not JSON Serializable:", values) from error
        return texts | {
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """The class's name and the arguments as JSON text."""
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> np.ndarray:
    """The probability that `skipgrams` keeps a word, by rank, for frequencies by Zipf's law.

    Mikolov et al., "Distributed representations of words and phrases" (NIPS 2013).

    Args:
        size: the number of words.
        sampling_factor: the lower, the fewer frequent words are kept.
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse_frequency = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    kept = sampling_factor * inverse_frequency
    return np.minimum(1.0, kept / np.sqrt(kept))


def skipgrams(
    sequence: _Sequence[int],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list, list]:
    """Pairs of neighbouring words, and negative samples with random words.

    Args:
        sequence: word ids; 0 is no word.
        vocabulary_size: one more than the largest word id.
        window_size: the largest distance between two words.
        negative_samples: the number of negative samples per pair.
        shuffle: whether to shuffle the pairs.
        categorical: whether labels are `[0, 1]` and `[1, 0]` rather than 1 and 0.
        sampling_table: the probability that a word is kept; see `make_sampling_table`.
        seed: the seed of the order.

    Returns:
        Pairs, and their labels: 1 for neighbouring words.
    """
    couples: list[list[int]] = []
    for position, word in enumerate(sequence):
        if not word:
            continue
        if sampling_table is not None and sampling_table[word] < random.random():
            continue
        first = max(0, position - window_size)
        last = min(len(sequence), position + window_size + 1)
        couples.extend(
            [word, sequence[other]]
            for other in range(first, last)
            if other != position and sequence[other]
        )
    yes, no = ([0, 1], [1, 0]) if categorical else (1, 0)
    labels = [yes] * len(couples)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        couples += [
            [words[k % len(words)], random.randint(1, int(vocabulary_size - 1))]
            for k in range(count)
        ]
        labels += [no] * count
    if shuffle:
        seed = random.randint(0, int(10e6)) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


__dir__ = lazy.listing(__name__)

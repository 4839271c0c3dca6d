"""Datasets of parsed `tf.train.Example` records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.data.arguments import AUTOTUNE
from eagerflow.data.creation import as_strings
from eagerflow.data.dataset import Dataset
from eagerflow.data.files import TFRecordDataset
from eagerflow.io.parsing import parse_example
from eagerflow.typing import TensorLike


def parse_example_dataset(
    features: Any, num_parallel_calls: TensorLike = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """Parses batches of serialized Examples.

    Args:
        features: the features of examples, as for `tf.io.parse_example`.
        num_parallel_calls: the number of threads.
        deterministic: whether the order is kept.

    Returns:
        A function for `Dataset.apply`, for datasets of vectors of strings.

    Raises:
        ValueError: if `features` is None.

    >>> example = tf.train.Example()
    >>> example.features.feature["n"].int64_list.value.append(3)
    >>> dataset = tf.data.Dataset.from_tensors([example.SerializeToString()])
    >>> parse = tf.data.experimental.parse_example_dataset(
    ...     {"n": tf.io.FixedLenFeature([], tf.int64)}
    ... )
    >>> list(dataset.apply(parse).as_numpy_iterator())
    [{'n': array([3])}]
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def parse(serialized: TensorLike) -> Any:
        return parse_example(serialized, features)

    return lambda dataset: dataset.map(parse, num_parallel_calls, deterministic)


def make_batched_features_dataset(
    file_pattern: TensorLike | Dataset,
    batch_size: TensorLike,
    features: Any,
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: TensorLike | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: TensorLike | None = None,
    reader_num_threads: TensorLike | None = None,
    parser_num_threads: TensorLike | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of the Examples in files.

    Args:
        file_pattern: a pattern of file names, or several.
        batch_size: how many Examples a batch has.
        features: the features of examples, as for `tf.io.parse_example`.
        reader: returns a dataset of records for file names; `tf.data.TFRecordDataset` by default.
        label_key: the feature that is returned apart from the others.
        reader_args: further arguments for `reader`.
        num_epochs: how often to read the files; without an end by default.
        shuffle: whether to shuffle files and Examples.
        shuffle_buffer_size: how many Examples to draw from.
        shuffle_seed: makes the order the same in every run.
        prefetch_buffer_size: how many batches to make ahead.
        reader_num_threads: how many files are read at the same time.
        parser_num_threads: how many threads parse.
        sloppy_ordering: whether the order need not be kept.
        drop_final_batch: whether to drop a smaller last batch.

    Returns:
        A dataset of dictionaries, or of pairs of a dictionary and the label.

    Raises:
        ValueError: if `label_key` is not one of the features.
        tf.errors.InvalidArgumentError: if no file matches.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: "
            f"{list(features)}."
        )
    reads = reader_num_threads or 1
    files = Dataset.list_files(as_strings(file_pattern), shuffle=shuffle, seed=shuffle_seed)
    make = TFRecordDataset if reader is None else reader
    arguments = reader_args or []

    def records(name: str) -> Dataset:
        return make(name, *arguments)

    if reads == 1:
        dataset = files.flat_map(records)
    else:
        dataset = files.interleave(records, reads, 1, reads, not sloppy_ordering)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:

        def apart(batch: dict[Any, Any]) -> tuple[dict[Any, Any], Any]:
            rest = dict(batch)
            label = rest.pop(label_key)
            return rest, label

        dataset = dataset.map(apart)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)

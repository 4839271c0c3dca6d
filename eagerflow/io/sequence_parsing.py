"""Sequence examples as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.io import feature_specs
from eagerflow.io.features import FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from eagerflow.io.parsing import (
    Column,
    Parser,
    invalid,
    message_of,
    padded,
    ragged_rows,
    serialized_list,
    sizes_of,
)
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import TensorLike

_OP = "ParseSequenceExampleV2"


def _steps(column: Column, example: Any, k: int) -> list[Any] | None:
    """The values of each step of a feature list, or None if an example lacks it."""
    lists = example.feature_lists.feature_list
    if column.key not in lists:
        return None
    steps = []
    for t, feature in enumerate(lists[column.key].feature):
        values = column.values(feature, f"Index: {k}.{t}")
        steps.append([] if values is None else values)
    return steps


def _dense(
    column: Column, feature: FixedLenSequenceFeature, examples: list[Any], batch: bool
) -> tuple[_core.Tensor, _core.Tensor]:
    """The steps of each example, padded to as many, and their numbers."""
    step = sizes_of(feature.shape)
    width = int(np.prod(step))
    parts, lengths = [], []
    for k, example in enumerate(examples):
        steps = _steps(column, example, k)
        if steps is None:
            if not feature.allow_missing:
                raise invalid(
                    f"Name: <unknown>, Feature list '{column.key}' is required but could not be "
                    "found.  Did you mean to include it in feature_list_dense_missing_assumed_empty"
                    " or feature_list_dense_defaults?",
                    _OP,
                )
            steps = []
        for t, values in enumerate(steps):
            if len(values) != width:
                raise invalid(
                    f"Name: <unknown>, Key: {column.key}, Index: {t}.  Number of "
                    f"{column.dtype.name} values != expected.  values size: {len(values)} but "
                    f"output shape: {step}",
                    _OP,
                )
        parts.append([item for values in steps for item in values])
        lengths.append(len(steps))
    if not batch:
        dense = column.of(column.array(parts[0]), [lengths[0], *step])
        return dense, _core.convert(lengths[0], dtypes.int64, None)
    dense = padded(column, parts, max(lengths, default=0), step, feature.default_value)
    return dense, _core.convert(lengths, dtypes.int64, None)


def _sparse(column: Column, examples: list[Any], batch: bool) -> SparseTensor:
    indices, values = [], []
    longest, widest = 0, 0
    for k, example in enumerate(examples):
        steps = _steps(column, example, k) or []
        longest = max(longest, len(steps))
        for t, items in enumerate(steps):
            widest = max(widest, len(items))
            indices += [(k, t, i) for i in range(len(items))]
            values.append(items)
    array = np.array(indices, np.int64).reshape(-1, 3)
    if batch:
        return SparseTensor(array, column.tensor(values), [len(examples), longest, widest])
    return SparseTensor(array[:, 1:], column.tensor(values), [longest, widest])


def _ragged(column: Column, feature: RaggedFeature, examples: list[Any], batch: bool) -> Any:
    """A row for each step, divided further by the feature's partitions."""
    counts, values = [], []
    for k, example in enumerate(examples):
        steps = _steps(column, example, k) or []
        counts.append(len(steps))
        values += steps
    keyed: dict[str, list[Any]] = {}
    for partition in feature.partitions:
        if not isinstance(partition, RaggedFeature.UniformRowLength):
            sizes = Column(partition.key, dtypes.int64, _OP)
            found = [_steps(sizes, example, k) or [] for k, example in enumerate(examples)]
            for k, steps in enumerate(found):
                if len(steps) != counts[k]:
                    raise invalid(
                        f"Key: {partition.key}, Index: {k}.  There are {len(steps)} steps, and "
                        f"{counts[k]} of '{column.key}', which they divide",
                        _OP,
                    )
            keyed[partition.key] = [list(step) for steps in found for step in steps]
    rows = ragged_rows(column, values, feature, keyed, batch=True)
    if not batch:
        return rows
    partition = RowPartition.of_lengths(np.array(counts, np.int64), feature.row_splits_dtype)
    return RaggedTensor._of(rows, partition)


def _parse(
    items: list[bytes], batch: bool, context_features: Any, sequence_features: Any
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not (context_features or sequence_features):
        raise ValueError("Both `context_features` and `sequence_features` are missing.")
    examples = [message_of("SequenceExample", item, _OP) for item in items]
    context = {}
    if context_features:
        contexts = [example.context.feature for example in examples]
        context = Parser(context_features, _OP, batch).parse(contexts)
    sequences: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    described = sequence_features or {}
    for kind in (VarLenFeature, FixedLenSequenceFeature, RaggedFeature):
        for key in sorted(described):
            feature = described[key]
            if not isinstance(feature, kind):
                continue
            source = feature.value_key if isinstance(feature, RaggedFeature) else None
            column = Column(source or key, feature.dtype, _OP)
            if isinstance(feature, VarLenFeature):
                sequences[key] = _sparse(column, examples, batch)
            elif isinstance(feature, FixedLenSequenceFeature):
                sequences[key], lengths[key] = _dense(column, feature, examples, batch)
            else:
                sequences[key] = _ragged(column, feature, examples, batch)
    for key, feature in described.items():
        if key not in sequences:
            raise ValueError(f"Unsupported feature type: {type(feature).__name__} for {key!r}.")
    return context, sequences, lengths


def _batch_specs(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    _check_features(context_features, sequence_features)
    batch = feature_specs.known(feature_specs.batch_of(serialized))
    return (
        feature_specs.specs_of(context_features or {}, batch),
        feature_specs.sequence_specs_of(sequence_features or {}, batch),
        feature_specs.length_specs_of(sequence_features or {}, batch),
    )


def _single_specs(*args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return _batch_specs(*args, **kwargs)[:2]


@op_function(in_graph=on_host(_batch_specs))
def parse_sequence_example(
    serialized: TensorLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses a batch of SequenceExample messages.

    Args:
        serialized: a vector of strings, each a SequenceExample, or a scalar string.
        context_features: what to parse of the contexts, as in `tf.io.parse_example`.
        sequence_features: what to parse of the feature lists: `tf.io.FixedLenSequenceFeature`,
            `VarLenFeature` or `RaggedFeature` by name.

    Returns:
        Three dictionaries: the context's tensors, the tensors of the feature lists, and the
        lengths of padded sequences. Those of a scalar have no axis of the batch.

    Raises:
        ValueError: if there are no features to parse.
        tf.errors.InvalidArgumentError: if a string is no SequenceExample or does not fit.

    >>> example = tf.train.SequenceExample()
    >>> for value in (1, 2):
    ...     steps = example.feature_lists.feature_list["x"].feature
    ...     steps.add().int64_list.value.append(value)
    >>> _, sequences, lengths = tf.io.parse_sequence_example(
    ...     [example.SerializeToString()],
    ...     sequence_features={"x": tf.io.FixedLenSequenceFeature([], tf.int64)},
    ... )
    >>> sequences["x"].numpy(), lengths["x"].numpy()
    (array([[1, 2]]), array([2]))
    """
    _check_features(context_features, sequence_features)
    items, batch = serialized_list(serialized, _OP)
    return _parse(items, batch, context_features, sequence_features)


def _check_features(context: Any, sequences: Any) -> None:
    """Raises TensorFlow's error for features that are no dictionaries."""
    if not context and not sequences:
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    for features in (context, sequences):
        if features is not None and not hasattr(features, "items"):
            raise TypeError(f"Features must be a dictionary, got {features}")


@op_function(in_graph=on_host(_single_specs))
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses one SequenceExample message.

    Args:
        serialized: a scalar string.
        context_features: what to parse of the context.
        sequence_features: what to parse of the feature lists.

    Returns:
        Two dictionaries: the context's tensors and those of the feature lists.

    Raises:
        ValueError: if there are no features to parse.
        tf.errors.InvalidArgumentError: if the string is no SequenceExample or does not fit.
    """
    _check_features(context_features, sequence_features)
    items, batch = serialized_list(serialized, _OP)
    if batch:
        raise invalid("Expected serialized to be a scalar", _OP)
    context, sequences, _ = _parse(items, False, context_features, sequence_features)
    return context, sequences

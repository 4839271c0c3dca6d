"""The dtypes, shapes and classes of datasets' elements, as functions."""

from __future__ import annotations

from typing import Any


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the elements, in their structure.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(2))
    tf.int64
    """
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the elements, in their structure."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the elements, in their structure."""
    return dataset_or_iterator.output_classes

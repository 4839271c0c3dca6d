"""The specifications of columns' features for parsing examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.feature_column.base import FeatureColumn


def make_parse_example_spec(feature_columns: Iterable[object]) -> dict[str, Any]:
    """The features that columns need, for `tf.io.parse_example`.

    Args:
        feature_columns: the columns.

    Raises:
        ValueError: if one is no column, or two need one feature in different ways.

    >>> column = tf.feature_column.numeric_column("age")
    >>> tf.feature_column.make_parse_example_spec([column])
    {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    result: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be FeatureColumn instances. Given: {column}"
            )
        for key, feature in column.parse_example_spec.items():
            if result.setdefault(key, feature) != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. "
                    f"Given {feature} and {result[key]}"
                )
    return result

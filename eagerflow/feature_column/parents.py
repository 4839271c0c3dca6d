"""Base classes of columns with one feature, or one categorical column, as parent."""

from __future__ import annotations

from typing import Any

from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    deserialize_function,
    serialize_feature_column,
    serialize_function,
    with_tuples,
)
from eagerflow.framework import dtypes
from eagerflow.io.features import VarLenFeature


class OfFeature:
    """A named tuple with the `key` of a feature, as a column of that feature."""

    @property
    def name(self: Any) -> str:
        """The feature's name."""
        return self.key

    @property
    def parents(self: Any) -> list[Any]:
        """The feature's name."""
        return [self.key]

    @property
    def parse_example_spec(self: Any) -> dict[str, Any]:
        """A feature of variable length."""
        return {self.key: VarLenFeature(self.dtype)}

    def get_config(self: Any) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        config = dict(zip(self._fields, self, strict=True))
        if "dtype" in config:
            config["dtype"] = self.dtype.name
        if "normalizer_fn" in config:
            config["normalizer_fn"] = serialize_function(self.normalizer_fn)
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> OfFeature:
        """A column from the result of `get_config`."""
        config = with_tuples(config)
        if "dtype" in config:
            config["dtype"] = dtypes.as_dtype(config["dtype"])
        if "normalizer_fn" in config:
            config["normalizer_fn"] = deserialize_function(
                config["normalizer_fn"], custom_objects, "normalizer_fn"
            )
        return cls(**config)


class OfCategories:
    """A named tuple with a `categorical_column`, as a column of these categories."""

    @property
    def parents(self: Any) -> list[Any]:
        """The column of categories."""
        return [self.categorical_column]

    @property
    def parse_example_spec(self: Any) -> dict[str, Any]:
        """The features of the categorical column."""
        return self.categorical_column.parse_example_spec

    def get_config(self: Any) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        return {"categorical_column": serialize_feature_column(self.categorical_column)}

    @classmethod
    def from_config(
        cls: Any, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        """A column from the result of `get_config`."""
        inner = config["categorical_column"]
        return cls(deserialize_feature_column(inner, custom_objects, columns_by_name))

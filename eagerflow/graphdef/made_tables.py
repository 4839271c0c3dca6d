"""The tables that nodes of graphs make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.lookup.tables import DenseHashTable, MutableHashTable
from eagerflow.ops.creation import zeros


def table_of(attrs: Mapping[str, Any]) -> MutableHashTable:
    """The empty table of a node.

    Args:
        attrs: the node's attributes; for a dense table also `reserved`, its empty and deleted key.
    """
    key, value = (dtypes.as_dtype(attrs[name]) for name in ("key_dtype", "value_dtype"))
    sizes = attrs.get("value_shape")
    with eagerly():
        default = zeros([] if sizes is None else sizes, value)
        if "reserved" in attrs:
            return DenseHashTable(key, value, default, *attrs["reserved"])
        return MutableHashTable(key, value, default)

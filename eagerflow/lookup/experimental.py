"""tf.lookup.experimental: tables that programs change."""

from eagerflow.ops.lookup_tables import (
    DenseHashTable,
    MutableHashTable,
)

__all__ = [
    "DenseHashTable",
    "MutableHashTable",
]

"""tf.lookup.experimental: tables that programs change."""

from eagerflow.lookup.tables import (
    DenseHashTable,
    MutableHashTable,
)

__all__ = [
    "DenseHashTable",
    "MutableHashTable",
]

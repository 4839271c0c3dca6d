"""tf.lookup.experimental: tables that programs change."""

from eagerflow.lookup.tables import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)

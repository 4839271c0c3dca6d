from eagerflow.lookup.tables import (
    DenseHashTable as DenseHashTable,
    MutableHashTable as MutableHashTable,
)

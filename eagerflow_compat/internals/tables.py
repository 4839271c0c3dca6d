"""tensorflow.python.ops.lookup_ops: tables and what they are made of."""

from eagerflow.lookup.tables import Table as InitializableLookupTableBase
from eagerflow.lookup.tables import Table as LookupInterface

__all__ = ["InitializableLookupTableBase", "LookupInterface"]

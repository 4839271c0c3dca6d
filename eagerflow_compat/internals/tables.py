"""tensorflow.python.ops.lookup_ops: tables and what they are made of."""

from eagerflow.lookup.tables import Table as InitializableLookupTableBase
from eagerflow.lookup.tables import Table as LookupInterface
from eagerflow_compat.contrib.lookup.words import (
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)

__all__ = [
    "InitializableLookupTableBase",
    "LookupInterface",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]

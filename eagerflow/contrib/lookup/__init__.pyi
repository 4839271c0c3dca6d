from eagerflow.contrib.lookup.words import (
    index_table_from_file as index_table_from_file,
    index_table_from_tensor as index_table_from_tensor,
    index_to_string_table_from_file as index_to_string_table_from_file,
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)
from eagerflow.lookup.tables import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    MutableHashTable as MutableHashTable,
    StaticHashTable as StaticHashTable,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)

HashTable = StaticHashTable

from eagerflow.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
)
from eagerflow.lookup.tables import (
    MutableHashTable as MutableHashTable,
)
from eagerflow.lookup.tables import (
    StaticHashTable as StaticHashTable,
)
from eagerflow.lookup.initializers import (
    TextFileIndex as TextFileIndex,
)
from eagerflow.lookup.initializers import (
    TextFileInitializer as TextFileInitializer,
)
from eagerflow_compat.contrib.lookup.words import (
    index_table_from_file as index_table_from_file,
)
from eagerflow_compat.contrib.lookup.words import (
    index_table_from_tensor as index_table_from_tensor,
)
from eagerflow_compat.contrib.lookup.words import (
    index_to_string_table_from_file as index_to_string_table_from_file,
)
from eagerflow_compat.contrib.lookup.words import (
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)

HashTable = StaticHashTable

"""Tables as nodes of a GraphDef."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.graphdef.writer import GraphWriter, Ref
from eagerflow.lookup.initializers import (
    TextFileInitializer,
)
from eagerflow.lookup.tables import (
    DenseHashTable,
    MutableHashTable,
    StaticVocabularyTable,
)


def table_handle(writer: GraphWriter, table: Any) -> Ref:
    """Adds a table."""
    name = writer.unique("hash_table")
    attrs = {"shared_name": f"{name}_{id(table)}", "value_dtype": table.value_dtype}
    if isinstance(table, DenseHashTable):
        keys = [writer.constant(key) for key in table.reserved_keys]
        shape = table.default_value.shape
        return writer.add("MutableDenseHashTableV2", *keys, name=name, value_shape=shape, **attrs)[
            0
        ]
    attrs["key_dtype"] = table.key_dtype
    if not isinstance(table, MutableHashTable):
        return writer.add("HashTableV2", name=name, **attrs)[0]
    # A mutable table: TensorFlow initializes the others once.
    shape = table.default_value.shape
    if shape.rank:
        return writer.add("MutableHashTableOfTensorsV2", name=name, value_shape=shape, **attrs)[0]
    return writer.add("MutableHashTableV2", name=name, **attrs)[0]


def text_file_of(table: Any) -> TextFileInitializer | None:
    """The initializer of a table from a file; None for other tables."""
    initializer = getattr(table, "_initializer", None)
    return initializer if isinstance(initializer, TextFileInitializer) else None


def fill_table(
    writer: GraphWriter, handle: Ref, table: Any, filename: Ref | None = None
) -> list[str]:
    """Adds what fills a table, if anything; the names of nodes.

    Args:
        writer: what nodes are added to.
        handle: the table's node.
        table: the table.
        filename: the tensor with the file to fill it from; None for its current contents.
    """
    initializer = None if filename is None else text_file_of(table)
    if initializer is not None:
        op = "InitializeTableFromTextFileV2"
        name = writer.unique(op)
        attrs = initializer.operation_attributes()
        writer.add(op, handle, filename, name=name, **attrs)
        return [name]
    with eagerly():
        keys, values = table.export()
        if not len(keys):
            return []  # which TensorFlow refuses to add
    # An import into a dense table would replace its slots.
    op = "LookupTableInsertV2" if isinstance(table, DenseHashTable) else "LookupTableImportV2"
    name = writer.unique(op)
    writer.add(op, handle, writer.constant(keys), writer.constant(values), name=name)
    return [name]


def vocabulary_ids(body: Any, table: StaticVocabularyTable, keys: Ref, name: str) -> Sequence[Ref]:
    """Adds the lookup of words in a vocabulary: unknown words are hashed to the ids after it."""
    texts = keys if keys.dtype is dtypes.string else body.add("AsString", keys)[0]
    with eagerly():
        count = len(table.export()[0])
    shared = body.add("StringToHashBucketFast", texts, num_buckets=table.num_oov_buckets)[0]
    shape = keys.shape
    if not count:
        return body.add("Identity", shared, name=name, outputs=[(dtypes.int64, shape)])
    least = body.constant(-1, dtypes.int64)
    outputs = [(dtypes.int64, shape)]
    found = body.add("LookupTableFindV2", body.handle(table), keys, least, outputs=outputs)[0]
    shared = body.add("AddV2", shared, body.constant(count, dtypes.int64))[0]
    known = body.add("GreaterEqual", found, body.constant(0, dtypes.int64))[0]
    return body.add("SelectV2", known, found, shared, name=name, outputs=outputs)

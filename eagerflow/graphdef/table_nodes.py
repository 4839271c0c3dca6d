"""Tables as nodes of a GraphDef."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.func_graph import eagerly
from eagerflow.graphdef.writer import GraphWriter, Ref


def table_handle(writer: GraphWriter, table: Any) -> Ref:
    """Adds a table."""
    name = writer.unique("hash_table")
    return writer.add(
        "HashTableV2", name=name, shared_name=f"{name}_{id(table)}", key_dtype=table.key_dtype,
        value_dtype=table.value_dtype,
    )[0]  # fmt: skip


def fill_table(writer: GraphWriter, handle: Ref, table: Any) -> str:
    """Adds what fills a table with what it holds now; the node's name."""
    with eagerly():
        keys, values = table.export()
    name = writer.unique("LookupTableImportV2")
    writer.add(
        "LookupTableImportV2", handle, writer.constant(keys), writer.constant(values), name=name
    )
    return name

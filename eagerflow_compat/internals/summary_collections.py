"""tensorflow.python.ops.summary_op_util, and training.summary_io: where summaries of graphs are listed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from eagerflow.framework import logging
from eagerflow.graph.defaults import add_to_collection
from eagerflow_compat.v1.summary import FileWriterCache as SummaryWriterCache

__all__ = ["SummaryWriterCache", "clean_tag", "collect"]


def collect(val: Any, collections: Iterable[str] | None, default_collections: Any) -> None:
    """Adds a value to collections of the graph.

    Args:
        val: the value.
        collections: their names, or None.
        default_collections: their names if there are none.
    """
    for key in default_collections if collections is None else collections:
        add_to_collection(key, val)


def clean_tag(name: str) -> str:
    """A name of a summary, in which what names of operations cannot have are underscores.

    >>> from eagerflow_compat.internals.summary_collections import clean_tag
    >>> clean_tag("a b/c:d")
    'a_b/c_d'
    """
    if name is None:
        return name
    cleaned = re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    if cleaned != name:
        logging.info(f"Summary name {name} is illegal; using {cleaned} instead.")
    return cleaned

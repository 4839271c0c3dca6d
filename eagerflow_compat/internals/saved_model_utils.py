"""tensorflow.python.tools.saved_model_utils: what a SavedModel's file has."""

from __future__ import annotations

import os
from typing import Any

from eagerflow.saved_model.loading import read_model
from eagerflow.typing import FilePath
from eagerflow_compat.v1.saved_models import with_tags

__all__ = ["get_meta_graph_def", "get_saved_model_tag_sets", "read_saved_model"]


def read_saved_model(saved_model_dir: FilePath) -> Any:
    """The SavedModel message of a folder.

    Raises:
        OSError: if it has none.
    """
    return read_model(os.fsdecode(saved_model_dir))


def get_saved_model_tag_sets(saved_model_dir: FilePath) -> list[list[str]]:
    """The tags of each graph of a SavedModel, sorted."""
    model = read_saved_model(saved_model_dir)
    return sorted(sorted(graph.meta_info_def.tags) for graph in model.meta_graphs)


def get_meta_graph_def(saved_model_dir: FilePath, tag_set: str) -> Any:
    """The MetaGraphDef message of the graph that has exactly some tags.

    Args:
        saved_model_dir: the folder.
        tag_set: the tags, with commas between them.

    Raises:
        RuntimeError: if there is no such graph.
    """
    return with_tags(read_saved_model(saved_model_dir), set(tag_set.split(",")))

"""tensorflow.python.saved_model.load and loader_impl: what another Keras reads of SavedModels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from eagerflow.framework import context
from eagerflow.graph.graph import Graph
from eagerflow.io.os_errors import path_text
from eagerflow.saved_model import constants
from eagerflow.saved_model.loading import load, load_partial, read_model
from eagerflow.typing import FilePath
from eagerflow_compat.v1 import saved_models

__all__ = [
    "SavedModelLoader",
    "_get_main_op_tensor",
    "get_asset_tensors",
    "load",
    "load_partial",
    "parse_saved_model",
]


def parse_saved_model(export_dir: object) -> object:
    """The SavedModel message of a folder.

    Raises:
        OSError: if there is none.
        tf.errors.DataLossError: if it is damaged.
    """
    return read_model(path_text(export_dir), True)


def get_asset_tensors(
    export_dir: FilePath, meta_graph_def_to_load: Any, import_scope: str | None = None
) -> dict[str, bytes]:
    """The files of a SavedModel's graph by the names of the tensors that name them.

    Args:
        export_dir: the folder.
        meta_graph_def_to_load: the MetaGraphDef message.
        import_scope: what the names get before them.
    """
    prefix = f"{import_scope}/" if import_scope else ""
    files = saved_models.assets(path_text(export_dir), meta_graph_def_to_load)
    return {prefix + name: os.fsencode(path) for name, path in files.items()}


def _get_main_op_tensor(
    meta_graph_def_to_load: Any, init_op_key: str = constants.MAIN_OP_KEY
) -> Any:
    """The operation of the current graph that a loader runs; None if there is none.

    Raises:
        RuntimeError: if there are several.
    """
    collections = meta_graph_def_to_load.collection_def
    if init_op_key not in collections:
        return None
    names = collections[init_op_key].node_list.value
    if len(names) != 1:
        raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(names)}.")
    return context.default_graph().as_graph_element(names[0])


class SavedModelLoader:
    """Loads a SavedModel into sessions, in steps.

    Args:
        export_dir: the folder.

    Raises:
        OSError: if there is no SavedModel.
    """

    def __init__(self, export_dir: FilePath) -> None:
        self.export_dir = path_text(export_dir)
        self.variables_path = constants.variables_prefix(self.export_dir)
        self.saved_model: Any = parse_saved_model(export_dir)

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> Any:
        """The MetaGraphDef message of the graph that has exactly some tags.

        Raises:
            RuntimeError: if there is no such graph.
        """
        return saved_models.with_tags(self.saved_model, _set(tags))

    def load_graph(
        self, graph: Graph, tags: Iterable[str], import_scope: str | None = None, **kwargs: Any
    ) -> tuple[Any, None]:
        """Adds a graph of the SavedModel to another, and returns its saver.

        Args:
            graph: the graph that it is added to.
            tags: the tags of the graph, all of them.
            import_scope: what the names get before them.
            **kwargs: those of `tf.compat.v1.train.Saver`.
        """
        message = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return saved_models.add_graph(self.export_dir, message, import_scope, **kwargs), None

    def restore_variables(self, sess: Any, saver: Any, import_scope: str | None = None) -> None:
        """Gives a session the variables' values; none if `saver` is None."""
        saved_models.restore(sess, saver, self.export_dir)

    def run_init_ops(self, sess: Any, tags: Iterable[str], import_scope: str | None = None) -> None:
        """Runs what the SavedModel says must run first."""
        saved_models.initialize(sess, self.get_meta_graph_def_from_tags(tags), import_scope)

    def load(
        self, sess: Any, tags: Iterable[str], import_scope: str | None = None, **kwargs: Any
    ) -> Any:
        """Does all of it: see `tf.compat.v1.saved_model.load`."""
        return saved_models.load(sess, tags, self.export_dir, import_scope, **kwargs)


def _set(tags: str | Iterable[str]) -> set[str]:
    return {tags} if isinstance(tags, str) else set(tags)

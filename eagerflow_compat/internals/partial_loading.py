"""tensorflow.python.saved_model.load and loader_impl: what another Keras reads of SavedModels."""

from __future__ import annotations

from eagerflow.io.os_errors import path_text
from eagerflow.saved_model.loading import load, load_partial, read_model

__all__ = ["load", "load_partial", "parse_saved_model"]


def parse_saved_model(export_dir: object) -> object:
    """The SavedModel message of a folder.

    Raises:
        OSError: if there is none.
        tf.errors.DataLossError: if it is damaged.
    """
    return read_model(path_text(export_dir), True)

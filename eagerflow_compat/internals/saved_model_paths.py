"""tensorflow.python.saved_model.path_helpers: where the parts of a SavedModel are."""

from __future__ import annotations

import os
from typing import Any

from eagerflow.io.os_errors import path_text
from eagerflow.saved_model import constants

__all__ = ["get_assets_dir", "get_variables_dir", "get_variables_path"]


def get_variables_dir(export_dir: Any) -> str:
    """The folder of a SavedModel's checkpoint."""
    return os.path.join(path_text(export_dir), constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir: Any) -> str:
    """What the names of the checkpoint's files begin with."""
    return constants.variables_prefix(path_text(export_dir))


def get_assets_dir(export_dir: Any) -> str:
    """The folder of a SavedModel's other files."""
    return os.path.join(path_text(export_dir), constants.ASSETS_DIRECTORY)

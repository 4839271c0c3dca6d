"""Options of SavedModels, accepted for compatibility."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes


class SaveOptions:
    """Options of `tf.saved_model.save`; none has an effect here.

    Args:
        **options: those of TensorFlow, kept as attributes.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable(2.0)
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder, options=tf.saved_model.SaveOptions())
    >>> float(tf.saved_model.load(folder).v)
    2.0
    """

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
        allowed_operations: names of operations that may run although they reach files, such as
            "ReadFile"; by default none. docs/files.md lists them.
        **options: those of TensorFlow, kept as attributes, without effect.
    """

    def __init__(self, allowed_operations: Iterable[str] = (), **options: Any) -> None:
        self.allowed_operations = tuple(allowed_operations)
        vars(self).update(options)


class Asset:
    """A file that belongs to a model. Operations take it as a tensor, the file's path.

    Args:
        path: the file: text, a path object, or a string tensor.

    >>> tf.saved_model.Asset("words.txt").asset_path.numpy()
    b'words.txt'
    """

    def __init__(self, path: Any) -> None:
        path = os.fspath(path) if isinstance(path, os.PathLike) else path
        self.asset_path = _core.convert(path, dtypes.string, None)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> _core.Tensor:
        return _core.convert(self.asset_path, dtype, None)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}

"""Options of SavedModels, most of them accepted for compatibility."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes


class SaveOptions:
    """Options of `tf.saved_model.save`, kept as attributes.

    Args:
        namespace_whitelist: ignored: an operation of another package cannot be saved.
        function_aliases: functions by further names, under which `LoadOptions` can load them.
        experimental_debug_stripper: ignored, like all that follow but `experimental_custom_gradients`.
        experimental_io_device: see above.
        experimental_variable_policy: see above.
        experimental_custom_gradients: whether the gradients of `tf.custom_gradient` are saved.
        experimental_image_format: see above.
        experimental_skip_saver: see above.
        experimental_sharding_callback: see above.
        extra_tags: see above.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable(2.0)
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder, options=tf.saved_model.SaveOptions())
    >>> float(tf.saved_model.load(folder).v)
    2.0
    """

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.namespace_whitelist = list(namespace_whitelist or ())
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
        allow_partial_checkpoint: ignored, like the next three.
        experimental_io_device: see above.
        experimental_skip_checkpoint: see above.
        experimental_variable_policy: see above.
        experimental_load_function_aliases: whether what is loaded gets an attribute
            `function_aliases`, a dictionary of the functions that `SaveOptions` named.
        allowed_operations: names of operations that may run although they reach files, such as
            "ReadFile"; by default none. docs/files.md lists them.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
        *,
        allowed_operations: Iterable[str] = (),
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.allowed_operations = tuple(allowed_operations)


class Asset:
    """A file that belongs to a model. It converts to a tensor with the file's path.

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

"""tf.train.Checkpoint: what an object and those below it hold, in files and back."""

from __future__ import annotations

import os
from typing import Any

from eagerflow import dtypes
from eagerflow.checkpoint import trackable
from eagerflow.checkpoint.restoring import PENDING, LoadStatus, restore_objects, settle
from eagerflow.checkpoint.saving import save_objects
from eagerflow.checkpoint.state import CheckpointState, write_state
from eagerflow.io.os_errors import path_text
from eagerflow.variable import Variable


class CheckpointOptions:
    """Options of `Checkpoint`; accepted for compatibility.

    Args:
        experimental_io_device: ignored, as all further ones are: files are written by this process.
        experimental_enable_async_checkpoint: see above.
        experimental_write_callbacks: functions that are called with the path after each write.
        enable_async: see above.
        experimental_sharding_callback: see above.
        experimental_skip_slot_variables: see above.
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_sharding_callback: Any = None,
        experimental_skip_slot_variables: bool = False,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.enable_async = enable_async
        self.experimental_write_callbacks = list(experimental_write_callbacks or ())
        self.experimental_sharding_callback = experimental_sharding_callback
        self.experimental_skip_slot_variables = experimental_skip_slot_variables


class Checkpoint:
    """Saves and restores the variables of objects, found by the names of attributes.

    The files are TensorFlow's: a checkpoint written here loads there, and the reverse. Objects that
    are made only after `restore`, such as the weights of a layer that was not called yet, get their
    values when they are made.

    Args:
        root: an object whose own attributes are saved as if they were this one's.
        **kwargs: objects by name: variables, modules, models, optimizers, random generators,
            iterators of datasets, and lists, tuples and dictionaries of them.

    Raises:
        ValueError: if an object cannot be saved, or a name is not free.

    >>> import tempfile
    >>> step = tf.Variable(3)
    >>> path = tf.train.Checkpoint(step=step).save(tempfile.mkdtemp() + "/model")
    >>> fresh = tf.Variable(0)
    >>> status = tf.train.Checkpoint(step=fresh).restore(path)
    >>> status.assert_consumed() is status, int(fresh)
    (True, 3)
    """

    _root: Any
    _save_counter: Variable | None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        object.__setattr__(self, "_save_counter", None)
        object.__setattr__(self, "_root", root)
        if root is not None and not trackable.is_trackable(root):
            _check_trackable("root", root)
        known = {} if root is None else trackable.children(root)
        for name, value in sorted(kwargs.items()):
            if value is None:
                continue
            if name in ("save_counter", "save", "restore", "read", "write"):
                raise ValueError(f"Checkpoint needs the name {name!r} for itself.")
            if name in known and known[name] is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
                    "exists."
                )
            _check_trackable(name, value)
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if PENDING in self.__dict__:
            settle(self)

    def _checkpoint_children(self) -> dict[str, Any]:
        found = {} if self._root is None else dict(trackable.children(self._root))
        for name, value in vars(self).items():
            if name not in ("_root", "_save_counter", PENDING) and _savable(value):
                found[name] = value
        if self._save_counter is not None:
            found["save_counter"] = self._save_counter
        return found

    def _checkpoint_values(self) -> dict[str, Any]:
        return {} if self._root is None else trackable.values(self._root)

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called: an int64 variable, which numbers the checkpoints."""
        if self._save_counter is None:
            counter = Variable(0, dtype=dtypes.int64, trainable=False, name="save_counter")
            self._save_counter = counter
        return self._save_counter

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Saves with a number after the name, and notes it in the folder's `checkpoint` file.

        Args:
            file_prefix: a path; the files will be called `PREFIX-1.index` and so on.
            options: `CheckpointOptions`.

        Returns:
            The path with its number, for `restore`.
        """
        self.save_counter.assign_add(1)
        path = f"{path_text(file_prefix)}-{int(self.save_counter)}"
        self.write(path, options)
        folder = os.path.dirname(path)
        write_state(folder, CheckpointState(path, [path]))
        return path

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Saves under exactly this path; no number, no note in the folder.

        Returns:
            The path.
        """
        path = path_text(file_prefix)
        save_objects(self, path)
        for callback in getattr(options, "experimental_write_callbacks", ()):
            callback(path)
        return path

    def restore(self, save_path: Any, options: Any = None) -> LoadStatus:
        """Assigns saved values to the objects, now or as soon as they are made.

        Args:
            save_path: what `save` returned or `tf.train.latest_checkpoint` finds; None does nothing.
            options: `CheckpointOptions`.

        Returns:
            A status with `assert_consumed`, `assert_existing_objects_matched`,
            `assert_nontrivial_match` and `expect_partial`.

        Raises:
            tf.errors.NotFoundError: if there is no such checkpoint.
            tf.errors.DataLossError: if it is damaged.
            ValueError: if shapes or dtypes do not fit; it names all that do not, and none changes.
        """
        if save_path is None:
            return LoadStatus(None, self)
        _ = self.save_counter
        return restore_objects(self, _prefix(save_path))

    def read(self, save_path: Any, options: Any = None) -> LoadStatus:
        """As `restore`, for what `write` has written: there is no counter to restore."""
        return restore_objects(self, _prefix(save_path))

    def sync(self) -> None:
        """Waits until everything is written, which it already is."""


def _prefix(path: Any) -> str:
    text = path_text(path)
    return text[: -len(".index")] if text.endswith(".index") else text


def _savable(value: Any) -> bool:
    return trackable.is_trackable(value) or isinstance(value, (list, tuple, dict))


def _check_trackable(name: str, value: Any) -> None:
    if not _savable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value!r}. Variables, modules, layers, models, optimizers and iterators "
            "are, and lists, tuples and dictionaries of them; put a number into a tf.Variable."
        )

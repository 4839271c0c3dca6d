"""tf.train.Checkpoint: saves and restores the values of an object and its children."""

from __future__ import annotations

import copy
import inspect
import os
import weakref
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint import trackable
from eagerflow.checkpoint.restoring import PENDING, LoadStatus, restore_objects
from eagerflow.checkpoint.saving import save_objects
from eagerflow.checkpoint.state import CheckpointState, write_state
from eagerflow.framework import context, dtypes
from eagerflow.framework.tracked_containers import wrapped
from eagerflow.framework.variable import Variable
from eagerflow.io.os_errors import path_text
from eagerflow.typing import FilePath


class CheckpointOptions:
    """Options of `Checkpoint`; accepted for compatibility.

    Args:
        experimental_io_device: ignored, like all further options: this process writes the files.
        experimental_enable_async_checkpoint: see above.
        experimental_write_callbacks: functions that are called after each write, with the path if
            they take an argument.
        enable_async: see above.
        experimental_skip_slot_variables: see above.
        experimental_sharding_callback: see above.

    Raises:
        TypeError: if a callback cannot be called.
        AssertionError: if a callback takes more than one argument.
    """

    __slots__ = (
        "enable_async",
        "experimental_enable_async_checkpoint",
        "experimental_io_device",
        "experimental_sharding_callback",
        "experimental_skip_slot_variables",
        "experimental_write_callbacks",
    )

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.enable_async = enable_async
        for callback in experimental_write_callbacks or ():
            _arguments_of(callback)
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_sharding_callback = experimental_sharding_callback
        self.experimental_skip_slot_variables = experimental_skip_slot_variables

    def __copy__(self) -> CheckpointOptions:
        copied = CheckpointOptions()
        for name in self.__slots__:
            setattr(copied, name, getattr(self, name))
        # The copies have separate lists of callbacks.
        copied.experimental_write_callbacks = copy.copy(self.experimental_write_callbacks)
        return copied


def _arguments_of(callback: object) -> int:
    """The number of arguments of a write callback: none, or the path.

    Raises:
        TypeError: if it cannot be called.
        AssertionError: if it takes more.
    """
    if not callable(callback):
        raise TypeError(f"{callback} is not a callable object")
    count = len(inspect.signature(callback).parameters)
    if count > 1:
        raise AssertionError(
            f"The write callback {callback} takes {count} arguments. It must take none, or one: the "
            "path of the checkpoint."
        )
    return count


class Checkpoint:
    """Saves and restores the variables of objects by the names of attributes.

    The format is TensorFlow's: each library loads the other's checkpoints. Objects that
    are made only after `restore`, such as the weights of a layer that was not called yet, get their
    values when they are made.

    Args:
        root: an object whose attributes are saved as attributes of the checkpoint.
        **kwargs: objects by name: variables, modules, models, optimizers, random generators,
            iterators of datasets, and lists, tuples and dictionaries of them.

    Objects may be passed as weak references (`weakref.ref`), which do not keep them; saving and
    restoring them when they are gone is an AssertionError.

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

    _given_root: Any  # the object, or a weak reference to it
    _save_counter: Variable | None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        object.__setattr__(self, "_save_counter", None)
        object.__setattr__(self, "_given_root", root)
        if isinstance(root, weakref.ref):
            root = root()
            _check_trackable("root", root)
        elif root is not None and not trackable.is_trackable(root):
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
            _check_trackable(name, value() if isinstance(value, weakref.ref) else value)
            setattr(self, name, value)

    @property
    def _root(self) -> Any:
        return _referred("root", self._given_root)

    _same_node = _root

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, wrapped(value))
        if PENDING in self.__dict__:
            self.__dict__[PENDING].settle(self)

    def _checkpoint_children(self) -> dict[str, Any]:
        children = {} if self._root is None else dict(trackable.children(self._root))
        for name, value in vars(self).items():
            if name in ("_given_root", "_save_counter", PENDING):
                continue
            item = _referred(name, value)
            if _savable(item):
                children[name] = item
        if self._save_counter is not None:
            children["save_counter"] = self._save_counter
        return children

    def _checkpoint_values(self) -> dict[str, Any]:
        return {} if self._root is None else trackable.values(self._root)

    def _checkpoint_slots(self) -> list[tuple[Any, str, Any]]:
        return [] if self._root is None else trackable.slots(self._root)

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called: an int64 variable, which the names of checkpoints contain."""
        if self._save_counter is None:
            counter = Variable(0, dtype=dtypes.int64, trainable=False, name="save_counter")
            self._save_counter = counter
        return self._save_counter

    def save(self, file_prefix: FilePath, options: object = None) -> str:
        """Saves with a counter after the name, and notes it in the folder's `checkpoint` file.

        Args:
            file_prefix: a path; the files will be called `PREFIX-1.index` and so on.
            options: `CheckpointOptions`.

        Returns:
            The path with its number, for `restore`.
        """
        path = f"{_written_prefix(file_prefix)}-{self._count()}"
        self.write(path, options)
        folder = os.path.dirname(path)
        write_state(folder, CheckpointState(path, [path]))
        return path

    def _count(self) -> int:
        """The counter of this call of `save`."""
        graph = context.building_graph()
        if graph is None:
            self.save_counter.assign_add(1)
            return int(self.save_counter)
        if self._save_counter is None:
            graph.run_in_session(self.save_counter.initializer)
        return int(graph.run_in_session(self.save_counter.assign_add(1)))

    def write(self, file_prefix: Any, options: object = None) -> str:
        """Saves under exactly this path, without a counter and without a note in the folder.

        Args:
            file_prefix: the path: text, bytes, a path object, or a tensor of one string.
            options: `CheckpointOptions`.

        Returns:
            The path.
        """
        path = _written_prefix(file_prefix)
        save_objects(self, path)
        for callback in getattr(options, "experimental_write_callbacks", None) or ():
            callback(*[path][: _arguments_of(callback)])
        return path

    def restore(self, save_path: Any, options: object = None) -> LoadStatus:
        """Assigns saved values to the objects, now or as soon as they are made.

        Args:
            save_path: what `save` returned or `tf.train.latest_checkpoint` finds; None does nothing.
            options: `CheckpointOptions`.

        Returns:
            A status with `assert_consumed`, `assert_existing_objects_matched`,
            `assert_nontrivial_match` and `expect_partial`; where sessions hold values, these are assigned
            by its `initialize_or_restore` or `run_restore_ops`.

        Raises:
            tf.errors.NotFoundError: if there is no such checkpoint.
            tf.errors.DataLossError: if it is damaged.
            ValueError: if shapes or dtypes do not fit; it names all that do not, and none changes.
        """
        if save_path is None:
            return LoadStatus(None, self)
        _ = self.save_counter
        return restore_objects(self, _prefix(save_path))

    def read(self, save_path: str, options: object = None) -> LoadStatus:
        """As `restore`, for files of `write`, which have no counter."""
        return restore_objects(self, _prefix(save_path))

    def sync(self) -> None:
        """Waits until everything is written, which it already is."""


def _prefix(path: FilePath) -> str:
    text = path_text(path)
    return text[: -len(".index")] if text.endswith(".index") else text


def _written_prefix(path: FilePath) -> str:
    """A prefix to write to, which may be a tensor of one string."""
    return path_text(path.numpy() if isinstance(path, _core.Tensor) else path)


def _referred(name: str, value: object) -> Any:
    """An object, for itself or for a weak reference to it.

    Raises:
        AssertionError: if it is gone.
    """
    if not isinstance(value, weakref.ref):
        return value
    item = value()
    if item is None:
        raise AssertionError(
            f"The object {name!r} of a Checkpoint, which was passed as a weak reference, has been deleted. "
            "Keep a reference to it for as long as it is to be saved and restored."
        )
    return item


def _savable(value: object) -> bool:
    return trackable.is_trackable(value) or isinstance(value, (list, tuple, dict))


def _check_trackable(name: str, value: object) -> None:
    if not _savable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value!r}. Variables, modules, layers, models, optimizers and iterators "
            "are, and lists, tuples and dictionaries of them; put a number into a tf.Variable."
        )

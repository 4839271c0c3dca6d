"""Inspection of checkpoints (names, shapes, values), and iteration over new ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import errors
from eagerflow.checkpoint.bundle import BundleReader, index_path
from eagerflow.checkpoint.restoring import Restoration
from eagerflow.checkpoint.saving import GRAPH_KEY
from eagerflow.checkpoint.state import latest_checkpoint
from eagerflow.checkpoint.trackable import children, walk
from eagerflow.io.os_errors import path_text
from eagerflow.typing import FilePath

# Names in TensorFlow's messages of dtypes that have other names in programs.
_OTHER_KINDS = {"float16": "HALF", "float32": "FLOAT", "float64": "DOUBLE"}


class CheckpointReader:
    """Reads the tensors of a checkpoint by name; made by `tf.train.load_checkpoint`."""

    def __init__(self, prefix: str) -> None:
        self._reader = BundleReader(prefix)

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._reader

    def get_tensor(self, tensor_str: str) -> Any:
        """A tensor's value as a NumPy array (bytes for a single string)."""
        return self._reader.read(tensor_str).numpy()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor by name."""
        return {name: list(entry.shape) for name, entry in self._reader.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """The dtype of each tensor by name."""
        return {name: entry.dtype for name, entry in self._reader.entries.items()}

    def debug_string(self) -> bytes:
        """A line for each tensor: name, dtype and shape."""
        lines = []
        for name, entry in sorted(self._reader.entries.items()):
            kind = _OTHER_KINDS.get(entry.dtype.name, entry.dtype.name.upper())
            lines.append(f"{name} (DT_{kind}) [{','.join(map(str, entry.shape))}]\n")
        return "".join(lines).encode()


def _resolved(ckpt_dir_or_file: FilePath) -> str:
    path = path_text(ckpt_dir_or_file)
    if not os.path.isdir(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return latest


def load_checkpoint(ckpt_dir_or_file: FilePath) -> CheckpointReader:
    """A reader of a checkpoint's tensors.

    Args:
        ckpt_dir_or_file: a checkpoint's path without suffixes, or a folder, for its newest checkpoint.

    Raises:
        ValueError: if the folder has none.
        tf.errors.NotFoundError: if there is no such checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/a")
    >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    return CheckpointReader(_resolved(ckpt_dir_or_file))


def NewCheckpointReader(filepattern: FilePath) -> CheckpointReader:
    """A reader of a checkpoint's tensors, by the checkpoint's path without endings.

    Args:
        filepattern: the path of a checkpoint, not of a folder.

    Raises:
        tf.errors.NotFoundError: if there is no such checkpoint.
        tf.errors.DataLossError: if it is a folder, or damaged.
    """
    path = path_text(filepattern)
    if os.path.isdir(path) and not os.path.exists(index_path(path)):
        raise errors.DataLossError._of(
            f"Unable to open table file {path}: it is a folder. Name the checkpoint in it, as "
            "`tf.train.latest_checkpoint` does."
        )
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: FilePath) -> list[tuple[str, list[int]]]:
    """Name and shape of each tensor in a checkpoint, sorted by name.

    Args:
        ckpt_dir_or_file: as in `tf.train.load_checkpoint`.
    """
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())


def load_variable(ckpt_dir_or_file: FilePath, name: str) -> Any:
    """The value of one tensor in a checkpoint, as a NumPy array.

    Args:
        ckpt_dir_or_file: as in `tf.train.load_checkpoint`.
        name: the tensor's name; a `:0` at its end is ignored.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def checkpoints_iterator(
    checkpoint_dir: FilePath,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields each new checkpoint of a folder.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least number of seconds between two checkpoints.
        timeout: the number of seconds to wait for a checkpoint; None waits forever.
        timeout_fn: called after a timeout: True ends the iteration, False waits again.
    """
    seen = None
    while True:
        started = time.monotonic()
        latest = latest_checkpoint(checkpoint_dir)
        while latest is None or latest == seen:
            if timeout is not None and time.monotonic() - started > timeout:
                if timeout_fn is None or timeout_fn():
                    return
                started = time.monotonic()
            time.sleep(0.05)
            latest = latest_checkpoint(checkpoint_dir)
        seen = latest
        yielded = time.monotonic()
        yield latest
        time.sleep(max(0.0, yielded + min_interval_secs - time.monotonic()))


class TrackableView:
    """An object and its children.

    Args:
        root: the object to look at.
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object looked at."""
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: object) -> dict[str, Any]:
        """The trackable objects that belong to `obj`, by name."""
        return children(obj)

    def descendants(self) -> list[Any]:
        """The root and all objects below it, nearest first."""
        return [item for item, _ in walk(self._root)]


class CheckpointView:
    """The objects in a checkpoint, without the program's objects.

    Args:
        save_path: the path of the checkpoint.

    Raises:
        tf.errors.NotFoundError: if there is none, or it has no graph of objects.
    """

    def __init__(self, save_path: str, options: Any = None) -> None:
        reader = BundleReader(save_path)
        if GRAPH_KEY not in reader:
            raise errors.NotFoundError._of(
                f'The specified checkpoint "{save_path}" has no graph of objects.'
            )
        self._nodes = Restoration(reader).graph.nodes

    def children(self, node_id: int) -> dict[str, int]:
        """The nodes below a node, by name."""
        return {child.local_name: child.node_id for child in self._nodes[node_id].children}

    def descendants(self) -> list[int]:
        """All nodes, nearest to the root first."""
        return list(self._walk())

    def _walk(self) -> dict[int, str]:
        paths = {0: ""}
        queue = [0]
        for node in queue:
            for name, child in self.children(node).items():
                if child not in paths:
                    paths[child] = f"{paths[node]}/{name}".lstrip("/")
                    queue.append(child)
        return paths

    def match(self, obj: object) -> dict[int, Any]:
        """The object below `obj` for each node."""
        matches = {0: obj}
        queue = [0]
        for node in queue:
            names = self.children(node)
            for name, child in children(matches[node]).items():
                if name in names and names[name] not in matches:
                    matches[names[name]] = child
                    queue.append(names[name])
        return matches

    def diff(self, obj: object) -> tuple[list[Any], list[int], dict[int, Any]]:
        """Objects without nodes, nodes without objects, and matching objects by node."""
        matches = self.match(obj)
        known = {id(item) for item in matches.values()}
        lost = [item for item in TrackableView(obj).descendants() if id(item) not in known]
        return lost, [node for node in self.descendants() if node not in matches], matches

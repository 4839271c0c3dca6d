"""Helpers of version 1's tests: derivatives of graphs, stand-ins for attributes, and folders."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from typing import Any

import numpy as np

from eagerflow.graph.gradients import gradients
from eagerflow.graph.session import BaseSession, get_default_session
from eagerflow.typing import TensorLike

__all__ = [
    "StubOutForTesting",
    "compute_gradient",
    "compute_gradient_error",
    "get_temp_dir",
    "test_src_dir_path",
]


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: TensorLike,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """The derivatives of a tensor of a graph by another, from gradients and from differences.

    It needs a default session.

    Args:
        x: a tensor or a variable, or a list of them.
        x_shape: its shape, or a list of shapes.
        y: a tensor that depends on it.
        y_shape: its shape.
        x_init_value: where to differentiate; random values by default.
        delta: the step of the differences.
        init_targets: operations to run first.
        extra_feed_dict: values for placeholders.

    Returns:
        Two matrices of shape `[x.size, y.size]`, or for a list a pair of them for each `x`.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session():
    ...     x = tf.constant([1.0, 2.0])
    ...     by_gradients, _ = v1.test.compute_gradient(x, [2], x * x, [2], np.float32([1, 2]))
    >>> by_gradients.tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    session = get_default_session()
    for target in init_targets or ():
        session.run(target)
    several = isinstance(x, list | tuple)
    inputs, shapes = (list(x), list(x_shape)) if several else ([x], [x_shape])
    given = x_init_value if several and x_init_value is not None else [x_init_value] * len(inputs)
    feeds = dict(extra_feed_dict or {})
    values = [
        _start(each, shape, value) for each, shape, value in zip(inputs, shapes, given, strict=True)
    ]
    # Variables are fed too, by the tensor that reads them.
    feeds.update(zip(inputs, values, strict=True))
    found = [
        (
            _by_gradients(session, each, y, y_shape, feeds),
            _by_differences(session, each, y, y_shape, feeds, delta),
        )
        for each in inputs
    ]
    return found if several else found[0]


def _start(x: Any, shape: Any, value: Any) -> np.ndarray:
    if value is None:
        value = np.random.default_rng(0).random(list(shape))
    return np.array(value, x.dtype.as_numpy_dtype).reshape(list(shape))


def _by_gradients(session: Any, x: TensorLike, y: Any, y_shape: Any, feeds: Any) -> np.ndarray:
    count = int(np.prod(list(y_shape)))
    kind = y.dtype.as_numpy_dtype
    rows = [
        gradients(y, x, np.eye(count, dtype=kind)[k].reshape(list(y_shape)))[0]
        for k in range(count)
    ]
    columns = [
        np.zeros(feeds[x].size, kind) if row is None else np.ravel(session.run(row, feeds))
        for row in rows
    ]
    return np.stack(columns, 1) if columns else np.zeros([feeds[x].size, 0], kind)


def _by_differences(
    session: BaseSession, x: TensorLike, y: Any, y_shape: Any, feeds: Any, delta: float
) -> np.ndarray:
    start, rows = feeds[x], []
    for k in range(start.size):
        sides = []
        for step in (delta, -delta):
            moved = start.copy()
            moved.flat[k] += step
            sides.append(np.ravel(session.run(y, {**feeds, x: moved})).astype(np.float64))
        rows.append((sides[0] - sides[1]) / (2 * delta))
    kind = y.dtype.as_numpy_dtype
    return np.array(rows, kind).reshape(start.size, int(np.prod(list(y_shape))))


@functools.wraps(compute_gradient, assigned=("__annotations__",))
def compute_gradient_error(*args: Any, **kwargs: Any) -> float:
    """The largest difference of the two matrices that `compute_gradient` returns."""
    found = compute_gradient(*args, **kwargs)
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.abs(a - b).max(initial=0)) for a, b in pairs), default=0.0)


class StubOutForTesting:
    """Replaces attributes of objects, and puts them back.

    >>> class Settings:
    ...     depth = 1
    >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
    ...     stubs.Set(Settings, "depth", 2)
    ...     Settings.depth
    2
    >>> Settings.depth
    1
    """

    def __init__(self) -> None:
        self._replaced: list[tuple[object, str, object]] = []
        self._smartly: list[tuple[object, str, object]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *error: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts everything back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent: object, child_name: str, new_child: object) -> None:
        """Replaces an attribute, until `UnsetAll`."""
        old = vars(parent).get(child_name, getattr(parent, child_name))
        self._replaced.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Undoes `Set`, the last first."""
        self._undo(self._replaced)

    def SmartSet(self, obj: object, attr_name: str, new_attr: object) -> None:
        """Replaces an attribute where the object, or the class that has it, keeps it.

        Raises:
            AttributeError: if there is no such attribute.
        """
        getattr(obj, attr_name)
        owners = [obj, *(obj if isinstance(obj, type) else type(obj)).__mro__]
        owner = next(each for each in owners if attr_name in vars(each))
        self._smartly.append((owner, attr_name, vars(owner)[attr_name]))
        setattr(owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Undoes `SmartSet`, the last first."""
        self._undo(self._smartly)

    @staticmethod
    def _undo(changes: list[tuple[object, str, object]]) -> None:
        while changes:
            setattr(*changes.pop())


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory()


def get_temp_dir() -> str:
    """A folder for the files of this process's tests, which is deleted at its end."""
    return _temporary_folder().name


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file beside the program that runs."""
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)

"""The global step: a variable that counts training steps."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from eagerflow.framework import context, dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.defaults import name_scope
from eagerflow.graph.variables import make_variable


def get_global_step(graph: Any = None) -> Any:
    """The global step, or None if there is none yet.

    Raises:
        TypeError: if it is no integer scalar.
    """
    graph = graph or context.default_graph()
    steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if not steps:  # Programs may make one without its collection.
        name = f"{GraphKeys.GLOBAL_STEP}:0"
        steps = [v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == name]
    if not steps:
        return None
    assert_global_step(steps[0])
    return steps[0]


def create_global_step(graph: Any = None) -> Any:
    """Makes the global step.

    Raises:
        ValueError: if there is one.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


def get_or_create_global_step(graph: Any = None) -> Any:
    """The global step, created at the first access.

    >>> int(tf.compat.v1.train.get_or_create_global_step()) >= 0
    True
    """
    step = get_global_step(graph)
    if step is not None:
        return step
    with nullcontext() if graph is None else graph.as_default(), name_scope(None):
        step = make_variable(0, dtype=dtypes.int64, trainable=False, name=GraphKeys.GLOBAL_STEP)
        context.default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, step)
    return step


def assert_global_step(global_step_tensor: Any) -> None:
    """Checks that a variable or tensor can be a global step.

    Raises:
        TypeError: if it is no integer scalar.
    """
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    if tuple(global_step_tensor.shape) != ():
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step, in a session or eagerly."""
    if sess is not None:
        return int(sess.run(global_step_tensor))
    return int(global_step_tensor)

"""tensorflow.python.ops.resources: what a graph has registered that has to be created first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.ops.control_flow import group
from eagerflow.ops.conversion import constant
from eagerflow.ops.indexing import boolean_mask

__all__ = [
    "initialize_resources",
    "local_resources",
    "register_resource",
    "report_uninitialized_resources",
    "shared_resources",
]


class _Resource(NamedTuple):
    """A registered resource, what creates it, and what tells whether it exists."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Adds a resource to the collection of those that all workers share, or to that of local ones."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    resource = _Resource(handle, create_op, is_initialized_op)
    context.default_graph().add_to_collection(key, resource)


def shared_resources() -> list[Any]:
    """The resources of the graph that workers share."""
    return context.default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of the graph that belong to a session."""
    return context.default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Any:
    """The operation that creates resources."""
    return group(*(resource.create for resource in resource_list), name=name)


def report_uninitialized_resources(
    resource_list: Sequence[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Any:
    """A tensor with the names of those resources that do not exist yet.

    Args:
        resource_list: the resources; by default all of the graph.
        name: the tensor's name.
    """
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    if not resource_list:
        return constant([], dtypes.string)
    names = _core.as_tensor([resource.handle.name for resource in resource_list])
    missing = _core.ops.logical_not(
        _core.ops.stack([resource.is_initialized for resource in resource_list])
    )
    return boolean_mask(names, missing, name=name)

"""Saving objects to a bundle: each value under the path to its object, and the graph of objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint.bundle import write_bundle
from eagerflow.checkpoint.trackable import add_slots, children, is_trackable, values, walk
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.trackable import ValueParts
from eagerflow.framework.tracked_containers import TrackableDataStructure
from eagerflow.protos.checkpoint import MESSAGES

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def attribute_key(path: str, attribute: str) -> str:
    """Under which name the bundle has a value of the object at a path."""
    return f"{path}/.ATTRIBUTES/{attribute}" if path else f".ATTRIBUTES/{attribute}"


def object_graph(
    root: object, children: Callable[[Any], dict[str, Any]] = children
) -> tuple[Any, dict[str, Any]]:
    """The TrackableObjectGraph message of all that belongs to `root`, and the values by key.

    Args:
        root: the first object.
        children: returns the children of an object, by name.

    Raises:
        ValueError: if a dictionary has objects under keys that are no strings.
    """
    objects = list(walk(root, children))
    slot_nodes = add_slots(objects)
    node_of = {id(item): k for k, (item, _) in enumerate(objects)}

    graph = MESSAGES["TrackableObjectGraph"]()
    tensors: dict[str, Any] = {}
    for item, path in objects:
        _require_names(item, path)
        if isinstance(item, TrackableDataStructure):
            item.require_savable()
        node = graph.nodes.add()
        for name, child in children(item).items():
            node.children.add(node_id=node_of[id(child)], local_name=name)
        for attribute, value in values(item).items():
            key = attribute_key(path, attribute)
            if isinstance(value, ValueParts):
                tensors |= {key + suffix: tensor for suffix, tensor in value.get().items()}
            else:
                tensors[key] = value.get()
            node.attributes.add(name=attribute, full_name=value.full_name, checkpoint_key=key)
        node.has_checkpoint_values.value = bool(node.attributes)
    for owner, original, name, slot in slot_nodes:
        graph.nodes[owner].slot_variables.add(
            original_variable_node_id=original,
            slot_name=name,
            slot_variable_node_id=node_of[id(slot)],
        )
    _mark_values(graph)
    return graph, tensors


def _require_names(item: object, path: str) -> None:
    """Raises for a dictionary with objects whose keys cannot be names."""
    if isinstance(item, Mapping):
        for key, child in item.items():
            if not isinstance(key, str) and is_trackable(child):
                raise ValueError(
                    f"Unable to save the object {item} at {path or 'the root'}: the dictionary "
                    f"contains a non-string key, {key!r}, which maps to a trackable object. Use "
                    "strings as keys."
                )


def _mark_values(graph: Any) -> None:
    """Notes of every node whether there are values below it."""
    parents: dict[int, list[int]] = {}
    for k, node in enumerate(graph.nodes):
        for child in node.children:
            parents.setdefault(child.node_id, []).append(k)
    marked = [k for k, node in enumerate(graph.nodes) if node.has_checkpoint_values.value]
    for k in marked:
        for parent in parents.get(k, ()):
            if not graph.nodes[parent].has_checkpoint_values.value:
                graph.nodes[parent].has_checkpoint_values.value = True
                marked.append(parent)


def _in_session(tensors: dict[str, Any]) -> dict[str, Any]:
    """The values that tensors of a graph have in the session of objects."""
    if not tensors:
        return {}
    fetched = list(tensors.values())
    arrays = fetched[0].graph.run_in_session(fetched)
    with context.running_eagerly():
        values = [_core.convert(v, t.dtype, None) for v, t in zip(arrays, fetched, strict=True)]
    return dict(zip(tensors, values, strict=True))


def save_objects(
    root: object, prefix: str, children: Callable[[Any], dict[str, Any]] = children
) -> None:
    """Writes everything that belongs to `root` as a bundle.

    Args:
        root: the first object.
        prefix: the path of the bundle.
        children: see `object_graph`.

    Raises:
        tf.errors.OpError: of the kind that fits, if the files cannot be written.
        ValueError: if a dictionary has objects under keys that are no strings, or sessions hold values
            and there is neither a default session nor Keras's.
    """
    graph, tensors = object_graph(root, children)
    tensors |= _in_session({key: value for key, value in tensors.items() if is_symbolic(value)})
    tensors[GRAPH_KEY] = _core.convert(graph.SerializeToString(), dtypes.string)
    write_bundle(prefix, tensors)

"""tensorflow.python.framework.ops: tensors and the names around them that are not public."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.compat import switches
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import building_graph, default_graph
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import get_current_name_scope
from eagerflow.framework.name_scope import name_scope as name_scope_v2
from eagerflow.framework.operation import Operation
from eagerflow.framework.tensor import Tensor, is_tensor, value_text
from eagerflow.graph import defaults
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow_compat.internals import context as runtime

__all__ = [
    "EagerTensor",
    "Operation",
    "SymbolicTensor",
    "Tensor",
    "_get_graph_from_inputs",
    "convert_n_to_tensor",
    "convert_to_tensor_or_composite",
    "convert_to_tensor_or_indexed_slices",
    "dismantle_graph",
    "enable_eager_execution_internal",
    "get_from_proto_function",
    "get_name_scope",
    "get_to_proto_function",
    "has_default_graph",
    "internal_convert_to_tensor",
    "is_dense_tensor_like",
    "is_symbolic_tensor",
    "name_from_scope_name",
    "name_scope",
    "name_scope_v2",
    "numpy_text",
    "prepend_name_scope",
    "register_proto_function",
    "strip_name_scope",
    "uid",
]


def enable_eager_execution_internal(
    config: object = None,
    device_policy: object = None,
    execution_mode: object = None,
    server_def: object = None,
) -> None:
    """Switches to eager execution, and lets devices be configured again.

    Programs call it after `context._context = None`, by which TensorFlow forgets its devices.
    """
    switches.enable_eager_execution(config, device_policy, execution_mode)
    runtime._reset_context()


NullContextmanager = contextlib.nullcontext
get_name_scope = get_current_name_scope
is_dense_tensor_like = is_tensor
EagerTensor = _core.EagerTensor
SymbolicTensor = _core.SymbolicTensor
_numbers = itertools.count(1)


def internal_convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    **kwargs: object,
) -> Any:
    """The value as a tensor, with the parameters of TensorFlow's own conversion."""
    return convert_to_tensor(value, dtype, preferred_dtype, name)


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether a value is a tensor of a graph."""
    return isinstance(tensor, SymbolicTensor)


def uid() -> int:
    """A number that no other call has returned."""
    return next(_numbers)


def numpy_text(tensor: object, is_repr: bool = False) -> str:
    """The value of a tensor as text."""
    return value_text(tensor, is_repr)


def has_default_graph() -> bool:
    """Whether there is a graph that operations could be added to."""
    return default_graph() is not None


def name_scope(
    name: str | None,
    default_name: str | None = None,
    values: object = None,
    skip_on_eager: bool = True,
) -> contextlib.AbstractContextManager[str | None]:
    """Version 1's scope in graphs; none for eager tensors, unless that is asked for.

    Args:
        name: one more part of the prefix.
        default_name: is used if `name` is None.
        values: accepted.
        skip_on_eager: whether eager operations have no scope.
    """
    if building_graph() is None and skip_on_eager:
        return contextlib.nullcontext()
    return defaults.name_scope(name, default_name, values)


def graph_of_inputs(op_input_list: Sequence[Any], graph: Any = None) -> Any:
    """The graph that tensors, operations and variables are of.

    Args:
        op_input_list: the values; those that are of no graph do not count.
        graph: the graph that they must be of; by default the one of the first.

    Returns:
        The graph; the one that is being built, or the default one, where no value is of a graph.

    Raises:
        ValueError: if the values are of different graphs.
    """
    required, first = graph, None
    for value in op_input_list:
        of_value = getattr(value, "graph", None) if not isinstance(value, EagerTensor) else None
        if of_value is None:
            continue
        if graph is None:
            graph, first = of_value, value
        elif of_value is not graph:
            where = "the passed-in graph" if required is not None else f"the graph of {first!r}"
            raise ValueError(f"{value!r} is not from {where}: all must be from the same graph.")
    return defaults.get_default_graph() if graph is None else graph


_get_graph_from_inputs = graph_of_inputs


def convert_n_to_tensor(values: Sequence[Any], dtype: Any = None, **kwargs: object) -> list[Any]:
    """Each of the values as a tensor."""
    return [convert_to_tensor(value, dtype) for value in values]


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The value, if it is made of tensors, else a tensor."""
    if isinstance(value, CompositeTensor | IndexedSlices):
        return value
    return convert_to_tensor(value, dtype, name=name)


convert_to_tensor_or_indexed_slices = convert_to_tensor_or_composite


def name_from_scope_name(name: str) -> str:
    """The name of a scope without the slash at its end."""
    return name.removesuffix("/")


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name within a scope."""
    return f"{import_scope.removesuffix('/')}/{name}" if import_scope else name


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name without the scope that it begins with."""
    return name.removeprefix(f"{export_scope.removesuffix('/')}/") if export_scope else name


def dismantle_graph(graph: Any) -> None:
    """Does nothing: graphs are freed when nothing refers to them."""


# What packages have registered for the members of collections.
_proto_functions: dict[str, tuple[Any, Any, Any]] = {}


def register_proto_function(
    collection_name: str, proto_type: Any = None, to_proto: Any = None, from_proto: Any = None
) -> None:
    """Notes how a package writes the members of a collection. Files have variables in any case.

    Args:
        collection_name: the name of the collection.
        proto_type: the class of the messages.
        to_proto: returns the message of a member.
        from_proto: returns the member of a message.
    """
    _proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def get_to_proto_function(collection_name: str) -> Any:
    """The function that returns the message of a member of a collection, or None."""
    return _proto_functions.get(collection_name, (None, None, None))[1]


def get_from_proto_function(collection_name: str) -> Any:
    """The function that returns the member of a message, or None."""
    return _proto_functions.get(collection_name, (None, None, None))[2]

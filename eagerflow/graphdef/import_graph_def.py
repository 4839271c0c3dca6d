"""tf.import_graph_def: the nodes of a GraphDef in the graph that is being built."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.framework.func_graph import dims_of
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.operation import Operation, operation_of
from eagerflow.graphdef.attributes import value_of
from eagerflow.graphdef.importing import Builder, refused
from eagerflow.graphdef.made_tables import table_of
from eagerflow.protos.graph import MESSAGES

if TYPE_CHECKING:
    from eagerflow.protos.graph import GraphDef, NodeDef

Tensor = _core.Tensor


def import_graph_def(
    graph_def: GraphDef,
    input_map: Mapping[str, object] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the graph that is being built.

    Args:
        graph_def: a GraphDef message, ours or of another package.
        input_map: tensors that replace tensors of the message, by their names in it.
        return_elements: names of its operations ("node") or tensors ("node:0").
        name: a prefix for the names; "import" by default, and none if it is empty.
        op_dict: accepted, like `producer_op_list`, without effect.
        producer_op_list: see above.

    Returns:
        The operations and tensors that `return_elements` names; None without it.

    Raises:
        RuntimeError: if no graph is being built.
        ValueError: if a name is not in the graph.
        tf.errors.InvalidArgumentError: if the message is no graph that can be built.
        tf.errors.UnimplementedError: if a returned element needs an operation that is missing
            here.

    >>> @tf.function
    ... def double(x):
    ...     return x * 2.0
    >>> message = double.get_concrete_function(tf.TensorSpec([], tf.float32)).graph.as_graph_def()
    >>> @tf.function
    ... def imported(y):
    ...     return tf.import_graph_def(message, {"x:0": y}, ["Identity:0"])
    >>> imported(tf.constant(4.0))[0].numpy()
    np.float32(8.0)
    """
    graph = _core.building()
    if graph is None:
        raise RuntimeError(
            "tf.import_graph_def adds nodes to a graph, and none is being built. Call it in a "
            "function that tf.function or tf.compat.v1.wrap_function traces."
        )
    message = own_message(graph_def, "GraphDef")
    prefix = "import/" if name is None else f"{name.rstrip('/')}/" if name else ""
    if prefix and not graph.building_function and not (name or "").endswith("/"):
        prefix = graph.unique_name(prefix[:-1]) + "/"
    given = {
        (key if ":" in key else f"{key}:0"): _core.as_tensor(value)
        for key, value in (input_map or {}).items()
    }
    found = add_nodes(
        Builder(message.library.function, size=len(message.node), keeps_messages=True),
        message,
        prefix,
        given,
    )
    graph.imported_functions = (*graph.imported_functions, *message.library.function)
    missing = [key for key in given if key.rpartition(":")[0] not in found]
    if missing:
        raise ValueError(
            f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing)}]"
        )
    if return_elements is None:
        return None
    return [_element(found, element) for element in return_elements]


def add_nodes(
    builder: Builder, message: Any, prefix: str, given: Mapping[str, object]
) -> dict[str, list[Any]]:
    """Adds the nodes of a GraphDef to the graph that is being built; their results by name.

    Args:
        builder: builds them.
        message: the GraphDef message.
        prefix: what names of nodes begin with.
        given: values that replace tensors, by name and index, as "x:0".
    """
    graph = _core.building()

    def placeholder(key: str, dtype: Any, shape: Any) -> Tensor:
        return graph.placeholder(dtype, dims_of(shape), prefix + key)

    if graph.building_function:
        found = builder.graph(message.node, given, placeholder, prefix=prefix)
    else:
        if builder.resource is None:
            builder.resource = Resources(graph, prefix)
        with name_scope(prefix.rstrip("/")):
            found = builder.graph(message.node, given, _fed, prefix=prefix)
    graph.imported = {
        **(graph.imported or {}),
        **{prefix + key: values for key, values in found.items()},
    }
    return found


class Resources:
    """Creates the variables and tables of an imported graph in a program's graph.

    Args:
        graph: the graph.
        prefix: what their names begin with.
        trainable: the names of the variables that optimizers change by default; None for all.
    """

    def __init__(self, graph: Any, prefix: str, trainable: Container[str] | None = None) -> None:
        self._graph = graph
        self._prefix = prefix
        self._trainable = trainable
        self._found: dict[str, Any] = {}

    def of(self, node: Any) -> Any:
        """The variable of a node, which may not have been built."""
        names = {"dtype": "type", "shape": "shape"}
        return self(node, {key: value_of(node.attr[key], names[key]) for key in names})

    def __call__(self, node: Any, attrs: dict[str, Any]) -> Any:
        """The object of a node; nodes that share a name share it."""
        key = node.attr["shared_name"].s.decode() or node.name
        if key not in self._found:
            self._found[key] = self._make(node, attrs)
        return self._found[key]

    def _make(self, node: NodeDef, attrs: Mapping[str, object]) -> Any:
        if "key_dtype" in attrs:
            return table_of(attrs)
        trainable = self._trainable is None or node.name in self._trainable
        return self._graph.declare_variable(
            self._prefix + node.name, attrs["dtype"], attrs["shape"], trainable
        )


def _fed(name: str, dtype: Any, shape: Any) -> Tensor:
    """A placeholder of a program's graph."""
    return _core.building().feed_node(dtype, dims_of(shape), name)


def _element(found: dict[str, list[Any]], element: str) -> Tensor | Operation:
    key, colon, index = element.partition(":")
    if key not in found or int(index or 0) >= max(len(found[key]), 1):
        raise ValueError(f"Requested return_element '{element}' not found in graph_def.")
    value = found[key][int(index or 0)]
    if not isinstance(value, Tensor):
        raise value.error
    return value if colon else operation_of(value)


def own_message(message: Any, name: str, messages: Any = MESSAGES) -> Any:
    """Converts another package's message to our class, by its bytes.

    Raises:
        InvalidArgumentError: if it is none of that kind.
    """
    kind = messages[name]
    if isinstance(message, kind):
        return message
    serialized = getattr(message, "SerializeToString", None)
    content = serialized() if serialized is not None else message
    if not isinstance(content, bytes):
        raise TypeError(f"Argument `graph_def` must be a {name} proto. Received: {message!r}")
    try:
        return kind.FromString(content)
    except Exception as error:  # protobuf's DecodeError, whose package is imported late
        raise refused(f"The bytes are no {name} message: {error}") from error

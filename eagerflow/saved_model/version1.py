"""SavedModels of version 1: a graph with signatures, and variables by name."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint.bundle import BundleReader, index_path
from eagerflow.errors import NotFoundError
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import FuncGraph, dims_of, eagerly
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.functions import trace_types, tracing
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function_type import KEYWORD_ONLY, FunctionType, Parameter
from eagerflow.graphdef import attributes
from eagerflow.graphdef.importing import Builder, describing, refused
from eagerflow.graphdef.made_tables import table_of
from eagerflow.saved_model import constants
from eagerflow.saved_model.loaded_objects import LoadedObject

# The collections with the operations to run before signatures.
_INITIALIZERS = (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY)


def load(folder: str, meta_graph: Any, allowed: Iterable[str]) -> Version1Object:
    """An object with the signatures and variables of a graph."""
    with describing(f"The graph of {folder}"):
        graph = Version1Graph(folder, meta_graph, allowed)
        graph.initialize(meta_graph.collection_def)
        variables = graph.all_variables()
    signatures = Signatures(graph, meta_graph.signature_def)
    root = Version1Object(graph)
    vars(root).update(graph_def=meta_graph.graph_def, signatures=signatures, variables=variables)
    return root


class Version1Object(LoadedObject):
    """A SavedModel of version 1: signatures, variables and a graph; `prune` returns parts of it.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Version1Graph) -> None:
        super().__init__()
        self._graph = graph

    @functools.cached_property
    def _whole(self) -> ConcreteFunction:
        return self._graph.whole()

    @property
    def graph(self) -> FuncGraph:
        """The graph, with its operations and tensors by name; variables are not among them."""
        return self._whole.graph

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: object = None
    ) -> Any:
        """The part of the graph that computes `fetches` from `feeds`.

        Args:
            feeds: tensors of the graph, or their names: the arguments of the new function.
            fetches: a structure of tensors of the graph, or of their names: its result.
            name: its name.
            input_signature: ignored.

        Raises:
            UnliftableError: if a fetched tensor needs an input of the graph that is not fed.
            KeyError: if the graph has no such tensor.
        """
        return self._whole.prune(feeds, fetches, name)


class Version1Graph:
    """A graph whose parts become functions.

    Args:
        folder: the SavedModel's.
        meta_graph: the MetaGraphDef message.
        allowed: operations that may run although they reach files.
    """

    def __init__(self, folder: str, meta_graph: Any, allowed: Iterable[str]) -> None:
        message = meta_graph.graph_def
        self._nodes = message.node
        self._builder = Builder(message.library.function, self._resource, len(self._nodes), allowed)
        assets = os.path.join(folder, constants.ASSETS_DIRECTORY)
        self._assets = {
            asset.tensor_info.name: os.path.join(assets, os.path.basename(asset.filename))
            for asset in meta_graph.asset_file_def
        }
        self._builder.files = frozenset(self._assets.values())
        prefix = constants.variables_prefix(folder)
        self._reader = BundleReader(prefix) if os.path.exists(index_path(prefix)) else None
        trainable = meta_graph.collection_def.get("trainable_variables")
        texts = trainable.bytes_list.value if trainable is not None else ()
        self._trainable = b"\n".join(texts)
        self._resources: dict[str, Any] = {}

    def all_variables(self) -> list[Any]:
        """The variables of the graph."""
        for node in self._nodes:
            if node.op in ("VarHandleOp", "VariableV2", "Variable"):
                attrs = {"dtype": attributes.value_of(node.attr["dtype"], "type")}
                self._resource(node, attrs)
        return [value for value in self._resources.values() if isinstance(value, Variable)]

    def _resource(self, node: Any, attrs: Mapping[str, object]) -> Any:
        name = node.attr["shared_name"].s.decode() or node.name
        if name not in self._resources:
            with eagerly():
                self._resources[name] = self._make(node, name, attrs)
        return self._resources[name]

    def _make(self, node: Any, name: str, attrs: Mapping[str, object]) -> Any:
        if "key_dtype" in node.attr:
            return table_of(attrs)
        if self._reader is None or name not in self._reader:
            raise NotFoundError._of(f"There is no value for variable '{name}'.")
        trainable = name.encode() in self._trainable
        return Variable(self._reader.read(name), trainable=trainable, name=name)

    def initialize(self, collections: Mapping[str, Any]) -> None:
        """Runs the graph's initializers, which fill tables."""
        names = [
            text.partition(":")[0]
            for key in _INITIALIZERS
            if key in collections
            for text in collections[key].node_list.value
        ]
        if names:
            graph = FuncGraph("initialize")
            with graph.as_default():
                self._tensors(names, {})
                graph.finish([])
            graph.run([])

    def whole(self) -> ConcreteFunction:
        """All of the graph as a function without results."""
        graph = FuncGraph("graph")

        def placeholder(key: str, dtype: dtypes.DType, shape: Any) -> _core.Tensor:
            return graph.placeholder(dtype, dims_of(shape), key)

        with graph.as_default(), describing("The graph"):
            files = {key: dtypes_string(path) for key, path in self._assets.items()}
            graph.imported = self._builder.graph(self._nodes, files, placeholder, prefix="")
            graph.finish([])
        output = trace_types.from_value(None, TracingContext())
        return ConcreteFunction(graph, FunctionType([], graph.capture_types, output), graph.name)

    def _tensors(self, names: Iterable[str], inputs: Mapping[str, object]) -> dict[str, list[Any]]:
        def placeholder(key: str, dtype: dtypes.DType, shape: Any) -> Any:
            raise refused(f"Placeholder '{key}' is needed, and is no input of the signature.")

        files = {key: dtypes_string(path) for key, path in self._assets.items()}
        return self._builder.graph(self._nodes, {**files, **inputs}, placeholder, names)

    def function(self, name: str, signature: Any) -> ConcreteFunction:
        """A signature as a function."""
        context = TracingContext()
        graph = FuncGraph(f"signature_wrapper_{name}")
        parameters, placeholders = [], {}
        with graph.as_default():
            for key, info in sorted(signature.inputs.items()):
                dtype, shape = dtypes.as_dtype(info.dtype), attributes.shape_of(info.tensor_shape)
                placeholders[_tensor_name(info)] = graph.placeholder(dtype, dims_of(shape), key)
                parameters.append(
                    Parameter(
                        tracing.valid_name(key), KEYWORD_ONLY, False,
                        trace_types.from_value(TensorSpec(shape, dtype, key), context),
                    )
                )  # fmt: skip
            wanted = {key: _tensor_name(info) for key, info in signature.outputs.items()}
            tensors = self._tensors(
                {text.rpartition(":")[0] for text in wanted.values()}, placeholders
            )
            result = {}
            for key, text in sorted(wanted.items()):
                node, _, index = text.rpartition(":")
                if node not in tensors or int(index) >= len(tensors[node]):
                    raise refused(
                        f"Signature '{name}' returns '{text}', which is not in the graph."
                    )
                result[key] = tensors[node][int(index)]
            output, outputs = tracing.flatten_result(result, graph, name, named=False)
            graph.finish(outputs)
        return ConcreteFunction(
            graph, FunctionType(parameters, graph.capture_types, output), graph.name
        )


def dtypes_string(text: str) -> _core.Tensor:
    """A scalar string of the graph that is being built."""
    return _core.convert(text, dtypes.string, None)


def _tensor_name(info: Any) -> str:
    return info.name if ":" in info.name else f"{info.name}:0"


class Signatures(Mapping[str, ConcreteFunction]):
    """Signatures by name; each is built on first use.

    Args:
        graph: what builds them.
        messages: SignatureDef messages by name.
    """

    def __init__(self, graph: Version1Graph, messages: Mapping[str, Any]) -> None:
        self._graph = graph
        # This entry names the initializer.
        self._messages = {key: messages[key] for key in messages if key != "__saved_model_init_op"}
        self._built: dict[str, ConcreteFunction] = {}

    def __getitem__(self, key: str) -> ConcreteFunction:
        if key not in self._built:
            with describing(f"Signature '{key}'"):
                self._built[key] = self._graph.function(key, self._messages[key])
        return self._built[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)})"

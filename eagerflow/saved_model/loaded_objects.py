"""The objects of a SavedModel with functions: variables, tables, assets, functions, what holds them."""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.checkpoint import trackable
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.module import Module
from eagerflow.framework.variable import Variable
from eagerflow.graphdef.custom_gradients import LoadedGradient
from eagerflow.graphdef.importing import Builder, refused
from eagerflow.io.serialization import tensor_of_message
from eagerflow.ops.creation import zeros
from eagerflow.saved_model import constants, structured_values
from eagerflow.saved_model.loaded_functions import LoadedConcrete, LoadedFunction, SignatureMap
from eagerflow.saved_model.options import Asset
from eagerflow.util import lazy

# Imported when they are first used: few files have large variables, tables or optimizers.
mmap = lazy.Module("mmap")
tables = lazy.Module("eagerflow.lookup.tables")
restored = lazy.Module("eagerflow.keras.optimizers.restored")
restored_legacy = lazy.Module("eagerflow.keras.optimizers.restored_legacy")

_WRAPPERS = {"trackable_list_wrapper": list, "trackable_tuple_wrapper": tuple}


class _Found:
    """A property of modules that an attribute of the object replaces."""

    def __init__(self, name: str) -> None:
        self._property = getattr(Module, name)

    def __get__(self, instance: object, owner: object = None) -> Any:
        return self if instance is None else self._property.__get__(instance, owner)


class LoadedObject(Module):
    """An object of a SavedModel: its attributes and functions, without the methods of its class."""

    _is_tracked_by_layers = False
    variables: Any = _Found("variables")
    trainable_variables: Any = _Found("trainable_variables")
    non_trainable_variables: Any = _Found("non_trainable_variables")
    submodules: Any = _Found("submodules")


class CallableObject(LoadedObject):
    """An object of a SavedModel that has a function `__call__`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function that was the object's `__call__`."""
        return vars(self)["__call__"](*args, **kwargs)


def holder(objects: Mapping[str, object]) -> Any:
    """The root of objects' paths, or an object with attributes along these paths."""
    if "root" in objects:
        return objects["root"]
    root = LoadedObject()
    for path, value in sorted(objects.items()):
        *parents, name = path.split(".")[1:]
        parent: Any = root
        for part in parents:
            if not hasattr(parent, part):
                vars(parent)[part] = LoadedObject()
            parent = getattr(parent, part)
        if not hasattr(parent, name):
            vars(parent)[name] = value
    return root


# Larger zeros come from the system, which allocates the pages on first use.
_UNTOUCHED_BYTES = 1 << 17


def _untouched_zeros(sizes: list[int], dtype: DType) -> _core.Tensor:
    """Zeros that a checkpoint replaces: they should not need memory in addition."""
    size = math.prod(sizes) * dtype.size
    plain = dtype in (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)
    if not plain or size < _UNTOUCHED_BYTES:
        return zeros(sizes, dtype)
    # Not np.zeros(): after larger arrays, malloc writes zeros into memory that it has.
    private = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
    try:
        pages = mmap.mmap(-1, size, **private)
    except OSError:  # no memory, which is said where tensors are allocated
        return zeros(sizes, dtype)
    values = np.frombuffer(pages, dtype.as_numpy_dtype).reshape(sizes)
    return _core.from_dlpack(values.__dlpack__())


class ObjectLoader:
    """Creates the objects that a graph of a SavedModel describes.

    Args:
        meta_graph: the MetaGraphDef message.
        folder: the SavedModel's.
        stored: how many bytes its variables have.
        allowed: operations that may run although they reach files.
    """

    def __init__(self, meta_graph: Any, folder: str, stored: int, allowed: Iterable[str]) -> None:
        self._graph = meta_graph.object_graph_def
        self._nodes = self._graph.nodes
        self._constants = {node.name: node for node in meta_graph.graph_def.node}
        library = meta_graph.graph_def.library.function
        self._builder = Builder(library, self._no_resource, len(self._constants), allowed)
        assets = os.path.join(folder, constants.ASSETS_DIRECTORY)
        self._assets = [
            os.path.join(assets, os.path.basename(asset.filename))
            for asset in meta_graph.asset_file_def
        ]
        self._builder.files = frozenset(self._assets)
        for message in meta_graph.graph_def.library.registered_gradients:
            gradient = self._gradient(message.gradient_func)
            self._builder.gradients[message.registered_op_type] = gradient
        self._left = stored
        self._made: dict[int, Any] = {}
        self._setters: dict[int, Callable[[Any, str, Any], None]] = {}
        self._concrete: dict[str, LoadedConcrete] = {}

    def load(self) -> LoadedObject:
        """The root of the objects."""
        if not self._nodes:
            return LoadedObject()
        self._load_from([0])
        return self._finished(0)

    def load_parts(self, replacements: Mapping[str, object]) -> dict[str, Any]:
        """Objects and their children, by path.

        Args:
            replacements: for each path, such as `"root.layer.kernel"`, an object that replaces the
                file's, a pair of such an object and of what sets its children, called with the object, a
                name and the child, or None.

        Raises:
            ValueError: if a path has no object.
        """
        numbers = {path: self._number(path) for path in replacements}
        for path, value in replacements.items():
            made, setter = value if isinstance(value, tuple) else (value, setattr)
            if made is not None:
                self._made[numbers[path]] = made
                self._setters[numbers[path]] = setter
        self._load_from(numbers.values())
        return {path: self._finished(number) for path, number in numbers.items()}

    def _number(self, path: str) -> int:
        root, *names = path.split(".")
        number: int | None = 0 if root == "root" and self._nodes else None
        for name in names:
            if number is not None:
                children = self._nodes[number].children
                number = next((c.node_id for c in children if c.local_name == name), None)
        if number is None:
            raise ValueError(
                f"The SavedModel has no object {path!r}. A path is 'root', followed by the names of "
                "attributes with a dot before each."
            )
        return number

    def _load_from(self, starts: Iterable[int]) -> None:
        order = list(self._reachable(starts))
        for number in order:
            self._object(number)
        for number in reversed(order):
            self._connect(number)

    def aliases(self, names: Mapping[str, str]) -> dict[str, LoadedFunction]:
        """Functions by other names.

        Args:
            names: the aliases of concrete functions.
        """
        traces: dict[str, list[LoadedConcrete]] = {}
        for name in sorted(names):
            if name in self._graph.concrete_functions:
                traces.setdefault(names[name], []).append(self._concrete_function(name))
        return {
            alias: LoadedFunction(alias, concrete, None, False)
            for alias, concrete in traces.items()
        }

    def initialize(self) -> None:
        """Initializes tables, including the program's if their initializer is the file's."""
        for number in sorted(self._made):
            if number in self._setters:
                own = getattr(self._made[number], "_initialize", None)
                if not isinstance(own, LoadedFunction):
                    continue
            node = self._nodes[number]
            names = {child.local_name: child.node_id for child in node.children}
            if node.WhichOneof("kind") == "resource" and "_initialize" in names:
                function = self._nodes[names["_initialize"]].function.concrete_functions
                for name in function[:1]:
                    self._run(name)

    def _run(self, name: str) -> _core.Tensor | None:
        """The first result of a function without arguments."""
        graph = FuncGraph("initialize")
        with graph.as_default():
            graph.finish(self._builder.call(name, self._bound(name))[:1])
        return next(iter(graph.run([])), None)

    def optimizer(self, number: int) -> Any:
        """The optimizer that a node describes, by its variables."""
        node = self._nodes[number]
        parts = {child.local_name: child.node_id for child in node.children}
        if node.user_object.identifier == constants.LEGACY_OPTIMIZER:
            return restored_legacy.RestoredLegacyOptimizer(
                {name: self._object(part) for name, part in parts.items()},
                [
                    (
                        self._object(slot.original_variable_node_id),
                        slot.slot_name,
                        self._object(slot.slot_variable_node_id),
                    )
                    for slot in node.slot_variables
                ],
            )
        listed = {c.local_name: c.node_id for c in self._nodes[parts["_variables"]].children}
        rate = parts.get("_learning_rate")
        return restored.RestoredOptimizer(
            [self._object(listed[key]) for key in sorted(listed, key=int)],
            self._object(parts["_iterations"]),
            None if rate is None else self._object(rate),
        )

    def adopt(self, root: object) -> None:
        """Uses the children of an object that was created from its configuration for the file's nodes."""
        queue = [(0, root)]
        self._made.setdefault(0, root)
        for number, item in queue:
            own = trackable.children(item)
            for child in self._nodes[number].children:
                if child.local_name in own and child.node_id not in self._made:
                    self._made[child.node_id] = own[child.local_name]
                    queue.append((child.node_id, own[child.local_name]))

    def _reachable(self, starts: Iterable[int]) -> Iterable[int]:
        queue = list(dict.fromkeys(starts))
        seen = set(queue)
        for number in queue:
            yield number
            for child in self._nodes[number].children:
                if not 0 <= child.node_id < len(self._nodes):
                    raise IndexError(f"there is no object {child.node_id}")
                if child.node_id not in seen:
                    seen.add(child.node_id)
                    queue.append(child.node_id)

    def _object(self, number: int) -> Any:
        if not 0 <= number < len(self._nodes):
            raise IndexError(f"there is no object {number}")
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> Any:
        node = self._nodes[number]
        kind = node.WhichOneof("kind")
        if kind == "variable":
            return self._variable(node.variable)
        if kind == "function":
            message = node.function
            spec = message.function_spec
            parameters = structured_values.read(spec.fullargspec)
            traces = [self._concrete_function(name) for name in message.concrete_functions]
            has_spec = isinstance(parameters, inspect.FullArgSpec)
            name = message.concrete_functions[0] if traces else "function"
            signature = structured_values.read(spec.input_signature)
            return LoadedFunction(
                name, traces, parameters if has_spec else None, spec.is_method, signature
            )
        if kind == "bare_concrete_function":
            made = self._concrete_function(node.bare_concrete_function.concrete_function_name)
            made.keywords = list(node.bare_concrete_function.argument_keywords)
            return made
        if kind == "asset":
            return Asset(self._assets[node.asset.asset_file_def_index])
        if kind == "constant":
            constant = self._constants[node.constant.operation]
            return tensor_of_message(constant.attr["value"].tensor)
        if kind == "captured_tensor":
            return node.captured_tensor.name
        if kind == "resource":
            return self._table(node)
        if kind != "user_object":
            return None
        identifier = node.user_object.identifier
        if identifier in _WRAPPERS:
            return []
        if identifier in constants.OPTIMIZERS:
            return self.optimizer(number)
        if "dict" in identifier or identifier == "signature_map":
            return {}
        called = any(child.local_name == "__call__" for child in node.children)
        return CallableObject() if called else LoadedObject()

    def _connect(self, number: int) -> None:
        """Sets an object's attributes, elements or items."""
        node, made = self._nodes[number], self._made[number]
        parts = {child.local_name: child.node_id for child in node.children}
        if number in self._setters:
            for key, part in parts.items():
                self._setters[number](made, key, self._finished(part))
        elif isinstance(made, list):
            made.extend(self._finished(parts[key]) for key in sorted(parts, key=int))
        elif isinstance(made, dict):
            made.update({key: self._finished(part) for key, part in parts.items()})
            if node.user_object.identifier == "signature_map":
                if not all(isinstance(value, LoadedConcrete) for value in made.values()):
                    raise ValueError("one of its signatures is no function")
                self._made[number] = SignatureMap(made)
        elif isinstance(made, LoadedObject):
            vars(made).update(
                {key: self._finished(part) for key, part in parts.items() if key != "signatures"}
            )
            if "signatures" in parts:
                vars(made)["signatures"] = self._finished(parts["signatures"])
            elif number == 0:
                vars(made)["signatures"] = SignatureMap({})

    def _finished(self, number: int) -> Any:
        node, made = self._nodes[number], self._made[number]
        if node.user_object.identifier == "trackable_tuple_wrapper" and isinstance(made, list):
            return tuple(made)
        return made

    def _variable(self, message: Any) -> Variable:
        dtype = dtypes.as_dtype(message.dtype)
        sizes = [dim.size for dim in message.shape.dim]
        width = 1 if dtype is dtypes.string else dtype.size
        # Unknown sizes are -1; the checkpoint has those of the value.
        least = [0 if size == -1 else size for size in sizes]
        self._left -= math.prod(least) * width
        if self._left < 0 or any(size < 0 for size in least):
            raise ValueError("its variables have more elements than the files have bytes")
        return Variable(
            _untouched_zeros(least, dtype),
            trainable=message.trainable,
            name=message.name or None,
            shape=[None if size == -1 else size for size in sizes],
        )

    def _table(self, node: Any) -> Any:
        """The result of an object's function `_create_resource`: a table, or a plain value."""
        names = {child.local_name: child.node_id for child in node.children}
        creator = self._nodes[names["_create_resource"]].function.concrete_functions[0]
        for made in self._builder.functions[creator].node_def:
            if "key_dtype" in made.attr and "Table" in made.op:
                key, value = (
                    dtypes.as_dtype(made.attr[a].type) for a in ("key_dtype", "value_dtype")
                )
                shape = made.attr["value_shape"].shape if "value_shape" in made.attr else None
                sizes = [] if shape is None else [dim.size for dim in shape.dim]
                if any(size < 0 for size in sizes) or math.prod(sizes) > self._left:
                    raise ValueError("the values of a table have more elements than the files")
                if made.op.startswith("MutableDenseHashTable"):
                    reserved = [self._constant_in(creator, name) for name in made.input[:2]]
                    return tables.DenseHashTable(key, value, zeros(sizes, value), *reserved)
                return tables.MutableHashTable(key, value, zeros(sizes, value))
        return self._run(creator)

    def _constant_in(self, function: str, name: str) -> Any:
        """The value of a constant in a function, by the name of its tensor."""
        wanted = name.partition(":")[0]
        for node in self._builder.functions[function].node_def:
            if node.name == wanted and node.op == "Const":
                return tensor_of_message(node.attr["value"].tensor)
        raise ValueError(f"'{name}' in '{function}' is no constant")

    @staticmethod
    def _no_resource(node: Any, attrs: Mapping[str, object]) -> Any:
        raise refused(f"Node '{node.name}' ({node.op}) makes a resource in a function.")

    def _concrete_function(self, name: str) -> LoadedConcrete:
        if name not in self._concrete:
            message = self._graph.concrete_functions[name]
            args, kwargs = structured_values.read(message.canonicalized_input_signature)
            output = structured_values.read(message.output_signature)
            self._concrete[name] = LoadedConcrete(
                self._builder, name, (tuple(args), dict(kwargs)), output, lambda: self._bound(name)
            )
        return self._concrete[name]

    def _gradient(self, name: str) -> LoadedGradient:
        """The function of a custom gradient."""
        output = self._graph.concrete_functions[name].output_signature
        specs: Any = structured_values.read(output)
        if not isinstance(specs, list | tuple):
            specs = [specs]
        return LoadedGradient(name, lambda: self._bound(name), [spec is not None for spec in specs])

    def _bound(self, name: str) -> list[Any]:
        """The variables and tensors that follow a function's arguments."""
        values = []
        for number in self._graph.concrete_functions[name].bound_inputs:
            value = self._object(number)
            if isinstance(value, Asset):
                value = value.asset_path
            values.append(value)
        return values

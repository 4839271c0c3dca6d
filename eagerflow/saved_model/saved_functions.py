"""The functions of a program's objects as a SavedModel has them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from eagerflow import _core, errors, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function import Function, function
from eagerflow.functions.function_type import KEYWORD_ONLY, named_result
from eagerflow.graphdef.exporting import Exporter, used_variables
from eagerflow.saved_model import structured_values
from eagerflow.saved_model.loaded_functions import LoadedConcrete, LoadedFunction

Tensor = _core.Tensor

FUNCTIONS = Function | ConcreteFunction | LoadedFunction | LoadedConcrete


def functions_of(item: object, of_class: bool = False) -> dict[str, Any]:
    """The Functions and concrete functions that are attributes of an object, by name.

    Args:
        item: the object.
        of_class: whether only its methods count.
    """
    if isinstance(item, _core.Variable):
        return {}
    if isinstance(item, list | tuple | Mapping):
        return {key: value for key, value in _parts(item) if isinstance(value, FUNCTIONS)}
    named = {}
    for kind in reversed(type(item).__mro__):
        for name, value in vars(kind).items():
            # A subclass may override the name by another kind of attribute.
            if isinstance(value, Function):
                bound = getattr(item, name)
                if isinstance(bound, Function):
                    named[name] = bound
    own = {} if of_class else getattr(item, "__dict__", {})
    named.update({key: value for key, value in own.items() if isinstance(value, FUNCTIONS)})
    return named


def holders_of_functions(item: object) -> dict[str, Any]:
    """The lists, tuples and dictionaries of an object that have functions in them, by name."""
    return {key: value for key, value in _parts(item) if _holds_functions(value)}


def _holds_functions(value: object) -> bool:
    return isinstance(value, list | tuple | Mapping) and any(
        isinstance(part, FUNCTIONS) or _holds_functions(part) for _, part in _parts(value)
    )


def _parts(item: Any) -> list[tuple[str, Any]]:
    """The elements, items or attributes of an object, by names."""
    if isinstance(item, list | tuple):
        return [(str(k), value) for k, value in enumerate(item)]
    members = item if isinstance(item, Mapping) else getattr(item, "__dict__", {})
    return [(key, value) for key, value in members.items() if isinstance(key, str)]


def concrete_functions_of(value: Any) -> list[ConcreteFunction]:
    """The existing concrete functions of a function; traces one with a signature."""
    if isinstance(value, ConcreteFunction):
        return [value]
    if isinstance(value, LoadedConcrete):
        return [value.built(value.keywords)]
    if isinstance(value, LoadedFunction):
        return value.concrete_functions
    return value._list_all_concrete_functions_for_serialization()


def is_untraced(value: object) -> bool:
    """Whether `concrete_functions_of` is going to trace a function."""
    return (
        isinstance(value, Function)
        and value.input_signature is not None
        and not value._list_all_concrete_functions()
    )


def written_functions_of(value: Any) -> list[ConcreteFunction]:
    """The concrete functions of a function as programs without replicas have them."""
    traces = concrete_functions_of(value)
    return [
        concrete if _uses_first_copies(concrete) else _anew(value, concrete) for concrete in traces
    ]


def _uses_first_copies(concrete: ConcreteFunction) -> bool:
    """Whether a function uses only the first replica's copies of distributed variables."""
    for item in used_variables(concrete.graph):
        container = getattr(item, "_distributed_container", None)
        if container is not None and container()._copies[0] is not item:
            return False
    return True


# By function of all replicas: its new trace for the first replica.
_FOR_ONE: WeakKeyDictionary[ConcreteFunction, ConcreteFunction] = WeakKeyDictionary()


def _anew(value: object, concrete: ConcreteFunction) -> ConcreteFunction:
    """Traces a function of all replicas for the first replica only."""
    if concrete not in _FOR_ONE:
        traced = value._traced_anew(concrete) if isinstance(value, Function) else concrete
        if not _uses_first_copies(traced):
            raise errors.UnimplementedError._of(
                f"{concrete.name.decode()} was traced for all replicas, or calls a tf.function that "
                "was, and uses their copies of a variable, which a SavedModel has once. Save before "
                "it is called, or give a tf.function that calls Python functions."
            )
        _FOR_ONE[concrete] = traced
    return _FOR_ONE[concrete]


class FunctionWriter:
    """Adds functions to the graph and to the objects of a SavedModel.

    Args:
        objects: the SavedObjectGraph message.
        exporter: collects the functions' graphs.
        numbers: the node ids of variables and tables, by Python `id`.
    """

    def __init__(self, objects: Any, exporter: Exporter, numbers: dict[int, int]) -> None:
        self._objects = objects
        self._exporter = exporter
        self._numbers = numbers
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []

    def add(self, node: Any, value: Any, is_method: bool = False) -> None:
        """Describes a function by a node.

        Args:
            node: the SavedObject message.
            value: the function.
            is_method: whether readers expect an object before the parameters.

        Raises:
            UnimplementedError: if one of its operations cannot be exported.
            AssertionError: if it uses a variable that is not an attribute of a saved object.
        """
        traces = written_functions_of(value)
        if isinstance(value, ConcreteFunction | LoadedConcrete):
            bare = node.bare_concrete_function
            bare.concrete_function_name = self.concrete(traces[0])
            bare.argument_keywords.extend(traces[0]._arg_keywords)
            bare.allowed_positional_arguments = len(bare.argument_keywords)
            return
        message = node.function
        for concrete in traces:
            message.concrete_functions.append(self.concrete(concrete))
        spec = _arg_spec(value)
        if is_method:
            spec = spec._replace(args=["self", *spec.args])
            message.function_spec.is_method = True
        structured_values.fill(message.function_spec.fullargspec, spec)
        signature = value.input_signature if isinstance(value, Function) else None
        structured_values.fill(message.function_spec.input_signature, signature)

    def concrete(self, concrete: ConcreteFunction) -> str:
        """The name of a concrete function, which is added."""
        if id(concrete) not in self._names:
            self._kept.append(concrete)
            self._names[id(concrete)] = self._add(concrete)
        return self._names[id(concrete)]

    def _add(self, concrete: ConcreteFunction) -> str:
        graph = concrete.graph
        placeholders = iter(graph.inputs)
        positional: list[Tensor] = []
        named: dict[str, list[Tensor]] = {}
        for name, parameter in concrete.function_type.parameters.items():
            value = parameter.annotation.from_tensors(placeholders)
            leaves = parameter.annotation.to_tensors(value)
            tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            if parameter.kind is KEYWORD_ONLY:
                named[name] = tensors
            else:
                positional += tensors
        arguments = [*positional, *(leaf for name in sorted(named) for leaf in named[name])]
        variables = self._exporter.variables_of(graph)
        name = self._exporter.function(graph, "", arguments, variables)
        if name in self._objects.concrete_functions:  # of another concrete function
            name = self._exporter.function_name(graph.name)
            self._exporter.function(graph, name, arguments, variables)
        signature, output = concrete.structured_input_signature, concrete.function_type.output
        self.describe(name, signature, named_result(output), variables, concrete.name.decode())
        return name

    def describe(self, name: str, signature: Any, output: Any, variables: Any, shown: str) -> None:
        """Adds the description of a function of the library."""
        message = self._objects.concrete_functions[name]
        structured_values.fill(message.canonicalized_input_signature, signature)
        structured_values.fill(message.output_signature, output)
        for item in variables:
            if id(item) not in self._numbers:
                raise AssertionError(
                    f"Tried to export a function which references an 'untracked' resource. "
                    f"TensorFlow objects (e.g. tf.Variable) captured by functions must be 'tracked' "
                    f"by assigning them to an attribute of a tracked object or assigned to an "
                    f"attribute of the main object directly. Function: {shown}, resource: {item!r}"
                )
            message.bound_inputs.append(self._numbers[id(item)])


def _name_of(tensor: Tensor) -> str:
    return tensor.name.rpartition(":")[0]


def _arg_spec(value: Function | LoadedFunction) -> inspect.FullArgSpec:
    """The parameters of a function as `inspect.getfullargspec` has them."""
    spec = value.function_spec.fullargspec
    return inspect.FullArgSpec(
        *spec[:3],
        _writable(spec.defaults),
        spec.kwonlyargs,
        _writable(spec.kwonlydefaults),
        spec.annotations,
    )


def _writable(value: Any) -> Any:
    """A default as a file can hold it, or None."""
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _writable(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_writable, value))
    return value if isinstance(value, bool | int | float | str) else None


def signature_graphs(signatures: object, root_functions: dict[str, Any]) -> dict[str, FuncGraph]:
    """For each signature, the graph of a function of named tensors that returns named tensors.

    Args:
        signatures: a function, or functions by name; None for the only function of the object.
        root_functions: the functions of the object that is saved.

    Raises:
        ValueError: if a signature is not a function, is not traced for one signature, or returns
            anything but tensors.
    """
    if signatures is None:
        signatures = _default_signature(root_functions)
    elif not isinstance(signatures, Mapping):
        signatures = {"serving_default": signatures}
    return {key: _signature_graph(key, value) for key, value in signatures.items()}


def _default_signature(functions: dict[str, Function]) -> dict[str, Any]:
    """The only function of an object with one signature, if it can be a signature."""
    if "_default_save_signature" in functions:
        return {"serving_default": functions["_default_save_signature"]}
    typed = [
        value
        for value in functions.values()
        if isinstance(value, ConcreteFunction)
        or (isinstance(value, Function) and value.input_signature is not None)
    ]
    if len(typed) != 1:
        return {}
    (concrete,) = written_functions_of(typed[0])
    result = concrete.function_type.output.from_tensors(iter(concrete.graph.outputs))
    if result is None:
        return {}
    try:
        _normalized("", result)
    except ValueError:
        return {}
    return {"serving_default": concrete}


def _signature_graph(key: str, value: Any) -> FuncGraph:
    if not isinstance(value, FUNCTIONS):
        if not callable(value):
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {value}. "
                f"Python functions may be decorated with `@tf.function` and passed as signatures "
                f"directly, or created with `f.get_concrete_function`; signature {key!r} is neither."
            )
        value = function(value)
    written = written_functions_of(value)
    if len(written) != 1:
        raise ValueError(
            f"Expected a TensorFlow function for which to generate signature {key!r}, but it has "
            f"{len(written)} traces. Give the @tf.function an input_signature, or pass "
            "f.get_concrete_function(...)."
        )
    concrete = written[0]
    graph = FuncGraph(f"signature_wrapper_{key}")
    with graph.as_default():
        inputs = concrete.graph.inputs
        names = [_name_of(tensor) for tensor in inputs]
        order = sorted(range(len(names)), key=names.__getitem__)
        made = {
            k: graph.placeholder(inputs[k].dtype, dims_of(inputs[k].shape), names[k]) for k in order
        }
        result = concrete.run([made[k] for k in range(len(names))], {})
        result = _normalized(key, result)
        tensors = {
            name: nest.map_structure(_core.ops.identity, result[name], expand_composites=True)
            for name in sorted(result)
        }
        graph.structured_outputs = tensors
        graph.structured_input_signature = (
            (),
            {
                names[k]: TensorSpec(tensor.shape, tensor.dtype, names[k])
                for k, tensor in made.items()
            },
        )
        graph.finish(nest.flatten(list(tensors.values()), expand_composites=True))
    return graph


def _normalized(key: str, result: Tensor) -> dict[str, Any]:
    """A function's result as named tensors."""
    if isinstance(result, Tensor):
        named = {"output_0": result}
    elif isinstance(result, Mapping):
        named = dict(result)
    elif result is None:
        named = {}
    else:
        leaves = result if isinstance(result, list | tuple) else [result]
        named = {f"output_{k}": leaf for k, leaf in enumerate(leaves)}
    for name, value in named.items():
        if not isinstance(name, str) or not isinstance(value, Tensor | CompositeTensor):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {name!r} in the output of the function "
                f"used to generate the SavedModel signature {key!r}. Outputs for functions used as "
                "signatures must be a single Tensor, a sequence of Tensors, or a dictionary from "
                "string to Tensor."
            )
    return named

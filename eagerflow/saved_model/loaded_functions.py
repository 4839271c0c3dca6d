"""The functions of a loaded SavedModel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.functions import concrete_function as concrete_functions
from eagerflow.functions import trace_types, tracing
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function_type import (
    KEYWORD_ONLY,
    POSITIONAL_OR_KEYWORD,
    FunctionSpec,
    FunctionType,
    Parameter,
    constrained,
    default_values,
)
from eagerflow.graphdef.importing import Builder, describing

Tensor = _core.Tensor


class LoadedConcrete:
    """A concrete function of a file, built when it is first called.

    Args:
        builder: builds the file's functions.
        name: its name in the library.
        signature: the specs and values of its positional and keyword arguments.
        output: the structure of specs of its result.
        bound: returns the variables and tensors that follow its arguments.
    """

    def __init__(
        self,
        builder: Builder,
        name: str,
        signature: tuple[tuple[Any, ...], dict[str, Any]],
        output: Any,
        bound: Callable[[], list[Any]],
    ) -> None:
        self._builder = builder
        self._name = name
        self.signature = signature
        self._output = output
        self._bound = bound
        self._built: ConcreteFunction | None = None
        # The names of its parameters, where it is an attribute itself.
        self.keywords: Sequence[str] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it, as the ConcreteFunction that it was."""
        return self.built(self.keywords)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        # What else is private others ask of any object, such as whether checkpoints have it.
        if name.startswith("_") and not hasattr(ConcreteFunction, name) or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.built(self.keywords), name)

    def built(self, names: Sequence[str] = ()) -> ConcreteFunction:
        """The concrete function.

        Args:
            names: the names of positional parameters.

        Raises:
            tf.errors.UnimplementedError: if it has an operation that is missing here.
        """
        if self._built is None:
            with describing(f"Function '{self._name}'"):
                self._built = self._build(names)
        return self._built

    def _build(self, names: Sequence[str]) -> ConcreteFunction:
        args, kwargs = self.signature
        positional = {
            (names[k] if k < len(names) else f"arg_{k}"): value for k, value in enumerate(args)
        }
        context = TracingContext()
        parameters = [
            Parameter(tracing.valid_name(name), kind, False, trace_types.from_value(value, context))
            for kind, group in ((POSITIONAL_OR_KEYWORD, positional), (KEYWORD_ONLY, kwargs))
            for name, value in group.items()
        ]
        graph = FuncGraph(self._name.removeprefix("__inference_"))
        graph.function_attributes = dict(self._builder.functions[self._name].attr)
        placeholders = tracing.Placeholders(graph, [])
        with graph.as_default():
            values = []
            for parameter in parameters:
                placeholders.parameter = parameter.name
                values.append(parameter.annotation.placeholder_value(placeholders))
            tensors = [
                tensor
                for parameter, value in zip(parameters, values, strict=True)
                for tensor in parameter.annotation.to_tensors(value)
                if isinstance(tensor, Tensor)
            ]
            results = self._builder.call(self._name, [*tensors, *self._bound()])
            result = nest.pack_sequence_as(
                self._output, _with_nothing(self._output, results), expand_composites=True
            )
            _, outputs = tracing.flatten_result(result, graph, self._name, named=False)
            graph.finish(outputs)
        output_type = trace_types.from_value(self._output, context)
        function_type = FunctionType(parameters, graph.capture_types, output_type)
        concrete = ConcreteFunction(graph, function_type, graph.name)
        graph.structured_outputs = self._output  # a file has the specs, with the outputs' names
        return concrete


def _with_nothing(structure: Any, results: Sequence[Tensor]) -> list[Any]:
    """The results, with None where the structure has None."""
    remaining = iter(results)
    leaves = nest.flatten(structure, expand_composites=True)
    return [None if leaf is None else next(remaining) for leaf in leaves]


class LoadedFunction(_core.TracedCall, concrete_functions.Callable):
    """A function of a file: the concrete functions that it was saved with.

    Args:
        name: its name.
        concrete: the concrete functions.
        spec: the parameters, as `inspect.getfullargspec` has them; None if they are not known.
        is_method: whether the first parameter is the object.
        input_signature: the specs that all calls have to fit, or None.
    """

    def __init__(
        self,
        name: str,
        concrete: Sequence[LoadedConcrete],
        spec: Any,
        is_method: bool,
        input_signature: Any = None,
    ) -> None:
        self.input_signature = input_signature
        self.__name__ = name
        self.__signature__ = _signature(spec, is_method)
        self._concrete = list(concrete)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The concrete functions."""
        return [concrete.built(self._names()) for concrete in self._concrete]

    @property
    def function_type(self) -> FunctionType:
        """The parameters, and the types that an `input_signature` restricts them to."""
        parameters = FunctionType(
            [
                Parameter(p.name, p.kind, p.default is not p.empty, None)
                for p in self.__signature__.parameters.values()
            ]
        )
        if self.input_signature is None:
            return parameters
        return constrained(parameters, self.input_signature, default_values(self))

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters and their defaults."""
        return FunctionSpec(
            self.function_type, default_values(self), self.__name__, self.input_signature
        )

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The concrete function for arguments, which may be specs.

        Raises:
            ValueError: if none was saved for them.
        """
        return self._matching(args, kwargs)[0].built(self._names())

    def _call(self, *args: Any, **kwargs: Any) -> Tensor:
        """Runs the concrete function that fits the arguments, of a kind that was not called before.

        Raises:
            ValueError: if none was saved for them.
        """
        concrete, positional, named = self._matching(args, kwargs)
        built = concrete.built(self._names())
        parameters = list(built.function_type.parameters)
        arguments = dict(zip(parameters, positional, strict=False))
        arguments.update(zip(parameters[len(positional) :], named.values(), strict=True))
        converted = {
            name: _converted(value, spec)
            for (name, value), spec in zip(
                arguments.items(), [*concrete.signature[0], *concrete.signature[1].values()],
                strict=True,
            )
        }  # fmt: skip
        return built.call_bound(converted, self, args, kwargs)

    def _names(self) -> list[str]:
        return list(self.__signature__.parameters)

    def _matching(
        self, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[LoadedConcrete, tuple[Any, ...], dict[str, Any]]:
        if not self._concrete:
            raise ValueError(
                f"Found zero restored functions for caller function {self.__name__}: it was not "
                "traced before it was saved. Call it once, or give it an `input_signature`."
            )
        try:
            bound = self.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            positional, named = bound.args, dict(sorted(bound.kwargs.items()))
        except TypeError:
            positional, named = args, dict(sorted(kwargs.items()))
        for converts in (False, True):
            for concrete in self._concrete:
                saved_args, saved_kwargs = concrete.signature
                if len(positional) == len(saved_args) and named.keys() == saved_kwargs.keys():
                    pairs = [*zip(positional, saved_args, strict=True)]
                    pairs += [(named[key], saved_kwargs[key]) for key in saved_kwargs]
                    if all(_fits(value, spec, converts) for value, spec in pairs):
                        return concrete, positional, {key: named[key] for key in saved_kwargs}
        options = "\n\n".join(
            f"Option {k + 1}:\n  Positional arguments ({len(concrete.signature[0])} total):\n"
            f"    * {list(concrete.signature[0])}\n  Keyword arguments: {concrete.signature[1]}"
            for k, concrete in enumerate(self._concrete)
        )
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  Positional arguments ({len(positional)} total):\n    * {list(positional)}\n"
            f"  Keyword arguments: {named}\n\n Expected these arguments to match one of the "
            f"following {len(self._concrete)} option(s):\n\n{options}"
        )


def _signature(spec: Any, is_method: bool) -> inspect.Signature:
    """The parameters that a file describes; any arguments if it describes none."""
    kinds = inspect.Parameter
    if spec is None:
        return inspect.Signature(
            [kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)]
        )
    names = list(spec.args or [])
    defaults = dict(zip(reversed(names), reversed(spec.defaults or ()), strict=False))
    names = names[1:] if is_method and names else names
    found = [
        kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults.get(name, kinds.empty))
        for name in names
    ]
    if spec.varargs:
        found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    keyword_defaults = spec.kwonlydefaults or {}
    found += [
        kinds(name, kinds.KEYWORD_ONLY, default=keyword_defaults.get(name, kinds.empty))
        for name in spec.kwonlyargs or ()
    ]
    if spec.varkw:
        found.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def _fits(value: Any, spec: Any, converts: bool) -> bool:
    """Whether an argument matches a concrete function's saved argument."""
    if isinstance(spec, TypeSpec):
        if isinstance(value, TypeSpec):
            return spec.is_compatible_with(value)
        if isinstance(spec, TensorSpec):
            if isinstance(value, _core.Variable):
                value = value.read_value() if spec.dtype is value.dtype else value
            if not isinstance(value, Tensor):
                if not converts or value is None:
                    return False
                try:
                    value = _core.convert(value, spec.dtype, None)
                except (TypeError, ValueError):
                    return False
            return value.dtype is spec.dtype and spec.shape.is_compatible_with(value.shape)
        return spec.is_compatible_with(value)
    if isinstance(spec, Mapping):
        return (
            isinstance(value, Mapping)
            and spec.keys() == value.keys()
            and all(_fits(value[key], spec[key], converts) for key in spec)
        )
    if isinstance(spec, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(spec)
            and all(_fits(item, other, converts) for item, other in zip(value, spec, strict=True))
        )
    if isinstance(value, Tensor | _core.Variable):
        return False
    return type(value) is type(spec) and value == spec


def _converted(value: Any, spec: Any) -> Any:
    if isinstance(spec, TensorSpec):
        return _core.convert(value, spec.dtype, None)
    if isinstance(spec, Mapping):
        return {key: _converted(value[key], spec[key]) for key in spec}
    if isinstance(spec, list | tuple) and not hasattr(spec, "_fields"):
        return type(spec)([_converted(a, b) for a, b in zip(value, spec, strict=True)])
    return value


class SignatureMap(Mapping[str, Any]):
    """Signatures by name; read only. Each is built on first use."""

    def __init__(self, signatures: Mapping[str, LoadedConcrete]) -> None:
        self._signatures = dict(signatures)

    def __getitem__(self, key: str) -> ConcreteFunction:
        return self._signatures[key].built()

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self)})"

"""Types of functions: their parameters, the types that these accept, and how arguments are bound."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eagerflow import nest
from eagerflow.framework import dtypes
from eagerflow.framework.trace_type import CastContext, TraceType, TracingContext
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.functions import trace_types
from eagerflow.functions.variable_spec import VariableSpec

POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
_KINDS = POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD


class _CapturedDefault:
    """A placeholder for a default value, which the function itself keeps."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


CAPTURED_DEFAULT = _CapturedDefault()

_NOT_IN_IDENTIFIERS = re.compile(r"\W")


class Parameter(inspect.Parameter):
    """A parameter, whether it is optional, and the type that it is restricted to, if any."""

    __slots__ = ()

    def __init__(self, name: str, kind: Any, optional: bool, type_constraint: Any) -> None:
        if optional and kind in (VAR_POSITIONAL, VAR_KEYWORD):
            raise ValueError(f"Parameter {name!r} of kind {kind.description} is never optional.")
        if type_constraint is not None and kind in (VAR_POSITIONAL, VAR_KEYWORD):
            raise TypeError(f"Parameter {name!r} of kind {kind.description} has no single type.")
        empty = inspect.Parameter.empty
        # Lambdas in comprehensions have parameters that are not identifiers: ".0".
        super().__init__(
            name,
            kind,
            default=CAPTURED_DEFAULT if optional else empty,
            annotation=empty if type_constraint is None else type_constraint,
        )

    @property
    def optional(self) -> bool:
        """Whether the function has a default for it."""
        return self.default is not inspect.Parameter.empty

    @property
    def type_constraint(self) -> Any:
        """The type of its arguments, or None if there is no restriction."""
        declared = self.annotation
        return None if declared is inspect.Parameter.empty else declared

    def is_subtype_of(self, other: Parameter) -> bool:
        """Whether the other one accepts all arguments of this one."""
        if self.name != other.name or self.kind is not other.kind:
            return False
        if self.type_constraint is None or other.type_constraint is None:
            return True
        return bool(self.type_constraint.is_subtype_of(other.type_constraint))

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind!r}, optional={self.optional!r}, "
            f"type_constraint={self.type_constraint!r})"
        )


class FunctionType(inspect.Signature):
    """A function's parameters with the types of their arguments, and the type of its result.

    That of a Function has only the types of its `input_signature`; that of a concrete function has
    one for every parameter, no `*args` and no `**kwargs`.

    Args:
        parameters: Parameters in order.
        captures: the types of the function's captures, by name.
        return_annotation: the type of the result.
    """

    __slots__ = ("_captures",)

    def __init__(
        self,
        parameters: Sequence[inspect.Parameter] | None = None,
        captures: Mapping[Any, Any] | None = None,
        return_annotation: Any = inspect.Signature.empty,
    ) -> None:
        super().__init__(parameters, return_annotation=return_annotation)
        self._captures = dict(captures or {})

    @property
    def captures(self) -> dict[Any, Any]:
        """The types of the function's captures, by name."""
        return self._captures

    @property
    def output(self) -> Any:
        """The type of the result, or None if it is not known."""
        annotation = self.return_annotation
        return None if annotation is inspect.Signature.empty else annotation

    @classmethod
    def from_callable(
        cls, obj: Callable[..., object], *, follow_wrapped: bool = True, **_: object
    ) -> FunctionType:
        """The type of a Python function, without restrictions.

        Raises:
            ValueError: if its parameters are not known, as those of some built-in functions.
        """
        signature = inspect.signature(obj, follow_wrapped=follow_wrapped)
        return cls(
            [
                Parameter(p.name, p.kind, p.default is not inspect.Parameter.empty, None)
                for p in signature.parameters.values()
            ]
        )

    @property
    def flat_inputs(self) -> list[Any]:
        """The specs of the tensors that a call passes to the graph."""
        return [s for p in self._types() for s in p.flatten()]

    @property
    def flat_outputs(self) -> list[Any]:
        """The specs of the tensors in the result."""
        output = self.output
        return [] if output is None else output.flatten()

    def _types(self) -> list[Any]:
        return [p.annotation for p in self.parameters.values()]

    def is_supertype_of(self, other: FunctionType) -> bool:
        """Whether this function serves all calls that the other serves."""
        ours, theirs = list(self.parameters.values()), list(other.parameters.values())
        return len(ours) == len(theirs) and all(
            their.is_subtype_of(our)  # type: ignore[attr-defined]
            for our, their in zip(ours, theirs, strict=True)
        )

    def to_tensors(self, arguments: Mapping[str, object]) -> list[Any]:
        """The tensors in arguments by parameter, in the order of the graph's inputs."""
        tensors: list[Any] = []
        for name, parameter in self.parameters.items():
            tensors.extend(parameter.annotation.to_tensors(arguments[name]))
        return tensors

    def __repr__(self) -> str:
        lines = ["Input Parameters:"]
        lines += [
            f"  {p.name} ({p.kind.name}): {p.type_constraint!r}"  # type: ignore[attr-defined]
            for p in self.parameters.values()
        ] or ["  None"]
        lines += ["Output Type:", f"  {self.output!r}", "Captures:"]
        lines += [f"  {key}: {kind!r}" for key, kind in self._captures.items()] or ["  None"]
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FunctionType)
            and super().__eq__(other)
            and self._captures == other._captures
        )

    def __hash__(self) -> int:
        return hash((tuple(self.parameters.values()), tuple(self._captures)))

    def __reduce__(self) -> tuple:
        return type(self), (list(self.parameters.values()), self._captures, self.return_annotation)


def default_values(function: Callable[..., object]) -> dict[str, Any]:
    """The defaults of a function's parameters."""
    return {
        p.name: p.default
        for p in inspect.signature(function).parameters.values()
        if p.default is not inspect.Parameter.empty
    }


def check_signature(input_signature: Any) -> None:
    """Checks an `input_signature`.

    Raises:
        TypeError: unless it is a list or tuple of specs, in structures or not, and not of variables.
    """
    if not isinstance(input_signature, list | tuple):
        raise TypeError(
            f"input_signature must be either a tuple or a list, got {type(input_signature)}."
        )
    wrong = [leaf for leaf in nest.flatten(input_signature) if not isinstance(leaf, TraceType)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid "
            f"args {wrong!r} with types {[type(leaf) for leaf in wrong]!r}."
        )
    variables = [leaf for leaf in nest.flatten(input_signature) if isinstance(leaf, VariableSpec)]
    if variables:
        raise TypeError(f"input_signature doesn't support VariableSpec, got {variables!r}")


def constrained(
    function_type: FunctionType, input_signature: Sequence[object], defaults: Mapping[str, object]
) -> FunctionType:
    """The type of a function with an `input_signature`.

    Parameters that it leaves out are restricted to their default values.

    Raises:
        TypeError: if the signature has more specs than parameters, or one without a default has none.
    """
    context = TracingContext()
    specs = [trace_types.from_value(spec, context) for spec in input_signature]
    parameters: list[Parameter] = []
    takes_more = False
    for index, parameter in enumerate(function_type.parameters.values()):
        name, kind = parameter.name, parameter.kind
        if kind is VAR_KEYWORD:
            continue
        if index == 0 and name == "self":
            parameters.append(Parameter(name, kind, False, None))
            continue
        if kind is VAR_POSITIONAL:
            takes_more = True
            # Parameters before it can only be passed by position.
            parameters = (
                [Parameter(p.name, POSITIONAL_ONLY, p.optional, p.annotation) for p in parameters]
                if specs
                else parameters
            )
            parameters += [
                Parameter(f"{name}_{k}", POSITIONAL_ONLY, False, spec)
                for k, spec in enumerate(specs)
            ]
            specs = []
        elif kind is KEYWORD_ONLY:
            if name not in defaults:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{name}` must have a "
                    "default value"
                )
            value = trace_types.from_value(defaults[name], context)
            parameters.append(Parameter(name, kind, True, value))
        elif specs:
            parameters.append(Parameter(name, kind, name in defaults, specs.pop(0)))
        elif name in defaults:
            value = trace_types.from_value(defaults[name], context)
            parameters.append(Parameter(name, kind, True, value))
        else:
            raise TypeError(f"input_signature missing type constraint for {name}")
    if specs and not takes_more:
        raise TypeError(f"input_signature contains {len(specs)} extra type constraints.")
    return FunctionType(parameters)


def bound_with_defaults(
    function_type: FunctionType, args: tuple, kwargs: dict[str, object], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by parameter, in order, with defaults for those that it leaves out.

    Raises:
        TypeError: if the call does not fit the parameters.
    """
    bound = function_type.bind(*args, **kwargs).arguments
    arguments: dict[str, Any] = {}
    for name, parameter in function_type.parameters.items():
        if name in bound:
            arguments[name] = bound[name]
        elif parameter.kind is VAR_POSITIONAL:
            arguments[name] = ()
        elif parameter.kind is VAR_KEYWORD:
            arguments[name] = {}
        elif name in defaults:
            arguments[name] = defaults[name]
    return arguments


def arguments_of(
    function_type: FunctionType, bound: Mapping[str, Any]
) -> tuple[list[str], list[int], list[Any]]:
    """The names, kinds and values of arguments; those in `*args` and `**kwargs` are separate.

    Kinds are integers: they are parts of keys, and those of `inspect` are slow to hash.
    """
    names: list[str] = []
    kinds: list[int] = []
    values: list[Any] = []
    parameters = function_type.parameters
    by_position = any(p.kind is VAR_POSITIONAL for p in parameters.values())
    for name, value in bound.items():
        kind = parameters[name].kind
        if kind is VAR_POSITIONAL:
            names += [f"{name}_{k}" for k in range(len(value))]
            kinds += [int(POSITIONAL_ONLY)] * len(value)
            values += value
        elif kind is VAR_KEYWORD:
            for key in sorted(value):
                identifier = key if key.isidentifier() else _NOT_IN_IDENTIFIERS.sub("_", key)
                if identifier in names or (identifier != key and identifier in value):
                    raise ValueError(
                        f"Name collision after sanitization. Please rename tf.function input "
                        f"parameters. Original: {sorted(value)}, Sanitized: {identifier}"
                    )
                names.append(identifier)
                kinds.append(int(KEYWORD_ONLY))
                values.append(value[key])
        else:
            names.append(name)
            before = by_position and kind is POSITIONAL_OR_KEYWORD
            kinds.append(int(POSITIONAL_ONLY if before else kind))
            values.append(value)
    return names, kinds, values


def concrete_type(names: list[str], kinds: list[int], types: Sequence[object]) -> FunctionType:
    """The type of a function for arguments of certain types."""
    return FunctionType(
        [
            Parameter(name, _KINDS[kind], False, kind_of_value)
            for name, kind, kind_of_value in zip(names, kinds, types, strict=True)
        ]
    )


def cast_arguments(
    function_type: FunctionType, arguments: Mapping[str, object], allow_specs: bool = False
) -> dict[str, Any]:
    """Bound arguments, converted to the types of their parameters where these have one.

    Raises:
        TypeError: if one cannot be converted.
    """
    context = CastContext(allow_specs)
    cast = {}
    for name, value in arguments.items():
        constraint = function_type.parameters[name].annotation
        if constraint is inspect.Parameter.empty:
            cast[name] = value
        else:
            cast[name] = constraint.cast(value, context)
    return cast


def binding_error(
    cause: object, args: tuple, kwargs: dict[str, object], function_type: FunctionType
) -> TypeError:
    """The error of a call whose arguments do not fit."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{cause}`. Received args: {args} and kwargs: "
        f"{kwargs} for signature: {function_type}."
    )


def named_specs(
    function_type: FunctionType, values: Mapping[str, object]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The form of `structured_input_signature`: specs with names for tensors, plain values as they are."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in function_type.parameters.items():
        shown = _shown(parameter.annotation, values.get(name), name)
        if parameter.kind is KEYWORD_ONLY:
            kwargs[name] = shown
        else:
            args.append(shown)
    return tuple(args), kwargs


def named_result(output_type: Any) -> Any:
    """A result's structure, with specs for tensors, named after their positions."""
    if isinstance(output_type, trace_types.Dict):
        pairs = zip(output_type._keys, output_type.items, strict=True)
        return output_type._built([_shown(item, None, str(key)) for key, item in pairs])
    if isinstance(output_type, trace_types.NamedTuple | trace_types.Attrs):
        pairs = zip(output_type._names(), output_type.items, strict=True)
        return output_type._built([_shown(item, None, name) for name, item in pairs])
    name = "unknown" if isinstance(output_type, TensorSpec) else "tensor"
    return _shown(output_type, None, name)


class UnknownArgument:
    """Represents, in signatures, an argument that files cannot hold."""


def _shown(kind: object, value: object, name: str) -> Any:
    if isinstance(kind, TensorSpec):
        return TensorSpec(kind.shape, kind.dtype, kind.name or name)
    if isinstance(kind, TypeSpec):
        return kind
    if isinstance(kind, trace_types.Dict):
        pairs = zip(kind._keys, kind.items, strict=True)
        return kind._built([_shown(item, None, f"{name}_{key}") for key, item in pairs])
    if isinstance(kind, trace_types.NamedTuple | trace_types.Attrs):
        pairs = zip(kind._names(), kind.items, strict=True)
        return kind._built([_shown(item, None, f"{name}_{key}") for key, item in pairs])
    if isinstance(kind, trace_types.List | trace_types.SelfFlattening):
        return kind._built([_shown(item, None, f"{name}_{k}") for k, item in enumerate(kind.items)])
    if isinstance(kind, trace_types.Literal):
        if isinstance(kind.value, range):
            return list(kind.value)
        if kind.value is None or isinstance(kind.value, int | float | str | dtypes.DType):
            return kind.value
    return UnknownArgument()


def flat_names(function_type: FunctionType) -> Iterator[tuple[str, Any]]:
    """For each tensor in the arguments: the name that its placeholder gets, and its spec."""
    for name, parameter in function_type.parameters.items():
        for spec in parameter.annotation.flatten():
            yield getattr(spec, "name", None) or name, spec


class FunctionSpec:
    """A function's parameters, their defaults, and how it is traced.

    Args:
        function_type: the parameters.
        defaults: the values of optional parameters.
        name: the function's name.
        input_signature: the specs that the function was made with, or None.
        jit_compile: the argument of `tf.function`.
    """

    is_pure = False

    def __init__(
        self,
        function_type: FunctionType,
        defaults: Mapping[str, Any],
        name: str,
        input_signature: Sequence[object] | None = None,
        jit_compile: bool | None = None,
    ) -> None:
        self.function_type = function_type
        self.default_values = dict(defaults)
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self.jit_compile = jit_compile
        self._name = name

    @property
    def arg_names(self) -> list[str]:
        """The names of parameters that accept arguments by position."""
        return self.fullargspec.args

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The parameters as `inspect.getfullargspec` has them, without annotations."""
        names: dict[object, list[str]] = {kind: [] for kind in _KINDS}
        for name, parameter in self.function_type.parameters.items():
            names[parameter.kind].append(name)
        positional = names[POSITIONAL_ONLY] + names[POSITIONAL_OR_KEYWORD]
        keywords = names[KEYWORD_ONLY]
        values = self.default_values
        return inspect.FullArgSpec(
            positional,
            names[VAR_POSITIONAL][0] if names[VAR_POSITIONAL] else None,
            names[VAR_KEYWORD][0] if names[VAR_KEYWORD] else None,
            tuple([values[name] for name in positional if name in values]) or None,
            keywords,
            {name: values[name] for name in keywords if name in values} or None,
            {},
        )

    @property
    def flat_input_signature(self) -> tuple[object, ...]:
        """The specs of the input signature, or one None if there is no signature."""
        return tuple(nest.flatten(self.input_signature, expand_composites=True))

    def signature_summary(self) -> str:
        """The name with the parameters."""
        return f"{self._name}{self.function_type}"

"""Which exception bad arguments of an operation raise: those of the first check that they fail.

An operation takes its arguments in steps. Attributes are looked at before inputs, values are made
tensors before dtypes are compared, and what an operation does not support comes last. A function
that fails for several reasons at once, or somewhere inside, is given the exception of the first.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from eagerflow import _core, errors
from eagerflow.dtype import DType, as_dtype

Function = TypeVar("Function", bound=Callable[..., Any])

_KINDS = {
    "float": "float16 bfloat16 float32 float64",
    "integer": "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "complex": "complex64 complex128",
    "index": "int32 int64",
}
_KINDS["real"] = f"{_KINDS['float']} {_KINDS['integer']}"
_KINDS["number"] = f"{_KINDS['real']} {_KINDS['complex']}"
_KINDS["inexact"] = f"{_KINDS['float']} {_KINDS['complex']}"
_KINDS["linear"] = f"float16 float32 float64 {_KINDS['complex']}"
_KINDS["quantity"] = f"{_KINDS['inexact']} int8 int16 int32 int64"


class _Type(NamedTuple):
    """A type that inputs share: what it may be, what has no kernel, what Python values become."""

    allowed: frozenset[str]
    missing: frozenset[str]
    default: str | None


class _Signature(NamedTuple):
    """The arguments of an operation in the order of its parameters."""

    op: str
    # A dtype or the name of a type; "N*" before it for lists, "^" for what becomes a tensor of its
    # own dtype first.
    inputs: dict[str, str]
    attrs: dict[str, str]
    types: dict[str, _Type]
    careful: bool  # inputs are converted one by one before any is looked at


def _dtypes(text: str) -> frozenset[str]:
    return frozenset(" ".join(_KINDS.get(word, word) for word in text.split(",")).split())


@functools.cache
def _signatures() -> dict[str, _Signature]:
    text = Path(__file__).with_name("op_signatures.txt").read_text()
    lines = (line.split() for line in text.splitlines())
    return {op.rstrip("!"): _parse(op, words) for op, *words in lines}


def _parse(op: str, words: list[str]) -> _Signature:
    inputs, attrs, types = {}, {}, {}
    for word in words:
        if ":" in word:
            name, _, kind = word.partition(":")
            if kind != "*":  # several dtypes at once
                inputs[name] = kind
        elif "=" in word:
            name, _, attrs[name] = word.partition("=")
        else:
            found = re.fullmatch(r"(\w+)<([^!>]*)(?:!([^>]*))?>(?:~(\w+))?", word)
            assert found is not None, word
            name, allowed, missing, default = found.groups()
            types[name] = _Type(_dtypes(allowed), _dtypes(missing or ""), default)
    name = op.rstrip("!").partition("/")[0]
    return _Signature(name, inputs, attrs, types, op.endswith("!"))


def _as_int(value: Any) -> Any:
    if isinstance(value, str | bytes):
        raise TypeError
    return int(value)


def _as_float(value: Any) -> Any:
    if isinstance(value, str | bytes):
        raise TypeError
    return float(value)


def _as_bool(value: Any) -> Any:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _as_text(value: Any) -> Any:
    if not isinstance(value, str | bytes):
        raise TypeError
    return value


# Per kind of attribute: what is expected, the conversion, and what needs none.
_ATTRS: dict[str, tuple[str, Callable[[Any], Any], type | tuple[type, ...]]] = {
    "int": ("int", _as_int, int),
    "float": ("float", _as_float, float),
    "bool": ("bool", _as_bool, bool),
    "str": ("string", _as_text, (str, bytes)),
    "type": ("DataType", as_dtype, DType),
}


def _check_attr(op: str, name: str, kind: str, value: Any) -> None:
    """Raises what a value of the wrong type for an attribute raises."""
    if kind == "shape":
        from eagerflow.shapes import as_shape

        as_shape(value)
        return
    if kind not in _ATTRS:  # a list
        if not isinstance(value, list | tuple):
            raise TypeError(f"Expected list for '{name}' argument to '{op}' Op, not {value}.")
        for item in value:
            _check_attr(op, name, kind[:-1], item)
        return
    expected, convert, _ = _ATTRS[kind]
    try:
        convert(value)
    except (TypeError, ValueError):
        message = f"Expected {expected} for argument '{name}' not {value!r}."
        raise TypeError(message) from None


def _needs_no_check(kind: str, value: Any) -> bool:
    if kind == "shape":
        return False
    if kind not in _ATTRS:
        return isinstance(value, list | tuple) and all(
            _needs_no_check(kind[:-1], item) for item in value
        )
    plain = _ATTRS[kind][2]
    return isinstance(value, plain) and not (kind == "int" and isinstance(value, bool))


def _is_shared(kind: str) -> bool:
    return kind.lstrip("^")[0].isupper() or kind == "dtype"


def _one(value: Any, kind: str, strict: bool) -> Any:
    """A tensor of an input that has a dtype of its own."""
    if kind.startswith("^"):
        return _core.convert(_core.convert(value, None, None), as_dtype(kind[1:]), None)
    if not strict:
        tensor = _core.convert(value, None, None)
        if not isinstance(value, _core.Tensor | _core.Variable) and tensor.dtype.name != kind:
            raise TypeError(f"{value} does not become a tensor of {kind} by itself")
        return tensor
    return _core.convert(value, as_dtype(kind), None)


class _Inputs:
    """The inputs of a call as tensors."""

    def __init__(self, signature: _Signature, arguments: dict[str, Any]) -> None:
        self.signature = signature
        # The place among the inputs, a dtype or the name of a type, and a tensor.
        self.tensors: list[tuple[int, str, Any]] = []
        self.arguments = arguments

    def _values(self, kind: str) -> tuple[list[int], list[Any]]:
        """The places and values of the inputs of one kind."""
        places: list[int] = []
        values: list[Any] = []
        place = 0
        for name, one in self.signature.inputs.items():
            if name not in self.arguments:
                continue
            listed = one.startswith("N*")
            found = self.arguments[name] if listed else [self.arguments[name]]
            if one.removeprefix("N*") == kind:
                values.extend(found)
                places.extend(range(place, place + len(found)))
            place += len(found)
        return places, values

    def convert(self, strict: bool) -> None:
        """Makes tensors of the inputs that share a type, and then of the others."""
        signature = self.signature
        for name, kind in signature.inputs.items():
            listed = kind.startswith("N*") and name in self.arguments
            if listed and not isinstance(self.arguments[name], list | tuple):
                raise TypeError(
                    f"Expected list for '{name}' argument to '{signature.op}' Op, not "
                    f"{self.arguments[name]}."
                )
        shared = dict.fromkeys(kind.removeprefix("N*") for kind in signature.inputs.values())
        for kind in shared:
            if _is_shared(kind):
                self._convert_shared(kind)
        for kind in shared:
            if not _is_shared(kind):
                for place, value in zip(*self._values(kind), strict=True):
                    self.tensors.append((place, kind.lstrip("^"), _one(value, kind, strict)))

    def _convert_shared(self, kind: str) -> None:
        places, values = self._values(kind)
        if kind.startswith("^"):
            values = [_core.convert(value, None, None) for value in values]
            kind = kind[1:]
        given = [v for v in values if isinstance(v, _core.Tensor | _core.Variable)]
        dtype = given[0].dtype if given else None
        rule = self.signature.types.get(kind)
        default = as_dtype(rule.default) if rule and rule.default else None
        for place, value in zip(places, values, strict=True):
            if isinstance(value, _core.Tensor):
                tensor = value
            elif dtype is None:
                tensor = _core.convert(value, None, default)
                dtype = tensor.dtype
            else:
                tensor = _core.convert(value, dtype, None)
            self.tensors.append((place, kind, tensor))

    def check(self) -> None:
        """Raises what inputs of the wrong dtypes raise."""
        op = self.signature.op
        bound: dict[str, Any] = {}
        for i, kind, tensor in sorted(self.tensors, key=lambda entry: entry[0]):
            shared = _is_shared(kind)
            wanted = bound.setdefault(kind, tensor.dtype) if shared else as_dtype(kind)
            if tensor.dtype != wanted:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {op} as input #{i}(zero-based) was expected to be a "
                    f"{wanted.name} tensor but is a {tensor.dtype.name} tensor [Op:{op}]",
                )
        for kind, rule in self.signature.types.items():
            if kind not in bound:
                continue
            name = bound[kind].name
            if rule.allowed and name not in rule.allowed:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Value for attr '{kind}' of {name} is not in the list of allowed values: "
                    f"{', '.join(sorted(rule.allowed))} [Op:{op}]",
                )
            if name in rule.missing:
                raise errors.NotFoundError(
                    None, None, f"Could not find device for node: {op} has no kernel for {name}"
                )


def _check(signature: _Signature, arguments: dict[str, Any]) -> None:
    """Raises the exception of the first check that the arguments fail, if they fail one."""
    attrs = {
        name: (kind, arguments[name]) for name, kind in signature.attrs.items() if name in arguments
    }
    inputs = _Inputs(signature, arguments)
    quick = not signature.careful and all(_needs_no_check(*attr) for attr in attrs.values())
    if quick:
        try:
            inputs.convert(strict=False)
        except Exception:  # the careful way names the first reason
            quick = False
    if not quick:
        for name, (kind, value) in attrs.items():
            _check_attr(signature.op, name, kind, value)
        inputs = _Inputs(signature, arguments)
        inputs.convert(strict=True)
    inputs.check()


def _diverts(values: Any) -> bool:
    return any(
        _diverts(value)
        if isinstance(value, list | tuple)
        else hasattr(type(value), "__op_function__")
        for value in values
    )


def reason(op: str, given: dict[str, Any], error: Exception | None) -> Exception | None:
    """The exception that a failed call of an operation raises: `error`, or a reason before it."""
    signature = _signatures().get(op)
    if signature is None or _diverts(given.values()):
        return error
    try:
        _check(signature, given)
    except Exception as earlier:
        return error if type(earlier) is type(error) else earlier
    return error


def raises_like(op: str, first: bool = False) -> Callable[[Function], Function]:
    """Decorates a function that stands for an operation: bad arguments raise what they raise there.

    Args:
        op: the operation's name in `op_signatures.txt`.
        first: whether arguments are checked before the call, and not only after it has failed;
            for functions that would take more than the operation does.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if first and (found := _reason_of_call(op, function, args, kwargs, None)) is not None:
                raise found
            try:
                return function(*args, **kwargs)
            except Exception as error:
                found = _reason_of_call(op, function, args, kwargs, error)
                if found is None or found is error:
                    raise
                raise found from None

        return call  # type: ignore[return-value]

    return decorate


def _reason_of_call(
    op: str, function: Callable, args: tuple, kwargs: dict[str, Any], error: Exception | None
) -> Exception | None:
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return error
    # None stands for an attribute's default.
    given = {
        name: value
        for name, value in given.items()
        if value is not None or signature.parameters[name].default is inspect.Parameter.empty
    }
    return reason(op, given, error)

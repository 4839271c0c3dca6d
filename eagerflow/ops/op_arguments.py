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

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.shapes import as_shape

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
    # own dtype first, "=" for one of the dtype that the inputs before it have.
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
    "type": ("DataType", as_dtype, (DType, int)),
}


def _check_attr(op: str, name: str, kind: str, value: Any) -> None:
    """Raises what a value of the wrong type for an attribute raises."""
    if kind == "shape":
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


def _is_plain(kind: str, value: Any) -> bool:
    """Whether a value for an attribute is taken as it is."""
    if kind == "shape":
        return False
    if kind not in _ATTRS:
        return isinstance(value, list | tuple) and all(_is_plain(kind[:-1], one) for one in value)
    return isinstance(value, _ATTRS[kind][2])


def _is_direct(value: Any) -> bool:
    """Whether an input is a tensor already, or becomes one where it stands."""
    return isinstance(value, _core.Tensor | _core.Variable | np.ndarray | int | float)


def _is_shared(kind: str) -> bool:
    return kind[0].isupper() or kind == "dtype"


class _Input(NamedTuple):
    """One value among the inputs, in the order of the operation."""

    kind: str
    value: Any


def _inputs(signature: _Signature, arguments: dict[str, Any]) -> list[_Input]:
    """The values of the inputs; what becomes a tensor before the others has become one."""
    found: list[_Input] = []
    for name, kind in signature.inputs.items():
        if name not in arguments:
            continue
        value = arguments[name]
        values = [value]
        if kind.startswith("N*"):
            if not isinstance(value, list | tuple):
                raise TypeError(
                    f"Expected list for '{name}' argument to '{signature.op}' Op, not {value}."
                )
            values, kind = list(value), kind[2:]
        if kind.startswith("^"):
            values, kind = [_core.as_tensor(one) for one in values], kind[1:]
        elif kind.startswith("="):
            kind = kind[1:]
            dtype = next(one.value.dtype for one in found if one.kind == kind)
            values = [_core.convert(one, dtype, None) for one in values]
        found.extend(_Input(kind, one) for one in values)
    return found


def _default(signature: _Signature, kind: str) -> DType | None:
    rule = signature.types.get(kind)
    return as_dtype(rule.default) if rule and rule.default else None


def _converted_directly(signature: _Signature, inputs: list[_Input]) -> list[Any]:
    """Tensors of inputs that are tensors, arrays and numbers: one after the other."""
    dtypes: dict[str, DType] = {}
    for kind, value in inputs:
        if not _is_shared(kind):
            dtypes[kind] = as_dtype(kind)
        elif isinstance(value, _core.Tensor | _core.Variable):
            dtypes.setdefault(kind, value.dtype)
    tensors = []
    for kind, value in inputs:
        if isinstance(value, _core.Tensor | _core.Variable):
            tensors.append(value)
            continue
        dtype = dtypes.get(kind) or _default(signature, kind)
        tensors.append(_core.convert(value, dtype, None))
        dtypes.setdefault(kind, tensors[-1].dtype)
    return tensors


def _converted_by_kind(signature: _Signature, inputs: list[_Input]) -> list[Any]:
    """Tensors of any inputs: first of those that share a type, and then of the others."""
    tensors: list[Any] = [None] * len(inputs)
    for shared in (True, False):
        for kind in dict.fromkeys(one.kind for one in inputs):
            if _is_shared(kind) != shared:
                continue
            places = [i for i, one in enumerate(inputs) if one.kind == kind]
            dtype = None if shared else as_dtype(kind)
            values = [inputs[i].value for i in places]
            given = [value.dtype for value in values if isinstance(value, _core.Tensor)]
            if shared and given:
                if len(given) == len(values):
                    for i in places:
                        tensors[i] = inputs[i].value
                    continue
                dtype = given[0]
            for i, value in zip(places, values, strict=True):
                default = _default(signature, kind) if dtype is None else None
                tensors[i] = _converted(value, dtype, default, signature.types.get(kind))
                dtype = dtype or tensors[i].dtype
    return tensors


def _converted(value: Any, dtype: Any, default: Any, rule: _Type | None) -> Any:
    if dtype is None and rule is not None and rule.allowed:
        tensor = _core.as_tensor(value)
        if tensor.dtype.name in rule.allowed:
            return tensor
    return _core.convert(value, dtype, default)


def _check_dtypes(signature: _Signature, kinds: list[str], tensors: list[Any]) -> None:
    """Raises what inputs of the wrong dtypes raise."""
    op = signature.op
    bound: dict[str, DType] = {}
    for kind, tensor in zip(kinds, tensors, strict=True):
        bound.setdefault(kind, tensor.dtype if _is_shared(kind) else as_dtype(kind))
    for kind, rule in signature.types.items():
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
    for i, (kind, tensor) in enumerate(zip(kinds, tensors, strict=True)):
        if tensor.dtype != bound[kind]:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"cannot compute {op} as input #{i}(zero-based) was expected to be a "
                f"{bound[kind].name} tensor but is a {tensor.dtype.name} tensor [Op:{op}]",
            )


def _check(signature: _Signature, arguments: dict[str, Any]) -> None:
    """Raises the exception of the first check that the arguments fail, if they fail one."""
    attrs = {
        name: (kind, arguments[name]) for name, kind in signature.attrs.items() if name in arguments
    }
    inputs = _inputs(signature, arguments)
    direct = all(_is_plain(*attr) for attr in attrs.values())
    if direct and not signature.careful and all(_is_direct(one.value) for one in inputs):
        tensors = _converted_directly(signature, inputs)
    else:
        for name, (kind, value) in attrs.items():
            _check_attr(signature.op, name, kind, value)
        tensors = _converted_by_kind(signature, inputs)
    _check_dtypes(signature, [one.kind for one in inputs], tensors)


def _diverts(values: Any) -> bool:
    return any(
        _diverts(value)
        if isinstance(value, list | tuple)
        else hasattr(type(value), "__op_function__") and not isinstance(value, CompositeTensor)
        for value in values
    )


def reason(op: str, given: dict[str, Any], error: Exception | None) -> Exception | None:
    """The exception that a failed call of an operation raises: `error`, or a reason before it."""
    signature = _signatures().get(op)
    if getattr(error, "ahead", False):
        setattr(error, "ahead", False)  # noqa: B010
        return error
    if signature is None or _diverts(given.values()):
        return error
    try:
        _check(signature, given)
    except Exception as earlier:
        return error if type(earlier) is type(error) else earlier
    if isinstance(error, MemoryError):
        return errors.ResourceExhaustedError(None, None, f"{error} [Op:{signature.op}]")
    return error


def _is_told_by_parts(given: dict[str, Any], error: Exception | None) -> bool:
    """Whether an operation on the parts of a composite tensor has said what is wrong."""
    composite = any(isinstance(value, CompositeTensor) for value in given.values())
    return composite and error is not None and not getattr(error, "no_tensor", False)


def ahead(error: Exception) -> Exception:
    """Marks what a function finds before it comes to its operation: this is what it raises.

    The next function around it that stands for an operation takes the mark away.
    """
    setattr(error, "ahead", True)  # noqa: B010
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


@functools.cache
def _signature(function: Callable) -> inspect.Signature:
    return inspect.signature(function)


def _reason_of_call(
    op: str, function: Callable, args: tuple, kwargs: dict[str, Any], error: Exception | None
) -> Exception | None:
    signature = _signature(function)
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

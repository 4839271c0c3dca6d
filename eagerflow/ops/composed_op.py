"""The decorator of public functions that compose an operation, which it declares.

The declaration has the contents of an entry of the op table (`InputSpec` in `core/ops/op.h`), from
which the engine knows the exception that TensorFlow raises for bad arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType, GenericAlias
from typing import Any, Literal, TypeVar, get_args

from eagerflow import _core
from eagerflow.framework.dtypes import STORED_DTYPES, DType, as_dtype
from eagerflow.framework.op_function import InGraph, Promotion, defined

Function = TypeVar("Function", bound=Callable[..., Any])
DTypes = frozenset[DType]

# Arguments of `composed_op` that several operations share.
Declared = dict[str, Any]
# int, float, bool, str or DType, or a list of values of one of these.
Attr = type[Any]


def _union(dtypes: Iterable[str | DTypes]) -> DTypes:
    members: set[DType] = set()
    for one in dtypes:
        members |= {as_dtype(one)} if isinstance(one, str) else one
    return frozenset(members)


FLOAT_TYPES = _union(["float16", "bfloat16", "float32", "float64"])
COMPLEX_TYPES = _union(["complex64", "complex128"])
INEXACT_TYPES = FLOAT_TYPES | COMPLEX_TYPES
INDEX_TYPES = _union(["int32", "int64"])
INT_TYPES = INDEX_TYPES | _union(["int8", "int16", "uint8", "uint16", "uint32", "uint64"])
REAL_TYPES = FLOAT_TYPES | INT_TYPES
NUMERIC_TYPES = REAL_TYPES | COMPLEX_TYPES
ALL_TYPES = NUMERIC_TYPES | _union(["bool", "string"]) | frozenset(STORED_DTYPES)


class Input:
    """A parameter that is a tensor.

    Args:
        *dtypes: the dtypes that it may have, or sets of them; all by default.
        type: TensorFlow's type attribute; inputs that name the same one have the same dtype.
        variadic: whether it accepts a list of tensors.
        converts: when a Python value becomes a tensor: "together" with the others, of the dtype
            that a tensor of the same type has; "alone", before anything is checked, of its own
            dtype or the only one declared; "like_first", of the dtype of the first of its type.
        prefer: the dtype of Python values where no tensor decides.
        no_kernel: dtypes that TensorFlow declares without a kernel.
    """

    def __init__(
        self,
        *dtypes: str | DTypes,
        type: str = "T",
        variadic: bool = False,
        converts: Literal["together", "alone", "like_first"] = "together",
        prefer: str | None = None,
        no_kernel: Iterable[str | DTypes] = (),
    ) -> None:
        self.declared = (
            _union(dtypes) if dtypes else ALL_TYPES,
            type,
            variadic,
            converts,
            prefer,
            _union(no_kernel),
        )


def _parameters(function: FunctionType) -> list[tuple[str, bool]]:
    """The names of a function's parameters, and whether they are required."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    first_default = code.co_argcount - len(function.__defaults__ or ())
    return [
        (
            name,
            i < first_default
            if i < code.co_argcount
            else name not in (function.__kwdefaults__ or ()),
        )
        for i, name in enumerate(names)
    ]


# For each annotation, the type of the attribute, and whether it is a list.
_ATTRS = {
    form.format(kind) + optional: (kind, "{}" != form)
    for kind in ("int", "float", "bool", "str")
    for form in ("{}", "list[{}]", "Sequence[{}]")
    for optional in ("", " | None")
}
# Parameters that are never attributes: names, and seeds, from which the function derives others.
_OWN = frozenset(["name", "seed"])


def _attrs(
    function: FunctionType, declared: Mapping[str, Input | Attr], own: Iterable[str]
) -> Iterator[tuple[str, str, bool]]:
    """The attributes: what is declared as one, and what the function's annotations say."""
    for name, _ in _parameters(function):
        kind, annotation = declared.get(name), function.__annotations__.get(name)
        if kind is None and name not in _OWN and name not in own and annotation in _ATTRS:
            yield name, *_ATTRS[annotation]
        elif kind is not None and not isinstance(kind, Input):
            is_list = isinstance(kind, GenericAlias)
            yield name, (get_args(kind)[0] if is_list else kind).__name__, is_list


def composed_op(
    op: str,
    /,
    *,
    elementwise: int = 0,
    promotion: Promotion | None = None,
    overridable: bool = True,
    checked_first: bool = False,
    in_graph: InGraph | None = None,
    own: Iterable[str] = (),
    **parameters: Input | Attr,
) -> Callable[[Function], Function]:
    """Lets arguments override a function, and declares the operation it composes.

    Args:
        op: TensorFlow's name of the operation.
        elementwise: see `op_function`.
        promotion: see `op_function`.
        overridable: see `op_function`.
        checked_first: whether arguments are checked before the call, and not only after it has
            failed; for functions that would accept more than the operation does.
        in_graph: see `op_function`.
        own: parameters that the operation does not have, although their annotations are those of
            attributes: `int`, `float`, `bool`, `str`, and lists of them.
        **parameters: the inputs in TensorFlow's order, and attributes with other annotations.

    >>> from eagerflow.ops.composed_op import FLOAT_TYPES, Input, composed_op
    >>> @composed_op("Halve", x=Input(FLOAT_TYPES))
    ... def halve(x, times: int = 1):
    ...     return x / 2**times
    >>> float(halve(3.0))
    1.5
    >>> halve(tf.constant("a"))
    Traceback (most recent call last):
        ...
    eagerflow.errors.InvalidArgumentError: Value for attr 'T' of string is not in the list of \
allowed values: float, double, bfloat16, half (argument 'x') [Op:Halve]
    """

    def decorate(body: Any) -> Any:
        inputs = [(n, *kind.declared) for n, kind in parameters.items() if isinstance(kind, Input)]
        attrs = list(_attrs(body, parameters, own))
        entry = _core.ComposedOp(op, _parameters(body), inputs, attrs, checked_first)
        return defined(
            body,
            in_graph,
            elementwise=elementwise,
            promotion=promotion,
            overridable=overridable,
            composed_op=entry,
        )

    return decorate

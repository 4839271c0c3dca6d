"""Arguments of layers: checks, functions that are passed by name, and their documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import activations, config
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.ops import conversion
from eagerflow.typing import ShapeLike
from eagerflow.util.argument_docs import complete_docs, own_doc

# Activations that return their input; programs may set `layer.activation` to None.
UNCHANGED = (activations.linear, None)
_Class = TypeVar("_Class", bound=type)


class FunctionLayer(Layer):
    """A layer some of whose arguments are functions, which `resolve_arguments` sets."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def with_arguments_of(*bases: type) -> Callable[[_Class], _Class]:
    """A class decorator that adds the arguments of other classes' docstrings to the class's own.

    They follow the class's own arguments and come before its example. What the last of the other
    docstrings says after its arguments follows, unless the class's own says something there.
    """

    def decorate(cls: _Class) -> _Class:
        if cls.__doc__ is None:  # `python -OO` drops docstrings
            return cls
        summary, mark, example = own_doc(cls).partition("    >>>")
        summary, _, section = summary.partition("    Args:\n")
        described, _, own_rest = section.partition("\n\n")
        described, rest = described and described + "\n", ""
        for base in bases:
            before, starred, _ = described.rpartition("        **kwargs:")
            section = own_doc(base).partition("    Args:\n")[2].partition("    >>>")[0]
            arguments, _, rest = section.partition("\n\n")
            described = (before if starred else described) + arguments.rstrip() + "\n"
        rest = own_rest.strip() or rest.strip()
        after = f"    {rest}\n\n" if rest else ""
        cls.__doc__ = f"{summary}    Args:\n{described}\n{after}{mark}{example}"
        complete_docs(cls)
        return cls

    return decorate


def with_defaults(**defaults: object) -> Callable[[_Class], _Class]:
    """A class decorator for a layer whose inherited constructor has other defaults.

    The base's default is one number for all axes; Keras's signatures show one for each.
    """

    def decorate(cls: _Class) -> _Class:
        inherited = cls.__init__  # type: ignore[misc]
        code = inherited.__code__
        names = code.co_varnames[: code.co_argcount][-len(inherited.__defaults__) :]
        values = dict(zip(names, inherited.__defaults__, strict=True)) | defaults
        made = FunctionType(
            code, inherited.__globals__, "__init__", tuple(values.values()), inherited.__closure__
        )
        made.__annotations__ = inherited.__annotations__
        made.__doc__ = inherited.__doc__
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = made  # type: ignore[misc]
        return cls

    return decorate


def as_bool(mask: object) -> Any:
    """A mask as a tensor of bools; other numbers than zero are True."""
    if isinstance(mask, KerasTensor):
        return mask if mask.dtype is dtypes.bool else conversion.cast(mask, dtypes.bool)
    mask = _core.as_tensor(mask)
    return mask if mask.dtype is dtypes.bool else _core.ops.cast(mask, dtypes.bool)


def sizes_of(shape: ShapeLike) -> list[int | None]:
    """A shape, passed as a `TensorShape`, a list or a tuple, as a list."""
    return TensorShape(shape).as_list()


def is_shape_list(shape: object) -> bool:
    """Whether an argument `input_shape` holds the shapes of several inputs."""
    return (
        isinstance(shape, (list, tuple))
        and bool(shape)
        and (isinstance(shape[0], (list, tuple, TensorShape)) or shape[0] is None)
        and any(isinstance(entry, (list, tuple, TensorShape)) for entry in shape)
    )


def integers(value: Any, count: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """One integer for each axis, from one for all or one for each.

    Raises:
        ValueError: if the length is wrong, or an entry is no positive integer.
    """
    message = f"The `{name}` argument must be a tuple of {count} integers. Received: {value}"
    if isinstance(value, int):
        entries = (value,) * count
    else:
        try:
            entries = tuple(value)
        except TypeError:
            raise ValueError(message) from None
        if len(entries) != count:
            raise ValueError(message)
    result = []
    for entry in entries:
        if not hasattr(entry, "__index__"):
            raise ValueError(f"{message} including element {entry} of type {type(entry)}")
        result.append(int(entry))
    low = 0 if allow_zero else 1
    wrong = {entry for entry in result if entry < low}
    if wrong:
        needed = ">= 0" if allow_zero else "> 0"
        raise ValueError(
            f"{message} including {wrong} that does not satisfy the requirement `{needed}`."
        )
    return tuple(result)


def data_format_of(value: object) -> str:
    """The data format; Keras's default for None.

    Raises:
        ValueError: unless it is "channels_first" or "channels_last".
    """
    if value is None:
        value = config.image_data_format()
    word = value.lower() if isinstance(value, str) else value
    if word not in ("channels_first", "channels_last"):
        raise ValueError(
            "The `data_format` argument must be one of "
            f'"channels_first", "channels_last". Received: {value}'
        )
    return word


def padding_of(value: Any, allowed: Iterable[str] = ("valid", "same")) -> Any:
    """A kind of padding in lower case; lists and tuples as they are.

    Raises:
        ValueError: for another word.
    """
    if isinstance(value, (list, tuple)):
        return value
    word = value.lower() if isinstance(value, str) else value
    if word not in allowed:
        words = ", ".join(f'"{name}"' for name in allowed)
        raise ValueError(
            f"The `padding` argument must be a list/tuple or one of {{{words}}}. Received: {value}"
        )
    return word


def window_count(
    length: int | None, window: int, padding: str, step: int, dilation: int = 1
) -> int | None:
    """The number of windows along an axis."""
    if length is None:
        return None
    reach = (window - 1) * dilation + 1
    if padding == "valid":
        length = length - reach + 1
    elif padding == "full":
        length = length + reach - 1
    return (length + step - 1) // step


def transposed_length(
    length: int | None,
    window: int,
    padding: str,
    step: int,
    output_padding: int | None = None,
    dilation: int = 1,
) -> int | None:
    """The length of a transposed convolution's result for an input of a length."""
    if length is None:
        return None
    reach = (window - 1) * dilation + 1
    if output_padding is None:
        if padding == "valid":
            return length * step + max(reach - step, 0)
        return length * step
    lost = 2 * (reach // 2) if padding == "same" else 0
    return (length - 1) * step + reach - lost + output_padding


def axes_of(axis: Any, rank: int) -> list[int]:
    """An axis, or a list of them, as non-negative indices.

    Raises:
        ValueError: if one is out of range or there twice.
    """
    axes = [axis] if isinstance(axis, int) else list(axis)
    axes = [index + rank if index < 0 else index for index in axes]
    for index in axes:
        if not 0 <= index < rank:
            raise ValueError(
                "Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with "
                f"inputs.rank={rank}). Received: axis={tuple(axes)}"
            )
    if len(axes) != len(set(axes)):
        raise ValueError(f"Duplicate axis: {tuple(axes)}")
    return axes


def overrides(layer: object, base: type, names: str) -> bool:
    """Whether the class of a layer, which is `base` or below it, has one of these methods of its own."""
    kind = type(layer)
    return kind is not base and any(
        getattr(kind, name) is not getattr(base, name) for name in names.split()
    )

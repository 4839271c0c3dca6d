"""How tf.function distinguishes arguments: the interfaces that types of arguments implement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable


class TraceType:
    """The type of an argument to tf.function. Calls whose arguments have equal types share a trace.

    Specs are such types: `tf.TensorSpec`, those of ragged and sparse tensors, of datasets and extension
    types. A program's own class defines one, and its `__tf_tracing_type__` returns it, to say which of its
    objects may share a trace.

    >>> class Scale(tf.types.experimental.TraceType):
    ...     def __init__(self, unit):
    ...         self.unit = unit
    ...
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...
    ...     def placeholder_value(self, placeholder_context):
    ...         return Length(0.0, self.unit)
    ...
    ...     def __eq__(self, other):
    ...         return isinstance(other, Scale) and self.unit == other.unit
    ...
    ...     def __hash__(self):
    ...         return hash(self.unit)
    >>> class Length:
    ...     def __init__(self, value, unit):
    ...         self.value, self.unit = value, unit
    ...
    ...     def __tf_tracing_type__(self, context):
    ...         return Scale(self.unit)
    """

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace for `other` serves arguments of this type."""
        raise NotImplementedError(f"{type(self).__name__} does not define is_subtype_of.")

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The narrowest type that this one and the others are subtypes of; None if there is none."""
        raise NotImplementedError(
            f"{type(self).__name__} does not define most_specific_common_supertype."
        )

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The function's argument while it is traced.

        Args:
            placeholder_context: creates the symbolic tensors that make up the value; pass it on to
                the types inside this one.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define placeholder_value.")

    def to_tensors(self, value: object) -> list[Any]:
        """The tensors in an argument, each of which is an input of the graph."""
        return []

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """A value of this type, from as many tensors as `to_tensors` returns."""
        return self.placeholder_value(None)

    def flatten(self) -> list[Any]:
        """The specs of the tensors that `to_tensors` returns."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """A call's argument, converted to this type.

        Raises:
            TypeError: if it cannot be converted.
        """
        tracing_type = getattr(value, "__tf_tracing_type__", None)
        if tracing_type is None or not tracing_type(cast_context).is_subtype_of(self):
            raise TypeError(f"Can not cast {value!r} to {self!r}.")
        return value


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that defines its own trace type."""

    def __tf_tracing_type__(self, context: TracingContext) -> TraceType:
        """The type of this object as an argument."""
        ...


class TracingContext:
    """The context that the types of one call's arguments share: which variables are the same."""

    __slots__ = ("_aliases", "_kept")

    def __init__(self) -> None:
        self._aliases: dict[int, int] = {}
        self._kept: list[Any] = []

    def alias_of(self, value: object) -> int:
        """The index of an object: 0 for the first one that was passed, 1 for the next."""
        alias = self._aliases.get(id(value))
        if alias is None:
            alias = self._aliases[id(value)] = len(self._aliases)
            self._kept.append(value)  # so that no other object gets its id
        return alias


class PlaceholderContext(Protocol):
    """Creates a function's arguments while it is traced."""

    def placeholder(self, spec: Any) -> Any:
        """A symbolic tensor with the spec's dtype and shape."""
        ...

    def variable(self, spec: Any) -> Any:
        """The variable of the call that causes the trace."""
        ...


class CastContext:
    """What `TraceType.cast` may convert."""

    __slots__ = ("allow_specs",)

    def __init__(self, allow_specs: bool = False) -> None:
        self.allow_specs = allow_specs

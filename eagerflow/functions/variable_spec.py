"""VariableSpec: the type of a variable as an argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.framework.variable import Variable


class VariableSpec(TypeSpec):
    """The shape, dtype and trainability of a variable, and which others of a call are the same.

    Args:
        shape: the shape.
        dtype: the dtype of the value.
        trainable: whether tapes watch it.
        alias_id: the variables of one call that have the same id are the same; None if that is
            not known.
    """

    def __init__(
        self,
        shape: Any,
        dtype: Any = dtypes.float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._trainable = trainable
        self._alias_id = alias_id

    @classmethod
    def of(cls, variable: Any, context: TracingContext) -> VariableSpec:
        """The type of a variable among the arguments of a call."""
        return cls(variable.shape, variable.dtype, variable.trainable, context.alias_of(variable))

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the value."""
        return self._dtype

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable."""
        return self._trainable

    @property
    def alias_id(self) -> int | None:
        """The id that distinguishes it from the other variables of a call."""
        return self._alias_id

    @property
    def value_type(self) -> type:
        """Variables."""
        return Variable

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether shape, dtype and trainability are those of a variable or another spec."""
        other = spec_or_value
        return (
            isinstance(other, VariableSpec | Variable)
            and self._shape.is_compatible_with(other.shape)
            and self._dtype == other.dtype
            and self._trainable == other.trainable
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other is such a variable with the same alias."""
        return (
            isinstance(other, VariableSpec)
            and self._key()[1:] == other._key()[1:]
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Any) -> VariableSpec | None:
        """The spec with None wherever shapes differ; None if anything else does."""
        shape = self._shape
        for other in others:
            if not isinstance(other, VariableSpec) or self._key()[1:] != other._key()[1:]:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return VariableSpec(shape, self._dtype, self._trainable, self._alias_id)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The variable of the call that causes the trace."""
        return placeholder_context.variable(self)

    def to_tensors(self, value: object) -> list[Any]:
        """No tensors: variables are passed by reference."""
        return []

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """Variables have no value that is made of tensors."""
        raise TypeError(f"A variable with {self} cannot be made of tensors.")

    def flatten(self) -> list[Any]:
        """No specs."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The variable, if it has this spec."""
        if cast_context.allow_specs and isinstance(value, VariableSpec):
            return value
        if not isinstance(value, Variable):
            raise TypeError(f"Can not cast {value!r} to {self!r}: it is no variable.")
        if not self.is_compatible_with(value):
            raise TypeError(f"Can not cast {VariableSpec.from_value(value)!r} to {self!r}")
        return value

    @property
    def handle_spec(self) -> TensorSpec:
        """The spec of the handle by which graphs refer to the variable."""
        return TensorSpec([], dtypes.resource)

    def _key(self) -> tuple[Any, ...]:
        dims = None if self._shape.rank is None else tuple(self._shape)
        return dims, self._dtype, self._trainable, self._alias_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"trainable={self._trainable!r}, alias_id={self._alias_id!r})"
        )

"""The specs of linear operators."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, spec_or_none, type_spec_from_value
from eagerflow.typing import TensorLike

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


class LinearOperatorSpec(TypeSpec):
    """What is known of an operator: its class, the specs of its tensors, and its other parameters.

    Args:
        kind: the class.
        fields: the specs of the parameters that hold tensors or operators, by name.
        others: the other parameters, by name.
    """

    def __init__(self, kind: type, fields: dict[str, Any], others: dict[str, Any]) -> None:
        self._kind = kind
        self._fields = fields
        self._others = others

    @classmethod
    def from_operator(cls, operator: Any) -> LinearOperatorSpec:
        """The spec of an operator."""
        kind: Any = type(operator)
        values = operator._tensor_parameters()
        fields = {name: nest.map_structure(_spec_of, value) for name, value in values.items()}
        others = {k: v for k, v in operator._parameters.items() if k not in fields and k != "name"}
        others |= {hint: getattr(operator, f"_{hint}") for hint in HINTS if hint in others}
        return _spec_class(kind)(kind, fields, others)

    @property
    def value_type(self) -> type:
        """The operator's class."""
        return self._kind

    @property
    def _component_specs(self) -> list[Any]:
        return list(self._fields.values())

    def _to_components(self, value: Any) -> list[Any]:
        return list(value._tensor_parameters().values())

    def _from_components(self, components: Any) -> Any:
        return self._kind(**dict(zip(self._fields, components, strict=True)), **self._others)

    def _key(self) -> tuple:
        return (
            self._kind,
            tuple((k, tuple(nest.flatten(v))) for k, v in self._fields.items()),
            tuple((k, repr(v)) for k, v in sorted(self._others.items())),
        )

    def most_specific_compatible_type(self, other: Any) -> TypeSpec | LinearOperatorSpec:
        """The spec whose tensors have the specs that both have in common."""
        same = type(self) is type(other) and self._key()[2] == other._key()[2]
        if not same or list(self._fields) != list(other._fields):
            return super().most_specific_compatible_type(other)
        fields = {
            name: nest.map_structure(
                lambda a, b: a.most_specific_compatible_type(b), spec, other._fields[name]
            )
            for name, spec in self._fields.items()
        }
        return type(self)(self._kind, fields, self._others)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether an operator, or what another spec describes, fits this spec."""
        other: Any = spec_or_none(spec_or_value)
        if type(self) is not type(other) or self._key()[2] != other._key()[2]:
            return False
        mine, theirs = self.flatten(), other.flatten()
        return len(mine) == len(theirs) and all(
            a.is_compatible_with(b) for a, b in zip(mine, theirs, strict=True)
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether every operator of this spec is one of the other's."""
        if type(self) is not type(other) or self._key()[2] != other._key()[2]:
            return False
        mine, theirs = self.flatten(), other.flatten()
        return len(mine) == len(theirs) and all(
            a.is_subtype_of(b) for a, b in zip(mine, theirs, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._kind, len(self._fields)))

    def __repr__(self) -> str:
        shown = {k: v for k, v in self._others.items() if v is not None}
        return f"{type(self).__name__}({self._fields}, {shown}, ())"


def _spec_of(value: TensorLike) -> TensorSpec | TypeSpec:
    if isinstance(value, _core.Variable):
        return TensorSpec(value.shape, value.dtype)
    return type_spec_from_value(value)


@functools.cache
def _spec_class(kind: type) -> type[LinearOperatorSpec]:
    name = f"{kind.__name__}Spec"
    return type(name, (LinearOperatorSpec,), {"__doc__": f"The spec of a `{kind.__name__}`."})

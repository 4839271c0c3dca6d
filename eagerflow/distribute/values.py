"""Distributed values, and how structures of them are split and joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.tensor import OPERATORS
from eagerflow.framework.type_spec import TypeSpec, type_spec_from_value
from eagerflow.typing import TensorLike


class DistributedValues:
    """A value for each replica.

    Args:
        values: the values, in the order of the replicas.
    """

    _kind: str | None = None  # the name in text forms, where it is not the class's

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, one for each replica."""
        return self._values

    @property
    def _primary(self) -> Any:
        return self._values[0]

    @property
    def _devices(self) -> tuple[str, ...]:
        return tuple(value.device for value in self._values)

    def _text(self, show: Callable[[Any], str]) -> str:
        shown = ",\n".join(f"  {k}: {show(value)}" for k, value in enumerate(self._values))
        return f"{self._kind or type(self).__name__}:{{\n{shown}\n}}"

    def __str__(self) -> str:
        return self._text(str)

    def __repr__(self) -> str:
        return self._text(repr)


class PerReplica(DistributedValues, CompositeTensor):
    """Values that replicas have computed or will receive.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> strategy.experimental_distribute_values_from_function(
    ...     lambda context: tf.constant(context.replica_id_in_sync_group)
    ... )
    PerReplica:{
      0: <tf.Tensor: shape=(), dtype=int32, numpy=0>
    }
    """

    _stands_for_tensor = False

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*(type_spec_from_value(value) for value in self._values))


class PerReplicaSpec(TypeSpec):
    """The specs of a value of each replica.

    Args:
        *value_specs: one for each replica.
    """

    def __init__(self, *value_specs: Any) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> type:
        """Values of each replica."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> Any:
        return self._value_specs

    def _to_components(self, value: PerReplica) -> Any:
        return value.values

    def _from_components(self, components: Any) -> PerReplica:
        return PerReplica(components)


class Mirrored(DistributedValues):
    """The same value on each device."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> _core.Tensor:
        return _core.convert(self._values[0], dtype, None)

    def numpy(self) -> Any:
        """The value as an array."""
        return self._values[0].numpy()

    @property
    def op(self) -> Any:
        """In graphs, the operation that computes the first value."""
        return self._values[0].op

    def _as_graph_element(self) -> Any:
        first = self._values[0]
        return first if isinstance(first, _core.Tensor) else first._as_graph_element()


class MirroredTensor(Mirrored):
    """The same tensor on each device: attributes and operators are those of the first."""

    _kind = "Mirrored"

    def __getattr__(self, name: str) -> Any:
        # `copy` reads attributes before `_values` exists.
        if name.startswith("__") or "_values" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._values[0], name)


def _operator_on_first(name: str) -> Callable[..., Any]:
    def on_first(self: MirroredTensor, *args: object) -> Any:
        return getattr(self._values[0], name)(*args)

    return on_first


# Equality is identity, which sets and dictionaries need.
for _name in OPERATORS - {"__eq__", "__ne__"}:
    if hasattr(_core.Tensor, _name):
        setattr(MirroredTensor, _name, _operator_on_first(_name))


def replica_of(structure: object, replica: int) -> Any:
    """A structure with the values of one replica.

    Args:
        structure: any structure.
        replica: the number of the replica.
    """

    def pick(leaf: object) -> Any:
        if isinstance(leaf, DistributedValues) and not isinstance(leaf, _core.Variable):
            # Replicas share the value of a variable on one device.
            return leaf.values[min(replica, len(leaf.values) - 1)]
        return leaf

    return nest.map_structure(pick, structure)


def joined(values: Sequence[Any], kind: type[DistributedValues] = PerReplica) -> Any:
    """Joins the structures that replicas have returned.

    A leaf that is the same object in all of them is kept; other leaves become distributed values.

    Args:
        values: what each replica has returned.
        kind: the class of values that differ.
    """
    first = values[0]
    if len(values) == 1:
        return first
    if isinstance(first, list):
        _check_alike(values, lambda v: isinstance(v, list) and len(v) == len(first))
        return [joined(parts, kind) for parts in zip(*values, strict=True)]
    if isinstance(first, tuple):
        _check_alike(values, lambda v: isinstance(v, tuple) and len(v) == len(first))
        parts = [joined(each, kind) for each in zip(*values, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if isinstance(first, dict):
        _check_alike(values, lambda v: isinstance(v, dict) and v.keys() == first.keys())
        return type(first)((key, joined([v[key] for v in values], kind)) for key in first)
    if all(value is first for value in values):
        return first
    container = container_of(first)
    if container is not None and all(
        value is part for value, part in zip(values, container.values, strict=True)
    ):
        return container
    return kind(values)


def container_of(value: Any) -> Any:
    """The variable with copies that a copy is of; None for any other value."""
    container = getattr(value, "_distributed_container", None)
    return None if container is None else container()


def _check_alike(values: Sequence[TensorLike], alike: Callable[[Any], bool]) -> None:
    for number, value in enumerate(values):
        if not alike(value):
            raise ValueError(
                f"Replicas must return the same structure, but replica 0 returned {values[0]!r}, "
                f"and replica {number} returned {value!r}."
            )

"""Extension types and programs' own specs whose values can be stacked along a first axis and sliced."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.extension_types.extension_type import (
    ExtensionType,
    ExtensionTypeSpec,
    parts_of,
)
from eagerflow.extension_types.fields import ImmutableDict, SpecDict
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import EncodedAsItself, TensorSpec, TypeSpec
from eagerflow.ops.batching import stack_tensors
from eagerflow.ops.indexing import gather
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec

Tensor = _core.Tensor


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of a stack of values; plain values stay as they are."""
    if isinstance(spec, TypeSpec):
        return spec._batch(size)
    return _mapped(spec, lambda inner: batched_spec(inner, size))


def unbatched_spec(spec: Any) -> Any:
    """The spec of a slice along the first axis."""
    if isinstance(spec, TypeSpec):
        return spec._unbatch()
    return _mapped(spec, unbatched_spec)


def _mapped(spec: Any, function: Any) -> Any:
    if isinstance(spec, tuple):
        return tuple(map(function, spec))
    if isinstance(spec, Mapping):
        return SpecDict((key, function(item)) for key, item in spec.items())
    return spec


def _leaves(spec: Any, value: object, leaves: list) -> None:
    """The tensors and composite values that a field holds."""
    if isinstance(spec, TypeSpec):
        leaves.append(value)
    elif isinstance(spec, tuple | Mapping):
        for inner, item in zip(parts_of(spec), parts_of(value), strict=True):
            _leaves(inner, item, leaves)


def _refilled(spec: Any, leaves: Any) -> Any:
    if isinstance(spec, TypeSpec):
        return next(leaves)
    if isinstance(spec, tuple):
        return tuple(_refilled(item, leaves) for item in spec)
    if isinstance(spec, Mapping):
        values = {key: _refilled(spec[key], leaves) for key in sorted(spec)}
        return ImmutableDict((key, values[key]) for key in spec)
    return spec


class ExtensionTypeBatchEncoder:
    """Encodes values of an extension type as tensors that can be stacked, and decodes them.

    This one encodes a value by the tensors in its fields. A subclass may choose others, and other
    specs for batches; a type names its encoder in `__batch_encoder__`.

    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> pairs = tf.data.Dataset.from_tensor_slices(Pair([1, 2, 3], [4, 5, 6]))
    >>> [pair.y.numpy().tolist() for pair in pairs.batch(2)]
    [[4, 5], [6]]
    """

    def batch(self, spec: Any, batch_size: int | None) -> BatchableExtensionTypeSpec:
        """The spec of `batch_size` stacked values; None means any number."""
        return spec._of({k: batched_spec(item, batch_size) for k, item in spec._field_values()})

    def unbatch(self, spec: Any) -> BatchableExtensionTypeSpec:
        """The spec of a slice of a value along the first axis."""
        return spec._of({k: unbatched_spec(item) for k, item in spec._field_values()})

    def encode(self, spec: Any, value: object, minimum_rank: int = 0) -> Any:
        """A list of tensors, or composite tensors, for a value of this spec."""
        leaves: list = []
        for name, item in spec._field_values():
            _leaves(item, value.__dict__[name], leaves)
        return leaves

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of the result of `encode`."""
        specs: list = []
        for _, item in spec._field_values():
            _leaves(item, item, specs)
        return specs

    def decode(self, spec: Any, encoded_value: Any) -> BatchableExtensionType:
        """The value of this spec from its encoding."""
        leaves = iter(encoded_value)
        return spec._value({name: _refilled(item, leaves) for name, item in spec._field_values()})


class StackedByEncoder(TypeSpec):
    """The base of specs whose values are stacked and sliced in their encoding."""

    _is_batchable = True
    _encoder: Any

    def _slices(self, value: object) -> Slices:
        return Slices(self, value)

    def _stack(self, values: list) -> Any:
        """Values of this spec along a new first axis.

        Raises:
            tf.errors.InvalidArgumentError: if their shapes differ.
        """
        encoder = self._encoder
        columns = zip(*(encoder.encode(self, value) for value in values), strict=True)
        specs = encoder.encoding_specs(self)
        stacked = []
        for k, (spec, column) in enumerate(zip(specs, columns, strict=True)):
            if isinstance(spec, TensorSpec):
                stacked.append(stack_tensors(list(column), k))
            else:
                stacked.append(spec._stack(list(column)))
        return encoder.decode(encoder.batch(self, len(values)), stacked)

    def _row_parts(self) -> list[tuple[TensorSpec, bool]]:
        parts: list[tuple[TensorSpec, bool]] = []
        for spec in self._encoder.encoding_specs(self):
            parts += [(spec, False)] if isinstance(spec, TensorSpec) else spec._row_parts()
        return parts

    def _row_tensors(self, value: Any, row: Any) -> list:
        encoded = self._encoder.encode(self, value)
        tensors: list = []
        for spec, part in zip(self._encoder.encoding_specs(self), encoded, strict=True):
            tensors += [part] if isinstance(spec, TensorSpec) else spec._row_tensors(part, row)
        return tensors

    def _from_rows(self, tensors: list, count: Any) -> Any:
        remaining = iter(tensors)
        stacked = []
        for spec in self._encoder.encoding_specs(self):
            if isinstance(spec, TensorSpec):
                stacked.append(next(remaining))
            else:
                own = [next(remaining) for _ in spec._row_parts()]
                stacked.append(spec._from_rows(own, count))
        return self._encoder.decode(self._encoder.batch(self, None), stacked)


class BatchableExtensionTypeSpec(EncodedAsItself, StackedByEncoder, ExtensionTypeSpec):
    """The base of the specs of extension types whose values can be stacked."""

    @property
    def _encoder(self) -> ExtensionTypeBatchEncoder:
        return self.value_type.__batch_encoder__  # type: ignore[attr-defined]

    def _batch(self, batch_size: int | None) -> Any:
        return self._encoder.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self._encoder.unbatch(self)

    def _gathered(self, value: object, rows: Any) -> Any:
        """The slices of a value at some positions, as one value."""
        parts = [
            part._type_spec._gathered(part, rows)
            if isinstance(part, BatchableExtensionType)
            else gather(part, rows)
            for part in self._encoder.encode(self, value, 1)
        ]
        return self._encoder.decode(self._unbatch()._batch(rows.shape[0]), parts)


class PartsEncoder:
    """Encodes values as their spec's own methods do."""

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` stacked values."""
        return spec._batch(batch_size)

    def unbatch(self, spec: Any) -> Any:
        """The spec of a slice of a value."""
        return spec._unbatch()

    def encode(self, spec: Any, value: object, minimum_rank: int = 0) -> Any:
        """A list of tensors, or composite tensors."""
        return spec._to_batched_tensor_list(value) if minimum_rank else spec._to_tensor_list(value)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of the result of `encode`."""
        return spec._flat_tensor_specs

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of this spec from its encoding."""
        return spec._from_compatible_tensor_list(encoded_value)


class BatchableTypeSpec(StackedByEncoder, metaclass=ABCMeta):
    """The base of a program's own specs whose values can be stacked: they define `_batch`, `_unbatch`.

    A value is encoded by its components, unless the spec defines `_to_tensor_list`,
    `_flat_tensor_specs` and `_from_compatible_tensor_list`.
    """

    __batch_encoder__ = PartsEncoder()

    @property
    def _encoder(self) -> Any:
        return self.__batch_encoder__

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        parts = nest.flatten(self._component_specs)  # type: ignore[attr-defined]
        return [spec for part in parts for spec in part._flat_tensor_specs]

    def _to_tensor_list(self, value: object) -> list[Any]:
        return self._encoded(value, "_to_tensor_list")

    def _to_batched_tensor_list(self, value: object) -> list[Any]:
        return self._encoded(value, "_to_batched_tensor_list")

    def _encoded(self, value: object, method: str) -> list[Any]:
        specs = self._component_specs  # type: ignore[attr-defined]
        parts = nest.flatten_up_to(specs, self._to_components(value))  # type: ignore[attr-defined]
        return [
            tensor
            for spec, part in zip(nest.flatten(specs), parts, strict=True)
            for tensor in getattr(spec, method)(part)
        ]

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        specs = self._component_specs  # type: ignore[attr-defined]
        tensors = iter(tensor_list)
        parts = [
            spec._from_compatible_tensor_list([next(tensors) for _ in spec._flat_tensor_specs])
            for spec in nest.flatten(specs)
        ]
        return self._from_components(nest.pack_sequence_as(specs, parts))  # type: ignore[attr-defined]


for _spec in (TensorSpec, RaggedTensorSpec, SparseTensorSpec, BatchableExtensionTypeSpec):
    BatchableTypeSpec.register(_spec)


class Slices:
    """The slices of a value along the first axis."""

    def __init__(self, spec: Any, value: Any) -> None:
        encoder = spec._encoder
        self._encoder = encoder
        parts = encoder.encode(spec, value, 1)
        self._columns = [_slices(part) for part in parts]
        self._spec = encoder.unbatch(spec)
        counts = {_count(part) for part in parts}
        if len(counts) != 1:
            raise ValueError(
                f"The tensors of {type(value).__name__} have different first sizes: "
                f"{sorted(counts)}."
            )
        self.count = counts.pop()

    @property
    def shape(self) -> TensorShape:
        """The shape `[n]` of n slices, whose own shape is not known."""
        return TensorShape([self.count])

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, row: int) -> Any:
        return self._encoder.decode(self._spec, [column[row] for column in self._columns])


def _slices(part: Any) -> Any:
    return part if isinstance(part, Tensor) else part._type_spec._slices(part)


def _count(part: Any) -> int:
    shape = part.shape if not isinstance(part, BatchableExtensionType) else None
    if shape is None:
        return part._type_spec._slices(part).count
    if not shape.rank:
        raise ValueError("A scalar has no slices along a first axis.")
    return shape[0]


class BatchableExtensionType(ExtensionType):
    """The base of extension types whose values can be stacked and sliced.

    Pipelines can batch them, and `tf.map_fn` goes along their first axis. The tensors in the
    fields are stacked, unless a class names another `__batch_encoder__`.

    >>> class Pair(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> tf.map_fn(lambda pair: pair.x * pair.y, Pair([1, 2], [3, 4]), fn_output_signature=tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 8], dtype=int32)>
    """

    _tf_extension_type_do_not_transform_this_class = True
    __batch_encoder__ = ExtensionTypeBatchEncoder()


setattr(BatchableExtensionType, "Spec", BatchableExtensionTypeSpec)  # noqa: B010

"""Specs: descriptions of the values that a pipeline yields or a function accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes, shapes
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.trace_type import TraceType
from eagerflow.util import lazy

# Few programs define specs of their own.
spec_parameters = lazy.Module("eagerflow.framework.spec_parameters")


class TypeSpec(TraceType):
    """The description of a value before it is computed; the base class of all specs.

    A program's own spec defines `value_type`; `_serialize()`, the arguments of an equal spec;
    `_component_specs`, a structure of specs; and `_to_components(value)` and
    `_from_components(components)`, which split a value into such a structure and rebuild it.
    """

    @property
    def value_type(self) -> type:
        """The Python class of the values described."""
        raise TypeError(f"{type(self).__name__} describes no class of values.")

    @classmethod
    def _deserialize(cls, serialization: Any) -> TypeSpec:
        return cls(*serialization)

    # Programs' own specs are compared by what `_serialize` returns.

    def __make_cmp_key(self, value: object) -> Any:
        return spec_parameters.key(value)

    def _is_serializable(self) -> bool:
        return hasattr(self, "_serialize")

    def _serialized(self) -> Any:
        return self._serialize()  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        if self is other or type(self) is not type(other) or not self._is_serializable():
            return self is other
        return bool(
            spec_parameters.key(self._serialized()) == spec_parameters.key(other._serialized())
        )

    def __hash__(self) -> int:
        if not self._is_serializable():
            return object.__hash__(self)
        return hash((type(self), spec_parameters.key(self._serialized())))

    def __repr__(self) -> str:
        if not self._is_serializable():
            return object.__repr__(self)
        return f"{type(self).__name__}{self._serialized()!r}"

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether a value, or every value of another spec, is compatible with this spec."""
        if not self._is_serializable():
            return self == spec_or_value
        other: Any = spec_or_none(spec_or_value)
        return type(self) is type(other) and spec_parameters.fit(
            self._serialized(), other._serialized(), lambda a, b: a.is_compatible_with(b)
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether every value of this spec is a value of the other."""
        if type(self) is not type(other):
            return False
        if not self._is_serializable():
            return self == other
        return spec_parameters.fit(
            self._serialized(), other._serialized(), lambda a, b: a.is_subtype_of(b)
        )

    def most_specific_compatible_type(self, other: object) -> TypeSpec:
        """The narrowest spec that describes the values of both.

        Raises:
            ValueError: if there is none.
        """
        if type(self) is type(other) and self._is_serializable():
            return self._deserialize(
                spec_parameters.joined(self._serialized(), other._serialized())
            )
        if self != other:
            raise ValueError(f"No spec is compatible with both {self} and {other}.")
        return self

    # Functions are traced with these. A composite spec has `_component_specs`.

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> Any:
        """The narrowest spec of the values of all; None if there is none."""
        spec: Any = self
        try:
            for other in others:
                spec = spec.most_specific_compatible_type(other)
        except (TypeError, ValueError):
            return None
        return spec

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A value of symbolic tensors."""
        parts = [spec.placeholder_value(placeholder_context) for spec in self._parts_of_values()]
        return nest.pack_sequence_as(self, parts, expand_composites=True)

    def to_tensors(self, value: object) -> list[Any]:
        """The tensors that make up a value."""
        if not hasattr(self, "_to_components"):
            raise TypeError(f"Values with {self!r} cannot be taken apart into tensors.")
        parts = nest.flatten(self._to_components(value), expand_composites=True)
        return [_core.as_tensor(part) for part in parts]

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """A value made of as many tensors as `to_tensors` returns."""
        parts = [next(tensors) for _ in self._parts_of_values()]
        return nest.pack_sequence_as(self, parts, expand_composites=True)

    def flatten(self) -> list[Any]:
        """The specs of the tensors that make up a value."""
        return self._parts_of_values()

    # What a value is encoded as to be stacked and sliced, and the specs of that.

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return self._parts_of_values()

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return self.to_tensors(value)

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        return self._to_tensor_list(value)

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        return self.from_tensors(iter(tensor_list))

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value, if it has this spec.

        Raises:
            TypeError: if it has another one.
            ValueError: if it consists of another number of tensors.
        """
        if nest.is_nested(value):
            raise _other_structure(self, value)
        value_spec = type_spec_from_value(value) if not isinstance(value, TypeSpec) else value
        if isinstance(value, TypeSpec) and not cast_context.allow_specs:
            raise TypeError(f"Can not cast the spec {value!r} to {self!r}: a value is needed.")
        if not value_spec.is_subtype_of(self) and not self.is_compatible_with(value):
            if type(value_spec) is type(self):
                _check_parts(self, value_spec)
            raise TypeError(f"Can not cast {value_spec!r} to {self!r}")
        return value

    def _parts_of_values(self) -> list[Any]:
        specs = getattr(self, "_component_specs", None)
        if specs is None:
            raise TypeError(f"Values with {self!r} cannot be taken apart into tensors.")
        return nest.flatten(specs, expand_composites=True)

    # Batching, for pipelines and `tf.map_fn`.

    _is_batchable = False

    def _batch(self, size: int | None) -> TypeSpec:
        """The spec of `size` stacked values; None means any number."""
        raise TypeError(f"Elements with {self} cannot be batched.")

    def _with_tensor_ranks_only(self) -> TypeSpec:
        """The same spec with all sizes unknown; shapes keep their ranks."""
        return self._deserialize(_changed(self._serialized(), _without_sizes))

    def _without_tensor_names(self) -> TypeSpec:
        """The same spec without the names of tensors."""
        return self._deserialize(_changed(self._serialized(), _without_names))

    def _unbatch(self) -> TypeSpec:
        """The spec of a slice of a value along the first axis."""
        raise TypeError(f"Elements with {self} have no slices.")

    def _stack(self, values: list) -> Any:
        """Values of this spec along a new first axis."""
        raise TypeError(
            f"Batching of elements of type {type(values[0]).__name__} is not supported."
        )

    def _row_parts(self) -> list[tuple[TensorSpec, bool]]:
        """The tensors that a loop of a graph keeps of each value, to stack all values afterwards.

        Their specs, and whether they are concatenated along the first axis instead of stacked.
        """
        raise TypeError(f"Elements with {self} cannot be batched.")

    def _row_tensors(self, value: Any, row: Any) -> list:
        """The tensors of `_row_parts` for the value that becomes this row of the stacked values."""
        raise NotImplementedError

    def _from_rows(self, tensors: list, count: object) -> Any:
        """The stacked values, from the concatenated or stacked tensors."""
        raise NotImplementedError

    def _slices(self, value: Any) -> Any:
        """The slices of a value along the first axis, by index; it has the value's `shape`."""
        return value

    def _zero(self, unknown: int) -> Any:
        """A value of this spec: zeros, `unknown` of them where a size is not known."""
        raise TypeError(f"There is no zero with {self}.")


def _changed(parameters: Any, change: Callable[[Any], Any]) -> Any:
    """The parameters of a spec, with `change` applied to the shapes and specs in them."""
    if isinstance(parameters, TensorShape | TypeSpec):
        return change(parameters)
    if isinstance(parameters, (list, tuple)):
        return type(parameters)(_changed(part, change) for part in parameters)
    if isinstance(parameters, dict):
        return {key: _changed(value, change) for key, value in parameters.items()}
    return parameters


def _without_sizes(part: TensorShape | TypeSpec) -> TypeSpec | TensorShape:
    if isinstance(part, TypeSpec):
        return part._with_tensor_ranks_only()
    return TensorShape(None if part.rank is None else [None] * part.rank)


def _without_names(part: TensorShape | TypeSpec) -> TypeSpec | TensorShape:
    return part._without_tensor_names() if isinstance(part, TypeSpec) else part


class EncodedAsItself(TypeSpec):
    """The base of specs whose values can be stacked and sliced as they are."""

    _is_batchable = True

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return [self]

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return [value]

    def _from_compatible_tensor_list(self, tensor_list: Sequence[Any]) -> Any:
        (value,) = tensor_list
        return value


class TensorSpec(EncodedAsItself):
    """The shape, dtype and name of a tensor.

    Args:
        shape: a shape as `TensorShape` accepts it; None for a dimension, or for all, if unknown.
        dtype: the dtype of the elements.
        name: a name for error messages and signatures.

    >>> tf.TensorSpec([None, 3], tf.float32)
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A TensorSpec with another's shape and dtype."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor. By default it has the name of the operation if the tensor is symbolic.

        >>> tf.TensorSpec.from_tensor(tf.zeros([2, 3]))
        TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
        """
        if name is None and isinstance(tensor, _core.Tensor) and _core.is_symbolic(tensor):
            name = tensor.name.rpartition(":")[0]
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, if there is one."""
        return self._name

    @property
    def value_type(self) -> type:
        """Tensors."""
        return _core.Tensor

    def is_compatible_with(self, spec_or_tensor: object) -> bool:
        """Whether dtype and shape fit; unknown dimensions fit any.

        >>> tf.TensorSpec([None]).is_compatible_with(tf.ones([5]))
        True
        """
        if not (hasattr(spec_or_tensor, "dtype") and hasattr(spec_or_tensor, "shape")):
            try:
                spec_or_tensor = _core.convert(spec_or_tensor, None, self._dtype)
            except (TypeError, ValueError):
                return False
        return self._dtype == as_dtype(spec_or_tensor.dtype) and self._shape.is_compatible_with(
            spec_or_tensor.shape
        )

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other has this dtype and name (if any), and no more specific shape."""
        if not isinstance(other, TensorSpec) or self._dtype != other._dtype:
            return False
        if self._is_weak != other._is_weak:
            return False
        if self._name is not None and self._name != other._name:
            return False
        return self._shape.is_subtype_of(other._shape)

    def most_specific_compatible_type(self, other: object) -> TensorSpec:
        """A spec with None wherever the two shapes differ."""
        if not isinstance(other, TensorSpec) or self._dtype != other._dtype:
            raise ValueError(f"No TensorSpec is compatible with both {self} and {other}.")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return type(self)(shape, self._dtype, self._name)

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TensorSpec | None:
        """The spec with None wherever shapes differ; None if dtypes or names do."""
        shape = self._shape
        for other in others:
            if (
                not isinstance(other, TensorSpec)
                or self._dtype != other._dtype
                or self._name != other._name
                or self._is_weak != other._is_weak
            ):
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return self._like(shape, self._name)

    def _like(self, shape: Any, name: str | None = None) -> TensorSpec:
        """A spec of tensors of another shape."""
        return TensorSpec(shape, self._dtype, name)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A symbolic tensor."""
        return placeholder_context.placeholder(self)

    def to_tensors(self, value: object) -> list[Any]:
        """The tensor, in a list."""
        return [
            value if isinstance(value, _core.Tensor) else _core.convert(value, self._dtype, None)
        ]

    def from_tensors(self, tensors: Iterator[object]) -> Any:
        """The next tensor."""
        return next(tensors)

    def flatten(self) -> list[Any]:
        """This spec, in a list."""
        return [self]

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value as a tensor.

        Raises:
            TypeError: if it has another dtype or an incompatible shape, or cannot be converted.
        """
        if isinstance(value, TensorSpec) and cast_context.allow_specs:
            if not value.is_subtype_of(self) and not self.is_compatible_with(value):
                raise TypeError(f"Can not cast {value!r} to {self!r}")
            return self
        if not isinstance(value, _core.Tensor):
            value = self._converted(value)
        value_spec = TensorSpec(value.shape, value.dtype, self._name)
        if value_spec._dtype != self._dtype or not self._shape.is_compatible_with(
            value_spec._shape
        ):
            raise TypeError(f"Can not cast {value_spec!r} to {self!r}")
        return value

    def _converted(self, value: Any) -> _core.Tensor:
        if not isinstance(value, _core.Variable) and hasattr(type(value), "_type_spec"):
            raise TypeError(f"Can not cast {value!r} to {self!r}: it is no tensor.")
        try:
            return _core.convert(value, self._dtype, None)
        except (TypeError, ValueError) as error:
            raise TypeError(str(error)) from error

    _is_weak = False

    def _batch(self, size: int | None) -> TensorSpec:
        return self._like(TensorShape([size]).concatenate(self._shape))

    def _serialize(self) -> tuple[TensorShape, DType, str | None]:
        return self._shape, self._dtype, self._name

    def _with_tensor_ranks_only(self) -> TensorSpec:
        return self._like(_without_sizes(self._shape), self._name)

    def _without_tensor_names(self) -> TensorSpec:
        return self._like(self._shape)

    def _unbatch(self) -> TensorSpec:
        return self._like(None if self._shape.rank is None else self._shape[1:])

    def _zero(self, unknown: int) -> _core.Tensor:
        dims = [] if self._shape.rank is None else self._shape.as_list()
        return _core.ops.zeros([unknown if size is None else size for size in dims], self._dtype)

    def __repr__(self) -> str:
        shape = "<unknown>" if self._shape.rank is None else str(self._shape)
        return f"TensorSpec(shape={shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other)
            and isinstance(other, TensorSpec)
            and self._dims() == other._dims()
            and self._dtype == other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._dims(), self._dtype))

    def _dims(self) -> tuple | None:
        """TensorShapes with unknown dimensions do not equal each other, their dimensions do."""
        return None if self._shape.rank is None else tuple(self._shape)

    def __reduce__(self) -> tuple:
        dims = self._dims()
        return (_tensor_spec, (dims, self._dtype.name, self._name))


def _tensor_spec(dims: tuple | None, dtype: str, name: str | None) -> TensorSpec:
    return TensorSpec(dims, dtype, name)


class WeakTensorSpec(TensorSpec):
    """The spec of weak tensors: the other operand decides the dtype of a result."""

    _is_weak = True

    def placeholder_value(self, placeholder_context: Any) -> _core.Tensor:
        """A symbolic tensor that is weak."""
        return _core.weakened(placeholder_context.placeholder(self))

    def to_tensors(self, value: object) -> list[Any]:
        """The tensor as an ordinary one, in a list."""
        return [_core.strengthened(tensor) for tensor in super().to_tensors(value)]

    def from_tensors(self, tensors: Iterator[Any]) -> _core.Tensor:
        """The next tensor as a weak one."""
        return _core.weakened(next(tensors))

    def _like(self, shape: Any, name: str | None = None) -> TensorSpec:
        return WeakTensorSpec(shape, self._dtype, name)

    def __repr__(self) -> str:
        return f"EagerWeakTensor.Spec(tensor={super().__repr__()})"

    def __reduce__(self) -> tuple:
        return (_weak_tensor_spec, super().__reduce__()[1])


def _weak_tensor_spec(dims: tuple | None, dtype: str, name: str | None) -> WeakTensorSpec:
    return WeakTensorSpec(dims, dtype, name)


def _other_structure(spec: TypeSpec, other: object) -> ValueError:
    return ValueError(
        f"The two structures don't have the same nested structure: {spec!r} and {other!r}"
    )


def _check_parts(spec: TypeSpec, other: TypeSpec) -> None:
    """Raises the error about the first tensor of a value with another spec that does not fit."""
    parts, others = spec._parts_of_values(), other._parts_of_values()
    if len(parts) != len(others):
        raise _other_structure(spec, other)
    for part, other_part in zip(parts, others, strict=True):
        if not other_part.is_subtype_of(part):
            raise TypeError(f"Can not cast {other_part!r} to {part!r}")


class WeakTensors:
    """Whether the program can have weak tensors.

    Attributes:
        exist: whether it can.
        converted: a tensor in another dtype, to which it is promoted; None where it is not.
    """

    exist = False
    converted: Callable[[Any, DType], Any]


def is_weak(value: object) -> bool:
    """Whether a value is a weak tensor."""
    return type(value) in (_core.EagerWeakTensor, _core.GraphWeakTensor)


def weak_as(tensor: Any, like: object) -> Any:
    """A tensor, as a weak one if another value is weak."""
    return _core.weakened(tensor) if is_weak(like) else tensor


class NoneTensorSpec(TypeSpec):
    """The spec of None.

    >>> tf.NoneTensorSpec().is_compatible_with(None)
    True
    """

    @property
    def value_type(self) -> type:
        """The type of None."""
        return type(None)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether the other is None, or this spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def placeholder_value(self, placeholder_context: Any) -> None:
        """None."""

    def to_tensors(self, value: object) -> list[Any]:
        """No tensors."""
        return []

    def from_tensors(self, tensors: Iterator[object]) -> None:
        """None."""

    def flatten(self) -> list[Any]:
        """No specs."""
        return []

    def most_specific_compatible_type(self, other: object) -> NoneTensorSpec:
        """This spec.

        Raises:
            ValueError: if the other is not the spec of None.
        """
        if not isinstance(other, NoneTensorSpec):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self

    def _batch(self, size: int | None) -> NoneTensorSpec:
        return self

    def _unbatch(self) -> NoneTensorSpec:
        return self

    def _zero(self, unknown: int) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


def fill_message(message: Any, spec: TensorSpec) -> None:
    """Sets a TensorSpecProto."""
    message.name = spec.name or ""
    message.dtype = spec.dtype.as_datatype_enum
    shapes.fill_message(message.shape, spec.shape)


def spec_of_message(message: Any) -> TensorSpec:
    """The spec in a TensorSpecProto."""
    return TensorSpec(TensorShape(message.shape), as_dtype(message.dtype), message.name or None)


def type_spec_from_value(value: object) -> TypeSpec:
    """The spec of a tensor, an object that defines one, or a value that can be converted to a tensor.

    Raises:
        TypeError: if the value has no spec.

    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    if isinstance(value, _core.Tensor):
        return (WeakTensorSpec if is_weak(value) else TensorSpec)(value.shape, value.dtype)
    if value is None:
        return NoneTensorSpec()
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    try:
        tensor = _core.as_tensor(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}"
        ) from None
    return TensorSpec(tensor.shape, tensor.dtype)


def spec_or_none(spec_or_value: object) -> TypeSpec | None:
    """A spec itself, or that of a value; None if the value has none."""
    if isinstance(spec_or_value, TypeSpec):
        return spec_or_value
    try:
        return type_spec_from_value(spec_or_value)
    except TypeError:
        return None

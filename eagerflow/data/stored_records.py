"""Elements as the records of TensorFlow's saved datasets: one TensorProto for each tensor.

Ragged and sparse tensors are variants, which hold their parts as TensorProtos.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.composites import REBUILD, to_parts
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import NoneTensorSpec
from eagerflow.io.serialization import tensor_message, tensor_of_message
from eagerflow.protos.schema import protobuf
from eagerflow.protos.structure import MESSAGES as structure_messages
from eagerflow.protos.tensor import MESSAGES
from eagerflow.typing import ShapeLike
from eagerflow.util.varints import packed_strings, unpacked_strings, varints

Tensor = _core.Tensor

_CONTENT = b"\x22"  # the tag of TensorProto's tensor_content
_VARIANT = 21
_RAGGED_NAME, _TENSOR_NAME = "RaggedTensorVariant", "tensorflow::Tensor"


def _message(dtype: int, shape: tuple[int, ...] | tuple[int] | tuple[()], content: bytes) -> bytes:
    message = MESSAGES["TensorProto"](dtype=dtype, tensor_content=content)
    message.tensor_shape.SetInParent()
    for size in shape:
        message.tensor_shape.dim.add(size=size)
    return message.SerializeToString()


class ElementEncoder:
    """Encodes elements as records; caches the header of each dtype and shape."""

    def __init__(self) -> None:
        self._heads: dict[tuple[Any, ...], bytes] = {}

    def records(self, element: Any) -> list[bytes]:
        """The records of an element, in the order of its leaves."""
        return [self._record(leaf) for leaf in structure.flatten(element) if leaf is not None]

    def _record(self, leaf: Tensor) -> bytes:
        if not isinstance(leaf, Tensor):
            return _variant_record(leaf)
        shape = leaf._shape_tuple()
        if leaf.dtype is dtypes.string:
            return _message(leaf.dtype.as_datatype_enum, shape, packed_strings(items(leaf)))
        data = np.asarray(leaf).tobytes()
        key = (leaf.dtype, shape)
        head = self._heads.get(key)
        if head is None:
            head = _message(leaf.dtype.as_datatype_enum, shape, b"")
            if data:
                head += _CONTENT + varints(len(data))
            self._heads[key] = head
        return head + data


def _variant_record(leaf: Any) -> bytes:
    parts = to_parts(leaf)
    if parts is None or parts[0] not in ("ragged", "sparse"):
        raise TypeError(f"A {type(leaf).__name__} cannot be saved: {leaf!r:.100}")
    if parts[0] == "sparse":
        return _message(
            _VARIANT, (3,), packed_strings([_variant(_TENSOR_NAME, [part]) for part in parts[1]])
        )
    values, *splits = parts[1]
    return _message(_VARIANT, (), packed_strings([_variant(_RAGGED_NAME, [*splits, values])]))


def _variant(name: str, tensors: list[Tensor]) -> bytes:
    parts = [tensor_message(tensor).SerializeToString() for tensor in tensors]
    return structure_messages["VariantTensorDataProto"](
        type_name=name, tensors=parts
    ).SerializeToString()


class _Head:
    """The common beginning of the records of tensors of one dtype and shape."""

    __slots__ = ("data", "dtype", "length", "numpy", "shape")

    def __init__(self, data: bytes, length: int, dtype: DType, shape: list[Any]) -> None:
        self.data = data
        self.length = length
        self.dtype = dtype
        self.numpy = dtype.as_numpy_dtype
        self.shape = shape


class ElementDecoder:
    """Decodes elements from records.

    Args:
        spec: the specs of the elements.
        path: the file, for messages.
    """

    def __init__(self, spec: Any, path: str) -> None:
        self._spec = spec
        self._path = path
        self._leaves = structure.flatten(spec)
        self._heads: list[_Head | None] = [None] * len(self._leaves)

    def element(self, records: Iterator[bytes]) -> Any:
        """The next element.

        Raises:
            StopIteration: if there are no more records.
            tf.errors.DataLossError: if an element is damaged or lacks records.
            tf.errors.InvalidArgumentError: if it does not match the specs.
        """
        leaves: list[Any] = []
        read = False
        for index, leaf in enumerate(self._leaves):
            if isinstance(leaf, NoneTensorSpec):
                leaves.append(None)
                continue
            try:
                record = next(records)
            except StopIteration:
                if not read:
                    raise
                raise self._damaged("its last element lacks records") from None
            read = True
            leaves.append(self._leaf(index, record))
        if not read:
            raise StopIteration
        return structure.pack(self._spec, leaves)

    def _leaf(self, index: int, record: bytes) -> Any:
        head = self._heads[index]
        if head is not None and len(record) == head.length and record.startswith(head.data):
            array: np.ndarray = np.frombuffer(record, head.numpy, offset=len(head.data))
            return _core.convert(array.reshape(head.shape), head.dtype, None)
        DecodeError = protobuf("message").DecodeError
        try:
            message = MESSAGES["TensorProto"].FromString(record)
            if message.dtype == _VARIANT:
                value: Any = _composite(message)
                self._check_composite(index, value)
                return value
            value = _tensor(message)
        except (DecodeError, ValueError, TypeError, IndexError) as error:
            raise self._damaged(str(error)) from error
        self._check(index, value)
        content = message.tensor_content
        if content and value.dtype is not dtypes.string and record.endswith(content):
            begin = record[: len(record) - len(content)]
            shape = list(value._shape_tuple())
            self._heads[index] = _Head(begin, len(record), value.dtype, shape)
        return value

    def _check(self, index: int, value: Tensor) -> None:
        leaf = self._leaves[index]
        wanted = getattr(leaf, "dtype", None)
        if wanted is not None and (wanted != value.dtype or hasattr(leaf, "ragged_rank")):
            raise errors.InvalidArgumentError._of(
                f"Data type mismatch at component {index}: expected {wanted.name} but got "
                f"{value.dtype.name}."
            )
        shape = getattr(leaf, "shape", None)
        if shape is not None and not TensorShape(shape).is_compatible_with(value.shape):
            raise errors.InvalidArgumentError._of(
                f"Incompatible shapes at component {index}: expected {_sizes(shape)} but got "
                f"{_sizes(value.shape)}."
            )

    def _check_composite(self, index: int, value: Any) -> None:
        wanted = getattr(self._leaves[index], "dtype", None)
        if type(self._leaves[index]) is not type(value._type_spec) or wanted != value.dtype:
            raise errors.InvalidArgumentError._of(
                f"Data type mismatch at component {index}: expected {self._leaves[index]} but got "
                f"{value._type_spec}."
            )

    def _damaged(self, why: str) -> errors.DataLossError:
        return errors.DataLossError._of(f"{self._path}: a damaged element: {why}")


def _sizes(shape: ShapeLike) -> str:
    dims = TensorShape(shape)
    if dims.rank is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"


def _tensor(message: Any) -> Tensor:
    if as_dtype(message.dtype) is not dtypes.string or not message.tensor_content:
        return tensor_of_message(message)
    shape = [dim.size for dim in message.tensor_shape.dim]
    count = int(np.prod(shape, dtype=np.int64))
    if not 0 <= count <= len(message.tensor_content):
        raise ValueError(f"{len(message.tensor_content)} bytes cannot hold {count} strings")
    items = np.empty(count, object)
    items[:] = unpacked_strings(message.tensor_content, count)
    return _core.convert(items.reshape(shape), dtypes.string, None)


def _composite(message: Any) -> Any:
    if message.tensor_shape.dim and [dim.size for dim in message.tensor_shape.dim] != [3]:
        raise ValueError("a variant of an unknown shape")
    count = 3 if message.tensor_shape.dim else 1
    tensors: list[Tensor] = []
    for data in unpacked_strings(message.tensor_content, count):
        variant = structure_messages["VariantTensorDataProto"].FromString(data)
        if variant.type_name != (_TENSOR_NAME if count == 3 else _RAGGED_NAME):
            raise ValueError(f"a variant of the unknown type {variant.type_name!r}")
        tensors.extend(
            tensor_of_message(MESSAGES["TensorProto"].FromString(part)) for part in variant.tensors
        )
    if count == 3:
        return REBUILD["sparse"](tensors)
    *splits, values = tensors
    return REBUILD["ragged"]([values, *splits])

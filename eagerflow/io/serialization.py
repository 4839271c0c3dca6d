"""Tensors as bytes: the TensorProto message."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.protos.schema import protobuf
from eagerflow.protos.tensor import MESSAGES
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy
from eagerflow.util.varints import unpacked_strings, varints

# Imported when it is first used: few programs need it.
files = lazy.Module("eagerflow.io.files")

Tensor = _core.Tensor


def tensor_message(tensor: Tensor) -> Any:
    """The TensorProto of a tensor; its elements are raw bytes but for strings."""
    message = MESSAGES["TensorProto"]()
    fill_message(message, tensor)
    return message


def fill_message(message: Any, tensor: Tensor) -> None:
    """Puts a tensor into an empty TensorProto."""
    _describe(message, tensor)
    if tensor.dtype is dtypes.string:
        message.string_val.extend(items(tensor))
    else:
        content = np.ascontiguousarray(np.asarray(tensor))
        if content.size:
            message.tensor_content = content.tobytes()


def _describe(message: Any, tensor: Tensor) -> None:
    message.dtype = tensor.dtype.as_datatype_enum
    message.tensor_shape.SetInParent()
    for size in tensor._shape_tuple():
        message.tensor_shape.dim.add(size=size)


# Where TensorProto keeps elements of each dtype that are not raw bytes.
_FIELDS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.int64: "int64_val",
    dtypes.bool: "bool_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.float8_e5m2: "float8_val",
    dtypes.float8_e4m3fn: "float8_val",
    dtypes.float8_e4m3fnuz: "float8_val",
    dtypes.float8_e4m3b11fnuz: "float8_val",
    dtypes.float8_e5m2fnuz: "float8_val",
    dtypes.float4_e2m1fn: "float8_val",
}


def field_of(dtype: dtypes.DType) -> str:
    """The field of a TensorProto for elements of a dtype that are not raw bytes."""
    return _FIELDS.get(dtype, "int_val")


def tensor_of_message(message: Any) -> Tensor:
    """The tensor of a TensorProto; its last element is repeated for missing ones.

    Raises:
        ValueError: if shape and content do not fit.
    """
    if message.tensor_shape.unknown_rank:
        raise ValueError("the shape is unknown")
    shape = [dim.size for dim in message.tensor_shape.dim]
    if any(size < 0 for size in shape):
        raise ValueError(f"the shape {shape} has negative sizes")
    dtype = dtypes.as_dtype(message.dtype)
    count = 1
    for size in shape:
        count *= size
    if dtype is dtypes.string:
        strings = list(message.string_val)
        if message.tensor_content:
            strings = unpacked_strings(message.tensor_content, count)
        if len(strings) != count and not (len(strings) == 1 and count < 1 << 24):
            raise ValueError(f"shape {shape} but {len(strings)} strings")
        values = np.empty(count, object)
        values[:] = strings if len(strings) == count else strings * count
        return _core.convert(values.reshape(shape), dtype, None)
    if message.tensor_content or not count:
        if len(message.tensor_content) != count * dtype.size:
            raise ValueError(f"shape {shape} but {len(message.tensor_content)} bytes of content")
        array: np.ndarray = np.frombuffer(message.tensor_content, dtype.as_numpy_dtype)
        return _core.convert(array.reshape(shape), dtype, None)
    items = getattr(message, field_of(dtype))
    if isinstance(items, bytes):
        array = np.frombuffer(items, dtype.as_numpy_dtype)
    elif dtype in (dtypes.float16, dtypes.bfloat16):
        array = np.array(items, np.uint16).view(dtype.as_numpy_dtype)
    elif dtype.is_complex:
        array = np.array(items, np.float64).view(np.complex128).astype(dtype.as_numpy_dtype)
    else:
        array = np.array(items, dtype.as_numpy_dtype)
    if array.size > count:
        raise ValueError(f"shape {shape} but {array.size} elements")
    if array.size < count:
        if count * dtype.size > 1 << 31:
            raise ValueError(f"shape {shape} but {array.size} elements")
        last = array[-1] if array.size else np.zeros((), array.dtype)
        array = np.concatenate([array, np.full(count - array.size, last, array.dtype)])
    return _core.convert(array.reshape(shape), dtype, None)


@op_function(in_graph=on_host(always(TensorSpec([], dtypes.string))))
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as a scalar string, a TensorProto message.

    Args:
        tensor: a tensor or what can be converted to one.

    >>> tf.io.serialize_tensor(tf.constant([1, 2]))
    <tf.Tensor: shape=(), dtype=string, numpy=b'\\x08\\x03\\x12\\x04\\x12...'>
    """
    tensor = _core.as_tensor(tensor)
    if tensor._size < _LARGE or tensor.dtype not in _NATIVE:
        return _core.convert(tensor_message(tensor).SerializeToString(), dtypes.string, None)
    # The content is the message's last field, and need not pass through Python.
    head = MESSAGES["TensorProto"]()
    _describe(head, tensor)
    prefix = head.SerializeToString() + _CONTENT + varints(tensor._size * tensor.dtype.size)
    return _core.ops.bytes_string(tensor, prefix)


# From this number of elements on, contents are copied natively.
_LARGE = 4096
_CONTENT = b"\x22"  # the key of tensor_content


def _large_content(serialized: Tensor, dtype: dtypes.DType) -> Tensor | None:
    """The tensor of a message in the form that `serialize_tensor` uses for large tensors, else None."""
    if serialized.ndim or dtype is dtypes.string or dtype.size == 0:
        return None
    total = int(_core.ops.string_length(serialized))
    if total < _LARGE:
        return None
    start = _core.ops.string_part(
        serialized, _core.convert(0, dtypes.int64, None), _core.convert(1024, dtypes.int64, None)
    ).numpy()
    key = start.find(_CONTENT)
    while 0 <= key < len(start) - 12:
        length, offset = 0, key + 1
        for shift in range(0, 70, 7):
            byte = start[offset]
            length |= (byte & 0x7F) << shift
            offset += 1
            if byte < 0x80:
                break
        if offset + length == total:
            try:
                head = MESSAGES["TensorProto"].FromString(start[:key])
            except Exception:  # not where the field begins
                return None
            shape = [dim.size for dim in head.tensor_shape.dim]
            count = 1
            for size in shape:
                count *= size
            fits = head.dtype == dtype.as_datatype_enum and count * dtype.size == length
            if not fits or min(shape, default=1) < 0 or head.tensor_shape.unknown_rank:
                return None
            stored = dtypes.uint8 if dtype is dtypes.bool else dtype
            if stored not in _NATIVE:
                return None
            tensor = _core.ops.string_bytes(serialized, stored, offset)
            if dtype is dtypes.bool:
                tensor = _core.ops.cast(tensor, dtype)
            return _core.ops.reshape(tensor, shape)
        key = start.find(_CONTENT, key + 1)
    return None


_NATIVE = frozenset(
    {
        *(dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16),
        *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
        *(dtypes.complex64, dtypes.complex128),
    }
)


def _parsed_spec(serialized: object, out_type: DTypeLike, name: str | None = None) -> TensorSpec:
    return TensorSpec(None, out_type)


@composed_op(
    "ParseTensor", in_graph=on_host(_parsed_spec), serialized=Input("string"), out_type=DType
)
def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a string made by `tf.io.serialize_tensor` holds.

    Args:
        serialized: a scalar string.
        out_type: the dtype of the tensor.

    Raises:
        tf.errors.InvalidArgumentError: if the string holds no tensor, or one of another dtype.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1.0, 2.0]), tf.float32).numpy()
    array([1., 2.], dtype=float32)
    """
    DecodeError = protobuf("message").DecodeError
    dtype = dtypes.as_dtype(out_type)
    if isinstance(serialized, Tensor) and serialized.dtype is dtypes.string:
        large = _large_content(serialized, dtype)
        if large is not None:
            return large
    data = files.scalar_bytes(serialized, "`serialized`", "ParseTensor")
    try:
        message = MESSAGES["TensorProto"].FromString(data)
        tensor = tensor_of_message(message)
    except (DecodeError, ValueError, TypeError) as error:
        raise errors.InvalidArgumentError._of(
            f"Could not parse `serialized` as TensorProto: {error} [Op:ParseTensor]"
        ) from None
    if tensor.dtype is not dtype:
        raise errors.InvalidArgumentError._of(
            f"Type mismatch between parsed tensor ({tensor.dtype.name}) and dtype ({dtype.name}) "
            "[Op:ParseTensor]"
        )
    return tensor

"""Tensors as TensorProto messages, and back as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.io.serialization import field_of, tensor_message, tensor_of_message
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """The TensorProto message of a value.

    Args:
        values: a scalar, a nested list or an array.
        dtype: the element type; by default that of the values.
        shape: the shape; values are reshaped to it.
        verify_shape: whether the values must have that shape already.
        allow_broadcast: whether a single value may be passed for all elements.

    Raises:
        TypeError: if the values have another shape and `verify_shape` is True.
        ValueError: if there are too many or too few values.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(values, _core.Tensor | _core.Variable):
        values = values.numpy()
    tensor = _tensor(values, None if dtype is None else dtypes.as_dtype(dtype))
    own = tensor._shape_tuple()
    wanted = own if shape is None else tuple(int(n or 0) for n in TensorShape(shape).as_list())
    if verify_shape and wanted != own:
        raise TypeError(f"Expected Tensor's shape: {wanted}, got {own}.")
    size = int(np.prod(wanted))
    if tensor._size != size and not (tensor._size == 1 and size > 1):
        raise ValueError(
            f"Shape {list(wanted)} has {size} elements, but there are {tensor._size} values."
        )
    if tensor._size == size:
        with context.running_eagerly():
            tensor = _core.ops.reshape(tensor, wanted)
    message = tensor_message(tensor)
    short = tensor.dtype.is_integer and tensor.dtype in dtypes.STORED_DTYPES
    if tensor.dtype is not dtypes.string and (tensor._size == 1 or short):
        # Single values are put into the field of their type, so that they are easy to read.
        message.ClearField("tensor_content")
        array = np.asarray(tensor).reshape(-1)
        if tensor.dtype.size == 2 and tensor.dtype.is_floating:
            array = array.view(np.uint16)
        elif tensor.dtype.is_complex:
            array = array.view(tensor.dtype.real_dtype.as_numpy_dtype)
        field = field_of(tensor.dtype)
        if field == "float8_val":
            message.float8_val = array.tobytes()
        else:
            getattr(message, field).extend(array.tolist())
    if tensor._shape_tuple() != wanted:
        del message.tensor_shape.dim[:]
        for length in wanted:
            message.tensor_shape.dim.add(size=length)
    return message


def _tensor(values: TensorLike, dtype: dtypes.DType | None) -> _core.Tensor:
    if dtype is None or dtype not in dtypes.STORED_DTYPES:
        return _core.convert(values, dtype, None)
    array = np.asarray(values)
    if dtype.is_quantized:
        if array is not values and array.size:
            first = array.reshape(-1)[0].item()
            raise TypeError(
                f"Expected {dtype.name}, but got {first} of type '{type(first).__name__}'."
            )
        return _core.convert(array, dtype, None)
    return _core.convert(array.astype(dtype.as_numpy_dtype), dtype, None)


def make_ndarray(tensor: TensorLike) -> np.ndarray:
    """The array that a TensorProto message holds.

    Args:
        tensor: the message.

    Raises:
        TypeError: if NumPy lacks its dtype.

    >>> tf.make_ndarray(tf.make_tensor_proto(3.0)).shape
    ()
    """
    value = tensor_of_message(tensor)
    return np.asarray(value.numpy(), object if value.dtype is dtypes.string else None)

"""Strings as raw values, base64 and compressed data, elementwise."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import now_or_node
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.expansion import TooLarge, expanded_at_most, inflated

Tensor = _core.Tensor


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(message)


def _texts(value: TensorLike, op: str) -> Tensor:
    tensor = _core.convert(value, None, dtypes.string)
    if tensor.dtype is not dtypes.string:
        raise _invalid(f"{op} needs strings, got {tensor.dtype.name} [Op:{op}]")
    return tensor


def strings_of(value: TensorLike, op: str) -> tuple[list[bytes], tuple[int, ...]]:
    """The elements of a string tensor in order, and its shape.

    Raises:
        tf.errors.InvalidArgumentError: if the value holds no strings.
    """
    tensor = _texts(value, op)
    return items(tensor), tensor._shape_tuple()


def strings_tensor(values: list[bytes], shape: tuple[int, ...]) -> Tensor:
    """A string tensor of the elements in order."""
    if not shape:
        return _core.convert(values[0], dtypes.string, None)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return _core.convert(array.reshape(shape), dtypes.string, None)


def _each(value: TensorLike, op: str, function: Callable[[bytes], bytes]) -> Tensor:
    texts = _texts(value, op)

    def results(texts: Tensor) -> Tensor:
        items, shape = strings_of(texts, op)
        return strings_tensor([function(item) for item in items], shape)

    return now_or_node(results, TensorSpec(texts.shape, dtypes.string), op, texts)


_RAW = (
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.uint16,
    dtypes.uint8,
    dtypes.int16,
    dtypes.int8,
    dtypes.int64,
    dtypes.complex64,
    dtypes.complex128,
    dtypes.bool,
    dtypes.bfloat16,
)


@composed_op("DecodePaddedRaw", input_bytes=Input("string"), out_type=DType, own=("fixed_length",))
def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reads the bytes of each string as values of a dtype.

    Args:
        input_bytes: strings of one length, unless `fixed_length` is not None.
        out_type: the dtype of the values.
        little_endian: the order of the bytes.
        fixed_length: how many bytes to take of each string; shorter ones are filled with zeros.

    Returns:
        The shape of the strings with one more axis.

    Raises:
        tf.errors.InvalidArgumentError: if lengths differ or are no multiple of the dtype's size.

    >>> tf.io.decode_raw(b"\\x01\\x00\\x02\\x00", tf.int16).numpy()
    array([1, 2], dtype=int16)
    """
    dtype = dtypes.as_dtype(out_type)
    op = "DecodeRaw" if fixed_length is None else "DecodePaddedRaw"
    if dtype not in _RAW:
        _core.refuse_attr("out_type", dtype, _RAW, op)
    if fixed_length is None and little_endian and dtype is not dtypes.bool:
        return _core.ops.string_bytes(_texts(input_bytes, op), dtype)
    texts = _texts(input_bytes, op)
    width = None if fixed_length is None else int(fixed_length) // dtype.size
    spec = TensorSpec(texts.shape.concatenate([width]), dtype)
    return now_or_node(_raw_values, spec, op, texts, dtype, little_endian, fixed_length, op)


def _raw_values(
    input_bytes: Tensor, dtype: DType, little_endian: bool, fixed_length: int | None, op: str
) -> Tensor:
    items, shape = strings_of(input_bytes, op)
    size = dtype.size
    if fixed_length is not None:
        length = int(fixed_length)
        if length <= 0 or length % size:
            raise _invalid(
                f"fixed_length ({length}) must be positive and a multiple of the size of out_type "
                f"({size}) [Op:{op}]"
            )
        padded = np.zeros([len(items), length], np.uint8)
        for row, item in zip(padded, items, strict=True):
            row[: len(item)] = np.frombuffer(item[:length], np.uint8)
        data = padded.reshape(-1)
    else:
        length = len(items[0]) if items else 0
        if len(set(map(len, items))) > 1:
            for k, item in enumerate(items):
                if len(item) == length:
                    continue
                raise _invalid(
                    "DecodeRaw requires input strings to all be the same size, but element "
                    f"{k} has size {length} != {len(item)} [Op:{op}]"
                )
        if length % size:
            raise _invalid(
                f"Input to DecodeRaw has length {length} that is not a multiple of {size}, the "
                f"size of {dtype.name} [Op:{op}]"
            )
        data = np.frombuffer(b"".join(items), np.uint8)
    if not little_endian and size > 1:
        part = size // 2 if dtype.is_complex else size
        data = data.reshape(-1, part)[:, ::-1]
    if dtype is dtypes.bool:
        data = data != 0
    values: np.ndarray = np.ascontiguousarray(data).reshape(-1).view(dtype.as_numpy_dtype)
    return _core.convert(values.reshape((*shape, length // size)), dtype, None)


@composed_op("EncodeBase64", elementwise=1, input=Input("string"))
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in web-safe base64.

    Args:
        input: strings.
        pad: whether to fill up with `=`.

    >>> tf.io.encode_base64("hello?")
    <tf.Tensor: shape=(), dtype=string, numpy=b'aGVsbG8_'>
    """
    if not isinstance(pad, bool):
        raise TypeError(f"Expected bool for argument 'pad' not {pad!r}.")

    return _core.ops.base64_encode(_texts(input, "EncodeBase64"), pad)


@composed_op("DecodeBase64", elementwise=1, input=Input("string"))
def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Decodes web-safe base64; padding may be absent.

    Args:
        input: strings.

    Raises:
        tf.errors.InvalidArgumentError: if a string is no web-safe base64.

    >>> tf.io.decode_base64("aGVsbG8_")
    <tf.Tensor: shape=(), dtype=string, numpy=b'hello?'>
    """

    return _core.ops.base64_decode(_texts(input, "DecodeBase64"))


@composed_op("DecodeCompressed", elementwise=1, bytes=Input("string"))
def decode_compressed(
    bytes: Any, compression_type: str = "", name: str | None = None, *, max_bytes: int | None = None
) -> Tensor:
    """Each string decompressed.

    Args:
        bytes: strings.
        compression_type: "", "ZLIB" or "GZIP".
        max_bytes: how many bytes all results together may have; by default 128 MiB and 200 times as
            many as the strings.

    Raises:
        tf.errors.InvalidArgumentError: if the compression is unknown, or the results are larger.
        tf.errors.DataLossError: if the data is corrupt; truncated data is decoded as far as it goes.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"hello"), "ZLIB")
    <tf.Tensor: shape=(), dtype=string, numpy=b'hello'>
    """
    if compression_type not in ("", "ZLIB", "GZIP"):
        raise _invalid(
            "Only ZLIB, GZIP or NONE are supported compressions, got "
            f"{compression_type!r} [Op:DecodeCompressed]"
        )

    if not compression_type:
        return _each(bytes, "DecodeCompressed", lambda item: item)

    def all_inflated(texts: Tensor) -> Tensor:
        items, shape = strings_of(texts, "DecodeCompressed")
        left = expanded_at_most(sum(map(len, items)), max_bytes)
        results = []
        for item in items:
            try:
                results.append(inflated(item, compression_type, left))
            except TooLarge as error:
                raise _invalid(
                    f"{error}; pass `max_bytes` if you trust the data [Op:DecodeCompressed]"
                ) from None
            except zlib.error as error:
                raise errors.DataLossError._of(
                    f"{compression_type} data is corrupt: {error} [Op:DecodeCompressed]"
                ) from None
            left -= len(results[-1])
        return strings_tensor(results, shape)

    texts = _texts(bytes, "DecodeCompressed")
    return now_or_node(
        all_inflated, TensorSpec(texts.shape, dtypes.string), "DecodeCompressed", texts
    )

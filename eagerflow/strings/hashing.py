"""Hash buckets and fingerprints of strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.strings.elementwise import natively
from eagerflow.util.farmhash import fingerprint64

_ops = _core.ops
Tensor = _core.Tensor

_MURMUR_SEED = 0xDECAFCAFFE


def _checked_count(num_buckets: int, op: str) -> int:
    count = int(num_buckets)
    if count < 1:
        raise invalid_argument(
            f"Value for attr 'num_buckets' of {count} must be at least minimum 1 [Op:{op}]"
        )
    return count


@composed_op("StringToHashBucket", elementwise=1, input=Input("string"))
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket for each string, int64, by MurmurHash64A.

    Args:
        input: strings.
        num_buckets: the number of buckets.

    Raises:
        tf.errors.InvalidArgumentError: if there is no bucket.

    >>> tf.strings.to_hash_bucket("abc", 1000).numpy()
    np.int64(710)
    """
    count = _checked_count(num_buckets, "StringToHashBucket")
    return natively(_ops.string_hash, input, "StringToHashBucket", count, "murmur", _MURMUR_SEED)


@composed_op("StringToHashBucketFast", elementwise=1, input=Input("string"))
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket for each string, int64, by FarmHash; see `tf.strings.to_hash_bucket`.

    >>> tf.strings.to_hash_bucket_fast("abc", 1000).numpy()
    np.int64(385)
    """
    op = "StringToHashBucketFast"
    count = _checked_count(num_buckets, op)
    return natively(_ops.string_hash, input, op, count, "farm")


@composed_op("StringToHashBucketStrong", elementwise=1, input=Input("string"), key=list[int])
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """A bucket for each string, int64, by a keyed hash (SipHash).

    Args:
        input: strings.
        num_buckets: the number of buckets.
        key: two integers.

    Raises:
        tf.errors.InvalidArgumentError: if there is no bucket or the key does not have two elements.

    >>> tf.strings.to_hash_bucket_strong("abc", 1000, [1, 2]).numpy()
    np.int64(917)
    """
    op = "StringToHashBucketStrong"
    count = _checked_count(num_buckets, op)
    if len(key) != 2:
        raise invalid_argument(f"Key must have 2 elements [Op:{op}]")
    return natively(_ops.string_hash, input, op, count, "sip", int(key[0]), int(key[1]))


def _print_spec(data: Any, *args: object, **kwargs: object) -> TensorSpec:
    x = _core.as_tensor(data)
    return TensorSpec([None if x.ndim is None else x.shape[0], 8], dtypes.uint8)


@composed_op("Fingerprint", data=Input(), method=Input("string"), in_graph=on_host(_print_spec))
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """An 8-byte fingerprint of each row.

    Args:
        data: a tensor of rank 1 or more.
        method: "farmhash64".

    Returns:
        uint8 `[rows, 8]`.

    Raises:
        tf.errors.InvalidArgumentError: for another method or a scalar.

    >>> tf.fingerprint(["abc"]).shape
    TensorShape([1, 8])
    """
    x = _core.as_tensor(data)
    word = method if isinstance(method, str) else bytes(_core.as_tensor(method).numpy())
    if word not in ("farmhash64", b"farmhash64"):
        raise invalid_argument(f"Unsupported data fingerprint method: {method} [Op:Fingerprint]")
    if x.ndim == 0:
        raise invalid_argument("input cannot be a scalar. [Op:Fingerprint]")
    values = x.numpy()
    if x.dtype is dtypes.string:
        if x._size == x._shape_tuple()[0]:
            hashes = _ops.string_hash(x, 0, "farm").numpy().view(np.uint8)
            return _core.as_tensor(hashes.reshape(-1, 8))
        # A row's fingerprint is computed from those of its strings.
        rows = [
            b"".join(fingerprint64(item).to_bytes(8, "little") for item in row.reshape(-1))
            for row in values
        ]
    else:
        rows = [np.ascontiguousarray(row).tobytes() for row in values]
    texts = np.empty(len(rows), object)
    texts[:] = rows
    prints = _ops.string_hash(_core.convert(texts, dtypes.string, None), 0, "farm").numpy()
    return _core.as_tensor(prints.view(np.uint8).reshape(len(rows), 8))

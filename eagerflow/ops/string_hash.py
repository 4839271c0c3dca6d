"""Numbers of buckets for strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.fingerprint import fingerprint64
from eagerflow.ops.op_arguments import raises_like
from eagerflow.ops.text import numbers

Tensor = _core.Tensor

_MASK = 2**64 - 1
_MURMUR_FACTOR = 0xC6A4A7935BD1E995
_MURMUR_SEED = 0xDECAFCAFFE


def murmur64(data: bytes, seed: int = _MURMUR_SEED) -> int:
    """MurmurHash64A of bytes (https://github.com/aappleby/smhasher)."""
    size = len(data)
    h = seed ^ (size * _MURMUR_FACTOR & _MASK)
    whole = size - size % 8
    for k in range(0, whole, 8):
        word = int.from_bytes(data[k : k + 8], "little") * _MURMUR_FACTOR & _MASK
        word = (word ^ (word >> 47)) * _MURMUR_FACTOR & _MASK
        h = (h ^ word) * _MURMUR_FACTOR & _MASK
    if size % 8:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _MURMUR_FACTOR & _MASK
    h = (h ^ (h >> 47)) * _MURMUR_FACTOR & _MASK
    return h ^ (h >> 47)


def siphash(key: tuple[int, int], data: bytes) -> int:
    """SipHash-2-4 of bytes (J.-P. Aumasson, D. Bernstein, 2012)."""
    k0, k1 = key[0] & _MASK, key[1] & _MASK
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def rounds(count: int) -> None:
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = (v0 + v1) & _MASK
            v1 = (v1 << 13 | v1 >> 51) & _MASK ^ v0
            v0 = (v0 << 32 | v0 >> 32) & _MASK
            v2 = (v2 + v3) & _MASK
            v3 = (v3 << 16 | v3 >> 48) & _MASK ^ v2
            v0 = (v0 + v3) & _MASK
            v3 = (v3 << 21 | v3 >> 43) & _MASK ^ v0
            v2 = (v2 + v1) & _MASK
            v1 = (v1 << 17 | v1 >> 47) & _MASK ^ v2
            v2 = (v2 << 32 | v2 >> 32) & _MASK

    size = len(data)
    padded = data + bytes(7 - size % 8) + bytes([size & 0xFF])
    for k in range(0, len(padded), 8):
        word = int.from_bytes(padded[k : k + 8], "little")
        v3 ^= word
        rounds(2)
        v0 ^= word
    v2 ^= 0xFF
    rounds(4)
    return v0 ^ v1 ^ v2 ^ v3


def _checked_count(num_buckets: Any, op: str) -> int:
    count = int(num_buckets)
    if count < 1:
        raise invalid_argument(
            f"Value for attr 'num_buckets' of {count} must be at least minimum 1 [Op:{op}]"
        )
    return count


@raises_like("StringToHashBucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """A bucket for each string, int64, by MurmurHash64A.

    Args:
        input: strings.
        num_buckets: the number of buckets.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if there is no bucket.

    >>> tf.strings.to_hash_bucket("abc", 1000).numpy()
    np.int64(710)
    """
    count = _checked_count(num_buckets, "StringToHashBucket")
    return numbers(lambda s: murmur64(s) % count, input, dtypes.int64, "StringToHashBucket")


@raises_like("StringToHashBucketFast")
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """A bucket for each string, int64, by FarmHash; see `tf.strings.to_hash_bucket`.

    >>> tf.strings.to_hash_bucket_fast("abc", 1000).numpy()
    np.int64(385)
    """
    op = "StringToHashBucketFast"
    count = _checked_count(num_buckets, op)
    return numbers(lambda s: fingerprint64(s) % count, input, dtypes.int64, op)


@raises_like("StringToHashBucketStrong")
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Any:
    """A bucket for each string, int64, by a hash that cannot be guessed without its key.

    Args:
        input: strings.
        num_buckets: the number of buckets.
        key: two integers.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if there is no bucket or the key has not two numbers.

    >>> tf.strings.to_hash_bucket_strong("abc", 1000, [1, 2]).numpy()
    np.int64(917)
    """
    op = "StringToHashBucketStrong"
    count = _checked_count(num_buckets, op)
    if len(key) != 2:
        raise invalid_argument(f"Key must have 2 elements [Op:{op}]")
    pair = (int(key[0]), int(key[1]))
    return numbers(lambda s: siphash(pair, s) % count, input, dtypes.int64, op)


@raises_like("Fingerprint")
def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each row that tell it from others.

    Args:
        data: a tensor of rank 1 or more.
        method: "farmhash64".
        name: ignored.

    Returns:
        uint8 `[rows, 8]`.

    Raises:
        tf.errors.InvalidArgumentError: for another method or a scalar.

    >>> tf.fingerprint(["abc"]).shape
    TensorShape([1, 8])
    """
    x = _core.convert(data, None, None)
    word = method if isinstance(method, str) else bytes(_core.convert(method, None, None).numpy())
    if word not in ("farmhash64", b"farmhash64"):
        raise invalid_argument(f"Unsupported data fingerprint method: {method} [Op:Fingerprint]")
    if x.ndim == 0:
        raise invalid_argument("input cannot be a scalar. [Op:Fingerprint]")
    values = x.numpy()
    if x.dtype is dtypes.string:
        if x.ndim == 1:
            rows = [bytes(item) for item in values]
        else:
            # Strings of a row stand for themselves by their own fingerprints.
            rows = [
                b"".join(fingerprint64(item).to_bytes(8, "little") for item in row.reshape(-1))
                for row in values
            ]
    else:
        rows = [np.ascontiguousarray(row).tobytes() for row in values]
    prints = b"".join(fingerprint64(row).to_bytes(8, "little") for row in rows)
    return _core.convert(np.frombuffer(prints, np.uint8).reshape(len(rows), 8), None, None)

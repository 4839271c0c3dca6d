"""FarmHash's 64-bit fingerprint of byte strings.

The algorithm is that of `farmhashna::Hash64` (https://github.com/google/farmhash), whose values never
change.
"""

from __future__ import annotations

import struct

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_MASK = (1 << 64) - 1


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return ((value >> by) | (value << (64 - by))) & _MASK


def _mixed(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _pair(u: int, v: int, factor: int) -> int:
    """128 bits made 64."""
    a = _mixed((u ^ v) * factor)
    b = _mixed((v ^ a) * factor)
    return b * factor & _MASK


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _short(data: bytes) -> int:
    """Up to 16 bytes."""
    size = len(data)
    factor = _K2 + size * 2
    if size >= 8:
        a = _word(data, 0) + _K2
        b = _word(data, size - 8)
        c = _rotated(b, 37) * factor + a
        d = (_rotated(a, 25) + b) * factor
        return _pair(c & _MASK, d & _MASK, factor)
    if size >= 4:
        first, last = struct.unpack_from("<I", data)[0], struct.unpack_from("<I", data, size - 4)[0]
        return _pair(size + (first << 3), last, factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mixed(y * _K2 ^ z * _K0) * _K2 & _MASK
    return _K2


def _medium(data: bytes) -> int:
    """17 to 64 bytes."""
    size = len(data)
    factor = _K2 + size * 2
    a = _word(data, 0) * (_K1 if size <= 32 else _K2) & _MASK
    b = _word(data, 8)
    c = _word(data, size - 8) * factor & _MASK
    d = _word(data, size - 16) * _K2 & _MASK
    y = (_rotated(a + b, 43) + _rotated(c, 30) + d) & _MASK
    z = _pair(y, (a + _rotated(b + _K2, 18) + c) & _MASK, factor)
    if size <= 32:
        return z
    e = _word(data, 16) * factor & _MASK
    f = _word(data, 24)
    g = (y + _word(data, size - 32)) * factor & _MASK
    h = (z + _word(data, size - 24)) * factor & _MASK
    return _pair(
        (_rotated(e + f, 43) + _rotated(g, 30) + h) & _MASK,
        (e + _rotated(f + a, 18) + g) & _MASK,
        factor,
    )


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """32 bytes and two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", data, at)
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    b += _rotated(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _long(data: bytes) -> int:
    """More than 64 bytes."""
    size = len(data)
    y = (81 * _K1 + 113) & _MASK
    z = _mixed(y * _K2 + 113) * _K2 & _MASK
    x = (81 * _K2 + _word(data, 0)) & _MASK
    v = w = (0, 0)

    def step(at: int, factor: int, weight: int) -> None:
        nonlocal x, y, z, v, w
        x = _rotated(x + y + v[0] + _word(data, at + 8), 37) * factor & _MASK
        y = _rotated(y + v[1] + _word(data, at + 48), 42) * factor & _MASK
        x ^= w[1] * weight & _MASK
        y = (y + v[0] * weight + _word(data, at + 40)) & _MASK
        z = _rotated(z + w[0], 33) * factor & _MASK
        v = _weak(data, at, v[1] * factor, x + w[0])
        w = _weak(data, at + 32, z + w[1], y + _word(data, at + 16))
        z, x = x, z

    for at in range(0, (size - 1) // 64 * 64, 64):
        step(at, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    w = (w[0] + ((size - 1) & 63), w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    step(size - 64, factor, 9)
    return _pair(
        (_pair(v[0], w[0], factor) + _mixed(y) * _K0 + z) & _MASK,
        (_pair(v[1], w[1], factor) + x) & _MASK,
        factor,
    )


def fingerprint64(data: bytes) -> int:
    """The fingerprint of bytes, an unsigned integer of 64 bits.

    >>> from eagerflow.util.farmhash import fingerprint64
    >>> fingerprint64(b"a")
    12917804110809363939
    """
    if len(data) <= 16:
        return _short(data)
    return _medium(data) if len(data) <= 64 else _long(data)


def joined(first: int, second: int) -> int:
    """The fingerprint of a pair of fingerprints."""
    factor = 0xC6A4A7935BD1E995
    result = (first ^ factor) & _MASK
    result ^= _mixed(second * factor) * factor & _MASK
    result = result * factor & _MASK
    result = _mixed(result) * factor & _MASK
    return _mixed(result)

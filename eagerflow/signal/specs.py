"""Specs of Fourier transforms, for graphs, in which they are nodes that call Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec

_COMPLEX = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
_REAL = {complex_: real for real, complex_ in _COMPLEX.items()}


def whole(value: _core.Tensor, *args: object, **kwargs: object) -> TensorSpec:
    """The transform of all axes at once: complex, and of the input's shape."""
    x = _core.convert(value, None, dtypes.complex64)
    return TensorSpec(x.shape, x.dtype)


def _integers(value: Any) -> list[Any] | None:
    """The integers of an argument, None where they are unknown; None for None."""
    if value is None:
        return None
    tensor = _core.convert(value, None, dtypes.int32)
    return _core.partial_value(tensor) or [None] * (tensor._size or 1)


def _axes(rank: int, lengths: list[Any] | None, axes: Any, default: int | None) -> list[int]:
    chosen = _integers(axes)
    if chosen is not None and None not in chosen:
        return [axis % rank for axis in chosen]
    count = default or (rank if lengths is None else len(lengths))
    return list(range(rank - count, rank))


def _spec(
    x: Any, fft_length: Any, axes: Any, default: int | None, dtype: dtypes.DType, last: Any
) -> TensorSpec:
    sizes = x._shape_tuple()
    if sizes is None:
        return TensorSpec(None, dtype)
    sizes, lengths = list(sizes), _integers(fft_length)
    chosen = _axes(len(sizes), lengths, axes, default)
    if lengths is not None:
        for k, axis in enumerate(chosen):
            sizes[axis] = lengths[k] if k < len(lengths) else None
    sizes[chosen[-1]] = last(sizes[chosen[-1]], lengths is not None)
    return TensorSpec(sizes, dtype)


def _same(size: int | None, given: bool) -> Any:
    return size


def _bins(size: int | None, given: bool) -> Any:
    """The number of frequencies of a real signal."""
    return None if size is None else size // 2 + 1 if size else 0


def _samples(size: int | None, given: bool) -> Any:
    """The length of the signal with so many frequencies, unless it is given."""
    return size if given or size is None else max(2 * (size - 1), 0)


def half(rank: int | None = None) -> Callable[..., TensorSpec]:
    """Half the spectrum of real values."""

    def specs(
        value: Any, fft_length: Any = None, axes: Any = None, *args: object, **kwargs: object
    ) -> TensorSpec:
        x = _core.convert(value, None, dtypes.float32)
        axes = None if rank else axes
        return _spec(x, fft_length, axes, rank, _COMPLEX.get(x.dtype, x.dtype), _bins)

    return specs


def from_half(rank: int | None = None) -> Callable[..., TensorSpec]:
    """Real values of half a spectrum."""

    def specs(
        value: Any, fft_length: Any = None, axes: Any = None, *args: object, **kwargs: object
    ) -> TensorSpec:
        x = _core.convert(value, None, dtypes.complex64)
        axes = None if rank else axes
        return _spec(x, fft_length, axes, rank, _REAL.get(x.dtype, x.dtype), _samples)

    return specs


def along_axes(
    value: _core.Tensor, fft_length: Any = None, axes: Any = None, *args: object, **kwargs: object
) -> TensorSpec:
    """Complex values along some axes."""
    x = _core.convert(value, None, dtypes.complex64)
    return _spec(x, fft_length, axes, None, x.dtype, _same)

"""Fourier transforms along any axes as operations, of which all arguments are given."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.ops.op_arguments import raises_like
from eagerflow.signal import fourier as fft

Tensor = _core.Tensor


@op_function
@raises_like("FFTND")
def fftnd(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> Tensor:
    """The Fourier transform along axes; see `tf.signal.fftnd`.

    >>> tf.fftnd(tf.ones([2, 2], tf.complex64), [2, 2], [0, 1]).numpy()[0, 0]
    np.complex64(4+0j)
    """
    return fft.fftnd(input, fft_length, axes)


@op_function
@raises_like("IFFTND")
def ifftnd(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> Tensor:
    """The inverse Fourier transform along axes; see `tf.signal.ifftnd`."""
    return fft.ifftnd(input, fft_length, axes)


@op_function
@raises_like("RFFTND")
def rfftnd(
    input: Any,
    fft_length: Any,
    axes: Any,
    Tcomplex: Any = dtypes.complex64,
    name: str | None = None,
) -> Tensor:
    """Half the Fourier transform of real numbers along axes; see `tf.signal.rfftnd`."""
    return _core.ops.cast(fft.rfftnd(input, fft_length, axes), dtypes.as_dtype(Tcomplex))


@op_function
@raises_like("IRFFTND")
def irfftnd(
    input: Any,
    fft_length: Any,
    axes: Any,
    Treal: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Real numbers from half their spectrum along axes; see `tf.signal.irfftnd`."""
    return _core.ops.cast(fft.irfftnd(input, fft_length, axes), dtypes.as_dtype(Treal))

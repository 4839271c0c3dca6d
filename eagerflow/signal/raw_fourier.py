"""Fourier transforms along any axes as raw operations, with all arguments explicit."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.ops.composed_op import COMPLEX_TYPES, Input, composed_op
from eagerflow.signal import fourier
from eagerflow.typing import Axes, DTypeLike, ShapeLike

Tensor = _core.Tensor


@composed_op(
    "FFTND",
    input=Input(COMPLEX_TYPES, type="Tcomplex", prefer="complex64"),
    fft_length=Input("int32"),
    axes=Input("int32"),
)
def fftnd(input: Any, fft_length: ShapeLike, axes: Axes, name: str | None = None) -> Tensor:
    """The Fourier transform along axes; see `tf.signal.fftnd`.

    >>> tf.fftnd(tf.ones([2, 2], tf.complex64), [2, 2], [0, 1]).numpy()[0, 0]
    np.complex64(4+0j)
    """
    return fourier.fftnd(input, fft_length, axes)


@composed_op(
    "IFFTND",
    input=Input(COMPLEX_TYPES, type="Tcomplex", prefer="complex64"),
    fft_length=Input("int32"),
    axes=Input("int32"),
)
def ifftnd(input: Any, fft_length: ShapeLike, axes: Axes, name: str | None = None) -> Tensor:
    """The inverse Fourier transform along axes; see `tf.signal.ifftnd`."""
    return fourier.ifftnd(input, fft_length, axes)


@composed_op(
    "RFFTND",
    input=Input("float32", "float64", type="Treal", prefer="float32"),
    fft_length=Input("int32"),
    axes=Input("int32"),
    Tcomplex=DType,
)
def rfftnd(
    input: Any,
    fft_length: ShapeLike,
    axes: Axes,
    Tcomplex: DTypeLike = dtypes.complex64,
    name: str | None = None,
) -> Tensor:
    """Half the Fourier transform of real values along axes; see `tf.signal.rfftnd`."""
    return _core.ops.cast(fourier.rfftnd(input, fft_length, axes), dtypes.as_dtype(Tcomplex))


@composed_op(
    "IRFFTND",
    input=Input(COMPLEX_TYPES, type="Tcomplex", prefer="complex64"),
    fft_length=Input("int32"),
    axes=Input("int32"),
    Treal=DType,
)
def irfftnd(
    input: Any,
    fft_length: ShapeLike,
    axes: Axes,
    Treal: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Real values from half their spectrum along axes; see `tf.signal.irfftnd`."""
    return _core.ops.cast(fourier.irfftnd(input, fft_length, axes), dtypes.as_dtype(Treal))

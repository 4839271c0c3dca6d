"""Fourier transforms, computed by the pocketfft of NumPy, or of SciPy where threads help."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host, when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import known_array
from eagerflow.ops.array import invalid_argument, pad, roll
from eagerflow.ops.composed_op import COMPLEX_TYPES, Function, Input, composed_op
from eagerflow.ops.numpy_ops import COMPLEX, checked, differentiable
from eagerflow.signal import specs
from eagerflow.typing import Axes, ShapeLike, TensorLike
from eagerflow.util.optional import found

_ops = _core.ops
Tensor = _core.Tensor

_REAL = (dtypes.float32, dtypes.float64)
_COMPLEX_NUMPY = {
    dtypes.float32: np.complex64,
    dtypes.float64: np.complex128,
    dtypes.complex64: np.complex64,
    dtypes.complex128: np.complex128,
}
# NumPy's names of the normalizations.
_NORMS = (None, "backward", "ortho", "forward")


# The number of values from which threads pay off.
_LARGE = 1 << 16


def _transformed(name: str, array: np.ndarray, axes: Sequence[int], **options: Any) -> np.ndarray:
    """Applies NumPy's n-dimensional transform of that name to an array."""
    if len(axes) == 1:
        # The transforms of one axis have less overhead.
        name, options["axis"] = name[:-1], axes[0]
        if "s" in options:
            options["n"] = options.pop("s")[0]
    else:
        options["axes"] = axes
    threads = _core.num_threads()
    if array.size >= _LARGE and threads > 1 and (scipy_fft := found("scipy.fft")):
        return getattr(scipy_fft, name)(array, workers=threads, **options)
    return getattr(np.fft, name)(array, **options)


def _size(x: Tensor, axes: Sequence[int]) -> int:
    shape = x._shape_tuple()
    return math.prod(shape[axis] for axis in axes)


# NumPy's names of the transforms.
_NAMES = {"forward": "fftn", "inverse": "ifftn", "half": "rfftn", "from_half": "irfftn"}


def _kernel(x: Tensor, axes: list[int], kind: str, length: int) -> list[np.ndarray]:
    """The kernel of the operation `fourier`."""
    array = np.asarray(x)
    dtype, options = array.dtype, {}
    if kind == "half":
        dtype = np.dtype(_COMPLEX_NUMPY[x.dtype])
    elif kind == "from_half":
        dtype = array.real.dtype
        options["s"] = [*(array.shape[axis] for axis in axes[:-1]), length]
    return [_transformed(_NAMES[kind], array, axes, **options).astype(dtype, copy=False)]


_core.set_kernel("fourier", _kernel)


def _complex_transform(x: Tensor, axes: Sequence[int], inverse: bool) -> Tensor:
    """The transform along axes; only the inverse is scaled, by 1 / size."""
    result = x
    if x._size:
        result = _ops.fourier(x, list(axes), "inverse" if inverse else "forward")
    size = _size(x, axes)

    def backward(dy: Tensor) -> Tensor:
        turned = _complex_transform(dy, axes, not inverse)
        return turned / size if inverse else turned * size

    (y,) = differentiable([result], [x], backward)
    return y


def _fitted(x: Tensor, lengths: Sequence[int], axes: Sequence[int]) -> Tensor:
    """Truncates or zero-pads to given sizes along axes."""
    shape = list(x._shape_tuple())
    if all(shape[axis] == length for axis, length in zip(axes, lengths, strict=True)):
        return x
    target, pads = list(shape), [[0, 0] for _ in shape]
    for axis, length in zip(axes, lengths, strict=True):
        target[axis] = min(shape[axis], length)
        pads[axis % len(shape)][1] = max(length - shape[axis], 0)
    if target != shape:
        x = _ops.slice(x, [0] * len(shape), target)
    return pad(x, pads) if any(after for _, after in pads) else x


def _half_transform(x: Tensor, axes: Sequence[int]) -> Tensor:
    """The first half, along the last of the axes, of the spectrum of a real tensor."""
    shape = list(x._shape_tuple())
    length = shape[axes[-1]]
    if x._size:
        result = _ops.fourier(x, list(axes), "half")
    else:
        shape[axes[-1]] = length // 2 + 1 if length else 0
        result = _ops.zeros(shape, _COMPLEX_NUMPY[x.dtype])

    def backward(dy: Tensor) -> Tensor:
        # The real part of the unscaled inverse of the half spectrum, zero in its other half.
        whole = _fitted(dy, [length], axes[-1:])
        return _ops.real(_complex_transform(whole, axes, True)) * _size(whole, axes)

    (y,) = differentiable([result], [x], backward)
    return y


def _half_inverse(x: Tensor, length: int, axes: Sequence[int]) -> Tensor:
    """The real tensor, `length` long along the last of the axes, of which x is half the spectrum."""
    shape = list(x._shape_tuple())
    sizes = [shape[axis] for axis in axes[:-1]] + [length]
    if x._size and length:
        result = _ops.fourier(x, list(axes), "from_half", length)
    else:
        shape[axes[-1]] = length
        result = _ops.zeros(shape, x.dtype.real_dtype)
    # All but the first and, for an even length, the last count for the other half too.
    bins = shape_of_half(length)
    weights = np.full(bins, 2.0)
    weights[:1] = 1
    if length % 2 == 0 and bins > 1:
        weights[-1] = 1
    around = [1] * x.ndim
    around[axes[-1]] = bins
    scale = (weights / math.prod(sizes) if bins else weights).reshape(around)

    def backward(dy: Tensor) -> Tensor:
        factor = _core.as_tensor(scale.astype(x.dtype.as_numpy_dtype))
        return _half_transform(dy, axes) * factor

    (y,) = differentiable([result], [x], backward)
    return y


def shape_of_half(length: int) -> int:
    """How many values half a spectrum has."""
    return length // 2 + 1 if length else 0


def _checked_rank(x: Tensor, rank: int, op: str) -> None:
    if x.ndim < rank:
        raise invalid_argument(
            f"Input must have rank of at least {rank} but got: {list(x._shape_tuple())} [Op:{op}]"
        )


def _whole(value: TensorLike, rank: int, op: str, inverse: bool) -> Tensor:
    x = checked(value, COMPLEX, op, dtypes.complex64, "Tcomplex")
    _checked_rank(x, rank, op)
    return _complex_transform(x, tuple(range(x.ndim - rank, x.ndim)), inverse)


_SPECTRUM = Input(COMPLEX_TYPES, type="Tcomplex", prefer="complex64")


def _transform(op: str) -> Callable[[Function], Function]:
    """The declaration of an operation that transforms all of its last axes."""
    return composed_op(op, input=_SPECTRUM, in_graph=on_host(specs.whole, in_programs=True))


@_transform("FFT")
def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last axis.

    Args:
        input: complex64 or complex128.

    Raises:
        tf.errors.InvalidArgumentError: for another dtype, or a scalar.

    >>> tf.signal.fft(tf.constant([1, 0, 0, 0], tf.complex64)).numpy().tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _whole(input, 1, "FFT", False)


@_transform("IFFT")
def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last axis, scaled by 1 / size.

    >>> tf.signal.ifft(tf.constant([4, 0, 0, 0], tf.complex64)).numpy().tolist()
    [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _whole(input, 1, "IFFT", True)


@_transform("FFT2D")
def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last two axes; see `tf.signal.fft`."""
    return _whole(input, 2, "FFT2D", False)


@_transform("IFFT2D")
def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last two axes; see `tf.signal.ifft`."""
    return _whole(input, 2, "IFFT2D", True)


@_transform("FFT3D")
def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform along the last three axes; see `tf.signal.fft`."""
    return _whole(input, 3, "FFT3D", False)


@_transform("IFFT3D")
def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse discrete Fourier transform along the last three axes; see `tf.signal.ifft`."""
    return _whole(input, 3, "IFFT3D", True)


def _numbers(value: Any) -> Any:
    """Sizes or axes as an array. Programs of known shapes know those computed from shapes, too."""
    numbers = _core.convert(value, None, dtypes.int32)
    known = _core.static_value(numbers)
    return np.asarray(numbers if known is None else known)


def _lengths(fft_length: Any, rank: int, op: str) -> list[int]:
    """The requested sizes.

    Raises:
        TypeError: if it is a scalar.
        tf.errors.InvalidArgumentError: if there are not `rank` of them, or one is not positive.
    """
    array = _numbers(fft_length)
    if array.ndim == 0:
        raise TypeError(f"fft_length must have one size for each axis, got the scalar {array}")
    if array.shape != (rank,):
        raise invalid_argument(f"fft_length must have shape [{rank}] [Op:{op}]")
    if (array < 0).any():
        raise invalid_argument(f"fft_length[{int(np.argmax(array < 0))}] must >= 0 [Op:{op}]")
    return [int(size) for size in array]


def _real_input(value: TensorLike, rank: int, op: str) -> Tensor:
    x = _core.convert(value, None, dtypes.float32)
    if x.dtype not in _REAL:
        raise ValueError(f"{op} requires tf.float32 or tf.float64 inputs, got: {x.dtype.name}")
    if x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    return x


def _spectrum_input(value: Any, rank: int, op: str) -> Tensor:
    x = _core.convert(value, None, dtypes.complex64)
    if x.dtype not in COMPLEX:
        raise ValueError(f"{op} requires tf.complex64 or tf.complex128 inputs, got: {x}")
    if x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    return x


def _half(value: TensorLike, fft_length: Any, rank: int, op: str) -> Tensor:
    x = _real_input(value, rank, op)
    axes = tuple(range(x.ndim - rank, x.ndim))
    if fft_length is not None:
        x = _fitted(x, _lengths(fft_length, rank, op), axes)
    return _half_transform(x, axes)


def _from_half(value: TensorLike, fft_length: Any, rank: int, op: str) -> Tensor:
    x = _spectrum_input(value, rank, op)
    axes = tuple(range(x.ndim - rank, x.ndim))
    if fft_length is None:
        bins = x._shape_tuple()[-1]
        return _half_inverse(x, max(2 * (bins - 1), 0), axes)
    lengths = _lengths(fft_length, rank, op)
    x = _fitted(x, [*lengths[:-1], shape_of_half(lengths[-1])], axes)
    return _half_inverse(x, lengths[-1], axes)


@op_function(in_graph=on_host(specs.half(1), in_programs=True))
def rfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The first half of the Fourier transform of real values along the last axis.

    Args:
        input_tensor: float32 or float64.
        fft_length: a list of one size to which the axis is truncated or zero-padded.

    Returns:
        Complex values, `size // 2 + 1` along the last axis.

    Raises:
        ValueError: for another dtype, or a scalar.

    >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).numpy().tolist()
    [(1+0j), (1+0j), (1+0j)]
    """
    return _half(input_tensor, fft_length, 1, "RFFT")


@op_function(in_graph=on_host(specs.half(2), in_programs=True))
def rfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Half the Fourier transform of real values along the last two axes; see `tf.signal.rfft`."""
    return _half(input_tensor, fft_length, 2, "RFFT2D")


@op_function(in_graph=on_host(specs.half(3), in_programs=True))
def rfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Half the Fourier transform of real values along three axes; see `tf.signal.rfft`."""
    return _half(input_tensor, fft_length, 3, "RFFT3D")


@op_function(in_graph=on_host(specs.from_half(1), in_programs=True))
def irfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real values from the first half of their spectrum along the last axis.

    Args:
        input_tensor: complex64 or complex128.
        fft_length: a list of one size, that of the result's last axis; by default it is
            even.

    Raises:
        ValueError: for another dtype, or a scalar.

    >>> tf.signal.irfft(tf.constant([1, 1, 1], tf.complex64)).numpy()
    array([1., 0., 0., 0.], dtype=float32)
    """
    return _from_half(input_tensor, fft_length, 1, "IRFFT")


@op_function(in_graph=on_host(specs.from_half(2), in_programs=True))
def irfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real values from half their spectrum along the last two axes; see `tf.signal.irfft`."""
    return _from_half(input_tensor, fft_length, 2, "IRFFT2D")


@op_function(in_graph=on_host(specs.from_half(3), in_programs=True))
def irfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    """Real values from half their spectrum along three axes; see `tf.signal.irfft`."""
    return _from_half(input_tensor, fft_length, 3, "IRFFT3D")


def _axes_and_lengths(
    x: Tensor, fft_length: Any, axes: Any, op: str
) -> tuple[tuple[int, ...], list[int] | None]:
    lengths = None
    if fft_length is not None:
        lengths = [int(size) for size in _numbers(fft_length).reshape(-1)]
    if axes is None:
        chosen = list(range(x.ndim - (x.ndim if lengths is None else len(lengths)), x.ndim))
    else:
        chosen = [int(axis) for axis in _numbers(axes).reshape(-1)]
    if any(not -x.ndim <= axis < x.ndim for axis in chosen):
        raise invalid_argument(f"axes {chosen} are out of range for rank {x.ndim} [Op:{op}]")
    chosen = [axis % x.ndim for axis in chosen]
    if len(set(chosen)) != len(chosen):
        raise invalid_argument(f"axes must be different, got {chosen} [Op:{op}]")
    if lengths is not None and len(lengths) != len(chosen):
        raise invalid_argument(
            f"fft_length must have one size for each of the axes {chosen}, got {lengths} [Op:{op}]"
        )
    return tuple(chosen), lengths


def _scale(norm: str | None, size: int, inverse: bool) -> float:
    """The factor for a transform that scales inverses only."""
    if norm not in _NORMS:
        raise ValueError(
            f"Invalid norm: {norm}. Norm value must be None, 'backward', 'forward' or 'ortho'."
        )
    if norm == "ortho":
        return math.sqrt(size) if inverse else 1 / math.sqrt(size)
    if norm == "forward":
        return float(size) if inverse else 1 / size
    return 1.0


def _scaled(y: Tensor, factor: float) -> Tensor:
    return y if factor == 1.0 else y * factor


@composed_op(
    "FFTND",
    input_tensor=_SPECTRUM,
    fft_length=Input("int32"),
    axes=Input("int32"),
    in_graph=on_host(specs.along_axes, in_programs=True),
    own=("norm",),
)
def fftnd(
    input_tensor: Any,
    fft_length: ShapeLike | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform along any axes.

    Args:
        input_tensor: complex64 or complex128.
        fft_length: sizes to which the axes are truncated or zero-padded.
        axes: the axes; by default the last ones, as many as there are sizes, or all.
        norm: "backward" (the default) scales inverses by 1 / size, "forward" the other transforms,
            "ortho" both by its square root.

    Raises:
        ValueError: for another dtype or an unknown `norm`.
        tf.errors.InvalidArgumentError: if axes and sizes do not fit.

    >>> tf.signal.fftnd(tf.ones([2, 2], tf.complex64)).numpy()[0, 0]
    np.complex64(4+0j)
    """
    return _along(input_tensor, fft_length, axes, norm, False)


@composed_op(
    "IFFTND",
    input_tensor=_SPECTRUM,
    fft_length=Input("int32"),
    axes=Input("int32"),
    in_graph=on_host(specs.along_axes, in_programs=True),
    own=("norm",),
)
def ifftnd(
    input_tensor: Any,
    fft_length: ShapeLike | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse Fourier transform along any axes; see `tf.signal.fftnd`."""
    return _along(input_tensor, fft_length, axes, norm, True)


def _along(value: object, fft_length: Any, axes: Any, norm: str | None, inverse: bool) -> Tensor:
    op = "IFFTND" if inverse else "FFTND"
    x = _spectrum_input(value, 1, op)
    chosen, lengths = _axes_and_lengths(x, fft_length, axes, op)
    if lengths is not None:
        x = _fitted(x, lengths, chosen)
    factor = _scale(norm, _size(x, chosen), inverse)
    return _scaled(_complex_transform(x, chosen, inverse), factor)


@op_function(in_graph=on_host(specs.half(), in_programs=True))
def rfftnd(
    input_tensor: Any,
    fft_length: ShapeLike | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Half the Fourier transform of real values along any axes; see `tf.signal.fftnd`.

    >>> tf.signal.rfftnd(tf.ones([2, 4])).shape
    TensorShape([2, 3])
    """
    return _rfftnd(_real_input(input_tensor, 1, "RFFTND"), fft_length, axes, norm)


@composed_op(
    "RFFTND",
    overridable=False,
    x=Input("float32", "float64", type="Treal", prefer="float32"),
    fft_length=Input("int32"),
    axes=Input("int32"),
    own=("norm",),
)
def _rfftnd(x: Tensor, fft_length: Any = None, axes: Any = None, norm: str | None = None) -> Tensor:
    chosen, lengths = _axes_and_lengths(x, fft_length, axes, "RFFTND")
    if lengths is not None:
        x = _fitted(x, lengths, chosen)
    return _scaled(_half_transform(x, chosen), _scale(norm, _size(x, chosen), False))


@op_function(in_graph=on_host(specs.from_half(), in_programs=True))
def irfftnd(
    input_tensor: Any,
    fft_length: ShapeLike | None = None,
    axes: Axes | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Real values from half their spectrum along any axes; see `tf.signal.fftnd`.

    >>> tf.signal.irfftnd(tf.ones([2, 3], tf.complex64)).shape
    TensorShape([2, 4])
    """
    x = _spectrum_input(input_tensor, 1, "IRFFTND")
    chosen, lengths = _axes_and_lengths(x, fft_length, axes, "IRFFTND")
    if lengths is None:
        length = max(2 * (x._shape_tuple()[chosen[-1]] - 1), 0)
    else:
        length = lengths[-1]
        x = _fitted(x, [*lengths[:-1], shape_of_half(length)], chosen)
    y = _half_inverse(x, length, chosen)
    return _scaled(y, _scale(norm, _size(y, chosen), True))


def _shift_axes(x: Tensor, axes: Any) -> list[int]:
    if axes is None:
        return list(range(x.ndim))
    chosen = known_array(axes, dtypes.int32, "axes").reshape(-1).tolist()
    for axis in chosen:
        if not -x.ndim <= axis < x.ndim:
            raise invalid_argument(f"axis {axis} is out of range for a tensor of rank {x.ndim}")
    return chosen


@op_function(in_graph=when_ranks_are_known())
def fftshift(x: TensorLike, axes: Axes | None = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency to the middle.

    Args:
        x: a tensor.
        axes: along which axes; all by default.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    x = _core.as_tensor(x)
    chosen = _shift_axes(x, axes)
    shape = x._sizes()
    return roll(x, [shape[axis] // 2 for axis in chosen], chosen)


@op_function(in_graph=when_ranks_are_known())
def ifftshift(x: TensorLike, axes: Axes | None = None, name: str | None = None) -> Tensor:
    """Moves the zero frequency from the middle to the beginning; undoes `tf.signal.fftshift`.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    x = _core.as_tensor(x)
    chosen = _shift_axes(x, axes)
    shape = x._sizes()
    return roll(x, [-(shape[axis] // 2) for axis in chosen], chosen)

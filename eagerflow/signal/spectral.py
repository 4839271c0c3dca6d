"""Signals in frames and their spectra: framing, short-time transforms, cosine transforms, mel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    Size,
    at_least,
    is_known,
    of_any_rank,
    rank_of,
    require_memory,
    with_axes,
)
from eagerflow.ops.array import invalid_argument, pad, slices_at
from eagerflow.signal.fourier import fft, irfft, rfft
from eagerflow.signal.windows import hann_window, vorbis_window
from eagerflow.typing import Array, DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _scalar(value: Any, name: str) -> Size:
    """An integer argument; a scalar tensor if it is not known while a graph is built."""
    number = _core.as_tensor(value)
    if number.ndim != 0:
        raise ValueError(f"Shape {number.shape} must have rank 0")
    if not number.dtype.is_integer:
        raise ValueError(f"{name} must be an integer. Got {number.dtype}")
    known = _core.static_value(number)
    return _ops.cast(number, dtypes.int32) if known is None else int(known)


@op_function
def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Splits an axis into frames that may overlap.

    Args:
        signal: a tensor of rank 1 or more.
        frame_length: the number of samples in a frame.
        frame_step: the number of samples from the beginning of a frame to that of the next.
        pad_end: whether to pad frames that reach beyond the end; else they are dropped.
        pad_value: the value to pad with.
        axis: the axis.

    Returns:
        A tensor in which `axis` has been replaced by two: frames, and samples in a frame.

    Raises:
        ValueError: if length or step is not an integer.
        tf.errors.InvalidArgumentError: if the length is negative or the step not positive.

    >>> tf.signal.frame([1, 2, 3, 4], 2, 1).numpy()
    array([[1, 2],
           [2, 3],
           [3, 4]], dtype=int32)
    """
    x = _core.as_tensor(signal)
    length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
    if is_known(length) and length < 0:
        raise invalid_argument(f"frame_length must not be negative, got {length}")
    _check_step(step)
    if x.ndim is None:
        first = axis if axis >= 0 else axis + rank_of(x)
        return with_axes(x, first, 1, lambda y: frame(y, length, step, pad_end, pad_value, 1))
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of range for a signal of rank {x.ndim}")
    axis %= x.ndim
    size = x._sizes()[axis]
    if not is_known(size, length, step):
        return _frames_of_any_size(x, length, step, pad_end, pad_value, axis)
    if pad_end:
        count = -(-size // step)
        missing = max(length + step * (count - 1) - size, 0)
        if missing:
            pads = [[0, 0] for _ in range(x.ndim)]
            pads[axis][1] = missing
            x = pad(x, pads, "CONSTANT", _core.convert(pad_value, x.dtype, None))
    else:
        count = max(0, 1 + (size - length) // step)
    # The longest blocks of samples that all frames consist of: their places are few, and a block is
    # copied at once.
    block = math.gcd(length, step) if count else 1
    blocks, hop = length // block, step // block
    # Without frames, their length is only a size.
    within = np.arange(blocks) if count else np.empty([0, blocks])
    indices = (np.arange(count)[:, None] * hop + within).astype(np.int64, copy=False)
    if block <= 1:
        return slices_at(x, indices, axis)
    outer, inner = x._sizes()[:axis], x._sizes()[axis + 1 :]
    used = (count - 1) * hop + blocks
    key = (..., slice(used * block), *[slice(None)] * len(inner))
    found = slices_at(_ops.reshape(x[key], [*outer, used, block, *inner]), indices, axis)
    return _ops.reshape(found, [*outer, count, length, *inner])


def _check_step(step: Size) -> None:
    if is_known(step) and step <= 0:
        raise invalid_argument(f"frame_step must be positive, got {step}")


def _frames_of_any_size(
    x: Tensor, length: Size, step: Size, pad_end: bool, pad_value: Any, axis: int
) -> Tensor:
    """The frames of a signal, where sizes are known only when a graph runs."""
    size = x._sizes()[axis]
    if pad_end:
        count = (size + step - 1) // step
        missing = at_least(length + step * (count - 1) - size, 0)
        pads: list[Any] = [[0, 0] for _ in range(x.ndim)]
        pads[axis] = [0, missing]
        x = pad(x, pads, "CONSTANT", _core.convert(pad_value, x.dtype, None))
    else:
        count = at_least(1 + (size - length) // step, 0)
    starts = _ops.expand_dims(_ops.range(0, count, 1), 1) * step
    return _ops.gather(x, starts + _ops.range(0, length, 1), axis, 0)


@op_function(in_graph=of_any_rank(2))
def overlap_and_add(signal: TensorLike, frame_step: Any, name: str | None = None) -> Tensor:
    """Concatenates frames and adds them where they overlap.

    Args:
        signal: values `[..., frames, frame_length]`.
        frame_step: the number of samples from the beginning of a frame to that of the next.

    Returns:
        `[..., samples]`, with `(frames - 1) * frame_step + frame_length` samples.

    Raises:
        ValueError: if the rank is below 2 or the step is not an integer.

    >>> tf.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2).numpy()
    array([1, 1, 2, 1, 1], dtype=int32)
    """
    x = _core.as_tensor(signal)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2")
    step = _scalar(frame_step, "frame_step")
    _check_step(step)
    *batch, frames, length = x._sizes()
    samples = at_least((frames - 1) * step + length, 0)
    if not is_known(length, step):
        # Samples are summed by their indices in the result.
        starts = _ops.expand_dims(_ops.range(0, frames, 1), 1) * step
        indices = starts + _ops.range(0, length, 1)
        rank = len(batch) + 2
        samples_first = _ops.transpose(x, [rank - 2, rank - 1, *range(rank - 2)])
        sums = _ops.unsorted_segment_sum(samples_first, indices, samples)
        return _ops.transpose(sums, [*range(1, rank - 1), 0])
    pieces = max(-(-length // step), 1)
    rest = [[0, 0] for _ in batch]
    x = pad(x, [*rest, [0, 0], [0, pieces * step - length]])
    x = _ops.reshape(x, [*batch, frames, pieces, step])
    # The k-th segment of a frame lies k steps after the frame's start.
    total: Any = None
    for k, piece in enumerate(_ops.unstack(x, None, len(batch) + 1)):
        moved = pad(piece, [*rest, [k, pieces - 1 - k], [0, 0]])
        total = moved if total is None else total + moved
    whole = _ops.reshape(total, [*batch, (frames + pieces - 1) * step])
    return _ops.slice(whole, [0] * whole.ndim, [*batch, samples])


def _enclosing_power(length: Size) -> Size:
    if not is_known(length):
        exponent = _ops.ceil(_ops.log(_ops.cast(length, dtypes.float64)) / math.log(2))
        return _ops.cast(_ops.pow(2.0, exponent), dtypes.int32)
    return 1 << max(length - 1, 0).bit_length()


@op_function(in_graph=of_any_rank(1))
def stft(
    signals: TensorLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: ShapeLike | None = None,
    window_fn: Callable | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform.

    Args:
        signals: real `[..., samples]`.
        frame_length: the number of samples in a frame.
        frame_step: the number of samples from the beginning of a frame to that of the next.
        fft_length: the size of the transform; by default the least power of two that holds a frame.
        window_fn: called with the frame length and `dtype=`, returns a window; or None.
        pad_end: whether to zero-pad frames that reach beyond the end; else they are dropped.

    Returns:
        Complex `[..., frames, fft_length // 2 + 1]`.

    Raises:
        ValueError: if `signals` is not floating.

    >>> tf.signal.stft(tf.zeros([100]), frame_length=20, frame_step=10).shape
    TensorShape([9, 17])
    """
    x = _core.as_tensor(signals)
    if x.ndim < 1:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    length = _scalar(frame_length, "frame_length")
    size = _enclosing_power(length) if fft_length is None else _scalar(fft_length, "fft_length")
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [size])


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable = hann_window, name: str | None = None
) -> Callable:
    """The window with which `inverse_stft` inverts `stft` with another window.

    Args:
        frame_step: the step of both transforms.
        forward_window_fn: the window function of `stft`.

    Returns:
        A function of a frame length and a dtype that returns a window.

    >>> tf.signal.inverse_stft_window_fn(2)(4, dtype=tf.float32).shape
    TensorShape([4])
    """

    def inverse_window(frame_length: Any, dtype: dtypes.DType) -> Tensor:
        length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = pad(forward * forward, [[0, overlaps * step - length]])
        sums = _ops.reduce_sum(_ops.reshape(squares, [overlaps, step]), axis=0, keepdims=True)
        sums = _ops.reshape(_ops.tile(sums, [overlaps, 1]), [overlaps * step])
        return forward / sums[:length]

    return inverse_window


@op_function(in_graph=of_any_rank(2))
def inverse_stft(
    stfts: TensorLike,
    frame_length: Any,
    frame_step: Any,
    fft_length: ShapeLike | None = None,
    window_fn: Callable | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Signals from their short-time Fourier transforms.

    Args:
        stfts: complex `[..., frames, fft_length // 2 + 1]`.
        frame_length: the number of samples in a frame.
        frame_step: the number of samples from the beginning of a frame to that of the next.
        fft_length: the size of the transform; by default the least power of two that holds a frame.
        window_fn: the window that frames are multiplied with; see `inverse_stft_window_fn`.

    Returns:
        Real `[..., samples]`.

    >>> x = tf.random.stateless_normal([64], seed=[1, 2])
    >>> back = tf.signal.inverse_stft(
    ...     tf.signal.stft(x, 16, 8), 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8)
    ... )
    >>> bool(tf.reduce_max(tf.abs(x - back)[8:-8]) < 1e-5)
    True
    """
    x = _core.as_tensor(stfts)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2")
    length = _scalar(frame_length, "frame_length")
    size = _enclosing_power(length) if fft_length is None else _scalar(fft_length, "fft_length")
    frames = _fitted(irfft(x, [size]), size, length)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype.real_dtype)
    return overlap_and_add(frames, frame_step)


def _fitted(x: Tensor, size: Size, wanted: Size) -> Tensor:
    """The tensor with its last axis, of `size`, cut or padded with zeros to the size wanted."""
    if size is wanted or (is_known(size, wanted) and size == wanted):
        return x
    if not is_known(size, wanted) or size > wanted:
        x = x[..., :wanted]
    if is_known(size, wanted) and size > wanted:
        return x
    return pad(x, [*([0, 0] for _ in range(x.ndim - 1)), [0, at_least(wanted - size, 0)]])


_DCT_INVERSES = {1: 1, 2: 3, 3: 2, 4: 4}


def _checked_dct(x: Tensor, type: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and (not isinstance(n, int) or n < 1):
        raise ValueError("n should be a positive integer or None")
    if type not in _DCT_INVERSES:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        size = x._shape_tuple()[-1] if n is None else n
        if size is not None and size < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@op_function(in_graph=of_any_rank(1))
def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform along the last axis.

    Args:
        input: float32 or float64 `[..., samples]`.
        type: 1, 2, 3 or 4.
        n: a size to which the axis is truncated or zero-padded.
        axis: -1.
        norm: None, or "ortho" for an orthogonal transform.

    Raises:
        ValueError: if an argument is unsupported.
        NotImplementedError: for another axis.

    >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0]).numpy().round(4) + 0
    array([8., 0., 0., 0.], dtype=float32)
    """
    x = _core.as_tensor(input)
    if not x.dtype.is_floating and not x.dtype.is_complex:
        raise TypeError(f"Cannot convert 0.0 to EagerTensor of dtype {x.dtype.name}")
    if x.ndim < 1:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    _checked_dct(x, type, n, axis, norm)
    size = x._sizes()[-1]
    if n is not None:
        x, size = _fitted(x, size, n), n
    return {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}[type](x, size, norm == "ortho")


def _steps(size: Size) -> Array | Tensor:
    """The integers from 0, an array, or a tensor for an unknown size."""
    if is_known(size):
        return np.arange(size, dtype=np.float64)
    return _ops.cast(_ops.range(0, size, 1), dtypes.float64)


def _turns(angles: TensorLike, radius: Any, dtype: dtypes.DType) -> Tensor:
    """Complex numbers of these angles and one radius, for real values of a dtype."""
    kind = dtypes.complex128 if dtype is dtypes.float64 else dtypes.complex64
    if isinstance(angles, np.ndarray):
        return _core.as_tensor((radius * np.exp(1j * angles)).astype(kind.as_numpy_dtype))
    radius = _ops.cast(radius, dtypes.float64)
    return _ops.cast(_ops.complex(_ops.cos(angles) * radius, _ops.sin(angles) * radius), kind)


def _ortho_weights(steps: Any, size: Size, dtype: dtypes.DType, first: float = 0.25) -> Tensor:
    """The factors that make the cosines of type 2 orthonormal; the first has another square."""
    if is_known(size):
        weights = np.where(steps == 0, math.sqrt(first / size), math.sqrt(0.5 / size))
        return _core.as_tensor(weights.astype(dtype.as_numpy_dtype))
    squares = (0.5 + (first - 0.5) * _ops.cast(_ops.equal(steps, 0), dtypes.float64)) / _real(size)
    return _ops.cast(_ops.sqrt(squares), dtype)


def _dct1(x: Tensor, size: Size, ortho: bool) -> Tensor:
    mirrored = _ops.concat([x, _ops.reverse(x[..., 1:-1], [x.ndim - 1])], x.ndim - 1)
    return _ops.real(rfft(mirrored))


def _dct2(x: Tensor, size: Size, ortho: bool) -> Tensor:
    steps = _steps(size)
    turns = _turns(steps * (-0.5 * np.pi) / _real(size), 2, x.dtype)
    y = _ops.real(rfft(x, [2 * size])[..., :size] * turns)
    return y * _ortho_weights(steps, size, x.dtype) if ortho else y


def _dct3(x: Tensor, size: Size, ortho: bool) -> Tensor:
    # y_k = x_0 + 2 * sum of x_n cos(pi n (k + 1/2) / size), as half the spectrum of 2 * size reals.
    steps = _steps(size)
    turns = _turns(steps * (0.5 * np.pi) / _real(size), 2 * size, x.dtype)
    if ortho:
        x = x * _ortho_weights(steps, size, x.dtype, 1.0)
    whole = _ops.complex(x, _ops.zeros_like(x)) * turns
    return irfft(whole, [2 * size])[..., :size]


def _dct4(x: Tensor, size: Size, ortho: bool) -> Tensor:
    # y_k = 2 * Re of exp(-i pi (k + 1/2) / 2 size) * sum of x_n exp(-i pi n (k + 1/2) / size)
    steps = _steps(size)
    before = _turns(steps * (-0.5 * np.pi) / _real(size), 1, x.dtype)
    after = _turns((steps + 0.5) * (-0.5 * np.pi) / _real(size), 2, x.dtype)
    padded = _fitted(_ops.complex(x, _ops.zeros_like(x)) * before, size, 2 * size)
    y = _ops.real(fft(padded)[..., :size] * after)
    if not ortho:
        return y
    half = _core.convert(0.5, x.dtype, None)
    return y * _ops.sqrt(half / _ops.cast(size, x.dtype))


def _real(size: Size) -> Any:
    return size if is_known(size) else _ops.cast(size, dtypes.float64)


@op_function
def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of a discrete cosine transform, up to a factor unless `norm` is "ortho".

    Args:
        input: float32 or float64 `[..., samples]`.
        type: the type of the transform to invert: 1, 2, 3 or 4.
        n: a size to which the axis is truncated or zero-padded.
        axis: -1.
        norm: None, or "ortho".

    >>> tf.signal.idct(tf.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2.], dtype=float32)
    """
    return dct(input, _DCT_INVERSES.get(type, type), n, axis, norm)


@op_function(in_graph=of_any_rank(1))
def mdct(
    signals: TensorLike,
    frame_length: Any,
    window_fn: Callable | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform of frames that overlap by half.

    Args:
        signals: float32 or float64 `[..., samples]`.
        frame_length: the number of samples in a frame, a multiple of 4.
        window_fn: called with the frame length and `dtype=`, returns a window; or None.
        pad_end: whether to zero-pad frames that reach beyond the end; else they are dropped.
        norm: None or "ortho".

    Returns:
        `[..., frames, frame_length // 2]`.

    Raises:
        ValueError: if the length is not a multiple of 4.

    >>> tf.signal.mdct(tf.zeros([16]), 8).shape
    TensorShape([3, 4])
    """
    x = _core.convert(signals, None, dtypes.float32)
    if x.ndim < 1:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    length = _scalar(frame_length, "frame_length")
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(x, length, length // 2, pad_end)
    if window_fn is None:
        frames = frames * math.sqrt(0.5)
    else:
        frames = frames * window_fn(length, dtype=frames.dtype)
    last = frames.ndim - 1
    a, b, c, d = _ops.split(frames, [length // 4] * 4, last)
    folded = [_ops.negative(_ops.reverse(c, [last])) - d, a - _ops.reverse(b, [last])]
    return dct(_ops.concat(folded, last), 4, norm=norm)


@op_function(in_graph=of_any_rank(2))
def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Callable | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Signals from their modified discrete cosine transforms; see `tf.signal.mdct`.

    Args:
        mdcts: `[..., frames, half]`.
        window_fn: the window function of `mdct`.
        norm: that of `mdct`.

    Returns:
        `[..., (frames + 1) * half]`.

    >>> tf.signal.inverse_mdct(tf.zeros([3, 4])).shape
    TensorShape([16])
    """
    x = _core.convert(mdcts, None, dtypes.float32)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2")
    if not x.dtype.is_floating:
        raise TypeError(f"Cannot convert 0.5 to EagerTensor of dtype {x.dtype.name}")
    half, last = x._shape_tuple()[-1], x.ndim - 1
    if half % 2 or half == 0:
        raise invalid_argument(
            f"Half a frame must have an even number of samples, got {half} in mdcts of shape "
            f"{x.shape}"
        )
    y = dct(x, 4, norm=norm)
    if norm is None:
        y = y * (0.5 / half)
    first, second = y[..., : half // 2], y[..., half // 2 :]
    parts = [
        second,
        _ops.negative(_ops.reverse(second, [last])),
        _ops.negative(_ops.reverse(first, [last])),
        _ops.negative(first),
    ]
    frames = _ops.concat(parts, last)
    if window_fn is None:
        frames = frames * math.sqrt(0.5)
    else:
        frames = frames * window_fn(2 * half, dtype=frames.dtype)
    return overlap_and_add(frames, half)


def _mel(hertz: Array | float) -> Any:
    """The mel scale: 1127 * ln(1 + f / 700 Hz)."""
    return 1127.0 * np.log1p(hertz / 700.0)


@op_function
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix that converts spectra over frequencies to spectra over mels.

    Args:
        num_mel_bins: how many bands.
        num_spectrogram_bins: how many frequencies, from 0 to half the sample rate.
        sample_rate: samples per second.
        lower_edge_hertz: where the lowest band begins.
        upper_edge_hertz: where the highest band ends.
        dtype: a floating dtype.

    Returns:
        `[num_spectrogram_bins, num_mel_bins]`: a triangle in each column.

    Raises:
        ValueError: if an argument is out of range.

    >>> tf.signal.linear_to_mel_weight_matrix(4, 65).shape
    TensorShape([65, 4])
    """
    dtype = dtypes.as_dtype(dtype)
    rate, bins = float(sample_rate), int(num_spectrogram_bins)
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower_edge_hertz < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(
            f"lower_edge_hertz {lower_edge_hertz} >= upper_edge_hertz {upper_edge_hertz}"
        )
    if rate <= 0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if upper_edge_hertz > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper_edge_hertz} for sample_rate: {sample_rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")
    require_memory([bins, num_mel_bins], dtype)
    # Frequency zero is in no band.
    frequencies = _mel(np.linspace(0.0, rate / 2, bins)[1:, None])
    edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    rising = (frequencies - lower) / (centre - lower)
    falling = (upper - frequencies) / (upper - centre)
    weights = np.pad(np.maximum(0.0, np.minimum(rising, falling)), [[1, 0], [0, 0]])
    return _core.as_tensor(weights.astype(dtype.as_numpy_dtype))


@op_function(in_graph=of_any_rank(1))
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients.

    Args:
        log_mel_spectrograms: logarithms of mel spectra `[..., bands]`, float32 or float64.

    Returns:
        The coefficients `[..., bands]`.

    >>> tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([5, 20])).shape
    TensorShape([5, 20])
    """
    x = _core.as_tensor(log_mel_spectrograms)
    if x.ndim < 1:
        raise invalid_argument("log_mel_spectrograms must be [..., bands], got a scalar")
    bands = x._sizes()[-1]
    if is_known(bands) and not bands:
        raise ValueError(f"num_mel_bins must be positive. Got: {x.shape}")
    half = _core.convert(0.5, x.dtype, None)
    return dct(x, 2) * _ops.sqrt(half / _ops.cast(bands, x.dtype))

"""Keras 3's short-time Fourier transforms."""

from __future__ import annotations

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.ops import array
from eagerflow.signal import spectral, windows
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.keras.ops.promotion import tensor

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def stft(
    x: TensorLike,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: TensorLike = "hann",
    center: bool = True,
) -> tuple[Tensor, Tensor]:
    """The short-time Fourier transform: its real and its imaginary part.

    Args:
        x: `[..., samples]`, float32 or float64.
        sequence_length: the number of samples in a frame.
        sequence_stride: the distance of the beginnings of frames.
        fft_length: the size of the transform, not less than a frame's.
        window: "hann", "hamming", the values of a window, or None.
        center: whether frames are centred at multiples of the stride.

    Raises:
        TypeError: for another dtype.
        ValueError: for a transform shorter than a frame, or a wrong window.

    >>> real, imaginary = tf.keras.ops.stft(tf.ones([8]), 4, 2, 4, window=None)
    >>> print(real.numpy()[0])
    [4. 0. 0.]
    """
    x = tensor(x)
    if x.dtype.name not in ("float32", "float64"):
        raise TypeError(
            f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype}"
        )
    if center:
        half = fft_length // 2
        x = array.pad(x, [[0, 0]] * (x.ndim - 1) + [[half, half]], "REFLECT")
    values = _window(window, sequence_length, fft_length, x.dtype)
    result = spectral.stft(
        x,
        frame_length=fft_length,
        frame_step=sequence_stride,
        fft_length=fft_length,
        window_fn=None if values is None else lambda length, dtype: values,
    )
    return _ops.real(result), _ops.imag(result)


@op_function
def istft(
    x: tuple[TensorLike, TensorLike],
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: str | TensorLike = "hann",
    center: bool = True,
) -> Tensor:
    """The inverse of `stft` with the same arguments.

    Args:
        x: the real and the imaginary part, `[..., frames, fft_length // 2 + 1]`.
        sequence_length: the number of samples in a frame.
        sequence_stride: the distance of the beginnings of frames.
        fft_length: the size of the transform, not less than a frame's.
        length: the number of samples to return.
        window: "hann", "hamming", the values of a window, or None.
        center: whether frames are centred at multiples of the stride.

    >>> parts = tf.keras.ops.stft(tf.range(8.0), 4, 2, 4)
    >>> print(tf.keras.ops.istft(parts, 4, 2, 4).numpy().round(3))
    [0. 1. 2. 3. 4. 5. 6. 7.]
    """
    real, imaginary = (tensor(part) for part in x)
    values = _window(window, sequence_length, fft_length, real.dtype)
    inverse = None
    if values is not None:
        inverse = spectral.inverse_stft_window_fn(sequence_stride, lambda length, dtype: values)
    signal = spectral.inverse_stft(
        _ops.complex(real, imaginary),
        frame_length=fft_length,
        frame_step=sequence_stride,
        fft_length=fft_length,
        window_fn=inverse,
    )
    start = fft_length // 2 if center else 0
    stop: int | None = None
    if length is not None:
        stop = start + length
    elif center:
        stop = -(fft_length // 2)
    return signal[..., start:stop]


def _window(window: str | TensorLike, length: int, size: int, dtype: DTypeLike) -> Tensor | None:
    """A window, padded with zeros on both sides to the size of the transform."""
    if size < length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. Received: "
            f"sequence_length={length}, fft_length={size}"
        )
    if window is None:
        return None
    if isinstance(window, str):
        if window not in ("hann", "hamming"):
            raise ValueError(
                'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. '
                f"Received: window={window}"
            )
        function = windows.hann_window if window == "hann" else windows.hamming_window
        values = function(length, periodic=True, dtype=dtype)
    else:
        values = tensor(window, dtype)
    if values._shape_tuple() != (length,):
        raise ValueError(
            "The shape of `window` must be equal to [sequence_length]. Received: window "
            f"shape={tuple(values.shape)}"
        )
    before = (size - length) // 2
    return array.pad(values, [[before, size - length - before]])

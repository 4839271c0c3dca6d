"""Spectrograms of signals, as layers."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import config, initializers
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, sizes_of, window_count
from eagerflow.ops import array, conversion
from eagerflow.ops.nn import convolution
from eagerflow.signal import spectral
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow.util.program_warnings import warn
from eagerflow_compat.keras.ops.spectral import stft

_ops = _core.ops
_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")


class STFTSpectrogram(Layer):
    """The short-time Fourier transform of each channel, as trainable convolutions.

    Args:
        mode: the part to return: "log" magnitude, "magnitude", "psd" (power), "real" or "imag" part,
            "angle", or "stft" (both parts).
        frame_length: the samples of a frame.
        frame_step: from the beginning of a frame to that of the next; half a frame by default.
        fft_length: the size of the transform; the least power of two that holds a frame by default.
        window: the name of a window that SciPy has, its values, or None.
        periodic: whether the window is one period of a longer one.
        scaling: "density" divides the window by the root of its energy, "spectrum" by its sum.
        padding: "valid" or "same".
        expand_dims: whether channels and frequencies have separate axes.

    Raises:
        ValueError: for an argument that is not one of these.

    >>> layer = tf.keras.layers.STFTSpectrogram(frame_length=64, fft_length=64)
    >>> layer(tf.ones([2, 256, 1])).shape
    TensorShape([2, 7, 33])
    """

    def __init__(
        self,
        mode: str = "log",
        frame_length: int = 256,
        frame_step: int | None = None,
        fft_length: int | None = None,
        window: Any = "hann",
        periodic: bool = False,
        scaling: str | None = "density",
        padding: str = "valid",
        expand_dims: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        if frame_step is not None and not 1 <= frame_step <= frame_length:
            raise ValueError(
                "`frame_step` should be a positive integer not greater than `frame_length`. "
                f"Received frame_step={frame_step}, frame_length={frame_length}"
            )
        if fft_length is not None and fft_length < frame_length:
            raise ValueError(
                "`fft_length` should be not less than `frame_length`. Received "
                f"fft_length={fft_length}, frame_length={frame_length}"
            )
        if fft_length is not None and fft_length & -fft_length != fft_length:
            warn(
                f"`fft_length` is recommended to be a power of two. Received {fft_length}",
            )
        if mode not in _MODES:
            raise ValueError(
                f"Output mode is invalid, it must be one of {', '.join(_MODES)}. Received: "
                f"mode={mode}"
            )
        if padding not in ("valid", "same"):
            raise ValueError(
                f"Padding is invalid, it should be 'valid', 'same'. Received: padding={padding}"
            )
        for side in ("real", "imag"):
            initializers.STFT(side, window, scaling, periodic)
        super().__init__(**kwargs)
        self.mode = mode
        self.frame_length = frame_length
        self.frame_step = frame_step
        self._step = frame_step or frame_length // 2
        self.fft_length = fft_length
        self._size = fft_length or 2 ** math.ceil(math.log2(frame_length))
        self.window = window
        self.periodic = periodic
        self.scaling = scaling
        self.padding = padding
        self.expand_dims = expand_dims
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=3)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the kernels."""
        shape = (self.frame_length, 1, self._size // 2 + 1)
        for side, absent in (("real", "imag"), ("imag", "real")):
            if self.mode != absent:
                kernel = self.add_weight(
                    name=f"{side}_kernel",
                    shape=shape,
                    initializer=initializers.STFT(side, self.window, self.scaling, self.periodic),
                )
                setattr(self, f"{side}_kernel", kernel)
        super().build(input_shape)

    def call(self, inputs: _core.Tensor) -> Any:
        """The spectrogram of signals `[batch, samples, channels]`, or with channels first."""
        if inputs.dtype.name not in ("float16", "float32", "float64"):
            raise TypeError(
                "Invalid input type. Expected `float16`, `float32` or `float64`. Received: input "
                f"type={inputs.dtype.name}"
            )
        if self.data_format == "channels_last":
            inputs = _ops.transpose(inputs, [0, 2, 1])
        parts = {
            side: self._convolved(inputs, getattr(self, f"{side}_kernel"))
            for side in ("real", "imag")
            if hasattr(self, f"{side}_kernel")
        }
        return self._arranged(self._shown(parts))

    def _convolved(self, inputs: Any, kernel: Any) -> _core.Tensor:
        """`[batch, channels, frames, frequencies]` of `[batch, channels, samples]`."""
        batch, channels, samples = inputs._sizes()
        outputs = convolution.conv1d(
            _ops.reshape(inputs, [batch * channels, samples, 1]),
            conversion.cast(kernel, inputs.dtype),
            stride=self._step,
            padding=self.padding.upper(),
        )
        return _ops.reshape(outputs, [batch, channels, *outputs._sizes()[1:]])

    def _shown(self, parts: dict[str, _core.Tensor]) -> _core.Tensor:
        if self.mode in ("real", "imag"):
            return parts[self.mode]
        real, imaginary = parts["real"], parts["imag"]
        if self.mode == "angle":
            return _ops.atan2(imaginary, real)
        if self.mode == "stft":
            return _ops.concat([real, imaginary], 3)
        power = _ops.square(real) + _ops.square(imaginary)
        if self.mode == "psd":
            # All frequencies but the first and last also count for their negatives.
            return power + array.pad(power[..., 1:-1], [[0, 0], [0, 0], [0, 0], [1, 1]])
        small = config.epsilon()
        magnitude = _ops.sqrt(_ops.maximum(power, small))
        if self.mode == "magnitude":
            return magnitude
        return _ops.log(_ops.maximum(magnitude, small))

    def _arranged(self, x: _core.Tensor) -> _core.Tensor:
        """The result's order of axes, from `[batch, channels, frames, frequencies]`."""
        batch, channels, frames, bins = x._sizes()
        first = self.data_format == "channels_first"
        if self.expand_dims:
            return x if first else _ops.transpose(x, [0, 2, 3, 1])
        if first:
            x = _ops.transpose(x, [0, 1, 3, 2])
            return _ops.reshape(x, [batch, channels * bins, frames])
        x = _ops.transpose(x, [0, 2, 1, 3])
        return _ops.reshape(x, [batch, frames, channels * bins])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the spectrogram."""
        batch, samples, channels = sizes_of(input_shape)
        first = self.data_format == "channels_first"
        if first:
            samples, channels = channels, samples
        bins = (self._size // 2 + 1) * (2 if self.mode == "stft" else 1)
        frames = window_count(samples, self.frame_length, self.padding, self._step)
        if self.expand_dims:
            rest = (channels, frames, bins) if first else (frames, bins, channels)
            return TensorShape([batch, *rest])
        width = None if channels is None else channels * bins
        return TensorShape([batch, width, frames] if first else [batch, frames, width])


class MelSpectrogram(Layer):
    """The power of a signal in bands of the mel scale over time.

    Args:
        fft_length: the size of the transform.
        sequence_stride: from the beginning of a frame to that of the next.
        sequence_length: the samples of a frame; `fft_length` by default.
        window: "hann", "hamming", the values of a window, or None.
        sampling_rate: samples per second.
        num_mel_bins: how many bands.
        min_freq: where the lowest band begins, in Hz.
        max_freq: where the highest band ends; half the sampling rate by default.
        power_to_db: whether the result is in decibels.
        top_db: how far below the loudest value the result ends, in decibels.
        mag_exp: 1 for magnitudes, 2 for powers.
        min_power: the least power; lower values become this one.
        ref_power: the power of 0 decibels.

    Raises:
        ValueError: if the transform is shorter than a frame.

    >>> layer = tf.keras.layers.MelSpectrogram(128, 64, num_mel_bins=20, sampling_rate=8000)
    >>> layer(tf.ones([2, 1000])).shape
    TensorShape([2, 20, 16])
    """

    def __init__(
        self,
        fft_length: int = 2048,
        sequence_stride: int = 512,
        sequence_length: int | None = None,
        window: Any = "hann",
        sampling_rate: int = 16000,
        num_mel_bins: int = 128,
        min_freq: float = 20.0,
        max_freq: float | None = None,
        power_to_db: bool = True,
        top_db: float = 80.0,
        mag_exp: float = 2.0,
        min_power: float = 1e-10,
        ref_power: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.fft_length = fft_length
        self.sequence_stride = sequence_stride
        self.sequence_length = sequence_length or fft_length
        if fft_length < self.sequence_length:
            raise ValueError(
                "`fft_length` must be greater than or equal to `sequence_length`. Received: "
                f"sequence_length={self.sequence_length}, fft_length={fft_length}."
            )
        self.window = window
        self.sampling_rate = sampling_rate
        self.num_mel_bins = num_mel_bins
        self.min_freq = min_freq
        self.max_freq = max_freq or int(sampling_rate / 2)
        self.power_to_db = power_to_db
        self.top_db = top_db
        self.mag_exp = mag_exp
        self.min_power = min_power
        self.ref_power = ref_power

    def call(self, inputs: _core.Tensor) -> Any:
        """`[..., bands, frames]` of signals `[..., samples]`."""
        wide = "float64" if self.compute_dtype == "float64" else "float32"
        x = conversion.cast(inputs, wide)
        real, imaginary = stft(
            x, self.sequence_length, self.sequence_stride, self.fft_length, self.window
        )
        power = _ops.pow(_ops.square(real) + _ops.square(imaginary), self.mag_exp / 2.0)
        bands = _ops.matmul(
            power,
            self.linear_to_mel_weight_matrix(
                self.num_mel_bins,
                self.fft_length // 2 + 1,
                self.sampling_rate,
                self.min_freq,
                self.max_freq,
                wide,
            ),
        )
        if self.power_to_db:
            reference = 10.0 * math.log10(max(abs(self.ref_power), self.min_power))
            bands = _ops.log(_ops.maximum(bands, self.min_power)) * (10.0 / math.log(10.0))
            bands = bands - reference
            bands = _ops.maximum(bands, _ops.reduce_max(bands) - self.top_db)
        rank = bands.ndim
        bands = _ops.transpose(bands, [*range(rank - 2), rank - 1, rank - 2])
        return conversion.cast(bands, self.compute_dtype)

    def linear_to_mel_weight_matrix(
        self,
        num_mel_bins: int = 20,
        num_spectrogram_bins: int = 129,
        sampling_rate: float = 8000,
        lower_edge_hertz: float = 125.0,
        upper_edge_hertz: float = 3800.0,
        dtype: DTypeLike = "float32",
    ) -> _core.Tensor:
        """The matrix that turns frequencies into bands: `tf.signal.linear_to_mel_weight_matrix`."""
        return spectral.linear_to_mel_weight_matrix(
            num_mel_bins,
            num_spectrogram_bins,
            sampling_rate,
            lower_edge_hertz,
            upper_edge_hertz,
            dtype,
        )

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the spectrogram."""
        *batch, samples = sizes_of(input_shape)
        frames = None
        if samples is not None:
            padded = samples + self.fft_length // 2 * 2
            frames = window_count(padded, self.fft_length, "valid", self.sequence_stride)
        return TensorShape([*batch, self.num_mel_bins, frames])

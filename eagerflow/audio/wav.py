"""WAV files of 16-bit samples as numbers, and numbers as such files."""

from __future__ import annotations

import struct
from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.composed_op import Input, composed_op

Tensor = _core.Tensor

DecodeWav = namedtuple("DecodeWav", ["audio", "sample_rate"])


def _invalid(message: str, op: str = "DecodeWav") -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(f"{message} [Op:{op}]")


class _Reader:
    """Reads parts of a file one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        part = self._data[self.at : self.at + size]
        if len(part) < size:
            raise _invalid(f"Data too short: {size} bytes are missing at {self.at}")
        self.at += size
        return part

    def expect(self, word: bytes) -> None:
        found = self.take(4)
        if found != word:
            raise _invalid(f"Header mismatch: Expected {word.decode()} but found {found!r}")

    def number(self, form: str) -> int:
        return struct.unpack("<" + form, self.take(struct.calcsize(form)))[0]

    @property
    def left(self) -> int:
        return len(self._data) - self.at


def _samples(data: bytes) -> tuple[np.ndarray, int]:
    """The samples `[n, channels]` of a file, and their rate.

    Raises:
        tf.errors.InvalidArgumentError: if it is no WAV file of 16-bit samples.
    """
    reader = _Reader(data)
    reader.expect(b"RIFF")
    reader.number("I")
    reader.expect(b"WAVE")
    reader.expect(b"fmt ")
    size = reader.number("I")
    if size not in (16, 18):
        raise _invalid(f"Bad file size for WAV: Expected 16 or 18, but got {size}")
    kind = reader.number("H")
    if kind != 1:
        raise _invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
    channels = reader.number("H")
    if not channels:
        raise _invalid("Bad number of channels for WAV: Expected at least 1, got 0")
    rate = reader.number("I")
    reader.number("I")
    span = reader.number("H")
    bits = reader.number("H")
    if bits != 16:
        raise _invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if span != 2 * channels:
        raise _invalid(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {span}"
        )
    reader.take(size - 16)
    found = None
    while reader.left:
        name = reader.take(4)
        size = reader.number("I")
        if size > 0x7FFFFFFF:
            raise _invalid(f"Chunk size too large: {size}")
        if name != b"data":
            reader.take(min(size, reader.left))
            continue
        if found is not None:
            raise _invalid("More than one data chunk found in WAV")
        content = reader.take(size)
        count = size // span
        found = np.frombuffer(content, "<i2", count * channels).reshape(count, channels)
    if found is None:
        raise _invalid("No data chunk found in WAV")
    return found, rate


def _decoded_specs(
    contents: object, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    samples = desired_samples if desired_samples >= 0 else None
    channels = desired_channels if desired_channels > 0 else None
    return DecodeWav(TensorSpec([samples, channels]), TensorSpec([], dtypes.int32))


def _encoded_spec(audio: object, sample_rate: object, name: str | None = None) -> TensorSpec:
    return TensorSpec([], dtypes.string)


@composed_op("DecodeWav", in_graph=on_host(_decoded_specs), contents=Input("string"))
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """The samples of a WAV file of 16 bits, scaled to [-1, 1].

    Args:
        contents: the file's bytes, a scalar string.
        desired_channels: how many channels the result has: further ones are left out or repeat the
            last one. -1 for as many as the file has.
        desired_samples: how many samples: further ones are left out or are zero. -1 for all.

    Returns:
        `(audio, sample_rate)`: float32 `[samples, channels]` and int32.

    Raises:
        tf.errors.InvalidArgumentError: if the data is no WAV file of 16-bit samples.

    >>> data = tf.audio.encode_wav([[0.5], [-0.5]], 16000)
    >>> tf.audio.decode_wav(data).audio.numpy().ravel()
    array([ 0.5, -0.5], dtype=float32)
    """
    tensor = _core.convert(contents, None, dtypes.string)
    if tensor.dtype is not dtypes.string or tensor.ndim:
        raise _invalid(f"contents must be scalar, got shape {tensor.shape}")
    values, rate = _samples(tensor.numpy())
    if desired_channels > 0:
        last = values.shape[1] - 1
        values = values[:, np.minimum(np.arange(desired_channels), last)]
    if desired_samples >= 0:
        values = values[:desired_samples]
        missing = desired_samples - len(values)
        values = np.pad(values, ((0, missing), (0, 0)))
    audio = values.astype(np.float32) / np.float32(32768)
    return DecodeWav(
        _core.convert(audio, dtypes.float32, None), _core.convert(rate, dtypes.int32, None)
    )


@composed_op(
    "EncodeWav", in_graph=on_host(_encoded_spec), audio=Input("float32"), sample_rate=Input("int32")
)
def encode_wav(audio: object, sample_rate: Any, name: str | None = None) -> Tensor:
    """The bytes of a WAV file of 16 bits.

    Args:
        audio: float32 `[samples, channels]` within [-1, 1].
        sample_rate: samples per second.

    Returns:
        A scalar string.

    Raises:
        tf.errors.InvalidArgumentError: if the rank is not 2, or the rate not positive.

    >>> tf.audio.encode_wav([[0.0]], 8000).numpy()[:4]
    b'RIFF'
    """
    op = "EncodeWav"
    values = _core.convert(audio, dtypes.float32, None).numpy()
    hertz = _core.convert(sample_rate, dtypes.int32, None)
    if values.ndim != 2:
        raise _invalid(f"audio must be 2-dimensional, got shape {list(values.shape)}", op)
    if hertz.ndim:
        raise _invalid(f"sample_rate must be a scalar, got shape {hertz.shape}", op)
    rate = int(hertz)
    if rate <= 0:
        raise _invalid(f"sample_rate must be in (0, 2^32), got: {rate}", op)
    count, channels = values.shape
    if not 0 < channels < 1 << 15:
        raise _invalid(f"channels must be in (0, 2^15), got: {channels}", op)
    scaled = np.nan_to_num(values.astype(np.float64) * 32768)
    rounded = np.where(scaled < 0, np.ceil(scaled - 0.5), np.floor(scaled + 0.5))
    content = np.clip(rounded, -32768, 32767).astype("<i2").tobytes()
    header = struct.pack(
        "<4sI8sIHHIIHH4sI",
        b"RIFF",
        36 + len(content),
        b"WAVEfmt ",
        16,
        1,
        channels,
        rate,
        rate * channels * 2 % 2**32,  # as TensorFlow writes it
        channels * 2,
        16,
        b"data",
        len(content),
    )
    return _core.convert(header + content, dtypes.string, None)

"""Sounds of WAV files as arrays."""

from __future__ import annotations

import wave

import numpy as np

from eagerflow.util.optional import optional
from eagerflow.util.regular import open_regular


def read_wav(path: str, sampling_rate: int | None = None) -> np.ndarray:
    """The samples of a file with 16 bits each, as float32 `[samples, channels]` in [-1, 1].

    Args:
        path: the file.
        sampling_rate: to which the sound is resampled; by default it stays as it is.

    Raises:
        ValueError: for another bit depth.
    """
    name = path.decode() if isinstance(path, bytes) else path
    with open_regular(name) as source, wave.open(source, "rb") as file:
        if file.getsampwidth() != 2:
            raise ValueError(
                f"Only WAV files with 16 bits a sample can be read: {name} has "
                f"{8 * file.getsampwidth()}."
            )
        rate, channels = file.getframerate(), file.getnchannels()
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    sound = data.reshape(-1, channels).astype(np.float32) / 32768.0
    if sampling_rate is None or sampling_rate == rate:
        return sound
    signal = optional("scipy.signal", "Changing the sampling rate of sound")
    common = np.gcd(rate, sampling_rate)
    return signal.resample_poly(sound, sampling_rate // common, rate // common).astype(np.float32)

"""tf.audio: sound in WAV files."""

from eagerflow.ops.wav import (
    decode_wav,
    encode_wav,
)

__all__ = [
    "decode_wav",
    "encode_wav",
]

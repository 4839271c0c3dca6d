from eagerflow.audio.wav import (
    decode_wav as decode_wav,
    encode_wav as encode_wav,
)

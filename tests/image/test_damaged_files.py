"""Files that are cut short or damaged: an answer, or an error that says what is wrong."""

import io
import random

import numpy as np
import pytest
from PIL import Image

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError


def files():
    pixels = np.random.RandomState(0).randint(0, 255, (9, 7, 3), np.uint8)
    for kind in ("PNG", "JPEG", "GIF", "BMP", "WEBP"):
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, kind)
        yield kind, buffer.getvalue()
    yield "WAV", tf.audio.encode_wav(pixels[..., 0] / np.float32(255), 8000).numpy()


FILES = dict(files())


def damaged(data):
    drawn = random.Random(1)
    for end in (0, 1, 4, len(data) // 2, len(data) - 1):
        yield data[:end]
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(drawn.choice([1, 1, 2, 5])):
            changed[drawn.randrange(len(changed))] = drawn.randrange(256)
        yield bytes(changed)
    for _ in range(10):
        place = drawn.randrange(len(data))
        yield data[:place] + drawn.randbytes(5) + data[place:]


@pytest.mark.parametrize("kind", FILES)
def test_damage_is_an_invalid_argument_or_still_an_image(kind):
    for data in damaged(FILES[kind]):
        try:
            if kind == "WAV":
                samples = tf.audio.decode_wav(data).audio
                assert samples._size * 2 <= len(data)
            else:
                assert tf.io.decode_image(data).dtype == tf.uint8
        except Invalid:
            pass


@pytest.mark.parametrize("kind", ["BMP", "WAV"])
@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"zz"])
def test_sizes_have_to_be_exact(kind, change):
    decode = tf.io.decode_bmp if kind == "BMP" else tf.audio.decode_wav
    with pytest.raises(Invalid):
        decode(change(FILES[kind]))


def test_an_animation_has_an_axis_of_frames():
    assert tf.io.decode_image(FILES["WEBP"]).shape == (1, 9, 7, 3)
    assert tf.io.decode_image(FILES["WEBP"], expand_animations=False).shape == (9, 7, 3)

"""PNG images with 16 bits a sample, of all filters, alone and mixed; Pillow reads the grey ones as well."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

import eagerflow as tf

COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def predicted(kind, left, up, corner):
    left, up, corner = (values.astype(int) for values in (left, up, corner))
    if kind == 4:
        away = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
        return np.choose(np.argmin(away, 0), [left, up, corner])
    return [0 * left, left, up, (left + up) // 2][kind]


def png(image, filters):
    """A file whose rows have these filters, in turn."""
    rows, columns, samples = image.shape
    plain = image.astype(">u2").view(np.uint8).reshape(rows, -1)
    step, lines = 2 * samples, b""
    for row, line in enumerate(plain):
        above = plain[row - 1] if row else 0 * line
        left, corner = (np.r_[[0] * step, values[:-step]] for values in (line, above))
        kind = filters[row % len(filters)]
        known = kind if kind < 5 else 0
        lines += (
            bytes([kind])
            + (line - predicted(known, left, above, corner)).astype(np.uint8).tobytes()
        )
    header = struct.pack(">IIBBBBB", columns, rows, 16, COLOURS[samples], 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("filters", [[0], [1], [2], [3], [4], [3, 4, 1, 0, 2], [4, 3]])
@pytest.mark.parametrize("samples", COLOURS)
@pytest.mark.parametrize("size", [(1, 1), (5, 1), (1, 6), (9, 7)])
def test_all_filters(filters, samples, size):
    image = np.random.default_rng(4).integers(0, 65536, (*size, samples)).astype(np.uint16)
    data = png(image, filters)
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=tf.uint16), image)
    if samples == 1:
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data))), image[..., 0])


def test_an_unknown_filter():
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown filter"):
        tf.io.decode_png(png(np.ones((3, 2, 3), np.uint16), [0, 5]), dtype=tf.uint16)

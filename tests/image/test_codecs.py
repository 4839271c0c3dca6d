"""Image files: those that TensorFlow wrote, round trips, and damaged data."""

import contextlib
import io

import numpy as np
import pytest
from PIL import Image

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError


def picture(channels=3, height=37, width=50):
    """A picture with slopes in every channel."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [x * 5, y * 6, x * y, 255 - x * 3]
    return (np.stack(planes[:channels], -1) % 256).astype(np.uint8)


def saved(array, kind, mode=None, **options):
    file = io.BytesIO()
    array = array[..., 0] if array.shape[-1] == 1 else array
    Image.fromarray(array, mode).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_keeps_every_pixel(channels, dtype):
    image = picture(channels).astype(dtype)
    if dtype == np.uint16:
        image = image * 251 + 7
    decoded = tf.io.decode_png(tf.io.encode_png(image), dtype=dtype)
    np.testing.assert_array_equal(decoded, image)


def test_png_of_many_kinds():
    rgb = Image.fromarray(picture())
    palette = rgb.quantize(16)
    file = io.BytesIO()
    palette.save(file, "PNG")
    np.testing.assert_array_equal(tf.io.decode_png(file.getvalue()), palette.convert("RGB"))
    file = io.BytesIO()
    palette.save(file, "PNG", transparency=3)
    with_alpha = tf.io.decode_png(file.getvalue()).numpy()
    assert with_alpha.shape == (37, 50, 4)
    np.testing.assert_array_equal(with_alpha[..., 3] == 0, np.asarray(palette) == 3)
    file = io.BytesIO()
    rgb.convert("1").save(file, "PNG")
    assert set(np.unique(tf.io.decode_png(file.getvalue()))) == {0, 255}


def test_channels_are_added_and_left_out():
    # Recorded from TensorFlow 2.21.
    colours = [[1, 2, 3], [255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 200, 31], [5, 6, 5]]
    data = tf.io.encode_png(np.array([colours], np.uint8))
    grey = tf.io.decode_png(data, channels=1).numpy()
    assert grey[0, :, 0].tolist() == [1, 76, 149, 29, 123, 5]
    opaque = tf.io.decode_png(data, channels=4).numpy()
    np.testing.assert_array_equal(opaque[0, :, :3], colours)
    assert (opaque[..., 3] == 255).all()
    wide = tf.io.decode_png(data, dtype=tf.uint16).numpy()
    np.testing.assert_array_equal(wide[0], np.array(colours) * 257)
    with pytest.raises(Invalid, match="`channels` must be 0, 1, 3 or 4 but got 2"):
        tf.io.decode_png(data, channels=2)


@pytest.mark.parametrize("kind", [0, 2, 4, 6])
def test_interlaced_png_of_16_bits(kind):
    """An Adam7 image whose pixels are written one by one."""
    import struct
    import zlib

    from eagerflow.image.formats import _PASSES, _SAMPLES

    samples = _SAMPLES[kind]
    image = np.random.default_rng(0).integers(0, 65536, (5, 6, samples), np.uint16)
    lines = b""
    for top, left, down, right in _PASSES:
        for row in image[top::down, left::right]:
            if row.size:
                lines += b"\0" + row.astype(">u2").tobytes()
    header = struct.pack(">IIBBBBB", 6, 5, 16, kind, 0, 0, 1)
    data = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")):
        crc = struct.pack(">I", zlib.crc32(name + body))
        data += struct.pack(">I", len(body)) + name + body + crc
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=tf.uint16), image)


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_comes_back_nearly(channels):
    y, x = np.mgrid[0:37, 0:50]
    image = np.stack([x * 4, y * 6, x + y], -1)[..., :channels].astype(np.uint8)
    data = tf.io.encode_jpeg(image)
    decoded = tf.io.decode_jpeg(data).numpy()
    assert decoded.shape == image.shape
    assert np.abs(decoded.astype(int) - image).max() < 12
    assert tf.io.extract_jpeg_shape(data).numpy().tolist() == [37, 50, channels]
    assert tf.io.decode_jpeg(data, ratio=4).shape == (10, 13, channels)
    crop = tf.io.decode_and_crop_jpeg(data, [3, 4, 10, 12])
    np.testing.assert_array_equal(crop, decoded[3:13, 4:16])
    with pytest.raises(Invalid, match="crop window"):
        tf.io.decode_and_crop_jpeg(data, [30, 4, 10, 12])
    grey = tf.io.decode_jpeg(data, channels=1)
    assert grey.shape == (37, 50, 1)


def test_bmp_in_its_depths():
    for channels in (1, 3, 4):
        image = picture(channels)
        np.testing.assert_array_equal(tf.io.decode_bmp(saved(image, "BMP")), image)
    upside = bytearray(saved(picture(), "BMP"))
    upside[22:26] = (-37).to_bytes(4, "little", signed=True)
    np.testing.assert_array_equal(tf.io.decode_bmp(bytes(upside)), picture()[::-1])
    with pytest.raises(Invalid, match="must be 0, 3 or 4 for BMP"):
        tf.io.decode_bmp(bytes(upside), channels=1)


def test_animations_have_frames():
    frames = [Image.fromarray(np.roll(picture(), k, 0)) for k in range(3)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    data = file.getvalue()
    assert tf.io.decode_gif(data).shape == (3, 37, 50, 3)
    assert tf.io.decode_image(data, expand_animations=False).shape == (37, 50, 3)
    with pytest.raises(Invalid, match="Got 3 frames"):
        tf.io.decode_png(data)
    assert tf.io.decode_gif(tf.io.encode_png(picture(1))).shape == (1, 37, 50, 3)
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    webp = tf.io.decode_webp(file.getvalue()).numpy()
    np.testing.assert_array_equal(webp, [np.asarray(frame) for frame in frames])


def test_decode_image_converts():
    data = tf.io.encode_png(picture())
    np.testing.assert_allclose(
        tf.io.decode_image(data, dtype=tf.float32), picture() / 255.0, rtol=1e-6
    )
    wide = tf.io.decode_image(data, dtype=tf.uint16)
    np.testing.assert_array_equal(wide, picture().astype(np.uint16) * 257)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: tf.io.decode_image(b"junk"), "Unknown image file format"),
        (lambda: tf.io.decode_jpeg(b""), "Input is empty"),
        (lambda: tf.io.decode_jpeg([b"a"]), "must be scalar"),
        (lambda: tf.io.decode_jpeg(tf.io.encode_jpeg(picture()), ratio=3), "ratio must be"),
        (lambda: tf.io.decode_jpeg(saved(picture(), "BMP")), "using a wrong op"),
        (lambda: tf.io.decode_bmp(saved(picture(), "PNG")), "Use `decode_png`"),
        (lambda: tf.io.encode_jpeg(picture(4)), "must have 1 or 3 channels"),
        (lambda: tf.io.encode_jpeg(picture(), format="grayscale"), "expects 1 channels"),
        (lambda: tf.io.encode_jpeg(picture(), quality=101), "quality must be"),
        (lambda: tf.io.encode_png(picture()[..., 0]), "at least rank 3"),
        (lambda: tf.io.encode_png(picture(), compression=10), "compression should be"),
        (lambda: tf.io.encode_png(tf.zeros([2, 2, 1])), "not in the list of allowed values"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(Invalid, match=message):
        call()


FILES = {
    "JPEG": lambda: saved(picture(3, 16, 16), "JPEG"),
    "PNG": lambda: saved(picture(3, 16, 16), "PNG"),
    "PNG16": lambda: tf.io.encode_png(picture(3, 16, 16).astype(np.uint16) * 200).numpy(),
    "GIF": lambda: saved(picture(3, 16, 16), "GIF"),
    "BMP": lambda: saved(picture(3, 16, 16), "BMP"),
    "WEBP": lambda: saved(picture(3, 16, 16), "WEBP"),
}


@pytest.mark.parametrize("kind", FILES)
def test_damaged_files_decode_or_are_refused(kind):
    data = FILES[kind]()
    rng = np.random.default_rng(0)
    damaged = [data[:size] for size in rng.integers(1, len(data), 25)]
    for _ in range(60):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), 3):
            changed[place] = rng.integers(0, 256)
        damaged.append(bytes(changed))
    for item in damaged:
        for dtype in (tf.uint8, tf.uint16):
            with contextlib.suppress(Invalid):
                assert tf.io.decode_image(item, dtype=dtype).dtype is dtype


def test_a_cut_jpeg_is_decoded_on_request():
    data = saved(picture(), "JPEG")
    with pytest.raises(Invalid):
        tf.io.decode_jpeg(data[:-200])
    part = tf.io.decode_jpeg(data[:-200], try_recover_truncated=True)
    assert part.shape == (37, 50, 3)
    np.testing.assert_array_equal(part[:6], tf.io.decode_jpeg(data)[:6])


def jpeg_of(mode, **options):
    """A JPEG file of slopes that wrap, 17 by 33 pixels."""
    pixels = np.add.outer(np.arange(17) * 9, np.arange(33) * 4)[..., None] + [0, 40, 7]
    image = Image.fromarray((pixels % 256).astype(np.uint8)).convert(mode)
    return saved(np.asarray(image), "JPEG", mode, quality=60, **options)


@pytest.mark.parametrize(
    "mode, options, sums",
    [
        ("RGB", {}, [233760, 235106, 233685, 64577]),
        ("RGB", {"progressive": True, "subsampling": 0}, [233765, 235108, 233765, 64761]),
        ("L", {}, [80263, 80530, 80263, 21986]),
        ("CMYK", {}, [233928, 236393, 233928, 64990]),
    ],
)
def test_jpeg_pixels(mode, options, sums):
    """The sums of all pixels are TensorFlow's, for every way of decoding."""
    data = jpeg_of(mode, **options)
    ways = [{}, {"dct_method": "INTEGER_ACCURATE"}, {"fancy_upscaling": False}, {"ratio": 2}]
    found = [int(tf.io.decode_jpeg(data, **way).numpy().astype(int).sum()) for way in ways]
    assert found == sums


def test_pictures_without_colours_are_not_sampled():
    data = tf.io.encode_jpeg(picture(1)).numpy()
    frame = data.index(b"\xff\xc0")
    # Precision, height, width, one component: its number and how often it is sampled.
    assert data[frame + 9 : frame + 12] == b"\x01\x01\x11"

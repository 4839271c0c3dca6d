"""Bytes of image files as arrays `[height, width, channels]`, format by format."""

from __future__ import annotations

import contextlib
import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from eagerflow import _core
from eagerflow.util.expansion import expanded_at_most
from eagerflow.util.optional import optional

_MOST_BYTES = 1 << 29  # of an image, as in TensorFlow
_SCANS = 16  # how many scans of a progressive JPEG cost as much as one pass over its pixels may


class BadImage(Exception):
    """Data that is not a valid image of the format."""


def format_of(data: bytes) -> str | None:
    """ "JPEG", "PNG", "GIF", "BMP", "WebP", "JPEG XL", or None, by the first bytes."""
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data.startswith(b"GIF8"):
        return "GIF"
    if data.startswith(b"BM"):
        return "BMP"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    if data.startswith((b"\xff\x0a", b"\x00\x00\x00\x0cJXL \r\n\x87\n")):
        return "JPEG XL"
    return None


def check_claim(data: bytes, height: int, width: int, channels: int, passes: int = 1) -> None:
    """Refuses an image that its header makes larger than the data can be taken to hold.

    Args:
        data: the file.
        height: the number of rows.
        width: the number of columns.
        channels: the number of bytes of a pixel.
        passes: the number of frames, or how often all pixels are computed.

    Raises:
        BadImage: if it is.
    """
    claimed = passes * height * width * channels
    most = min(expanded_at_most(len(data)), _MOST_BYTES - 1)
    if claimed > most:
        raise BadImage(
            f"Image too large: its header claims {passes} x {height} x {width} x {channels} = "
            f"{claimed} bytes, and {len(data)} bytes of data may hold {most}"
        )


def _claimed_size(data: bytes, kind: str) -> tuple[int, int]:
    """Height and width in the header of a PNG, GIF or WebP image; zeros where it has none."""

    def number(at: int, size: int, order: Literal["big", "little"] = "little") -> int:
        return int.from_bytes(data[at : at + size], order)

    if kind == "PNG":
        return number(20, 4, "big"), number(16, 4, "big")
    if kind == "GIF":
        return number(8, 2), number(6, 2)
    if kind != "WebP":
        return 0, 0
    chunk = data[12:16]
    if chunk == b"VP8X":
        return number(27, 3) + 1, number(24, 3) + 1
    if chunk == b"VP8L":
        bits = number(21, 4)
        return (bits >> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1
    return number(28, 2) & 0x3FFF, number(26, 2) & 0x3FFF


def opened(data: bytes, kind: str) -> Any:
    """A Pillow image of that format, not yet decoded.

    Raises:
        BadImage: if Pillow cannot read its header, or it is too large.
        ImportError: if Pillow is not installed.
    """
    Image = optional("PIL.Image", f"Decoding {kind} images")
    check_claim(data, *_claimed_size(data, kind), channels=3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return Image.open(io.BytesIO(data), formats=[kind.upper()])
    except Exception as error:
        raise BadImage(str(error)) from error


def _pixels(image: object) -> np.ndarray:
    """The elements of a Pillow image, with a last axis of channels."""
    try:
        array = np.asarray(image)
    except Exception as error:
        raise BadImage(str(error)) from error
    if array.ndim < 2:
        raise BadImage("the data is cut short")
    return array[..., None] if array.ndim == 2 else array


def decode_jpeg(
    data: bytes,
    channels: int,
    ratio: int = 1,
    recover: bool = False,
    fancy: bool = True,
    fast: bool = True,
) -> np.ndarray:
    """A JPEG image.

    Args:
        data: the file.
        channels: 1 or 3, or 0 for as many as the file has.
        ratio: 1, 2, 4 or 8: how much smaller to decode it.
        recover: whether to keep the decoded part of a truncated file.
        fancy: whether colours of a lower resolution are interpolated rather than repeated.
        fast: whether the transform may round more coarsely, by a few levels.

    Raises:
        BadImage: if it cannot be decoded.
    """
    simplejpeg = optional("simplejpeg", "Decoding JPEG images")
    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data, strict=False)
        rows, columns = -(-height // ratio), -(-width // ratio)
        scans = data.count(b"\xff\xda")
        check_claim(data, height, width, 1 if space == "Gray" else 3, -(-scans // _SCANS) or 1)
        grey = channels == 1 or (channels == 0 and space == "Gray")
        if grey and space == "CMYK":
            raise BadImage("CMYK cannot be decoded to grey levels")
        array = simplejpeg.decode_jpeg(
            data,
            "GRAY" if grey else "CMYK" if space == "CMYK" else "RGB",
            fastdct=fast,
            fastupsample=not fancy,
            min_height=rows if ratio > 1 else 0,
            min_width=columns if ratio > 1 else 0,
            min_factor=ratio,
            strict=not recover,
        )
    except (KeyError, ValueError) as error:  # KeyError: an unknown file type
        raise BadImage(str(error)) from error
    if array.shape[:2] != (rows, columns):
        raise BadImage(f"an image of {height}x{width} cannot be decoded at 1/{ratio}")
    return _without_black(array, b"Adobe" in data) if array.shape[-1] == 4 else array


def _without_black(inks: np.ndarray, inverted: bool) -> np.ndarray:
    """Converts CMYK to RGB; Adobe's files store inverted values."""
    left = inks.astype(np.int32) if inverted else 255 - inks.astype(np.int32)
    return (left[..., :3] * left[..., 3:] // 255).astype(np.uint8)


def _fewer_bits(array: np.ndarray, dtype: Any) -> np.ndarray:
    """16-bit elements as 8-bit ones or vice versa."""
    if array.dtype == dtype:
        return array
    if dtype == np.uint8:
        return (array >> 8).astype(np.uint8)
    return array.astype(np.uint16) * 257


def decode_png(data: bytes, channels: int, dtype: Any) -> np.ndarray:
    """A PNG image.

    Args:
        data: the file.
        channels: 1, 3 or 4, or 0 for as many as the file has.
        dtype: uint8 or uint16.

    Raises:
        BadImage: if it cannot be decoded.
    """
    # Pillow reads colours of 16 bits as 8 bits, and grey levels with opacity as colours.
    own = b"\x02\x04\x06" if dtype == np.uint16 or channels == 1 else b"\x04"
    samples = max(channels, _SAMPLES.get(data[25], 3)) if len(data) > 25 else 1
    wide = data[24:25] == b"\x10" or dtype == np.uint16
    check_claim(data, *_claimed_size(data, "PNG"), channels=samples * (2 if wide else 1))
    if data[24:25] == b"\x10" and data[25:26] and data[25:26] in own:
        array = _decode_png16(data)
    else:
        image = opened(data, "PNG")
        transparent = "transparency" in image.info
        mode = image.mode
        if mode.startswith("I"):
            array = _pixels(image).astype(np.uint16)
        else:
            if mode == "1":
                mode = "LA" if transparent else "L"
            elif mode == "P" or transparent:
                colour = mode in ("P", "RGB", "RGBA")
                mode = ("RGB" if colour else "L") + ("A" if transparent else "")
            try:
                image.load()
                array = _pixels(image if image.mode == mode else image.convert(mode))
            except BadImage:
                raise
            except Exception as error:
                raise BadImage(str(error)) from error
    return _fewer_bits(with_channels(array, channels), dtype)


# The weights of red, green and blue in a grey level, in 1/32768.
_GREY = np.array([9797, 19234, 3737], np.uint32)


def with_channels(array: np.ndarray, channels: int) -> np.ndarray:
    """An image with 1, 3 or 4 channels; 0 leaves it as it is."""
    have = array.shape[-1]
    if channels in (0, have):
        return array
    opaque = np.iinfo(array.dtype).max
    alpha = array[..., have - 1 :] if have in (2, 4) else None
    if have <= 2:
        colours = array[..., :1] if channels == 1 else np.repeat(array[..., :1], 3, axis=-1)
    elif channels == 1:
        rounding = 16384 if array.dtype == np.uint16 else 0
        weighed = (array[..., :3].astype(np.uint32) * _GREY).sum(-1, keepdims=True, dtype=np.uint32)
        colours = ((weighed + rounding) >> 15).astype(array.dtype)
    else:
        colours = array[..., :3]
    if channels < 4:
        return colours
    if alpha is None:
        alpha = np.full((*array.shape[:-1], 1), opaque, array.dtype)
    return np.concatenate([colours, alpha], axis=-1)


_SAMPLES = {0: 1, 2: 3, 4: 2, 6: 4}
# Adam7: where each pass begins and how far apart its pixels are, rows first.
_PASSES = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)


def _decode_png16(data: bytes) -> np.ndarray:
    """A PNG image with 16 bits per sample."""
    header, content, transparency = None, [], None
    for kind, body in _png_chunks(data):
        if kind == b"IHDR" and len(body) == 13:
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            content.append(body)
        elif kind == b"tRNS":
            transparency = np.frombuffer(body[: len(body) // 2 * 2], ">u2")
    if header is None or header[4] or header[5] or header[6] > 1 or header[3] not in _SAMPLES:
        raise BadImage("the header is damaged")
    width, height, samples = header[0], header[1], _SAMPLES[header[3]]
    step = 2 * samples
    passes = _PASSES if header[6] else ((0, 0, 1, 1),)
    sizes = [
        (-(-max(height - top, 0) // down), -(-max(width - left, 0) // right))
        for top, left, down, right in passes
    ]
    total = sum(rows * (1 + columns * step) for rows, columns in sizes if columns)
    inflate = zlib.decompressobj()
    try:
        lines = inflate.decompress(b"".join(content), total)
    except zlib.error as error:
        raise BadImage(str(error)) from error
    if len(lines) < total:
        raise BadImage("the data is cut short")
    result = np.zeros((height, width, samples), np.uint16)
    at = 0
    for (top, left, down, right), (rows, columns) in zip(passes, sizes, strict=True):
        if not columns or not rows:
            continue
        span = rows * (1 + columns * step)
        try:
            plain = _core.png_rows(lines[at : at + span], columns * step, step)
        except ValueError as error:
            raise BadImage(str(error)) from error
        at += span
        result[top::down, left::right] = np.frombuffer(plain, ">u2").reshape(rows, columns, samples)
    if transparency is not None and samples in (1, 3) and transparency.size == samples:
        solid = np.any(result != transparency, axis=-1, keepdims=True)
        result = np.concatenate([result, np.where(solid, 65535, 0).astype(np.uint16)], axis=-1)
    return result


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += size + 12


def decode_bmp(data: bytes, channels: int) -> np.ndarray:
    """A BMP image without compression; indices of a palette count as grey levels.

    Args:
        data: the file.
        channels: 3 or 4, or 0 for as many as the file has.

    Raises:
        BadImage: if it cannot be decoded.
    """
    if len(data) < 32:
        raise BadImage("Incomplete bmp content, requires at least 32 bytes to find the header")
    start, width, height = struct.unpack_from("<I4xii", data, 10)
    bits = struct.unpack_from("<H", data, 28)[0]
    samples = {8: 1, 24: 3, 32: 4}.get(bits)
    if samples is None:
        raise BadImage(
            f"Number of channels inherent in the image must be 1, 3 or 4, was {bits / 8}"
        )
    rows = abs(height)
    if width <= 0 or rows == 0 or rows == 1 << 31:
        raise BadImage(f"Sizes must be positive, got {width}x{height}")
    span = (width * samples + 3) // 4 * 4
    if start + span * rows != len(data):
        raise BadImage(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{len(data) - start - span * rows}"
        )
    lines = np.frombuffer(data, np.uint8, span * rows, start).reshape(rows, span)
    array = lines[:, : width * samples].reshape(rows, width, samples)
    if height > 0:
        array = array[::-1]
    if samples > 1:
        array = array[..., [2, 1, 0, 3][:samples]]
    return np.ascontiguousarray(with_channels(array, channels))


def decode_frames(data: bytes, kind: str, channels: int, only_first: bool = False) -> np.ndarray:
    """The frames of a GIF or WebP image, `[frames, height, width, channels]`.

    Frames after the first that are damaged end the animation.

    Raises:
        BadImage: if there is no frame, or all frames together are too large.
    """
    image = opened(data, kind)
    mode = {3: "RGB", 4: "RGBA"}.get(channels, "RGBA" if image.mode == "RGBA" else "RGB")
    pixel = len(mode)
    if not only_first:
        # Counts the frames without decoding them; those before damage are decoded below.
        count = 1
        with contextlib.suppress(Exception):
            count = image.n_frames
        width, height = image.size
        check_claim(data, height, width, pixel, count)
    frames: list[np.ndarray] = []
    size = image.size
    while not (only_first and frames):
        try:
            image.seek(len(frames))
            if frames and image.size != size:
                break  # a frame beyond the canvas enlarges it
            size = image.size
            width, height = size
            check_claim(data, height, width, pixel, len(frames) + 1)
            image.load()
            frame = np.asarray(image.convert(mode))
        except EOFError:
            break
        except BadImage:
            raise
        except Exception as error:
            if not frames:
                raise BadImage(str(error)) from error
            break
        frames.append(frame)
    if not frames:
        raise BadImage("there is no frame")
    return np.stack(frames)

"""Decoding and encoding images: JPEG, PNG, BMP, GIF, WebP."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import always, on_host, shaped_like
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image import formats
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.optional import optional

Tensor = _core.Tensor


def _invalid(message: str, op: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(f"{message} [Op:{op}]")


def _content(contents: TensorLike, op: str) -> bytes:
    """The bytes of a scalar string."""
    if isinstance(contents, bytes):
        data = contents
    else:
        tensor = _core.convert(contents, None, dtypes.string)
        if tensor.dtype is not dtypes.string:
            raise _invalid(f"`contents` must be a string but got {tensor.dtype.name}", op)
        if tensor.ndim != 0:
            raise _invalid(f"`contents` must be scalar but got shape{list(tensor.shape)}", op)
        data = tensor.numpy()
    if not data:
        raise _invalid("Input is empty.", op)
    return data


def _checked(channels: int | None, op: str) -> int:
    channels = 0 if channels is None else int(channels)
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}", op)
    return channels


def _image(array: np.ndarray) -> Tensor:
    return _core.as_tensor(np.ascontiguousarray(array))


def _jpeg(data: bytes, channels: int, op: str, **options: Any) -> np.ndarray:
    if channels == 4:
        raise _invalid("JPEG does not support 4 channels", op)
    try:
        return formats.decode_jpeg(data, channels, **options)
    except formats.BadImage as error:
        raise _invalid(
            f"Invalid JPEG data or crop window, data size {len(data)}: {error}", op
        ) from error


def _png(data: bytes, channels: int, op: str, dtype: DTypeLike = np.uint8) -> np.ndarray:
    try:
        return formats.decode_png(data, channels, dtype)
    except formats.BadImage as error:
        raise _invalid(f"Invalid PNG data, size {len(data)}: {error}", op) from error


def _frames(data: bytes, kind: str, channels: int, op: str, only_first: bool = False) -> np.ndarray:
    if kind == "GIF" and channels not in (0, 3):
        raise _invalid(f"channels must be 0 or 3 for GIF, got {channels}", op)
    try:
        return formats.decode_frames(data, kind, channels, only_first)
    except formats.BadImage as error:
        raise _invalid(f"Invalid {kind} data (size {len(data)}), {error}", op) from error


def _bmp(data: bytes, channels: int, op: str) -> np.ndarray:
    if channels == 1:
        raise _invalid("`channels` must be 0, 3 or 4 for BMP, but got 1", op)
    try:
        return formats.decode_bmp(data, channels)
    except formats.BadImage as error:
        raise _invalid(str(error), op) from error


def _still(
    data: bytes, channels: int, op: str, dtype: DTypeLike = np.uint8, **options: object
) -> np.ndarray:
    """One image of a format other than BMP; the options are those of `formats.decode_jpeg`."""
    kind = formats.format_of(data)
    if kind == "JPEG":
        return _jpeg(data, channels, op, **options)
    if kind == "PNG":
        return _png(data, channels, op, dtype)
    if kind == "BMP":
        raise _invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            f"instead. Op used: {op}",
            op,
        )
    if kind in ("GIF", "WebP"):
        frames = _frames(data, kind, channels, op)
        if len(frames) > 1:
            raise _invalid(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by "
                "tf.io.decode_gif or tf.io.decode_image",
                op,
            )
        return frames[0]
    raise _unknown(op)


def _unknown(op: str) -> errors.InvalidArgumentError:
    return _invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.", op)


def _jpeg_options(op: str, ratio: int, recover: bool, fancy: bool, method: str) -> dict[str, Any]:
    """Converts the arguments of JPEG ops to those of `formats.decode_jpeg`."""
    if ratio not in (1, 2, 4, 8):
        raise _invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}", op)
    if method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise _invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}", op)
    fast = method != "INTEGER_ACCURATE"
    return {"ratio": ratio, "recover": recover, "fancy": fancy, "fast": fast}


# The specs of decoded images, from the arguments of their decoders.


def _jpeg_spec(contents: object, channels: Any = 0, *args: object, **kwargs: object) -> TensorSpec:
    return TensorSpec([None, None, channels or None], dtypes.uint8)


def _crop_spec(
    contents: object, crop_window: Any, channels: TensorLike = 0, *args: object, **kwargs: object
) -> TensorSpec:
    known = _core.partial_value(_core.convert(crop_window, None, dtypes.int32))
    height, width = (None, None) if known is None or len(known) != 4 else known[2:]
    return TensorSpec([height, width, channels or None], dtypes.uint8)


def _png_spec(
    contents: object, channels: Any = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> TensorSpec:
    return TensorSpec([None, None, channels or None], dtype)


def _bmp_spec(contents: object, channels: TensorLike = 0, name: str | None = None) -> TensorSpec:
    return TensorSpec([None, None, channels or None], dtypes.uint8)


def _webp_spec(
    contents: object, channels: Any = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> TensorSpec:
    return TensorSpec([None, None, None, channels or None], dtype)


def _image_spec(
    contents: object,
    channels: TensorLike | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> TensorSpec:
    # Animations have one axis more.
    return TensorSpec(None if expand_animations else [None, None, channels or None], dtype)


def _shape_spec(
    contents: object, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> TensorSpec:
    return TensorSpec([3], output_type)


def _encoded_png_spec(image: Tensor, compression: int = -1, name: str | None = None) -> TensorSpec:
    shape = _core.as_tensor(image).shape
    return TensorSpec(None if shape.rank is None else shape[:-3], dtypes.string)


@composed_op("DecodeJpeg", in_graph=on_host(_jpeg_spec), contents=Input("string", converts="alone"))
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a JPEG image; PNG and still GIF images are accepted, too.

    Args:
        contents: the file's bytes, a scalar string.
        channels: 1 for grey levels, 3 for colours, 0 for what the file has.
        ratio: 1, 2, 4 or 8: the factor by which to reduce the size.
        fancy_upscaling: whether to interpolate subsampled colours, instead of repeating them.
        try_recover_truncated: whether to decode the available part of a truncated file.
        dct_method: "INTEGER_FAST", the default, or "INTEGER_ACCURATE", which rounds more finely.

    Returns:
        uint8 `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.

    >>> image = tf.fill([8, 8, 3], tf.constant(100, tf.uint8))
    >>> tf.io.decode_jpeg(tf.io.encode_jpeg(image)).shape
    TensorShape([8, 8, 3])
    """
    op = "DecodeJpeg"
    data, channels = _content(contents, op), _checked(channels, op)
    options = _jpeg_options(op, ratio, try_recover_truncated, fancy_upscaling, dct_method)
    return _image(_still(data, channels, op, **options))


@composed_op(
    "DecodeAndCropJpeg",
    in_graph=on_host(_crop_spec),
    contents=Input("string", converts="alone"),
    crop_window=Input("int32", converts="alone"),
)
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a crop of a JPEG image.

    Args:
        contents: the file's bytes, a scalar string.
        crop_window: `[top, left, height, width]` in the decoded image.
        channels: as in `tf.io.decode_jpeg`, like what follows.
        ratio: 1, 2, 4 or 8.
        fancy_upscaling: as in `tf.io.decode_jpeg`.
        try_recover_truncated: whether to decode the available part of a truncated file.
        dct_method: as in `tf.io.decode_jpeg`.

    Raises:
        tf.errors.InvalidArgumentError: if the data is no JPEG, or the window is not inside it.

    >>> data = tf.io.encode_jpeg(tf.zeros([8, 8, 1], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(data, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 1])
    """
    op = "DecodeAndCropJpeg"
    data, channels = _content(contents, op), _checked(channels, op)
    kind = formats.format_of(data)
    if kind is None:
        raise _unknown(op)
    if kind != "JPEG":
        raise _invalid(
            f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind}.", op
        )
    window = _core.convert(crop_window, None, dtypes.int32)
    if window._shape_tuple() != (4,):
        raise _invalid(f"crop_size must have four elements {window.shape}", op)
    options = _jpeg_options(op, ratio, try_recover_truncated, fancy_upscaling, dct_method)
    array = _jpeg(data, channels, op, **options)
    top, left, height, width = window.numpy().tolist()
    inside = top >= 0 and left >= 0 and height > 0 and width > 0
    if not inside or top + height > array.shape[0] or left + width > array.shape[1]:
        raise _invalid(
            "Invalid JPEG data or crop window: the window "
            f"{[top, left, height, width]} is not inside the image of {list(array.shape[:2])}",
            op,
        )
    return _image(array[top : top + height, left : left + width])


@composed_op("DecodePng", in_graph=on_host(_png_spec), contents=Input("string"), dtype=DType)
def decode_png(
    contents: Any, channels: int = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> Tensor:
    """Decodes a PNG image; JPEG and still GIF images are accepted, too.

    Args:
        contents: the file's bytes, a scalar string.
        channels: 1 grey, 3 colours, 4 with opacity, 0 for what the file has.
        dtype: uint8 or uint16.

    Returns:
        `[height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.

    >>> tf.io.decode_png(tf.io.encode_png(tf.zeros([2, 3, 4], tf.uint8)), channels=1).shape
    TensorShape([2, 3, 1])
    """
    op = "DecodePng"
    data, channels, dtype = _content(contents, op), _checked(channels, op), dtypes.as_dtype(dtype)
    if dtype not in (dtypes.uint8, dtypes.uint16):
        raise _invalid(f"dtype must be uint8 or uint16, got {dtype.name}", op)
    array = _still(data, channels, op, dtype=dtype.as_numpy_dtype)
    if dtype is dtypes.uint16 and array.dtype != np.uint16:
        array = array.astype(np.uint16) * 256
    return _image(array)


@composed_op("DecodeBmp", in_graph=on_host(_bmp_spec), contents=Input("string"))
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP image.

    Args:
        contents: the file's bytes, a scalar string.
        channels: 3 colours, 4 with opacity, 0 for what the file has.

    Returns:
        uint8 `[height, width, channels]`; palette indices count as grey levels.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.
    """
    op = "DecodeBmp"
    data, channels = _content(contents, op), _checked(channels, op)
    kind = formats.format_of(data)
    if kind is None:
        raise _unknown(op)
    if kind != "BMP":
        function = "decode_" + kind.lower().replace("jpeg xl", "jxl")
        raise _invalid(
            f"Trying to decode {kind} format using DecodeBmp op. Use `{function}` or "
            "`decode_image` instead.",
            op,
        )
    return _image(_bmp(data, channels, op))


@composed_op(
    "DecodeGif",
    in_graph=on_host(always(TensorSpec([None, None, None, 3], dtypes.uint8))),
    contents=Input("string"),
)
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF image; a JPEG or PNG image has one frame.

    Args:
        contents: the file's bytes, a scalar string.

    Returns:
        uint8 `[frames, height, width, 3]`.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.
    """
    op = "DecodeGif"
    data = _content(contents, op)
    if formats.format_of(data) == "GIF":
        return _image(_frames(data, "GIF", 3, op))
    return _image(_still(data, 3, op)[None])


@composed_op("DecodeWebP", in_graph=on_host(_webp_spec), contents=Input("string"), dtype=DType)
def decode_webp(
    contents: Any, channels: int = 0, dtype: DTypeLike = dtypes.uint8, name: str | None = None
) -> Tensor:
    """The frames of a WebP image.

    Args:
        contents: the file's bytes, a scalar string.
        channels: 3 colours, 4 with opacity, 0 for what the file has.
        dtype: uint8.

    Returns:
        uint8 `[frames, height, width, channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.
    """
    op = "DecodeWebP"
    data, channels = _content(contents, op), _checked(channels, op)
    if channels == 1:
        raise _invalid("`channels` must be 0, 3 or 4 for WebP, but got 1", op)
    if dtypes.as_dtype(dtype) is not dtypes.uint8:
        raise _invalid(f"WebP only supports uint8, got {dtypes.as_dtype(dtype).name}", op)
    if formats.format_of(data) != "WebP":
        raise _invalid("The data is no WebP image", op)
    return _image(_frames(data, "WebP", channels, op))


@composed_op("DecodeImage", in_graph=on_host(_image_spec), contents=Input("string"), dtype=DType)
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """An image of any supported format: JPEG, PNG, GIF, BMP or WebP.

    Args:
        contents: the file's bytes, a scalar string.
        channels: how many channels, 0 for what the file has.
        dtype: uint8, uint16 or float32 (which lies within [0, 1]).
        expand_animations: whether GIF images return all frames, `[frames, height, width, 3]`, or
            only the first.

    Raises:
        tf.errors.InvalidArgumentError: if the data cannot be decoded.

    >>> tf.io.decode_image(tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)), dtype=tf.float32).dtype
    tf.float32
    """
    op = "DecodeImage"
    data, channels, dtype = _content(contents, op), _checked(channels, op), dtypes.as_dtype(dtype)
    if dtype not in (dtypes.uint8, dtypes.uint16, dtypes.float32):
        raise _invalid(f"dtype must be unknown or uint8, uint16, float32, got {dtype.name}", op)
    kind = formats.format_of(data)
    if kind == "BMP":
        array = _bmp(data, channels, op)
    elif kind == "JPEG":
        array = _jpeg(data, channels, op)
    elif kind == "PNG":
        wide = dtype is not dtypes.uint8
        array = _png(data, channels, op, np.uint16 if wide else np.uint8)
    elif kind in ("GIF", "WebP"):
        array = _frames(data, kind, channels, op, not expand_animations)
        if not expand_animations:
            array = array[0]
    else:
        raise _unknown(op)
    if dtype is dtypes.float32:
        array = array.astype(np.float32) * np.float32(1.0 / np.iinfo(array.dtype).max)
    elif dtype is dtypes.uint16 and array.dtype == np.uint8:
        array = array.astype(np.uint16) * 256
    return _image(array)


@composed_op("Substr", in_graph=on_host(shaped_like(dtypes.bool)), contents=Input("string"))
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether strings begin like JPEG files.

    >>> bool(tf.io.is_jpeg(b"\\xff\\xd8\\xff\\xe0"))
    True
    """
    tensor = _core.convert(contents, dtypes.string, None)
    if tensor.ndim == 0:
        return _core.as_tensor(tensor.numpy().startswith(b"\xff\xd8\xff"))
    values = tensor.numpy()
    matches = [item.startswith(b"\xff\xd8\xff") for item in values.reshape(-1).tolist()]
    return _core.as_tensor(np.array(matches, bool).reshape(values.shape))


@composed_op(
    "ExtractJpegShape", in_graph=on_host(_shape_spec), contents=Input("string"), output_type=DType
)
def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG image, from its header.

    Args:
        contents: the file's bytes, a scalar string.
        output_type: int32 or int64.

    Raises:
        tf.errors.InvalidArgumentError: if the data is no JPEG.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([5, 6, 1], tf.uint8))).numpy()
    array([5, 6, 1], dtype=int32)
    """
    op = "ExtractJpegShape"
    data = _content(contents, op)
    try:
        image = formats.opened(data, "JPEG")
    except formats.BadImage:
        raise _invalid(f"Invalid JPEG data, size {len(data)}", op) from None
    shape = (image.size[1], image.size[0], len(image.getbands()))
    return _core.convert(shape, dtypes.as_dtype(output_type), None)


@composed_op(
    "EncodeJpeg", in_graph=on_host(always(TensorSpec([], dtypes.string))), image=Input("uint8")
)
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """The bytes of a JPEG file.

    Args:
        image: uint8 `[height, width, channels]`, with 1 or 3 channels.
        format: "grayscale", "rgb", or "" to derive it from the channels.
        quality: 0 to 100.
        progressive: whether to write a progressive JPEG.
        optimize_size: whether to spend time on a smaller file.
        chroma_downsampling: whether to keep colours at half the resolution.
        density_unit: "in" or "cm".
        x_density: pixels per unit.
        y_density: pixels per unit.
        xmp_metadata: XMP to embed.

    Returns:
        A scalar string.

    Raises:
        tf.errors.InvalidArgumentError: if shape or arguments are not allowed.

    >>> bool(tf.io.is_jpeg(tf.io.encode_jpeg(tf.zeros([4, 4, 3], tf.uint8))))
    True
    """
    op = "EncodeJpeg"
    array = _core.convert(image, dtypes.uint8, None).numpy()
    if format not in ("", "grayscale", "rgb"):
        raise _invalid(f'format must be "", "grayscale" or "rgb", got "{format}"', op)
    if density_unit not in ("in", "cm"):
        raise _invalid(f'density_unit must be "in" or "cm", got "{density_unit}"', op)
    if not 0 <= quality <= 100:
        raise _invalid(f"quality must be in [0,100], got {quality}", op)
    if array.ndim != 3:
        raise _invalid(f"image must be 3-dimensional{list(array.shape)}", op)
    expected = {"grayscale": 1, "rgb": 3}.get(format, array.shape[2])
    if expected not in (1, 3):
        raise _invalid(f"image must have 1 or 3 channels, got {list(array.shape)}", op)
    if array.shape[2] != expected:
        raise _invalid(f"format {format} expects {expected} channels, got {list(array.shape)}", op)
    if not array.size or max(array.shape) > 65535:
        raise _invalid(f"JPEG cannot hold an image of shape {list(array.shape)}", op)
    return _core.convert(
        jpeg_bytes(
            array,
            int(quality),
            progressive=progressive,
            optimize=optimize_size,
            subsampling=2 if chroma_downsampling else 0,
            dpi=_per_inch(density_unit, x_density, y_density),
            xmp=xmp_metadata.encode() if isinstance(xmp_metadata, str) else xmp_metadata,
        ),
        dtypes.string,
        None,
    )


def _per_inch(unit: str, x_density: int, y_density: int) -> tuple[float, float]:
    scale = 1.0 if unit == "in" else 2.54
    return x_density * scale, y_density * scale


def jpeg_bytes(
    array: np.ndarray,
    quality: int,
    progressive: bool = False,
    optimize: bool = False,
    subsampling: int = 2,
    dpi: tuple[float, float] = (300.0, 300.0),
    xmp: bytes = b"",
) -> bytes:
    """The file of an image `[height, width, 1 or 3]` of uint8."""
    picture = optional("PIL.Image", "Encoding JPEG images").fromarray(
        array[..., 0] if array.shape[2] == 1 else array
    )
    file = io.BytesIO()
    options: dict[str, Any] = {"xmp": xmp} if xmp else {}
    picture.save(
        file,
        "JPEG",
        quality=max(quality, 1),
        progressive=bool(progressive),
        optimize=bool(optimize),
        # Without colours, there is nothing to keep at half the resolution.
        subsampling=subsampling if array.shape[2] == 3 else 0,
        dpi=dpi,
        **options,
    )
    return file.getvalue()


_PNG_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}


def _png_bytes(array: np.ndarray, level: int) -> bytes:
    """The file of an image of uint8 or uint16; each row is stored as differences to the last."""
    height, width, channels = array.shape
    deep = array.dtype == np.uint16
    rows = array.astype(">u2") if deep else array
    lines = np.ascontiguousarray(rows).view(np.uint8).reshape(height, -1)
    filtered = np.empty((height, lines.shape[1] + 1), np.uint8)
    filtered[:, 0] = 2
    filtered[:1, 1:] = lines[:1]
    np.subtract(lines[1:], lines[:-1], out=filtered[1:, 1:])
    header = struct.pack(
        ">IIBBBBB", width, height, 16 if deep else 8, _PNG_COLOURS[channels], 0, 0, 0
    )
    chunks = (
        (b"IHDR", header),
        (b"IDAT", zlib.compress(filtered.tobytes(), level)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


@composed_op(
    "EncodePng", in_graph=on_host(_encoded_png_spec), image=Input("uint8", "uint16", prefer="uint8")
)
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """The bytes of PNG files.

    Args:
        image: uint8 or uint16 `[..., height, width, channels]`: 1 grey level, 2 with opacity, 3
            colours, 4 with opacity.
        compression: 0 to 9, or -1 for the default.

    Returns:
        A string for each image.

    Raises:
        tf.errors.InvalidArgumentError: if shape or arguments are not allowed.

    >>> tf.io.encode_png(tf.zeros([2, 2, 1], tf.uint8)).numpy()[:4]
    b'\\x89PNG'
    """
    op = "EncodePng"
    plain = isinstance(image, list | tuple)
    tensor = _core.convert(image, dtypes.uint8 if plain else None, None)
    if tensor.dtype not in (dtypes.uint8, dtypes.uint16):
        _core.refuse_attr("T", tensor.dtype, (dtypes.uint8, dtypes.uint16), op)
    array = tensor.numpy()
    if array.ndim < 3:
        raise _invalid(f"images must be at least rank 3{list(array.shape)}", op)
    if array.shape[-1] not in _PNG_COLOURS:
        raise _invalid(f"image must have 1, 2, 3, or 4 channels, got {array.shape[-1]}", op)
    if not -1 <= compression <= 9:
        raise _invalid(f"compression should be in [-1,9], got {compression}", op)
    if not array.shape[-2] or not array.shape[-3]:
        raise _invalid(f"PNG cannot hold an image of shape {list(array.shape)}", op)
    batch = array.shape[:-3]
    files = [_png_bytes(item, compression) for item in array.reshape(-1, *array.shape[-3:])]
    if not batch:
        return _core.convert(files[0], dtypes.string, None)
    result = np.empty(len(files), object)
    result[:] = files
    return _core.convert(result.reshape(batch), dtypes.string, None)

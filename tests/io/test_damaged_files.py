"""Decoders on damaged bytes: they give a result or raise, and take no memory that a size claims."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from nonsense_values import bytes_of

ROUNDS = int(os.environ.get("NONSENSE_EXAMPLES", "8")) * 4
SEED = os.environ.get("NONSENSE_SEED", "0")

PIXELS = (np.arange(8 * 9 * 3) * 7 % 256).astype(np.uint8).reshape(8, 9, 3)


def _pillow(kind: str, **options: Any) -> Callable[[], bytes]:
    def encoded() -> bytes:
        image = pytest.importorskip("PIL.Image")
        file = io.BytesIO()
        image.fromarray(PIXELS).save(file, kind, **options)
        return file.getvalue()

    return encoded


def _example() -> Any:
    feature = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"text"])),
        "c": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature))


FEATURES = {
    "a": tf.io.VarLenFeature(tf.int64),
    "b": tf.io.FixedLenFeature([], tf.string),
    "c": tf.io.FixedLenFeature([1], tf.float32, [0.0]),
}

# name: (a whole file, how it is read)
FILES: dict[str, tuple[Callable[[], bytes], Callable[[Any], Any]]] = {
    "png": (lambda: tf.io.encode_png(PIXELS).numpy(), tf.io.decode_png),
    "png, any": (lambda: tf.io.encode_png(PIXELS).numpy(), tf.io.decode_image),
    "jpeg": (_pillow("JPEG"), tf.io.decode_jpeg),
    "progressive jpeg": (_pillow("JPEG", progressive=True), tf.io.decode_jpeg),
    "jpeg shape": (_pillow("JPEG"), tf.io.extract_jpeg_shape),
    "gif": (_pillow("GIF"), tf.io.decode_gif),
    "bmp": (_pillow("BMP"), tf.io.decode_bmp),
    "webp": (_pillow("WEBP", lossless=True), tf.image.decode_webp),
    "wav": (
        lambda: tf.audio.encode_wav(np.ones([20, 2], "f4"), 8000).numpy(),
        tf.audio.decode_wav,
    ),
    "example": (
        lambda: _example().SerializeToString(),
        lambda data: tf.io.parse_single_example(data, FEATURES),
    ),
    "examples": (
        lambda: _example().SerializeToString(),
        lambda data: tf.io.parse_example([data, data], FEATURES),
    ),
    "tensor": (
        lambda: tf.io.serialize_tensor(PIXELS).numpy(),
        lambda data: tf.io.parse_tensor(data, tf.uint8),
    ),
    "tensor of strings": (
        lambda: tf.io.serialize_tensor([["a", "bc"], ["", "d"]]).numpy(),
        lambda data: tf.io.parse_tensor(data, tf.string),
    ),
    "sparse": (
        lambda: json.dumps(
            [part.hex() for part in tf.io.serialize_sparse(tf.sparse.eye(3)).numpy().tolist()]
        ).encode(),
        lambda data: tf.io.deserialize_many_sparse(
            [[bytes.fromhex(part) for part in json.loads(data)]], tf.float32
        ),
    ),
    "zlib": (lambda: zlib.compress(b"abc" * 50), lambda d: tf.io.decode_compressed(d, "ZLIB")),
    "gzip": (
        lambda: zlib.compress(b"abc" * 50, wbits=31),
        lambda d: tf.io.decode_compressed(d, "GZIP"),
    ),
    "csv": (
        lambda: b'1,"a ""b""",2.5,-3',
        lambda d: tf.io.decode_csv([d], [[0], [""], [0.5], tf.constant([], tf.int64)]),
    ),
    "json": (
        lambda: (
            b'{"features": {"feature": {"a": {"int64List": {"value": ["1"]}}, '
            b'"b": {"bytesList": {"value": ["dGV4dA=="]}}}}}'
        ),
        tf.io.decode_json_example,
    ),
    "raw": (lambda: bytes(range(48)), lambda d: tf.io.decode_raw([d], tf.int32)),
    "padded raw": (
        lambda: bytes(range(48)),
        lambda d: tf.io.decode_raw([d], tf.int16, fixed_length=8),
    ),
    "base64": (lambda: b"aGVsbG8td29ybGQ", tf.io.decode_base64),
    "number": (lambda: b"-12.5e3", tf.strings.to_number),
    "utf-8": (
        lambda: "aé\u20ac\U0001f600".encode(),
        lambda d: tf.strings.unicode_decode(d, "UTF-8"),
    ),
}


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """The bytes cut short, with bits turned, with others put in, or with a size made large."""
    data = bytearray(whole)
    for _ in range(chance.choice([1, 1, 2, 5])):
        if not data:
            break
        place = chance.randrange(len(data))
        way = chance.randrange(6)
        if way == 0:
            del data[place:]
        elif way == 1:
            data[place] ^= 1 << chance.randrange(8)
        elif way == 2:
            data[place] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif way == 3:
            data[place : place + 4] = struct.pack(
                chance.choice("<>") + "I", chance.choice([0, 1, 2**31 - 1, 2**31, 2**32 - 1])
            )
        elif way == 4:
            data[place:place] = chance.randbytes(chance.randint(1, 9))
        else:
            del data[place : place + chance.randint(1, 9)]
    return bytes(data)


def read(decode: Callable[[bytes], Any], data: bytes) -> None:
    """Reads what may be refused; memory is taken for the result only."""
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    result = None
    try:
        result = decode(data)
    except (ValueError, TypeError, tf.errors.OpError):
        pass
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
    assert peak - before <= 4 * bytes_of(result) + 2**26


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_damaged_bytes_are_answered(name: str) -> None:
    make, decode = FILES[name]
    whole = make()
    decode(whole)
    chance = random.Random(f"{SEED}/{name}")
    for _ in range(ROUNDS):
        read(decode, damaged(whole, chance))


@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_damaged_records_are_answered(compression: str, tmp_path: Path) -> None:
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, compression or None) as writer:
        for size in (0, 1, 30):
            writer.write(b"x" * size)
    whole = Path(path).read_bytes()
    chance = random.Random(f"{SEED}/records {compression}")
    for _ in range(ROUNDS):
        Path(path).write_bytes(damaged(whole, chance))
        dataset = tf.data.TFRecordDataset(path, compression)
        read(lambda _, dataset=dataset: list(dataset), b"")  # type: ignore[misc]

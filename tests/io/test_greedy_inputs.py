"""Small inputs that claim much, and files that never end, for every reader.

A child process reads them under limits of memory and processor time: each must be answered with a
documented error, or with a result of moderate size.
"""

from __future__ import annotations

import io
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and devices of Linux")

MEMORY = 500 << 20
SECONDS = 60  # of the processor, for all inputs of a kind and the import


def _images():
    """Files whose headers claim, or whose frames amount to, far more than they have bytes."""
    from PIL import Image

    import eagerflow as tf
    import file_readers

    def made(kind, size, mode="L", **options):
        Image.MAX_IMAGE_PIXELS = None
        stream = io.BytesIO()
        Image.new(mode, size).save(stream, kind, **options)
        return stream.getvalue()

    for side in (15_000, 30_000, 65_500):
        for name in ("jpeg", "progressive jpeg", "gif", "png", "webp", "bmp"):
            found = file_readers.reader(name)
            data = bytearray(found.whole)
            if name.endswith("jpeg"):
                at = max(data.find(b"\xff\xc0"), data.find(b"\xff\xc2"))
                data[at + 5 : at + 9] = struct.pack(">HH", side, side)
            elif name == "png":
                data[16:24] = struct.pack(">II", side, side)
                data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
            elif name == "gif":
                data[6:10] = struct.pack("<HH", side, side)
            elif name == "webp":
                side = min(side, 16_384)
                data[21:25] = struct.pack("<I", (side - 1) | (side - 1) << 14)
            else:
                data[18:26] = struct.pack("<ii", side, side)
            yield f"{name} {side}", lambda f=found, d=bytes(data): f.read(d)
    still = made("GIF", (1000, 1000))
    frame = still[still.index(b",") : -1]
    film = still[:-1] + b"".join([frame] * 200) + still[-1:]
    yield "gif of many frames", lambda: tf.io.decode_gif(film)
    yield "first of many frames", lambda: tf.io.decode_image(film, expand_animations=False)
    black = made("PNG", (20_000, 20_000), "1", bits=1)
    yield "png of one bit", lambda: tf.io.decode_png(black)
    yield "png as floats", lambda: tf.io.decode_image(black, dtype=tf.float32)


def _compressed():
    """Streams that expand without end, for each reader of compressed bytes."""
    import numpy as np

    import eagerflow as tf
    from eagerflow.checkpoint.arrays import load_arrays
    from eagerflow.io.records import framed, masked_crc32c

    folder = Path(tempfile.mkdtemp())

    def packed(window, *parts):
        machine = zlib.compressobj(9, wbits=window)
        start = machine.compress(b"".join(parts)) + machine.flush(zlib.Z_FULL_FLUSH)
        piece = machine.compress(bytes(1 << 22)) + machine.flush(zlib.Z_FULL_FLUSH)
        return start + piece * 512

    length = struct.pack("<Q", 1 << 40)
    head = length + struct.pack("<I", masked_crc32c(length))
    for kind, window in (("GZIP", 31), ("ZLIB", 15)):
        bomb = packed(window)
        paths = {}
        for name, parts in {
            "zeros": (),
            "a long record": (head,),
            "a damaged record": (framed(b"x" * 30)[:-1] + b"?",),
        }.items():
            paths[name] = str(folder / f"{name}.{kind}")
            Path(paths[name]).write_bytes(packed(window, *parts) if parts else bomb)
        for name, path in paths.items():
            yield (
                f"records, {name}, {kind}",
                lambda p=path, k=kind: list(tf.data.TFRecordDataset(p, k)),
            )
        zeros = paths["zeros"]
        yield f"lines, {kind}", lambda p=zeros, k=kind: list(tf.data.TextLineDataset(p, k))
        yield (
            f"pieces, {kind}",
            lambda p=zeros, k=kind: list(
                tf.data.FixedLengthRecordDataset(p, 1 << 24, compression_type=k)
            ),
        )
        yield (
            f"header, {kind}",
            lambda p=zeros, k=kind: list(
                tf.data.FixedLengthRecordDataset(p, 1, 1 << 40, compression_type=k)
            ),
        )
        yield (
            f"table, {kind}",
            lambda p=zeros, k=kind: list(tf.data.experimental.CsvDataset(p, [tf.string], k)),
        )
        yield f"string, {kind}", lambda b=bomb[: 1 << 18], k=kind: tf.io.decode_compressed(b, k)
        yield (
            f"strings, {kind}",
            lambda b=bomb[: 1 << 15], k=kind: tf.io.decode_compressed([b] * 20, k),
        )
    arrays = str(folder / "a.npz")
    np.savez_compressed(arrays, v=np.zeros(1 << 28, "u1"))
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([2]))
    yield "npz", lambda: load_arrays(module, arrays)


def _endless():
    """Devices and pipes in place of every file that is read."""
    import eagerflow as tf
    import file_readers

    for name in file_readers._FILES:
        ending, write, read, pattern = file_readers._FILES[name]
        for kind in ("device", "pipe", "folder"):
            folder = Path(tempfile.mkdtemp())
            write(str(folder / ending))
            (file,) = folder.glob(pattern)
            file.unlink()
            if kind == "device":
                file.symlink_to("/dev/zero")
            elif kind == "pipe":
                os.mkfifo(file)
            else:
                file.mkdir()
            yield f"{name} as a {kind}", lambda r=read, p=str(folder / ending): r(p)
    pipe = str(Path(tempfile.mkdtemp(), "pipe"))
    os.mkfifo(pipe)
    for path in ("/dev/zero", pipe):
        yield f"file {path}", lambda p=path: tf.io.read_file(p)
        yield f"gfile {path}", lambda p=path: tf.io.gfile.GFile(p).read()
        yield f"lines {path}", lambda p=path: list(tf.data.TextLineDataset(p))
        yield f"picture {path}", lambda p=path: tf.keras.utils.load_img(p)
        yield (
            f"table {path}",
            lambda p=path: list(
                tf.lookup.TextFileInitializer(p, tf.string, 0, tf.int64, 1).pairs()
            ),
        )
        yield f"words {path}", lambda p=path: tf.keras.layers.StringLookup(vocabulary=p)


# Readers that pass over a file that they cannot read.
_LENIENT = ("events", "checkpoint state")

KINDS = {"images": _images, "compressed": _compressed, "endless": _endless}


def _run(kind):
    """Reads all inputs of a kind, and prints which were not answered well."""
    import file_readers
    from peak_memory import forget_peak, peak

    for name, read in KINDS[kind]():
        forget_peak()
        print("at", name, flush=True)
        try:
            result = read()
            is_answer = kind != "endless" or name.startswith(_LENIENT)
            answer = "" if is_answer else f"a result {result!r:.40}"
        except file_readers.ERRORS as error:
            answer = "" if str(error) else f"{type(error).__name__} says nothing"
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        if peak() > MEMORY:
            answer += f" {peak() >> 20} MB"
        if answer:
            print("BAD", name, answer, flush=True)
    print("done")


@pytest.mark.parametrize("kind", KINDS)
def test_small_inputs_cost_little(kind):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))

    folder = Path(__file__).parent.parent
    child = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, kind],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder.parent), str(folder)])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    lines = child.stdout.splitlines()
    assert lines and lines[-1] == "done", (lines[-1:], child.stderr[-2000:])
    assert [line for line in lines if line.startswith("BAD")] == []


if __name__ == "__main__":
    _run(sys.argv[1])

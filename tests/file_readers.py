"""Every reader of files and encoded bytes, with valid data to read.

Tests, fuzzers and the campaign of flipped bits damage the data and read it.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import random
import shutil
import struct
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import eagerflow as tf
from random_calls import bytes_of

# Exceptions of readers of damaged bytes; Keras raises TypeError for configurations.
ERRORS = (ValueError, TypeError, OSError, tf.errors.OpError)

PIXELS = (np.arange(8 * 9 * 3) * 7 % 256).astype(np.uint8).reshape(8, 9, 3)


def _pillow(kind: str, **options: Any) -> Callable[[], bytes]:
    def encoded() -> bytes:
        from PIL import Image as image

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

# name: (the valid bytes, their reader)
_MESSAGES: dict[str, tuple[Callable[[], bytes], Callable[[Any], Any]]] = {
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
    "keras json": (
        lambda: _model().to_json().encode(),
        lambda d: tf.keras.models.model_from_json(d.decode()).count_params(),
    ),
    "raw": (lambda: bytes(range(48)), lambda d: tf.io.decode_raw([d], tf.int32)),
    "padded raw": (
        lambda: bytes(range(48)),
        lambda d: tf.io.decode_raw([d], tf.int16, fixed_length=8),
    ),
    "regular expression": (
        lambda: rb"^(a|b)+?[[:alpha:]\d]{2,3}\.*(?i:x)?\pL$",
        lambda d: tf.strings.regex_full_match(["ab12.a", "\u00e9a", "", "ab" * 500 + "!"], d),
    ),
    "rewrite": (
        lambda: rb"(b*)(\w)->\2-\1\0",
        lambda d: tf.strings.regex_replace(["ab12", "\u00e9a"], *(d + b"->").split(b"->")[:2]),
    ),
    "base64": (lambda: b"aGVsbG8td29ybGQ", tf.io.decode_base64),
    "number": (lambda: b"-12.5e3", tf.strings.to_number),
    "utf-8": (
        lambda: "aé\u20ac\U0001f600".encode(),
        lambda d: tf.strings.unicode_decode(d, "UTF-8"),
    ),
}


def _model() -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(3, input_shape=(4,), name="d")], name="m")
    model.set_weights([np.arange(12, dtype="f").reshape(4, 3), np.ones(3, "f")])
    return model


def _module() -> Any:
    module = tf.Module()
    module.v = tf.Variable(tf.range(10))
    module.w = tf.Variable([[0.5, 1.5], [2.5, 3.5]])
    return module


def _weights(path: str) -> Any:
    model = _model()
    model.set_weights([np.zeros((4, 3), "f"), np.zeros(3, "f")])
    model.load_weights(path)
    return model.get_weights()


def _loaded(path: str) -> Any:
    return [variable.numpy() for variable in tf.keras.models.load_model(path).variables]


def _restored(path: str) -> Any:
    variables = [tf.Variable(tf.zeros([10], tf.int32)), tf.Variable(["", ""])]
    tf.train.Checkpoint(a=variables[0], s=variables[1]).read(path).assert_consumed()
    return [variable.numpy() for variable in variables]


def _write_checkpoint(path: str) -> None:
    values = {"a": tf.Variable(tf.range(10)), "s": tf.Variable(["one", "two"])}
    tf.train.Checkpoint(**values).write(path)


def _arrays(path: str) -> Any:
    from eagerflow.checkpoint.arrays import load_arrays

    module = _module()
    load_arrays(module, path)
    return [module.v.numpy(), module.w.numpy()]


def _save_arrays(path: str) -> None:
    from eagerflow.checkpoint.arrays import save_arrays

    save_arrays(_module(), path)


def _write_records(compression: str) -> Callable[[str], None]:
    def write(path: str) -> None:
        with tf.io.TFRecordWriter(path, compression or None) as writer:
            for size in (0, 1, 30):
                writer.write(b"x" * size)

    return write


def _elements(dataset: Any) -> Any:
    return [tf.nest.map_structure(lambda t: t.numpy(), element) for element in dataset]


def _pairs() -> Any:
    return tf.data.Dataset.from_tensor_slices((np.arange(4), np.ones((4, 2), "f")))


def _write_events(path: str) -> None:
    writer = tf.summary.create_file_writer(path)
    with writer.as_default():
        tf.summary.scalar("loss", 0.5, step=1)
    writer.close()


def _summaries(path: str) -> Any:
    found = tf.compat.v1.train.summary_iterator(str(next(Path(path).iterdir())))
    return [event.SerializeToString() for event in found]


def _cached(path: str) -> Any:
    return _elements(_pairs().cache(path))


def _read_dataset(path: str) -> Any:
    return _elements(tf.data.Dataset.load(path))


def _written_csv(path: str) -> None:
    Path(path).write_text("a,b\n1,x\n2,y\n3,z\n")


def _csv(path: str) -> Any:
    columns = [tf.constant(0), tf.constant("")]
    return _elements(tf.data.experimental.CsvDataset(path, columns, header=True))


def _frame(path: str) -> Any:
    # Like the dataset's own, its pipeline may end with an error of any element.
    rows = tf.data.experimental.make_csv_dataset(
        path, 2, label_name="b", num_epochs=1, shuffle=False
    )
    return _elements(rows)


def _write_archive(kind: str) -> Callable[[str], None]:
    def write(path: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("one.txt", "two.txt"):
                Path(folder, name).write_text(name * 40)
            made = shutil.make_archive(str(Path(folder).with_suffix("")) + "-packed", kind, folder)
        shutil.move(made, path)

    return write


def _unpacked(path: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        tf.keras.utils.get_file(
            "archive", Path(path).as_uri(), cache_dir=folder, cache_subdir=".", extract=True
        )
        found = sorted(Path(folder).rglob("*.txt"))
        return {file.name: file.read_bytes() for file in found if file.is_file()}


def _write_series(path: str) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), path, 2)
    manager.save()
    manager.save()


def _series(path: str) -> Any:
    state = tf.train.get_checkpoint_state(path)
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), path, 2)
    found = manager.restore_or_initialize()
    names = [os.path.basename(name) for name in manager.checkpoints]
    return [state is None, found is None, v.numpy(), names]


def _save_zipped(path: str) -> None:
    _pairs().save(path, compression="GZIP")


def _read_zipped(path: str) -> Any:
    return _elements(tf.data.Dataset.load(path, compression="GZIP"))


def _folder(write: Callable[[str], Any], read: Callable[[str], Any], damaged: str) -> Any:
    return "folder", write, read, damaged


def _file(name: str, write: Callable[[str], Any], read: Callable[[str], Any]) -> Any:
    return name, write, read, name


def _save_model(path: str) -> None:
    _model().save(path)


class _Subclassed(tf.keras.Model):
    """Is loaded without its class: the functions in the file call its layers."""

    def __init__(self) -> None:
        super().__init__(name="s")
        self.parts = [_model()]

    def call(self, x: Any, training: bool = False) -> Any:
        return self.parts[0](x) if training else 2.0 * self.parts[0](x)


def _save_subclassed(path: str) -> None:
    model = _Subclassed()
    model(tf.ones([1, 4]))
    model.save(path)


def _called(path: str) -> Any:
    model = tf.keras.models.load_model(path)
    try:
        return tf.nest.map_structure(lambda x: x.numpy(), model(tf.ones([2, 4])))
    except (AttributeError, NotImplementedError) as error:
        # The function has another name in the file, or returns something else.
        raise ValueError("another model") from error


class _Functions(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def run(self, x: Any) -> Any:
        return tf.cond(tf.size(x) > 1, lambda: x * self.v, lambda: tf.zeros([2]))


def _save_functions(path: str) -> None:
    tf.saved_model.save(_Functions(), path)


def _run(path: str) -> Any:
    loaded = tf.saved_model.load(path)
    names = getattr(loaded, "signatures", {})
    if "run" not in vars(loaded) or "serving_default" not in names:
        raise ValueError("another object")
    results = loaded.run(tf.constant([3.0, 4.0])), names["serving_default"](tf.constant([1.0, 1.0]))
    return [leaf if leaf is None else leaf.numpy() for leaf in tf.nest.flatten(results)]


def _graph() -> bytes:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None], name="x")
        v1.identity(tf.reduce_sum(tf.nn.relu(x) * [1.0, 2.0]), name="y")
    return bytes(graph.as_graph_def().SerializeToString())


def _imported(data: bytes) -> Any:
    v1 = tf.compat.v1
    try:
        message = v1.GraphDef.FromString(data)
    except Exception as error:  # protobuf's own, whatever its class is called
        raise ValueError(str(error)) from error
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(message, return_elements=["y:0"])
        with v1.Session() as session:
            return session.run(y, {"import/x:0": [1.0, 2.0]})


def _version_1(path: str, save: Callable[[Any, str, Any, Any], None]) -> None:
    """Saves a TF1 graph with a variable, in a session."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        y = v1.identity(tf.cond(tf.size(x) > 1, lambda: x * w, lambda: w), name="y")
        session.run(v1.global_variables_initializer())
        save(session, path, x, y)


def _save_version_1(path: str) -> None:
    simple_save = tf.compat.v1.saved_model.simple_save
    _version_1(path, lambda session, path, x, y: simple_save(session, path, {"x": x}, {"y": y}))


def _pruned(path: str) -> Any:
    loaded = tf.saved_model.load(path)
    x = tf.constant([3.0, 4.0])
    if "serving_default" not in getattr(loaded, "signatures", {}) or not hasattr(loaded, "prune"):
        raise ValueError("another object")
    results = loaded.signatures["serving_default"](x=x), loaded.prune("x:0", "y:0")(x)
    return [leaf if leaf is None else leaf.numpy() for leaf in tf.nest.flatten(results)]


def _save_meta_graph(path: str) -> None:
    _version_1(path, lambda session, path, x, y: tf.compat.v1.train.Saver().save(session, path))


def _resumed(path: str) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(f"{path}.meta")
        if saver is None:
            raise ValueError("no saver")
        saver.restore(session, path)
        return session.run("y:0", {"x:0": [3.0, 4.0]})


def _save_weights(path: str) -> None:
    _model().save_weights(path)


def _save_dataset(path: str) -> None:
    _pairs().save(path)


# name: (the path, its writer and its reader, and a pattern for the file to damage)
_FILES: dict[str, tuple[str, Callable[[str], Any], Callable[[str], Any], str]] = {
    "checkpoint index": ("x", _write_checkpoint, _restored, "x.index"),
    "checkpoint data": ("x", _write_checkpoint, _restored, "x.data-00000-of-00001"),
    "keras": _file("m.keras", _save_model, _loaded),
    "h5": _file("m.h5", _save_model, _loaded),
    "weights.h5": _file("m.weights.h5", _save_weights, _weights),
    "safetensors": _file("m.safetensors", _save_arrays, _arrays),
    "npz": _file("m.npz", _save_arrays, _arrays),
    "saved model": _folder(_save_model, _loaded, "folder/saved_model.pb"),
    "functions": _folder(_save_functions, _run, "folder/saved_model.pb"),
    "revived model": _folder(_save_subclassed, _called, "folder/saved_model.pb"),
    "revived model metadata": _folder(_save_subclassed, _called, "folder/keras_metadata.pb"),
    "saved model metadata": _folder(_save_model, _loaded, "folder/keras_metadata.pb"),
    "saved model index": _folder(_save_model, _loaded, "folder/variables/variables.index"),
    "saved model data": _folder(_save_model, _loaded, "folder/variables/variables.data-*"),
    "saved dataset": _folder(_save_dataset, _read_dataset, "folder/*/*/*.snapshot"),
    "saved dataset metadata": _folder(_save_dataset, _read_dataset, "folder/snapshot.metadata"),
    "saved dataset spec": _folder(_save_dataset, _read_dataset, "folder/dataset_spec.pb"),
    "cache": ("c", _cached, _cached, "c.data"),
    "records": _file("r", _write_records(""), lambda p: _elements(tf.data.TFRecordDataset(p))),
    "zlib records": _file(
        "r", _write_records("ZLIB"), lambda p: _elements(tf.data.TFRecordDataset(p, "ZLIB"))
    ),
    "gzip records": _file(
        "r", _write_records("GZIP"), lambda p: _elements(tf.data.TFRecordDataset(p, "GZIP"))
    ),
    "zipped dataset": _folder(_save_zipped, _read_zipped, "folder/*/*/*.snapshot"),
    "checkpoint state": _folder(_write_series, _series, "folder/checkpoint"),
    "zip archive": _file("a", _write_archive("zip"), _unpacked),
    "tar archive": _file("a", _write_archive("tar"), _unpacked),
    "tar.gz archive": _file("a", _write_archive("gztar"), _unpacked),
    "csv frame": _file("t.csv", _written_csv, _frame),
    "events": _folder(_write_events, _summaries, "folder/*"),
    "csv file": _file("t.csv", _written_csv, _csv),
    "version 1 model": _folder(_save_version_1, _pruned, "folder/saved_model.pb"),
    "meta graph": ("x", _save_meta_graph, _resumed, "x.meta"),
}

# Readers that detect any flipped bit that changes a value: these formats have checksums. The graph
# of a SavedModel, the spec of a saved dataset and plain text have none, and a GZIP stream whose
# header extends over the rest is read as one that is still being written.
CHECKED = frozenset(
    {
        *("checkpoint index", "checkpoint data", "saved model index", "saved model data"),
        *("keras", "h5", "weights.h5", "safetensors", "npz", "cache", "saved dataset"),
        *("records", "zlib records", "events"),
    }
)

_MESSAGES["graph"] = _graph, _imported

NAMES = [*_MESSAGES, *_FILES]


@dataclass
class Reader:
    """Valid data and a function that reads it.

    Attributes:
        whole: the valid bytes.
        read: reads other bytes in place of them.
    """

    whole: bytes
    read: Callable[[bytes], Any]


def reader(name: str) -> Reader:
    """The reader of that name; readers of files use a folder that is removed at exit."""
    if name in _MESSAGES:
        make, decode = _MESSAGES[name]
        return Reader(make(), decode)
    ending, write, read, pattern = _FILES[name]
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write(str(folder / ending))
    (damaged,) = folder.glob(pattern)
    owner = os.getpid()

    def read_again(data: bytes) -> Any:
        assert os.getpid() == owner
        damaged.write_bytes(data)
        return read(str(folder / ending))

    return Reader(damaged.read_bytes(), read_again)


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal, element by element and in their types."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, tf.RaggedTensor) or isinstance(b, tf.RaggedTensor):
        return repr(a) == repr(b)
    if isinstance(a, tf.SparseTensor) and isinstance(b, tf.SparseTensor):
        return same([a.indices, a.values], [b.indices, b.values])
    first, second = np.asarray(a), np.asarray(b)
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    return first.tobytes() == second.tobytes() if first.dtype != object else (first == second).all()


def answered(reader: Reader, data: bytes) -> Any:
    """Reads bytes; None if they are refused. Checks that only the result needs much memory."""
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    result = None
    try:
        result = reader.read(data)
    except ERRORS:
        pass
    taken = tf.config.experimental.get_memory_info("CPU:0")["peak"] - before
    assert taken <= 4 * bytes_of(result) + 2**26, f"{taken} bytes were taken"
    return result


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """The bytes truncated, with flipped bits, with inserted bytes, or with an enlarged size."""
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

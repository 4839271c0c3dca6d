"""Saved datasets: TensorFlow's files, shards, compression, interruptions and damage."""

import collections
import json
import os
import resource
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from python_functions import as_python

D = tf.data.Dataset
Point = collections.namedtuple("Point", "x y")
RECORDED = json.loads((Path(__file__).parent / "saved_by_tensorflow.json").read_text())


def numbers(dataset):
    """The scalar elements as Python numbers."""
    return [int(x) for x in dataset]


def recorded(name, folder):
    """A directory that TensorFlow has written."""
    for path, content in RECORDED[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(bytes.fromhex(content))
    return str(folder)


def shard_files(path):
    """All files of elements, in order."""
    return sorted(str(p) for p in Path(path).rglob("*.snapshot"))


def test_tensorflows_nested_elements(tmp_path):
    loaded = D.load(recorded("dict", tmp_path))
    assert loaded.element_spec == {
        "a": (tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.string)),
        "b": tf.TensorSpec([], tf.int64),
    }
    found = [(float(e["a"][0]), e["a"][1].numpy(), int(e["b"])) for e in loaded]
    assert found == [(float(i), str(i).encode(), i) for i in range(4)]


def test_tensorflows_ragged_elements(tmp_path):
    (element,) = D.load(recorded("ragged", tmp_path))
    assert element[0].to_list() == [[[1.5], [2.0, 3.0]], [[4.0]]]
    assert element[1].to_list() == [[b"x", b"yy"], []]
    assert element[1].row_splits.dtype == tf.int32


def test_tensorflows_sparse_elements(tmp_path):
    (element,) = D.load(recorded("sparse", tmp_path))
    assert int(element[0]) == 1 and element[1] is None
    assert tf.sparse.to_dense(element[2]).numpy().tolist() == [[0, 1], [2, 0]]


def test_tensorflows_dtypes(tmp_path):
    loaded = list(D.load(recorded("types", tmp_path)))
    dtypes = [tf.bfloat16, tf.float16, tf.uint64, tf.complex64, tf.bool]
    for i, element in enumerate(loaded):
        assert [x.dtype for x in element] == dtypes
        assert [complex(x.numpy()) for x in element] == [complex(i)] * 5


def test_tensorflows_compressed_files(tmp_path):
    loaded = D.load(recorded("snappy", tmp_path / "s"), compression="SNAPPY")
    assert [x.numpy().tolist() for x in loaded] == [[0, 1], [2, 3], [4, 5], [6, 7], [8]]
    loaded = D.load(recorded("gzip", tmp_path / "g"), compression="GZIP")
    assert [x.numpy().tolist() for x in loaded] == [[b"a", b"bcd"], [b"", b" " * 200]]


def test_tensorflows_shards(tmp_path):
    path = recorded("shards", tmp_path)
    assert sorted(numbers(D.load(path))) == list(range(7))
    in_order = D.load(path, reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert numbers(in_order) == [0, 3, 6, 1, 4, 2, 5]


@pytest.mark.parametrize("name", ["dict", "types", "shards"])
def test_the_same_bytes_as_tensorflows(name, tmp_path):
    theirs = recorded(name, tmp_path / "theirs")
    by_shard = [D.load(theirs, reader_func=lambda s, i=i: s.skip(i).take(1).flat_map(lambda d: d))
                for i in range(len(shard_files(theirs)))]  # fmt: skip
    for number, shard in enumerate(by_shard):
        ours = str(tmp_path / str(number))
        shard.save(ours)
        written = Path(shard_files(ours)[0]).read_bytes()
        assert written == Path(shard_files(theirs)[number]).read_bytes()
        spec = "dataset_spec.pb"
        assert (Path(ours) / spec).read_bytes() == (Path(theirs) / spec).read_bytes() or (
            name == "dict"  # whose keys have no fixed order
        )


STRUCTURES = {
    "tuple": lambda x: (x, {"d": [x, x]}),
    "named": lambda x: Point(x, tf.cast(x, tf.float32)),
    "none": lambda x: (x, None),
    "empty": lambda x: (tf.zeros([0, 2]), tf.constant([], tf.string)),
    "strings": lambda x: tf.strings.as_string([[x, x + 100]]),
    "ragged": lambda x: tf.ragged.range([x, 2]),
    "sparse": lambda x: tf.sparse.from_dense([[x, 0], [0, 1]]),
    "bool": lambda x: tf.fill([3], x > 1),
}


def plain(value):
    """A value as lists."""
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    if isinstance(value, tf.SparseTensor):
        return [part.numpy().tolist() for part in (value.indices, value.values, value.dense_shape)]
    return None if value is None else value.numpy().tolist()


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB", "SNAPPY", "AUTO"])
@pytest.mark.parametrize("name", STRUCTURES)
def test_saved_elements_come_back(name, compression, tmp_path):
    dataset = D.range(4).map(STRUCTURES[name])
    dataset.save(str(tmp_path), compression=compression)
    loaded = D.load(str(tmp_path), compression=compression)
    assert loaded.element_spec == dataset.element_spec
    assert len(loaded) == 4
    for one, other in zip(dataset, loaded, strict=True):
        parts = [tf.data.experimental.get_structure(D.from_tensors(e)) for e in (one, other)]
        assert parts[0] == parts[1]
        if isinstance(one, tuple):
            assert type(one).__name__ == type(other).__name__
        flat = [e if isinstance(e, tuple) else (e,) for e in (one, other)]
        for a, b in zip(*flat, strict=True):
            if isinstance(a, dict):
                a, b = a["d"], b["d"]
            assert plain(a) == plain(b)


def test_blocks_of_compressed_files_have_a_size(tmp_path):
    rows = np.random.default_rng(0).random([5, 400, 500])
    D.from_tensor_slices(rows).save(str(tmp_path), compression="SNAPPY")
    for row, loaded in zip(rows, D.load(str(tmp_path), compression="SNAPPY"), strict=True):
        assert (loaded.numpy() == row).all()
    data = Path(shard_files(tmp_path)[0]).read_bytes()
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        block = data[at + 4 : at + 4 + length]
        assert len(tf._core.snappy_expand(block)) <= 1 << 18
        at += 4 + length


def test_snappy_of_many_sizes():
    generator = np.random.default_rng(0)
    for size in (
        0,
        1,
        3,
        4,
        59,
        60,
        61,
        64,
        65,
        67,
        68,
        255,
        256,
        257,
        65535,
        65536,
        65537,
        200000,
    ):
        for data in (
            bytes(size),
            generator.bytes(size),
            generator.integers(0, 3, size).astype(np.uint8).tobytes(),
        ):
            block = tf._core.snappy_compress(data)
            assert tf._core.snappy_expand(block) == data
            for cut in (0, len(block) // 2, len(block) - 1):
                if cut < len(block):
                    with pytest.raises(ValueError, match="damaged"):
                        tf._core.snappy_expand(block[:cut])


def test_damaged_snappy_never_harms():
    generator = np.random.default_rng(0)
    block = tf._core.snappy_compress(generator.integers(0, 3, 3000).astype(np.uint8).tobytes())
    for _ in range(2000):
        changed = bytearray(block)
        changed[generator.integers(len(block))] ^= 1 << int(generator.integers(8))
        try:
            tf._core.snappy_expand(bytes(changed))
        except ValueError as error:
            assert "damaged" in str(error)


@pytest.mark.parametrize("compression", ["", "GZIP", "SNAPPY"])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.8])
def test_truncated_files(compression, place, tmp_path):
    D.range(50).save(str(tmp_path), compression=compression)
    (path,) = shard_files(tmp_path)
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[: int(len(data) * place)])
    with pytest.raises(tf.errors.DataLossError):
        list(D.load(str(tmp_path), compression=compression))


@pytest.mark.parametrize("compression", ["", "GZIP", "SNAPPY"])
def test_damaged_files(compression, tmp_path):
    D.range(50).save(str(tmp_path), compression=compression)
    (path,) = shard_files(tmp_path)
    data = Path(path).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 20)):
        changed = bytearray(data)
        changed[at] ^= 255
        Path(path).write_bytes(changed)
        try:
            assert numbers(D.load(str(tmp_path), compression=compression)) == list(range(50))
        except tf.errors.DataLossError:
            continue
        assert compression == "GZIP" and at < 10  # time and system in the head


def test_a_missing_file_of_a_shard(tmp_path):
    D.range(6).save(str(tmp_path), shard_func=lambda x: x % 2)
    os.remove(shard_files(tmp_path)[0])
    with pytest.raises(tf.errors.DataLossError, match="lacks 3"):
        list(D.load(str(tmp_path)))


def test_another_compression_than_the_files_have(tmp_path):
    D.range(5).save(str(tmp_path), compression="GZIP")
    for wrong in (None, "ZLIB", "SNAPPY"):
        with pytest.raises(tf.errors.DataLossError):
            list(D.load(str(tmp_path), compression=wrong))


@pytest.mark.parametrize("name", ["dataset_spec.pb", "snapshot.metadata"])
def test_damaged_descriptions(name, tmp_path):
    D.range(5).save(str(tmp_path))
    (tmp_path / name).write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        D.load(str(tmp_path))
    os.remove(tmp_path / name)
    with pytest.raises(tf.errors.NotFoundError, match=name):
        D.load(str(tmp_path))


def test_specs_that_are_given(tmp_path):
    D.range(3).save(str(tmp_path))
    os.remove(tmp_path / "dataset_spec.pb")
    wide = tf.TensorSpec(None, tf.int64)
    assert numbers(D.load(str(tmp_path), element_spec=wide)) == [0, 1, 2]
    assert D.load(str(tmp_path), wide).element_spec == wide
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected int32 but got int64"):
        list(D.load(str(tmp_path), element_spec=tf.TensorSpec([], tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"expected \[2\] but got \[\]"):
        list(D.load(str(tmp_path), element_spec=tf.TensorSpec([2], tf.int64)))


def test_readers_that_are_no_functions_of_datasets(tmp_path):
    D.range(3).save(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="reader_func"):
        D.load(str(tmp_path), reader_func=lambda shards: 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        D.range(3).save(str(tmp_path), shard_func=lambda x: x - 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shard_func"):
        D.range(3).save(str(tmp_path), shard_func=lambda x: "a")
    assert numbers(D.load(str(tmp_path))) == [0, 1, 2]


def test_elements_that_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError):
        D.range(4).window(2).save(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError):
        D.load(str(tmp_path))


def test_a_process_that_dies_while_it_saves_leaves_no_dataset(tmp_path):
    program = (
        "import os, sys, eagerflow as tf\n"
        "def die(x):\n"
        "    if int(x) == 500: os._exit(3)\n"
        "    return x\n"
        "def called(x):\n"
        "    return tf.ensure_shape(tf.py_function(die, [x], tf.int64), [])\n"
        "tf.data.Dataset.range(1000).map(called).save(sys.argv[1])\n"
    )
    run = lambda: subprocess.run([sys.executable, "-c", program, str(tmp_path)])  # noqa: E731
    assert run().returncode == 3
    with pytest.raises(tf.errors.NotFoundError):
        D.load(str(tmp_path))
    D.range(4).save(str(tmp_path))
    assert run().returncode == 3
    assert numbers(D.load(str(tmp_path))) == [0, 1, 2, 3]


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_saving_goes_on_from_a_checkpoint(compression, tmp_path):
    made = []

    def note(x):
        made.append(int(x))
        if int(x) == 12 and made.count(12) == 1:
            raise KeyError("interrupted")
        return x * 2

    def save():
        step = tf.Variable(0, dtype=tf.int64)
        options = tf.data.Options()
        options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
        D.range(20).map(as_python(note)).with_options(options).save(
            str(tmp_path / "data"),
            compression=compression,
            shard_func=lambda x: x // 2 % 3,
            checkpoint_args={
                "directory": str(tmp_path / "checkpoints"),
                "max_to_keep": 2,
                "checkpoint_interval": 4,
                "step_counter": step,
            },
        )

    with pytest.raises(tf.errors.UnknownError):
        save()
    with pytest.raises(tf.errors.NotFoundError):
        D.load(str(tmp_path / "data"))
    save()
    # Only elements after the last checkpoint are computed again.
    again = made[made.index(12) + 1 :]
    first = again[2]  # after the two elements that determine the specs
    assert 4 < first <= 12 and again[2:] == list(range(first, 20))
    loaded = D.load(
        str(tmp_path / "data"),
        compression=compression,
        reader_func=lambda shards: shards.flat_map(lambda shard: shard),
    )
    assert numbers(loaded) == [2 * x for k in range(3) for x in range(k, 20, 3)]


def test_saving_with_checkpoints_needs_a_counter(tmp_path):
    with pytest.raises(ValueError, match="step_counter"):
        D.range(3).save(str(tmp_path), checkpoint_args={"directory": str(tmp_path)})


def test_loading_can_wait(tmp_path):
    timer = threading.Timer(0.05, lambda: D.range(3).save(str(tmp_path)))
    timer.start()
    assert numbers(D.load(str(tmp_path), wait=True)) == [0, 1, 2]
    timer.join()


def test_positions_in_saved_datasets(tmp_path):
    D.range(20).save(str(tmp_path), shard_func=lambda x: x % 3)
    iterator = iter(D.load(str(tmp_path)))
    for _ in range(8):
        next(iterator)
    state = iterator.state()
    rest = numbers(iterator)
    other = iter(D.load(str(tmp_path)))
    other.restore(state)
    assert len(rest) == 12 and numbers(other) == rest


@pytest.mark.parametrize("compression", ["AUTO", "GZIP", "SNAPPY"])
def test_snapshots_with_functions_for_shards(compression, tmp_path):
    calls = []
    dataset = (
        D.range(9)
        .map(as_python(lambda x: calls.append(1) or x))
        .snapshot(
            str(tmp_path),
            compression=compression,
            shard_func=lambda x: x % 3,
            reader_func=lambda shards: shards.flat_map(lambda shard: shard),
        )
    )
    assert numbers(dataset) == list(range(9))
    assert numbers(dataset) == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert len(calls) == 9
    assert "from the directory" in dataset.explain()


def test_a_snapshot_belongs_to_its_pipeline(tmp_path):
    def snapshot(data, add):
        dataset = D.from_tensor_slices(data).map(lambda x: x + add)
        return numbers(dataset.snapshot(str(tmp_path)))

    for _ in range(2):
        assert snapshot([1, 2], 1) == [2, 3]
        assert snapshot([1, 2], 5) == [6, 7]
        assert snapshot([1, 3], 5) == [6, 8]
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.parametrize("length", [1 << 34, 1 << 62, (1 << 64) - 1])
@pytest.mark.parametrize("skipped", [0, 2])
def test_elements_beyond_the_file(tmp_path, length, skipped):
    path = str(tmp_path / "cache")
    dataset = tf.data.Dataset.range(3).cache(path)
    list(dataset)
    with open(path + ".data", "r+b") as file:
        file.write(struct.pack("<Q", length))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(tf.errors.DataLossError, match="cache"):
        list(tf.data.Dataset.range(3).cache(path).skip(skipped))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # in kB

"""Checkpoints that are interrupted, damaged or foreign."""

import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.checkpoint import bundle
from eagerflow.checkpoint.bundle import BundleReader, write_bundle

KILLING = Path(__file__).with_name("killing.py")


@pytest.mark.parametrize(
    "kind, kills, how",
    [(kind, 60, how) for kind in ("manager", "write") for how in ("bytes", "time")]
    + [("keras", 20, "bytes"), ("h5", 20, "bytes"), ("weights.h5", 20, "bytes")]
    + [("safetensors", 10, "bytes"), ("npz", 10, "bytes"), ("saved_model", 20, "bytes")],
)
def test_a_killed_saver_leaves_the_last_save_whole(tmp_path, kind, kills, how):
    command = [sys.executable, "-W", "ignore", str(KILLING), str(tmp_path), kind, str(kills), how]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == [str(kills), "0", "True"], done.stderr


@pytest.fixture
def saved(tmp_path):
    values = {
        "a": tf.Variable(tf.range(40)),
        "s": tf.Variable(["one", "two"]),
        "n": tf.Variable(1.0),
    }
    path = tf.train.Checkpoint(**values).write(tmp_path / "x")
    return path, values


def read_all(path):
    reader = BundleReader(path)
    return {name: reader.read(name).numpy() for name in reader.names()}


def same(left, right):
    return left.keys() == right.keys() and all(
        np.array_equal(left[name], right[name]) for name in left
    )


@pytest.mark.parametrize("ending", [".index", ".data-00000-of-00001"])
def test_flipped_bits_are_found(saved, ending):
    path, _ = saved
    whole = read_all(path)
    file = path + ending
    with open(file, "rb") as source:
        content = bytearray(source.read())
    unnoticed = []
    for at in range(len(content)):
        content[at] ^= 1 << at % 8
        with open(file, "wb") as target:
            target.write(content)
        try:
            if not same(read_all(path), whole):
                unnoticed.append(at)
        except (tf.errors.DataLossError, tf.errors.UnimplementedError):
            pass
        content[at] ^= 1 << at % 8
    assert unnoticed == []


@pytest.mark.parametrize("ending", [".index", ".data-00000-of-00001"])
def test_truncated_files_are_found(saved, ending):
    path, _ = saved
    size = os.path.getsize(path + ending)
    with open(path + ending, "rb") as source:
        content = source.read()
    for keep in range(0, size, 3):
        with open(path + ending, "wb") as target:
            target.write(content[:keep])
        with pytest.raises(tf.errors.DataLossError):
            read_all(path)


def test_mutated_files_do_no_harm(saved):
    path, _ = saved
    whole = read_all(path)
    chance = random.Random(0)
    with open(path + ".index", "rb") as source:
        content = source.read()
    for _ in range(300):
        mutated = bytearray(content)
        for _ in range(chance.randrange(1, 20)):
            mutated[chance.randrange(len(mutated))] = chance.randrange(256)
        with open(path + ".index", "wb") as target:
            target.write(mutated)
        try:
            assert same(read_all(path), whole)  # what was hit does not matter
        except tf.errors.OpError:
            pass


def test_messages_name_file_and_tensor(saved):
    path, _ = saved
    data = path + ".data-00000-of-00001"
    offset = BundleReader(path).entries["a/.ATTRIBUTES/VARIABLE_VALUE"].offset
    with open(data, "r+b") as file:
        file.seek(offset)
        file.write(b"\xff")
    v = tf.Variable(tf.zeros([40], tf.int32))
    with pytest.raises(tf.errors.DataLossError, match=r"a/.ATTRIBUTES.*x\.data-00000.*checksum"):
        tf.train.Checkpoint(a=v).read(path)
    assert v.numpy().max() == 0


def save_under_limit(tmp_path, limit, save):
    """Runs a save in a child whose files may have so many bytes; gives what it raised."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            save()
            text = "nothing"
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text


@pytest.mark.parametrize("limit", [0, 100, 3000, 4200])
def test_a_file_that_cannot_grow_leaves_the_old_checkpoint(tmp_path, limit):
    variables = {f"v{k}": tf.Variable(tf.ones([10])) for k in range(100)}
    checkpoint = tf.train.Checkpoint(**variables)
    checkpoint.write(tmp_path / "x")
    before = sorted(os.listdir(tmp_path))
    raised = save_under_limit(tmp_path, limit, lambda: checkpoint.write(tmp_path / "x"))
    assert raised.startswith("ResourceExhaustedError") and "x; File too large" in raised
    assert sorted(os.listdir(tmp_path)) == before
    tf.train.Checkpoint(**variables).read(tmp_path / "x").assert_consumed()


def test_a_large_tensor_on_a_full_disk(tmp_path):
    v = tf.Variable(tf.ones([3 << 20], tf.int8))
    raised = save_under_limit(
        tmp_path, 1 << 20, lambda: tf.train.Checkpoint(v=v).write(tmp_path / "x")
    )
    assert raised.startswith("ResourceExhaustedError") and "File too large" in raised
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.write(tmp_path / "x")
    before = sorted(os.listdir(tmp_path))

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    v.assign(2.0)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space"):
        checkpoint.write(tmp_path / "x")
    assert sorted(os.listdir(tmp_path)) == before
    fresh = tf.Variable(0.0)
    tf.train.Checkpoint(v=fresh).read(tmp_path / "x")
    assert fresh.numpy() == 1.0


def test_folders_that_refuse(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.errors.AlreadyExistsError, match="file"):
        checkpoint.write(tmp_path / "file" / "x")
    (tmp_path / "closed").mkdir(mode=0o555)
    if not os.access(tmp_path / "closed", os.W_OK):  # root may write anywhere
        with pytest.raises(tf.errors.PermissionDeniedError, match="closed"):
            checkpoint.write(tmp_path / "closed" / "x")


def test_foreign_files(tmp_path):
    for content in (b"", b"hello", bytes(1000), os.urandom(1000)):
        (tmp_path / "x.index").write_bytes(content)
        with pytest.raises(tf.errors.DataLossError, match="not a readable index"):
            tf.train.Checkpoint(v=tf.Variable(1)).read(tmp_path / "x")


@pytest.mark.parametrize("saves", [1, 2, 3])
def test_saves_that_end_where_they_became_valid(tmp_path, monkeypatch, saves):
    """The data of the bundle before are still there: the next save must not take the valid ones."""
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"v": np.zeros(5)})
    with monkeypatch.context() as patch:
        patch.setattr(bundle, "_remove_other_data", lambda *_: None)
        for k in range(1, saves + 1):
            write_bundle(prefix, {"v": np.full(5, float(k))})
    assert len(list(tmp_path.glob("c.data-*"))) == 2
    rename = os.replace

    def ends_before_the_index(source, target):
        if str(target).endswith(".index"):
            raise OSError("killed")
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", ends_before_the_index)
        with pytest.raises(tf.errors.OpError):
            write_bundle(prefix, {"v": np.full(5, 100.0)})
    assert tf.train.load_checkpoint(prefix).get_tensor("v").tolist() == [saves] * 5
    write_bundle(prefix, {"v": np.full(5, 7.0)})
    assert tf.train.load_checkpoint(prefix).get_tensor("v").tolist() == [7] * 5
    assert len(list(tmp_path.glob("c.data-*"))) == 1

"""Checkpoints that are interrupted, damaged or foreign."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.checkpoint.bundle import BundleReader

SAVER = """
import sys
import eagerflow as tf
folder, name = sys.argv[1:]
v = tf.Variable(tf.zeros([200_000]))
checkpoint = tf.train.Checkpoint(v=v)
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
manager.restore_or_initialize()
print("ready", flush=True)
while True:
    v.assign_add(tf.ones([200_000]))
    manager.save() if name == "manager" else checkpoint.write(folder + "/same")
"""


@pytest.mark.parametrize("kind", ["manager", "same"])
def test_a_killed_saver_leaves_the_last_checkpoint_whole(tmp_path, kind):
    chance = random.Random(kind)
    for _ in range(8):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(tmp_path), kind], stdout=subprocess.PIPE
        )
        saver.stdout.readline()
        # Some are killed early, some after many saves, at any byte.
        time.sleep(chance.uniform(0.0, 0.05))
        saver.send_signal(signal.SIGKILL)
        saver.wait()
        saver.stdout.close()
        latest = tf.train.latest_checkpoint(tmp_path)
        if kind == "same":
            latest = str(tmp_path / "same") if (tmp_path / "same.index").exists() else None
        if latest is not None:
            v = tf.Variable(tf.zeros([200_000]))
            tf.train.Checkpoint(v=v).read(latest).expect_partial()
            assert v.numpy().min() == v.numpy().max() > 0


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


def test_foreign_files(tmp_path):
    for content in (b"", b"hello", bytes(1000), os.urandom(1000)):
        (tmp_path / "x.index").write_bytes(content)
        with pytest.raises(tf.errors.DataLossError, match="not a readable index"):
            tf.train.Checkpoint(v=tf.Variable(1)).read(tmp_path / "x")

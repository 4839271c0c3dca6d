"""Files that pipelines leave behind, and damaged files."""

import os

import pytest

import eagerflow as tf
from python_functions import as_python

D = tf.data.Dataset


def test_a_cache_file_is_written_once_and_read_again(tmp_path):
    calls = []

    def note(x):
        calls.append(int(x))
        return x

    def labelled(x):
        return {"x": as_python(note)(x), "text": tf.constant(["a", "bc"])}

    path = str(tmp_path / "cache")
    for _ in range(2):
        dataset = D.range(3).map(labelled).cache(path)
        assert [int(e["x"]) for e in dataset] == [0, 1, 2]
        assert next(iter(dataset))["text"].numpy().tolist() == [b"a", b"bc"]
    assert calls == [0, 1, 2]
    assert sorted(os.listdir(tmp_path)) == ["cache.data"]


def test_a_cache_file_that_is_not_finished_leaves_nothing(tmp_path):
    iterator = iter(D.range(3).cache(str(tmp_path / "cache")))
    next(iterator)
    assert os.listdir(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError, match="lockfile"):
        list(D.range(3).cache(str(tmp_path / "cache")))
    del iterator
    assert not os.listdir(tmp_path)


def test_a_cache_in_a_missing_folder(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        list(D.range(3).cache(str(tmp_path / "no" / "cache")))


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_cache_file(tmp_path, damage):
    dataset = D.range(3).cache(str(tmp_path / "cache"))
    list(dataset)
    path = tmp_path / "cache.data"
    data = bytearray(path.read_bytes())
    path.write_bytes(data[:-3] if damage == "cut" else data[:-3] + b"xyz")
    with pytest.raises(tf.errors.DataLossError, match="record"):
        list(dataset)


def test_saved_datasets_keep_structure_and_shards(tmp_path):
    path = str(tmp_path / "saved")
    dataset = D.range(10).map(lambda x: (x, {"d": x * 2}))
    dataset.save(path, shard_func=lambda x, d: x % 3)
    loaded = D.load(path)
    assert loaded.element_spec == dataset.element_spec
    assert len(loaded) == 10
    assert sorted(int(x) for x, _ in loaded) == list(range(10))
    in_order = D.load(path, reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert [int(x) for x, _ in in_order] == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]


def test_saving_that_fails_leaves_the_former_data(tmp_path):
    path = str(tmp_path / "saved")
    D.range(3).save(path)

    def fail(x):
        if x == 2:
            raise KeyError("no")
        return x

    with pytest.raises(KeyError):
        D.range(5).map(fail).save(path)
    assert [int(x) for x in D.load(path)] == [0, 1, 2]
    assert len(os.listdir(path)) == 3


def test_an_empty_dataset_can_be_saved(tmp_path):
    D.range(0).batch(2).save(str(tmp_path / "saved"))
    loaded = D.load(str(tmp_path / "saved"))
    assert list(loaded) == []
    assert loaded.element_spec == tf.TensorSpec([None], tf.int64)


def test_snapshots_are_made_once(tmp_path):
    calls = []
    noted = as_python(lambda x: calls.append(1) or x)
    dataset = D.range(3).map(noted).snapshot(str(tmp_path))
    next(iter(dataset))
    calls.clear()
    assert [[int(x) for x in dataset] for _ in range(3)] == [[0, 1, 2]] * 3
    assert len(calls) == 3


def test_files_are_closed_when_a_pipeline_is_dropped(tmp_path):
    path = tmp_path / "lines"
    path.write_text("a\nb\n" * 100)

    def opened():
        return [f for f in os.listdir("/proc/self/fd") if _target(f) == str(path)]

    iterator = iter(tf.data.TextLineDataset([str(path)] * 3, num_parallel_reads=3).prefetch(2))
    next(iterator)
    assert opened()
    del iterator
    import threading

    for thread in threading.enumerate():
        if thread.name == "eagerflow-data":
            thread.join(5)
    assert not opened()


def _target(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""


def test_reading_goes_on_in_the_next_file_after_a_damaged_one(tmp_path):
    paths = [str(tmp_path / name) for name in "ab"]
    for path in paths:
        with tf.io.TFRecordWriter(path) as writer:
            for text in (b"one", b"two", b"three"):
                writer.write(text)
    data = bytearray((tmp_path / "a").read_bytes())
    data[20] ^= 1
    (tmp_path / "a").write_bytes(data)
    found = list(tf.data.TFRecordDataset(paths).ignore_errors().as_numpy_iterator())
    assert found == [b"one", b"one", b"two", b"three"]


def test_positions_in_files(tmp_path):
    path = tmp_path / "lines"
    path.write_text("".join(f"line {i}\n" for i in range(20)))
    make = lambda: tf.data.TextLineDataset([str(path)] * 2).skip(3).batch(4)  # noqa: E731
    iterator = iter(make())
    next(iterator)
    state = iterator.state()
    rest = [x.numpy().tolist() for x in iterator]
    other = iter(make())
    other.restore(state)
    assert [x.numpy().tolist() for x in other] == rest

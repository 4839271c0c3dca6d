"""Event files: what they hold, read with TensorBoard's own reader where it is installed."""

import threading

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.io.records import read_records
from eagerflow.protos.event import MESSAGES


def events(folder):
    (path,) = folder.iterdir()
    return [MESSAGES["Event"].FromString(record) for record in read_records(path)]


def values(folder):
    return [(event.step, value) for event in events(folder) for value in event.summary.value]


def array(proto):
    kinds = {1: "<f4", 2: "<f8", 3: "<i4"}
    shape = [dim.size for dim in proto.tensor_shape.dim]
    return np.frombuffer(proto.tensor_content, kinds[proto.dtype]).reshape(shape)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "logs"


def test_scalars(folder):
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default(step=3):
        assert bool(tf.summary.scalar("loss", tf.constant(2.5), description="*less* is more"))
        with tf.name_scope("train"):
            tf.summary.scalar("accuracy", 1, step=4)
    first = events(folder)[0]
    assert first.file_version == "brain.Event:2" and first.wall_time > 1.7e9
    (step, loss), (other_step, accuracy) = values(folder)
    assert (step, other_step) == (3, 4)
    assert loss.tag == "loss" and array(loss.tensor) == 2.5
    assert loss.metadata.plugin_data.plugin_name == "scalars"
    assert loss.metadata.summary_description == "*less* is more"
    assert accuracy.tag == "train/accuracy"
    assert next(folder.iterdir()).name.startswith("events.out.tfevents.")


def test_histograms(folder):
    with tf.summary.create_file_writer(folder).as_default(step=0):
        tf.summary.histogram("h", [1.0, 2.0, 2.0, 9.0], buckets=4)
        tf.summary.histogram("same", [2.0, 2.0], buckets=3)
        tf.summary.histogram("empty", tf.zeros([0]), buckets=3)
        tf.summary.histogram("default", np.arange(100))
    rows = [array(value.tensor) for _, value in values(folder)]
    np.testing.assert_array_equal(rows[0], [[1, 3, 3], [3, 5, 0], [5, 7, 0], [7, 9, 1]])
    np.testing.assert_array_equal(rows[1], [[2, 2, 0], [2, 2, 0], [2, 2, 2]])
    np.testing.assert_array_equal(rows[2], np.zeros([3, 3]))
    assert rows[3].shape == (30, 3) and rows[3][:, 2].sum() == 100


def test_images(folder):
    images = np.linspace(-0.1, 1.1, 5 * 4 * 3 * 3).reshape(5, 4, 3, 3).astype("f")
    with tf.summary.create_file_writer(folder).as_default(step=0):
        tf.summary.image("i", images, max_outputs=2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            tf.summary.image("i", images[0])
    ((_, value),) = values(folder)
    width, height, *pictures = value.tensor.string_val
    assert (width, height, len(pictures)) == (b"3", b"4", 2)
    expected = np.clip(images[0] * 255.5, 0, 255).astype("u1")
    np.testing.assert_array_equal(tf.io.decode_png(pictures[0]).numpy(), expected)


def test_text_and_audio(folder):
    with tf.summary.create_file_writer(folder).as_default(step=0):
        tf.summary.text("t", [["a", "b"]])
        tf.summary.audio("s", np.zeros([2, 8, 1]), 8000)
        with pytest.raises(ValueError, match="encoding"):
            tf.summary.audio("s", np.zeros([2, 8, 1]), 8000, encoding="mp3")
    (_, text), (_, sound) = values(folder)
    assert list(text.tensor.string_val) == [b"a", b"b"]
    assert sound.tensor.string_val[0].startswith(b"RIFF") and sound.tensor.string_val[1] == b""


def test_steps(folder):
    step = tf.Variable(5, dtype=tf.int64)
    with tf.summary.create_file_writer(folder).as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("x", 1.0)
        tf.summary.experimental.set_step(step)
        tf.summary.scalar("x", 1.0)
        step.assign_add(1)
        tf.summary.scalar("x", 1.0)
        assert tf.summary.experimental.get_step() is step
    assert tf.summary.experimental.get_step() is None
    assert [step for step, _ in values(folder)] == [5, 6]


def test_conditions(folder):
    assert not bool(tf.summary.scalar("x", 1.0, step=0))
    with tf.summary.create_file_writer(folder).as_default(step=0):
        with tf.summary.record_if(lambda: False):
            assert not tf.summary.should_record_summaries()
            assert not bool(tf.summary.scalar("x", 1.0))
        assert tf.summary.should_record_summaries()
        with tf.summary.create_noop_writer().as_default():
            assert not bool(tf.summary.scalar("y", 1.0))
        with pytest.raises(tf.errors.InvalidArgumentError, match="one number"):
            tf.summary.scalar("x", [1.0])
    assert values(folder) == []


def test_plain_tensors(folder):
    with tf.summary.create_file_writer(folder).as_default(step=0):
        tf.summary.write("raw", lambda: tf.constant([1, 2]))
    ((_, value),) = values(folder)
    assert array(value.tensor).tolist() == [1, 2]


def test_many_threads(folder):
    writer = tf.summary.create_file_writer(folder, max_queue=3, flush_millis=0)

    def work(k):
        with writer.as_default():
            for step in range(200):
                tf.summary.scalar(f"thread{k}", step, step=step)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(values(folder)) == 800
    writer.close()
    with pytest.raises(RuntimeError, match="closed"), writer.as_default(step=0):
        tf.summary.scalar("x", 1.0)


def test_tensorboard_reads_it(folder):
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with tf.summary.create_file_writer(folder).as_default():
        for step in range(5):
            tf.summary.scalar("loss", 1 / (step + 1), step=step)
        tf.summary.histogram("weights", tf.range(10.0), step=0)
    read = loader.EventAccumulator(str(folder)).Reload()
    assert read.Tags()["tensors"] == ["loss", "weights"]
    assert [event.step for event in read.Tensors("loss")] == list(range(5))


def test_bad_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match="file"):
        tf.summary.create_file_writer(tmp_path / "file" / "logs")

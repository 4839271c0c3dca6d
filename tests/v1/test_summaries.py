"""Summaries of version 1; expected values are TensorFlow's."""

import glob

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


def tags(session, node):
    return [value.tag for value in v1.Summary.FromString(session.run(node)).value]


def test_scopes_and_families_are_parts_of_tags():
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("s"):
            plain = v1.summary.scalar("loss", 1.0)
            image = v1.summary.image("im", tf.zeros([1, 2, 2, 3]), max_outputs=1, family="f")
            family = v1.summary.scalar("q", 2.0, family="fam")
        assert [node.name for node in (plain, image, family)] == [
            "s/loss:0",
            "s/f/im:0",
            "s/fam/q:0",
        ]
        assert tags(session, plain) == ["s/loss"]
        assert tags(session, image) == ["f/s/f/im/image"]
        assert tags(session, family) == ["fam/s/fam/q"]


def test_sound():
    with tf.Graph().as_default(), v1.Session() as session:
        clips = tf.constant(np.linspace(-1, 1, 24).reshape(3, 8).astype("float32"))
        node = v1.summary.audio("snd", clips, tf.constant(8000.0), max_outputs=2)
        assert node.op.type == "AudioSummaryV2"
        assert tags(session, node) == ["snd/audio/0", "snd/audio/1"]
        audio = v1.Summary.FromString(session.run(node)).value[0].audio
        assert (audio.sample_rate, audio.num_channels, audio.length_frames) == (8000, 1, 8)
        assert len(audio.encoded_audio_string) == 60


def test_tensors():
    with tf.Graph().as_default(), v1.Session() as session:
        node = v1.summary.tensor_summary("t", [[1, 2], [3, 4]], display_name="d")
        (value,) = v1.Summary.FromString(session.run(node)).value
        assert value.metadata.display_name == "d"
        assert tf.make_ndarray(value.tensor).tolist() == [[1, 2], [3, 4]]
        with pytest.raises(ValueError, match="TensorSummaryV2"):
            v1.summary.get_summary_description(node.op.node_def)


def test_logs_have_graphs_and_can_be_opened_again(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        writer = v1.summary.FileWriter(str(tmp_path), graph)
        writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 3)
        writer.close()
        with pytest.warns(UserWarning, match="closed FileWriter"):
            writer.add_summary(v1.Summary(), 1)
        writer.reopen()
        writer.add_summary(v1.Summary(), 1)
        writer.close()
    events = [
        event
        for path in sorted(glob.glob(f"{tmp_path}/*"))
        for event in v1.train.summary_iterator(path)
    ]
    kinds = [event.WhichOneof("what") for event in events]
    assert kinds == ["file_version", "graph_def", "session_log", "file_version", "summary"]
    assert v1.GraphDef.FromString(events[1].graph_def).node[0].name == "c"


def pictures():
    """A batch of two images: one with a pixel that is not a number, one with negative values."""
    batch = np.arange(24, dtype=np.float32).reshape(2, 2, 2, 3)
    batch[1] -= 15
    batch[0, 1, 1, 2] = np.nan
    return batch


def test_histograms_have_buckets_that_grow():
    text = v1.summary.histogram("h", [0, 1, 1.5, -2, 1e-13, 3e21, 100, 101]).numpy()
    histo = v1.Summary.FromString(text).value[0].histo
    assert list(histo.bucket) == [0, 1, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1]
    np.testing.assert_allclose(
        histo.bucket_limit,
        [-2.162819, -1.966199, 0, 1e-12, 0.9172464, 1.008971, 1.4772345, 1.624958, 97.887578, 107.676336,
         9.9207756e19, np.finfo(np.float64).max],
        rtol=1e-6,
    )  # fmt: skip
    empty = v1.Summary.FromString(v1.summary.histogram("h", np.zeros(0)).numpy()).value[0].histo
    assert (list(empty.bucket), empty.num, empty.min > empty.max) == ([0], 0, True)


def test_images_are_scaled_each_by_itself():
    text = v1.summary.image("i", pictures()).numpy()
    found = [
        tf.io.decode_png(value.image.encoded_image_string).numpy().ravel().tolist()
        for value in v1.Summary.FromString(text).value
    ]
    assert found[0] == [0, 31, 63, 95, 127, 159, 191, 223, 255, 255, 0, 0]
    assert found[1] == [80, 96, 112, 128, 143, 159, 175, 191, 207, 223, 239, 255]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: tf.raw_ops.ScalarSummary(tags=["a"], values=[1.0, 2.0]), "not the same shape"),
        (lambda: v1.summary.histogram("h", [np.nan]), "Nan in summary histogram"),
        (lambda: v1.summary.histogram("h", [np.inf]), "Infinity in Histogram"),
        (lambda: v1.summary.image("i", [1.0]), "must be 4-D with last dim 1, 3, or 4"),
        (lambda: v1.summary.audio("s", np.zeros(4, np.float32), 1.0), "must be 3-D or 2-D"),
        (lambda: v1.summary.audio("s", np.zeros([4, 1], np.float32), 0.0), "must be > 0"),
        (
            lambda: tf.raw_ops.MergeSummary(inputs=[v1.summary.scalar("a", 1.0)] * 2),
            "Duplicate tag a",
        ),
    ],
)
def test_what_no_summary_can_have_is_an_error(make, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        make()


def test_summaries_are_saved_with_their_graph(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.placeholder(tf.float32, name="a")
        v1.summary.scalar("s", a, family="f")
        v1.summary.histogram("h", [1.0, 2.0] * a)
        v1.summary.image("i", pictures())
        v1.summary.audio("snd", np.zeros([1, 4], np.float32), 8000.0)
        v1.summary.tensor_summary("t", [1, 2], display_name="d")
        v1.summary.text("x", tf.constant(["text"]))
        v1.get_variable("v", initializer=1.0)
        merged = v1.summary.merge_all()
        assert merged.name == "Merge/MergeSummary:0"
        session.run(v1.global_variables_initializer())
        expected = session.run(merged, {a: 3.0})
        path = v1.train.Saver().save(session, str(tmp_path / "m"))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(f"{path}.meta").restore(session, path)
        assert [node.name for node in v1.get_collection("summaries")][:2] == ["f/s:0", "h:0"]
        assert session.run("Merge/MergeSummary:0", {"a:0": 3.0}) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: v1.summary.FileWriter(folder),
        lambda folder: v1.summary.FileWriterCache.get(folder),
        lambda folder: v1.summary.merge([]),
        lambda folder: v1.summary.merge_all(),
        lambda folder: v1.train.Supervisor(logdir=folder),
        lambda folder: v1.train.start_queue_runners(),
    ],
)
def test_what_belongs_to_graphs_is_refused_eagerly(tmp_path, make):
    with pytest.raises(RuntimeError, match="compatible with eager execution"):
        make(str(tmp_path))


def test_metadata_of_runs_are_events(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        writer, metadata = v1.summary.FileWriter(str(tmp_path)), v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(tf.constant(1.0), options=options, run_metadata=metadata)
        writer.add_run_metadata(metadata, "step 1", 1)
        with pytest.raises(ValueError, match="already used"):
            writer.add_run_metadata(metadata, "step 1", 2)
        writer.close()
    (path,) = glob.glob(str(tmp_path / "events*"))
    events = [event for event in v1.train.summary_iterator(path) if event.step]
    assert [event.tagged_run_metadata.tag for event in events] == ["step 1"]

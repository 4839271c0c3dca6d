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

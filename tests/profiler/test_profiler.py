"""tf.profiler.experimental: timelines of operations."""

import glob
import gzip
import json

import pytest

import eagerflow as tf


def events(folder):
    (path,) = glob.glob(f"{folder}/plugins/profile/*/*.trace.json.gz")
    with gzip.open(path, "rt") as file:
        return [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]


def test_operations_and_named_steps_are_noted(tmp_path):
    x = tf.constant([1.0, 2.0])
    tf.profiler.experimental.start(str(tmp_path))
    with tf.profiler.experimental.Trace("step", step_num=3) as trace:
        tf.exp(x + 1.0)
        trace.set_metadata(loss=0.5)
    tf.profiler.experimental.stop()
    tf.exp(x)
    found = events(tmp_path)
    assert [event["name"] for event in found] == ["AddV2", "Exp", "step"]
    step = found[-1]
    assert step["args"] == {"step_num": "3", "loss": "0.5"}
    for event in found:
        assert event["dur"] >= 0
        assert step["ts"] - 1 <= event["ts"] <= step["ts"] + step["dur"]


def test_without_a_level_only_steps_are_noted(tmp_path):
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=0)
    with tf.profiler.experimental.Profile(tmp_path, options):
        with tf.profiler.experimental.Trace("step"):
            tf.exp(1.0)
    assert [event["name"] for event in events(tmp_path)] == ["step"]


def test_one_profile_at_a_time(tmp_path):
    with tf.profiler.experimental.Profile(tmp_path):
        with pytest.raises(tf.errors.AlreadyExistsError):
            tf.profiler.experimental.start(tmp_path)
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()
    tf.profiler.experimental.start(tmp_path / "other")
    tf.profiler.experimental.stop(save=False)
    assert not (tmp_path / "other").exists()


def test_nothing_is_noted_once_a_profile_has_ended(tmp_path):
    with tf.profiler.experimental.Profile(tmp_path):
        tf.exp(1.0)
        recorder = tf.profiler.experimental._recorder
    count = len(recorder.events)
    tf.exp(1.0)
    assert len(recorder.events) == count

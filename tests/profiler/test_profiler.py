"""tf.profiler.experimental: timelines of operations."""

import glob
import gzip
import json
import subprocess
import sys

import pytest

import eagerflow as tf
from eagerflow.protos.schema import Schema


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
    assert [event["name"] for event in found] == ["step", "AddV2", "Exp"]
    step = found[0]
    assert step["args"] == {"step_num": "3", "loss": "0.5"}
    for event in found:
        assert event["dur"] >= 0
        assert step["ts"] - 1 <= event["ts"] <= step["ts"] + step["dur"]


def test_steps_of_keras_are_noted(tmp_path):
    """TensorBoard calculates the times of steps from these parts."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = tf.ones([6, 2]), tf.ones([6, 1])
    with tf.profiler.experimental.Profile(tmp_path):
        model.fit(x, y, batch_size=2, verbose=0)
        model.evaluate(x, y, batch_size=3, verbose=0)
        model.predict(x, batch_size=6, verbose=0)
    found = [event for event in events(tmp_path) if "step_num" in event["args"]]
    assert [(event["name"], event["args"]["step_num"]) for event in found] == [
        *[("train", "0"), ("train", "1"), ("train", "2"), ("test", "0"), ("test", "1")],
        ("predict", "0"),
    ]
    first = found[0]
    inside = [e["name"] for e in events(tmp_path) if 0 < e["ts"] - first["ts"] < first["dur"]]
    assert any("MatMul" in name for name in inside)


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


XSPACE = Schema(
    "profiled",
    """
    message XSpace { repeated XPlane planes = 1; repeated string hostnames = 4; }
    message XPlane {
      int64 id = 1; string name = 2; repeated XLine lines = 3;
      map<int64, XEventMetadata> event_metadata = 4; map<int64, XStatMetadata> stat_metadata = 5;
    }
    message XLine { int64 id = 1; string name = 2; int64 timestamp_ns = 3; repeated XEvent events = 4; }
    message XEvent {
      int64 metadata_id = 1; int64 offset_ps = 2; int64 duration_ps = 3; repeated XStat stats = 4;
    }
    message XStat { int64 metadata_id = 1; int64 int64_value = 4; string str_value = 5; }
    message XEventMetadata { int64 id = 1; string name = 2; }
    message XStatMetadata { int64 id = 1; string name = 2; }
    """,
)


def test_tensorboard_reads_the_same_events(tmp_path):
    x = tf.random.normal([256, 256])
    with tf.profiler.experimental.Profile(tmp_path):
        with tf.profiler.experimental.Trace("train", step_num=3, _r=1):
            tf.tanh(x * 2.0).numpy()
            x @ x
    (path,) = glob.glob(f"{tmp_path}/plugins/profile/*/*.xplane.pb")
    with open(path, "rb") as file:
        space = XSPACE["XSpace"].FromString(file.read())
    (plane,) = space.planes
    (line,) = plane.lines
    assert plane.name == "/host:CPU" and len(space.hostnames) == 1
    names = [plane.event_metadata[event.metadata_id].name for event in line.events]
    assert names == ["train", "Mul.Tanh:Fused", "MatMul:MatMul"]
    stats = [
        {plane.stat_metadata[stat.metadata_id].name: stat for stat in event.stats}
        for event in line.events
    ]
    assert stats[0]["step_num"].int64_value == 3 and stats[0]["_r"].int64_value == 1
    assert stats[2]["bytes"].int64_value == 256 * 256 * 4
    assert stats[2]["code"].str_value == "x @ x"
    train = line.events[0]
    for event in line.events[1:]:
        assert train.offset_ps <= event.offset_ps
        assert event.offset_ps + event.duration_ps <= train.offset_ps + train.duration_ps


UNFINISHED = """
import sys
import eagerflow as tf

def main():
    try:
        tf.profiler.experimental.start(3)
    except TypeError:
        tf.profiler.experimental.start(sys.argv[1])
    try:
        tf.reshape(tf.exp([1.0]), "shape")
    except Exception:
        pass

main()
"""


def test_a_program_may_end_while_it_is_profiled(tmp_path):
    command = [sys.executable, "-c", UNFINISHED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

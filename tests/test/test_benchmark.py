"""Reports of what methods have measured."""

import pytest

import eagerflow as tf
from eagerflow.protos.benchmark import MESSAGES


class Sums(tf.test.Benchmark):
    def benchmark_one(self, **arguments):
        self.report_benchmark(**arguments)

    def benchmark_session(self, **arguments):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32)
            fed = {x: [1.0, 2.0]}
            return self.run_op_benchmark(session, x + 2.0, fed, min_iters=3, **arguments)


def test_prints_what_tensorflow_prints(capsys):
    metric = {"name": "m", "value": 2.0}
    Sums().benchmark_one(iters=3, wall_time=0.5, extras={"a": 1}, metrics=[metric])
    assert capsys.readouterr().out == (
        'entry {\n  name: "Sums.benchmark_one"\n  iters: 3\n  wall_time: 0.5\n  extras {\n'
        '    key: "a"\n    value {\n      double_value: 1\n    }\n  }\n  metrics {\n    name: "m"\n'
        "    value: 2\n  }\n}\n\n"
    )


def test_writes_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", f"{tmp_path}/report_")
    Sums().benchmark_one(iters=7, extras={"k": "v"}, name="other")
    data = (tmp_path / "report_Sums.other").read_bytes()
    entry = MESSAGES["BenchmarkEntries"].FromString(data).entry[0]
    assert (entry.name, entry.iters, entry.extras["k"].string_value) == ("Sums.other", 7, "v")


def test_measures_a_session(capsys):
    found = Sums().benchmark_session(extras={"k": "v"}, mbs=1)
    assert found["iters"] == 3 and found["wall_time"] > 0 and found["throughput"] > 0
    assert set(found["extras"]) == {"k", "wall_time_mean", "wall_time_stdev"}
    assert 'name: "Sums.benchmark_session"' in capsys.readouterr().out


def test_who_may_report():
    assert tf.test.Benchmark.is_abstract() and not Sums.is_abstract()
    with pytest.raises(ValueError, match="calling Benchmark"):
        Sums().report_benchmark(iters=1)
    with pytest.raises(TypeError, match="name and a value"):
        Sums().benchmark_one(metrics=[{"name": "m"}])

"""tf.print's text, as TensorFlow writes it."""

import importlib
import io
import logging

import pytest

import eagerflow as tf


def printed(*values, **options):
    stream = io.StringIO()
    tf.print(*values, output_stream=stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: [1.0, 2.5, 3e10, 1e-7, 1e6, 0.1, 123456789.0, 1 / 3],
         "[1 2.5 3e+10 1e-07 1e+06 0.1 123456792 0.333333343]"),
        (lambda: tf.constant([3e10, 1e15, 1e-5, 0.1], tf.float64), "[30000000000 1e+15 1e-05 0.1]"),
        (lambda: tf.constant([0.1, 65504.0], tf.float16), "[0.0999755859 65504]"),
        (lambda: [float("nan"), float("inf"), -float("inf"), -0.0], "[nan inf -inf -0]"),
        (lambda: [True, False], "[1 0]"),
        (lambda: ["a", "b"], '["a" "b"]'),
        (lambda: tf.ones([2, 2]), "[[1 1]\n [1 1]]"),
        (lambda: tf.ones([2, 2, 1]), "[[[1]\n  [1]]\n\n [[1]\n  [1]]]"),
        (lambda: tf.zeros([0]), "[]"),
        (lambda: tf.zeros([0, 2]), "[]"),
        (lambda: tf.zeros([2, 0]), "[\n ...]"),
        (lambda: tf.zeros([9, 2, 0]), "[\n\n ...]"),
        (lambda: 7, "7"),
    ],
)  # fmt: skip
def test_tensors(make, text):
    assert printed(tf.constant(make()), summarize=-1) == text + "\n"


def test_long_axes_are_cut():
    assert printed(tf.range(7), tf.range(6)) == "[0 1 2 ... 4 5 6] [0 1 2 3 4 5]\n"
    assert printed(tf.range(9), summarize=1) == "[0 ... 8]\n"
    assert printed(tf.ones([8, 1])) == "[[1]\n [1]\n [1]\n ...\n [1]\n [1]\n [1]]\n"


def test_other_values():
    nested = {"b": [tf.constant([1.0, 2.0]), "s", 2.5], "a": tf.constant(1)}
    assert printed(nested, "text", None) == "{'a': 1, 'b': [[1 2], 's', 2.5]} text None\n"
    assert printed((1, tf.constant(2)), tf.Variable([1])) == "(1, 2) [1]\n"
    assert printed("a", "b", sep="|", end="!") == "a|b!"


def test_files(tmp_path):
    for _ in range(2):
        tf.print(tf.constant(1), output_stream=f"file://{tmp_path}/out.txt")
    assert (tmp_path / "out.txt").read_text() == "1\n1\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print(1, output_stream=5)


@pytest.mark.parametrize("name", ["info", "warning", "error"])
def test_levels_and_functions_of_logs(caplog, name):
    absl = pytest.importorskip("absl.logging")
    first = importlib.import_module("eagerflow.compat.v1").logging
    upper = {"warning": "WARN"}.get(name, name.upper())
    with caplog.at_level(logging.INFO, tf.get_logger().name):
        for stream in (
            getattr(absl, name), getattr(absl, name.upper()), getattr(first, name), getattr(first, upper)
        ):  # fmt: skip
            tf.print("x =", tf.constant([1]), output_stream=stream)
        tf.function(lambda x: tf.print(x, output_stream=getattr(first, name)))(tf.constant(2))
    found = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert found == [(name.upper(), "x = [1]")] * 4 + [(name.upper(), "2")]
    for other in (absl.debug, absl.FATAL, False, 5):
        with pytest.raises(ValueError, match="Unsupported output stream"):
            tf.print(1, output_stream=other)

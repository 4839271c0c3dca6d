"""tf.test.TestCase: what its assertions let pass."""

import subprocess
import sys
import unittest

import numpy as np
import pytest

import eagerflow as tf

CASE = tf.test.TestCase()
RAGGED = tf.ragged.constant([[1], []])

PASSES = [
    lambda: CASE.assertAllGreaterEqual([1, 2], 1),
    lambda: CASE.assertAllLessEqual(tf.constant([1, 2]), 2),
    lambda: CASE.assertAllInRange([1.0, 2.0], 0, 2),
    lambda: CASE.assertAllInSet(tf.constant([1, 2, 1]), {1, 2, 3}),
    lambda: CASE.assertAllCloseAccordingToType(np.float16([1.0]), np.float32([1.0004])),
    lambda: CASE.assertAllCloseAccordingToType(tf.constant([1.0], tf.bfloat16), [1.005]),
    lambda: CASE.assertArrayNear([1.0, 2.0], [1.1, 1.9], 0.11),
    lambda: CASE.assertNDArrayNear(np.ones(4), np.ones(4) + 0.1, 0.21),
    lambda: CASE.assertDTypeEqual(tf.constant(1), tf.int32),
    lambda: CASE.assertStartsWith("abc", "ab"),
    lambda: CASE.assertProtoEquals("int64_list { value: 3 }", feature(3)),
    lambda: CASE.assertAllEqual(["a"], [b"a"]),
    lambda: CASE.assertAllEqual(tf.constant("a"), "a"),
    lambda: CASE.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    lambda: CASE.assertNotAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]]),
    lambda: CASE.assertAllClose(tf.ragged.constant([[1.0], []]), [[1.0 + 1e-7], []]),
    lambda: CASE.assertAllClose([np.ones(2), np.zeros(3)], [np.ones(2), np.zeros(3)]),
    lambda: CASE.assertNear(float("inf"), float("inf"), 0.1),
    lambda: CASE.assertAllInRange(tf.constant([1, 2]), tf.constant(1), tf.constant(2)),
    lambda: CASE.assertAllGreater(tf.constant([1, 2]), tf.constant([0, 1])),
    lambda: CASE.assertAllInSet([1, 2], tf.constant([3, 2, 1])),
    lambda: CASE.assertEqual({"a": tf.constant([1, 2])}, {"a": np.array([1, 2])}),
    lambda: CASE.assertEqual({"a": tf.constant([1.0, 2.0])}, {"a": [1.0, 2.0 + 1e-7]}),
    lambda: CASE.assertEqual({"a": 1.0, "b": None}, {"a": 1.0 + 1e-7, "b": None}),
    lambda: CASE.assertEqual({"a": RAGGED, "b": 1}, {"a": tf.ragged.constant([[1], []]), "b": 1}),
    lambda: CASE.assertDictEqual({"a": tf.constant("x")}, {"a": b"x"}),
]

FAILS = [
    lambda: CASE.assertAllGreaterEqual([1, 2], 2),
    lambda: CASE.assertAllLessEqual([1, 2], 1),
    lambda: CASE.assertAllInRange([1.0, 2.0], 0, 2, open_upper_bound=True),
    lambda: CASE.assertAllInSet([4], {1, 2, 3}),
    lambda: CASE.assertAllCloseAccordingToType(np.float32([1.0]), np.float32([1.0004])),
    lambda: CASE.assertArrayNear([1.0], [1.2], 0.11),
    lambda: CASE.assertNDArrayNear(np.ones(4), np.ones(4) + 0.1, 0.19),
    lambda: CASE.assertDTypeEqual(tf.constant(1), tf.int64),
    lambda: CASE.assertStartsWith("abc", "b"),
    lambda: CASE.assertProtoEquals("int64_list { value: 3 }", feature(4)),
    lambda: CASE.assertAllEqual(1, [1]),
    lambda: CASE.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2]]),
    lambda: CASE.assertAllClose(tf.ragged.constant([[1.0], []]), [[1.1], []]),
    lambda: CASE.assertAllInRange(["a"], "a", "b"),
    lambda: CASE.assertAllInRange(tf.constant([1, 2]), 1, tf.constant(2), open_upper_bound=True),
    lambda: CASE.assertEqual({"a": tf.constant([1, 2])}, {"a": tf.constant([1, 3])}),
    lambda: CASE.assertEqual({"a": tf.constant([1, 2])}, {"b": tf.constant([1, 2])}),
    lambda: CASE.assertEqual({"a": RAGGED}, {"a": tf.ragged.constant([[], [1]])}),
    lambda: CASE.assertDictEqual({"a": 1.0}, {"a": 1.1}),
    lambda: CASE.assertDictEqual({"a": 1}, {"a": 2}),
    lambda: CASE.assertDictEqual([1], {"a": 1}),
]


def feature(number):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))


@pytest.mark.parametrize("check", PASSES)
def test_passes(check):
    check()


@pytest.mark.parametrize("check", FAILS)
def test_fails(check):
    with pytest.raises(AssertionError):
        check()


def test_errors_are_matched():
    with CASE.assertRaisesOpError("Matrix size-incompatible"):
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    with CASE.assertRaisesWithPredicateMatch(ValueError, lambda error: "x" in str(error)):
        raise ValueError("x")
    with pytest.raises(AssertionError):
        with CASE.assertRaisesWithPredicateMatch(ValueError, "y"):
            raise ValueError("x")
    with pytest.raises(AssertionError):
        with CASE.assertRaisesOpError("anything"):
            pass


def test_skipping_and_classes():
    @tf.test.disable_with_predicate(lambda: True, "not now")
    def test(case):
        raise AssertionError

    with pytest.raises(unittest.SkipTest, match="not now"):
        test(CASE)

    @tf.test.with_eager_op_as_function
    class Case(tf.test.TestCase):
        pass

    assert issubclass(Case, tf.test.TestCase)


PROGRAM = """
import pathlib
from absl import flags
import eagerflow as tf

flags.DEFINE_integer("answer", 1, "a number")

class Test(tf.test.TestCase):
    def test_folders(self):
        folder = self.create_tempdir()
        file = folder.create_file("a.txt", content="text")
        self.assertEqual(pathlib.Path(file).read_text(), "text")
        self.assertUrlEqual("http://a/?x=1&y=2", "http://a/?y=2&x=1")
        with self.subTest("context"):
            self.enter_context(tf.Graph().as_default())

    def test_flags(self):
        self.assertEqual(flags.FLAGS.answer, 42)

if __name__ == "__main__":
    tf.test.main()
"""


def test_programs_have_what_absl_gives_tests(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, str(path), "--answer=42"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "OK (skipped=1)" in done.stderr

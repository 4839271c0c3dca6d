"""The assertions of tf.test.TestCase about plain values and nested structures."""

import collections
import sys

import numpy as np
import pytest

import eagerflow as tf

CASE = tf.test.TestCase()
Point = collections.namedtuple("Point", ["x", "y"])

HOLD = {
    "assertEmpty": ([],),
    "assertNotEmpty": ([1],),
    "assertLen": ([1, 2], 2),
    "assertBetween": (2, 1, 2),
    "assertItemsEqual": ([1, 2, 2], [2, 1, 2]),
    "assertSameElements": ([1, 2, 2], [2, 1]),
    "assertContainsSubset": ([1], [1, 2]),
    "assertNoCommonElements": ([1], [2]),
    "assertContainsSubsequence": ([1, 2, 3], [1, 3]),
    "assertContainsExactSubsequence": ([1, 2, 3], [2, 3]),
    "assertContainsInOrder": (["a", "c"], "abc"),
    "assertTotallyOrdered": ([1], [2, 2], [3]),
    "assertSequenceStartsWith": ([1, 2], [1, 2, 3]),
    "assertSequenceAlmostEqual": ([1.0], [1.0 + 1e-9]),
    "assertDictAlmostEqual": ({"a": 1.0}, {"a": 1.0 + 1e-9}),
    "assertSameStructure": ({"a": [1]}, {"a": [1]}),
    "assertJsonEqual": ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
    "assertStartsWith": ("abc", "ab"),
    "assertNotStartsWith": ("abc", "b"),
    "assertEndsWith": ("abc", "bc"),
    "assertNotEndsWith": ("abc", "b"),
    "assertRegexMatch": ("abc", ["x", "b+"]),
    "assertIsSubclass": (bool, int),
    "assertNotIsSubclass": (int, bool),
    "assertAllClose": (
        {"a": [1.0, (2.0, Point(3.0, [4.0]))]},
        {"a": [1.0, (2.0, Point(3.0, [4.0]))]},
    ),
}
FAIL = {
    "assertEmpty": ([1],),
    "assertNotEmpty": ([],),
    "assertLen": ([1], 2),
    "assertBetween": (3, 1, 2),
    "assertItemsEqual": ([1, 2, 2], [2, 1]),
    "assertSameElements": ([1, 2], [1]),
    "assertContainsSubset": ([3], [1, 2]),
    "assertNoCommonElements": ([1], [1]),
    "assertContainsSubsequence": ([1, 2, 3], [3, 1]),
    "assertContainsExactSubsequence": ([1, 2, 3], [1, 3]),
    "assertContainsInOrder": (["c", "a"], "abc"),
    "assertTotallyOrdered": ([2], [1]),
    "assertSequenceStartsWith": ([2], [1, 2, 3]),
    "assertSequenceAlmostEqual": ([1.0], [1.1]),
    "assertDictAlmostEqual": ({"a": 1.0}, {"b": 1.0}),
    "assertSameStructure": ({"a": [1]}, {"a": [2]}),
    "assertJsonEqual": ('{"a": 1}', '{"a": 2}'),
    "assertStartsWith": ("abc", "b"),
    "assertNotStartsWith": ("abc", "ab"),
    "assertEndsWith": ("abc", "b"),
    "assertNotEndsWith": ("abc", "bc"),
    "assertRegexMatch": ("abc", ["x"]),
    "assertIsSubclass": (int, bool),
    "assertNotIsSubclass": (bool, int),
    "assertAllClose": (
        {"a": [1.0, (2.0, Point(3.0, [4.0]))]},
        {"a": [1.0, (2.0, Point(3.0, [5.0]))]},
    ),
}


@pytest.mark.parametrize("name", HOLD)
def test_what_holds_passes_and_what_does_not_fails(name):
    getattr(CASE, name)(*HOLD[name])
    with pytest.raises(AssertionError):
        getattr(CASE, name)(*FAIL[name])


def test_tolerances_may_be_arrays():
    CASE.assertAllClose([1.0, 10.0], [1.01, 10.5], atol=np.array([0.1, 1.0]), rtol=0)
    with pytest.raises(AssertionError):
        CASE.assertAllClose([1.0, 10.0], [1.5, 10.5], atol=np.array([0.1, 1.0]), rtol=0)


def test_structures_of_other_kinds_differ():
    with pytest.raises(AssertionError):
        CASE.assertAllClose({"a": 1.0}, [1.0])
    with pytest.raises(AssertionError):
        CASE.assertAllClose([tf.ones([2]), tf.ones([1])], [tf.ones([2])])


def test_messages_of_errors():
    with CASE.assertRaisesWithLiteralMatch(ValueError, "exactly"):
        raise ValueError("exactly")
    with pytest.raises(AssertionError), CASE.assertRaisesWithLiteralMatch(ValueError, "exact"):
        raise ValueError("exactly")


def test_threads_fail_the_test():
    thread = CASE.checkedThread(lambda: 1 / 0)
    thread.start()
    with pytest.raises(AssertionError, match="division by zero"):
        thread.join()


def test_written_text_is_captured():
    with CASE.captureWritesToStream(sys.stderr) as printed:
        tf.print("to stderr")
        print("and this", file=sys.stderr)
    assert "to stderr" in printed.contents() and "and this" in printed.contents()


def test_tensors_of_graphs_are_run():
    with tf.Graph().as_default():
        value = tf.compat.v1.random_normal([2]) * 0.0 + 1.0
        CASE.assertAllClose(value, [1.0, 1.0])
        CASE.assertAllClose([[1.0], [1.0]], value[:, tf.newaxis])
        with pytest.raises(AssertionError):
            CASE.assertAllClose([[1.0], [2.0]], value[:, tf.newaxis])
        with CASE.session() as session:
            assert session.run(tf.compat.v1.constant(3)) == 3


def test_lists_of_variables_of_several_shapes():
    values = [tf.Variable(3.0), tf.Variable([[1.0, 2.0]])]
    case = tf.test.TestCase()
    case.assertAllClose(values, [3.0, np.array([[1.0, 2.0]])])
    with pytest.raises(AssertionError):
        case.assertAllClose(values, [3.0, np.array([[1.0, 2.5]])])


def test_structures_of_several_shapes_are_compared_by_their_elements():
    CASE.assertAllEqual(((10, 5), {"b": (10, 20)}), ((10, 5), {"b": (10, 20)}))
    with pytest.raises(AssertionError):
        CASE.assertAllEqual(((10, 5), {"b": (10, 20)}), ((10, 5), {"b": (10, 21)}))


STRUCTURES = {
    "array": (tf.constant([1.0, 2.0]), [1.00001, 2.0]),
    "list": ([tf.constant(1.0), tf.constant([2.0])], [1.00001, [2.0]]),
    "dict": ({"a": tf.constant(1.0)}, {"a": 1.00001}),
    "tuple in a dict": ({"a": (tf.constant(1.0), 2.0)}, {"a": (1.00001, 2.0)}),
    "ragged": (tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.00001], [2.0, 3.0]]),
    "list of ragged": ([tf.ragged.constant([[1.0], []])], [tf.ragged.constant([[1.00001], []])]),
}


@pytest.mark.parametrize("kind", STRUCTURES)
def test_a_case_may_override_how_close_values_are(kind):
    class Rough(tf.test.TestCase):
        def assertAllClose(self, x, y):
            super().assertAllClose(x, y, atol=1e-4)

    Rough().assertAllClose(*STRUCTURES[kind])
    with pytest.raises(AssertionError):
        CASE.assertAllClose(*STRUCTURES[kind])


@pytest.mark.parametrize("nested", [[[1.0, 2.0]], ([1.0, 2.0],)])
def test_lists_of_lists_are_compared_with_variables(nested):
    case, variable = tf.test.TestCase(), tf.Variable([[1.0, 2.0]])
    case.assertAllClose(nested, variable)
    case.assertAllClose(variable, nested)
    case.assertNotAllClose([[1.0, 3.0]], variable)
    with pytest.raises(AssertionError):
        case.assertAllClose([[1.0, 2.0]], tf.Variable(1.0))

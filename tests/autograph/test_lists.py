"""Lists of traced functions, to which loops and branches append, and elements that are assigned."""

import pytest

import eagerflow as tf
from eagerflow.functions.function import function

# TensorArrays are loop variables where graphs have lists of tensors.

LISTS = tf.autograph.experimental.Feature.LISTS


def test_lists_in_loops():
    @function(experimental_autograph_options=LISTS)
    def squares(n):
        found = []
        for i in tf.range(n):
            if i % 2 == 0:
                found.append(i * i)
        return tf.stack(found), len(found)

    values, count = squares(tf.constant(5))
    assert values.numpy().tolist() == [0, 4, 16] and int(count) == 3
    values, count = squares(tf.constant(0))
    assert values.shape == (0,) and int(count) == 0


def test_lists_in_branches():
    @function(experimental_autograph_options=LISTS)
    def chosen(x):
        found, other, python = [], [7], []
        if x > 0:
            other.append(8)
        else:
            found.append(x)
        python.append(x)
        return tf.stack(found), tf.stack(other), len(python)

    found, other, count = chosen(tf.constant(1))
    assert found.shape == (0,) and other.numpy().tolist() == [7, 8] and int(count) == 1
    found, other, count = chosen(tf.constant(-1))
    assert found.numpy().tolist() == [-1] and other.numpy().tolist() == [7]


def test_lists_that_have_elements():
    @function(experimental_autograph_options=LISTS)
    def fibonacci(n):
        found = [1, 1]
        python = [5, 6]
        python.append(7)
        k = 2
        while k < n:
            found.append(found[k - 1] + found[k - 2])
            k += 1
        total = 0
        for value in found:
            total += value
        return tf.stack(found), total, python.pop(), len(python)

    values, total, last, size = fibonacci(tf.constant(7))
    assert values.numpy().tolist() == [1, 1, 2, 3, 5, 8, 13]
    assert (int(total), int(last), int(size)) == (33, 7, 2)


def test_elements_of_lists_and_tensors_are_assigned():
    @function(experimental_autograph_options=LISTS)
    def changed(x, i):
        x[i] = 10
        x[0] += 5
        items = [1, 2]
        items[1] = 3
        items[0] -= 4
        return x, items

    x, items = changed(tf.constant([1, 2, 3]), tf.constant(1))
    assert x.numpy().tolist() == [6, 10, 3] and [int(item) for item in items] == [-3, 3]


def test_lists_of_loops_do_not_shrink():
    @function(experimental_autograph_options=LISTS)
    def shrunk(n):
        found = [1, 2, 3]
        while n > 0:
            found.append(n)
            n -= 1
            n -= found.pop()
        return tf.stack(found)

    with pytest.raises(NotImplementedError, match=r"pop\(\) of a list in a loop"):
        shrunk(tf.constant(3))

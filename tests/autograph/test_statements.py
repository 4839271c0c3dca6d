"""What traced functions do beyond TensorFlow, whose answers tests/oracle/cases/autograph.py asks for."""

import gc
import weakref

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function


def test_conditional_expressions_inside_others():
    @function
    def grade(x):
        return 1 if x > 0 else 2 if x < -5 else (3 if x == 0 else 4)

    assert [int(grade(tf.constant(x))) for x in (1, -9, 0, -1)] == [1, 2, 3, 4]


def test_super_inside_branches():
    class Base:
        def step(self, x):
            return x + 1

    class Derived(Base):
        @function
        def step(self, x):
            if x > 0:
                return super().step(x) * 2
            return super().step(x)

    thing = Derived()
    assert int(thing.step(tf.constant(4))) == 10 and int(thing.step(tf.constant(-4))) == -3


def test_private_attributes_are_loop_variables():
    class Counter:
        def __init__(self):
            self.__total = tf.constant(0)

        def count(self, n):
            for i in tf.range(n):
                self.__total += i
            return self.__total

    assert int(function(lambda n: Counter().count(n))(tf.constant(4))) == 6


def test_ranges_are_not_made():
    @function
    def count(n):
        total = 0
        for i in tf.range(n):
            total += i
        return total

    assert int(count(tf.constant(10**5))) == sum(range(10**5)) % 2**32
    kept = count.get_concrete_function(tf.TensorSpec([], tf.int32))
    assert int(kept(tf.constant(4))) == 6


@pytest.mark.parametrize("step", [2, -2])
def test_ranges_whose_step_is_a_tensor(step):
    @function
    def numbers(start, limit, step):
        seen = 0
        for i in tf.range(start, limit, step):
            seen = seen * 10 + i
        return seen

    start, limit = (1, 8) if step > 0 else (8, 1)
    expected = int("".join(map(str, range(start, limit, step))))
    assert int(numbers(*map(tf.constant, (start, limit, step)))) == expected


def test_exceptions_keep_their_type():
    def divided(n):
        return n / 0

    @function
    def branch(x):
        if x > 0:
            return divided(3)
        return 0.0

    with pytest.raises(ZeroDivisionError) as caught:
        branch(tf.constant(1))
    message = str(caught.value)
    assert message.startswith("in user code:") and "in branch  *" in message
    assert "return n / 0" in message and message.count("ZeroDivisionError") == 1


def test_a_failed_trace_can_be_handled():
    @function
    def tried(x):
        y = 1
        try:
            if x > 0:
                y = 2.0
        except TypeError as error:
            return str(error)
        return y

    assert b"dtype float32" in tried(tf.constant(1)).numpy()


def test_closures_over_arrays_and_numbers():
    weights = np.arange(3)
    limit = 2

    @function
    def dot(x):
        total = 0
        for k in range(len(weights)):
            if x[k] > limit:
                total += x[k] * weights[k]
        return total

    assert int(dot(tf.constant([5, 1, 4]))) == 8


def test_objects_of_loops_go():
    class Thing:
        pass

    def traced():
        thing = Thing()
        thing.x = tf.constant(0)

        @function
        def add(n):
            for i in tf.range(n):
                thing.x = thing.x + i
            return thing.x

        assert int(add(tf.constant(4))) == 6
        return weakref.ref(thing)

    reference = traced()
    gc.collect()
    assert reference() is None


def test_methods_of_layers_are_converted():
    class Model(tf.keras.Model):
        def call(self, x, training=False):
            if tf.reduce_sum(x) > 0:
                return x * 2
            return -x if training else x

    model = Model()
    traced = function(lambda x: model(x))
    plain = function(lambda x: model(x), autograph=False)
    for sign in (1.0, -1.0):  # the second call of a layer takes a shorter way
        assert model(tf.fill([2], sign)).numpy()[0] == max(2 * sign, sign)
        assert traced(tf.fill([2], sign)).numpy()[0] == max(2 * sign, sign)
        assert traced(tf.fill([3], sign)).numpy()[0] == max(2 * sign, sign)
    with pytest.raises(TypeError, match="Python `bool`"):
        plain(tf.ones([2]))


def test_conditions_of_one_element_are_scalars():
    @function
    def ended(tokens):
        count = 0
        while tokens > 0:
            tokens -= 1
            count += 1
            if tokens == 2:
                break
        return count if tokens > 1 else -count

    for spec in ([1], [1, None], [None, None], None):
        concrete = ended.get_concrete_function(tf.TensorSpec(spec, tf.int32))
        value = tf.reshape(tf.constant(5), [1] * len(spec or [1]))
        assert int(concrete(value)) == 3 and int(concrete(value - 3)) == -2
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant([1, 2]))


def test_parameters_of_functions_inside_are_not_variables_around_them():
    def positional(n):
        def run(flag):
            if flag:
                more = n + 1

                def inner(n):
                    n = n * 2
                    return n

                return inner(more) + (lambda n: n)(n)
            return n

        return run

    def collected(*items, **options):
        def run(flag):
            if flag:
                count = len(items) + len(options)

                def inner(*items, scale=2, **options):
                    items = items[:1]
                    return items[0] * scale + options["shift"]

                return inner(count, 7, shift=1)
            return 0

        return run

    def looped(k):
        def run(flag):
            total = 0
            for i in range(3):
                total = total + k
                total = total + (lambda k, by=k: k * by)(i)
            return total

        return run

    for make in (positional(3), collected(1, 2, a=3), looped(4)):
        for flag in (True, False):
            assert int(tf.function(lambda: make(flag))()) == make(flag)  # noqa: B023
    assert int(tf.function(positional(3))(tf.constant(True))) == 11

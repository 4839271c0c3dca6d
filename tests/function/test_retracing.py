"""Which calls share a trace: TensorFlow's tracing counts for sequences of arguments."""

import collections
import dataclasses
import enum
import gc
import logging
import threading
import weakref

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function


def counts(*arguments, **options):
    """The tracing count after a call with each of the arguments."""

    @function(**options)
    def f(x):
        return tf.constant(0)

    found = []
    for argument in arguments:
        f(argument)
        found.append(f.experimental_get_tracing_count())
    return found


class Plain:
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass(frozen=True)
class Size:
    width: int


Point = collections.namedtuple("Point", "x y")
OBJECT, OTHER = Plain(), Plain()
FIRST, SECOND = tf.Variable(1.0), tf.Variable(2.0)
SIZES = Size(1), Size(1), Size(2)
RANGE = tf.data.Dataset.range(3)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((1, 2, 1, True, 1.0, np.int32(1), np.int64(1), tf.constant(1)), [1, 2, 2, 2, 2, 3, 4, 4]),
        ((1.0, 2.0, float("nan"), float("nan"), 0.0, -0.0), [1, 2, 3, 3, 4, 4]),
        (("a", b"a", "a", "b"), [1, 2, 2, 3]),
        ((None, None, 0), [1, 1, 2]),
        ((OBJECT, OBJECT, OTHER), [1, 1, 2]),
        ((len, len, max), [1, 1, 2]),
        ((FIRST, SECOND, FIRST, tf.Variable([1.0])), [1, 1, 1, 2]),
        (((FIRST, SECOND), (FIRST, FIRST), (SECOND, SECOND), (SECOND, FIRST)), [1, 2, 2, 2]),
        (([1], [1], (1,), [1, 2], [], (), {}), [1, 1, 2, 3, 4, 5, 6]),
        (([tf.constant(1)], [tf.constant(2)]), [1, 1]),
        (({"a": 1}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}), [1, 2, 3, 3]),
        (({"a": 1}, collections.OrderedDict(a=1)), [1, 1]),
        ((Point(1, 2), Point(1, 2), (1, 2)), [1, 1, 2]),
        ((np.array([1]), np.array([2]), tf.constant([1], tf.int64)), [1, 1, 1]),
        ((tf.ones([1]), tf.ones([2]), tf.ones([1]), tf.ones([1], tf.int32)), [1, 2, 2, 3]),
        ((tf.float32, tf.float32, tf.int32, 1), [1, 1, 2, 3]),
        ((tf.TensorShape([1]), tf.TensorShape([1]), tf.TensorShape([2])), [1, 1, 2]),
        ((range(3), range(3), range(4)), [1, 1, 2]),
        ((Color.RED, Color.RED, Color.BLUE), [1, 1, 2]),
        (SIZES, [1, 1, 2]),
        ((RANGE, tf.data.Dataset.range(4), tf.data.Dataset.from_tensors(1.0)), [1, 1, 2]),
        ((iter(RANGE), iter(RANGE)), [1, 1]),
        (
            (
                tf.ragged.constant([[1]]),
                tf.ragged.constant([[1], [2]]),
                tf.ragged.constant([[1.0]]),
            ),
            [1, 2, 3],
        ),
    ],
)
def test_calls_share_traces_as_in_tensorflow(arguments, expected):
    assert counts(*arguments) == expected


@pytest.mark.parametrize("argument", [{1}, slice(1), {"a": [{2}]}])
def test_values_without_a_hash_are_refused(argument):
    with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
        counts(argument)


def test_weak_references_are_refused():
    with pytest.raises(TypeError, match="weakref input"):
        counts(weakref.ref(OBJECT))


def test_reduced_retracing_keeps_what_shapes_have_in_common():
    shapes = []

    @function(reduce_retracing=True)
    def f(x, y):
        shapes.append((x.shape.as_list() if x.shape.rank is not None else None, y))
        return tf.constant(0)

    for size, y in [(1, 1), (2, 2), (3, 1), (3, 2), (4, 3)]:
        f(tf.ones([size]), y)
    f(tf.ones([4, 1]), 3)
    f(tf.ones([5, 1]), 3)
    assert shapes == [([1], 1), ([2], 2), ([None], 1), ([None], 2), ([4], 3), (None, 3)]


def test_reduced_retracing_looks_into_structures():
    shapes = []

    @function(reduce_retracing=True)
    def f(x):
        shapes.append([x["a"].shape.as_list(), x["b"][0].shape.as_list()])
        return tf.constant(0)

    for a, b in [([1, 2], [3]), ([1, 3], [3]), ([2, 3], [4]), ([5, 6], [7])]:
        f({"a": tf.ones(a), "b": [tf.ones(b)]})
    assert shapes == [[[1, 2], [3]], [[1, None], [3]], [[None, None], [None]]]


def test_a_more_general_trace_serves_calls_of_its_kind():
    shapes = []

    @function
    def f(x):
        shapes.append(str(x.shape))
        return x

    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    f(tf.ones([2]))
    f(tf.ones([3]))
    assert shapes == ["(None,)"]
    f(tf.ones([3, 1]))
    f.get_concrete_function(tf.TensorSpec(None, tf.float32))
    f(tf.ones([3, 2]))
    f(tf.ones([5]))
    assert shapes == ["(None,)", "(3, 1)", "<unknown>"]


def test_an_exact_trace_goes_before_a_more_general_one():
    @function
    def f(x):
        return x

    f(tf.ones([2]))
    exact = f.get_concrete_function(tf.ones([2]))
    f.get_concrete_function(tf.TensorSpec([None]))
    assert f.get_concrete_function(tf.TensorSpec([2])) is exact
    assert f.experimental_get_tracing_count() == 2


def test_objects_are_not_kept_alive():
    traces = []

    @function
    def f(owner, x):
        traces.append(1)
        return x

    owner = Plain()
    f(owner, tf.constant(1))
    f(owner, tf.constant(2))
    alive = weakref.ref(owner)
    del owner
    gc.collect()
    assert alive() is None
    f(Plain(), tf.constant(1))
    assert len(traces) == 2


def test_threads_trace_once():
    traces = []

    @function
    def f(x):
        traces.append(1)
        return x + 1

    threads = [threading.Thread(target=f, args=(tf.constant(1.0),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(traces) == 1


def test_a_function_may_call_itself_with_other_python_values():
    @function
    def factorial(n):
        return tf.constant(1) if n == 0 else n * factorial(n - 1)

    assert int(factorial(4)) == 24
    assert factorial.experimental_get_tracing_count() == 5


def test_frequent_traces_are_warned_of_twice(caplog):
    @function(autograph=False)
    def f(x):
        return tf.constant(0)

    with caplog.at_level(logging.WARNING):
        for k in range(12):
            f(k)
    messages = [record.getMessage() for record in caplog.records]
    assert [text.split(" calls")[0] for text in messages] == [
        "5 out of the last 5",
        "6 out of the last 6",
    ]
    assert "triggered tf.function retracing" in messages[0]


def test_functions_made_in_a_loop_are_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            function(lambda x: x, autograph=False)(tf.constant(1))
    assert len(caplog.records) == 1


def test_rare_traces_are_not_warned_of(caplog):
    @function(autograph=False)
    def f(x):
        return tf.constant(0)

    with caplog.at_level(logging.WARNING):
        for k in range(8):
            for _ in range(20):
                f(tf.ones([k]))
    assert not caplog.records


def test_running_eagerly_runs_python():
    traces = []

    @function
    def f(x):
        traces.append(tf.executing_eagerly())
        return 1, x

    f(tf.constant(1))
    tf.config.run_functions_eagerly(True)
    try:
        assert f(2) == (1, 2)
        f(tf.constant(1))
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1))
    assert traces == [False, True, True]


def test_types_of_a_program_decide_themselves():
    class Unit(tf.types.experimental.TraceType):
        def __init__(self, name):
            self.name = name

        def is_subtype_of(self, other):
            return isinstance(other, Unit) and other.name in (self.name, "any")

        def most_specific_common_supertype(self, others):
            return Unit("any")

        def placeholder_value(self, placeholder_context):
            return Length(self.name)

        def __eq__(self, other):
            return isinstance(other, Unit) and self.name == other.name

        def __hash__(self):
            return hash(self.name)

    class Length:
        def __init__(self, unit):
            self.unit = unit

        def __tf_tracing_type__(self, context):
            return Unit(self.unit)

    seen = []

    @function(reduce_retracing=True)
    def f(x):
        seen.append(x.unit)
        return tf.constant(0)

    for unit in ("m", "m", "s", "kg", "m"):
        f(Length(unit))
    assert seen == ["m", "any"]
    assert isinstance(Length("m"), tf.types.experimental.SupportsTracingProtocol)

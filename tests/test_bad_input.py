"""Mistakes of programs: each raises TensorFlow's type of exception with a clear message."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

# Short names of exceptions; those of tf.errors have their TensorFlow names.
ERRORS = {
    "value": lambda tf: ValueError,
    "type": lambda tf: TypeError,
    "invalid": lambda tf: tf.errors.InvalidArgumentError,
    "exhausted": lambda tf: tf.errors.ResourceExhaustedError,
    "runtime": lambda tf: RuntimeError,
    "attribute": lambda tf: AttributeError,
    "index": lambda tf: IndexError,
    "not found": lambda tf: tf.errors.NotFoundError,
    "unimplemented": lambda tf: tf.errors.UnimplementedError,
    "overflow": lambda tf: OverflowError,
}


def ones(tf: Any, *shape: int) -> Any:
    return tf.ones(shape)


# name: (the mistake, the kind of error, what the message names)
SHAPES: dict[str, tuple] = {
    "add": (lambda tf: ones(tf, 2, 3) + ones(tf, 4, 5), "invalid", ["Add", "[2,3]", "[4,5]"]),
    "multiply": (
        lambda tf: tf.multiply(ones(tf, 2), ones(tf, 3)),
        "invalid",
        ["Mul", "[2]", "[3]"],
    ),
    "subtract from a list": (
        lambda tf: [1.0, 2.0] - ones(tf, 3),
        "invalid",
        ["Sub", "[2]", "[3]"],
    ),
    "divide": (lambda tf: ones(tf, 2) / ones(tf, 3), "invalid", ["Div", "[2]", "[3]"]),
    "power": (lambda tf: ones(tf, 2) ** ones(tf, 3), "invalid", ["Pow", "[2]", "[3]"]),
    "less": (lambda tf: ones(tf, 2) < ones(tf, 3), "invalid", ["Less", "[2]", "[3]"]),
    "maximum": (
        lambda tf: tf.maximum(ones(tf, 4, 2), ones(tf, 3)),
        "invalid",
        ["Maximum", "[4,2]", "[3]"],
    ),
    "where": (
        lambda tf: tf.where([True, False], ones(tf, 3), ones(tf, 4)),
        "invalid",
        ["Select", "[2]", "[3]", "[4]"],
    ),
    "matmul": (
        lambda tf: tf.matmul(ones(tf, 2, 3), ones(tf, 2, 3)),
        "invalid",
        ["MatMul", "[2,3]"],
    ),
    "matmul of vectors": (lambda tf: ones(tf, 3) @ ones(tf, 3), "invalid", ["MatMul"]),
    "matmul of batches": (
        lambda tf: tf.matmul(ones(tf, 2, 3, 4), ones(tf, 5, 4, 3)),
        "invalid",
        ["MatMul", "[2,3,4]", "[5,4,3]"],
    ),
    "concat": (
        lambda tf: tf.concat([ones(tf, 2, 3), ones(tf, 4, 5)], 0),
        "invalid",
        ["Concat", "[2,3]", "[4,5]"],
    ),
    "stack": (
        lambda tf: tf.stack([ones(tf, 2), ones(tf, 3)]),
        "invalid",
        ["Pack", "[2]", "[3]"],
    ),
    "add_n": (lambda tf: tf.add_n([ones(tf, 2), ones(tf, 3)]), "invalid", ["AddN"]),
    "reshape": (lambda tf: tf.reshape(ones(tf, 6), [4, 2]), "invalid", ["Reshape", "6", "8"]),
    "reshape indivisible": (
        lambda tf: tf.reshape(ones(tf, 6), [-1, 4]),
        "invalid",
        ["Reshape", "6", "4"],
    ),
    "broadcast_to": (
        lambda tf: tf.broadcast_to(ones(tf, 3), [2, 4]),
        "invalid",
        ["BroadcastTo", "[3]", "[2,4]"],
    ),
    "squeeze": (
        lambda tf: tf.squeeze(ones(tf, 2, 3), 0),
        "invalid",
        ["Squeeze", "2"],
    ),
    "split": (lambda tf: tf.split(ones(tf, 5), 2), "invalid", ["Split", "5", "2"]),
    "split sizes": (
        lambda tf: tf.split(ones(tf, 5), [2, 2]),
        "invalid",
        ["SplitV", "5", "4"],
    ),
    "tile": (lambda tf: tf.tile(ones(tf, 2, 3), [2]), "invalid", ["Tile"]),
    "pad": (lambda tf: tf.pad(ones(tf, 2), [[1, 1], [1, 1]]), "invalid", ["Pad"]),
    "slice": (lambda tf: tf.slice(ones(tf, 3), [1], [3]), "invalid", ["Slice", "3"]),
    "gather batches": (
        lambda tf: tf.gather(ones(tf, 2, 3), [[0]], batch_dims=1),
        "invalid",
        ["Gather"],
    ),
    "conv2d channels": (
        lambda tf: tf.nn.conv2d(ones(tf, 1, 5, 5, 3), ones(tf, 2, 2, 4, 8), 1, "SAME"),
        "invalid",
        ["Conv2D", "3", "4"],
    ),
    "conv2d rank": (
        lambda tf: tf.nn.conv2d(ones(tf, 5, 5, 3), ones(tf, 2, 2, 3, 8), 1, "SAME"),
        "invalid",
        ["Conv2D", "[5,5,3]"],
    ),
    "bias_add": (
        lambda tf: tf.nn.bias_add(ones(tf, 2, 3), ones(tf, 4)),
        "invalid",
        ["BiasAdd", "[4]"],
    ),
    "cross entropy": (
        lambda tf: tf.nn.softmax_cross_entropy_with_logits(ones(tf, 2, 3), ones(tf, 2, 4)),
        "invalid",
        ["[2,3]", "[2,4]"],
    ),
    "one-hot labels": (
        lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits([5], ones(tf, 1, 3)),
        "invalid",
        ["5"],
    ),
    "segment ids": (
        lambda tf: tf.math.unsorted_segment_sum(ones(tf, 3), [0, 1], 2),
        "invalid",
        ["[3]", "[2]"],
    ),
    "einsum": (
        lambda tf: tf.einsum("ij,jk->ik", ones(tf, 2, 3), ones(tf, 2, 3)),
        "invalid",
        ["Einsum"],
    ),
    "ragged lists": (lambda tf: tf.constant([[1, 2], [3]]), "value", ["1", "2"]),
    "constant's shape": (
        lambda tf: tf.constant([1, 2, 3], shape=[2, 2]),
        "type",
        ["3", "4"],
    ),
    "confusion matrix": (
        lambda tf: tf.math.confusion_matrix([0, 1, 1], [0, 1]),
        "invalid",
        ["[3]", "[2]"],
    ),
    "weights of a confusion matrix": (
        lambda tf: tf.math.confusion_matrix([0, 1], [0, 1], weights=[1, 2, 3]),
        "value",
        ["(2,)", "(3,)"],
    ),
    "cholesky": (lambda tf: tf.linalg.cholesky(ones(tf, 2, 3)), "invalid", ["2", "3"]),
    "solve": (
        lambda tf: tf.linalg.solve(tf.eye(2), ones(tf, 3, 1)),
        "invalid",
        ["2", "3"],
    ),
}

DTYPES: dict[str, tuple] = {
    "add": (
        lambda tf: tf.constant(1) + tf.constant(1.0),
        "invalid",
        ["Add", "int32", "float"],
    ),
    "add a float to integers": (lambda tf: tf.constant(1) * 1.5, "type", ["1.5", "int32"]),
    "add a string": (lambda tf: tf.constant(1) - "a", "type", ["a", "int32"]),
    "matmul": (
        lambda tf: tf.matmul(ones(tf, 2, 2), tf.ones([2, 2], tf.float64)),
        "invalid",
        ["MatMul", "float", "double"],
    ),
    "concat": (
        lambda tf: tf.concat([tf.constant([1]), tf.constant([1.0])], 0),
        "invalid",
        ["Concat", "int32", "float"],
    ),
    "where": (
        lambda tf: tf.where(True, tf.constant(1), tf.constant(1.0)),
        "invalid",
        ["Select", "int32", "float"],
    ),
    "gather by floats": (
        lambda tf: tf.gather(ones(tf, 3), tf.constant([1.0])),
        "invalid",
        ["Gather", "float"],
    ),
    "exp of integers": (lambda tf: tf.exp(tf.constant(1)), "invalid", ["Exp", "int32"]),
    "logical_and of numbers": (
        lambda tf: tf.logical_and(tf.constant(1), tf.constant(1)),
        "invalid",
        ["LogicalAnd", "int32"],
    ),
    "sum of strings": (lambda tf: tf.reduce_sum(tf.constant("a")), "invalid", ["Sum", "string"]),
    "relu of strings": (lambda tf: tf.nn.relu(tf.constant("a")), "invalid", ["Relu", "string"]),
    "conv2d of integers": (
        lambda tf: tf.nn.conv2d(
            tf.ones([1, 2, 2, 1], tf.int64), tf.ones([1, 1, 1, 1], tf.int64), 1, "SAME"
        ),
        "invalid",
        ["Conv2D", "int64"],
    ),
    "cast from a word": (lambda tf: tf.cast("a", tf.float32), "unimplemented", ["string"]),
    "unknown dtype": (lambda tf: tf.cast(1, "float33"), "type", ["float33"]),
    "assign": (
        lambda tf: tf.Variable(1.0).assign(tf.constant(1)),
        "value",
        ["float32", "int32"],
    ),
    "constant": (lambda tf: tf.constant("a", tf.float32), "type", ["a", "float"]),
    "None": (lambda tf: tf.constant([None, 1]), "value", ["None"]),
    "convert": (
        lambda tf: tf.convert_to_tensor(tf.constant(1), tf.float32),
        "value",
        ["int32", "float32"],
    ),
    "bitcast": (
        lambda tf: tf.bitcast(tf.constant([1, 2, 3], tf.int8), tf.int32),
        "invalid",
        ["3", "4"],
    ),
}

AXES: dict[str, tuple] = {
    "reduce_sum": (lambda tf: tf.reduce_sum(ones(tf, 2, 3), 2), "invalid", ["Sum", "2"]),
    "reduce_max": (lambda tf: tf.reduce_max(ones(tf, 2, 3), -3), "invalid", ["Max", "-3"]),
    "reduce twice": (lambda tf: tf.reduce_sum(ones(tf, 2, 3), [0, 0]), "invalid", ["Sum", "0"]),
    "argmax": (lambda tf: tf.argmax(ones(tf, 2), 1), "invalid", ["ArgMax", "1"]),
    "concat": (lambda tf: tf.concat([ones(tf, 2)] * 2, 1), "invalid", ["Concat", "1"]),
    "stack": (lambda tf: tf.stack([ones(tf, 2)] * 2, 3), "value", ["3"]),
    "unstack": (lambda tf: tf.unstack(ones(tf, 2), axis=1), "value", ["1"]),
    "expand_dims": (lambda tf: tf.expand_dims(ones(tf, 2), 3), "invalid", ["ExpandDims", "3"]),
    "squeeze": (lambda tf: tf.squeeze(ones(tf, 1), 1), "invalid", ["Squeeze", "1"]),
    "transpose": (lambda tf: tf.transpose(ones(tf, 2, 3), [0, 2]), "invalid", ["Transpose", "2"]),
    "transpose twice": (lambda tf: tf.transpose(ones(tf, 2, 3), [0, 0]), "invalid", ["Transpose"]),
    "reverse": (lambda tf: tf.reverse(ones(tf, 2), [1]), "invalid", ["Reverse", "1"]),
    "cumsum": (lambda tf: tf.cumsum(ones(tf, 2), 1), "invalid", ["Cumsum", "1"]),
    "softmax": (lambda tf: tf.nn.softmax(ones(tf, 2), 2), "invalid", ["2"]),
    "split": (lambda tf: tf.split(ones(tf, 2), 2, axis=1), "invalid", ["Split", "1"]),
    "gather": (lambda tf: tf.gather(ones(tf, 2), [0], axis=1), "invalid", ["Gather", "1"]),
    "one_hot": (lambda tf: tf.one_hot([1], 2, axis=3), "invalid", ["OneHot", "3"]),
    "bincount": (lambda tf: tf.math.bincount([1], axis=2), "value", ["2"]),
}

SIZES: dict[str, tuple] = {
    "zeros": (lambda tf: tf.zeros([-1, 2]), "invalid", ["-1"]),
    "fill": (lambda tf: tf.fill([2, -3], 1.0), "invalid", ["Fill", "-3"]),
    "reshape": (lambda tf: tf.reshape(ones(tf, 6), [-2, -3]), "invalid", ["Reshape", "-2"]),
    "normal": (lambda tf: tf.random.normal([-1]), "invalid", ["-1"]),
    "eye": (lambda tf: tf.eye(-1), "invalid", ["-1"]),
    "overflow": (lambda tf: tf.zeros([2**31, 2**31, 2**31]), "invalid", [str(2**31)]),
    "fill overflow": (lambda tf: tf.fill([2**62, 4], 1.0), "invalid", [str(2**62)]),
    "broadcast overflow": (
        lambda tf: tf.broadcast_to(tf.constant(1.0), [2**40, 2**40]),
        "invalid",
        [str(2**40)],
    ),
    "beyond int64": (lambda tf: tf.zeros([2**70]), "value", ["range"]),
    "integer beyond int64": (lambda tf: tf.constant(2**64), "value", []),
    "tile": (lambda tf: tf.tile([1], [-1]), "invalid", ["-1"]),
    "top_k": (lambda tf: tf.math.top_k(ones(tf, 3), 4), "invalid", ["TopK", "3", "4"]),
    "negative top_k": (lambda tf: tf.math.top_k(ones(tf, 3), -1), "invalid", ["TopK", "-1"]),
    "one_hot": (lambda tf: tf.one_hot([1], -1), "invalid", ["-1"]),
    "slice": (lambda tf: tf.slice(ones(tf, 3), [-1], [1]), "invalid", ["Slice", "-1"]),
    "pad": (lambda tf: tf.pad(ones(tf, 3), [[-1, 0]]), "invalid", ["-1"]),
    "reflect": (lambda tf: tf.pad(ones(tf, 2), [[2, 0]], "REFLECT"), "invalid", ["2"]),
    "range": (lambda tf: tf.range(0, 5, -1), "invalid", ["Range", "0", "5"]),
    "range of no step": (lambda tf: tf.range(0, 5, 0), "invalid", ["Range", "0"]),
    "linspace": (lambda tf: tf.linspace(0.0, 1.0, -1), "invalid", ["-1"]),
    "pool": (lambda tf: tf.nn.max_pool2d(ones(tf, 1, 2, 2, 1), 0, 1, "SAME"), "invalid", ["0"]),
    "strides": (
        lambda tf: tf.nn.conv2d(ones(tf, 1, 2, 2, 1), ones(tf, 1, 1, 1, 1), 0, "SAME"),
        "invalid",
        ["0"],
    ),
    "band": (
        lambda tf: tf.linalg.band_part(ones(tf, 2, 3), 3, 0),
        "invalid",
        ["MatrixBandPart", "2", "3"],
    ),
    "segments": (
        lambda tf: tf.math.unsorted_segment_sum(ones(tf, 3), [0, 1, 1], -1),
        "invalid",
        ["-1"],
    ),
}

VALUES: dict[str, tuple] = {
    "gather": (lambda tf: tf.gather(ones(tf, 3), [1, 3]), "invalid", ["Gather", "3", "[0, 3)"]),
    "gather below": (lambda tf: tf.gather(ones(tf, 3), -1), "invalid", ["Gather", "-1", "[0, 3)"]),
    "gather_nd": (lambda tf: tf.gather_nd(ones(tf, 2, 2), [[0, 2]]), "invalid", ["Gather", "2"]),
    "scatter_nd": (
        lambda tf: tf.scatter_nd([[3]], [1.0], [3]),
        "invalid",
        ["Scatter", "3"],
    ),
    "scatter update": (
        lambda tf: tf.tensor_scatter_nd_update(ones(tf, 3), [[-4]], [1.0]),
        "invalid",
        ["Scatter", "-4"],
    ),
    "index": (lambda tf: ones(tf, 3)[3], "invalid", ["StridedSlice", "3"]),
    "index below": (lambda tf: ones(tf, 3)[-4], "invalid", ["StridedSlice", "-4"]),
    "too many indices": (lambda tf: ones(tf, 3)[0, 0], "invalid", ["StridedSlice"]),
    "index by a float": (lambda tf: ones(tf, 3)[1.0], "type", ["1.0"]),
    "index by NaN": (lambda tf: ones(tf, 3)[float("nan")], "type", ["nan"]),
    "index by a word": (lambda tf: ones(tf, 3)["a"], "type", ["a"]),
    "NaN as an index": (
        lambda tf: tf.gather(ones(tf, 3), [float("nan")]),
        "invalid",
        ["Gather", "float"],
    ),
    "NaN as an integer": (lambda tf: tf.constant(float("nan"), tf.int32), "type", ["nan", "int32"]),
    "slice of no step": (lambda tf: ones(tf, 3)[::0], "invalid", ["StridedSlice"]),
    "divide by zero": (
        lambda tf: tf.constant([1, 2]) // tf.constant([1, 0]),
        "invalid",
        ["FloorDiv", "zero"],
    ),
    "remainder by zero": (lambda tf: tf.constant(1) % 0, "invalid", ["FloorMod", "zero"]),
    "integer power": (lambda tf: tf.pow(tf.constant(2), -1), "invalid", ["Pow"]),
    "truth of many": (lambda tf: bool(ones(tf, 2)), "value", ["element"]),
    "float of many": (lambda tf: float(ones(tf, 2)), "type", []),
    "iterate a scalar": (lambda tf: list(tf.constant(1)), "type", ["scalar"]),
    "length of a scalar": (lambda tf: len(tf.constant(1)), "type", []),
    "no inverse": (lambda tf: tf.linalg.inv(ones(tf, 2, 2)), "invalid", ["invertible"]),
    "check_numerics": (
        lambda tf: tf.debugging.check_numerics(tf.constant([float("nan")]), "here"),
        "invalid",
        ["here", "NaN"],
    ),
    "assert_equal": (
        lambda tf: tf.debugging.assert_equal(tf.constant(1), tf.constant(2)),
        "invalid",
        ["1", "2"],
    ),
    "permutation": (lambda tf: tf.math.invert_permutation([0, 0]), "invalid", ["0"]),
    "bincount": (lambda tf: tf.math.bincount([-1]), "invalid", ["negative"]),
    "partition": (
        lambda tf: tf.dynamic_partition([1, 2], [0, 2], 2),
        "invalid",
        ["DynamicPartition", "2"],
    ),
    "dropout": (lambda tf: tf.nn.dropout(ones(tf, 2), 1.5), "value", ["1.5"]),
    "padding": (
        lambda tf: tf.nn.conv2d(ones(tf, 1, 2, 2, 1), ones(tf, 1, 1, 1, 1), 1, "FULL"),
        "invalid",
        ["FULL"],
    ),
    "einsum": (lambda tf: tf.einsum("ij,k->ik", ones(tf, 2, 2)), "value", []),
}

VARIABLES: dict[str, tuple] = {
    "assign": (
        lambda tf: tf.Variable([1.0, 2.0]).assign([1.0]),
        "value",
        ["(2,)", "(1,)"],
    ),
    "assign_add": (
        lambda tf: tf.Variable([1.0, 2.0]).assign_add([1.0]),
        "invalid",
        ["AssignAdd", "[2]", "[1]"],
    ),
    "scatter": (
        lambda tf: tf.Variable([1.0, 2.0]).scatter_update(tf.IndexedSlices([1.0], [5])),
        "invalid",
        ["5"],
    ),
    "no value": (lambda tf: tf.Variable(), "value", ["initial_value"]),
    "in place": (lambda tf: tf.Variable(1.0).__iadd__(1.0), "runtime", ["assign_add"]),
    "hash": (lambda tf: hash(tf.Variable(1.0)), "type", ["ref()"]),
}


def _used_up(tf: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


def _gradient(tf: Any, source: Any, **options: Any) -> None:
    with tf.GradientTape() as tape:
        y = tf.constant(1.0)
    tape.gradient(y, source, **options)


def _entered_twice(tf: Any) -> None:
    with tf.GradientTape() as tape, tape:
        pass


TAPES: dict[str, tuple] = {
    "used up": (_used_up, "runtime", ["persistent"]),
    "never entered": (lambda tf: tf.GradientTape().gradient([], []), "runtime", ["with tf"]),
    "never entered, jacobian": (
        lambda tf: tf.GradientTape().jacobian(tf.constant([1.0]), tf.constant(1.0)),
        "runtime",
        ["with tf"],
    ),
    "entered twice": (_entered_twice, "value", ["recording"]),
    "watch a number": (lambda tf: tf.GradientTape().watch(1.0), "value", ["float"]),
    "unknown option": (
        lambda tf: _gradient(tf, tf.constant(1.0), unconnected_gradients="one"),
        "value",
        ["one"],
    ),
}

FAMILIES = {
    "shapes": SHAPES,
    "dtypes": DTYPES,
    "axes": AXES,
    "sizes": SIZES,
    "values": VALUES,
    "variables": VARIABLES,
    "tapes": TAPES,
}
CASES = [
    pytest.param(*case, id=f"{family}-{name}")
    for family, cases in FAMILIES.items()
    for name, case in cases.items()
]


@pytest.mark.parametrize(("mistake", "kind", "pieces"), CASES)
def test_a_mistake_is_named(mistake: Callable, kind: str, pieces: list[str]) -> None:
    with pytest.raises(Exception) as caught:  # its type is compared below
        mistake(tf)
    assert isinstance(caught.value, ERRORS[kind](tf)), repr(caught.value)
    message = str(caught.value)
    missing = [piece for piece in pieces if not re.search(re.escape(piece), message)]
    assert not missing, message


def too_many() -> int:
    """A count of float32 that do not fit into memory: 200 GB, or twice the machine's memory."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(200 * 10**9, 2 * physical) // 4


def in_use() -> int:
    return tf.config.experimental.get_memory_info("CPU:0")["current"]


HUGE: dict[str, Callable] = {
    "zeros": lambda n: tf.zeros([n]),
    "ones": lambda n: tf.ones([n // 2, 2]),
    "fill": lambda n: tf.fill([n], 1.0),
    "normal": lambda n: tf.random.normal([n]),
    "uniform": lambda n: tf.random.stateless_uniform([n], [1, 2]),
    "broadcast_to": lambda n: tf.broadcast_to(tf.constant(1.0), [n]),
    "broadcasting": lambda n: tf.ones([n // 10**5, 1]) + tf.ones([1, 10**5]),
    "matmul": lambda n: tf.ones([n // 10**5, 1]) @ tf.ones([1, 10**5]),
    "tile": lambda n: tf.tile([1.0], [n]),
    "repeat": lambda n: tf.repeat(1.0, n),
    "pad": lambda n: tf.pad([1.0], [[n, 0]]),
    "one_hot": lambda n: tf.one_hot([0], n),
    "eye": lambda n: tf.eye(math.isqrt(n) + 1),
    "range": lambda n: tf.range(0.0, float(n), 1.0),
    "linspace": lambda n: tf.linspace(0.0, 1.0, n),
    "scatter_nd": lambda n: tf.scatter_nd([[0]], [1.0], [n]),
    "segments": lambda n: tf.math.unsorted_segment_sum([1.0], [0], n),
    "sequence_mask": lambda n: tf.sequence_mask([1], 4 * n),
    "strings": lambda n: tf.fill([n], "a"),
    "variable": lambda n: tf.Variable(tf.zeros([n])),
}


@pytest.mark.parametrize("make", HUGE.values(), ids=HUGE)
def test_what_does_not_fit_into_memory(make: Callable) -> None:
    before = in_use()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[\d+"):
        make(too_many())
    assert in_use() <= before


def test_nothing_is_half_changed_when_memory_runs_out() -> None:
    n = too_many()
    v = tf.Variable([1.0, 2.0], shape=[None])
    with tf.GradientTape() as tape:
        y = v * 3.0
        for fails in (
            lambda: v.assign(tf.zeros([n])),
            lambda: v.assign(tf.tile(v, [n])),
            lambda: v.assign_add(v * tf.ones([n, 1])),
            lambda: v[0].assign(tf.reduce_sum(tf.broadcast_to(v, [n, 2]))),
        ):
            with pytest.raises(tf.errors.ResourceExhaustedError):
                fails()
        y = y * y
    np.testing.assert_array_equal(v.numpy(), [1.0, 2.0])
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [18.0, 36.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.strings.length("a", unit=None),
        lambda: tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1]), 1, None),
        lambda: tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([1] * 5), [1] * 5, None),
        lambda: tf.experimental.dlpack.from_dlpack(None),
        lambda: tf.compat.v1.wrap_function(lambda: 1, [], name=3),
        lambda: tf.compat.v1.report_uninitialized_variables([], name=3),
    ],
)
def test_engine_signatures_are_not_shown(call):
    with tf.Graph().as_default(), pytest.raises(TypeError, match="None|got 3"):
        call()

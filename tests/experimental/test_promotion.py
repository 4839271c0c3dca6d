"""Operators of two dtypes by TensorFlow's own rules."""

import subprocess
import sys

import pytest

import eagerflow as tf
from eagerflow.experimental.numpy import promotion

NAMES = "bool u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128".split()
# TensorFlow 2.21's dtype for each pair of these, and with Python's integers, floats and complex numbers; an
# exclamation mark where the mode "safe" refuses the pair.
TABLE = """
bool u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 i32 f32 c128
u8 u8 u16 u32 u64 i16! i16 i32 i64 f16 bf16 f32 f64 c64 c128 u8 f64! c128
u16 u16 u16 u32 u64 i32! i32! i32 i64 f16! bf16! f32 f64 c64 c128 u16 f64! c128
u32 u32 u32 u32 u64 i64! i64! i64! i64 f16! bf16! f32! f64 c64! c128 u32 f64! c128
u64 u64 u64 u64 u64 f64! f64! f64! f64! f16! bf16! f32! f64! c64! c128! u64 f64! c128!
i8 i16! i32! i64! f64! i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 i8 f64! c128
i16 i16 i32! i64! f64! i16 i16 i32 i64 f16! bf16! f32 f64 c64 c128 i16 f64! c128
i32 i32 i32 i64! f64! i32 i32 i32 i64 f16! bf16! f32! f64 c64! c128 i32 f64! c128
i64 i64 i64 i64 f64! i64 i64 i64 i64 f16! bf16! f32! f64! c64! c128! i64 f64! c128!
f16 f16 f16! f16! f16! f16 f16! f16! f16! f16 f32! f32 f64 c64 c128 f16 f16 c64!
bf16 bf16 bf16! bf16! bf16! bf16 bf16! bf16! bf16! f32! bf16 f32 f64 c64 c128 bf16 bf16 c64!
f32 f32 f32 f32! f32! f32 f32 f32! f32! f32 f32 f32 f64 c64 c128 f32 f32 c64!
f64 f64 f64 f64 f64! f64 f64 f64 f64! f64 f64 f64 f64 c128! c128 f64 f64 c128
c64 c64 c64 c64! c64! c64 c64 c64! c64! c64 c64 c64 c128! c64 c128 c64 c64 c64
c128 c128 c128 c128 c128! c128 c128 c128 c128! c128 c128 c128 c128 c128 c128 c128 c128 c128
"""
KINDS = {"u": "uint", "i": "int", "f": "float", "bf": "bfloat", "c": "complex", "bool": "bool"}
WEAK = {"int": 1, "float": 1.5, "complex": 1j}


def dtype(name):
    kind = name.rstrip("0123456789")
    return tf.as_dtype(KINDS[kind] + name[len(kind) :])


def cases():
    operands = [(tf.as_dtype(dtype(name)), False) for name in NAMES]
    operands += [promotion.operand(value) for value in WEAK.values()]
    for left, row in zip(operands, TABLE.split("\n")[1:-1], strict=False):
        for right, cell in zip(operands, row.split(), strict=True):
            yield left, right, cell


@pytest.mark.parametrize("reflected", [False, True])
def test_each_pair(reflected):
    wrong = []
    for left, right, cell in cases():
        pair = (right, left) if reflected else (left, right)
        expected = dtype(cell.rstrip("!"))
        if promotion.result(*pair, safe=False) is not expected:
            wrong.append((left, right, cell))
        try:
            refused = promotion.result(*pair, safe=True) is not expected
        except TypeError:
            refused = True
        if refused != cell.endswith("!"):
            wrong.append((left, right, cell, "safe"))
    assert wrong == []


BOTH = """
import numpy as np
import eagerflow as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
one, short = tf.constant(1, tf.int32), tf.constant(2, tf.int64)
assert (one + short).dtype is tf.int64 and (short - one).dtype is tf.int64
assert (tf.Variable(1) * short).dtype is tf.int64 and (one // short).numpy() == 0
assert (tf.constant(2.0, tf.float16) / 2).dtype is tf.float16
assert (2.5 - tf.constant(1.0, tf.float16)).numpy() == 1.5
assert (tf.constant([1.0]) + [1.0, 2.0]).dtype is tf.float32
assert (one + np.array([1.0, 2.0])).dtype is tf.float64 and (one / one).dtype is tf.float64
assert (tf.constant([[1]]) @ tf.constant([[1]], tf.int64)).dtype is tf.int64
assert tf.constant([3, 4])[[1, 0]].numpy().tolist() == [4, 3]
"""
ALL = """
assert (one + 1.5).dtype is tf.float64 and (2.5 - one).numpy() == 1.5
assert (one * tf.constant(2.0)).dtype is tf.float32 and (one == tf.constant(1.0)).numpy()
"""
SAFE = """
for call in (lambda: one + 1.5, lambda: 1.5 - one, lambda: one * tf.constant(2.0)):
    try:
        call()
    except TypeError as error:
        assert "PromoMode.SAFE" in str(error)
    else:
        raise AssertionError
"""


@pytest.mark.parametrize(("mode", "more"), [("all", ALL), ("safe", SAFE)])
def test_operators(mode, more):
    program = BOTH.replace("MODE", repr(mode)) + more
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr

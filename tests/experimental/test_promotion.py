"""Weak tensors, and dtypes that are promoted by TensorFlow's own rules."""

import subprocess
import sys

import pytest

import eagerflow as tf
import promotion_answers
from eagerflow.experimental.numpy import promotion

NAMES = "bool u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c z i32* i64* f32* f64* z*".split()
# TensorFlow 2.21's dtype for each pair of these, with an asterisk where it is weak, and an exclamation mark
# where the mode "safe" refuses the pair.
TABLE = """
bool u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c z i32* i64* f32* f64* z*
u8 u8 u16 u32 u64 i16! i16 i32 i64 f16 bf16 f32 f64 c z u8 u8 f64*! f64* z*
u16 u16 u16 u32 u64 i32! i32! i32 i64 f16! bf16! f32 f64 c z u16 u16 f64*! f64* z*
u32 u32 u32 u32 u64 i64! i64! i64! i64 f16! bf16! f32! f64 c! z u32 u32 f64*! f64* z*
u64 u64 u64 u64 u64 f64*! f64*! f64*! f64*! f16! bf16! f32! f64! c! z! u64 u64 f64*! f64*! z*!
i8 i16! i32! i64! f64*! i8 i16 i32 i64 f16 bf16 f32 f64 c z i8 i8 f64*! f64* z*
i16 i16 i32! i64! f64*! i16 i16 i32 i64 f16! bf16! f32 f64 c z i16 i16 f64*! f64* z*
i32 i32 i32 i64! f64*! i32 i32 i32 i64 f16! bf16! f32! f64 c! z i32 i32 f64*! f64* z*
i64 i64 i64 i64 f64*! i64 i64 i64 i64 f16! bf16! f32! f64! c! z! i64 i64 f64*! f64*! z*!
f16 f16 f16! f16! f16! f16 f16! f16! f16! f16 f32! f32 f64 c z f16 f16 f16 f16 c!
bf16 bf16 bf16! bf16! bf16! bf16 bf16! bf16! bf16! f32! bf16 f32 f64 c z bf16 bf16 bf16 bf16 c!
f32 f32 f32 f32! f32! f32 f32 f32! f32! f32 f32 f32 f64 c z f32 f32 f32 f32 c!
f64 f64 f64 f64 f64! f64 f64 f64 f64! f64 f64 f64 f64 z! z f64 f64 f64 f64 z
c c c c! c! c c c! c! c c c z! c z c c c c c
z z z z z! z z z z! z z z z z z z z z z z
i32* u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c z i32* i64* f32* f64* z*
i64* u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 c z i64* i64* f32* f64* z*
f32* f64*! f64*! f64*! f64*! f64*! f64*! f64*! f64*! f16 bf16 f32 f64 c z f32* f32* f32* f64* z*
f64* f64* f64* f64* f64*! f64* f64* f64* f64*! f16 bf16 f32 f64 c z f64* f64* f64* f64* z*
z* z* z* z* z*! z* z* z* z*! c! c! c! z c z z* z* z* z* z*
"""
KINDS = {"u": "uint", "i": "int", "f": "float", "bf": "bfloat", "bool": "bool"}
KINDS |= {"c": "complex64", "z": "complex128"}


def operand(name):
    name = name.rstrip("!")
    kind = name.rstrip("0123456789*")
    dtype = KINDS[kind] + name[len(kind) :].rstrip("*")
    return tf.as_dtype(dtype), name.endswith("*")


def cases():
    for left, row in zip(NAMES, TABLE.split("\n")[1:-1], strict=True):
        for right, cell in zip(NAMES, row.split(), strict=True):
            yield operand(left), operand(right), cell


@pytest.mark.parametrize("reflected", [False, True])
def test_each_pair(reflected):
    wrong = []
    for left, right, cell in cases():
        pair = (right, left) if reflected else (left, right)
        if promotion.result(*pair, safe=False) != operand(cell):
            wrong.append((left, right, cell))
        try:
            refused = promotion.result(*pair, safe=True) != operand(cell)
        except TypeError:
            refused = True
        if refused != cell.endswith("!"):
            wrong.append((left, right, cell, "safe"))
    assert wrong == []


def output_of(*arguments):
    run = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_answers(mode):
    printed = output_of(promotion_answers.__file__, "eagerflow", mode).splitlines()
    expected = [f"{text} => {answers[mode]}" for text, answers in promotion_answers.expressions()]
    assert printed == expected


PROGRAM = """
import pickle
import numpy as np
import eagerflow as tf

tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)


def is_weak(tensor):
    return type(tensor).__name__ in ("EagerWeakTensor", "GraphWeakTensor")


weak = tf.constant([1.0, 2.0])
assert repr(weak).endswith("dtype=float32, numpy=array([1., 2.], dtype=float32), weak=True>")
assert str(weak) == "tf.Tensor([1. 2.], shape=(2,), dtype=float32, weak=True)"
assert isinstance(weak, tf.Tensor) and tf.is_tensor(weak) and not is_weak(weak.to_tensor())
assert is_weak(pickle.loads(pickle.dumps(weak)))
assert not is_weak(tf.constant([1.0, 2.0], tf.float32))

# Structures.
assert tf.nest.flatten([weak, {"a": weak}])[1] is weak
assert is_weak(tf.nest.map_structure(lambda x: x * 2, [weak])[0])

# Variables have their dtype for good.
variable = tf.Variable(weak)
variable.assign_add(weak)
assert variable.numpy().tolist() == [2.0, 4.0] and not is_weak(variable + weak)

# Gradients are weak where the source is.
with tf.GradientTape() as tape:
    tape.watch(weak)
    y = tf.reduce_sum(weak * weak)
gradient = tape.gradient(y, weak)
assert gradient.numpy().tolist() == [2.0, 4.0] and is_weak(gradient)

# A function has other traces for weak tensors than for others, and gives weak results back.
seen = []


@tf.function
def twice(x):
    seen.append((type(x).__name__, str(x)))
    return x * 2.0, x


for _ in range(2):
    assert [is_weak(part) for part in twice(weak)] == [True, True]
    assert [is_weak(part) for part in twice(weak.to_tensor())] == [False, False]
assert seen == [
    ("GraphWeakTensor", 'Tensor("x:0", shape=(2,), dtype=float32, weak=True)'),
    ("SymbolicTensor", 'Tensor("x:0", shape=(2,), dtype=float32)'),
]
assert twice(tf.constant(1, tf.float32))[0].dtype == tf.float32
signed = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([2], tf.float32)])
assert not is_weak(signed(weak))

# Choices are weak where all their results are; functions in functions get weak tensors.


@tf.function
def chosen(x, strong):
    y, z = tf.cond(tf.reduce_sum(x) > 0, lambda: (x * 2.0, x), lambda: (x, strong))
    assert is_weak(y) and not is_weak(z)
    return y, tf.map_fn(lambda part: part * tf.constant(2.0, tf.float16), x, tf.float16)


y, mapped = chosen(weak, weak.to_tensor())
assert is_weak(y) and y.numpy().tolist() == [2.0, 4.0]
assert mapped.dtype == tf.float16 and mapped.numpy().tolist() == [2.0, 4.0]

# Layers and pipelines.
dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
assert dense(weak[None]).numpy().tolist() == [[3.0]]
model = tf.keras.Sequential([dense])
model.compile("sgd", "mse")
model.fit(weak[None], tf.constant([[1.0]]), verbose=0)
batches = tf.data.Dataset.from_tensor_slices(weak).map(lambda x: x * 2.0).batch(2)
assert [batch.numpy().tolist() for batch in batches] == [[2.0, 4.0]]
"""


@pytest.mark.parametrize("mode", ["all", "safe"])
def test_weak_tensors_are_tensors(mode):
    output_of("-c", PROGRAM.replace("MODE", repr(mode)))


OFF = """
import eagerflow as tf

tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=MODE)
assert type(tf.constant(1)).__name__ == type(tf.add(1, 2)).__name__ == "EagerTensor"
assert tf.type_spec_from_value(tf.constant(1)) == tf.TensorSpec([], tf.int32)
"""


@pytest.mark.parametrize("mode", ["legacy", "off"])
def test_other_modes_have_no_weak_tensors(mode):
    output_of("-c", OFF.replace("MODE", repr(mode)))


def test_refusals_say_what_to_do():
    with pytest.raises(TypeError, match="explicitly specify the dtype in your op, or relax"):
        promotion.result((tf.int32, False), (tf.float32, True), safe=True)

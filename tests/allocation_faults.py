"""Lets every allocation of a call fail once. `python -m allocation_faults SCENARIO KIND FOLDER` in `tests`.

KIND is `pool`, the engine's allocator, or `new`, C++'s operator, which the library of `failing_new.cpp`
replaces if it is preloaded. A call whose allocation fails raises ResourceExhaustedError or MemoryError, or
returns what it always returns; afterwards the same call works, and what it had saved before is there.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable

import numpy as np

import eagerflow as tf
from eagerflow import _core

Call = Callable[[], Iterable[object]]
ALL = 1 << 60


def values(*tensors: object) -> list[object]:
    return [np.asarray(tensor) for tensor in tensors]


def eager(folder: str) -> Call:
    a, b = tf.random.normal([300, 301], seed=1), tf.random.normal([301, 300], seed=2)
    small, image = tf.range(6.0), tf.random.normal([2, 16, 16, 8], seed=3)
    kernel = tf.random.normal([3, 3, 8, 16], seed=4)

    def call() -> list[object]:
        product = tf.matmul(a, b)
        text = tf.strings.join([tf.strings.as_string(small), "x" * 100])
        return values(
            small + 1,
            product,
            tf.nn.softmax(product) * 2 - tf.reduce_sum(product, axis=0),
            tf.nn.conv2d(image, kernel, 1, "SAME"),
            tf.linalg.inv(product),
            tf.sort(tf.reshape(product, [-1])),
            tf.unique(tf.cast(product, tf.int32)[0])[0],
            tf.concat([a, tf.transpose(b)], 0),
            text,
        )

    return call


def tape(folder: str) -> Call:
    x, w = tf.random.normal([8, 200], seed=1), tf.Variable(tf.random.normal([200, 100], seed=2))
    image, kernel = tf.random.normal([2, 16, 16, 8], seed=3), tf.Variable(tf.ones([3, 3, 8, 16]))

    def call() -> list[object]:
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.nn.elu(x @ w) ** 2)
                z = tf.reduce_sum(tf.nn.conv2d(image, kernel, 1, "SAME") ** 2) + y
            first = inner.gradient(z, [w, kernel])
            total = tf.reduce_sum(first[0] ** 2)
        return values(*first, outer.gradient(total, w), outer.jacobian(y, [x])[0])

    return call


def body(x: tf.Tensor, v: tf.Variable) -> tf.Tensor:
    for _ in tf.range(3):
        if tf.reduce_sum(x) > 0:
            x = x @ v
        else:
            x = tf.nn.relu(x) + 1.0
    return tf.map_fn(lambda row: tf.reduce_max(row) * row, x)


def traced(folder: str) -> Call:
    x, v = tf.random.normal([64, 64], seed=1), tf.Variable(tf.random.normal([64, 64], seed=2))
    function = tf.function(body)
    return lambda: values(function(x, v))


def tracing(folder: str) -> Call:
    x, v = tf.random.normal([64, 64], seed=1), tf.Variable(tf.random.normal([64, 64], seed=2))
    return lambda: values(tf.function(body)(x, v))


def small_model() -> tf.keras.Model:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input((12, 12, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def fit(folder: str) -> Call:
    tf.random.set_seed(1)
    model = small_model()
    x, y = np.random.default_rng(1).normal(size=(64, 12, 12, 1)).astype("f"), np.arange(64) % 10

    def train() -> None:
        model.fit(x, y, batch_size=32, shuffle=False, verbose=0)

    train()
    every = [*model.variables, *model.optimizer.variables]
    start = [v.numpy() for v in every]

    def call() -> list[object]:
        for v, value in zip(every, start, strict=True):
            v.assign(value)
        train()
        return values(*model.get_weights())

    return call


def saves(write: Callable[[int], object], read: Callable[[], int]) -> Call:
    """A call that saves the next number; what is there is the last or, after a failure, the one before."""
    numbers = [0]
    write(0)

    def call() -> list[object]:
        there = read()
        assert there in numbers, (there, numbers)
        numbers[:] = [there, there + 1]
        write(there + 1)
        numbers[:] = [there + 1]
        return []

    return call


def checkpoint(folder: str) -> Call:
    v, w = tf.Variable(tf.zeros([40_000])), tf.Variable(["text"] * 5)
    saved = tf.train.Checkpoint(v=v, w=w)
    prefix = os.path.join(folder, "saved")

    def write(number: int) -> None:
        v.assign(tf.fill([40_000], float(number)))
        saved.write(prefix)

    def read() -> int:
        v.assign(tf.fill([40_000], -1.0))
        saved.read(prefix).assert_consumed()
        found = np.unique(v.numpy())
        assert len(found) == 1
        return int(found[0])

    return saves(write, read)


def restore(folder: str) -> Call:
    saved = tf.train.Checkpoint(v=tf.Variable(tf.range(40_000.0)), w=tf.Variable(["text"] * 5))
    path = saved.save(os.path.join(folder, "restored"))

    def call() -> list[object]:
        v, w = tf.Variable(tf.zeros([40_000])), tf.Variable([""] * 5)
        tf.train.Checkpoint(v=v, w=w).restore(path).assert_consumed()
        return values(v, w)

    return call


class Scaled(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(tf.zeros([40_000]))

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.factor


def saved_model(folder: str) -> Call:
    module, path = Scaled(), os.path.join(folder, "saved_model")

    def write(number: int) -> None:
        module.factor.assign(tf.fill([40_000], float(number)))
        tf.saved_model.save(module, path)

    def read() -> int:
        found = np.unique(tf.saved_model.load(path)(tf.constant(1.0)).numpy())
        assert len(found) == 1
        return int(found[0])

    return saves(write, read)


def load(folder: str) -> Call:
    path = os.path.join(folder, "loaded")
    module = Scaled()
    module.factor.assign(tf.range(40_000.0))
    tf.saved_model.save(module, path)
    return lambda: values(tf.saved_model.load(path)(tf.constant(2.0)))


SCENARIOS = (eager, tape, traced, tracing, fit, checkpoint, restore, saved_model, load)


def equal(a: Iterable[object], b: Iterable[object]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def run(scenario: Callable[[str], Call], arm: Callable[[int], int], folder: str) -> tuple[int, int]:
    """How many allocations failed, and how many of these were reported."""
    call = scenario(folder)
    expected = list(call())
    assert equal(call(), expected)
    number, failed, reported = 1, 0, 0
    while True:
        arm(number)
        try:
            result = call()
        except (tf.errors.ResourceExhaustedError, MemoryError):
            result = None
        if arm(ALL) > 0:
            return failed, reported
        failed += 1
        reported += result is None
        assert result is None or equal(result, expected), number
        assert equal(call(), expected), number
        number += 1 + number // 100  # calls of thousands take too long


def main(name: str, kind: str, folder: str) -> None:
    _core.fail_allocation(ALL)  # before other threads cache blocks
    if kind == "pool":
        arm = _core.fail_allocation
    else:
        arm = ctypes.CDLL(None).fail_new
        arm.argtypes, arm.restype = [ctypes.c_int64], ctypes.c_int64
    scenario = next(one for one in SCENARIOS if one.__name__ == name)
    print(*run(scenario, arm, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])

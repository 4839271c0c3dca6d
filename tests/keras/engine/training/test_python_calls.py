"""How many functions of Python a further batch of `fit` calls: a loop over small batches costs as much."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from python_calls import calls_each

ROWS = 32
X = np.ones([14 * ROWS, 4], np.float32)
Y = np.ones([14 * ROWS, 1], np.float32)


def _slices(count):
    return tf.data.Dataset.from_tensor_slices((X[: count * ROWS], Y[: count * ROWS]))


def _double(x, y):
    return 2 * x, y


DATA = {
    "arrays": lambda count: (X[: count * ROWS], Y[: count * ROWS]),
    "batches": lambda count: (_slices(count).batch(ROWS),),
    "mapped batches": lambda count: (_slices(count).batch(ROWS).map(_double),),
    "mapped elements": lambda count: (_slices(count).map(_double).batch(ROWS),),
    "elements mapped by threads": lambda count: (
        _slices(count).map(_double, num_parallel_calls=tf.data.AUTOTUNE).batch(ROWS),
    ),
    "dictionaries": lambda count: ({"x": X[: count * ROWS]}, Y[: count * ROWS]),
}


def _calls_of_batch(data, run_eagerly):
    inputs = tf.keras.Input([4], name="x")
    hidden = tf.keras.layers.Dense(8, activation="relu")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))
    metrics = None if run_eagerly else ["mae"]
    model.compile("adam", "mse", metrics=metrics, run_eagerly=run_eagerly)
    return calls_each(lambda count: model.fit(*DATA[data](count), batch_size=ROWS, verbose=0))


@pytest.fixture(scope="module")
def calls():
    """The counts of a process of its own: what other tests switch on, costs calls."""
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, __file__],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("data", DATA)
def test_a_traced_batch_takes_few_calls(calls, data):
    assert calls[data][0] <= 40


@pytest.mark.parametrize("data", DATA)
def test_an_eager_batch_takes_few_calls(calls, data):
    # Elements are stacked by Python, and inputs by name are put in order.
    further = {"mapped elements": 5, "elements mapped by threads": 5, "dictionaries": 20}
    assert calls[data][1] <= 70 + further.get(data, 0)


if __name__ == "__main__":
    counts = {data: [_calls_of_batch(data, eager) for eager in (False, True)] for data in DATA}
    print(json.dumps(counts))

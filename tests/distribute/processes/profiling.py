"""The profile of a training shows when processes communicate."""

import gzip
import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.extended._communicator.rank
with strategy.scope():
    layers = [tf.keras.layers.Dense(1024) for _ in range(3)]
    model = tf.keras.Sequential([tf.keras.layers.Input([1024]), *layers])
    model.compile("sgd", "mse")
x = np.ones([16, 1024], "float32")
model.fit(x, x, batch_size=8, verbose=0)
folder = pathlib.Path(sys.argv[1]) / str(rank)
with tf.profiler.experimental.Profile(str(folder)):
    model.fit(x, x, batch_size=8, verbose=0)
(path,) = folder.rglob("*.trace.json.gz")
events = json.loads(gzip.open(path).read())["traceEvents"]
found = [each for each in events if "reduction (sum)" in each["name"]]
assert any(int(each["args"]["bytes"]) > 1 << 22 for each in found)
names = {each["args"]["name"] for each in events if each["name"] == "thread_name"}
assert {"communicator 1", "communicator 1 (beside)"} <= names
assert all(0 <= each["ts"] and 0 < each["dur"] < 60e6 for each in found)
print("done")

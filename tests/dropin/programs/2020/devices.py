"""tf.config.experimental and its neighbours; profiling, determinism, numpy's functions, tests."""

import os
import random
import tempfile

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

gpus = tf.config.experimental.list_physical_devices("GPU")
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
cpus = tf.config.list_physical_devices("CPU")
tf.config.experimental.set_virtual_device_configuration(
    cpus[0],
    [
        tf.config.experimental.VirtualDeviceConfiguration(),
        tf.config.experimental.VirtualDeviceConfiguration(),
    ],
)
logical = tf.config.experimental.list_logical_devices("CPU")
print(
    len(cpus),
    [d.name for d in logical],
    tf.config.experimental.get_visible_devices("CPU")[0].device_type,
)
tf.config.optimizer.set_jit(False)
tf.config.optimizer.set_experimental_options({"constant_folding": True})
tf.config.set_soft_device_placement(True)
print(
    tf.config.get_soft_device_placement(),
    tf.config.optimizer.get_experimental_options().get("constant_folding"),
)
tf.debugging.set_log_device_placement(False)
with tf.device("/CPU:1"):
    a = tf.constant([[1.0, 2.0]])
print(
    a.device,
    tf.test.is_built_with_cuda() in (True, False),
    len(tf.config.experimental.list_physical_devices()) >= 1,
)
tf.config.run_functions_eagerly(True)
calls = []
f = tf.function(lambda x: calls.append(1) or x + 1)
f(a), f(a)
tf.config.run_functions_eagerly(False)
f(a), f(a)
print(len(calls))
logdir = tempfile.mkdtemp()
writer = tf.summary.create_file_writer(logdir)
tf.summary.trace_on(graph=True)
g = tf.function(lambda x: tf.reduce_sum(x * x))
g(a)
with writer.as_default():
    tf.summary.trace_export(name="g", step=0)
    tf.summary.text("note", "hello", step=1)
    for step in range(3):
        with tf.summary.record_if(step % 2 == 0):
            tf.summary.scalar("even", step, step=step)
writer.close()
seen = [
    (e.step, v.tag)
    for file in sorted(os.listdir(logdir))
    if "tfevents" in file
    for e in tf.compat.v1.train.summary_iterator(os.path.join(logdir, file))
    for v in e.summary.value
]
print(seen)
tnp = tf.experimental.numpy
print(tnp.sum(tnp.ones([2, 3]), axis=0), tnp.linspace(0.0, 1.0, 3) * 2)
generator = tf.random.experimental.Generator.from_seed(1)
print(
    generator.normal([2]).shape,
    np.allclose(tf.random.stateless_uniform([2], [1, 2]), tf.random.stateless_uniform([2], [1, 2])),
)


class Test(tf.test.TestCase):
    def runTest(self):
        self.assertAllClose(tf.constant([1.0]) * 2, [2.0])
        self.assertAllEqual(tf.range(3), [0, 1, 2])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.debugging.assert_equal(1, 2)


import unittest  # noqa: E402

print(unittest.TextTestRunner(stream=open(os.devnull, "w")).run(Test()).wasSuccessful())
strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
with strategy.scope():
    print(strategy.run(lambda: tf.constant(3)).numpy(), tf.distribute.get_replica_context() is None)

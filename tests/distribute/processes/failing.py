"""One process fails while the other waits for it."""

import os
import signal
import sys

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
value = tf.ones([3])
if not strategy.extended.should_checkpoint:
    if sys.argv[1] == "raises":
        raise RuntimeError("on purpose")
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "order":
        strategy.gather(value, 0)
    value = tf.ones([5])
strategy.reduce("SUM", value, None)
strategy.reduce("SUM", value, None)
print("joined")

"""One process fails while the other waits for it."""

import os
import signal
import sys
import time

import tensorflow as tf

how = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
value, other = tf.ones([3]), tf.ones([1, 3])
if how in ("swapped", "data"):
    # The processes know both already, so that they do not compare them again.
    for each in (value, other):
        strategy.reduce("SUM", each, None)
if not strategy.extended.should_checkpoint:
    if how == "raises":
        raise RuntimeError("on purpose")
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    if how == "hangs":
        time.sleep(1000)
    if how in ("ends", "data"):
        sys.exit(0)
    if how == "order":
        strategy.gather(value, 0)
    value = other if how == "swapped" else tf.ones([5])
strategy.reduce("SUM", value, None)
strategy.reduce("SUM", value, None)
if how == "swapped":
    time.sleep(20)  # the sums are wrong, but MPI has not noticed
print("joined")

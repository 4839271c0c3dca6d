"""One process fails while the other waits for it."""

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
if not strategy.extended.should_checkpoint:
    raise RuntimeError("on purpose")
strategy.reduce("SUM", tf.constant(1.0), None)

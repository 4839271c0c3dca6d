"""A distribution strategy and Keras in a graph, as in 1.13 and later."""

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
print(strategy.num_replicas_in_sync >= 1, tf.distribute.has_strategy())
x = np.random.RandomState(0).randn(64, 3).astype(np.float32)
y = x.dot([[1.0], [2.0], [-1.0]]).astype(np.float32)


def make_dataset():
    return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16, drop_remainder=True)


with strategy.scope():
    print(tf.distribute.get_strategy() is strategy, tf.distribute.in_cross_replica_context())
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")]
    )
    model.compile(loss="mse", optimizer=tf.train.GradientDescentOptimizer(0.1), metrics=["mae"])
history = model.fit(make_dataset(), epochs=5, steps_per_epoch=10, verbose=0)
loss = history.history["loss"]
print("falls: %s" % (loss[-1] < 0.05 * loss[0]), sorted(history.history))
print(model.evaluate(make_dataset(), steps=4, verbose=0)[0] < 0.01, model.predict(x).shape)
print(np.round(model.get_weights()[0].ravel(), 1))
assert loss[-1] < 0.05 * loss[0]

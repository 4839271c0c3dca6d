"""Callbacks that write files, of which one process's stay."""

import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.layers.Input([3]), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
callbacks = [
    tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "model.keras")),
    tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "weights.h5"), save_weights_only=True),
    tf.keras.callbacks.BackupAndRestore(os.path.join(folder, "backup")),
    tf.keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
    tf.keras.callbacks.TensorBoard(os.path.join(folder, "events"), write_graph=False),
]
model.fit(np.ones([8, 3]), np.ones([8, 1]), epochs=2, batch_size=4, verbose=0, callbacks=callbacks)

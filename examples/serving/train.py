"""Trains a small network on handwritten digits and exports it to the folder `digits`, for serve.py."""

from sklearn.datasets import load_digits

import eagerflow as tf

tf.keras.utils.set_random_seed(0)
images, labels = load_digits(return_X_y=True)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(16, 3, padding="same", activation="relu", input_shape=(8, 8, 1)),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(images.reshape(-1, 8, 8, 1) / 16, labels, epochs=5, verbose=2)
model.export("digits")

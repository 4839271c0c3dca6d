"""Keras with generators and sequences: fit_generator, image generators, scikit-learn's wrappers."""

import random

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits, load_iris
from tensorflow.keras.preprocessing.image import ImageDataGenerator
from tensorflow.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

random.seed(1)  # of which Keras makes the seeds of first weights

tf.random.set_seed(1)
digits = load_digits()
images, labels = (digits.images / 16.0).astype("float32")[..., None], digits.target


class Batches(tf.keras.utils.Sequence):
    def __init__(self, x, y, batch_size):
        self.x, self.y, self.batch_size, self.ended = x, y, batch_size, 0

    def __len__(self):
        return int(np.ceil(len(self.x) / float(self.batch_size)))

    def __getitem__(self, idx):
        rows = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        return self.x[rows], self.y[rows]

    def on_epoch_end(self):
        self.ended += 1


def endless(x, y):
    while True:
        for start in range(0, len(x), 64):
            yield x[start : start + 64], y[start : start + 64]


model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, activation="relu", input_shape=(8, 8, 1)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(
    tf.keras.optimizers.Adam(lr=0.01), "sparse_categorical_crossentropy", metrics=["accuracy"]
)
model.fit_generator(endless(images[:1500], labels[:1500]), steps_per_epoch=20, epochs=4, verbose=0)
batches = Batches(images[:1500], labels[:1500], 100)
model.fit_generator(
    batches,
    epochs=2,
    verbose=0,
    validation_data=Batches(images[1500:], labels[1500:], 50),
    workers=1,
)
found = model.evaluate_generator(Batches(images[1500:], labels[1500:], 50), verbose=0)
predictions = model.predict_generator(Batches(images[1500:], labels[1500:], 50))
print("good: %s" % (found[1] > 0.8), predictions.shape, batches.ended)
generator = ImageDataGenerator(
    rotation_range=8,
    width_shift_range=0.1,
    height_shift_range=0.1,
    zoom_range=0.1,
    featurewise_center=True,
    rescale=1.0,
)
generator.fit(images[:100])
flow = generator.flow(images[:1500], labels[:1500], batch_size=100, seed=1)
history = model.fit(flow, steps_per_epoch=len(flow), epochs=1, verbose=0)
bx, by = next(flow)
print(bx.shape, by.shape, len(flow), sorted(history.history))


def make(units=8, lr=0.05):
    net = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(units, activation="relu", input_shape=(4,)),
            tf.keras.layers.Dense(3, activation="softmax"),
        ]
    )
    net.compile(
        tf.keras.optimizers.Adam(lr), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return net


iris = load_iris()
x = ((iris.data - iris.data.mean(0)) / iris.data.std(0)).astype("float32")
classifier = KerasClassifier(build_fn=make, units=12, epochs=15, batch_size=16, verbose=0)
classifier.fit(x, iris.target)
print(
    "score: %s" % (classifier.score(x, iris.target) > 0.9),
    classifier.predict(x[:3]),
    classifier.predict_proba(x[:2]).shape,
)


def make_regressor():
    net = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    net.compile("adam", "mse")
    return net


regressor = KerasRegressor(make_regressor, epochs=30, verbose=0)
regressor.fit(x[:, :3], x[:, 3])
print(
    regressor.predict(x[:5, :3]).shape,
    classifier.get_params()["units"],
    classifier.filter_sk_params(make),
)
assert found[1] > 0.8

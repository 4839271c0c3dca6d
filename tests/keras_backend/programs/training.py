"""Models are trained, evaluated, saved and loaded."""

import eagerflow.keras_backend

# isort: split
import tempfile

import numpy as np

import eagerflow as tf
import keras

assert keras.backend.backend() == "tensorflow"
assert keras.src.backend.core.__file__.startswith(eagerflow.keras_backend.__path__[0])
keras.utils.set_random_seed(1)
random = np.random.default_rng(1)
images = random.random((256, 12, 12, 1), "float32")
labels = (images.mean((1, 2, 3)) > 0.5).astype("int64")

model = keras.Sequential(
    [
        keras.Input([12, 12, 1]),
        keras.layers.Conv2D(4, 3, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.1),
        keras.layers.Dense(2),
    ]
)
model.compile(
    keras.optimizers.Adam(0.01),
    keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(images, labels, epochs=8, verbose=0, validation_split=0.25).history
assert history["loss"][-1] < 0.7 * history["loss"][0], history
assert set(history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
assert len(model.evaluate(images, labels, verbose=0)) == 2

with tempfile.TemporaryDirectory() as folder:
    for name in ("model.keras", "model.h5"):
        model.save(f"{folder}/{name}")
        loaded = keras.models.load_model(f"{folder}/{name}")
        np.testing.assert_allclose(
            loaded.predict(images[:5], verbose=0), model.predict(images[:5], verbose=0), rtol=1e-5
        )
    model.export(f"{folder}/exported", verbose=False)
    served = tf.saved_model.load(f"{folder}/exported").serve(images[:5])
    np.testing.assert_allclose(served, model(images[:5]), rtol=1e-4, atol=1e-5)


# A model of one's own, trained by hand: gradients reach Keras's variables.
class Line(keras.Model):
    def __init__(self):
        super().__init__()
        self.w = self.add_weight(shape=(), initializer="zeros", name="w")

    def call(self, x):
        return x * self.w


line = Line()
optimizer = keras.optimizers.SGD(0.1)
for _ in range(50):
    with tf.GradientTape() as tape:
        loss = keras.ops.mean((line(np.float32([1.0, 2.0])) - np.float32([3.0, 6.0])) ** 2)
    gradients = tape.gradient(loss, line.trainable_variables)
    optimizer.apply_gradients(zip(gradients, line.trainable_variables, strict=True))
assert abs(float(line.w.value) - 3.0) < 1e-3

# The loop of `fit`, run step by step in Python, gives the same weights.
results = []
for eagerly in (False, True):
    keras.utils.set_random_seed(2)
    dense = keras.Sequential([keras.Input([3]), keras.layers.Dense(2)])
    dense.compile("rmsprop", "mse", run_eagerly=eagerly)
    dense.fit(np.ones([32, 3]), np.ones([32, 2]), epochs=2, verbose=0, shuffle=False)
    results.append(dense.get_weights()[0])
np.testing.assert_allclose(*results, rtol=1e-5)

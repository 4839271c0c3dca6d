"""Transfer as in 2.3: images of a folder, augmentation, a base that is frozen and then fine-tuned."""

import os
import random
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

random.seed(1)  # of which Keras makes the seeds of first weights

tf.random.set_seed(1)
folder = tempfile.mkdtemp()
digits = load_digits()
for name, kind in (("zeros", 0), ("ones", 1)):
    os.makedirs(os.path.join(folder, name))
    for k, image in enumerate(digits.images[digits.target == kind][:60]):
        pixels = np.kron(image / 16.0 * 255, np.ones((4, 4)))[..., None].repeat(3, -1)
        tf.keras.preprocessing.image.save_img(
            os.path.join(folder, name, "%03d.png" % k), pixels, scale=False
        )
make = lambda subset: tf.keras.preprocessing.image_dataset_from_directory(  # noqa: E731
    folder, validation_split=0.2, subset=subset, seed=7, image_size=(32, 32), batch_size=16
)
train, validation = make("training"), make("validation")
print(train.class_names, next(iter(train))[0].shape)
AUTOTUNE = tf.data.experimental.AUTOTUNE
train, validation = train.cache().prefetch(AUTOTUNE), validation.prefetch(buffer_size=AUTOTUNE)

base = tf.keras.applications.MobileNetV2(
    input_shape=(32, 32, 3), include_top=False, weights=None, alpha=0.35
)
base.trainable = False
print(len(base.layers) > 100, len(base.trainable_variables), base.output_shape)
inputs = tf.keras.Input(shape=(32, 32, 3))
h = tf.keras.layers.experimental.preprocessing.RandomRotation(0.02)(inputs)
h = tf.keras.applications.mobilenet_v2.preprocess_input(h)
small = tf.keras.layers.AveragePooling2D(4)(h)
h = base(h, training=False)
h = tf.keras.layers.GlobalAveragePooling2D()(h)
h = tf.keras.layers.Concatenate()([h, tf.keras.layers.Flatten()(small)])
outputs = tf.keras.layers.Dense(1)(tf.keras.layers.Dropout(0.1)(h))
model = tf.keras.Model(inputs, outputs)
loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss=loss, metrics=["accuracy"])
before = base.layers[1].get_weights()[0].copy()
model.fit(train, epochs=4, verbose=0)
_, accuracy = model.evaluate(validation, verbose=0)
print(
    "good: %s, frozen: %s"
    % (accuracy > 0.8, np.array_equal(before, base.layers[1].get_weights()[0]))
)
base.trainable = True
for layer in base.layers[:100]:
    layer.trainable = False
model.compile(loss=loss, optimizer=tf.keras.optimizers.RMSprop(1e-4), metrics=["accuracy"])
history = model.fit(train, epochs=5, initial_epoch=4, validation_data=validation, verbose=0)
print(len(model.trainable_variables), sorted(history.history), history.epoch)
path = os.path.join(tempfile.mkdtemp(), "saved")
model.save(path)
again = tf.keras.models.load_model(path)
rows = next(iter(validation))[0]
print(np.allclose(again.predict(rows, verbose=0), model.predict(rows, verbose=0), atol=1e-4))
assert accuracy > 0.8

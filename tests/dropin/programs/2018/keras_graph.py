"""tf.keras in graph mode: fit, callbacks, backend functions, saved models, sessions."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow import keras
from tensorflow.keras import backend as K

config = tf.ConfigProto(intra_op_parallelism_threads=2, allow_soft_placement=True)
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)
K.set_session(sess)
tf.set_random_seed(1)
np.random.seed(1)
digits = load_digits()
x, y = (digits.images / 16.0)[..., None], keras.utils.to_categorical(digits.target, 10)
folder = tempfile.mkdtemp()


class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight("scale", shape=[int(input_shape[-1])], initializer="ones")
        super(Scale, self).build(input_shape)

    def call(self, inputs):
        return inputs * self.scale

    def compute_output_shape(self, input_shape):
        return input_shape


class History(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.rates = []

    def on_epoch_end(self, epoch, logs=None):
        self.rates.append(float(K.get_value(self.model.optimizer.lr)))


def mean_pred(y_true, y_pred):
    return K.mean(y_pred)


inputs = keras.Input((8, 8, 1), name="pixels")
net = keras.layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
net = Scale()(keras.layers.BatchNormalization(momentum=0.8)(net))
net = keras.layers.MaxPooling2D()(net)
net = keras.layers.Dropout(0.1)(keras.layers.Flatten()(net))
outputs = keras.layers.Dense(
    10, activation=tf.nn.softmax, kernel_regularizer=keras.regularizers.l2(1e-4)
)(net)
model = keras.Model(inputs, outputs)
model.compile(
    optimizer=tf.train.AdamOptimizer(0.01),
    loss="categorical_crossentropy",
    metrics=["acc", mean_pred],
)
model.fit(x[:1500], y[:1500], batch_size=50, epochs=2, validation_split=0.1, verbose=0)
model.compile(keras.optimizers.RMSprop(lr=0.005), "categorical_crossentropy", ["accuracy"])
rates = History()
saved = os.path.join(folder, "weights.{epoch:02d}.h5")
history = model.fit(
    x[:1500],
    y[:1500],
    50,
    8,
    validation_data=(x[1500:], y[1500:]),
    verbose=0,
    callbacks=[
        rates,
        keras.callbacks.ModelCheckpoint(saved, save_weights_only=True),
        keras.callbacks.LearningRateScheduler(lambda epoch: 0.005 * 0.7**epoch),
        keras.callbacks.EarlyStopping(patience=3),
        keras.callbacks.TensorBoard(os.path.join(folder, "logs"), write_graph=True),
        keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
    ],
)
loss, accuracy = model.evaluate(x[1500:], y[1500:], verbose=0)
print(sorted(history.history), rates.rates, "good: %s" % (accuracy > 0.8))
print(
    sorted(f for f in os.listdir(folder) if f.endswith("h5")),
    len(os.listdir(os.path.join(folder, "logs"))) > 0,
)
features = K.function([model.input, K.learning_phase()], [model.layers[1].output, model.output])
first, last = features([x[:2], 0])
print(first.shape, np.allclose(last, model.predict(x[:2]), atol=1e-5))
slope = K.gradients(K.sum(model.output[:, 3]), model.input)[0]
print(
    K.function([model.input], [slope])([x[:2]])[0].shape,
    K.int_shape(model.output),
    tf.get_default_graph() is sess.graph,
)
model.save(os.path.join(folder, "model.h5"))
again = keras.models.load_model(os.path.join(folder, "model.h5"), custom_objects={"Scale": Scale})
print(np.allclose(again.predict(x[:5]), model.predict(x[:5]), atol=1e-6))
restored = keras.models.model_from_json(model.to_json(), {"Scale": Scale})
restored.set_weights(model.get_weights())
print(
    np.allclose(restored.predict(x[:5]), again.predict(x[:5]), atol=1e-6), restored.count_params()
)
with sess.as_default():
    print(
        sess.run(model.output, {model.input: x[:1], K.learning_phase(): 0}).shape,
        K.eval(model.layers[3].scale).shape,
    )
assert accuracy > 0.8
K.clear_session()
print(len(tf.get_default_graph().get_operations()) < 3)

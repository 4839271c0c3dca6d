"""Forecasts of 2.3: windows of a series, recurrent and convolutional models, callbacks, a subclassed loop."""

import random

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

t = np.arange(600)
series = (np.sin(t / 8.0) + 0.3 * np.sin(t / 3.0)).astype("float32")
WINDOW = 16
dataset = tf.keras.preprocessing.timeseries_dataset_from_array(
    series[:-WINDOW], series[WINDOW:], sequence_length=WINDOW, batch_size=32, shuffle=True, seed=1
)
x, y = next(iter(dataset))
print(x.shape, y.shape, x.dtype)
dataset = dataset.map(lambda a, b: (a[..., tf.newaxis], b[:, tf.newaxis]))
plain = tf.keras.preprocessing.sequence.TimeseriesGenerator(
    series[:100], series[:100], length=5, batch_size=10
)
print(len(plain), plain[0][0].shape)


class Feedback(tf.keras.Model):
    """Predicts several steps, one after the other."""

    def __init__(self, units, out_steps):
        super().__init__()
        self.out_steps = out_steps
        self.lstm_cell = tf.keras.layers.LSTMCell(units)
        self.lstm_rnn = tf.keras.layers.RNN(self.lstm_cell, return_state=True)
        self.dense = tf.keras.layers.Dense(1)

    def call(self, inputs, training=None):
        h, *state = self.lstm_rnn(inputs)
        prediction = self.dense(h)
        predictions = [prediction]
        for _ in range(1, self.out_steps):
            h, state = self.lstm_cell(prediction, states=state, training=training)
            prediction = self.dense(h)
            predictions.append(prediction)
        return tf.transpose(tf.stack(predictions), [1, 0, 2])


def compile_and_fit(model, data, patience=3, epochs=8):
    early = tf.keras.callbacks.EarlyStopping(
        monitor="loss", patience=patience, mode="min", restore_best_weights=True
    )
    reduce = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=2)
    model.compile(
        loss=tf.losses.MeanSquaredError(),
        optimizer=tf.optimizers.Adam(0.01),
        metrics=[tf.metrics.MeanAbsoluteError()],
    )
    return model.fit(data, epochs=epochs, callbacks=[early, reduce], verbose=0)


conv = tf.keras.Sequential(
    [
        tf.keras.layers.Conv1D(16, 5, activation="relu", input_shape=(WINDOW, 1)),
        tf.keras.layers.Conv1D(8, 3, dilation_rate=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(1),
    ]
)
print("conv: %s" % (compile_and_fit(conv, dataset).history["loss"][-1] < 0.05))
multi = (
    tf.data.Dataset.from_tensor_slices(
        (
            np.stack([series[k : k + WINDOW] for k in range(500)])[..., None],
            np.stack([series[k + WINDOW : k + WINDOW + 4] for k in range(500)])[..., None],
        )
    )
    .shuffle(500, seed=2)
    .batch(32)
)
feedback = Feedback(24, 4)
history = compile_and_fit(feedback, multi, epochs=12)
print(
    "feedback: %s" % (history.history["loss"][-1] < 0.1),
    feedback(np.ones([2, WINDOW, 1], "float32")).shape,
    sorted(history.history),
)
baseline = tf.keras.Sequential(
    [
        tf.keras.layers.Lambda(lambda v: v[:, -1:]),
        tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(1)),
    ]
)
baseline.build((None, WINDOW, 1))
print(baseline.count_params(), baseline.compute_output_shape((None, WINDOW, 1)).as_list())
assert history.history["loss"][-1] < 0.1

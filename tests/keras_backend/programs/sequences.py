"""Recurrent layers, whose steps are one operation, give what their cells give step by step."""

import eagerflow.keras_backend

# isort: split
import numpy as np

import keras

random = np.random.default_rng(3)
x = random.normal(size=(4, 6, 3)).astype("float32")
mask = np.array([[1] * 6, [1, 1, 1, 0, 0, 0], [0, 1, 0, 1, 1, 0], [0] * 6], bool)


def outputs(layer, **arguments):
    whole = keras.layers.RNN(
        layer.cell, return_sequences=True, return_state=True, go_backwards=layer.go_backwards
    )
    return layer(x, **arguments), whole(x, **arguments)


for kind in (keras.layers.LSTM, keras.layers.GRU):
    for backwards in (False, True):
        layer = kind(5, return_sequences=True, return_state=True, go_backwards=backwards)
        layer(x)
        for weight in layer.weights:
            weight.assign(random.normal(size=weight.shape))
        for given in (None, mask):
            for one, other in zip(*outputs(layer, mask=given), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)

inputs = keras.Input([None, 3])
encoded = keras.layers.Masking()(inputs)
encoded = keras.layers.Bidirectional(keras.layers.LSTM(4, return_sequences=True))(encoded)
encoded = keras.layers.GRU(4, reset_after=False)(encoded)
model = keras.Model(inputs, keras.layers.Dense(1)(encoded))
model.compile("adam", "mse")
before = model.evaluate(x, x.sum((1, 2)), verbose=0)
model.fit(x, x.sum((1, 2)), epochs=60, verbose=0)
assert model.evaluate(x, x.sum((1, 2)), verbose=0) < before

mixed = keras.layers.LSTM(4, dtype="mixed_bfloat16")
assert mixed(x).dtype == "bfloat16"

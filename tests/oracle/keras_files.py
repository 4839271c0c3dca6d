"""Models saved by Keras 2 (tf_keras) and Keras 3, as `tests/keras/saving/test_saving.py` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "keras" / "saving" / "saved"


def record(tf: Any) -> int:
    """Writes the files; returns the number of failures, 0."""
    import tf_keras

    import keras

    random = np.random.default_rng(0)
    for version, name in ((tf_keras, "k2"), (keras, "k3")):
        layers = version.layers
        model = version.Sequential(
            [layers.Input((3,)) if version is keras else layers.InputLayer((3,)),
             layers.Dense(2, activation="relu"), layers.BatchNormalization(), layers.Dense(1)]
        )  # fmt: skip
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
        inputs = version.Input((5, 4))
        x = layers.Dropout(0.5)(layers.LSTM(2)(inputs))
        output = layers.Dense(1, name="out")(x)
        functional = version.Model(inputs, [output, layers.Concatenate()([x, output])])
        for made, kind in ((model, "seq"), (functional, "fun")):
            made.save(FOLDER / f"{name}_{kind}.keras")
            made.save(str(FOLDER / f"{name}_{kind}.h5"))
        model.save_weights(FOLDER / f"{name}_seq.weights.h5")
        x, fx = random.random((2, 3), "f"), random.random((2, 5, 4), "f")
        np.save(FOLDER / f"{name}_x.npy", x)
        np.save(FOLDER / f"{name}_y.npy", model.predict(x, verbose=0))
        np.save(FOLDER / f"{name}_fx.npy", fx)
        np.save(FOLDER / f"{name}_fy.npy", functional.predict(fx, verbose=0)[1])
    return 0

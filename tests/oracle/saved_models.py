"""SavedModels that TensorFlow wrote, as `tests/saved_model` reads them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from saved_model import modules

FOLDER = Path(__file__).parents[1] / "saved_model" / "files"


def record(tf: Any) -> int:
    """Writes the files; returns the number of failures, 0."""
    import tf_keras

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    vocabulary = FOLDER / "words.txt"
    vocabulary.write_text("a\nb\nc\n")
    module = modules.make(tf, str(vocabulary))
    signatures = {"serving_default": module.look_up, "loop": module.loop}
    tf.saved_model.save(module, FOLDER / "module", signatures=signatures)

    layers = tf_keras.layers
    model = tf_keras.Sequential(
        [layers.Dense(3, "swish", input_shape=(3,)), layers.BatchNormalization(), layers.Dense(1)]
    )
    model.build((None, 3))
    x = np.ones((2, 3), "f")
    model.save(FOLDER / "keras", save_format="tf")
    np.save(FOLDER / "keras.npy", model(x).numpy())

    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.placeholder(tf.float32, [None, 2], name="a")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]], use_resource=False)
        b = v1.get_variable("b", initializer=[0.5], use_resource=True)
        y = tf.matmul(a, w) + b
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(FOLDER / "version1"), {"a": a}, {"y": y})
    for path in FOLDER.rglob("fingerprint.pb"):
        path.unlink()
    return 0

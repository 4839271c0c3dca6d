"""Every function of a backend is there; values, random numbers and settings are Keras's."""

import eagerflow.keras_backend

# isort: split
import ast
import pathlib

import numpy as np
from keras.src import backend

import eagerflow as tf
import keras
from keras import ops

THEIRS = pathlib.Path(keras.src.__file__).parent / "backend" / "tensorflow"
missing = []
for module in ("core", "numpy", "nn", "math", "linalg", "image", "random", "rnn"):
    for node in ast.parse((THEIRS / f"{module}.py").read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            home = backend if module == "rnn" else getattr(backend, module)
            if not hasattr(home, node.name):
                missing.append(f"{module}.{node.name}")
assert not missing, missing

x = np.arange(6.0, dtype="float32").reshape(2, 3)
np.testing.assert_allclose(ops.softmax(x).numpy().sum(-1), 1.0, rtol=1e-6)
np.testing.assert_allclose(ops.logsumexp(x), np.log(np.exp(x).sum()), rtol=1e-6)
assert ops.add(np.int32(1), np.float16(2)).dtype == "float16"
assert backend.standardize_dtype(ops.mean(np.arange(4)).dtype) == "float32"
variable = keras.Variable(x)
assert isinstance(ops.convert_to_tensor(variable), type(ops.ones(1)))
np.testing.assert_array_equal(ops.matmul(variable, ops.transpose(variable)), x @ x.T)
assert ops.matmul(keras.KerasTensor([None, 4]), keras.KerasTensor([4, 7])).shape == (None, 7)

# Numbers that Keras has with TensorFlow 2.21 from the same seeds.
generator = keras.random.SeedGenerator(5)
for numbers, expected in (
    (keras.random.normal([3], seed=42), [0.015817076, -1.5900869, 0.10359446]),
    (keras.random.uniform([3], seed=7), [0.74707878, 0.67218018, 0.05777955]),
    (keras.random.randint([4], 0, 100, seed=9), [79, 10, 44, 22]),
    (keras.random.gamma([2], 2.0, seed=generator), [2.06234765, 5.2191057]),
    (keras.random.dropout(np.ones(6, "float32"), 0.5, seed=generator), [2, 2, 0, 2, 2, 0]),
):
    np.testing.assert_allclose(numbers, expected, rtol=1e-6)

keras.config.set_floatx("float64")
assert backend.standardize_dtype(ops.ones([1]).dtype) == "float64"
assert backend.standardize_dtype(ops.sqrt(np.arange(3)).dtype) == "float64"
keras.config.set_floatx("float32")
keras.config.set_image_data_format("channels_first")
assert ops.image.resize(np.ones([1, 3, 4, 4]), (2, 2)).shape == (1, 3, 2, 2)

# Settings of one Keras are those of the other, whichever function sets them.
tf.keras.backend.set_floatx("float64")
assert keras.config.floatx() == "float64" == tf.keras.backend.floatx()
tf.keras.backend.set_image_data_format("channels_last")
assert keras.config.image_data_format() == "channels_last"
tf.keras.backend.set_epsilon(1e-3)
assert keras.config.epsilon() == 1e-3 == tf.keras.backend.epsilon()
keras.config.set_floatx("float32")
assert tf.keras.backend.floatx() == "float32"
assert tf.keras.layers.Dense(1).dtype == "float32"

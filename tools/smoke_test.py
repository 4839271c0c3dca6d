"""A first look at an installed package: it computes, trains, saves and runs a TensorFlow program.

python tools/smoke_test.py

Run it with the Python of the environment that the package is installed in, with its extra `messages`. It
fails where one of the package's parts is missing.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import eagerflow as tf

PROGRAM = """\
import tensorflow as tf
tf.enable_eager_execution()
x = tf.get_variable("x", initializer=3.0)
with tf.GradientTape() as tape:
    y = x * x
print(float(tape.gradient(y, x)))
"""


def computes() -> None:
    """Operations, gradients, traced functions, and the matrix and convolution kernels."""
    a = np.arange(200 * 300, dtype=np.float32).reshape(200, 300) % 7
    np.testing.assert_allclose(tf.matmul(a, a.T), a @ a.T, rtol=1e-5)
    x = tf.Variable(2.0)

    @tf.function
    def cube(value: tf.Tensor) -> tf.Tensor:
        return value * value * value if value > 0.0 else value

    with tf.GradientTape() as tape:
        y = cube(x)
    assert float(tape.gradient(y, x)) == 12.0
    image = tf.random.stateless_normal([2, 16, 16, 3], seed=[1, 2])
    assert tf.nn.conv2d(image, tf.ones([3, 3, 3, 4]), 1, "SAME").shape == [2, 16, 16, 4]


def trains(folder: Path) -> None:
    """A Keras model, a dataset and a checkpoint."""
    features = np.random.default_rng(0).normal(size=(256, 4)).astype(np.float32)
    labels = (features.sum(axis=1) > 0).astype(np.int32)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(2, "softmax")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    data = tf.data.Dataset.from_tensor_slices((features, labels)).shuffle(256, seed=1).batch(32)
    history = model.fit(data, epochs=20, verbose=0).history
    assert history["loss"][-1] < history["loss"][0]
    model.save_weights(str(folder / "weights"))
    before = model.predict(features, verbose=0)
    model.set_weights([np.zeros_like(weight) for weight in model.get_weights()])
    model.load_weights(str(folder / "weights")).assert_consumed()
    np.testing.assert_array_equal(model.predict(features, verbose=0), before)


def runs_programs(folder: Path) -> None:
    """A program of the first generation, as it is."""
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "eagerflow", "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout == "6.0\n", done.stdout + done.stderr


def main() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        computes()
        trains(folder)
        runs_programs(folder)
    print(f"eagerflow {tf.__version__} from {Path(tf.__file__).parent}: all is well")


if __name__ == "__main__":
    main()

"""What a program waits for at first: imports, and the first step that `fit` makes; and sizes on disk."""

from pathlib import Path

from frameworks import MODULES
from workload import ITSELF, Target, Workload

# Where `make wheel` puts the wheel.
DIST = Path(__file__).parents[1] / "dist"

IMPORT = """
import time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""

# From the call of `fit` to the end of its first step, for a model that was made and compiled.
FIRST_STEP = """
import time
import numpy as np
import {module} as tf

class Clock(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 0:
            print(time.perf_counter() - start)

layers = tf.keras.layers
model = tf.keras.Sequential(
    [tf.keras.Input((784,)), layers.Dense(128, activation="relu"), layers.Dense(10)]
)
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, metrics=["accuracy"])
x, y = np.ones((3200, 784), np.float32), np.zeros(3200, np.int32)
clock = Clock()
start = time.perf_counter()
model.fit(x, y, batch_size=32, verbose=0, callbacks=[clock])
"""

# The files of the distributions that a framework consists of, without what it depends on.
INSTALLED = """
from importlib import metadata
names = {{"torch": ["torch"], "jax": ["jax", "jaxlib"], "mlx.core": ["mlx", "mlx-cpu"],
         "tensorflow": ["tensorflow-cpu"]}}.get("{module}", ["{module}"])
files = [file.locate() for name in names for file in metadata.files(name)]
print(sum(file.stat().st_size for file in files if file.is_file()))
"""
WHEEL = f"""
import pathlib
wheels = pathlib.Path({str(DIST)!r}).glob("eagerflow-*.whl")
print(max(wheels, key=lambda wheel: wheel.stat().st_mtime).stat().st_size)
"""


def programs(text, *contenders):
    """The program for each contender."""
    return {name: text.format(module=MODULES[name]) for name in contenders}


WORKLOADS = [
    Workload(
        name="import",
        title="`import`, warm",
        target=Target("numpy", 1.5),
        contenders=programs(IMPORT, "eagerflow", "tensorflow", "torch", "jax", "mlx", "numpy"),
        measure="process",
    ),
    Workload(
        name="first-step",
        title="first call of fit to first step done, 784-128-10",
        target=Target("tensorflow", 0.05),
        contenders=programs(FIRST_STEP, "eagerflow", "tensorflow"),
        measure="process",
    ),
    Workload(
        name="installed",
        title="size when installed, without what it depends on",
        target=Target(ITSELF, 70e6),
        contenders=programs(INSTALLED, "eagerflow", "tensorflow", "torch", "jax", "mlx", "numpy"),
        measure="size",
    ),
    Workload(
        name="wheel",
        title="size of the wheel",
        target=Target(ITSELF, 15e6),
        contenders={"eagerflow": WHEEL},
        measure="size",
    ),
]

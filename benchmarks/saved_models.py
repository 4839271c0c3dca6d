"""SavedModels of ResNet-50 (He and others, 2015): loading them, and answers of what was loaded.

Each contender saves the model of its own Keras, with the same weights, and loads that.
"""

import tempfile
from pathlib import Path

import numpy as np

from frameworks import MODULES
from workload import Case, Target, Workload

SIZE = 224

MAKE = f"""
import sys
import numpy as np
sys.path.insert(0, {str(Path(__file__).parent)!r})
import saved_models
import {{module}} as tf
saved_models.save(tf, sys.argv[1])
"""

# From the call of `load` to the first answer, in a process that has not made the model.
LOAD = f"""
import subprocess, sys, tempfile, time
from pathlib import Path
with tempfile.TemporaryDirectory() as folder:
    path = str(Path(folder) / "model")
    subprocess.run([sys.executable, "-c", {MAKE!r}, path], check=True, capture_output=True)
    import {{module}} as tf
    image = tf.ones([1, {SIZE}, {SIZE}, 3])
    start = time.perf_counter()
    answer = tf.saved_model.load(path).signatures["serving_default"](image)
    [value.numpy() for value in answer.values()]
    print(time.perf_counter() - start)
"""


def save(tf, path):
    """A ResNet-50 with weights that are the same for all contenders."""
    model = tf.keras.applications.ResNet50(weights=None)
    generator = np.random.default_rng(0)
    for layer in model.layers:
        weights = [weight.shape for weight in layer.get_weights()]
        if len(weights) == 4:  # scales, shifts, means and variances of a normalisation
            layer.set_weights([np.full(shape, k % 3 / 2 + 0.1) for k, shape in enumerate(weights)])
        elif weights:
            kernel, *others = weights
            scale = np.sqrt(2 / np.prod(kernel[:-1]))
            layer.set_weights(
                [generator.normal(scale=scale, size=kernel), *(np.zeros(one) for one in others)]
            )
    model.export(path)


def answers(batch):
    """Calls of a loaded model's signature."""

    def make(tf):
        folder = tempfile.TemporaryDirectory()
        path = str(Path(folder.name) / "model")
        save(tf, path)
        loaded = tf.saved_model.load(path)
        function = loaded.signatures["serving_default"]
        images = np.random.default_rng(1).normal(size=(batch, SIZE, SIZE, 3))
        images = tf.constant(images.astype(np.float32))

        def answer():
            (value,) = function(images).values()
            assert loaded is not None and folder.name
            return value.numpy()

        def run(count):
            for _ in range(count):
                answer()

        return Case(run, lambda: answer()[0, :8].tolist())

    return {"eagerflow": make, "tensorflow": make}


WORKLOADS = [
    Workload(
        name="saved-model-load",
        title="loading a SavedModel of ResNet-50 and its first answer",
        target=Target("tensorflow", 0.3),
        contenders={
            name: LOAD.format(module=MODULES[name]) for name in ("eagerflow", "tensorflow")
        },
        measure="process",
    ),
    *(
        Workload(
            name=f"saved-model-{batch}",
            title=f"answers of a loaded ResNet-50, batch {batch}",
            target=Target("tensorflow", 1.0),
            contenders=answers(batch),
        )
        for batch in (1, 32)
    ),
    Workload(
        name="saved-model-memory",
        title="memory of a loaded ResNet-50 and its answer, batch 1",
        target=Target("tensorflow", 0.6),
        contenders=answers(1),
        measure="memory",
    ),
]

"""`tf.keras` is the installed Keras where `import keras` is left to what is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Packages with a module for each part, which says where it lies.
PARTS = ("", ".layers", ".losses", ".metrics", ".optimizers", ".initializers")
PROGRAM = """
import sys
import tensorflow as tf
import tensorflow.keras.layers
from tensorflow.keras.layers import where
from tensorflow import keras
import tensorflow.compat.v2.keras as second
print(tf.keras.where, where, keras is tf.keras, second is keras)
print(tf.losses.where, tf.optimizers.where, tf.compat.v1.keras.where, tf.compat.v1.losses.__name__)
layers = sys.modules[f"{second.__name__}.layers"]
print(hasattr(tf.keras, "Sequential"), tf.math.add(1, 2).numpy(), layers.where)
"""


def lay(folder, package):
    for part in PARTS:
        place = folder.joinpath(*f"{package}{part}".split("."))
        place.mkdir(parents=True, exist_ok=True)
        for parent in place.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
        line = "from . import layers\n" if not part else ""
        (place / "__init__.py").write_text(f"{line}where = {f'{package}{part}'!r}\n")


def run(folder, program, *options, **variables):
    path = folder / "program.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", *options, str(path)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("packages", "legacy", "second", "first"),
    [
        (
            ("tf_keras.api._v2.keras", "tf_keras.api._v1.keras"),
            "1",
            "tf_keras.api._v2.keras",
            "tf_keras.api._v1.keras",
        ),
        (("keras._tf_keras.keras",), "0", "keras._tf_keras.keras", "keras._tf_keras.keras"),
    ],
)
def test_an_installed_keras_is_that_of_tensorflow(tmp_path, packages, legacy, second, first):
    for package in packages:
        lay(tmp_path, package)
    lines = run(tmp_path, PROGRAM, "--no-keras", TF_USE_LEGACY_KERAS=legacy)
    assert lines == [
        f"{second} {second}.layers True True",
        f"{second}.losses {second}.optimizers {first} tensorflow.compat.v1.losses",
        f"False 3 {second}.layers",
    ]


def test_without_an_installed_keras_ours_stays(tmp_path):
    program = (
        "import tensorflow as tf\nprint(tf.keras.Sequential.__name__, tf.losses.Huber.__name__)\n"
    )
    lines = run(tmp_path, program, "--no-keras", TF_USE_LEGACY_KERAS="1")
    assert lines == ["Sequential Huber"]


def test_another_keras_does_not_replace_ours_unless_it_is_asked_for(tmp_path):
    lay(tmp_path, "tf_keras.api._v2.keras")
    program = (
        "import tensorflow as tf, tf_keras\nprint(tf.keras.Sequential is tf_keras.Sequential)\n"
    )
    assert run(tmp_path, program, TF_USE_LEGACY_KERAS="1") == ["True"]

"""Which version of Keras a program sees."""

import os
import subprocess
import sys

import pytest

PRINT = "print(keras.__version__, tf.keras.__version__, tf_keras.__version__)\n"
HEAD = "import importlib.metadata\nimport keras, tf_keras\nimport tensorflow as tf\n"


def run(text, *options, **environment):
    kept = {
        k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "TF_USE_LEGACY_KERAS")
    }
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", *options, "-c", text],
        capture_output=True, text=True, check=False, env={**kept, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    "line, environment, expected",
    [
        ("", {}, "2.21.0 2.21.0 2.21.0"),
        ("from keras import layers, saving", {}, "2.21.0 2.21.0 2.21.0"),
        ("from keras import ops", {}, "3.15.1 3.15.1 2.21.0"),
        ("import keras.random", {}, "3.15.1 3.15.1 2.21.0"),
        ("x = tf.keras.ops.ones([2])", {}, "3.15.1 3.15.1 2.21.0"),
        ("", {"KERAS_BACKEND": "tensorflow"}, "3.15.1 3.15.1 2.21.0"),
        ("from keras import ops", {"TF_USE_LEGACY_KERAS": "1"}, "2.21.0 2.21.0 2.21.0"),
    ],
)
def test_version(line, environment, expected):
    done = run(f"{HEAD}{line}\n{PRINT}print(importlib.metadata.version('keras'))", **environment)
    assert done.stdout.split() == [*expected.split(), expected.split()[0]], done.stderr


def test_version_within_the_package():
    line = "from keras.src import __version__ as a\nfrom tf_keras.src import __version__ as b\nprint(a, b)"
    assert run(line).stdout.split() == ["2.21.0", "2.21.0"]


def test_version_of_the_first_generation():
    done = run(HEAD + PRINT, "--generation", "1.x", KERAS_BACKEND="tensorflow")
    assert done.stdout.split() == ["2.2.4-tf"] * 3, done.stderr


@pytest.mark.parametrize(
    "message",
    [
        "Found version 2.21.0 of 'keras', which is too old for TensorFlow: pip install keras>=3",
        "Keras 3 is required",
        "this package needs Keras version 2, not another",
    ],
)
def test_errors_about_versions_name_the_options(message):
    done = run(f"import keras\nraise RuntimeError({message!r})")
    assert done.returncode == 1 and message in done.stderr
    for option in ("--no-keras", "KERAS_BACKEND=tensorflow", "TF_USE_LEGACY_KERAS=1"):
        assert option in done.stderr
    assert "--no-keras" not in run("raise RuntimeError('another thing of Keras')").stderr

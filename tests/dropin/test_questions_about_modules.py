"""What programs ask Python about TensorFlow's modules without importing them, and of errors."""

import importlib
import importlib.metadata
import importlib.util

import pytest

import eagerflow
from eagerflow import dropin


@pytest.fixture
def tf():
    yield eagerflow.install_as_tensorflow("2.x")
    dropin.uninstall()


@pytest.mark.parametrize("ask_first", [False, True])
@pytest.mark.parametrize("path", ["tensorflow.python.nosuch", "keras.nosuch", "tensorflow.nosuch"])
def test_missing_modules_are_found_missing(tf, path, ask_first):
    package, _, name = path.rpartition(".")
    if ask_first:
        assert not hasattr(importlib.import_module(package), name)
    assert importlib.util.find_spec(path) is None
    with pytest.raises(ModuleNotFoundError, match=f"has no attribute '{name}'") as caught:
        importlib.import_module(path)
    assert caught.value.name == path
    with pytest.raises(ImportError, match=f"has no attribute '{name}'"):
        exec(f"from {package} import {name}")
    assert importlib.util.find_spec(path) is None


def test_the_first_missing_module_is_named(tf):
    for text in ("import tensorflow.contrib.slim", "from tensorflow.contrib import slim"):
        with pytest.raises(ModuleNotFoundError, match="tf.keras.layers") as caught:
            exec(text)
        assert caught.value.name == "tensorflow.contrib"


def test_modules_that_exist_are_found(tf):
    for path in ("tensorflow", "tensorflow.keras.layers", "tensorflow.python.framework.ops"):
        assert importlib.util.find_spec(path).name == path


def test_the_package_says_what_it_requires(tf):
    found = importlib.metadata.distribution("tensorflow")
    assert found.requires == ["eagerflow"] and found.version == tf.__version__

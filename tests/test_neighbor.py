"""The package `eagerflow` without its neighbour, `eagerflow_compat`."""

import importlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import eagerflow as tf

TESTS = Path(__file__).parent
# Some tests of the package, which run in a separate process without the neighbour.
OWN_TESTS = """
autodiff/test_tape.py checkpoint/test_checkpoint.py data/test_iterators.py framework/test_tensor.py
framework/test_variable.py function/test_control_flow.py function/test_function.py
keras/engine/functional keras/losses/test_ragged.py keras/saving/test_serialization.py lookup
saved_model/test_save_functions.py sparse
""".split()
BLOCKED = "import sys; sys.modules['eagerflow_compat'] = None\n"


def _run(program, *arguments):
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_public_names_are_modules_of_the_neighbor():
    import eagerflow.compat.v1.keras.layers as layers
    import eagerflow.contrib.eager as eager

    assert tf.compat.v1.keras.layers is layers
    assert tf.keras.ops.nn is importlib.import_module("eagerflow.keras.ops.nn")
    assert eager is importlib.import_module("eagerflow_compat.contrib.eager")
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        importlib.import_module("eagerflow.contrib.no_such")


@pytest.mark.parametrize(
    "name",
    "compat.v1 tpu install_as_tensorflow keras.ops keras.datasets.california_housing "
    "keras.layers.RandomHue keras.losses.dice".split(),
)
def test_a_missing_neighbor_is_named_by_attributes(name):
    done = _run(f"import eagerflow as tf\ntf.{name}")
    assert (
        f"AttributeError: eagerflow.{name} is part of the package eagerflow_compat" in done.stderr
    )
    assert "pip install" in done.stderr


@pytest.mark.parametrize(
    "name",
    "compat.v1 contrib.eager horovod keras_backend keras.datasets.california_housing keras.ops.nn "
    "keras.random keras.wrappers.scikit_learn".split(),
)
def test_a_missing_neighbor_is_named_by_imports(name):
    done = _run(f"import eagerflow.{name}")
    assert "ModuleNotFoundError: eagerflow." in done.stderr
    assert "is part of the package eagerflow_compat, which is not installed" in done.stderr


@pytest.mark.parametrize(
    "use",
    [
        "keras.layers.deserialize({'class_name': 'RandomHue', 'config': {'factor': 0.5}})",
        "keras.optimizers.get('lamb')",
        "keras.losses.get('dice')",
        "keras.activations.get('celu')",
        "keras.activations.glu",
    ],
)
def test_a_missing_neighbor_is_named_by_configurations(use):
    done = _run(f"from eagerflow import keras\n{use}")
    assert "is part of the package eagerflow_compat, which is not installed" in done.stderr


def test_namespaces_list_no_names_of_a_missing_neighbor():
    done = _run(
        """
        from eagerflow import *
        from eagerflow.keras import *
        from eagerflow.keras.layers import *
        from eagerflow.keras.losses import *
        import eagerflow as tf
        assert "Dense" in dir(tf.keras.layers) and "RandomHue" not in dir(tf.keras.layers)
        assert not hasattr(tf.keras.layers, "RandomHue") and not hasattr(tf.keras, "ops")
        assert not hasattr(tf.keras.activations, "celu")
        """
    )
    assert not done.stderr


def test_a_missing_neighbor_is_named_by_the_command():
    program = "import runpy; runpy.run_module('eagerflow', run_name='__main__')"
    assert "eagerflow run is part of the package eagerflow_compat" in _run(program, "x.py").stderr
    assert "eagerflow check is part of" in _run(program, "--check", "x.py").stderr
    assert "eagerflow_compat  missing" in _run(program, "doctor").stdout


def test_the_package_passes_tests_of_its_own_without_the_neighbor():
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "without_neighbor", "-p", "no:cacheprovider"),
            *("-q", "-n", "0", *OWN_TESTS),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert done.returncode == 0, done.stdout[-4000:]

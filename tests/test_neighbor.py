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
# Some of the package's own tests, which run in a process of their own without the neighbour.
OWN_TESTS = """
autodiff/test_tape.py checkpoint/test_checkpoint.py data/test_iterators.py framework/test_tensor.py
framework/test_variable.py function/test_control_flow.py function/test_function.py lookup
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
    assert eager is importlib.import_module("eagerflow_compat.contrib.eager")
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        importlib.import_module("eagerflow.contrib.no_such")


@pytest.mark.parametrize("name", ["compat.v1", "tpu", "install_as_tensorflow"])
def test_a_missing_neighbor_is_named_by_attributes(name):
    done = _run(f"import eagerflow as tf\ntf.{name}")
    assert (
        f"AttributeError: eagerflow.{name} is part of the package eagerflow_compat" in done.stderr
    )
    assert "pip install" in done.stderr


@pytest.mark.parametrize("name", ["compat.v1", "contrib.eager", "horovod", "keras_backend"])
def test_a_missing_neighbor_is_named_by_imports(name):
    done = _run(f"import eagerflow.{name}")
    assert "ModuleNotFoundError: eagerflow." in done.stderr
    assert "is part of the package eagerflow_compat, which is not installed" in done.stderr


def test_a_missing_neighbor_is_named_by_the_command():
    done = _run("import runpy; runpy.run_module('eagerflow', run_name='__main__')")
    assert "python -m eagerflow is part of the package eagerflow_compat" in done.stderr


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

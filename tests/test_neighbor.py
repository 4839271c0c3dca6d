"""The package `eagerflow` without its neighbour, `eagerflow_compat`."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import eagerflow as tf

TESTS = Path(__file__).parent
# What the neighbour's tests are; all others run without it, but for the lines below.
OURS = ["framework", "autodiff/test_tape.py"]
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
    import eagerflow.contrib.eager
    import eagerflow_compat.contrib

    assert tf.compat.v1.keras.layers is layers
    assert eagerflow.contrib is eagerflow_compat.contrib
    with pytest.raises(ModuleNotFoundError, match="no_such"):
        import eagerflow.contrib.no_such


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

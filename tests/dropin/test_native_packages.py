"""Packages with libraries compiled against TensorFlow: where they are installed, their import is refused."""

import subprocess
import sys

import pytest

from eagerflow_compat.dropin import native_packages

PROGRAM = """
import importlib.util
import sys
sys.path.insert(0, {folder!r})
import tensorflow as tf
assert (importlib.util.find_spec({name!r}) is not None) == {installed}
try:
    import {name}
except ImportError as error:
    print(error.name, error)
try:
    from {name}.inner import thing
except ImportError as error:
    print(error.name, error)
"""


def run(name, folder, installed):
    text = PROGRAM.format(folder=str(folder), name=name, installed=installed)
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", "-c", text], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", native_packages._INSTEAD)
def test_import_is_refused_where_the_package_is_installed(name, tmp_path):
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it was run')")
    done = run(name, tmp_path, True)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert line.startswith(name) and "loads a compiled library of TensorFlow" in line
        assert line.endswith(f"{native_packages._INSTEAD[name][1]}.")
    assert len(done.stdout.splitlines()) == 2


def test_a_package_that_is_not_installed_is_missing(tmp_path):
    done = run("tensorflow_io", tmp_path, False)
    assert done.returncode == 0, done.stderr
    assert "No module named 'tensorflow_io'" in done.stdout

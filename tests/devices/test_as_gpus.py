"""Programs for GPUs, with the CPU's plugin in their place."""

import os
import pathlib
import subprocess
import sys

import pytest

from eagerflow import _core
from eagerflow.framework import plugins

CPU = next((p for p in plugins.installed() if p.is_cpu), None)
pytestmark = pytest.mark.skipif(
    CPU is None or not _core.pjrt.built_in(), reason="needs the package xla-cpu-pjrt"
)
FOLDER = pathlib.Path(__file__).parent
PROGRAMS = sorted((FOLDER / "programs").glob("*.py"))


def output_of(program, plugin=None):
    """What a program prints where the plugin's devices are GPUs."""
    roots = [str(FOLDER.parent), str(FOLDER.parents[1])]
    environment = os.environ | {
        "EAGERFLOW_PJRT_PLUGINS": f"GPU={plugin or CPU.path}",
        "PYTHONPATH": os.pathsep.join(roots),
    }
    done = subprocess.run(
        [sys.executable, *program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path):
    """It prints what is written beside it."""
    assert output_of([str(path)]) == path.with_suffix(".txt").read_text()


def test_a_plugin_that_cannot_be_used(tmp_path):
    """A warning, and no devices: the CPU goes on."""
    program = (
        "import eagerflow as tf; print(tf.config.list_physical_devices('GPU')); "
        "print((tf.zeros(2) + 1.0).device)"
    )
    answer = output_of(["-c", program], plugin=tmp_path / "missing.so")
    assert answer == "[]\n/job:localhost/replica:0/task:0/device:CPU:0\n"

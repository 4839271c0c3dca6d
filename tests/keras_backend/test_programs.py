"""Keras 3 on this engine: programs with the real package, in processes of their own."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(find_spec("keras") is None, reason="needs Keras 3")
FOLDER = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]


def run(*arguments, **variables):
    return subprocess.run(
        [sys.executable, *arguments],
        env=dict(os.environ, PYTHONPATH=str(ROOT), MPLBACKEND="Agg", **variables),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("program", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_program(program):
    done = run(str(program))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text, variables, message",
    [
        ("import eagerflow.keras_backend", {"KERAS_BACKEND": "jax"}, "asks for 'jax'"),
        (
            "import sys; sys.modules['keras.src.backend'] = sys\nimport eagerflow.keras_backend",
            {},
            "before it",
        ),
        (
            "import sys; sys.modules['keras'] = None\nimport eagerflow.keras_backend",
            {},
            "pip install",
        ),
    ],
)
def test_what_stands_in_the_way_is_said(text, variables, message):
    done = run("-c", text, **variables)
    assert done.returncode == 1
    assert "ImportError" in done.stderr and message in done.stderr

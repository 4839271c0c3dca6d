"""Trainings that are killed and resumed end with the bits of one that was not."""

import subprocess
import sys

import pytest

import killed_training


@pytest.mark.parametrize("kind", killed_training.KINDS)
def test_a_few_kills(kind, tmp_path):
    command = [sys.executable, "-W", "error::UserWarning", killed_training.__file__]
    done = subprocess.run(
        [*command, str(tmp_path), kind, "2"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", "True"]

"""Replicas, their variables, values and input, compared with TensorFlow."""

import pathlib

import pytest

import device_programs

PROGRAMS = sorted((pathlib.Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path):
    device_programs.check(path)

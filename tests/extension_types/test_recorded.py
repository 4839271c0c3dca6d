"""Expressions of extension types, and what TensorFlow 2.21 shows for them."""

import json
from pathlib import Path

import pytest

import eagerflow as tf
from extension_types.definitions import names

CASES = json.loads((Path(__file__).parent / "recorded.json").read_text())
NAMES = names(tf)


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_shows_what_tensorflow_shows(expression, expected):
    try:
        shown = repr(eval(expression, dict(NAMES)))
    except Exception as error:
        shown = f"{type(error).__name__}: {error}"
    if expected.endswith("..."):
        assert shown.startswith(expected[:-3])
    else:
        assert shown == expected

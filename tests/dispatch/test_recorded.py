"""Calls of functions that programs have defined for a type, and what TensorFlow 2.21 shows."""

import json
from pathlib import Path

import pytest

import eagerflow as tf
from dispatch.definitions import names

CASES = json.loads((Path(__file__).parent / "recorded.json").read_text())


@pytest.fixture(scope="module")
def registered():
    found = names(tf)
    yield found
    for function in found["registered"]:
        tf.experimental.unregister_dispatch_for(function)


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_shows_what_tensorflow_shows(registered, expression, expected):
    try:
        shown = repr(eval(expression, dict(registered)))
    except Exception as error:
        shown = f"{type(error).__name__}: {error}"
    if expected.endswith("..."):
        assert shown.startswith(expected[:-3])
    else:
        assert shown == expected

"""Functions of ragged tensors of several ragged ranks, as TensorFlow 2.21 answers."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from ragged import shapes_sweep

RECORDED = json.loads((Path(__file__).parent / "sweep.json").read_text())
CASES = [(expression, name) for expression, found in RECORDED.items() for name in found]
names = functools.cache(lambda configuration: shapes_sweep.names(tf, configuration))


def agree(ours, theirs):
    if isinstance(ours, list) and isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            agree(one, other)
    elif isinstance(ours, float) and isinstance(theirs, float):
        np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=1e-5)
    else:
        assert ours == theirs


@pytest.mark.parametrize("expression, name", CASES, ids=[f"{e}-{n}" for e, n in CASES])
def test_answers_like_tensorflow(expression, name):
    agree(shapes_sweep.answer(tf, expression, dict(names(name))), RECORDED[expression][name])

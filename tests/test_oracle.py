"""TensorFlow's recorded answers, asked of eagerflow again; tests/oracle says how."""

from __future__ import annotations

import functools

import pytest

import eagerflow as tf
from oracle import registry, values

recorded = functools.cache(values.load)
CASES = [
    (family, name)
    for family in registry.FAMILIES
    if (values.RECORDED / f"{family}.json").exists()
    for name in recorded(family)[0]
]


@pytest.mark.parametrize(("family", "name"), CASES, ids=[f"{f}/{n}" for f, n in CASES])
def test_answers_like_tensorflow(family: str, name: str) -> None:
    """A case gives the value, dtype and shape, or the kind of error, that TensorFlow gave."""
    answers, theirs = recorded(family)
    case = registry.load(family)[name]
    store = values.Store()
    values.compare(case, answers[name], values.answer(tf, case, store), theirs, store)

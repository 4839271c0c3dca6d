"""Eagerflow's results against TensorFlow's recorded ones; see tests/oracle."""

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


# Cases in which eagerflow differs from TensorFlow: erf(inf) is not NaN, an empty batch has the
# shape of a full one, and a mean of float16 does not overflow before it divides. A case that agrees
# must be removed.
KNOWN_DIFFERENCES = frozenset(
    (values.RECORDED.parent / "known_differences.txt").read_text().splitlines()
)


@pytest.mark.parametrize(("family", "name"), CASES, ids=[f"{f}/{n}" for f, n in CASES])
def test_answers_like_tensorflow(family: str, name: str) -> None:
    """A case has the value, dtype and shape, or the kind of error, that TensorFlow recorded."""
    answers, theirs = recorded(family)
    case = registry.load(family)[name]
    store = values.Store()
    if f"{family}/{name}" not in KNOWN_DIFFERENCES:
        values.compare(case, answers[name], values.answer(tf, case, store), theirs, store)
        return
    try:
        values.compare(case, answers[name], values.answer(tf, case, store), theirs, store)
    except Exception:  # any difference
        return
    pytest.fail("agrees with TensorFlow now: take it off known_differences.txt")

"""Programs of traced functions give TensorFlow's answers and errors; tests/oracle/cases has them."""

from __future__ import annotations

import functools
import types

import pytest

import eagerflow
from eagerflow.functions.function import function
from oracle import registry, values

recorded = functools.cache(values.load)
CASES = [(family, name) for family in registry.TRACED for name in recorded(family)[0]]

# Additions of numbers of other dtypes raise what they raise eagerly.
DIFFERENT = {"autograph_errors/trace[dtypes in loop]"}

# Programs with TensorArrays, and loops over rows: they need lists of tensors in graphs.
WITH_LISTS = {
    "dynamic_rnn",
    "fizzbuzz",
    "for_break_continue",
    "for_rows",
    "for_rows_of_unknown_size",
    "gradients_of_loops",
    "rollout",
    "tensor_arrays",
}


# eagerflow, whose `tf.function` traces: a module, as programs have it.
traced = types.ModuleType("traced")
traced.function = function
traced.__getattr__ = functools.partial(getattr, eagerflow)


@pytest.mark.parametrize(("family", "name"), CASES, ids=[f"{f}/{n}" for f, n in CASES])
def test_answers_like_tensorflow(family: str, name: str, request: pytest.FixtureRequest) -> None:
    if f"{family}/{name}" in DIFFERENT:
        request.node.add_marker(pytest.mark.xfail(strict=True))
    if name in WITH_LISTS:
        pytest.importorskip("eagerflow.ops.graph_tensor_array")
    answers, theirs = recorded(family)
    case = registry.load(family)[name]
    store = values.Store()
    values.compare(case, answers[name], values.answer(traced, case, store), theirs, store)

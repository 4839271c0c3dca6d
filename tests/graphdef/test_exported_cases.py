"""Graphs of the oracle's cases are exported, and compute the same when they are imported."""

import pytest

import eagerflow as tf
from eagerflow.protos.graph import MESSAGES
from oracle import exports


def wrong(family):
    """The cases of a family that cannot be exported, or compute other values, and why."""
    found = {}
    for one in exports.of_family(family, 3):
        if isinstance(one, exports.Refused):
            found[f"{family}/{one.name}"] = one.reason
            continue
        message = MESSAGES["GraphDef"].FromString(one.graph_def)
        results = exports.computed(tf, one, message)
        for result, expected in zip(results, one.results, strict=True):
            if reason := exports.difference(result, expected):
                found[f"{family}/{one.name}"] = reason
    return found


@pytest.mark.parametrize("family", exports.FAMILIES)
def test_cases_come_back(family):
    found = wrong(family)
    listed = {name for name in exports.listed() if name.startswith(f"{family}/")}
    assert {name: reason for name, reason in found.items() if name not in listed} == {}
    assert listed - found.keys() == set(), "These are exported now: they leave the list."

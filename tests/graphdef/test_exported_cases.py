"""Graphs of the oracle's cases are exported, and compute the same when they are imported."""

import functools
from pathlib import Path

import pytest

import eagerflow as tf
from eagerflow.protos.graph import MESSAGES
from oracle import exports

_LIST = Path(exports.__file__).parent / "not_exported.txt"


@functools.cache
def _listed():
    """The cases that cannot be exported, or compute other values: `family/name`."""
    lines = _LIST.read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


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
    listed = {name for name in _listed() if name.startswith(f"{family}/")}
    assert {name: reason for name, reason in found.items() if name not in listed} == {}
    assert listed - found.keys() == set(), "These are exported now: they leave the list."

"""Results of traced cases against TensorFlow's recorded ones."""

from __future__ import annotations

import functools
import traceback

import pytest

import eagerflow as tf
from oracle import in_graphs, registry, values

FAMILIES = (
    "elementwise reductions shapes indexing linalg decompositions nn special signal images strings "
    "neighbourhoods tables ctc quantization raw_ops"
).split()
recorded = functools.cache(values.load)


def _cases():
    for family in FAMILIES:
        for number, (name, answer) in enumerate(recorded(family)[0].items()):
            if isinstance(answer, dict) and "raised" in answer:
                continue
            yield family, name, "sizes"
            if number % 3 < 2:
                yield family, name, ("ranks", "nothing")[number % 3]


CASES = list(_cases())


def _listed(file: str) -> frozenset[str]:
    lines = (values.RECORDED.parent / file).read_text().splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


# Cases in which graphs differ, as TensorFlow's do, and those that no mode computes.
MISSING = _listed("not_in_graphs.txt") | _listed("known_differences.txt")


def _reads_values(error: BaseException) -> bool:
    """Whether the case itself, and not the package, read the value of a tensor of the graph."""
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    last = [name for name in frames if name.endswith(".py")][-1]
    return "/oracle/" in last and last != in_graphs.__file__


@pytest.mark.parametrize(
    ("family", "name", "known"),
    CASES,
    ids=[f"{family}/{name}-{known}" for family, name, known in CASES],
)
def test_graphs_answer_like_tensorflow(family: str, name: str, known: str) -> None:
    """A case in a graph has the values that TensorFlow recorded."""
    answers, theirs = recorded(family)
    case = in_graphs.InGraph(registry.load(family)[name], known)
    store = values.Store()
    is_missing = f"{family}/{name}" in MISSING
    try:
        answer = values.answer(tf, case, store)
    except Exception as error:
        if isinstance(error, in_graphs.NoTensor) or _reads_values(error):
            pytest.skip("the case reads values")
        if is_missing:
            return
        if known == "nothing" and isinstance(error, ValueError):
            pytest.skip("TensorFlow asks for a rank, too")
        raise
    try:
        values.compare(case, answers[name], answer, theirs, store)
    except AssertionError:
        if not is_missing:
            raise

"""Operations on iterators, which programs pass to a file's functions."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef.state_ops import Handler
from eagerflow.util import lazy

graph_iterators = lazy.Module("eagerflow.data.graph_iterators")  # few graphs have iterators


def _next(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    handle = inputs["iterator"]
    shapes, types = attrs["output_shapes"], attrs["output_types"]
    specs = tuple(TensorSpec(shape, dtype) for shape, dtype in zip(shapes, types, strict=True))
    if _core.is_symbolic(handle):
        return [list(graph_iterators.GraphIterator(handle, specs).get_next())]
    return [graph_iterators.NextElement(specs)(handle)]


HANDLERS: dict[str, Handler] = {"IteratorGetNext": _next, "IteratorGetNextSync": _next}

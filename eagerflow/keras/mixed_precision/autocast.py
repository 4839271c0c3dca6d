"""Variables that are cast to the compute dtype when a layer reads them."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable


class AutoCastVariable(Variable):
    """A variable that its layer reads in the compute dtype during a call."""


class reading_casts:
    """Inside a `with` block, such attributes of layers are their cast values.

    The casts are recorded by tapes, so that gradients reach the variables in their own dtype.

    Args:
        layers: the layers.
    """

    def __init__(self, layers: list[object]) -> None:
        self._layers = layers
        self._replaced: list[tuple[dict[str, object], str, object]] = []

    def __enter__(self) -> None:
        for layer in self._layers:
            attributes = layer.__dict__
            compute = attributes["_dtype_policy"].compute if "_dtype_policy" in attributes else None
            if compute is None:
                continue
            for name, value in attributes.items():
                if type(value) is AutoCastVariable and value.dtype is not compute:
                    self._replaced.append((attributes, name, value))
                    attributes[name] = _core.ops.cast(value, compute)
            computed: Any = attributes.get("_computed_weight")
            if computed is not None:
                weight: Any = attributes[computed]
                self._replaced.append((attributes, computed, weight))
                attributes[computed] = weight.cast(compute)

    def __exit__(self, *details: Any) -> None:
        for attributes, name, value in self._replaced:
            attributes[name] = value

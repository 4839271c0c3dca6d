"""Inputs for gradient checks of every differentiable operation of the table."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from gradient_check import Case


def call(name: str, *inputs: Any, **options: Any) -> Case:
    """A case that calls an operation of the table; `wrt`, `second`, `flat` are the case's."""
    settings = {key: options.pop(key) for key in ("wrt", "second", "flat") if key in options}
    operation = getattr(_core.ops, name)
    return Case(
        name,
        lambda *tensors: operation(*tensors, **options),
        inputs,
        label=label_of(options),
        **settings,
    )


def call_list(name: str, *inputs: Any, **options: Any) -> Case:
    """The same for an operation that takes one list of tensors."""
    operation = getattr(_core.ops, name)
    return Case(
        name, lambda *tensors: operation(list(tensors), **options), inputs, label=label_of(options)
    )


def label_of(options: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in options.items()).replace(" ", "")

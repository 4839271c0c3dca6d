"""tf.__internal__, its `tf2` and its `train`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.compat.internals.ops import EagerTensor, SymbolicTensor
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import process
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.name_scope import get_current_name_scope as get_name_scope

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "assign_moving_average",
    "enabled",
    "execute_fn_for_device",
    "get_enclosing_xla_context",
    "get_name_scope",
    "is_mixed_precision_graph_rewrite_enabled",
    "is_tfrt_enabled",
]


def enabled() -> bool:
    """Whether the program runs as one of version 2."""
    return process.eager


def execute_fn_for_device(
    device_branch_fns: dict[str, Callable[[], Any]], default_fn: Callable[[], Any], name: str = ""
) -> Any:
    """What the function for the device of this machine, or else the default one, returns."""
    return device_branch_fns.get("CPU", default_fn)()


def is_tfrt_enabled() -> bool:
    """False: there is one runtime, which is none of TensorFlow's."""
    return False


def get_enclosing_xla_context() -> None:
    """None: there is no compiler."""


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """False: graphs are not rewritten for 16-bit floats."""
    return False


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = False, name: str | None = None
) -> Any:
    """Moves a variable towards a value: `variable -= (1 - decay) * (variable - value)`."""
    current = variable.read_value()
    rate = _core.convert(1.0 - decay, current.dtype, None)
    return variable.assign_sub((current - value) * rate)

"""tensorflow.python.framework.smart_cond and ops.control_flow_util: choices that may be known."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.graph.control_flow import with_dependencies
from eagerflow.ops.control_flow import case, cond
from eagerflow.ops.conversion import get_static_value
from eagerflow.typing import Structure, TensorLike

__all__ = [
    "ENABLE_CONTROL_FLOW_V2",
    "EnableControlFlowV2",
    "GetContainingWhileContext",
    "GetContainingXLAContext",
    "GraphOrParentsInXlaContext",
    "InXlaContext",
    "IsInWhileLoop",
    "IsInXLAContext",
    "_case_helper",
    "get_enclosing_xla_context",
    "smart_case",
    "smart_cond",
    "smart_constant_value",
    "with_dependencies",
]

ENABLE_CONTROL_FLOW_V2 = True


def smart_constant_value(pred: Any) -> Any:
    """The value of a condition, or None if it is not known.

    Raises:
        TypeError: if `pred` is no boolean, 0, 1 or tensor.
    """
    if isinstance(pred, _core.Tensor):
        return get_static_value(pred)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(
        "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
        f"pred={pred} of type {type(pred).__name__}"
    )


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Structure] | None = None,
    false_fn: Callable[[], Structure] | None = None,
    name: str | None = None,
) -> Structure:
    """Calls one of two functions where the condition is known, and else leaves it to `tf.cond`.

    Raises:
        TypeError: if one of the functions cannot be called.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(
                f"Argument `{argument}` must be callable. Received {argument}={function}."
            )
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()  # type: ignore[misc]


def smart_case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, name: str = "smart_case"
) -> Any:
    """`tf.case`, which calls the function of the first condition that is known to hold."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    unknown = []
    for pred, function in pairs:
        known = smart_constant_value(pred)
        if known is None:
            unknown.append((pred, function))
        elif known and not unknown:
            return function()
        elif known:
            return case(unknown, default=function, exclusive=exclusive, name=name)
    if not unknown:
        return default()
    return case(unknown, default=default, exclusive=exclusive, name=name)


def _case_helper(
    cond_fn: Callable[..., Structure],
    pred_fn_pairs: Any,
    default: Callable[[], Structure] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Structure:
    """A case by the `cond` of a library: what the function of the first condition returns."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    call = default or pairs.pop()[1]
    for condition, function in reversed(pairs):
        call = functools.partial(cond_fn, condition, true_fn=function, false_fn=call, **cond_kwargs)
    return call()


def EnableControlFlowV2(graph: object) -> bool:
    """True: choices and loops are operations of a graph, however they are asked for."""
    return True


def InXlaContext(graph: object) -> bool:
    """False: there is no compiler."""
    return False


GraphOrParentsInXlaContext = IsInXLAContext = InXlaContext


def IsInWhileLoop(op: object) -> bool:
    """False: what a loop runs is in a graph of its own."""
    return False


def GetContainingWhileContext(ctxt: object, stop_ctxt: object = None) -> None:
    """None: what a loop runs is in a graph of its own."""


def GetContainingXLAContext(ctxt: object) -> None:
    """None: there is no compiler."""


def get_enclosing_xla_context() -> None:
    """None: there is no compiler."""

"""`if` statements and conditional expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.autograph.operators.checks import check_branch, check_branches, check_either
from eagerflow.autograph.operators.containers import EmptyArray, as_loop_variable, empty_like
from eagerflow.autograph.operators.staging import condition, is_staged, scratch_graph
from eagerflow.ops import control_flow
from eagerflow.ops.tensor_array import TensorArray


def if_stmt(
    cond: object,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
    symbol_names: tuple[str, ...],
    nouts: int,
) -> None:
    """An `if` statement.

    Args:
        cond: the condition.
        body: runs the first branch.
        orelse: runs the second.
        get_state: the values of the variables that the branches change.
        set_state: sets their values.
        symbol_names: their names.
        nouts: how many of them, the first ones, are read afterwards.

    Raises:
        TypeError: if a variable's structure or dtype depends on the branch.
        ValueError: if the condition is not a boolean scalar, or a branch gives a variable no value.
    """
    if not is_staged(cond):
        if cond:
            body()
        else:
            orelse()
        return
    before = _with_arrays(get_state(), (body, orelse), get_state, set_state)
    names = symbol_names[:nouts]
    results: dict[str, tuple] = {}

    def traced(block: Callable[[], None], branch: str) -> Callable[[], tuple]:
        def run() -> tuple:
            set_state(before)
            block()
            results[branch] = after = get_state()[:nouts]
            check_branch(after, names, branch)
            if len(results) == 2:
                check_branches(results["main"], results["else"], names)
            return after

        return run

    after = control_flow.cond(
        condition(cond, "if statement"), traced(body, "main"), traced(orelse, "else")
    )
    set_state((*(after if nouts else ()), *before[nouts:]))


def _with_arrays(
    state: tuple,
    blocks: tuple[Callable[[], None], ...],
    get_state: Callable[[], tuple],
    set_state: Callable[[tuple], None],
) -> tuple:
    """The variables before a branch, with TensorArrays for the lists that it may change.

    What is appended to an empty list is seen in an execution of which nothing is kept.
    """
    before = tuple(map(as_loop_variable, state))
    for block in blocks:
        if not any(isinstance(value, EmptyArray) for value in before):
            break
        with scratch_graph("branch"):
            set_state(before)
            block()
            after = get_state()
        before = tuple(
            empty_like(new) if isinstance(old, EmptyArray) and isinstance(new, TensorArray) else old
            for old, new in zip(before, after, strict=True)
        )
    pairs = zip(state, before, strict=True)
    return tuple(old if isinstance(new, EmptyArray) else new for old, new in pairs)


def if_exp(
    cond: object, if_true: Callable[[], object], if_false: Callable[[], object], expr_repr: str
) -> Any:
    """`if_true() if cond else if_false()`.

    Args:
        cond: the condition.
        if_true: gives the first value.
        if_false: gives the second.
        expr_repr: the condition's source.

    Raises:
        TypeError: if the values differ in structure or dtype.
        ValueError: if the condition is not a boolean scalar, or a value is None.
    """
    if not is_staged(cond):
        return if_true() if cond else if_false()
    results: list[Any] = []

    def traced(value: Callable[[], object]) -> Callable[[], Any]:
        def run() -> Any:
            results.append(value())
            if len(results) == 2:
                check_either(expr_repr, *results)
            return results[-1]

        return run

    checked = condition(cond, "if expression")
    return control_flow.cond(checked, traced(if_true), traced(if_false))

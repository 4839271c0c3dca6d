"""`while` statements, and the loop nodes that all loops over tensors become."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.autograph.operators.checks import check_before_loop, check_iteration, widened
from eagerflow.autograph.operators.containers import EmptyArray, as_loop_variable, empty_like
from eagerflow.autograph.operators.staging import (
    VALUES,
    Tensor,
    condition,
    is_staged,
    placeholder_like,
    scratch_graph,
)
from eagerflow.autograph.operators.variables import is_undefined
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import control_flow
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.util import lazy

assertions = lazy.Module("eagerflow.ops.assertions")  # few programs need it

_ops = _core.ops

State = tuple[Any, ...]


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, object],
) -> None:
    """A `while` statement.

    Args:
        test: gives the condition.
        body: runs an iteration.
        get_state: the values of the variables that the loop changes.
        set_state: sets their values.
        symbol_names: their names.
        opts: what `set_loop_options` says.

    Raises:
        NotImplementedError: if the condition becomes a tensor in a loop that began without one.
        TypeError: if a variable's structure or dtype changes in an iteration.
        ValueError: if the condition is not a boolean scalar, a shape changes, or a variable has no
            value.
    """
    if _core.building() is None:
        while test():
            body()
        return
    # Where a tensor decides, the condition is traced again in a graph of its own.
    with scratch_graph("while_condition"):
        first = test()
    if is_staged(first):
        staged_while(test, body, get_state, set_state, symbol_names, opts)
        return
    while first:
        body()
        first = test()
        if is_symbolic(first):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may "
                "happen either because variables changed type, or when a break or return statement "
                "inside the loop depends on a Tensor condition. In both cases, changing to a TF loop "
                "should remove the error: make the condition a tensor before the loop."
            )


def is_missing(value: object) -> bool:
    """Whether a variable has no value that a loop can begin with."""
    return value is None or is_undefined(value) or isinstance(value, EmptyArray)


def staged_while(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    opts: dict[str, Any],
    relaxes: bool = False,
) -> None:
    """A loop whose condition is a tensor, as a `tf.while_loop`; see `while_stmt`.

    A variable without a value before the loop begins with zeros of the kind that an iteration gives
    it; the loop then checks that there was an iteration. With `relaxes`, a loop in which shapes change is
    traced again for shapes that fit all iterations.
    """
    initial = tuple(map(as_loop_variable, get_state()))
    declared = [(value, shape) for value, shape in opts.get("shape_invariants", ())]
    invariants = [_invariant(value, declared) for value in initial]
    missing = [
        name
        for name, value in zip(names, initial, strict=True)
        if is_missing(value) and not isinstance(value, EmptyArray)
    ]
    if any(map(is_missing, initial)):
        initial, invariants = _with_placeholders(
            body, get_state, set_state, names, initial, invariants
        )
    # A first variable tells whether there was an iteration; a loop must also have one variable.
    extra = 1 if missing or not names else 0

    def traced_test(*values: object) -> _core.Tensor:
        set_state(values[extra:])
        return condition(test(), "while loop")

    def traced_body(*values: object) -> State:
        values = values[extra:]
        set_state(values)
        body()
        after = get_state()
        for each in zip(names, initial, values, after, invariants, strict=True):
            check_iteration(*each, shapes=not relaxes)
        if relaxes:
            _check_widened(initial, values, after, invariants)
        return (*(True,) * extra, *after)

    begin = (*(False,) * extra, *initial)
    options = {key: value for key, value in opts.items() if key in _OPTIONS}
    final = None
    while final is None:
        if any(invariant is not None for invariant in invariants):
            shapes = [
                nest.map_structure(_shape, value) if invariant is None else invariant
                for value, invariant in zip(initial, invariants, strict=True)
            ]
            options["shape_invariants"] = (*[TensorShape(())] * extra, *shapes)
        try:
            final = tuple(control_flow.while_loop(traced_test, traced_body, begin, **options))
        except _ShapesChangedError as change:
            invariants = change.invariants
            set_state(initial)
    if missing:
        text = f"loop must iterate at least once to initialize {', '.join(missing)}"
        assertions.Assert(final[0], [text])
    set_state(final[extra:])


class _ShapesChangedError(Exception):
    """An iteration of a loop that relaxes shapes has changed them.

    Args:
        invariants: the structure of shapes of each variable that fits them, or None.
    """

    def __init__(self, invariants: list[Any]) -> None:
        super().__init__()
        self.invariants = invariants


def _check_widened(initial: State, entry: State, after: State, invariants: list[Any]) -> None:
    """Raises _ShapesChangedError if a variable has another shape after an iteration."""
    wider = [widened(*each) for each in zip(initial, entry, after, strict=True)]
    if any(shapes is not None for shapes in wider):
        raise _ShapesChangedError(
            [old if new is None else new for old, new in zip(invariants, wider, strict=True)]
        )


_OPTIONS = ("maximum_iterations", "parallel_iterations", "swap_memory")


def _invariant(value: object, declared: list[tuple[Any, Any]]) -> TensorShape | None:
    """The shape invariant that is declared for a variable, or None."""
    for other, shape in declared:
        if other is value:
            return TensorShape(shape) if isinstance(value, Tensor) else shape
    return None


def _shape(leaf: Any) -> TensorShape | None:
    """The shape of a variable that always fits its first value's, or None for other values."""
    return _core.as_tensor(leaf).shape if isinstance(leaf, (Tensor, *VALUES)) else None


def _with_placeholders(
    body: Callable[[], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    names: tuple[str, ...],
    initial: State,
    invariants: list[Any],
) -> tuple[State, list[Any]]:
    """First values for all variables of a loop, and their shape invariants.

    An iteration that nobody keeps shows what becomes of the variables without a value.
    """
    reason = None
    first: State | None = None
    with scratch_graph("loop_body") as graph:
        try:
            unknown = functools.partial(placeholder_like, graph)
            set_state(tuple(nest.map_structure(unknown, value) for value in initial))
            body()
            first = get_state()
        except (KeyError, TypeError, UnboundLocalError, ValueError) as error:
            reason = (
                "Note: AutoGraph tried to define it automatically, but ran into a "
                f"{type(error).__name__}: {error}"
            )
        finally:
            set_state(initial)
    if first is not None:
        pairs = [
            _first_value(before, after, invariant) if is_missing(before) else (before, invariant)
            for before, after, invariant in zip(initial, first, invariants, strict=True)
        ]
        initial = tuple(value for value, _ in pairs)
        invariants = [invariant for _, invariant in pairs]
    check_before_loop(initial, names, first, reason)
    return initial, invariants


def _first_value(before: object, after: object, invariant: object) -> tuple[Any, Any]:
    """A value like the one after an iteration, and the shape invariant that fits both.

    What it holds is never read: the loop's check sees to that.
    """
    if isinstance(after, list | tuple | dict):
        leaves = [_first_value(before, leaf, None) for leaf in nest.flatten(after)]
        if any(is_missing(value) for value, _ in leaves):
            return before, invariant
        values = nest.pack_sequence_as(after, [value for value, _ in leaves])
        shapes = [shape for _, shape in leaves]
        if all(shape is None for shape in shapes):
            return values, invariant
        shapes = [_shape(value) if shape is None else shape for value, shape in leaves]
        return values, nest.pack_sequence_as(after, shapes)
    if isinstance(before, EmptyArray) and isinstance(after, TensorArray):
        return empty_like(after), None
    if isinstance(after, VALUES):
        return nest.map_structure(lambda leaf: type(leaf)(), after), None
    if not isinstance(after, Tensor):
        return before, invariant
    shape = after.shape if invariant is None else TensorShape(invariant)
    if shape.rank is None:
        return _ops.zeros([], after.dtype), shape
    sizes = [size or 0 for size in shape.as_list()]
    known = shape.is_fully_defined() and invariant is None
    return _ops.zeros(sizes, after.dtype), None if known else shape

"""`for` statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.autograph.operators import builtin_functions
from eagerflow.autograph.operators.checks import check_iteration
from eagerflow.autograph.operators.loops import State, staged_while
from eagerflow.autograph.operators.staging import Tensor, is_staged
from eagerflow.autograph.operators.variables import Undefined
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.ops import control_flow
from eagerflow.ops.tensor_array import TensorArray

_ops = _core.ops

_ITERATE = "<internal iterate>"
_HAS_NEXT = "<internal has_next>"


def for_stmt(
    iterated: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: Callable[[], State],
    set_state: Callable[[State], None],
    symbol_names: tuple[str, ...],
    opts: dict[str, Any],
) -> None:
    """A `for` statement.

    Over rows of a tensor, numbers of a `tf.range`, rows of a ragged tensor and elements of a dataset, a
    traced function loops when it runs; over everything else, Python loops while it is traced.

    Args:
        iterated: what it goes through.
        extra_test: whether it goes on, where the body has a `break` or `return`; or None.
        body: runs an iteration, for an element.
        get_state: the values of the variables that the loop changes.
        set_state: sets their values.
        symbol_names: their names.
        opts: what `set_loop_options` says; the source of the loop's targets as `iterate_names`.

    Raises:
        NotImplementedError: if a tensor decides whether a loop of Python's goes on.
        Exception: see `while_stmt`.
    """
    loop = _Loop(extra_test, body, get_state, set_state, symbol_names, opts)
    if _core.building() is None:
        loop.over_elements(iterated)
    elif is_staged(iterated):
        limits = range_limits(iterated)
        if limits is None:
            loop.over_rows(_core.as_tensor(iterated))
        else:
            loop.over_range(*limits)
    elif isinstance(iterated, TensorArray):
        loop.over_rows(iterated.stack())
    elif builtin_functions.is_dataset(iterated):
        loop.over_iterator(iter(iterated), relaxes=True)
    elif builtin_functions.is_dataset_iterator(iterated):
        loop.over_iterator(iterated)
    elif builtin_functions.is_ragged(iterated):
        loop.over_ragged_rows(iterated)
    else:
        loop.over_elements(iterated)


def range_limits(value: Any) -> tuple[Tensor, Tensor, Tensor] | None:
    """The start, limit and step of what a `tf.range` gave; None for other tensors."""
    if not is_symbolic(value):
        return None
    node = _core.node_of(value)
    if node.type != "Range":
        return None
    start, limit, step = node.inputs
    return start, limit, step


def _rows_between(values: Any, begin: Tensor, end: Tensor) -> Any:
    """Some rows of a tensor or a ragged tensor."""
    if isinstance(values, Tensor):
        return values[begin:end]
    splits = values.row_splits[begin : end + 1]
    rows = _rows_between(values.values, splits[0], splits[-1])
    return type(values).from_row_splits(rows, splits - splits[0], validate=False)


class _Loop:
    """A `for` statement's parts; see `for_stmt`.

    Counters that a loop of its own needs lie in `_counter` and come first among its variables.
    """

    def __init__(
        self,
        extra_test: Callable[[], Any] | None,
        body: Callable[[Any], None],
        get_state: Callable[[], State],
        set_state: Callable[[State], None],
        names: tuple[str, ...],
        opts: dict[str, Any],
    ) -> None:
        self._extra_test = extra_test
        self._body = body
        self._get_state = get_state
        self._set_state = set_state
        self._names = names
        self._opts = opts
        self._counter: Any = None

    def over_elements(self, iterable: Any) -> None:
        """Python's loop."""
        if not self._goes_on():
            return
        for element in iterable:
            self._body(element)
            if not self._goes_on():
                return

    def _goes_on(self) -> bool:
        if self._extra_test is None:
            return True
        result = self._extra_test()
        if is_symbolic(result):
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in "
                "Python for loops. Did you intend to make it a TF loop? Loop over a tensor, for "
                "example over tf.range(n) instead of range(n)."
            )
        return bool(result)

    def over_range(self, start: Tensor, limit: Tensor, step: Tensor) -> None:
        """A loop that counts."""
        known = _core.static_value(step)
        known_step = None if known is None else known.numpy()

        def inside() -> Tensor:
            upward = _ops.less(self._counter, limit)
            if known_step is not None and known_step >= 0:
                return upward
            downward = _ops.greater(self._counter, limit)
            if known_step is not None:
                return downward
            return _ops.select(_ops.greater_equal(step, 0), upward, downward)

        def iteration() -> None:
            self._body(self._counter)
            self._counter = _ops.add(self._counter, step)

        self._counter = start
        self._run(inside, iteration, _ITERATE, counter_is_element=True)

    def over_rows(self, tensor: Tensor) -> None:
        """A loop over a tensor's first axis."""
        size = builtin_functions.len_(tensor)
        rows = TensorArray(
            tensor.dtype, size=size, clear_after_read=False, element_shape=tensor.shape[1:]
        )
        self._over_indices(size, rows.unstack(tensor).read)

    def over_ragged_rows(self, ragged: Any) -> None:
        """A loop over a ragged tensor's rows."""
        splits = ragged.row_splits
        count = _ops.cast(ragged.nrows(), "int32")
        rows = ragged.values
        self._over_indices(count, lambda k: _rows_between(rows, splits[k], splits[k + 1]))

    def _over_indices(self, size: Any, element: Callable[[Tensor], Any]) -> None:
        def inside() -> Tensor:
            return _ops.less(self._counter, size)

        def iteration() -> None:
            self._body(element(self._counter))
            self._counter = _ops.add(self._counter, 1)

        self._counter = _core.as_tensor(0)
        self._run(inside, iteration, _ITERATE)

    def over_iterator(self, iterator: Any, relaxes: bool = False) -> None:
        """A loop over what a dataset's iterator gives, until it ends.

        Args:
            iterator: the iterator.
            relaxes: whether the shapes of variables may change.
        """

        def iteration() -> None:
            following = iterator.get_next_as_optional()
            self._counter = following.has_value()
            before = self._get_state()

            def taken() -> State:
                self._set_state(before)
                self._body(following.get_value())
                after = self._get_state()
                for name, entry, value in zip(self._names, before, after, strict=True):
                    check_iteration(name, entry, entry, value, None, shapes=False)
                return after

            if before:
                self._set_state(control_flow.cond(self._counter, taken, lambda: before))
            else:
                control_flow.cond(self._counter, taken, lambda: ())

        self._counter = _core.as_tensor(True)
        self._run(lambda: self._counter, iteration, _HAS_NEXT, relaxes=relaxes)

    def _run(
        self,
        inside: Callable[[], Tensor],
        iteration: Callable[[], None],
        counter_name: str,
        counter_is_element: bool = False,
        relaxes: bool = False,
    ) -> None:
        """Runs a loop with the counter as its first variable.

        Args:
            inside: whether there is a further element.
            iteration: runs the body for the next element.
            counter_name: the counter's name.
            counter_is_element: whether the loop's target begins with the counter's value where it
                has none.
            relaxes: see `over_iterator`.
        """
        target = self._opts.get("iterate_names")

        def get_state() -> State:
            state = self._get_state()
            if counter_is_element:
                state = tuple(
                    self._counter if name == target and type(value) is Undefined else value
                    for name, value in zip(self._names, state, strict=True)
                )
            return (self._counter, *state)

        def set_state(state: State) -> None:
            self._counter = state[0]
            self._set_state(state[1:])

        def test() -> Any:
            further = inside()
            if self._extra_test is None:
                return further
            return control_flow.cond(further, self._extra_test, lambda: False)

        names = (counter_name, *self._names)
        staged_while(test, iteration, get_state, set_state, names, self._opts, relaxes)

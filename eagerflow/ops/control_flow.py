"""Control flow as functions: when programs run eagerly, Python's own does the work."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from eagerflow import _core, nest, random_seed
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.tensor_array import TensorArray

_ops = _core.ops
Tensor = _core.Tensor


def no_op(name: str | None = None) -> None:
    """Does nothing."""


def group(*inputs: Any, **kwargs: Any) -> None:
    """Does nothing: operations have run when their results exist.

    >>> v = tf.Variable(1.0)
    >>> tf.group(v.assign_add(1.0), v.assign_add(2.0))
    >>> float(v)
    4.0
    """


def tuple(tensors: Sequence, control_inputs: Any = None, name: str | None = None) -> Any:
    """The tensors themselves: operations have run when their results exist."""
    return tensors


def control_dependencies(control_inputs: Any) -> AbstractContextManager:
    """A context manager that does nothing: operations run in the order of the program.

    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     x = tf.constant(2)
    """
    if callable(control_inputs):
        control_inputs()
    return nullcontext()


def init_scope() -> AbstractContextManager:
    """A context manager in which random operations draw as outside of functions."""
    return random_seed.drawing(None)


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Calls one of two functions.

    Args:
        pred: a boolean, or a tensor of one element.
        true_fn: called without arguments if `pred` is true.
        false_fn: called otherwise.
        name: ignored.

    Raises:
        TypeError: if one of the functions cannot be called.

    >>> tf.cond(tf.constant(2) > 1, lambda: "more", lambda: "less")
    'more'
    """
    for function, text in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    return true_fn() if pred else false_fn()  # type: ignore[misc]


def case(
    pred_fn_pairs: Any,
    default: Callable | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function that belongs to the first true condition.

    Args:
        pred_fn_pairs: pairs of a boolean scalar and a function without arguments.
        default: called if no condition is true.
        exclusive: whether it is an error if several conditions are true.
        strict: ignored.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if no condition is true and there is no default, or several
            are and must not be.

    >>> tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)])
    2
    """
    if not isinstance(pred_fn_pairs, list | builtins.tuple | dict):
        raise TypeError(
            "'pred_fn_pairs' must be a list, tuple, or dict. Received: " + str(type(pred_fn_pairs))
        )
    pairs = pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    if not pairs:
        raise ValueError("not enough values to unpack: 'pred_fn_pairs' is empty")
    for pair in pairs:
        if not isinstance(pair, builtins.tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        if not callable(pair[1]):
            raise TypeError(f"Every function in 'pred_fn_pairs' must be callable: {pair[1]}")
    true = [function for condition, function in pairs if condition]
    if exclusive and len(true) > 1:
        raise invalid_argument("More than one condition evaluated as True but exclusive=True.")
    if true:
        return true[0]()
    if default is None:
        raise invalid_argument("None of the conditions evaluated as True, and there is no default.")
    return default()


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable | None = None,
    name: str = "switch_case",
) -> Any:
    """Calls the function with a given number.

    Args:
        branch_index: an integer scalar.
        branch_fns: a list of functions, a dictionary, or a list of pairs of numbers and functions.
        default: called if there is no such number; by default the last function is.
        name: ignored.

    >>> tf.switch_case(1, [lambda: "a", lambda: "b"])
    'b'
    """
    if not isinstance(branch_index, int | np.integer | _core.Tensor | _core.Variable):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not isinstance(branch_fns, list | builtins.tuple | dict) or not branch_fns:
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict. Received: {branch_fns}")
    if isinstance(branch_fns, dict):
        branches = dict(branch_fns)
    else:
        functions = list(branch_fns)
        paired = functions and not callable(functions[0])
        if paired and not all(
            isinstance(pair, builtins.tuple) and len(pair) == 2 for pair in functions
        ):
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received: {functions}")
        branches = dict(functions if paired else enumerate(functions))
    if default is None:
        default = branches[max(branches)]
    return branches.get(int(branch_index), default)()


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body` as long as `cond` holds.

    Args:
        cond: a function of the loop variables.
        body: a function of the loop variables that returns their next values.
        loop_vars: the first values, a list or tuple.
        shape_invariants: ignored.
        parallel_iterations: ignored.
        back_prop: whether gradients flow through the result.
        swap_memory: ignored.
        maximum_iterations: how often to call `body` at most.
        name: ignored.

    Returns:
        The last values, in a structure like `loop_vars`.

    Raises:
        TypeError: if a function cannot be called.
        ValueError: if there are no variables, or their structure changes.

    >>> tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])[0].numpy()
    np.int32(6)
    """
    for function, text in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    if not isinstance(loop_vars, list | _tuple) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    limit = None if maximum_iterations is None else int(maximum_iterations)
    count = 0
    while (limit is None or count < limit) and cond(*loop_vars):
        following = body(*loop_vars)
        if not isinstance(following, Iterable):
            raise TypeError(
                "The `body` of a while_loop must return an iterable of new values for all loop "
                f"variables, such as a list. Received: {following!r}"
            )
        nest.assert_same_structure(list(loop_vars), list(following), check_types=False)
        loop_vars = following
        count += 1
    loop_vars = nest.map_structure(_as_tensor, loop_vars)
    if not back_prop:
        loop_vars = nest.map_structure(_stopped, loop_vars)
    return loop_vars


_tuple = type(())


def _stopped(value: Any) -> Any:
    return _ops.stop_gradient(value) if isinstance(value, Tensor) else value


def _as_tensor(value: Any) -> Any:
    if isinstance(value, TensorArray) or getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.convert(value, None, None)

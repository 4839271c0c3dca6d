"""Control flow as functions: in eager execution, Python's own control flow does the work.

While a function is traced, these functions add nodes (`graph_control_flow`).
"""

from __future__ import annotations

import builtins
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes, random_seed
from eagerflow.framework.op_function import op_function
from eagerflow.ops import graph_control_flow
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.assertions import Assert
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import Structure, TensorLike

_ops = _core.ops
Tensor = _core.Tensor
_tuple = builtins.tuple  # this module has a function of that name


def no_op(name: str | None = None) -> Any:
    """Does nothing; in a program's graph, an operation that does nothing."""
    graph = context.building_graph()
    return None if graph is None else graph.add_no_op(name or "NoOp")


def group(*inputs: object, **kwargs: Any) -> Any:
    """Does nothing: operations have run when their results exist.

    In a program's graph (`tf.Graph`), an operation that is done when all of `inputs` are.

    Args:
        *inputs: tensors and operations.
        **kwargs: `name`.

    >>> v = tf.Variable(1.0)
    >>> tf.group(v.assign_add(1.0), v.assign_add(2.0))
    >>> float(v)
    4.0
    """
    with control_dependencies(inputs):
        return no_op(kwargs.get("name") or "group_deps")


def tuple(tensors: Sequence, control_inputs: Any = None, name: str | None = None) -> Any:
    """The tensors themselves: operations have run when their results exist.

    In a program's graph, tensors with the same values, each of which depends on all others and on
    `control_inputs`.
    """
    if context.building_graph() is None:
        return tensors
    waits = [item for item in (*tensors, *(control_inputs or ())) if item is not None]
    with control_dependencies(waits):
        return [None if tensor is None else _ops.identity(tensor) for tensor in tensors]


def control_dependencies(control_inputs: Any) -> AbstractContextManager:
    """A context manager that does nothing: operations run in the order of the program.

    In a program's graph, the operations added inside run after `control_inputs`, tensors and operations.

    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     x = tf.constant(2)
    """
    graph = context.building_graph()
    if graph is not None:
        return graph.control_dependencies(control_inputs)
    if callable(control_inputs):
        control_inputs()
    return nullcontext()


@contextmanager
def init_scope() -> Iterator[None]:
    """A context manager that puts operations outside of all functions that are being traced.

    They run at once, or are added to the `tf.Graph` that is being built.

    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    >>> f().numpy()
    np.True_
    """
    with context.outside_functions(), random_seed.drawing(None):
        yield


@op_function
def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Calls one of two functions.

    While a function is traced, both are traced, and one runs when the function does.

    Args:
        pred: a boolean, or a tensor of one element; while tracing, a boolean tensor.
        true_fn: called without arguments if `pred` is true.
        false_fn: called otherwise.
        name: the node's name.

    Raises:
        TypeError: if one of the functions cannot be called; while tracing, if they return values
            of different structures or dtypes, or `pred` is a Python boolean.
        ValueError: if `pred` has several elements, or none.

    >>> tf.cond(tf.constant(2) > 1, lambda: "more", lambda: "less")
    'more'
    """
    for function, text in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    if _core.building() is not None:
        return graph_control_flow.cond(pred, true_fn, false_fn, name)  # type: ignore[arg-type]
    if pred is None or isinstance(pred, list | _tuple | np.ndarray):
        pred = _core.as_tensor(pred)
    if isinstance(pred, Tensor) and pred._size == 0:
        raise ValueError("The truth value of an empty tensor is ambiguous.")
    return true_fn() if pred else false_fn()  # type: ignore[misc]


@op_function
def case(
    pred_fn_pairs: object,
    default: Callable | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first true condition.

    Args:
        pred_fn_pairs: pairs of a tensor, a boolean scalar, and a function without arguments: a list
            or an OrderedDict. Where the order does not matter, because `exclusive` is set, any
            dictionary will do.
        default: called if no condition is true.
        exclusive: whether it is an error if several conditions are true.
        strict: ignored.
        name: the name of nodes.

    Raises:
        TypeError: if a condition is not a boolean tensor, or a function cannot be called.
        ValueError: if there are no pairs, or an unordered dictionary where order matters.
        tf.errors.InvalidArgumentError: if no condition is true without a default, or several
            are and must not be.

    >>> tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)])
    2
    """
    if not isinstance(pred_fn_pairs, list | _tuple | dict):
        raise TypeError(
            "'pred_fn_pairs' must be a list, tuple, or dict. Received: " + str(type(pred_fn_pairs))
        )
    pairs = pred_fn_pairs
    if isinstance(pairs, dict):
        if not (exclusive or isinstance(pairs, OrderedDict)):
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        pairs = list(pairs.items())
    if not pairs:
        raise ValueError("not enough values to unpack: 'pred_fn_pairs' is empty")
    for pair in pairs:
        if not isinstance(pair, _tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pair[0]}")
        if pair[0].dtype is not dtypes.bool:
            raise TypeError(f"pred must be a Tensor of type bool, got: {pair[0]}")
        if not callable(pair[1]):
            raise TypeError(f"Every function in 'pred_fn_pairs' must be callable: {pair[1]}")
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    if _core.building() is not None:
        return _traced_case(list(pairs), default, exclusive, name)
    true = [function for condition, function in pairs if condition]
    if exclusive and len(true) > 1:
        raise invalid_argument("More than one condition evaluated as True but exclusive=True.")
    if true:
        return true[0]()
    if default is None:
        raise invalid_argument("None of the conditions evaluated as True, and there is no default.")
    return default()


def _traced_case(pairs: list, default: Callable | None, exclusive: bool, name: str | None) -> Any:
    """A chain of `cond` nodes; without a default, the last function asserts its condition."""
    conditions = [condition for condition, _ in pairs]
    if exclusive:
        count = _ops.reduce_sum(_ops.cast(_ops.stack(conditions, 0), dtypes.int32))
        message = "Input error: exclusive=True: more than 1 conditions evaluated as True:"
        Assert(_ops.less_equal(count, 1), [message, conditions])
    if default is None:
        _, last = pairs.pop()

        def default() -> Any:
            message = "Input error: None of conditions evaluated as True:"
            Assert(conditions[-1], [message, conditions])
            return last()

    choice: Callable = default
    for condition, function in reversed(pairs):
        choice = functools.partial(cond, condition, function, choice, name=name)
    return choice()


@op_function
def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable | None = None, name: str = "switch_case"
) -> Any:
    """Calls the function at an index.

    Args:
        branch_index: a tensor, an integer scalar.
        branch_fns: a list of functions, or a dictionary or list of pairs that indexes them from 0
            without gaps.
        default: called if there is no such index; by default the last function is.
        name: the node's name.

    Raises:
        TypeError: if `branch_index` or a key is not an integer, or a function cannot be
            called.
        ValueError: if there are no functions, or indices are missing or appear twice.
        tf.errors.InvalidArgumentError: if `branch_index` has axes.

    >>> tf.switch_case(tf.constant(1), [lambda: "a", lambda: "b"])
    'b'
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    branches = _numbered(branch_fns)
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    if _core.building() is not None:
        if default is not None:
            branches.append(default)
        return graph_control_flow.switch_case(branch_index, branches, name)
    if branch_index.ndim:
        raise invalid_argument(
            f"'branch_index' must be a scalar, got shape {branch_index.shape} [Op:Case]"
        )
    chosen = int(branch_index)
    if 0 <= chosen < len(branches):
        return branches[chosen]()
    return (branches[-1] if default is None else default)()


def _numbered(branch_fns: object) -> list[Callable]:
    """The functions of a `switch_case` in the order of their indices."""
    if not isinstance(branch_fns, list | _tuple | dict | None):
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict. Received: {branch_fns}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif all(callable(function) for function in branch_fns):
        return list(branch_fns)
    else:
        pairs = list(branch_fns)
    for pair in pairs:
        if not isinstance(pair, _tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    pairs.sort(key=lambda pair: pair[0])
    if [key for key, _ in pairs] != list(range(len(pairs))):
        keys = ",".join(str(key) for key, _ in pairs)
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{{{keys}}}"
        )
    return [function for _, function in pairs]


@op_function
def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Structure,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Calls `body` as long as `cond` holds.

    While a function is traced, `cond` and `body` are called once, and become a node.

    Args:
        cond: a function of the loop variables.
        body: a function of the loop variables that returns their next values.
        loop_vars: the first values, a list or tuple.
        shape_invariants: while tracing, the parts of shapes that stay the same: a structure
            like `loop_vars` that holds shapes, specs, or None for the shapes of the first values.
            Ignored otherwise.
        parallel_iterations: ignored; a positive integer.
        back_prop: whether gradients flow through the result.
        maximum_iterations: the maximum number of calls of `body`, a scalar.
        name: the node's name.

    Returns:
        The last values, in a structure like `loop_vars`.

    Raises:
        TypeError: if a function cannot be called, or `parallel_iterations` is not positive.
        ValueError: if there are no variables, or their structure changes; while tracing, if a
            shape changes that `shape_invariants` does not allow to change.

    >>> tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])[0].numpy()
    np.int32(6)
    """
    if _core.building() is not None:
        _check_parallel_iterations(parallel_iterations)
        values = graph_control_flow.while_loop(
            cond, body, loop_vars, shape_invariants, maximum_iterations, name
        )
    else:
        limit = iteration_limit(maximum_iterations, parallel_iterations)
        values, _ = repeated(cond, body, loop_vars, limit)
    return values if back_prop else nest.map_structure(_stopped, values)


def iteration_limit(maximum_iterations: Any, parallel_iterations: TensorLike) -> int | None:
    """The maximum number of iterations, or None.

    Raises:
        TypeError: if `parallel_iterations` is not a positive integer.
        ValueError: if `maximum_iterations` is not a scalar.
    """
    _check_parallel_iterations(parallel_iterations)
    if maximum_iterations is None:
        return None
    if np.ndim(maximum_iterations):
        shape = _tuple(np.shape(maximum_iterations))
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {shape}")
    return int(maximum_iterations)


def _check_parallel_iterations(parallel_iterations: TensorLike) -> None:
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")


def repeated(
    cond: Callable, body: Callable, loop_vars: Structure, limit: int | None, bare: bool = False
) -> builtins.tuple[Any, bool]:
    """A loop's results, and whether its body returned a single value outside a list.

    Args:
        cond: see `tf.while_loop`, as for the following two.
        body: see above.
        loop_vars: see above.
        limit: the maximum number of calls of `body`, or None.
        bare: whether `body` may return the only variable's value outside a list.
    """
    for function, text in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{text}' must be callable.")
    if not isinstance(loop_vars, list | _tuple) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    alone = False
    count = 0
    while (limit is None or count < limit) and cond(*loop_vars):
        following = body(*loop_vars)
        if bare and len(loop_vars) == 1 and not isinstance(following, list | _tuple):
            following, alone = (following,), True
        if not isinstance(following, Iterable):
            raise TypeError(
                "The `body` of a while_loop must return an iterable of new values for all loop "
                f"variables, such as a list. Received: {following!r}"
            )
        nest.assert_same_structure(list(loop_vars), list(following), check_types=False)
        loop_vars = following
        count += 1
    return nest.map_structure(_as_tensor, loop_vars), alone


def _stopped(value: object) -> object:
    return _ops.stop_gradient(value) if isinstance(value, Tensor) else value


def _as_tensor(value: object) -> Any:
    if isinstance(value, TensorArray) or getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.as_tensor(value)

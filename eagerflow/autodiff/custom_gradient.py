"""Functions that define their own gradient."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.errors import UnimplementedError
from eagerflow.framework import context
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.type_spec import WeakTensors, weak_as
from eagerflow.util import lazy

func_graph = lazy.Module("eagerflow.framework.func_graph")

_ops = _core.ops


def custom_gradient(f: Callable | None = None) -> Any:
    """Lets a function compute its own gradient.

    Args:
        f: a function of tensors that returns `(y, grad)`: `y`, a tensor or nested structure, and a
            function `grad(*dy)` that accepts a gradient for each tensor in `y` and returns one for
            each argument. Gradients of ragged and sparse tensors are of the same kind.
            Eagerly, `f` gets its arguments as they are given; in a graph, numbers and arrays
            become tensors.
            If `f` reads trainable variables other than its arguments, `grad` also accepts the
            keyword `variables`, a list, and returns a pair: gradients for the arguments,
            and a list of those for the variables.

    Returns:
        A function of the same arguments that returns `y`.

    Raises:
        TypeError: when called, if `f` reads variables and `grad` does not accept them.
        ValueError: when differentiated, if `grad` returns too few gradients.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: object, **kwargs: object) -> Any:
        if args and _is_method(decorated, args[0]):
            return custom_gradient(functools.partial(f, args[0]))(*args[1:], **kwargs)
        return _call(f, args, kwargs)

    return decorated


def _call(f: Callable, args: tuple, kwargs: dict) -> Any:
    tensors = tuple(_as_arguments(arg) for arg in args)
    if _core.building() is not None:
        # As in TensorFlow, only graphs convert the arguments of `f`.
        args = tensors
    with _core.Tape(_watch_only=True) as watcher:
        result, grad_fn = f(*args, **kwargs)
    inputs = _tensors(list(tensors))
    named = _tensors([kwargs[key] for key in kwargs])
    # The tape has the variable inside a wrapper, such as one with a copy on each device.
    passed: list[Any] = [leaf for leaf in (*inputs, *named) if isinstance(leaf, _core.Variable)]
    own_arguments = [variable.handle.variable for variable in passed]
    variables = [
        variable
        for variable in watcher.watched_variables()
        if all(variable is not argument for argument in own_arguments)
    ]
    takes_variables = _takes_variables(grad_fn)
    if variables and not takes_variables:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {variables}"
        )
    leaves = nest.flatten(result)
    parts = [_core.as_tensor(part) for part in _gradient_parts(leaves)]
    count = len(inputs)

    def backward(dy: list) -> list:
        dy = _with_parts(leaves, dy)
        if WeakTensors.exist:
            dy = list(map(weak_as, dy, leaves))
        if variables:
            by_input, by_variable = grad_fn(*dy, variables=variables)
            by_variable = nest.flatten(by_variable)
            if len(by_variable) != len(variables):
                raise ValueError(
                    "Must return gradient for each variable from @custom_gradient grad_fn."
                )
        else:
            by_input, by_variable = grad_fn(*dy), []
        by_input = _gradient_parts(nest.flatten(by_input))
        if len(by_input) != count:
            raise ValueError(
                f"custom_gradient function expected to return {count} gradients, "
                f"but returned {len(by_input)} instead."
            )
        return [*by_input, *by_variable]

    # Keyword arguments are not differentiated.
    sources = [*inputs, *variables]
    if _core.building() is not None:
        outputs = _add_node(f, parts, sources, backward)
    else:
        # New identities, so that tapes find this step and not those inside `f`, unless none of the
        # inputs is watched: then what `f` captured still counts.
        outputs = [_ops.identity(part) for part in parts]
        _core.record_custom(outputs, sources, backward)
    outputs = _with_parts(leaves, outputs)
    if WeakTensors.exist:
        outputs = list(map(weak_as, outputs, leaves))
    return nest.pack_sequence_as(result, outputs)


class _Traced(threading.local):
    """The code of the functions whose backward steps this thread is tracing, the outermost first."""

    def __init__(self) -> None:
        self.codes: list[Any] = []


_traced = _Traced()
# A function that its own gradient calls is traced to this order of derivatives.
_RECURSIVE_ORDERS = 2


def _code_of(f: Callable) -> Any:
    while isinstance(f, functools.partial):
        f = f.func
    return getattr(f, "__code__", f)


def _add_node(f: Callable, parts: list, sources: list, backward: Callable[[list], list]) -> list:
    """The values of a traced function's tensors, with gradients from `backward`.

    `backward` is called once, now, to build a graph that every backward pass runs. If it raises an
    error, the backward pass raises this error.
    """
    tensors, variables = _split(sources)
    code = _code_of(f)
    if _traced.codes.count(code) >= _RECURSIVE_ORDERS:
        error = UnimplementedError._of(
            f"{getattr(code, 'co_name', code)} is called by its own gradient. In a graph it has "
            f"derivatives of order {_RECURSIVE_ORDERS} at most: compute this one eagerly."
        )
        return _core.custom_gradient_node(parts, tensors, variables, _raiser(error), [])
    graph = func_graph.FuncGraph("custom_gradient")
    step: Any = graph
    kinds: list[int] = []
    program = context.building_graph()
    with graph.as_default(), program.outside_variable_scopes() if program else nullcontext():
        weights = [
            graph.placeholder(part.dtype, func_graph.dims_of(part.shape), "dy") for part in parts
        ]
        _traced.codes.append(code)
        try:
            gradients = backward(weights)
            results = [
                _gradient_outputs(gradient, source)
                for gradient, source in zip(gradients, sources, strict=True)
            ]
        except Exception as error:
            step = _raiser(error)
        else:
            # Tensors come before variables.
            order = sorted(
                range(len(sources)), key=lambda k: isinstance(sources[k], _core.Variable)
            )
            kinds = [len(results[k]) for k in order]
            graph.finish([graph.capture(output) for k in order for output in results[k]])
        finally:
            _traced.codes.pop()
    return _core.custom_gradient_node(parts, tensors, variables, step, kinds)


def _split(sources: list) -> tuple[list, list]:
    """Tensors and variables apart."""
    tensors = [source for source in sources if not isinstance(source, _core.Variable)]
    variables = [source for source in sources if isinstance(source, _core.Variable)]
    return tensors, variables


def _gradient_outputs(gradient: _core.Tensor, source: _core.Tensor) -> list:
    """The tensors that a gradient consists of: none, one, or the values and indices of rows."""
    if gradient is None:
        return []
    if isinstance(gradient, IndexedSlices) and source.shape.is_fully_defined():
        return [gradient.values, gradient.indices]
    return [_core.as_tensor(gradient)]


def _raiser(error: BaseException) -> Callable[[list], list]:
    def backward(dy: list) -> list:
        raise error

    return backward


def _gradient_parts(leaves: list) -> list:
    """The values, with ragged and sparse ones replaced by the elements that have gradients."""
    return [
        leaf._gradient_component if isinstance(leaf, CompositeTensor) else leaf for leaf in leaves
    ]


def _with_parts(leaves: list, parts: list) -> list:
    """The reverse of `_gradient_parts`: puts other elements into ragged and sparse values."""
    return [
        leaf._with_gradient(part) if isinstance(leaf, CompositeTensor) else part
        for leaf, part in zip(leaves, parts, strict=True)
    ]


def _is_method(function: Any, owner: Any) -> bool:
    """Whether a function was called as a method of an object."""
    if isinstance(owner, Tensor | _core.Variable):
        return False
    name = function.__name__
    return any(vars(cls).get(name) is function for cls in type(owner).__mro__)


def _tensors(structure: Any) -> list:
    leaves = _gradient_parts(nest.flatten(structure))
    return [leaf for leaf in leaves if isinstance(leaf, Tensor | _core.Variable)]


def _as_arguments(arg: Any) -> Any:
    """Numbers and arrays as tensors, inside nested structures too."""
    if isinstance(arg, Tensor | _core.Variable | CompositeTensor) or arg is None or callable(arg):
        return arg
    if nest.is_nested(arg):
        return nest.map_structure(_as_arguments, arg)
    return _core.as_tensor(arg)


def _takes_variables(function: Callable) -> bool:
    import inspect

    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "variables" in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )


def grad_pass_through(f: Callable) -> Callable:
    """A function with the values of `f` and the gradient of the identity.

    >>> x = tf.Variable(1.4)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(1.0), np.float32(1.0))
    """

    @custom_gradient
    def passed(*args: object, **kwargs: object) -> Any:
        def grad(*dy: Any, **more: Any) -> Any:
            gradients = dy[0] if len(dy) == 1 else dy
            variables = more.get("variables")
            if variables is not None:
                return gradients, [None] * len(variables)
            return gradients

        return f(*args, **kwargs), grad

    return functools.wraps(f)(passed)


def recompute_grad(f: Callable) -> Callable:
    """A function with the values and gradients of `f` that keeps nothing for the gradient.

    The backward pass runs `f` again, which saves memory at the cost of time.

    >>> @tf.recompute_grad
    ... def cube(x):
    ...     return x * x * x
    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = cube(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    @custom_gradient
    def recomputed(*args: object, **kwargs: object) -> Any:
        # Tapes record which variables are read, and nothing else.
        with _core.stop_recording(), _core.Tape(_watch_only=True) as watcher:
            result = f(*args, **kwargs)
        for variable in watcher.watched_variables():
            variable.read_value()

        def grad(*dy: object, variables: list | None = None) -> Any:
            # For the tape below, copies are new; for tapes around it, they depend on the arguments.
            copies = nest.map_structure(
                lambda leaf: _ops.identity(leaf) if isinstance(leaf, Tensor) else leaf, args
            )
            leaves = nest.flatten(copies)
            kept = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Tensor | _core.Variable)]
            sources = [*(leaves[k] for k in kept), *(variables or [])]
            with GradientTape() as tape:
                tape.watch([s for s in sources if s.dtype.is_floating or s.dtype.is_complex])
                again = f(*copies, **kwargs)
            gradients = tape.gradient(nest.flatten(again), sources, output_gradients=list(dy))
            by_leaf = [None] * len(leaves)
            for k, gradient in zip(kept, gradients, strict=False):
                by_leaf[k] = gradient
            return by_leaf if variables is None else (by_leaf, gradients[len(kept) :])

        return result, grad

    return functools.wraps(f)(recomputed)

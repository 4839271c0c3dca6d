"""The gradient functions of `tf.contrib.eager`: they turn functions into functions of gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape, UnconnectedGradients
from eagerflow.typing import Structure, TensorLike


def gradients_function(
    f: Callable[..., _core.Tensor], params: Sequence | None = None
) -> Callable[..., list]:
    """A function that returns the gradients of `f` for its arguments.

    Numbers and arrays among the arguments become tensors. Integers are differentiated like floats,
    and their gradients are integers again. Where `f` does not depend on an argument, zeros are given.

    Args:
        f: a function of tensors that returns a tensor, or a nested structure whose gradients add up.
        params: the names or the positions of the arguments to differentiate for; by default all.

    Returns:
        A function of the same arguments, and of `dy`, which weighs the elements of what `f`
        returns. It gives a list of gradients.

    Raises:
        ValueError: if a parameter is not one of `f`'s.

    >>> import eagerflow_compat.contrib.eager as tfe
    >>> gradients = tfe.gradients_function(lambda x, y: x * x * y)
    >>> [gradient.numpy() for gradient in gradients(3.0, 2.0)]
    [np.float32(12.0), np.float32(9.0)]
    """
    both = value_and_gradients_function(f, params)

    @functools.wraps(f)
    def gradients(*args: Structure, **kwargs: Any) -> list:
        return both(*args, **kwargs)[1]

    return gradients


def value_and_gradients_function(
    f: Callable[..., _core.Tensor], params: Sequence | None = None
) -> Callable[..., tuple[Any, list]]:
    """A function that returns the value of `f`, and its gradients for its arguments.

    Args:
        f: see `gradients_function`.
        params: see `gradients_function`.

    >>> import eagerflow_compat.contrib.eager as tfe
    >>> value, (gradient,) = tfe.value_and_gradients_function(lambda x: x * x)(3)
    >>> value.numpy(), gradient.numpy()
    (np.int32(9), np.int32(6))
    """
    positions = _positions(f, params)

    @functools.wraps(f)
    def value_and_gradients(*args: TensorLike, **kwargs: Any) -> tuple[Any, list]:
        dy = kwargs.pop("dy", None)
        args = _with_keywords(f, args, kwargs)
        chosen = range(len(args)) if positions is None else positions
        values = list(args)
        with GradientTape(_integers=True) as tape:
            _watch(tape, values, chosen)
            result = f(*values)
            if result is None:
                raise ValueError(
                    f"Cannot differentiate a function that returns None; did you forget to return "
                    f"a value from {getattr(f, '__name__', f)}?"
                )
            # Recorded by outer tapes, so that gradients can be differentiated in turn.
            targets = [_core.as_tensor(leaf) for leaf in nest.flatten(result)]
        sources = [values[k] for k in chosen]
        weights = None if dy is None else nest.flatten(dy)
        return result, tape.gradient(targets, sources, weights, UnconnectedGradients.ZERO)

    return value_and_gradients


def implicit_gradients(f: Callable[..., _core.Tensor]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function that returns the gradients of `f` for all trainable variables that it reads.

    Args:
        f: a function that returns a tensor, or a nested structure whose gradients add up.

    Returns:
        A function of the same arguments that gives pairs of a gradient and its variable, as
        optimizers' `apply_gradients` takes them.

    >>> import eagerflow_compat.contrib.eager as tfe
    >>> v = tfe.Variable(3.0)
    >>> ((gradient, variable),) = tfe.implicit_gradients(lambda: v * v)()
    >>> gradient.numpy(), variable is v
    (np.float32(6.0), True)
    """
    both = implicit_value_and_gradients(f)

    @functools.wraps(f)
    def gradients(*args: Any, **kwargs: Any) -> list[Any]:
        return both(*args, **kwargs)[1]

    return gradients


def implicit_value_and_gradients(f: Callable[..., _core.Tensor]) -> Callable[..., tuple[Any, list]]:
    """A function that returns the value of `f`, and its gradients for the variables that it reads.

    Args:
        f: see `implicit_gradients`.

    Raises:
        ValueError: when called, if `f` returns None or reads no trainable variable.
    """

    @functools.wraps(f)
    def value_and_gradients(*args: TensorLike, **kwargs: Any) -> tuple[Any, list]:
        with GradientTape() as tape:
            result = f(*args, **kwargs)
            if result is None:
                raise ValueError(
                    "Cannot differentiate a function that returns None; did you forget to return "
                    f"a value from {getattr(f, '__name__', f)}?"
                )
            targets = [_core.as_tensor(leaf) for leaf in nest.flatten(result)]
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        gradients = tape.gradient(targets, variables)
        return result, list(zip(gradients, variables, strict=True))

    return value_and_gradients


def make_vjp(
    f: Callable[..., _core.Tensor], params: Sequence | None = None, persistent: bool = True
) -> Callable[..., tuple[Any, Callable]]:
    """A function that returns the value of `f`, and a function from `dy` to gradients.

    Args:
        f: see `gradients_function`.
        params: see `gradients_function`.
        persistent: whether the second function can be called several times.
    """
    positions = _positions(f, params)

    def value_and_vjp(*args: TensorLike, **kwargs: Any) -> tuple[Any, Callable]:
        args = _with_keywords(f, args, kwargs)
        chosen = range(len(args)) if positions is None else positions
        values = list(args)
        with GradientTape(persistent=persistent, _integers=True) as tape:
            _watch(tape, values, chosen)
            result = f(*values)
            targets = [_core.as_tensor(leaf) for leaf in nest.flatten(result)]
        sources = [values[k] for k in chosen]

        def vjp(dy: _core.Tensor | None = None) -> list:
            weights = None if dy is None else nest.flatten(dy)
            return tape.gradient(targets, sources, weights, UnconnectedGradients.ZERO)

        return result, vjp

    return value_and_vjp


def _watch(tape: GradientTape, values: list, positions: Iterable[int]) -> None:
    """Copies arguments to new tensors, which the tape watches."""
    for k in positions:
        if not isinstance(values[k], _core.Variable):
            values[k] = _core.ops.identity(values[k])
        tape.watch(values[k])


def _positions(f: Callable, params: Sequence | None) -> list[int] | None:
    """The positions of parameters, given by name or position."""
    if params is None:
        return None
    if isinstance(params, str) or not all(isinstance(p, int | str) for p in params):
        raise ValueError(f"params must be all strings or all integers; got {params}.")
    names = list(inspect.signature(f).parameters)
    positions = []
    for param in params:
        if isinstance(param, str):
            if param not in names:
                raise ValueError(f"{param} is not a parameter of the function: it has {names}.")
            positions.append(names.index(param))
        else:
            positions.append(param)
    return positions


def _with_keywords(f: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple:
    """All arguments in positional order."""
    if not kwargs:
        return args
    bound = inspect.signature(f).bind(*args, **kwargs)
    if bound.kwargs:
        raise ValueError(
            f"Functions to be differentiated cannot have keyword-only arguments, got "
            f"{sorted(bound.kwargs)}."
        )
    return bound.args

"""tensorflow.python.eager.backprop: the tape, and functions of gradients.

Unlike those of the first generation (`eagerflow_compat/v1/gradient_functions.py`), these give None for
integers, and for arguments that the result does not depend on.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff import registry
from eagerflow.autodiff.tape import GradientTape
from eagerflow.errors import InternalError
from eagerflow.typing import Structure, TensorLike
from eagerflow_compat.v1.gradient_functions import implicit_gradients as implicit_grad
from eagerflow_compat.v1.gradient_functions import (
    implicit_value_and_gradients as implicit_val_and_grad,
)

__all__ = [
    "GradientTape",
    "gradients_function",
    "implicit_grad",
    "implicit_val_and_grad",
    "make_vjp",
    "record_gradient",
    "record_operation",
    "should_record_backprop",
    "stop_recording",
    "val_and_grad_function",
]

# A context in which no tape records.
stop_recording = _core.stop_recording


def record_operation(
    op_type: str,
    output_tensors: Sequence[_core.Tensor],
    input_tensors: Sequence[_core.Tensor],
    backward_function: Callable[..., Any] | None,
    forward_function: Callable[..., Any] | None = None,
) -> None:
    """Tells the tapes how tensors were computed from others.

    Args:
        op_type: the name of the operation, for messages.
        output_tensors: the results.
        input_tensors: what they were computed from.
        backward_function: returns the gradients of the inputs for those of the outputs.
        forward_function: returns how the outputs change as the inputs do; asked if there is no
            `backward_function`.

    Raises:
        tf.errors.InternalError: when a gradient is asked for, if not every input has one.
    """
    inputs = list(input_tensors)

    def backward(weights: list[_core.Tensor]) -> Any:
        if backward_function is not None:
            found = backward_function(*weights)
        elif forward_function is not None:
            found = _transposed(forward_function, inputs, weights)
        else:
            found = [None] * len(inputs)
        if isinstance(found, list | tuple) and len(found) != len(inputs):
            raise InternalError._of(
                f"Recorded operation '{op_type}' returned too few gradients. Expected {len(inputs)} but "
                f"received {len(found)}"
            )
        return list(found) if isinstance(found, tuple) else found

    if output_tensors:
        _core.record_custom(list(output_tensors), inputs, backward)


def _transposed(
    forward: Callable[..., Any], inputs: list[_core.Tensor], weights: list[_core.Tensor]
) -> Any:
    """The gradients of the inputs, by a function that says how the outputs change as they do."""
    with GradientTape(watch_accessed_variables=False) as tape:
        tangents = [_core.ops.zeros_like(value) for value in inputs]
        tape.watch(tangents)
        changes = list(forward(*tangents))
    return tape.gradient(changes, tangents, weights)


def record_gradient(
    op_name: str, inputs: Sequence[_core.Tensor], attrs: Sequence[Any], outputs: Any
) -> None:
    """Tells the tapes that an operation has computed tensors; the gradient of its name is registered.

    Args:
        op_name: the name of the gradient.
        inputs: what they were computed from.
        attrs: the names of the attributes, each before its value.
        outputs: the results.
    """
    attributes = dict(zip(attrs[::2], attrs[1::2], strict=True))
    registry.record(registry.EagerCall(op_name, inputs, nest.flatten(outputs), attributes))


def should_record_backprop(tensors: Sequence[_core.Tensor]) -> bool:
    """Whether a tape watches one of the tensors, or, of a function that is traced while one records,
    whether a tensor depends on variables that can be trained or on captured tensors.

    >>> from eagerflow_compat.internals.backprop import should_record_backprop
    >>> x, y = tf.constant(1.0), tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     should_record_backprop([x * x]), should_record_backprop([y])
    (True, False)
    """
    if not _core.recording():
        graph = _core.building()
        recorded = graph is not None and getattr(graph, "is_recorded", False)
        return recorded and any(map(_may_be_watched, tensors))

    def gradients(weights: list[_core.Tensor]) -> list[None]:
        return [None] * len(tensors)

    # A tape that watches none of the inputs keeps nothing of what is recorded.
    kept = weakref.ref(gradients)
    _core.record_custom([_core.as_tensor(0.0)], list(tensors), gradients)
    del gradients
    return kept() is not None


def _may_be_watched(tensor: object) -> bool:
    """Whether a symbolic tensor depends on something that a tape outside of its graph may watch."""
    waiting = [tensor] if isinstance(tensor, _core.Tensor) and _core.is_symbolic(tensor) else []
    seen: set[int] = set()
    captured = {_core.node_of(inner).id for x in waiting for _, inner in _core.graph_of(x).captures}
    while waiting:
        node = _core.node_of(waiting.pop())
        if node.id in captured or any(variable.trainable for variable in node.variables):
            return True
        if node.id not in seen:
            seen.add(node.id)
            waiting += node.inputs
    return False


def make_vjp(
    f: Callable[..., Any], params: Sequence[str | int] | None = None, persistent: bool = True
) -> Callable[..., tuple[Any, Callable[..., list[Any]]]]:
    """A function that returns the value of `f`, and a function from `dy` to gradients.

    Args:
        f: a function of tensors.
        params: the names or positions of the arguments to differentiate by; by default all.
        persistent: whether the second function can be called several times.
    """

    def value_and_vjp(*args: Structure, **kwargs: Any) -> tuple[Any, Callable[..., list[Any]]]:
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        chosen = _positions(f, params, len(args))
        values = list(args)
        with GradientTape(persistent=persistent) as tape:
            for k in chosen:
                # A tensor of its own, so that the same argument may be given twice.
                values[k] = _core.ops.identity(values[k])
                if values[k].dtype.is_floating or values[k].dtype.is_complex:
                    tape.watch(values[k])
            result = f(*values)
            if result is None:
                name = getattr(f, "__name__", f)
                raise ValueError(
                    "Cannot differentiate a function that returns None; did you forget to return a "
                    f"value from {name}?"
                )
            targets = [_core.as_tensor(leaf) for leaf in nest.flatten(result)]

        def vjp(dy: _core.Tensor | None = None) -> list[_core.Tensor | None]:
            weights = None if dy is None else nest.flatten(dy)
            return tape.gradient(targets, [values[k] for k in chosen], weights)

        return result, vjp

    return value_and_vjp


def val_and_grad_function(
    f: Callable[..., _core.Tensor], params: Sequence[str | int] | None = None
) -> Callable[..., tuple[Structure, list[_core.Tensor | None]]]:
    """A function that returns the value of `f`, and its gradients by its arguments."""
    both = make_vjp(f, params, persistent=False)

    def value_and_gradients(*args: Structure, **kwargs: Any) -> tuple[Any, list[Any]]:
        dy = kwargs.pop("dy", None)
        value, vjp = both(*args, **kwargs)
        return value, vjp(dy)

    return value_and_gradients


def gradients_function(
    f: Callable[..., _core.Tensor], params: Sequence[str | int] | None = None
) -> Callable[..., list[_core.Tensor | None]]:
    """A function that returns the gradients of `f` by its arguments."""
    both = val_and_grad_function(f, params)

    def gradients(*args: TensorLike, **kwargs: Any) -> list[_core.Tensor | None]:
        return both(*args, **kwargs)[1]

    return gradients


def _positions(f: Callable[..., Any], params: Sequence[Any] | None, count: int) -> list[int]:
    """The positions of parameters that are given by name or position."""
    if params is None:
        return list(range(count))
    names = list(inspect.signature(f).parameters)
    return [names.index(param) if isinstance(param, str) else param for param in params]

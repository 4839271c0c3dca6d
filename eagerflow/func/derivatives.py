"""Gradients, Jacobians and their products with vectors, as functions of the same arguments.

An argument is differentiated as a value of its own: a tensor that the function also reads from outside is
a constant there, whatever is passed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.forward_mode import ForwardAccumulator
from eagerflow.autodiff.tape import GradientTape, UnconnectedGradients
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.sizes import count_of, joined_shape, shape_of
from eagerflow.func.transformed import like, map_tensors, numbers_of, program

_ops = _core.ops
Tensor = _core.Tensor
_ZERO = UnconnectedGradients.ZERO


def grad(
    func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that computes the gradient of another one.

    Args:
        func: returns a real scalar.
        argnums: which of its arguments to differentiate by: a tensor or variable, what can be converted to
            a tensor, or a nested structure of them.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        A function of the same arguments, which returns a structure like the argument: tensors of their shapes
        and dtypes, zeros where the result does not depend on them. For several `argnums` it returns a tuple,
        and with `has_aux` the pair of that and the second item.

    Raises:
        TypeError: when it is called, if an argument is an integer or the result is not real.
        ValueError: if the result is no scalar, or there is no such argument.

    >>> cube = lambda x: x**3
    >>> tf.func.grad(cube)(2.0).numpy(), tf.func.grad(tf.func.grad(cube))(2.0).numpy()
    (np.float32(12.0), np.float32(12.0))
    """
    both = value_and_grad(func, argnums, has_aux)

    @like(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return gradient


def value_and_grad(
    func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that computes the value and the gradient of another one.

    Args:
        func: returns a real scalar.
        argnums: which of its arguments to differentiate by.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        A function of the same arguments, which returns what `func` does and the gradient, as `tf.func.grad`.

    Raises:
        TypeError: when it is called, if an argument is an integer or the result is not real.
        ValueError: if the result is no scalar, or there is no such argument.

    >>> value, gradient = tf.func.value_and_grad(lambda x: tf.reduce_sum(x * x))(
    ...     tf.constant([1.0, 2.0])
    ... )
    >>> value.numpy(), gradient.numpy()
    (np.float32(5.0), array([2., 4.], dtype=float32))
    """

    @like(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        sources, args = _chosen(args, argnums)
        tape, value, aux = _recorded(func, sources, args, kwargs, has_aux, persistent=False)
        value = _core.as_tensor(value)
        if value.ndim not in (0, None):
            raise ValueError(
                f"A gradient is that of a scalar, but the function returned shape {value.shape}."
            )
        if not value.dtype.is_floating:
            raise TypeError(
                f"A gradient is that of a real number, but the function returned {value.dtype.name}."
            )
        gradients = _by_source(sources, lambda leaves: tape.gradient(value, leaves, None, _ZERO))
        return (value, *aux) if has_aux else value, gradients

    return both


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of a function, and the products of vectors with its Jacobian.

    Args:
        func: returns a tensor, or a nested structure of them.
        *primals: its arguments: tensors, or nested structures of them.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        The result, and a function of a structure like it: weights of its elements, of the same dtypes. The
        function returns a tuple of structures like the arguments, and can be called several times. With
        `has_aux` the second item of the pair follows.

    Raises:
        TypeError: if an argument is an integer.

    >>> value, product = tf.func.vjp(lambda x: x * x, tf.constant([1.0, 3.0]))
    >>> value.numpy(), product(tf.constant([1.0, 10.0]))[0].numpy()
    (array([1., 9.], dtype=float32), array([ 2., 60.], dtype=float32))
    """
    args = map_tensors(_own, primals)
    tape, value, aux = _recorded(func, args, args, {}, has_aux)

    def product(cotangents: Any) -> tuple[Any, ...]:
        nest.assert_same_structure(value, cotangents)
        weights = nest.map_structure(
            lambda part, w: _core.convert(w, part.dtype, None), value, cotangents
        )
        return _by_source(args, lambda leaves: tape.gradient(value, leaves, weights, _ZERO))

    return value, product, *aux


def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The value of a function, and the product of its Jacobian with a vector: how the value changes.

    Args:
        func: returns a tensor, or a nested structure of them.
        primals: a tuple of its arguments: tensors, or nested structures of them.
        tangents: a tuple of the same structure: the direction in which they move.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        The result, and a structure like it. With `has_aux` the second item of the pair follows.

    Raises:
        TypeError: if an argument is an integer.
        ValueError: if a tangent does not fit its argument.

    >>> value, change = tf.func.jvp(tf.sin, (0.0,), (2.0,))
    >>> value.numpy(), change.numpy()
    (np.float32(0.0), np.float32(2.0))
    """
    args = nest.map_structure(_own, tuple(primals))
    with ForwardAccumulator(args, tuple(tangents)) as accumulator:
        value, aux = _value_of(program(func)(*args), has_aux)
    return value, accumulator.jvp(value, _ZERO), *aux


def jacrev(
    func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that computes the Jacobian of another one, by one backward pass for all rows.

    It is the better choice where the result has fewer elements than the argument.

    Args:
        func: returns a tensor of shape `s`, or a nested structure of them.
        argnums: which of its arguments to differentiate by: tensors of shape `t`, or nested structures.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        A function of the same arguments, which returns a structure like the result of `func`. Each tensor in
        it is replaced by a structure like the argument, of tensors of shape `s + t`; for several `argnums`
        by a tuple. With `has_aux` it returns the pair of that and the second item.

    Raises:
        TypeError: when it is called, if an argument is an integer.
        ValueError: if there is no such argument.

    >>> tf.func.jacrev(lambda x: x * x)(tf.constant([1.0, 3.0])).numpy()
    array([[2., 0.],
           [0., 6.]], dtype=float32)
    """

    @like(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        sources, args = _chosen(args, argnums)
        tape, value, aux = _recorded(func, sources, args, kwargs, has_aux)
        rows = map_tensors(
            lambda part: _by_source(sources, lambda leaves: tape.jacobian(part, leaves, _ZERO)),
            value,
        )
        return (rows, *aux) if has_aux else rows

    return jacobian


def jacfwd(
    func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that computes the Jacobian of another one, by one forward pass for all columns.

    It is the better choice where the argument has fewer elements than the result.

    Args:
        func: returns a tensor of shape `s`, or a nested structure of them.
        argnums: which of its arguments to differentiate by: tensors of shape `t`, or nested structures.
        has_aux: whether `func` returns a pair, whose second item is passed on.

    Returns:
        A function like that of `tf.func.jacrev`.

    Raises:
        TypeError: when it is called, if an argument is an integer.
        ValueError: if there is no such argument.

    >>> tf.func.jacfwd(lambda x: tf.stack([x, x**2, x**3]))(tf.constant(2.0)).numpy()
    array([ 1.,  4., 12.], dtype=float32)
    """

    @like(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        sources, args = _chosen(args, argnums)
        leaves = _leaves(sources)
        with ForwardAccumulator._batch_accumulator(leaves, _unit_tangents(leaves)) as accumulator:
            value, aux = _value_of(program(func)(*args, **kwargs), has_aux)
        counts = [count_of(leaf) for leaf in leaves]

        def columns(part: Tensor) -> Any:
            products = accumulator.jvp(part, _ZERO)
            products = _ops.transpose(_ops.reshape(products, [sum(counts), count_of(part)]))
            shaped = [
                _ops.reshape(
                    products[:, end - count : end], joined_shape(shape_of(part), shape_of(leaf))
                )
                for leaf, count, end in zip(
                    leaves, counts, itertools.accumulate(counts), strict=True
                )
            ]
            return _by_source(sources, lambda leaves: shaped)

        rows = map_tensors(columns, value)
        return (rows, *aux) if has_aux else rows

    return jacobian


def hessian(func: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The function that computes all second derivatives of another one.

    Args:
        func: returns a tensor of shape `s`, or a nested structure of them.
        argnums: which of its arguments to differentiate by: tensors of shape `t`, or nested structures.

    Returns:
        A function of the same arguments, which returns a tensor of shape `s + t + t`; for structures, a
        structure like the result, of structures like the argument, of structures like the argument.

    Raises:
        TypeError: when it is called, if an argument is an integer.
        ValueError: if there is no such argument.

    >>> tf.func.hessian(lambda x: x[0] ** 2 * x[1])(tf.constant([1.0, 3.0])).numpy()
    array([[6., 2.],
           [2., 0.]], dtype=float32)
    """
    return jacrev(jacrev(func, argnums), argnums)


def _chosen(args: tuple[Any, ...], argnums: int | Sequence[int]) -> tuple[Any, tuple[Any, ...]]:
    """The arguments to differentiate by, and all of them."""
    numbers = numbers_of(argnums, len(args))
    changed = list(args)
    for number in numbers:
        changed[number] = map_tensors(_own, args[number])
    chosen = tuple(changed[number] for number in numbers)
    return chosen if isinstance(argnums, list | tuple) else chosen[0], tuple(changed)


def _own(value: Any) -> Any:
    """A tensor of its own identity, which nothing else in the program is."""
    if isinstance(value, CompositeTensor):
        return nest.map_structure(_ops.identity, value, expand_composites=True)
    tensor = _core.as_tensor(value)
    if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise TypeError(
            f"Derivatives are those by real or complex numbers, got {tensor.dtype.name}."
        )
    return _ops.identity(tensor)


def _recorded(
    func: Callable[..., Any],
    sources: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    has_aux: bool,
    *,
    persistent: bool = True,
) -> tuple[GradientTape, Any, tuple[Any, ...]]:
    """The tape of a call that watches some of its arguments only, the value, and the second item if any."""
    with GradientTape(persistent, watch_accessed_variables=False) as tape:
        tape.watch(_leaves(sources))
        value, aux = _value_of(program(func)(*args, **kwargs), has_aux)
    return tape, value, aux


def _value_of(result: Any, has_aux: bool) -> tuple[Any, tuple[Any, ...]]:
    """The tensors that a function returned, and the second item of its pair if it returns one."""
    if has_aux and (not isinstance(result, tuple) or len(result) != 2):
        raise TypeError(
            f"With has_aux=True the function must return a pair, got {type(result).__name__}."
        )
    value, aux = (result[0], (result[1],)) if has_aux else (result, ())
    return map_tensors(_core.as_tensor, value), aux


def _leaves(sources: Any) -> list[Any]:
    """What a structure differentiates by: its leaves but for None, which has no derivative."""
    return [leaf for leaf in nest.flatten(sources) if leaf is not None]


def _by_source(sources: Any, derivatives: Callable[[list[Any]], list[Any]]) -> Any:
    """Derivatives in a structure like the sources, without `tf.IndexedSlices`."""
    found = iter(derivatives(_leaves(sources)))
    return map_tensors(lambda _: _dense(next(found)), sources)


def _dense(derivative: Any) -> Any:
    return _core.as_tensor(derivative) if isinstance(derivative, IndexedSlices) else derivative


def _unit_tangents(leaves: list[Tensor]) -> list[Tensor]:
    """For each tensor, the directions that move one element of all tensors each: `[count, *shape]`."""
    counts = [count_of(leaf) for leaf in leaves]
    total, tangents = sum(counts), []
    for leaf, count, end in zip(leaves, counts, itertools.accumulate(counts), strict=True):
        units = _ops.eye(total, dtype=leaf.dtype)[:, end - count : end]
        tangents.append(_ops.reshape(units, joined_shape((total,), shape_of(leaf))))
    return tangents

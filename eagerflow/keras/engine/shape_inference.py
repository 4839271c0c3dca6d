"""The outputs of layers and functions for symbolic tensors, inferred by running them.

First these are placeholders, on which operations infer dtypes and shapes and compute nothing. A
function that reads values fails on them (it prints, branches, masks, or calls NumPy): then it runs
on arbitrary values. Either way it runs twice, with other sizes in place of the unknown ones; where the
results' sizes differ, they are unknown too.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.context import process, running_eagerly
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import naming
from eagerflow.keras.engine.call_arguments import flatten_arguments, map_arguments
from eagerflow.keras.engine.call_context import context, inferring_shapes
from eagerflow.keras.engine.keras_tensor import KerasTensor

Sizes = tuple[int, ...]  # of a batch, and of the axes after it; the last is that of all others
# The values of unknown sizes: of a batch, and of any other axis. The second of a pair tells which sizes
# depend on unknown ones. Larger ones serve models that shrink or regroup their inputs much.
_SIZES = (((12, 480), (24, 960)), ((1680, 7680), (3360, 15360)), ((1, 1), (2, 2)))
# The same where values are computed, with fewer elements, of which two thirds may be kept.
_SIZES_OF_VALUES = (((4, 24), (7, 37)), ((2, 224), (5, 321)), ((1, 1), (3, 3)))


def placeholder(dtype: Any, shape: list[int]) -> Any:
    """A tensor of known dtype and shape on which operations only infer theirs."""
    return _core.symbolic(dtype, shape)


def _arbitrary_values(dtype: Any, shape: list[int], variant: int) -> Any:
    """A tensor of values that few functions refuse; those of two variants differ."""
    count = int(np.prod(shape))
    dtype = dtypes.as_dtype(dtype)
    every_third = np.arange(count).reshape(shape) % 3 == 1
    values: Any
    if dtype is dtypes.string:
        values = np.where(every_third, "1", "0" if variant else "1").astype(object)
    elif dtype.is_bool:
        values = ~every_third if variant else np.ones(shape, bool)
    elif dtype.is_integer:
        values = every_third * variant  # indices into anything that has two entries
    else:
        values = np.random.RandomState(variant).uniform(0.1, 0.9 + 2 * variant, shape)
    return _core.convert(values, dtype, None)


def _abstract_value(
    tensor: KerasTensor, sizes: Sizes, make: Callable[[Any, list[int]], Any]
) -> Any:
    """The value that `make` makes for a symbolic tensor; `sizes` are for unknown axes."""
    if tensor._values is not None:
        value = tensor._values.get(sizes, tensor._values.get(None))
        if value is not None:
            return value
    shape = tensor.shape
    if shape.rank is None:
        raise ValueError(f"The rank of {tensor} is not known: its shape must be set first.")
    last = len(sizes) - 1
    dims = [
        sizes[min(axis, last)] if size is None else size
        for axis, size in enumerate(shape.as_list())
    ]
    value = make(tensor.dtype, dims)
    if tensor._keras_mask is not None:
        mask = tensor._keras_mask
        value._keras_mask = (
            _abstract_value(mask, sizes, make)
            if isinstance(mask, KerasTensor)
            else make(dtypes.bool, dims)
        )
    return value


def _value_of(result: Any) -> Any:
    """A small tensor whose value is known though nothing is computed: a shape, a constant."""
    if isinstance(result, _core.Tensor) and result._size <= 64 and not _core.is_symbolic(result):
        return result
    return None


def _merged(first: Any, second: Any, sizes: tuple = (None, None), values: bool = False) -> Any:
    """A symbolic tensor for two results whose unknown sizes differ.

    Args:
        first: one result.
        second: the other.
        sizes: the values of unknown sizes in each.
        values: whether both were computed from arbitrary values, so that theirs mean nothing.
    """
    if not hasattr(first, "shape") or not hasattr(first, "dtype"):
        return first
    one, other = first.shape.as_list(), second.shape.as_list()
    if len(one) != len(other):
        shape = TensorShape(None)
    else:
        shape = TensorShape([a if a == b else None for a, b in zip(one, other, strict=True)])
    result = KerasTensor(shape, first.dtype)
    if not values:
        known = {size: _value_of(value) for size, value in zip(sizes, (first, second), strict=True)}
        if None not in known.values():
            result._values = known
    mask = getattr(first, "_keras_mask", None)
    if mask is not None:
        result._keras_mask = _merged(mask, second._keras_mask, values=values)
        result._keras_mask._mask_of = result
    return result


def _run(function: Any, args: tuple, kwargs: dict[str, Any], sizes: Sizes, make: Any) -> Any:
    # A symbolic tensor has one abstract value, however often it occurs.
    known: dict[int, Any] = {}

    def abstract_value(value: Any) -> Any:
        if not isinstance(value, KerasTensor):
            return value
        if id(value) not in known:
            known[id(value)] = _abstract_value(value, sizes, make)
        return known[id(value)]

    context.inferred_losses = []  # each run adds new ones
    run_args, run_kwargs = map_arguments(abstract_value, args, kwargs)
    # Functions of version 1 that a layer calls would else add to the graph that is being built.
    at_once = running_eagerly() if process.graphs_used else contextlib.nullcontext()
    apart = naming.apart(until_building=True)
    with inferring_shapes(), _core.stop_recording(), apart, at_once:
        return function(*run_args, **run_kwargs)


def _known_sizes(args: tuple, kwargs: dict[str, Any]) -> list[tuple[Sizes, Sizes]]:
    """Sizes like those that other arguments are known to have: the unknown ones may have to fit."""
    shapes = [
        shape.as_list()
        for value in flatten_arguments(args, kwargs)
        if (shape := getattr(value, "shape", None)) is not None and getattr(shape, "rank", None)
    ]
    batches = sorted({shape[0] for shape in shapes} - {None})
    others = sorted({size for shape in shapes for size in shape[1:]} - {None, 1})
    # Of each axis after the batch the first size that is known.
    by_axis: list[Any] = [
        next((size for size in sizes if size not in (None, 1)), None)
        for sizes in itertools.zip_longest(*shapes)
    ][1:]
    known_axes = [axis for axis, known in enumerate(by_axis) if known is not None]

    def pair(axes: tuple[int, ...]) -> tuple[Sizes, Sizes]:
        """Sizes where these axes are as known, and the others unknown."""
        one, other = (
            (batch, *(by_axis[a] if a in axes else rest for a in range(len(by_axis))), rest)
            for batch, rest in _SIZES[0]
        )
        return one, other

    (batch, size), (other_batch, other_size) = _SIZES[0]
    return [
        # As few as possible: a size that need not fit stays unknown.
        *(pair(axes) for n in (1, 2, 3) for axes in itertools.combinations(known_axes, n)),
        *(((batch, known), (other_batch, known)) for known in others),
        *(((known, size), (known, other_size)) for known in batches),
        *(((known, one), (known, one)) for known in batches for one in others),
    ]


def infer(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A function's outputs for symbolic arguments, as symbolic tensors without a history."""
    unknown = any(
        isinstance(value, KerasTensor)
        and (len(value._values or ()) > 1 or None in (value.shape.as_list() if value.ndim else ()))
        for value in flatten_arguments(args, kwargs)
    )
    # Random values that are drawn for shapes do not advance the program's random state.
    function = random_seed.as_traced(function, random_seed.TraceSeeds())
    for sizes in (*_SIZES, *_known_sizes(args, kwargs)) if unknown else _SIZES[:1]:
        try:
            first = _run(function, args, kwargs, sizes[0], placeholder)
            if not unknown:
                return nest.map_structure(lambda x: _merged(x, x), first)
            second = _run(function, args, kwargs, sizes[1], placeholder)
        except Exception:  # another choice of sizes may fit
            continue
        return nest.map_structure(functools.partial(_merged, sizes=sizes), first, second)
    failures: list[Exception] = []
    makers = [functools.partial(_arbitrary_values, variant=variant) for variant in range(2)]
    for sizes in _SIZES_OF_VALUES if unknown else _SIZES_OF_VALUES[:1]:
        try:
            first, second = (
                _run(function, args, kwargs, *each) for each in zip(sizes, makers, strict=True)
            )
        except Exception as error:
            failures.append(error)
            continue
        return nest.map_structure(functools.partial(_merged, values=True), first, second)
    # On placeholders it may have failed only because it reads values.
    raise failures[0]

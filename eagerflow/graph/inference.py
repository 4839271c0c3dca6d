"""Shapes and dtypes of nodes, found by running their functions on stand-ins for their inputs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from eagerflow import _core, context
from eagerflow.graph.structure import replace
from eagerflow.shapes import TensorShape

_ops = _core.ops

# Each choice of unknown sizes: of a first axis, of any other axis, and the shape of a tensor whose
# rank is unknown. A size that differs between the first two choices depends on an unknown one.
_CHOICES: tuple[tuple[int, int, tuple[int, ...]], ...] = ((12, 480, ()), (24, 960, (24, 960)))
# Sizes of tensors with values, for functions that look at values.
_SMALL: tuple[tuple[int, int, tuple[int, ...]], ...] = ((2, 3, ()), (3, 4, (3, 4)), (1, 1, (1,)))


class _State(threading.local):
    choice: int | None = None
    met: list[Any] | None = None
    small: list[tuple[int, int, tuple[int, ...]]] = []


_state = _State()


def inferring() -> int | None:
    """Which choice of sizes functions are run for now, or None if they are run in earnest."""
    return _state.choice


@contextmanager
def _with_choice(choice: int) -> Iterator[None]:
    outer, _state.choice = _state.choice, choice
    try:
        with context.running_eagerly(), _core.stop_recording():
            yield
    finally:
        _state.choice = outer


def _sizes(shape: TensorShape, choice: tuple[int, int, tuple[int, ...]]) -> list[int]:
    if shape.rank is None:
        return list(choice[2])
    return [
        (choice[1] if axis else choice[0]) if size is None else size
        for axis, size in enumerate(shape.as_list())
    ]


def _choose(choice: int, tensor: Any) -> Any:
    return stand_in(tensor, choice)


def samples_of(dtype: Any, shape: TensorShape) -> tuple:
    """Stand-ins for a tensor of which only dtype and shape are known."""
    return tuple(_core.symbolic(dtype, _sizes(shape, choice)) for choice in _CHOICES)


@contextmanager
def noting() -> Iterator[list[Any]]:
    """Collects the graph tensors that functions meet while shapes are inferred."""
    outer, _state.met = _state.met, []
    try:
        yield _state.met
    finally:
        _state.met = outer


def captured(function: Callable[..., Any], arguments: Any) -> list[Any]:
    """The graph tensors that a function meets beside its arguments, as far as a trial shows."""
    with noting() as met:
        try:
            with _with_choice(0):
                function(replace(arguments, lambda tensor: stand_in(tensor, 0)))
        except Exception:
            return met
    return met


def lean(sample: Any) -> Any:
    """A stand-in without its value, unless that may be a shape that others depend on."""
    if sample is None or not hasattr(sample, "_size"):
        return sample
    if (sample.dtype.is_integer or sample.dtype.is_bool) and sample._size <= 64:
        return sample
    return _core.symbolic(sample.dtype, sample._shape_tuple())


def stand_in(tensor: Any, choice: int) -> Any:
    """What stands for a graph's tensor while shapes are inferred."""
    if _state.met is not None:
        _state.met.append(tensor)
    if choice < len(_CHOICES):
        sample = tensor.samples[choice]
        return samples_of(tensor.dtype, tensor.shape)[choice] if sample is None else sample
    return _small(tensor, choice - len(_CHOICES))


def _small(tensor: Any, choice: int) -> Any:
    """A small tensor with values."""
    sizes = _sizes(tensor.shape, _state.small[choice])
    dtype = tensor.dtype
    if dtype.name == "string":
        return _core.convert(np.full(sizes, b"1"), None, None)
    if dtype.is_bool:
        return _ops.fill(_core.convert(choice == 0, None, None), sizes)
    rng = np.random.RandomState(choice)
    values = rng.uniform(0.5, 1.5, sizes) if choice else np.zeros(sizes)
    return _ops.cast(_core.convert(values, None, None), dtype)


def example(tensor: Any) -> Any:
    """A small tensor with values that has a graph tensor's dtype and fits its shape."""
    _state.small = list(_SMALL)
    return _small(tensor, 1)


def infer(call: Callable[[Callable[[Any], Any]], Any], inputs: list[Any]) -> list[Any]:
    """What a node's function gives for each choice of sizes; None where that choice does not work.

    Args:
        call: runs the function with its arguments, in which each graph tensor has been replaced by
            what the function that it is given returns for it.
        inputs: the graph tensors among the arguments.

    Raises:
        Exception: the function's own, if it fails for every choice.
    """
    # Without inputs, every choice gives the same.
    found, errors = _attempt(call, range(len(_CHOICES) if inputs else 1))
    if any(result is not None for result in found) or not inputs:
        if all(result is None for result in found):
            raise errors[0]
        return found
    # Functions that look at values, which stand-ins without values do not have.
    first = len(_CHOICES)
    _state.small = [*_SMALL, *_known_sizes(inputs)]
    small, _ = _attempt(call, range(first, first + len(_state.small)))
    if all(result is None for result in small):
        raise errors[0]
    return [*found, *small]


def _known_sizes(inputs: list[Any]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Choices in which unknown sizes are equal to known ones, as they may have to be."""
    known: dict[int, None] = {}
    for tensor in inputs:
        if tensor.shape.rank is not None:
            known.update((size, None) for size in tensor.shape.as_list() if size and size < 64)
    return [(size, size, (size, size)) for size in list(known)[:4]]


def _attempt(
    call: Callable[[Callable[[Any], Any]], Any], choices: range
) -> tuple[list[Any], list[Exception]]:
    results: list[Any] = []
    errors: list[Exception] = []
    for choice in choices:
        try:
            with _with_choice(choice):
                results.append((call(functools.partial(_choose, choice)),))
        except Exception as error:
            results.append(None)
            errors.append(error)
    return results, errors


def merged_shape(samples: list[Any], uncertain: bool) -> TensorShape:
    """The shape that tensors have in common; sizes in which they differ are unknown.

    Args:
        samples: the tensors, None for choices that did not work.
        uncertain: whether unknown sizes went into them.
    """
    shapes = [sample.shape for sample in samples if sample is not None]
    shape = shapes[0]
    for other in shapes[1:]:
        shape = shape.most_specific_compatible_shape(other)
    if uncertain and len(shapes) == 1:
        # One choice alone does not tell which of the sizes are accidental.
        return TensorShape(None)
    return shape

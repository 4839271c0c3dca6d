"""Infers what nodes return: runs their functions on symbolic values for their inputs.

That gives dtypes and shapes. The engine traces which operations run meanwhile; where those are the
same for all sizes and nothing else happens, a session runs them in place of the function.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import context, random_seed
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.structure import replace

_ops = _core.ops

# Each choice of unknown sizes: of a first axis, of any other axis, and the shape of a tensor whose
# rank is unknown. A size that differs between the first two choices depends on an unknown one.
_CHOICES: tuple[tuple[int, int, tuple[int, ...]], ...] = ((12, 480, ()), (24, 960, (24, 960)))
# Sizes of tensors with values, for functions that read values.
_SMALL: tuple[tuple[int, int, tuple[int, ...]], ...] = ((2, 3, ()), (3, 4, (3, 4)), (1, 1, (1,)))


class _State(threading.local):
    choice: int | None = None
    met: list[Any] | None = None
    given: dict[
        int, Any
    ] = {}  # the symbolic values of this trial, by the identities of graph tensors
    small: list[tuple[int, int, tuple[int, ...]]] = []


_state = _State()


def inferring() -> int | None:
    """The choice of sizes that functions run with now, or None if they run on actual values."""
    return _state.choice


@contextmanager
def _with_choice(choice: int) -> Iterator[None]:
    outer = _state.choice, _state.given
    _state.choice, _state.given = choice, {}
    try:
        with context.running_eagerly(), _core.stop_recording():
            yield
    finally:
        _state.choice, _state.given = outer


def _sizes(shape: TensorShape, choice: tuple[int, int, tuple[int, ...]]) -> list[int]:
    if shape.rank is None:
        return list(choice[2])
    return [
        (choice[1] if axis else choice[0]) if size is None else size
        for axis, size in enumerate(shape.as_list())
    ]


def _choose(choice: int, tensor: Any) -> Any:
    return symbolic_value(tensor, choice)


def samples_of(dtype: Any, shape: TensorShape) -> tuple:
    """A symbolic value of each choice of sizes, for a tensor of known dtype and shape."""
    return tuple(_core.symbolic(dtype, _sizes(shape, choice)) for choice in _CHOICES)


@contextmanager
def noting() -> Iterator[list[Any]]:
    """Collects the graph tensors that functions read while shapes are inferred."""
    outer, _state.met = _state.met, []
    try:
        yield _state.met
    finally:
        _state.met = outer


def captured(function: Callable[..., Any], arguments: Any) -> list[Any]:
    """The graph tensors that a function captures, as far as a trial shows."""
    with noting() as met:
        try:
            with _with_choice(0):
                function(replace(arguments, lambda tensor: symbolic_value(tensor, 0)))
        except (
            Exception
        ):  # only a trial: errors are raised again where the function is called on actual values
            return met
    return met


def lean(sample: Any) -> Any:
    """A symbolic value for this one, unless it is small and may be a shape that others depend on."""
    if sample is None or not hasattr(sample, "_size"):
        return sample
    if (sample.dtype.is_integer or sample.dtype.is_bool) and sample._size <= 64:
        return sample
    return _core.symbolic(sample.dtype, sample._shape_tuple())


def symbolic_value(tensor: Any, choice: int) -> Any:
    """The symbolic value of a graph tensor while shapes are inferred."""
    if _state.met is not None:
        _state.met.append(tensor)
    value = _state.given.get(id(tensor))
    if value is None:
        value = _state.given[id(tensor)] = _new_symbolic_value(tensor, choice)
    return value


def _new_symbolic_value(tensor: Any, choice: int) -> Any:
    """A symbolic value that no other graph tensor shares."""
    if choice >= len(_CHOICES):
        return _small(tensor, choice - len(_CHOICES))
    sample = tensor.samples[choice]
    if sample is None:
        return samples_of(tensor.dtype, tensor.shape)[choice]
    if type(sample) is not _core.Tensor:
        return sample
    if _core.is_symbolic(sample):
        return _core.symbolic(sample.dtype, sample._shape_tuple())
    return _ops.identity(sample)


def _small(tensor: Any, choice: int) -> Any:
    """A small tensor with values."""
    sizes = _sizes(tensor.shape, _state.small[choice])
    dtype = tensor.dtype
    if dtype.name == "string":
        return _core.as_tensor(np.full(sizes, b"1"))
    if dtype.is_bool:
        return _ops.fill(_core.as_tensor(choice == 0), sizes)
    rng = np.random.RandomState(choice)
    values = rng.uniform(0.5, 1.5, sizes) if choice else np.zeros(sizes)
    return _ops.cast(_core.as_tensor(values), dtype)


def example(tensor: Any) -> Any:
    """A small tensor with values that has a graph tensor's dtype and fits its shape."""
    _state.small = list(_SMALL)
    return _small(tensor, 1)


class Trials:
    """The results of a node's function for each choice of sizes; None where the function failed."""

    def __init__(self) -> None:
        self.results: list[Any] = []
        self._errors: list[Exception] = []
        self._traces: list[tuple[Any, dict[int, Any]]] = []

    def add(self, call: Callable[[Callable[[Any], Any]], Any], choices: range) -> None:
        """Runs the function for further choices."""
        for choice in choices:
            with _with_choice(choice):
                given, trace = _state.given, _core.Trace()
                try:
                    # Random values that no run will draw, and different ones for each choice, so
                    # that what is random is not taken for a constant.
                    with random_seed.drawing(random_seed.unforeseen):
                        self.results.append((call(functools.partial(_choose, choice)),))
                except Exception as error:
                    self.results.append(None)
                    self._errors.append(error)
                finally:
                    trace.stop()
                self._traces.append((trace, given))

    def worked(self) -> bool:
        """Whether the function worked for some choice."""
        return any(result is not None for result in self.results)

    def check(self) -> None:
        """Raises the first error if the function failed for every choice."""
        if not self.worked():
            raise self._errors[0]

    def program(self, inputs: list[Any]) -> Any:
        """The operations that the function consists of, if they do not depend on unknown sizes.

        Args:
            inputs: the graph tensors that the node takes.
        """
        if len(self.results) != len(_CHOICES) or None in self.results:
            return None
        programs = []
        for (trace, given), (result,) in zip(self._traces, self.results, strict=True):
            leaves = nest.flatten(result)
            arguments = [given.get(id(tensor)) for tensor in inputs]
            if not all(type(leaf) is _core.Tensor for leaf in [*leaves, *arguments]):
                return None
            programs.append(trace.program(arguments, leaves))
        first, second = programs
        same = first is not None and second is not None and first.same(second)
        return first if same else None


def has_values(tensor: Any) -> bool:
    """Whether shapes have been inferred with values of a graph tensor, not only with sizes."""
    return any(
        type(sample) is _core.Tensor and not _core.is_symbolic(sample) for sample in tensor.samples
    )


def infer(call: Callable[[Callable[[Any], Any]], Any], inputs: list[Any]) -> Trials:
    """Runs a node's function on symbolic values.

    Args:
        call: runs the function with its arguments, in which each graph tensor has been replaced by
            what the function that it is given returns for it.
        inputs: the graph tensors among the arguments.

    Raises:
        Exception: the function's own, if it fails for every choice.
    """
    trials = Trials()
    # Without inputs, all choices have the same result.
    trials.add(call, range(len(_CHOICES) if inputs else 1))
    if trials.worked() or not inputs:
        trials.check()
        return trials
    # Functions that read values, which symbolic values do not have.
    first = len(_CHOICES)
    _state.small = [*_SMALL, *_known_sizes(inputs)]
    trials.add(call, range(first, first + len(_state.small)))
    trials.check()
    return trials


def _known_sizes(inputs: list[Any]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Choices in which unknown sizes are equal to known ones, as they may have to be."""
    known: dict[int, None] = {}
    for tensor in inputs:
        if tensor.shape.rank is not None:
            known.update((size, None) for size in tensor.shape.as_list() if size and size < 64)
    return [(size, size, (size, size)) for size in list(known)[:4]]


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

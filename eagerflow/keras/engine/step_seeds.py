"""The random seeds of a model's steps, as if the steps were traced for kinds of batches."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import random_seed


class StepSeeds:
    """The op seeds of `train_step`, `test_step` or `predict_step`, for each trace.

    Keras traces a step for the specs of the first batch. For a batch that no trace fits, it traces
    the step again, with the sizes that differ left unknown. Every trace has its own op seeds.
    """

    def __init__(self) -> None:
        self._traces: dict[tuple, random_seed.TraceSeeds] = {}

    def find(self, data: Any, source: Any) -> random_seed.TraceSeeds:
        """The op seeds for a batch.

        Args:
            data: the batch.
            source: the data adapter that the batch comes from; None if it is the only batch.
        """
        flat = nest.flatten(data)
        specs = map(spec_of, flat) if source is None else source.specs_of(flat)
        wanted = (_outline(data), *specs)
        if wanted in self._traces:
            return self._traces[wanted]
        fitting = [known for known in self._traces if _fits(known, wanted)]
        if fitting:
            return self._traces[max(fitting, key=_sizes_known)]
        for known in self._traces:
            wanted = _generalized(wanted, known) or wanted
        # The first time, metrics and optimizers make their variables: that needs two traces.
        op_seeds = random_seed.TraceSeeds(traces=1 if self._traces else 2)
        return self._traces.setdefault(wanted, op_seeds)


def spec_of(value: Any) -> tuple:
    """The dtype and sizes of a tensor, or the type of another value."""
    if isinstance(value, _core.Tensor):
        return value.dtype, *value._shape_tuple()
    return (type(value),)


def _outline(data: Any) -> Any:
    """The structure of a batch, as something that can be compared and hashed."""
    if isinstance(data, tuple | list):
        return type(data), *map(_outline, data)
    if isinstance(data, dict):
        return dict, *((key, _outline(data[key])) for key in sorted(data))
    return None


def _fits(known: tuple, wanted: tuple) -> bool:
    """Whether a trace takes batches of certain specs."""
    return _generalized(wanted, known) == known


def _sizes_known(trace: tuple) -> int:
    return sum(size is not None for spec in trace[1:] for size in spec)


def _generalized(one: tuple, other: tuple) -> tuple | None:
    """Specs that fit both, or None where structures, dtypes or ranks differ."""
    if one[0] != other[0] or len(one) != len(other):
        return None
    specs = []
    for first, second in zip(one[1:], other[1:], strict=True):
        if first[0] != second[0] or len(first) != len(second):
            return None
        sizes = zip(first[1:], second[1:], strict=True)
        specs.append((first[0], *(a if a == b else None for a, b in sizes)))
    return one[0], *specs

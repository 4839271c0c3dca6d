"""Dataset.rejection_resample: elements whose classes come in given proportions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.elementwise import MapDataset
from eagerflow.data.functions import traced
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.random import uniform
from eagerflow.util import lazy

# It imports malt when a function is converted.
autograph = lazy.Module("eagerflow.autograph.conversion")

# Before classes are counted, each is taken to have come this often.
_PRIOR_COUNT = 10
_COUNTED_TOGETHER = 32


def resampled(
    source: Dataset, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any, seed: Any
) -> Dataset:
    """The dataset for `Dataset.rejection_resample`."""
    target = np.asarray(_core.convert(target_dist, None, dtypes.float32), np.float64)

    if not callable(class_func):
        traced(class_func, source.element_spec, "Dataset.rejection_resample()")

    def with_class(*parts: Any) -> Any:
        label = autograph.convert_in_context(class_func)(*parts)
        return _core.as_tensor(label), parts[0] if len(parts) == 1 else parts

    name = "Dataset.rejection_resample()"
    labelled = traced(with_class, source.element_spec, name, "class_func")
    pairs = MapDataset(source, labelled)
    if initial_dist is not None:
        initial = np.asarray(_core.convert(initial_dist, None, dtypes.float32), np.float64)
        accepted, original = acceptance(initial, target)
        if original == 1:
            return pairs
        chosen: Dataset = AcceptedDataset(pairs, accepted, seed)
        if original == 0:
            return chosen
        weights = Dataset.from_tensors(np.array([original, 1 - original], np.float32)).repeat()
    else:
        chosen = CountedDataset(pairs, target, seed)
        weights = ShareDataset(pairs, target)
    return Dataset.sample_from_datasets(
        [pairs, chosen], weights=weights, seed=seed, stop_on_empty_dataset=True
    )


def acceptance(initial: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """How likely an element of each class is to be accepted, and the share taken unchosen.

    With ratios r = target / initial, a share min(r) of the elements may be taken as they come; of
    the others, those of a class are accepted with probability (r - min r) / (max r - min r), which
    rejects the fewest.
    """
    ratios = target / (initial + np.finfo(np.float32).tiny)
    low, high = float(ratios.min()), float(ratios.max())
    if high == low:
        return np.ones_like(ratios), 1.0
    return (ratios - low) / (high - low), low


class AcceptedDataset(UnaryDataset):
    """Pairs of class and element, each accepted with its class's probability."""

    def __init__(self, pairs: Dataset, accepted: Any, seed: Any) -> None:
        super().__init__(pairs)
        self._accepted = accepted
        self._seed = seed

    def _cursor(self, context: Context) -> Cursor:
        return AcceptedCursor(self._input._cursor(context), self)

    def _counter(self) -> Any:
        return None

    def _count(self) -> int:
        return -2


class CountedDataset(AcceptedDataset):
    """Pairs of class and element, accepted by the proportions counted so far."""

    def __init__(self, pairs: Dataset, target: np.ndarray, seed: Any) -> None:
        super().__init__(pairs, None, seed)
        self._target = target

    def _counter(self) -> Any:
        return ClassCounter(self._target)


class ClassCounter:
    """Counts classes in batches of elements, and computes the acceptance rates."""

    def __init__(self, target: np.ndarray) -> None:
        self._target = target
        self.counts = np.full(len(target), _PRIOR_COUNT, np.int64)
        self.pending: list[int] = []
        self.accepted, self.original = acceptance(self.counts / self.counts.sum(), target)

    def add(self, number: int) -> None:
        """Counts one element."""
        self.pending.append(number)
        if len(self.pending) == _COUNTED_TOGETHER:
            np.add.at(self.counts, self.pending, 1)
            self.pending = []
            share = self.counts / self.counts.sum()
            self.accepted, self.original = acceptance(share, self._target)


class AcceptedCursor(InputCursor):
    """Draws for each element whether it is accepted."""

    __slots__ = ("_counter", "_owner")

    def __init__(self, source: Cursor, owner: AcceptedDataset) -> None:
        self._input = source
        self._owner = owner
        self._counter = owner._counter()

    def __next__(self) -> Any:
        while True:
            pair = next(self._input)
            number = int(pair[0])
            accepted = self._owner._accepted
            if self._counter is not None:
                self._counter.add(number)
                accepted = self._counter.accepted
            if float(uniform([], seed=self._owner._seed)) < accepted[number]:
                return pair


class ShareDataset(UnaryDataset):
    """For each element the shares of elements taken as they come, and chosen."""

    def __init__(self, pairs: Dataset, target: np.ndarray) -> None:
        super().__init__(pairs)
        self._target = target

    def _cursor(self, context: Context) -> Cursor:
        return ShareCursor(self._input._cursor(context), self)

    def _make_spec(self) -> Any:
        return TensorSpec([2], dtypes.float32)


class ShareCursor(InputCursor):
    """Counts classes on its own."""

    __slots__ = ("_counter", "_owner")

    def __init__(self, source: Cursor, owner: ShareDataset) -> None:
        self._input = source
        self._owner = owner
        self._counter = ClassCounter(owner._target)

    def __next__(self) -> Any:
        self._counter.add(int(next(self._input)[0]))
        original = self._counter.original
        return _core.as_tensor(np.array([original, 1 - original], np.float32))

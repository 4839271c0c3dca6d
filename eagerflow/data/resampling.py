"""Dataset.rejection_resample: elements whose classes have target proportions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data.arguments import INFINITE, UNKNOWN, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.elementwise import MapDataset
from eagerflow.data.functions import HostFunction, traced
from eagerflow.data.random_source import RandomCursor
from eagerflow.data.seeds import SeedSequence, operation_seeds
from eagerflow.framework import dtypes
from eagerflow.framework.random_seed import RESERVED_PER_OUTPUT
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.util import lazy

# It imports malt when a function is converted.
autograph = lazy.Module("eagerflow.autograph.conversion")

# The count that each class starts with.
_PRIOR_COUNT = 10
_COUNTED_TOGETHER = 32
# How many words a call of `tf.random.uniform` for one value reserves in the random sequence.
_WORDS_OF_A_CALL = 4 * RESERVED_PER_OUTPUT


def resampled(
    source: Dataset, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any, seed: Any
) -> Dataset:
    """The dataset for `Dataset.rejection_resample`."""
    target = np.asarray(_core.convert(target_dist, None, dtypes.float32), np.float64)

    if not callable(class_func):
        traced(class_func, source.element_spec, "Dataset.rejection_resample()")

    def with_class(*parts: _core.Tensor) -> Any:
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
        rates: Dataset = Dataset.from_tensors(_rates(accepted, original)).repeat()
    else:
        original = -1
        rates = RatesDataset(pairs, target)
    chosen = AcceptedDataset(rates, pairs, DrawsDataset(seed))
    if original == 0:
        return chosen
    weights = MapDataset(rates, HostFunction(_weights, TensorSpec([2], dtypes.float32)))
    return Dataset.sample_from_datasets(
        [pairs, chosen], weights=weights, seed=seed, stop_on_empty_dataset=True
    )


def _rates(accepted: np.ndarray, original: float) -> tuple[np.ndarray, np.float32]:
    return accepted.astype(np.float32), np.float32(original)


def _weights(_: object, original: _core.Tensor) -> _core.Tensor:
    return _core.ops.stack([original, 1 - original])


def acceptance(initial: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """The acceptance probability of each class, and the share accepted unconditionally.

    With ratios r = target / initial, a share min(r) of the elements may be taken as they come; of
    the others, those of a class are accepted with probability (r - min r) / (max r - min r), which
    rejects the fewest.
    """
    ratios = target / (initial + np.finfo(np.float32).tiny)
    low, high = float(ratios.min()), float(ratios.max())
    if high == low:
        return np.ones_like(ratios), 1.0
    return (ratios - low) / (high - low), low


class RatesDataset(UnaryDataset):
    """For each element the classes' acceptance probabilities, and the unconditional share.

    Classes are counted in batches: elements of one batch have the same rates, and all batches have
    the size of the first, so that there are rates for each element of any choice among them.
    """

    def __init__(self, pairs: Dataset, target: np.ndarray) -> None:
        super().__init__(pairs)
        self._target = target

    def _cursor(self, context: Context) -> Cursor:
        return RatesCursor(self._input._cursor(context), self._target)

    def _make_spec(self) -> tuple[TensorSpec, TensorSpec]:
        classes = TensorSpec([len(self._target)], dtypes.float32)
        return classes, TensorSpec([], dtypes.float32)

    def _count(self) -> int:
        return UNKNOWN


class RatesCursor(InputCursor):
    """Counts the classes of a batch of elements before it returns their rates."""

    __slots__ = ("_counts", "_left", "_rates", "_target")

    def __init__(self, pairs: Cursor, target: np.ndarray) -> None:
        self._input = pairs
        self._target = target
        self._counts = np.full(len(target), _PRIOR_COUNT, np.int64)
        self._left = 0
        self._rates: Any = None

    def __next__(self) -> Any:
        if self._left == 0:
            self._count_batch()
        self._left -= 1
        return self._rates

    def _count_batch(self) -> None:
        classes = [int(label) for label, _ in islice(self._input, _COUNTED_TOGETHER)]
        if not classes:
            raise StopIteration
        known = [number for number in classes if 0 <= number < len(self._counts)]
        np.add.at(self._counts, known, 1)
        self._left = _COUNTED_TOGETHER
        self._estimate()

    def _estimate(self) -> None:
        share = self._counts / self._counts.sum()
        self._rates = tuple(map(_core.as_tensor, _rates(*acceptance(share, self._target))))

    def state(self) -> object:
        counts = self._counts.tolist()
        return {"input": self._input.state(), "counts": counts, "left": self._left}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._counts[:] = state["counts"]
        self._left = state["left"]
        self._estimate()


class DrawsDataset(Dataset):
    """Random values from 0 to 1: those of `tf.random.uniform` with a seed in a function."""

    _has_state = True

    def __init__(self, seed: Any) -> None:
        super().__init__()
        self._seeds = SeedSequence(operation_seeds(seed), False)

    def _cursor(self, context: Context) -> Cursor:
        return DrawsCursor(self._seeds)

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], dtypes.float32)

    def _count(self) -> int:
        return INFINITE


class DrawsCursor(RandomCursor):
    """Draws single values, each from words of its own."""

    __slots__ = ()

    def __next__(self) -> Any:
        word = self._words.one()
        self._words.take(_WORDS_OF_A_CALL - 1)
        # The lower bits are those of a value from 1 to 2.
        return np.uint32(word & 0x7FFFFF | 0x3F800000).view(np.float32) - np.float32(1)


class AcceptedDataset(Dataset):
    """Pairs of class and element, each accepted with its class's probability."""

    def __init__(self, rates: Dataset, pairs: Dataset, draws: Dataset) -> None:
        super().__init__()
        self._inputs = (rates, pairs, draws)

    def _cursor(self, context: Context) -> Cursor:
        return AcceptedCursor([source._cursor(context) for source in self._inputs])

    def _make_spec(self) -> Any:
        return self._inputs[1].element_spec

    def _count(self) -> int:
        return UNKNOWN


class AcceptedCursor(Cursor):
    """Draws for each element whether it is accepted."""

    __slots__ = ("_inputs",)

    def __init__(self, inputs: list[Cursor]) -> None:
        self._inputs = inputs

    def __next__(self) -> Any:
        rates, pairs, draws = self._inputs
        while True:
            accepted = next(rates)[0]
            pair = next(pairs)
            number = int(pair[0])
            if not 0 <= number < accepted.shape[0]:
                raise invalid(
                    f"`class_func` returned class {number}, which is not in "
                    f"[0, {accepted.shape[0]}): `target_dist` has {accepted.shape[0]} classes."
                )
            if next(draws) < accepted.numpy()[number]:
                return pair

    def state(self) -> Any:
        return [source.state() for source in self._inputs]

    def restore(self, state: Any) -> None:
        for source, position in zip(self._inputs, state, strict=True):
            source.restore(position)

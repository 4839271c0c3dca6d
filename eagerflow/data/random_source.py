"""Datasets of random values, and random choice among datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow._core.ops import log
from eagerflow.data.arguments import INFINITE, flag
from eagerflow.data.combining import DirectedInterleaveDataset
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset
from eagerflow.data.seeds import SeedSequence, Words, operation_seeds
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.random import stateless_categorical


class RandomDataset(Dataset):
    """Infinitely many random values from 0 to 2³² - 1."""

    _has_state = True

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._seeds = SeedSequence(
            operation_seeds(seed),
            bool(flag(rerandomize_each_iteration or None, "rerandomize_each_iteration")),
        )

    def _cursor(self, context: Context) -> Cursor:
        return RandomCursor(self._seeds)

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], dtypes.int64)

    def _count(self) -> int:
        return INFINITE


class RandomCursor(Cursor):
    """Draws random values."""

    __slots__ = ("_seeds", "_sequence", "_words")

    def __init__(self, sequence: SeedSequence) -> None:
        self._sequence = sequence
        self._seeds = sequence.next()
        self._words = Words(*self._seeds)

    def __next__(self) -> _core.Tensor:
        return _core.convert(self._words.one(), dtypes.int64, None)

    def state(self) -> Any:
        return [list(self._seeds), self._sequence.position(), self._words.taken]

    def restore(self, state: Any) -> None:
        seeds, position, taken = state
        self._seeds = tuple(seeds)
        self._sequence.go_to(position)
        self._words = Words(*self._seeds)
        self._words.skip_to(taken)


def sampled(
    datasets: Any, weights: Any, seed: Any, stop_on_empty: bool, rerandomize: bool | None
) -> Dataset:
    """The dataset for `Dataset.sample_from_datasets`."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    datasets = list(datasets)
    if isinstance(weights, Dataset):
        seeds = RandomDataset(seed, rerandomize).batch(2)
        pairs = Dataset.zip((weights.map(lambda *p: log(p[0] if len(p) == 1 else p)), seeds))
        return DirectedInterleaveDataset(pairs.map(_choose), datasets, stop_on_empty)
    if weights is None:
        logits = _core.as_tensor([[1.0] * len(datasets)])
    else:
        datasets, weights = _weighted(datasets, weights)
        logits = _core.ops.expand_dims(log(weights), 0)
    if len(datasets) == 1:
        return datasets[0]
    seeds = RandomDataset(seed, rerandomize).batch(2)
    choice = seeds.map(lambda pair: _choose(logits, pair))
    return DirectedInterleaveDataset(choice, datasets, stop_on_empty)


def _choose(logits: _core.Tensor, seed: int) -> _core.Tensor:
    drawn = stateless_categorical(_core.ops.reshape(logits, [1, -1]), 1, seed)
    return _core.ops.reshape(drawn, [])


def _weighted(datasets: list[Dataset], weights: Any) -> tuple[list[Any], Any]:
    """The datasets of nonzero weight, and their weights."""
    if isinstance(weights, _core.Tensor):
        if weights._shape_tuple() != (len(datasets),):
            raise ValueError(
                "Invalid `weights`. The shape of `weights` should be compatible with "
                f"`[len(datasets)]` but is {weights.shape}."
            )
    elif len(weights) != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
        )
    else:
        pairs = [
            (item, weight) for item, weight in zip(datasets, weights, strict=True) if weight > 0
        ]
        if not pairs:
            pairs = [(datasets[0].take(0), 1.0)]
        datasets = [item for item, _ in pairs]
        weights = [weight for _, weight in pairs]
        if all(isinstance(weight, np.generic) for weight in weights):
            weights = np.array(weights)
    weights = _core.as_tensor(weights)
    if weights.dtype.name not in ("float32", "float64"):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
            f"{weights.dtype!r}."
        )
    return datasets, weights

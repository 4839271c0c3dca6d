"""tensorflow.python.ops.clustering_ops: k-means as operations of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graph.variables import make_variable
from eagerflow.ops.control_flow import control_dependencies, group
from eagerflow_compat.v1.python_functions import py_func

__all__ = [
    "CLUSTERS_VAR_NAME",
    "COSINE_DISTANCE",
    "KMC2_INIT",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
]

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"
CLUSTERS_VAR_NAME = "clusters"

_ops = _core.ops
# Keeps the mean of no points finite.
_EPSILON = 1e-6


class KMeans:
    """Lloyd's algorithm over batches of points, or Sculley's over small ones.

    D. Sculley, "Web-scale k-means clustering", 2010; D. Arthur and S. Vassilvitskii, "k-means++: The
    advantages of careful seeding", 2007.

    Args:
        inputs: the points, `[n, d]`, or several such tensors.
        num_clusters: the number of clusters, an integer.
        initial_clusters: "random": points by chance; "kmeans_plus_plus" or "kmc2": points that are far
            apart; the centers themselves; or a function of the points and a number that returns them.
        distance_metric: "squared_euclidean" or "cosine".
        use_mini_batch: whether each step moves the centers by a part of what its batch asks for, which
            falls with the number of points that a center has had.
        mini_batch_steps_per_iteration: the number of steps in which clusters are told by the same
            centers.
        random_seed: the seed of the first centers.
        kmeans_plus_plus_num_retries: the number of candidates beside the first for each center.
        kmc2_chain_length: accepted: k-means++ is used.

    Raises:
        ValueError: if a distance or the first centers have another name, or `d` is unknown.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: int,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric passed to Kmeans {distance_metric}")
        self._cosine = distance_metric == COSINE_DISTANCE
        tensors = [_core.as_tensor(each) for each in _listed(inputs)]
        self._inputs = [_unit(each) if self._cosine else each for each in tensors]
        self._dimension = self._inputs[0].shape[-1]
        if self._dimension is None:
            raise ValueError(f"The number of values of each point is unknown: {self._inputs[0]}")
        self._given = None
        if not isinstance(initial_clusters, str) and not callable(initial_clusters):
            self._given = _core.as_tensor(initial_clusters)
            num_clusters = self._given.shape[0]
        elif isinstance(initial_clusters, str) and initial_clusters not in _CHOICES:
            raise ValueError(f"Unsupported initialization of clusters: {initial_clusters!r}")
        self._count = int(num_clusters)
        self._first = initial_clusters
        self._mini_batch = use_mini_batch
        self._steps = mini_batch_steps_per_iteration if use_mini_batch else 1
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries

    def training_graph(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """The operations of the algorithm.

        Returns:
            Of each input, the distances to all centers `[n, k]`, the nearest center `[n]` and the
            distance to it `[n]`; a variable: whether all first centers have been chosen; an operation
            that chooses some, and one that trains.
        """
        shape = [self._count, self._dimension]
        centers = make_variable(_ops.zeros(shape, dtypes.float32), name=CLUSTERS_VAR_NAME)
        chosen = make_variable(0, dtype=dtypes.int64, trainable=False, name="chosen")
        ready = make_variable(False, dtype=dtypes.bool, trainable=False, name="initialized")
        points = _ops.concat(self._inputs, 0)
        latest, counts = centers, None
        if self._mini_batch:
            zeros = _ops.zeros([self._count], dtypes.int64)
            counts = make_variable(zeros, trainable=False, name="total_counts")
            if self._steps > 1:
                latest = make_variable(
                    _ops.zeros(shape, dtypes.float32), trainable=False, name="clusters_updated"
                )
        begin = self._choose(points, centers, latest, chosen, ready)
        distances = [self._distances(each, centers) for each in self._inputs]
        nearest = [_ops.argmin(each, 1) for each in distances]
        scores = [_ops.reduce_min(each, 1) for each in distances]
        ids = _ops.concat(nearest, 0)
        if counts is None:
            train = self._move_all(points, ids, centers)
        else:
            train = self._move_some(points, ids, centers, latest, counts)
        return distances, nearest, scores, ready, begin, train

    def _distances(self, points: Any, centers: Any) -> Any:
        products = _ops.matmul(points, _unit(centers) if self._cosine else centers, False, True)
        if self._cosine:
            return 1.0 - products
        squares = _ops.reduce_sum(_ops.square(points), 1, True)
        lengths = _ops.reduce_sum(_ops.square(centers), 1)
        return _ops.maximum(squares - 2.0 * products + lengths, 0.0)

    def _choose(self, points: Any, centers: Any, latest: Any, chosen: Any, ready: Any) -> Any:
        """Puts first centers, as many as there are points, in the place of zeros."""
        if self._given is not None:
            new, count = _ops.cast(self._given, dtypes.float32), np.int64(self._count)
        else:
            # A batch may have fewer points than there are centers: the next one gives more.
            known = chosen.read_value()
            wanted = _ops.minimum(self._count - known, _ops.shape(points, dtypes.int64)[0])
            new = self._candidates(points, centers[:known], wanted)
            count = known + wanted
            rest = _ops.zeros(_ops.stack([self._count - count, self._dimension]), dtypes.float32)
            new = _ops.concat([centers[:known], new, rest], 0)
        new = _ops.reshape(_unit(new) if self._cosine else new, [self._count, self._dimension])
        updates = [centers.assign(new), chosen.assign(count), ready.assign(count >= self._count)]
        if latest is not centers:
            updates.append(latest.assign(new))
        return group(*updates)

    def _candidates(self, points: Any, known: Any, wanted: Any) -> Any:
        if callable(self._first):
            return _core.as_tensor(self._first(points, wanted))
        choose: Callable[..., Any] = _CHOICES[self._first]

        def rows(*arguments: Any) -> Any:
            return choose(np.random.RandomState(self._seed), self._retries, *arguments)

        indices = py_func(rows, [points, known, wanted], dtypes.int64, stateful=True)
        return _ops.gather(points, indices)

    def _sums(self, points: Any, ids: Any) -> tuple[Any, Any]:
        """The sum and the number of the points of each center."""
        ones = _ops.ones(_ops.reshape(_ops.shape(ids)[0], [1]), dtypes.int64)
        return (
            _ops.unsorted_segment_sum(points, ids, self._count),
            _ops.unsorted_segment_sum(ones, ids, self._count),
        )

    def _move_all(self, points: Any, ids: Any, centers: Any) -> Any:
        """Puts each center in the middle of its points."""
        sums, counts = self._sums(points, ids)
        means = sums / (_ops.expand_dims(_ops.cast(counts, sums.dtype), -1) + _EPSILON)
        return centers.assign(_unit(means) if self._cosine else means)

    def _move_some(self, points: Any, ids: Any, centers: Any, latest: Any, counts: Any) -> Any:
        """Moves each center towards its points by the part that they are of all it has had."""
        sums, new = self._sums(points, ids)
        number = _ops.expand_dims(_ops.cast(new, sums.dtype), -1)
        had = counts.read_value() + new
        rate = 1.0 / (_ops.expand_dims(_ops.cast(had, sums.dtype), -1) + _EPSILON)
        moved = latest + (sums - latest * number) * rate
        updates = [latest.assign(_unit(moved) if self._cosine else moved), counts.assign(had)]
        if latest is centers:
            return group(*updates)
        step = make_variable(0, dtype=dtypes.int64, trainable=False, name="update_in_steps")
        with control_dependencies(updates):
            count = step.assign_add(1)
            taken = _ops.equal(count % self._steps, 0)
            return centers.assign(_ops.select(taken, latest.read_value(), centers.read_value()))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _unit(points: Any) -> Any:
    """Points at the distance 1 from the origin."""
    squares = _ops.reduce_sum(_ops.square(points), 1, True)
    return points * _ops.rsqrt(_ops.maximum(squares, 1e-12))


def _by_chance(
    random: Any, retries: int, points: np.ndarray, known: np.ndarray, wanted: Any
) -> np.ndarray:
    return random.randint(0, len(points), int(wanted)).astype(np.int64)


def _far_apart(
    random: Any, retries: int, points: np.ndarray, known: np.ndarray, wanted: Any
) -> np.ndarray:
    """Points, each chosen with a probability that is its squared distance to those before."""
    nearest = np.full(len(points), np.inf)
    for center in known:
        nearest = np.minimum(nearest, np.square(points - center).sum(1))
    found: list[int] = []
    while len(found) < wanted:
        if not np.isfinite(nearest).all() or not nearest.sum():
            candidates = random.randint(0, len(points), 1)
        else:
            candidates = random.choice(len(points), 1 + retries, p=nearest / nearest.sum())
        left = [np.minimum(nearest, np.square(points - points[k]).sum(1)) for k in candidates]
        best = int(np.argmin([each.sum() for each in left]))
        nearest = left[best]
        found.append(int(candidates[best]))
    return np.array(found, np.int64)


_CHOICES = {
    RANDOM_INIT: _by_chance,
    KMEANS_PLUS_PLUS_INIT: _far_apart,
    KMC2_INIT: _far_apart,
}

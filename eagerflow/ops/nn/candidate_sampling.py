"""Candidate samplers, and losses over the sampled classes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.errors import ResourceExhaustedError
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.host_call import always, draws_on_host, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import reshaped, sizes_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.nn.embedding import embedding_lookup
from eagerflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from eagerflow.typing import TensorLike
from eagerflow.util.regular import open_text

_ops = _core.ops
Tensor = _core.Tensor


class UniformCandidateSampler(NamedTuple):
    """Drawn classes, and the expected counts of the true and of the drawn classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class LogUniformCandidateSampler(NamedTuple):
    """Drawn classes, and the expected counts of the true and of the drawn classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class FixedUnigramCandidateSampler(NamedTuple):
    """Drawn classes, and the expected counts of the true and of the drawn classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class LearnedUnigramCandidateSampler(NamedTuple):
    """Drawn classes, and the expected counts of the true and of the drawn classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class AllCandidateSampler(NamedTuple):
    """Drawn classes, and the expected counts of the true and of the drawn classes."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class ComputeAccidentalHits(NamedTuple):
    """Drawn classes that are true: example, position, and weight to add to the logit."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


# Samplers reserve this many words for each class they draw.
_WORDS_PER_SAMPLE = 2048

# Draws in a row without a new class, after which the search for distinct classes ends.
_MOST_MISSES = 300_000


class Words:
    """The 32-bit words of a Philox stream one by one, and values made of them."""

    def __init__(self, start: tuple[int, int, int]) -> None:
        self._key, low, high = start
        self._counter = (high % 2**64 << 64) + low % 2**64
        self._words: list[int] = []

    def word(self) -> int:
        """32 random bits."""
        if not self._words:
            low, high = random_seed.signed(self._counter), random_seed.signed(self._counter >> 64)
            drawn = _ops.philox_uniform_full_int([256], dtypes.uint32, self._key, low, high)
            self._words = drawn.numpy()[::-1].tolist()
            self._counter += 64
        return self._words.pop()

    def below(self, n: int, bits: int = 64) -> int:
        """A uniform integer in [0, n); words that would bias it are drawn again."""

        def draw() -> int:
            return self.word() if bits == 32 else self.word() | self.word() << 32

        if n & (n - 1) == 0:
            return draw() & (n - 1)
        remainder = (2**bits - 1) % n + 1
        while (value := draw()) < remainder:
            pass
        return value % n

    def double(self) -> float:
        """A float in [0, 1) of 52 random bits."""
        high = self.word() & 0xFFFFF
        return ((high << 32) | self.word()) / 2.0**52

    def single(self) -> float:
        """A float in [0, 1) of 23 random bits."""
        return (self.word() & 0x7FFFFF) / 2.0**23


def _node(kind: type) -> Any:
    """The node of a sampler while a graph is built."""

    def specs(true_classes: Any, num_true: int, num_sampled: int, *args: Any, **kwargs: Any) -> Any:
        batch = _core.convert(true_classes, None, dtypes.int64).shape[:1]
        return kind(
            TensorSpec([num_sampled], dtypes.int64),
            TensorSpec(batch.concatenate([num_true]), dtypes.float32),
            TensorSpec([num_sampled], dtypes.float32),
        )

    def blocks(
        true_classes: object, num_true: int, num_sampled: int, *args: object, **kwargs: object
    ) -> int:
        return _WORDS_PER_SAMPLE * num_sampled // 4

    return draws_on_host(specs, blocks)


def _expected_count(probability: float, size: int, tries: int) -> float:
    """The expected count of a class among `size` samples that took `tries` draws."""
    if tries == size:
        return probability * size
    return -math.expm1(tries * math.log1p(-probability))


def _true_classes(true_classes: TensorLike, num_true: int, op: str) -> np.ndarray:
    array = np.asarray(_core.convert(true_classes, None, dtypes.int64))
    if array.ndim != 2:
        raise invalid_argument(f"true_classes must be a matrix [Op:{op}]")
    if array.shape[1] != num_true:
        raise invalid_argument(
            f"true_classes must have num_true columns, expected: {array.shape[1]} was: {num_true} "
            f"[Op:{op}]"
        )
    return array


def _sample(
    kind: type,
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None,
    draw: Callable[[Words], int],
    probability: Callable[[int], float],
) -> Any:
    op = kind.__name__
    true = _true_classes(true_classes, num_true, op)
    if num_sampled < 1:
        raise invalid_argument(f"num_sampled must be at least 1, got {num_sampled} [Op:{op}]")
    if range_max < 1:
        raise invalid_argument(f"range_max must be at least 1, got {range_max} [Op:{op}]")
    for candidate in true.reshape(-1).tolist():
        if not 0 <= candidate < range_max:
            raise invalid_argument(
                f"`true_candidate` out of range [0, {range_max}), received {candidate} [Op:{op}]"
            )
    if unique and num_sampled > range_max:
        raise invalid_argument(f"Sampler's range is too small. [Op:{op}]")
    blocks = _WORDS_PER_SAMPLE * num_sampled // 4
    key = (op, num_true, num_sampled, unique, range_max)
    words = Words(random_seed.draw(key, seed, blocks))
    # Allocated before the draws, so that a count too large for memory fails here.
    sampled = _ops.zeros([num_sampled], dtypes.int64).numpy()
    seen: set[int] = set()
    tries = filled = latest = 0
    while filled < num_sampled:
        tries += 1
        candidate = draw(words)
        if not unique or candidate not in seen:
            seen.add(candidate)
            sampled[filled] = candidate
            filled += 1
            latest = tries
        elif tries - latest > _MOST_MISSES:
            raise ResourceExhaustedError._of(
                f"Only {filled} of {num_sampled} distinct classes were found: {_MOST_MISSES} draws had no "
                f"further one, since all others are too unlikely. Draw fewer, or unique=False. [Op:{op}]"
            )

    def counts(classes: Sequence[int]) -> np.ndarray:
        values = [_expected_count(probability(c), num_sampled, tries) for c in classes]
        return np.array(values, np.float32)

    return kind(
        _core.as_tensor(sampled),
        _core.as_tensor(counts(true.reshape(-1).tolist()).reshape(true.shape)),
        _core.as_tensor(counts(sampled.tolist())),
    )


@composed_op(
    "UniformCandidateSampler", in_graph=_node(UniformCandidateSampler), true_classes=Input("int64")
)
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> UniformCandidateSampler:
    """Draws classes uniformly.

    Args:
        true_classes: int64 `[batch, num_true]`.
        num_true: the number of true classes of each example.
        num_sampled: how many classes to draw.
        unique: whether they must be distinct.
        range_max: the number of classes.
        seed: makes the classes reproducible, together with `tf.random.set_seed`.

    Returns:
        The classes `[num_sampled]`, and the expected counts of each true class and each drawn class
        among them, `[batch, num_true]` and `[num_sampled]`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> sampled = tf.random.uniform_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    chance = float(np.float32(1) / np.float32(range_max)) if range_max > 0 else 0.0
    return _sample(
        UniformCandidateSampler,
        *(true_classes, num_true, num_sampled, unique, range_max, seed),
        lambda words: words.below(range_max),
        lambda candidate: chance,
    )


@composed_op(
    "LogUniformCandidateSampler",
    in_graph=_node(LogUniformCandidateSampler),
    true_classes=Input("int64"),
)
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LogUniformCandidateSampler:
    """Draws classes of which lower ones are likelier, as words sorted by frequency are.

    The probability of class c is `log((c + 2) / (c + 1)) / log(range_max + 1)`. See
    `uniform_candidate_sampler`.

    >>> sampled = tf.random.log_uniform_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    scale = math.log1p(range_max) if range_max > 0 else 1.0

    def draw(words: Words) -> int:
        return (int(math.exp(words.double() * scale)) - 1) % range_max

    return _sample(
        LogUniformCandidateSampler,
        *(true_classes, num_true, num_sampled, unique, range_max, seed),
        draw,
        lambda candidate: math.log((candidate + 2.0) / (candidate + 1.0)) / scale,
    )


class _AliasTable:
    """Draws indices by their weights in constant time, by A. Walker's alias method."""

    def __init__(self, weights: np.ndarray) -> None:
        n = self.size = len(weights)
        share = [float(w) * n / float(weights.astype(np.float64).sum()) for w in weights]
        self.chance, self.alias = [1.0] * n, list(range(n))
        small = [k for k in range(n) if share[k] < 1.0]
        large = [k for k in range(n) if share[k] >= 1.0]
        while small and large:
            low, high = small.pop(), large.pop()
            self.chance[low], self.alias[low] = float(np.float32(share[low])), high
            share[high] -= 1.0 - share[low]
            (small if share[high] < 1.0 else large).append(high)

    def draw(self, words: Words) -> int:
        """The next index."""
        r = words.single()
        k = words.below(self.size, 32)
        return k if r < self.chance[k] else self.alias[k]


@functools.lru_cache(maxsize=8)
def _unigrams(
    vocab_file: str,
    unigrams: tuple[float, ...],
    distortion: float,
    reserved: int,
    shards: int,
    shard: int,
) -> tuple[np.ndarray, float, _AliasTable]:
    counts = list(unigrams)
    if vocab_file:
        with open_text(vocab_file) as file:
            counts = [float(line.rsplit(",", 1)[-1]) for line in file if line.strip()]
    powers = [math.pow(count, distortion) for count in counts]
    weights = np.array([0.0] * reserved + powers, np.float32)
    total = float(weights.sum(dtype=np.float64))
    return weights, total, _AliasTable(weights[shard::shards])


@composed_op(
    "FixedUnigramCandidateSampler",
    in_graph=_node(FixedUnigramCandidateSampler),
    true_classes=Input("int64"),
)
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> FixedUnigramCandidateSampler:
    """Draws classes by their weights.

    Args:
        true_classes: int64 `[batch, num_true]`.
        num_true: the number of true classes of each example.
        num_sampled: how many classes to draw.
        unique: whether they must be distinct.
        range_max: the number of classes.
        vocab_file: a file with a line for each class, which ends with a comma and a weight.
        distortion: the power to which weights are raised.
        num_reserved_ids: how many leading classes are never drawn and have no weight.
        num_shards: draws only every `num_shards`-th class,
        shard: beginning with this one.
        unigrams: the weights, if `vocab_file` is empty.
        seed: makes the classes reproducible, together with `tf.random.set_seed`.

    Returns:
        See `uniform_candidate_sampler`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> sampled = tf.random.fixed_unigram_candidate_sampler(
    ...     [[1]], 1, 2, True, 3, unigrams=[0.0, 1.0, 1.0]
    ... )
    >>> sorted(sampled.sampled_candidates.numpy().tolist())
    [1, 2]
    """
    op = "FixedUnigramCandidateSampler"
    if bool(vocab_file) == bool(len(unigrams)):
        raise invalid_argument(
            f"Must provide either vocab_file or unigrams, but not both or none. [Op:{op}]"
        )
    weights, total, table = _unigrams(
        vocab_file, tuple(map(float, unigrams)), distortion, num_reserved_ids, num_shards, shard
    )
    if len(weights) != range_max:
        raise invalid_argument(
            f"range_max is {range_max} but there are {len(weights)} weights [Op:{op}]"
        )
    return _sample(
        FixedUnigramCandidateSampler,
        *(true_classes, num_true, num_sampled, unique, range_max, seed),
        lambda words: shard + num_shards * table.draw(words),
        lambda candidate: float(weights[candidate]) / total if candidate < len(weights) else 0.0,
    )


@composed_op(
    "LearnedUnigramCandidateSampler",
    in_graph=_node(LearnedUnigramCandidateSampler),
    true_classes=Input("int64"),
)
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LearnedUnigramCandidateSampler:
    """Draws classes that are likelier the more often they were true in earlier calls.

    Calls with the same seed and sizes learn together.

    See `uniform_candidate_sampler`.

    >>> sampled = tf.random.learned_unigram_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.sampled_candidates.numpy().tolist())
    [0, 1, 2]
    """
    key = ("LearnedUnigram", num_true, num_sampled, unique, range_max, seed)
    weights = np.ones(max(range_max, 1), np.int64)
    if seed is not None:  # seeds drawn for other calls are never reused
        weights = random_seed.memory().setdefault(key, weights)
    sums = np.cumsum(weights)
    total = int(sums[-1])

    def draw(words: Words) -> int:
        return int(np.searchsorted(sums, words.below(total, 32), side="right"))

    sampled = _sample(
        LearnedUnigramCandidateSampler,
        *(true_classes, num_true, num_sampled, unique, range_max, seed),
        draw,
        lambda candidate: float(weights[candidate]) / total,
    )
    np.add.at(weights, np.asarray(_core.convert(true_classes, None, dtypes.int64)).reshape(-1), 1)
    return sampled


@composed_op(
    "AllCandidateSampler", in_graph=_node(AllCandidateSampler), true_classes=Input("int64")
)
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> AllCandidateSampler:
    """All classes, each expected once; see `uniform_candidate_sampler`.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])
    """
    true = _true_classes(true_classes, num_true, "AllCandidateSampler")
    return AllCandidateSampler(
        _ops.cumsum(_ops.ones([num_sampled], dtypes.int64), exclusive=True),
        _ops.ones(true.shape, dtypes.float32),
        _ops.ones([num_sampled], dtypes.float32),
    )


_HITS: Any = [TensorSpec([None], kind) for kind in (dtypes.int32, dtypes.int64, dtypes.float32)]
_HITS = ComputeAccidentalHits(*_HITS)


@composed_op(
    "ComputeAccidentalHits",
    in_graph=on_host(always(_HITS)),
    true_classes=Input("int64"),
    sampled_candidates=Input("int64"),
)
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> ComputeAccidentalHits:
    """Where drawn classes are true ones.

    Args:
        true_classes: int64 `[batch, num_true]`.
        sampled_candidates: the drawn classes `[n]`.
        num_true: the number of true classes of each example.
        seed: ignored.

    Returns:
        For each hit: the example, the index in the drawn classes, and a weight, the lowest
        float32, that takes the class out of a softmax if it is added to its logit.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> tf.nn.compute_accidental_hits([[1], [2]], [5, 2], 1).indices.numpy()
    array([1], dtype=int32)
    """
    true = _true_classes(true_classes, num_true, "ComputeAccidentalHits")
    sampled = np.asarray(_core.convert(sampled_candidates, None, dtypes.int64))
    if sampled.ndim != 1:
        raise invalid_argument(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler [Op:ComputeAccidentalHits]"
        )
    positions = {candidate: column for column, candidate in enumerate(sampled.tolist())}
    hits = [
        (example, positions[candidate])
        for example, row in enumerate(true.tolist())
        for candidate in row
        if candidate in positions
    ]
    array = np.array(hits, np.int64).reshape(-1, 2)
    weights = np.full(len(hits), np.finfo(np.float32).min)
    return ComputeAccidentalHits(
        _core.as_tensor(array[:, 0].astype(np.int32)),
        _core.as_tensor(array[:, 1].copy()),
        _core.as_tensor(weights),
    )


def _sampled_logits(
    weights: Tensor,
    biases: Any,
    labels: Tensor,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: tuple[Tensor, Tensor, Tensor] | None,
    remove_accidental_hits: bool,
    seed: int | None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true and the drawn classes, and labels for them."""
    inputs = _core.as_tensor(inputs)
    labels = _ops.cast(labels, dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_expected, sampled_expected = (
        _ops.stop_gradient(value) for value in sampled_values
    )
    sampled = _ops.cast(sampled, dtypes.int64)
    flat = _ops.reshape(labels, [-1])
    classes = _ops.concat([flat, sampled], 0)
    count = sizes_of(flat)[0]
    if num_true < 1:
        raise ValueError(f"num_true must be at least 1, got {num_true}")
    rows = embedding_lookup(weights, classes)
    if rows.ndim not in (2, None):
        raise ValueError(f"weights must be a matrix; a row of them has shape {rows.shape[1:]}")
    offsets = embedding_lookup(biases, classes)
    if rows.dtype is not inputs.dtype:
        rows, offsets = _ops.cast(rows, inputs.dtype), _ops.cast(offsets, inputs.dtype)
    true_rows, sampled_rows = rows[:count], rows[count:]
    size = sizes_of(rows)[1]
    dots = _ops.expand_dims(inputs, 1) * reshaped(true_rows, [count // num_true, num_true, size])
    true_logits = _ops.reduce_sum(dots, axis=2) + _ops.reshape(offsets[:count], [-1, num_true])
    sampled_logits = _ops.matmul(inputs, sampled_rows, transpose_b=True) + offsets[count:]
    if remove_accidental_hits:
        hits = compute_accidental_hits(labels, sampled, num_true)
        positions = _ops.stack([_ops.cast(hits.indices, dtypes.int64), hits.ids], 1)
        removed = _ops.cast(hits.weights, inputs.dtype)
        sampled_logits = _ops.tensor_scatter_nd_add(sampled_logits, positions, removed)
    true_logits = true_logits - _ops.log(_ops.cast(true_expected, inputs.dtype))
    sampled_logits = sampled_logits - _ops.log(_ops.cast(sampled_expected, inputs.dtype))
    logits = _ops.concat([true_logits, sampled_logits], 1)
    wanted = [_ops.ones_like(true_logits) * (1.0 / num_true), _ops.zeros_like(sampled_logits)]
    return logits, _ops.concat(wanted, 1)


@op_function
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """The noise-contrastive loss: true classes are distinguished from drawn ones.

    Args:
        weights: a row for each class `[num_classes, size]`, or a list of tables of rows.
        biases: `[num_classes]`.
        labels: the true classes, int64 `[batch, num_true]`.
        inputs: `[batch, size]`.
        num_sampled: how many classes to draw.
        num_classes: the number of classes.
        num_true: the number of true classes of each example.
        sampled_values: the result of a candidate sampler; by default classes are drawn by
            `tf.random.log_uniform_candidate_sampler`.
        remove_accidental_hits: whether drawn classes that are true are left out.

    Returns:
        A loss for each example `[batch]`.

    >>> loss = tf.nn.nce_loss(tf.zeros([10, 4]), tf.zeros([10]), [[1], [2]], tf.ones([2, 4]), 3, 10)
    >>> loss.shape
    TensorShape([2])
    """
    logits, wanted = _sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, None),
    )
    return _ops.reduce_sum(sigmoid_cross_entropy_with_logits(wanted, logits), axis=1)


@op_function
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross-entropy over the true and a few drawn classes; see `tf.nn.nce_loss`.

    Args:
        weights: a row for each class `[num_classes, size]`, or a list of tables of rows.
        biases: `[num_classes]`.
        labels: the true classes, int64 `[batch, num_true]`.
        inputs: `[batch, size]`.
        num_sampled: how many classes to draw.
        num_classes: the number of classes.
        num_true: the number of true classes of each example.
        sampled_values: the result of a candidate sampler.
        remove_accidental_hits: whether drawn classes that are true are left out.
        seed: the seed of the sampler.

    Returns:
        A loss for each example `[batch]`.

    >>> loss = tf.nn.sampled_softmax_loss(
    ...     tf.zeros([10, 4]), tf.zeros([10]), [[1], [2]], tf.ones([2, 4]), 3, 10
    ... )
    >>> loss.shape
    TensorShape([2])
    """
    logits, wanted = _sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, seed),
    )
    return softmax_cross_entropy_with_logits(_ops.stop_gradient(wanted), logits)

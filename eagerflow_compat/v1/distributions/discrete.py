"""Distributions of classes and counts: Bernoulli's, categorical, and multinomial ones."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, debugging, linalg, math, nn, random
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array, creation
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.ops.loops import map_fn
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.v1.distributions.continuous import ScalarDistribution
from eagerflow_compat.v1.distributions.distribution import (
    NOT_REPARAMETERIZED,
    checked,
    joint,
    other_seed,
)
from eagerflow_compat.v1.distributions.positive import VectorDistribution, checked_concentration

_ops = _core.ops


def _logits_and_probs(
    logits: TensorLike, probs: TensorLike | None, multidimensional: bool, validate_args: bool
) -> tuple[_core.Tensor, _core.Tensor]:
    """Both forms of one parameter.

    Raises:
        ValueError: if not exactly one is given.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        logits = convert_to_tensor(logits, name="logits")
        if not logits.dtype.is_floating:
            raise TypeError("logits must having floating type.")
        return logits, (nn.softmax if multidimensional else math.sigmoid)(logits)
    probs = convert_to_tensor(probs, name="probs")
    if not probs.dtype.is_floating:
        raise TypeError("probs must having floating type.")
    if validate_args:
        one = creation.ones([], probs.dtype)
        positive = debugging.assert_non_negative(probs)
        if multidimensional:
            sums = debugging.assert_near(
                math.reduce_sum(probs, -1), one, message="probs does not sum to 1."
            )
            probs = checked(probs, positive, sums)
        else:
            below = debugging.assert_less_equal(
                probs, one, message="probs has components greater than 1."
            )
            probs = checked(probs, positive, below)
    if multidimensional:
        return math.log(probs), probs
    return math.log(probs) - math.log1p(-probs), probs


class Bernoulli(ScalarDistribution):
    """Distributions of zero and one.

    Args:
        logits: the logarithms of the odds of one, a floating-point tensor.
        probs: the probabilities of one; in place of `logits`.
        dtype: the dtype of events.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if not exactly one of `logits` and `probs` is given.

    >>> tf.compat.v1.distributions.Bernoulli(probs=[0.25, 0.5]).prob([0, 1]).numpy()
    array([0.75, 0.5 ], dtype=float32)
    """

    _names = ("logits",)

    def __init__(
        self,
        logits: Any = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = locals()
        self._logits, self._probs = _logits_and_probs(logits, probs, False, validate_args)
        self._declare(parameters, dtypes.as_dtype(dtype), NOT_REPARAMETERIZED)

    @property
    def logits(self) -> _core.Tensor:
        """The logarithms of the odds of one."""
        return self._logits

    @property
    def probs(self) -> _core.Tensor:
        """The probabilities of one."""
        return self._probs

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        u = random.uniform(self._shape_of_samples(n), dtype=self.probs.dtype, seed=seed)
        return _ops.cast(u < self.probs, self.dtype)

    def _log_prob(self, value: Any) -> _core.Tensor:
        if self.validate_args:
            one = creation.ones([], value.dtype)
            value = checked(
                value,
                debugging.assert_non_negative(value),
                debugging.assert_less_equal(value, one, message="Elements cannot exceed 1."),
            )
        value = _ops.cast(value, self.logits.dtype)
        sizes = joint(value, self.logits)[1]()
        return -nn.sigmoid_cross_entropy_with_logits(
            labels=_ops.broadcast_to(value, sizes), logits=_ops.broadcast_to(self.logits, sizes)
        )

    def _entropy(self) -> _core.Tensor:
        return -self.logits * (math.sigmoid(self.logits) - 1.0) + math.softplus(-self.logits)

    def _mean(self) -> _core.Tensor:
        return _ops.identity(self.probs)

    def _variance(self) -> _core.Tensor:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> _core.Tensor:
        return _ops.cast(self.probs > 0.5, self.dtype)


class Categorical(VectorDistribution):
    """Distributions of the numbers of classes.

    Args:
        logits: the logarithms of the odds of each class on the last axis.
        probs: the probabilities; in place of `logits`.
        dtype: the dtype of events.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if not exactly one of `logits` and `probs` is given.

    >>> tf.compat.v1.distributions.Categorical(probs=[0.25, 0.75]).prob([0, 1]).numpy()
    array([0.25, 0.75], dtype=float32)
    """

    def __init__(
        self,
        logits: Any = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = locals()
        self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
        self._declare(parameters, dtypes.as_dtype(dtype), NOT_REPARAMETERIZED)

    def _vector(self) -> _core.Tensor:
        return self._logits

    @property
    def event_size(self) -> _core.Tensor:
        """The number of classes, a scalar tensor."""
        return array.shape(self._logits)[-1]

    @property
    def logits(self) -> _core.Tensor:
        """The logarithms of the odds of each class."""
        return self._logits

    @property
    def probs(self) -> _core.Tensor:
        """The probabilities of the classes."""
        return self._probs

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> _core.Tensor:
        return convert_to_tensor([], dtypes.int32)

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        rows = _ops.reshape(self.logits, [-1, self.event_size])
        wide = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = _ops.transpose(random.categorical(rows, n, dtype=wide, seed=seed))
        sizes = array.concat([[n], self.batch_shape_tensor()], 0)
        return _ops.cast(_ops.reshape(draws, sizes), self.dtype)

    def _classes(self, value: Any) -> tuple[Any, Any]:
        """Classes and logits, broadcast to one batch."""
        if self.validate_args:
            last = _ops.cast(self.event_size - 1, value.dtype)
            value = checked(
                value,
                debugging.assert_non_negative(value),
                debugging.assert_less_equal(value, last),
            )
        sizes = array.broadcast_dynamic_shape(array.shape(value), self.batch_shape_tensor())
        logits = _ops.broadcast_to(self.logits, array.concat([sizes, [self.event_size]], 0))
        return _ops.cast(_ops.broadcast_to(value, sizes), dtypes.int32), logits

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        classes, logits = self._classes(value)
        return -nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        """The probability of smaller classes, as TensorFlow's distribution has it."""
        classes, logits = self._classes(value)
        below = creation.sequence_mask(classes, self.event_size, dtype=logits.dtype)
        return math.reduce_sum(nn.softmax(logits) * below, -1)

    def _entropy(self) -> _core.Tensor:
        return -math.reduce_sum(nn.log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> _core.Tensor:
        return _ops.cast(math.argmax(self.logits, axis=-1), self.dtype)


def _log_combinations(n: _core.Tensor, counts: _core.Tensor) -> _core.Tensor:
    """The logarithm of how many orders of n events have these counts of classes."""
    return math.lgamma(n + 1.0) - math.reduce_sum(math.lgamma(counts + 1.0), -1)


class _Counts(VectorDistribution):
    """How often each class comes in `total_count` events."""

    _total_count: _core.Tensor

    @property
    def total_count(self) -> _core.Tensor:
        """The numbers of events."""
        return self._total_count

    def _checked_counts(self, counts: Any) -> _core.Tensor:
        if not self.validate_args:
            return counts
        return checked(
            counts,
            debugging.assert_non_negative(counts),
            debugging.assert_equal(
                self.total_count,
                math.reduce_sum(counts, -1),
                message="counts must sum to `self.total_count`",
            ),
        )


def _total(total_count: Any, like: Any, validate_args: bool) -> _core.Tensor:
    total = convert_to_tensor(total_count, dtype_hint=like.dtype, name="total_count")
    if not validate_args:
        return total
    return checked(
        total,
        debugging.assert_non_negative(total),
        debugging.assert_equal(total, math.round(total), message="total_count must be integer"),
    )


class Multinomial(_Counts):
    """Distributions of the counts of classes in several independent events.

    Args:
        total_count: the numbers of events, a floating-point tensor of the batch's shape.
        logits: the logarithms of the odds of each class on the last axis.
        probs: the probabilities; in place of `logits`.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if not exactly one of `logits` and `probs` is given.

    >>> tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75]).mean().numpy()
    array([1., 3.], dtype=float32)
    """

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = locals()
        self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
        self._total_count = _total(total_count, self._probs, validate_args)
        self._mean_counts = self._total_count[..., None] * self._probs
        self._declare(parameters, self._probs.dtype, NOT_REPARAMETERIZED)

    def _vector(self) -> _core.Tensor:
        return self._mean_counts

    @property
    def logits(self) -> _core.Tensor:
        """The logarithms of the odds of each class."""
        return self._logits

    @property
    def probs(self) -> _core.Tensor:
        """The probabilities of the classes."""
        return self._probs

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        k = self.event_shape_tensor()[0]
        batch = self.batch_shape_tensor()
        logits = _ops.broadcast_to(self.logits, array.concat([batch, [k]], 0))
        counts = _ops.broadcast_to(_ops.cast(self.total_count, dtypes.int32), batch)

        def drawn(row: tuple[_core.Tensor, _core.Tensor]) -> _core.Tensor:
            """The counts of all samples of one random variable: [n, k]."""
            classes = random.categorical(row[0][None], n * row[1], dtype=dtypes.int64, seed=seed)
            marks = creation.one_hot(_ops.reshape(classes, [n, -1]), k, dtype=self.dtype)
            return math.reduce_sum(marks, -2)

        rows = (_ops.reshape(logits, [-1, k]), _ops.reshape(counts, [-1]))
        drawn_counts = map_fn(drawn, rows, fn_output_signature=self.dtype)
        sizes = array.concat([[n], batch, [k]], 0)
        return _ops.reshape(_ops.transpose(drawn_counts, [1, 0, 2]), sizes)

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        counts = self._checked_counts(value)
        likelihood = math.reduce_sum(counts * nn.log_softmax(self.logits), -1)
        return likelihood + _log_combinations(self.total_count, counts)

    def _mean(self) -> _core.Tensor:
        return _ops.identity(self._mean_counts)

    def _variance(self) -> _core.Tensor:
        return self._mean_counts * (1.0 - self.probs)

    def _covariance(self) -> _core.Tensor:
        outer = self._mean_counts[..., :, None] * self.probs[..., None, :]
        return linalg.set_diag(-outer, self._variance())


class DirichletMultinomial(_Counts):
    """Distributions of the counts of classes whose probabilities come from Dirichlet's.

    Args:
        total_count: the numbers of events, a floating-point tensor of the batch's shape.
        concentration: the parameters of Dirichlet's distribution; the last axis is that of events.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    >>> tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean().numpy()
    array([1., 3.], dtype=float32)
    """

    def __init__(
        self,
        total_count: Any,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = locals()
        self._concentration = checked_concentration(concentration, validate_args)
        self._total_count = _total(total_count, self._concentration, validate_args)
        self._sum = math.reduce_sum(self._concentration, -1)
        self._declare(parameters, self._concentration.dtype, NOT_REPARAMETERIZED)

    def _vector(self) -> _core.Tensor:
        return self._concentration

    @property
    def concentration(self) -> _core.Tensor:
        """The parameters of Dirichlet's distribution."""
        return self._concentration

    @property
    def total_concentration(self) -> _core.Tensor:
        """The sums of the parameters."""
        return self._sum

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        k = self.event_shape_tensor()[0]
        parts = random.gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        classes = random.categorical(
            _ops.reshape(math.log(parts), [-1, k]),
            _ops.cast(self.total_count, dtypes.int32),
            dtype=dtypes.int64,
            seed=other_seed(seed, "dirichlet_multinomial"),
        )
        counts = math.reduce_sum(creation.one_hot(classes, k, dtype=self.dtype), -2)
        return _ops.reshape(counts, array.concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        counts = self._checked_counts(value)
        return (
            math.lbeta(self.concentration + counts)
            - math.lbeta(self.concentration)
            + _log_combinations(self.total_count, counts)
        )

    def _mean(self) -> _core.Tensor:
        share = self.concentration / self.total_concentration[..., None]
        return self.total_count[..., None] * share

    def _overdispersion(self) -> _core.Tensor:
        """How much larger variances are than those of a multinomial distribution."""
        total = self.total_concentration[..., None]
        return (total + self.total_count[..., None]) / (total + 1.0)

    def _variance(self) -> _core.Tensor:
        share = self.concentration / self.total_concentration[..., None]
        return self._overdispersion() * self._mean() * (1.0 - share)

    def _covariance(self) -> _core.Tensor:
        share = self.concentration / self.total_concentration[..., None]
        outer = self._overdispersion()[..., None] * self._mean()[..., :, None] * share[..., None, :]
        return linalg.set_diag(-outer, self._variance())

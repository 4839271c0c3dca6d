"""Distributions of vectors made from distributions of their elements."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, linalg, math, nn
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array, creation
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.v1.distributions.continuous import Normal
from eagerflow_compat.v1.distributions.discrete import Categorical
from eagerflow_compat.v1.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from eagerflow_compat.v1.distributions.divergence import RegisterKL, kl_divergence
from eagerflow_compat.v1.distributions.positive import VectorDistribution

_ops = _core.ops


class Independent(Distribution):
    """A distribution some of whose last batch axes are axes of events.

    Args:
        distribution: the distribution of the elements.
        reinterpreted_batch_ndims: how many axes; all but the first one by default.
        validate_args: ignored.
        name: a name.

    Raises:
        ValueError: if the batch has fewer axes.

    >>> tfd = tf.contrib.distributions
    >>> tfd.Independent(tfd.Normal([0.0, 0.0], 1.0), 1).log_prob([0.0, 0.0]).numpy().round(3)
    np.float32(-1.838)
    """

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        parameters = locals()
        self._distribution = distribution
        rank = distribution.batch_shape.rank
        if reinterpreted_batch_ndims is None:
            if rank is None:
                raise ValueError(
                    "reinterpreted_batch_ndims is needed: the batch's rank is unknown."
                )
            reinterpreted_batch_ndims = max(0, rank - 1)
        if rank is not None and reinterpreted_batch_ndims > rank:
            raise ValueError(
                f"reinterpreted_batch_ndims({reinterpreted_batch_ndims}) cannot exceed "
                f"distribution.batch_ndims({rank})"
            )
        self._ndims = reinterpreted_batch_ndims
        super().__init__(
            distribution.dtype,
            distribution.reparameterization_type,
            validate_args,
            distribution.allow_nan_stats,
            parameters,
            name=name or f"Independent{distribution.name}",
        )

    @property
    def distribution(self) -> Distribution:
        """The distribution of the elements."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many axes of its batch are axes of events."""
        return self._ndims

    def _batch_shape(self) -> TensorShape:
        shape = self.distribution.batch_shape
        return shape if shape.rank is None else shape[: shape.rank - self._ndims]

    def _batch_shape_tensor(self) -> _core.Tensor:
        sizes = self.distribution.batch_shape_tensor()
        return sizes[: array.shape(sizes)[0] - self._ndims]

    def _event_shape(self) -> TensorShape:
        shape = self.distribution.batch_shape
        if shape.rank is None:
            return TensorShape(None)
        return shape[shape.rank - self._ndims :].concatenate(self.distribution.event_shape)

    def _event_shape_tensor(self) -> _core.Tensor:
        sizes = self.distribution.batch_shape_tensor()
        own = sizes[array.shape(sizes)[0] - self._ndims :]
        return array.concat([own, self.distribution.event_shape_tensor()], 0)

    def _sum(self, values: _core.Tensor) -> _core.Tensor:
        return math.reduce_sum(values, list(range(-self._ndims, 0)))

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        return self.distribution.sample(n, seed=seed)

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        return self._sum(self.distribution.log_prob(value))

    def _entropy(self) -> _core.Tensor:
        return self._sum(self.distribution.entropy())

    def _mean(self) -> _core.Tensor:
        return self.distribution.mean()

    def _variance(self) -> _core.Tensor:
        return self.distribution.variance()

    def _stddev(self) -> _core.Tensor:
        return self.distribution.stddev()

    def _mode(self) -> _core.Tensor:
        return self.distribution.mode()


@RegisterKL(Independent, Independent)
def _independent(a: Independent, b: Independent, name: str | None = None) -> _core.Tensor:
    if a.event_shape != b.event_shape:
        raise ValueError(f"Event shapes do not match: {a.event_shape} and {b.event_shape}.")
    return a._sum(kl_divergence(a.distribution, b.distribution))


class MultivariateNormalDiag(VectorDistribution):
    """Normal distributions of vectors whose elements are independent.

    Args:
        loc: the means, `[..., n]`; zeros by default.
        scale_diag: the standard deviations, `[..., n]`; ones by default.
        scale_identity_multiplier: a standard deviation that is added to all of a vector, `[...]`;
            alone, it is that of all.
        validate_args: ignored.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if neither `loc` nor `scale_diag` is given.

    >>> tf.contrib.distributions.MultivariateNormalDiag([1.0, 2.0]).sample(3).shape
    TensorShape([3, 2])
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        parameters = locals()
        if loc is None and scale_diag is None:
            raise ValueError("Must specify one or both of `loc`, `scale_diag`.")
        loc, scale = (None if x is None else _core.as_tensor(x) for x in (loc, scale_diag))
        if scale_identity_multiplier is not None:
            added = _core.as_tensor(scale_identity_multiplier)[..., None]
            scale = added * _ops.ones_like(loc) if scale is None else scale + added
        if scale is None:
            scale = _ops.ones_like(loc)
        if loc is None:
            loc = _ops.zeros_like(scale)
        self._elements = Normal(loc, scale)
        self._like = _ops.zeros_like(loc + scale)
        self._declare(parameters, self._elements.dtype, self._elements.reparameterization_type)

    def _vector(self) -> _core.Tensor:
        return self._like

    @property
    def loc(self) -> _core.Tensor:
        """The means."""
        return self._elements.loc

    @property
    def scale(self) -> Any:
        """The standard deviations as a linear operator."""
        return linalg.LinearOperatorDiag(self._elements.scale, is_non_singular=True)

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        return self._elements.sample(n, seed=seed)

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        return math.reduce_sum(self._elements.log_prob(value), -1)

    def _entropy(self) -> _core.Tensor:
        return math.reduce_sum(self._elements.entropy(), -1)

    def _mean(self) -> _core.Tensor:
        return self._elements.mean()

    def _mode(self) -> _core.Tensor:
        return self._elements.mode()

    def _stddev(self) -> _core.Tensor:
        return self._elements.stddev()

    def _covariance(self) -> _core.Tensor:
        return linalg.diag(self._elements.variance())


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _multivariate_normal(
    a: MultivariateNormalDiag, b: MultivariateNormalDiag, name: str | None = None
) -> _core.Tensor:
    return math.reduce_sum(kl_divergence(a._elements, b._elements), -1)


class OneHotCategorical(VectorDistribution):
    """Distributions of classes, as vectors with a one in the place of the class.

    Args:
        logits: the logarithms of the odds of each class on the last axis.
        probs: the probabilities; in place of `logits`.
        dtype: the dtype of events.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if not exactly one of `logits` and `probs` is given.

    >>> tfd = tf.contrib.distributions
    >>> tfd.OneHotCategorical(probs=[0.25, 0.75]).prob([0, 1]).numpy()
    np.float32(0.75)
    """

    def __init__(
        self,
        logits: _core.Tensor | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        parameters = locals()
        self._classes = Categorical(logits, probs, validate_args=validate_args)
        self._declare(parameters, dtypes.as_dtype(dtype), NOT_REPARAMETERIZED)

    def _vector(self) -> _core.Tensor:
        return self._classes.logits

    @property
    def logits(self) -> _core.Tensor:
        """The logarithms of the odds of each class."""
        return self._classes.logits

    @property
    def probs(self) -> _core.Tensor:
        """The probabilities of the classes."""
        return self._classes.probs

    @property
    def event_size(self) -> _core.Tensor:
        """The number of classes, a scalar tensor."""
        return self._classes.event_size

    def _marks(self, classes: _core.Tensor) -> _core.Tensor:
        return creation.one_hot(classes, self.event_size, dtype=self.dtype)

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        return self._marks(self._classes.sample(n, seed=seed))

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        logs = nn.log_softmax(self.logits)
        # A class of no probability that is not drawn adds nothing.
        return math.reduce_sum(math.multiply_no_nan(logs, _ops.cast(value, logs.dtype)), -1)

    def _entropy(self) -> _core.Tensor:
        return self._classes.entropy()

    def _mode(self) -> _core.Tensor:
        return self._marks(self._classes.mode())

    def _mean(self) -> _core.Tensor:
        return _ops.identity(self.probs)

    def _variance(self) -> _core.Tensor:
        return self.probs * (1.0 - self.probs)

    def _covariance(self) -> _core.Tensor:
        outer = self.probs[..., :, None] * self.probs[..., None, :]
        return linalg.set_diag(-outer, self._variance())


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _one_hot(a: OneHotCategorical, b: OneHotCategorical, name: str | None = None) -> Any:
    return kl_divergence(a._classes, b._classes)

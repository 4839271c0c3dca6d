"""Distributions made from gamma variables: gamma, exponential, beta, and Dirichlet's."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, debugging, linalg, math, random
from eagerflow.framework import dtypes
from eagerflow.ops import array, creation
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.distributions.continuous import ScalarDistribution
from eagerflow_compat.v1.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    Distribution,
    checked,
    float_parameters,
    joint,
    other_seed,
)

_ops = _core.ops


class Gamma(ScalarDistribution):
    """Gamma distributions.

    Args:
        concentration: the shape parameters, positive; a floating-point tensor.
        rate: the inverse scales, positive; of a shape that broadcasts with `concentration`.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics that are not defined are NaN, or errors.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.

    >>> tf.compat.v1.distributions.Gamma([1.0, 3.0], 2.0).mean().numpy()
    array([0.5, 1.5], dtype=float32)
    """

    _names: tuple[str, ...] = ("concentration", "rate")

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        self._begin(locals(), concentration, rate)

    def _begin(self, parameters: dict[str, Any], concentration: Any, rate: TensorLike) -> None:
        """Takes the arguments of this class or a subclass."""
        self._concentration, self._rate = float_parameters(concentration=concentration, rate=rate)
        if parameters["validate_args"]:
            self._concentration = checked(
                self._concentration, debugging.assert_positive(self._concentration)
            )
            self._rate = checked(self._rate, debugging.assert_positive(self._rate))
        self._declare(parameters, self._concentration.dtype, FULLY_REPARAMETERIZED)

    @property
    def concentration(self) -> _core.Tensor:
        """The shape parameters."""
        return self._concentration

    @property
    def rate(self) -> _core.Tensor:
        """The inverse scales."""
        return self._rate

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        return random.gamma([n], self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

    def _checked_event(self, value: TensorLike) -> Any:
        return checked(value, debugging.assert_positive(value)) if self.validate_args else value

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        value = self._checked_event(value)
        density = math.xlogy(self.concentration - 1.0, value) - self.rate * value
        return density - (
            math.lgamma(self.concentration) - self.concentration * math.log(self.rate)
        )

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        value = self._checked_event(value) * self._spread(self.rate)
        return math.igamma(_ops.broadcast_to(self.concentration, array.shape(value)), value)

    def _entropy(self) -> _core.Tensor:
        c = self.concentration
        return c - math.log(self.rate) + math.lgamma(c) + (1.0 - c) * math.digamma(c)

    def _mean(self) -> _core.Tensor:
        return self.concentration / self.rate

    def _variance(self) -> _core.Tensor:
        return self.concentration / math.square(self.rate)

    def _stddev(self) -> _core.Tensor:
        return math.sqrt(self.concentration) / self.rate

    def _mode(self) -> _core.Tensor:
        value = (self.concentration - 1.0) / self.rate
        return self._defined(
            self._spread(self.concentration) > 1.0,
            value,
            lambda: _all_above_one(self.concentration, "concentration"),
        )


def _all_above_one(value: _core.Tensor, name: str) -> Any:
    return debugging.assert_less(
        convert_to_tensor(1.0, value.dtype), value, message=f"mode not defined when any {name} <= 1"
    )


class Exponential(Gamma):
    """Exponential distributions: gamma distributions of concentration one.

    Args:
        rate: the inverse means, positive; a floating-point tensor.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    >>> tf.compat.v1.distributions.Exponential([1.0, 4.0]).mean().numpy()
    array([1.  , 0.25], dtype=float32)
    """

    _names = ("rate",)

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = locals()
        rate = convert_to_tensor(rate, name="rate")
        self._begin(parameters, _ops.ones_like(rate), rate)

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        # Zero is left out: its logarithm is infinite.
        u = random.uniform(
            self._shape_of_samples(n),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return -math.log(u) / self.rate


class Beta(ScalarDistribution):
    """Beta distributions.

    Args:
        concentration1: the parameters at one, positive; a floating-point tensor.
        concentration0: the parameters at zero, positive; the shapes broadcast.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics that are not defined are NaN, or errors.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.

    >>> float(tf.compat.v1.distributions.Beta(1.0, 3.0).mean())
    0.25
    """

    _names = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = locals()
        self._concentration1, self._concentration0 = float_parameters(
            concentration1=concentration1, concentration0=concentration0
        )
        if validate_args:
            self._concentration1, self._concentration0 = (
                checked(value, _positive_concentration(value))
                for value in (self._concentration1, self._concentration0)
            )
        self._total = self._concentration1 + self._concentration0
        self._declare(parameters, self._total.dtype, FULLY_REPARAMETERIZED)

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, _core.Tensor]:
        sizes = convert_to_tensor(sample_shape, dtypes.int32)
        return {"concentration1": sizes, "concentration0": sizes}

    @property
    def concentration1(self) -> _core.Tensor:
        """The parameters at one."""
        return self._concentration1

    @property
    def concentration0(self) -> _core.Tensor:
        """The parameters at zero."""
        return self._concentration0

    @property
    def total_concentration(self) -> _core.Tensor:
        """The sums of the parameters."""
        return self._total

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        ones, zeros = (
            random.gamma([n], self._spread(value), dtype=self.dtype, seed=own)
            for value, own in (
                (self.concentration1, seed),
                (self.concentration0, other_seed(seed, "beta")),
            )
        )
        return ones / (ones + zeros)

    def _checked_event(self, value: TensorLike) -> Any:
        if not self.validate_args:
            return value
        one = creation.ones([], self.dtype)
        return checked(
            value,
            debugging.assert_positive(value, message="sample must be positive"),
            debugging.assert_less(value, one, message="sample must be less than `1`."),
        )

    def _log_normalization(self) -> _core.Tensor:
        return (
            math.lgamma(self.concentration1)
            + math.lgamma(self.concentration0)
            - math.lgamma(self.total_concentration)
        )

    def _log_prob(self, value: Any) -> _core.Tensor:
        value = self._checked_event(value)
        density = math.xlogy(self.concentration1 - 1.0, value) + (
            self.concentration0 - 1.0
        ) * math.log1p(-value)
        return density - self._log_normalization()

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        value = self._checked_event(value)
        sizes = joint(value, self.concentration1, self.concentration0)[1]()
        a, b, x = (
            _ops.broadcast_to(each, sizes)
            for each in (self.concentration1, self.concentration0, value)
        )
        return math.betainc(a, b, x)

    def _entropy(self) -> _core.Tensor:
        return (
            self._log_normalization()
            - (self.concentration1 - 1.0) * math.digamma(self.concentration1)
            - (self.concentration0 - 1.0) * math.digamma(self.concentration0)
            + (self.total_concentration - 2.0) * math.digamma(self.total_concentration)
        )

    def _mean(self) -> _core.Tensor:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> _core.Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration)

    def _mode(self) -> _core.Tensor:
        def check() -> _core.Tensor:
            with_one = _all_above_one(self.concentration1, "concentration1")
            with_zero = _all_above_one(self.concentration0, "concentration0")
            return with_one if with_zero is None else with_zero

        return self._defined(
            self._spread(math.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)),
            (self.concentration1 - 1.0) / (self.total_concentration - 2.0),
            check,
        )


def _positive_concentration(value: TensorLike) -> Any:
    return debugging.assert_positive(value, message="Concentration parameter must be positive.")


class VectorDistribution(Distribution):
    """A distribution of vectors, whose parameter has one more axis than the batch."""

    def _vector(self) -> _core.Tensor:
        """The parameter with the axis of events."""
        raise NotImplementedError

    def _batch_shape(self) -> Any:
        return self._vector().shape[:-1]

    def _batch_shape_tensor(self) -> _core.Tensor:
        return array.shape(self._vector())[:-1]

    def _event_shape(self) -> Any:
        return self._vector().shape[-1:]

    def _event_shape_tensor(self) -> _core.Tensor:
        return array.shape(self._vector())[-1:]


class Dirichlet(VectorDistribution):
    """Dirichlet's distributions of vectors of probabilities.

    Args:
        concentration: the parameters, positive; the last axis is that of events.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether statistics that are not defined are NaN, or errors.
        name: a name.

    >>> tf.compat.v1.distributions.Dirichlet([1.0, 3.0]).mean().numpy()
    array([0.25, 0.75], dtype=float32)
    """

    def __init__(
        self,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = locals()
        self._concentration = checked_concentration(concentration, validate_args)
        self._total = math.reduce_sum(self._concentration, -1)
        self._declare(parameters, self._concentration.dtype, FULLY_REPARAMETERIZED)

    def _vector(self) -> _core.Tensor:
        return self._concentration

    @property
    def concentration(self) -> _core.Tensor:
        """The parameters."""
        return self._concentration

    @property
    def total_concentration(self) -> _core.Tensor:
        """The sums of the parameters."""
        return self._total

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        parts = random.gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return parts / math.reduce_sum(parts, -1, keepdims=True)

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        if self.validate_args:
            total = math.reduce_sum(value, -1)
            value = checked(
                value,
                debugging.assert_positive(value, message="samples must be positive"),
                debugging.assert_near(
                    creation.ones([], self.dtype),
                    total,
                    message="sample last-dimension must sum to `1`",
                ),
            )
        density = math.reduce_sum(math.xlogy(self.concentration - 1.0, value), -1)
        return density - math.lbeta(self.concentration)

    def _entropy(self) -> _core.Tensor:
        k = _ops.cast(self.event_shape_tensor()[0], self.dtype)
        c = self.concentration
        return (
            math.lbeta(c)
            + (self.total_concentration - k) * math.digamma(self.total_concentration)
            - math.reduce_sum((c - 1.0) * math.digamma(c), -1)
        )

    def _mean(self) -> _core.Tensor:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> _core.Tensor:
        mean = self._mean()
        return mean * (1.0 - mean) / (1.0 + self.total_concentration[..., None])

    def _covariance(self) -> _core.Tensor:
        mean = self._mean()
        scale = 1.0 + self.total_concentration[..., None, None]
        outer = mean[..., :, None] * mean[..., None, :] / scale
        return linalg.set_diag(-outer, self._variance())

    def _mode(self) -> _core.Tensor:
        k = _ops.cast(self.event_shape_tensor()[0], self.dtype)
        return self._defined(
            self.concentration > 1.0,
            (self.concentration - 1.0) / (self.total_concentration[..., None] - k),
            lambda: _all_above_one(self.concentration, "concentration"),
        )


def checked_concentration(concentration: TensorLike, validate_args: bool) -> _core.Tensor:
    """The parameters of Dirichlet's distributions: vectors of two or more positive numbers."""
    value = convert_to_tensor(concentration, name="concentration")
    if not validate_args:
        return value
    return checked(
        value,
        _positive_concentration(value),
        debugging.assert_rank_at_least(
            value, 1, message="Concentration parameter must have >=1 dimensions."
        ),
        debugging.assert_less(
            1, array.shape(value)[-1], message="Concentration parameter must have event_size >= 2."
        ),
    )

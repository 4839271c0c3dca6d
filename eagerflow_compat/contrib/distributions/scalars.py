"""Poisson's distributions, and logistic ones."""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from eagerflow import _core, math, random
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.distributions.continuous import LocationScale, ScalarDistribution
from eagerflow_compat.v1.distributions.distribution import NOT_REPARAMETERIZED

_ops = _core.ops


class Poisson(ScalarDistribution):
    """Distributions of the numbers of events that come independently at a rate.

    Args:
        rate: the mean numbers, a floating-point tensor.
        log_rate: their logarithms; in place of `rate`.
        validate_args: ignored.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if not exactly one of `rate` and `log_rate` is given.

    >>> tf.contrib.distributions.Poisson(2.0).prob([0.0, 1.0]).numpy().round(3)
    array([0.135, 0.271], dtype=float32)
    """

    _names = ("rate",)

    def __init__(
        self,
        rate: TensorLike | None = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        parameters = locals()
        if (rate is None) == (log_rate is None):
            raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
        if log_rate is None:
            self._rate = convert_to_tensor(rate, name="rate")
            self._log_rate = math.log(self._rate)
        else:
            self._log_rate = convert_to_tensor(log_rate, name="log_rate")
            self._rate = math.exp(self._log_rate)
        self._declare(parameters, self._rate.dtype, NOT_REPARAMETERIZED)

    @property
    def rate(self) -> _core.Tensor:
        """The mean numbers."""
        return self._rate

    @property
    def log_rate(self) -> _core.Tensor:
        """The logarithms of the mean numbers."""
        return self._log_rate

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        return random.poisson([n], self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Any) -> _core.Tensor:
        # Of no event the logarithm is -rate, also where the rate is zero.
        return math.multiply_no_nan(self.log_rate, value) - math.lgamma(value + 1.0) - self.rate

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        count, rate = math.floor(value) + 1.0, self.rate
        sizes = _ops.zeros_like(count + rate)
        return math.igammac(count + sizes, rate + sizes)

    def _mean(self) -> _core.Tensor:
        return _ops.identity(self.rate)

    def _variance(self) -> _core.Tensor:
        return _ops.identity(self.rate)

    def _mode(self) -> _core.Tensor:
        return math.floor(self.rate)


class Logistic(LocationScale):
    """Distributions whose cumulative distribution function is the sigmoid.

    Args:
        loc: the means, a floating-point tensor.
        scale: the scales, positive; of a shape that broadcasts with `loc`.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    >>> float(tf.contrib.distributions.Logistic(1.0, 2.0).cdf(1.0))
    0.5
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        self._begin(locals())

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        u = random.uniform(
            self._shape_of_samples(n),
            minval=np.finfo(self.dtype.as_numpy_dtype).tiny,
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return (math.log(u) - math.log1p(-u)) * self.scale + self.loc

    def _log_prob(self, value: Any) -> _core.Tensor:
        z = self._z(value)
        return -z - 2.0 * math.softplus(-z) - math.log(self.scale)

    def _log_cdf(self, value: Any) -> _core.Tensor:
        return -math.softplus(-self._z(value))

    def _cdf(self, value: Any) -> _core.Tensor:
        return math.sigmoid(self._z(value))

    def _log_survival_function(self, value: Any) -> _core.Tensor:
        return -math.softplus(self._z(value))

    def _survival_function(self, value: Any) -> _core.Tensor:
        return math.sigmoid(-self._z(value))

    def _entropy(self) -> _core.Tensor:
        return self._spread(2.0 + math.log(self.scale))

    def _stddev(self) -> _core.Tensor:
        return self._spread(self.scale * (numbers.pi / numbers.sqrt(3.0)))

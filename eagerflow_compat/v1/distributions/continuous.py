"""Distributions of all real numbers: normal, Laplace's, Student's; and uniform ones."""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from eagerflow import _core, debugging, math, random
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    Distribution,
    checked,
    float_parameters,
    joint,
    other_seed,
)

_ops = _core.ops
_HALF_LOG_2PI = 0.5 * numbers.log(2.0 * numbers.pi)


def ndtr(x: _core.Tensor) -> Any:
    """The probability that a standard normal variable is not larger: erfc(-x / sqrt(2)) / 2."""
    return 0.5 * math.erfc(x * -numbers.sqrt(0.5))


def log_ndtr(x: _core.Tensor) -> Any:
    """log(ndtr(x)), also where ndtr(x) is too small for the dtype.

    Far below zero this is the asymptotic series of Abramowitz and Stegun (26.2.12), and above zero
    log(1 - y) is about -y.
    """
    single = x.dtype.size <= 4
    lowest, highest = (-10.0, 5.0) if single else (-20.0, 8.0)
    far = math.minimum(x, lowest)
    inverse = 1.0 / math.square(far)
    series = 1.0 + inverse * (-1.0 + inverse * (3.0 + inverse * -15.0))
    tail = -0.5 * math.square(far) - math.log(-far) - _HALF_LOG_2PI + math.log(series)
    middle = math.log(ndtr(math.maximum(x, lowest)))
    return array_where(x > highest, -ndtr(-x), array_where(x > lowest, middle, tail))


def array_where(condition: Any, x: TensorLike, y: TensorLike) -> _core.Tensor:
    """Elements of one tensor or the other; all three broadcast."""
    return _ops.select(condition, x, y)


class ScalarDistribution(Distribution):
    """A distribution of scalars, whose batch is what its parameters broadcast to."""

    _names: tuple[str, ...] = ()

    def _own(self) -> list[_core.Tensor]:
        return [getattr(self, name) for name in self._names]

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, _core.Tensor]:
        return dict.fromkeys(cls._names, convert_to_tensor(sample_shape, dtypes.int32))

    def _batch_shape(self) -> TensorShape:
        return joint(*self._own())[0]

    def _batch_shape_tensor(self) -> _core.Tensor:
        return joint(*self._own())[1]()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> _core.Tensor:
        return convert_to_tensor([], dtypes.int32)

    def _shape_of_samples(self, n: _core.Tensor) -> _core.Tensor:
        return array.concat([[n], self.batch_shape_tensor()], 0)

    def _spread(self, value: TensorLike) -> _core.Tensor:
        """A value for each random variable."""
        return _ops.broadcast_to(value, self.batch_shape_tensor())


class LocationScale(ScalarDistribution):
    """Variables `loc + scale * z` with a standard variable z."""

    _names: tuple[str, ...] = ("loc", "scale")

    def _begin(self, parameters: dict[str, Any]) -> None:
        """Takes the arguments of a subclass."""
        self._loc, self._scale = float_parameters(loc=parameters["loc"], scale=parameters["scale"])
        if parameters["validate_args"]:
            self._scale = checked(self._scale, debugging.assert_positive(self._scale))
        self._declare(parameters, self._scale.dtype, FULLY_REPARAMETERIZED)

    @property
    def loc(self) -> _core.Tensor:
        """The location."""
        return self._loc

    @property
    def scale(self) -> _core.Tensor:
        """The scale, which is positive."""
        return self._scale

    def _z(self, x: _core.Tensor) -> _core.Tensor:
        return (x - self.loc) / self.scale

    def _mean(self) -> _core.Tensor:
        return self._spread(self.loc)

    def _mode(self) -> _core.Tensor:
        return self._mean()


class Normal(LocationScale):
    """Normal distributions.

    Args:
        loc: the means, a floating-point tensor.
        scale: the standard deviations, positive; of a shape that broadcasts with `loc`.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.

    >>> tf.compat.v1.distributions.Normal(0.0, [1.0, 2.0]).entropy().numpy().round(3)
    array([1.419, 2.112], dtype=float32)
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        self._begin(locals())

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        z = random.normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed)
        return z * self.scale + self.loc

    def _log_prob(self, value: Any) -> _core.Tensor:
        return -0.5 * math.square(self._z(value)) - (_HALF_LOG_2PI + math.log(self.scale))

    def _cdf(self, value: Any) -> _core.Tensor:
        return ndtr(self._z(value))

    def _log_cdf(self, value: Any) -> _core.Tensor:
        return log_ndtr(self._z(value))

    def _survival_function(self, value: Any) -> _core.Tensor:
        return ndtr(-self._z(value))

    def _log_survival_function(self, value: Any) -> _core.Tensor:
        return log_ndtr(-self._z(value))

    def _quantile(self, value: TensorLike) -> _core.Tensor:
        return math.ndtri(value) * self.scale + self.loc

    def _entropy(self) -> _core.Tensor:
        return self._spread(0.5 + _HALF_LOG_2PI + math.log(self.scale))

    def _stddev(self) -> _core.Tensor:
        return self._spread(self.scale)


class Laplace(LocationScale):
    """Laplace's distributions: two exponential ones, back to back.

    Args:
        loc: the means, a floating-point tensor.
        scale: the scales, positive; of a shape that broadcasts with `loc`.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.

    >>> float(tf.compat.v1.distributions.Laplace(0.0, 1.0).prob(0.0))
    0.5
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        self._begin(locals())

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        dtype = self.dtype.as_numpy_dtype
        u = random.uniform(
            self._shape_of_samples(n),
            minval=np.nextafter(dtype(-1.0), dtype(0.0)),
            maxval=1.0,
            dtype=self.dtype,
            seed=seed,
        )
        return self.loc - self.scale * math.sign(u) * math.log1p(-math.abs(u))

    def _log_prob(self, value: Any) -> _core.Tensor:
        return -math.abs(self._z(value)) - (numbers.log(2.0) + math.log(self.scale))

    def _log_cdf(self, value: Any) -> _core.Tensor:
        return _log_laplace_cdf(self._z(value))

    def _log_survival_function(self, value: Any) -> _core.Tensor:
        return _log_laplace_cdf(-self._z(value))

    def _entropy(self) -> _core.Tensor:
        return self._spread(numbers.log(2.0) + 1.0 + math.log(self.scale))

    def _stddev(self) -> _core.Tensor:
        return self._spread(numbers.sqrt(2.0) * self.scale)


def _log_laplace_cdf(z: _core.Tensor) -> _core.Tensor:
    lower = numbers.log(0.5) + z
    # The branch that is not taken must not overflow: its gradient would be NaN.
    upper = math.log1p(-0.5 * math.exp(-math.abs(z)))
    return array_where(z < 0.0, lower, upper)


class StudentT(LocationScale):
    """Student's t-distributions, shifted and scaled.

    Args:
        df: the degrees of freedom, positive; a floating-point tensor.
        loc: the locations.
        scale: the scales; all shapes broadcast.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics that are not defined are NaN, or errors.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.

    >>> tf.compat.v1.distributions.StudentT([1.0, 3.0], 0.0, 1.0).variance().numpy()
    array([nan,  3.], dtype=float32)
    """

    _names = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        parameters = locals()
        self._df, self._loc, self._scale = float_parameters(df=df, loc=loc, scale=scale)
        if validate_args:
            self._df = checked(self._df, debugging.assert_positive(self._df))
        self._declare(parameters, self._scale.dtype, FULLY_REPARAMETERIZED)

    @property
    def df(self) -> _core.Tensor:
        """The degrees of freedom."""
        return self._df

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        # A normal variable over the root of a chi-square variable per degree of freedom.
        z = random.normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed)
        df = self._spread(self.df)
        chi2 = random.gamma(
            [n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=other_seed(seed, "student_t")
        )
        return z * math.rsqrt(chi2 / df) * self.scale + self.loc

    def _log_prob(self, value: Any) -> _core.Tensor:
        df = self.df
        density = -0.5 * (df + 1.0) * math.log1p(math.square(self._z(value)) / df)
        return density - (
            math.log(math.abs(self.scale))
            + 0.5 * (math.log(df) + numbers.log(numbers.pi))
            + math.lgamma(0.5 * df)
            - math.lgamma(0.5 * (df + 1.0))
        )

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        z = (value - self.loc) / math.abs(self.scale)
        df = _ops.broadcast_to(self.df, joint(z, self.df)[1]())
        below = 0.5 * math.betainc(0.5 * df, 0.5 * _ops.ones_like(df), df / (math.square(z) + df))
        return array_where(z < 0.0, below, 1.0 - below)

    def _entropy(self) -> _core.Tensor:
        half = 0.5 * self.df
        log_beta = math.lgamma(half) + numbers.log(numbers.pi) / 2.0 - math.lgamma(half + 0.5)
        return self._spread(
            math.log(math.abs(self.scale))
            + 0.5 * math.log(self.df)
            + log_beta
            + (half + 0.5) * (math.digamma(half + 0.5) - math.digamma(half))
        )

    def _mean(self) -> _core.Tensor:
        df = self._spread(self.df)
        message = "mean not defined for components of df <= 1"
        return self._defined(
            df > 1.0, self._spread(self.loc), lambda: _above(1.0, self.df, message)
        )

    def _variance(self) -> _core.Tensor:
        df = self._spread(self.df)
        finite = df > 2.0
        factor = array_where(finite, df / (array_where(finite, df, 3.0) - 2.0), np.inf)
        message = "variance not defined for components of df <= 1"
        return self._defined(
            df > 1.0,
            factor * math.square(self._spread(self.scale)),
            lambda: _above(1.0, self.df, message),
        )

    def _mode(self) -> _core.Tensor:
        return _ops.identity(self.loc)


def _above(bound: float, value: _core.Tensor, message: str) -> Any:
    return debugging.assert_less(convert_to_tensor(bound, value.dtype), value, message=message)


class Uniform(ScalarDistribution):
    """Distributions with the same density from `low` to `high`, where it ends.

    Args:
        low: the lower bounds, a floating-point tensor.
        high: the upper bounds, larger; of a shape that broadcasts with `low`.
        validate_args: whether to check parameters.
        allow_nan_stats: whether statistics may be NaN.
        name: a name.

    Raises:
        ValueError: if a parameter is not of a floating-point dtype, or the dtypes differ.
        tf.errors.InvalidArgumentError: if a lower bound is not below the upper one, with
            `validate_args`.

    >>> tf.compat.v1.distributions.Uniform(1.0, 3.0).prob([0.0, 1.0, 3.0]).numpy()
    array([0. , 0.5, 0. ], dtype=float32)
    """

    _names = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = locals()
        self._low, self._high = float_parameters(low=low, high=high)
        if validate_args:
            check = debugging.assert_less(
                self._low, self._high, message="uniform not defined when low >= high."
            )
            self._low, self._high = checked(self._low, check), checked(self._high, check)
        self._declare(parameters, self._low.dtype, FULLY_REPARAMETERIZED)

    @property
    def low(self) -> _core.Tensor:
        """The lower bounds."""
        return self._low

    @property
    def high(self) -> _core.Tensor:
        """The upper bounds."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """The distances of the bounds."""
        return self.high - self.low

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        u = random.uniform(self._shape_of_samples(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * u

    def _prob(self, value: TensorLike) -> _core.Tensor:
        outside = math.logical_or(value < self.low, value >= self.high)
        density = array_where(outside, _ops.zeros_like(value), 1.0 / self.range())
        return array_where(math.is_nan(value), value, density)

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        part = (value - self.low) / self.range()
        return array_where(
            value < self.low,
            _ops.zeros_like(value),
            array_where(value >= self.high, _ops.ones_like(value), part),
        )

    def _quantile(self, value: Any) -> _core.Tensor:
        return self.low * (1.0 - value) + self.high * value

    def _entropy(self) -> _core.Tensor:
        return math.log(self.range())

    def _mean(self) -> _core.Tensor:
        return (self.low + self.high) / 2.0

    def _variance(self) -> _core.Tensor:
        return math.square(self.range()) / 12.0

    def _stddev(self) -> _core.Tensor:
        return self.range() / numbers.sqrt(12.0)

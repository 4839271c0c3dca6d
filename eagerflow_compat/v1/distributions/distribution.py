"""The base class of distributions: shapes, sampling, and functions that follow from others."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, debugging, math
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.graph.control_flow import with_dependencies
from eagerflow.graph.defaults import name_scope
from eagerflow.ops import array, creation
from eagerflow.ops.conversion import convert_to_tensor, get_static_value
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

_ops = _core.ops
# Imported when it is first used: its rules import the classes.
divergence = lazy.Module("eagerflow_compat.v1.distributions.divergence")


class ReparameterizationType:
    """Whether samples are differentiable functions of the parameters.

    Args:
        rep_type: a name.
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def checked(tensor: TensorLike, *checks: Any) -> _core.Tensor:
    """A tensor whose checks run before it; those of eager values have run already."""
    return with_dependencies([check for check in checks if check is not None], tensor)


def float_parameters(**values: Any) -> list[_core.Tensor]:
    """Tensors of one floating-point dtype.

    Raises:
        ValueError: if a dtype differs, or is no floating-point one.
    """
    tensors = [convert_to_tensor(value, name=name) for name, value in values.items()]
    debugging.assert_same_float_dtype(tensors)
    return tensors


def other_seed(seed: int | None, salt: str) -> int | None:
    """The seed of a second draw for one sample: TensorFlow's, from the digest of seed and salt."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def joint(*tensors: Any) -> tuple[TensorShape, Callable[[], _core.Tensor]]:
    """The shape that tensors broadcast to, and what computes it as a tensor."""
    shape = functools.reduce(
        lambda a, b: array.broadcast_static_shape(a, b), [t.shape for t in tensors]
    )

    def dynamic() -> _core.Tensor:
        return functools.reduce(array.broadcast_dynamic_shape, [array.shape(t) for t in tensors])

    return shape, dynamic


class Distribution:
    """A family of random variables: a batch of them, each of which gives events of one shape.

    A subclass has `_batch_shape`, `_batch_shape_tensor`, `_event_shape`, `_event_shape_tensor`,
    `_sample_n(n, seed)`, `_log_prob(value)` or `_prob(value)`, and of `_cdf`, `_log_cdf`, `_mean`,
    `_variance`, `_entropy` and others those that it can compute.

    Args:
        dtype: the dtype of events.
        reparameterization_type: `FULLY_REPARAMETERIZED` if samples have gradients.
        validate_args: whether to check parameters and events.
        allow_nan_stats: whether a statistic that is not defined is NaN, or an error.
        parameters: the arguments of the constructor.
        graph_parents: ignored.
        name: a name.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: object = None,
        name: str | None = None,
    ) -> None:
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = {
            key: value
            for key, value in (parameters or {}).items()
            if key not in ("self", "__class__")
        }
        self._name = name or type(self).__name__

    def _declare(
        self, parameters: dict[str, Any], dtype: dtypes.DType, kind: ReparameterizationType
    ) -> None:
        """`__init__` with the arguments of a subclass, which every one of them has."""
        checks, nan = parameters["validate_args"], parameters["allow_nan_stats"]
        Distribution.__init__(self, dtype, kind, checks, nan, parameters, name=parameters["name"])

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of events."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the distribution was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether samples are differentiable functions of the parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether a statistic that is not defined is NaN; else it is an error."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and events are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """A distribution with some other arguments of the constructor."""
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape: ShapeLike, name: str = "DistributionParamShapes") -> dict:
        """The shapes of parameters for which a sample has a shape, as tensors."""
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """The shapes of parameters for which a sample has a shape.

        Raises:
            ValueError: if the shape is not known.
        """
        known = get_static_value(convert_to_tensor(TensorShape(sample_shape).as_list(), "int32"))
        return {
            key: TensorShape(get_static_value(value).tolist())
            for key, value in cls._param_shapes(known).items()
        }

    @classmethod
    def _param_shapes(cls, sample_shape: object) -> dict[str, _core.Tensor]:
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def batch_shape(self) -> TensorShape:
        """How many random variables there are, as far as it is known."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one event, as far as it is known."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> _core.Tensor:
        """How many random variables there are: a vector of integers."""
        return self._sizes(self.batch_shape, self._batch_shape_tensor, name)

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> _core.Tensor:
        """The shape of one event: a vector of integers."""
        return self._sizes(self.event_shape, self._event_shape_tensor, name)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> _core.Tensor:
        """Whether there is one random variable."""
        return self._is_empty(self.batch_shape, self.batch_shape_tensor, name)

    def is_scalar_event(self, name: str = "is_scalar_event") -> _core.Tensor:
        """Whether events are scalars."""
        return self._is_empty(self.event_shape, self.event_shape_tensor, name)

    def sample(
        self, sample_shape: Any = (), seed: int | None = None, name: str = "sample", **kwargs: Any
    ) -> _core.Tensor:
        """Events of the shape `sample_shape + batch_shape + event_shape`.

        Args:
            sample_shape: how many for each random variable.
            seed: the seed of the operation.
            name: a name.
        """
        with name_scope(self._scope(name)):
            given = convert_to_tensor(sample_shape, dtypes.int32, name="sample_shape")
            sizes = _ops.reshape(given, [-1])
            values = self._sample_n(_ops.reduce_prod(sizes), seed, **kwargs)
            inner = array.shape(values)[1:]
            result: _core.Tensor = _ops.reshape(values, array.concat([sizes, inner], 0))
            known = get_static_value(sizes)
            outer = TensorShape(None if known is None else known.tolist())
            result.set_shape(outer.concatenate(self.batch_shape).concatenate(self.event_shape))
            return result

    def log_prob(self, value: TensorLike, name: str = "log_prob", **kwargs: Any) -> _core.Tensor:
        """The logarithm of the density, or of the probability where events are discrete."""
        return self._of_value(name, value, kwargs, (self._log_prob,), (self._prob, math.log))

    def prob(self, value: TensorLike, name: str = "prob", **kwargs: Any) -> _core.Tensor:
        """The density, or the probability where events are discrete."""
        return self._of_value(name, value, kwargs, (self._prob,), (self._log_prob, math.exp))

    def log_cdf(self, value: TensorLike, name: str = "log_cdf", **kwargs: Any) -> _core.Tensor:
        """The logarithm of the probability of events that are not larger."""
        return self._of_value(name, value, kwargs, (self._log_cdf,), (self._cdf, math.log))

    def cdf(self, value: TensorLike, name: str = "cdf", **kwargs: Any) -> _core.Tensor:
        """The probability of events that are not larger."""
        return self._of_value(name, value, kwargs, (self._cdf,), (self._log_cdf, math.exp))

    def log_survival_function(
        self, value: TensorLike, name: str = "log_survival_function", **kwargs: Any
    ) -> _core.Tensor:
        """The logarithm of the probability of larger events."""
        return self._of_value(
            name,
            value,
            kwargs,
            (self._log_survival_function,),
            (self.cdf, lambda cdf: math.log1p(-cdf)),
        )

    def survival_function(self, value: Any, name: str = "survival_function", **kwargs: Any) -> Any:
        """The probability of larger events."""
        return self._of_value(
            name, value, kwargs, (self._survival_function,), (self.cdf, lambda cdf: 1.0 - cdf)
        )

    def quantile(self, value: TensorLike, name: str = "quantile", **kwargs: Any) -> _core.Tensor:
        """The event that a sample exceeds with the probability `1 - value`."""
        return self._of_value(name, value, kwargs, (self._quantile,))

    def entropy(self, name: str = "entropy") -> _core.Tensor:
        """Shannon's entropy, in nats."""
        return self._statistic(name, (self._entropy,))

    def mean(self, name: str = "mean") -> Any:
        """The mean."""
        return self._statistic(name, (self._mean,))

    def mode(self, name: str = "mode") -> _core.Tensor:
        """The most likely event."""
        return self._statistic(name, (self._mode,))

    def variance(self, name: str = "variance") -> _core.Tensor:
        """The variance of each element of events."""
        return self._statistic(name, (self._variance,), (self._stddev, math.square))

    def stddev(self, name: str = "stddev") -> _core.Tensor:
        """The standard deviation of each element of events."""
        return self._statistic(name, (self._stddev,), (self._variance, math.sqrt))

    def covariance(self, name: str = "covariance") -> _core.Tensor:
        """The covariances of the elements of an event, which is a vector."""
        return self._statistic(name, (self._covariance,))

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> _core.Tensor:
        """The cross entropy of another distribution relative to this one, in nats."""
        with name_scope(self._scope(name)):
            return self._cross_entropy(other)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> _core.Tensor:
        """Kullback and Leibler's divergence of this distribution from another, in nats.

        Raises:
            NotImplementedError: if no function is registered for the two classes.
        """
        with name_scope(self._scope(name)):
            return self._kl_divergence(other)

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' "
            f"batch_shape={_text(self.batch_shape)} event_shape={_text(self.event_shape)} "
            f"dtype={dtypes.as_dtype(self.dtype).name}>"
        )

    def __str__(self) -> str:
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}", '
            f"batch_shape={_text(self.batch_shape)}, event_shape={_text(self.event_shape)}, "
            f"dtype={dtypes.as_dtype(self.dtype).name})"
        )

    # What subclasses have.

    def _batch_shape(self) -> TensorShape:
        return TensorShape(None)

    def _event_shape(self) -> TensorShape:
        return TensorShape(None)

    def _batch_shape_tensor(self) -> _core.Tensor:
        raise self._missing("batch_shape_tensor")

    def _event_shape_tensor(self) -> _core.Tensor:
        raise self._missing("event_shape_tensor")

    def _sample_n(self, n: _core.Tensor, seed: int | None = None) -> _core.Tensor:
        raise self._missing("sample_n")

    def _log_prob(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("log_prob")

    def _prob(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("prob")

    def _log_cdf(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("log_cdf")

    def _cdf(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("cdf")

    def _log_survival_function(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("log_survival_function")

    def _survival_function(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("survival_function")

    def _quantile(self, value: TensorLike) -> _core.Tensor:
        raise self._missing("quantile")

    def _entropy(self) -> _core.Tensor:
        raise self._missing("entropy")

    def _mean(self) -> _core.Tensor:
        raise self._missing("mean")

    def _mode(self) -> _core.Tensor:
        raise self._missing("mode")

    def _variance(self) -> _core.Tensor:
        raise self._missing("variance")

    def _stddev(self) -> _core.Tensor:
        raise self._missing("stddev")

    def _covariance(self) -> _core.Tensor:
        raise self._missing("covariance")

    def _cross_entropy(self, other: Distribution) -> _core.Tensor:
        return divergence.cross_entropy(self, other, self.allow_nan_stats)

    def _kl_divergence(self, other: Distribution) -> _core.Tensor:
        return divergence.kl_divergence(self, other, self.allow_nan_stats)

    # What the public functions are made of.

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    def _scope(self, name: str) -> str:
        return f"{self.name}/{name}"

    def _of_value(self, name: str, value: TensorLike, kwargs: dict, *ways: tuple) -> _core.Tensor:
        with name_scope(self._scope(name)):
            tensor = convert_to_tensor(value, dtype_hint=self.dtype, name="value")
            return _first(ways, tensor, **kwargs)

    def _statistic(self, name: str, *ways: tuple) -> _core.Tensor:
        with name_scope(self._scope(name)):
            return _first(ways)

    def _sizes(self, known: TensorShape, compute: Callable[[], _core.Tensor], name: str) -> Any:
        with name_scope(self._scope(name)):
            if known.is_fully_defined():
                return convert_to_tensor(known.as_list(), dtypes.int32, name=name)
            return compute()

    def _is_empty(self, known: TensorShape, compute: Callable[[], Any], name: str) -> _core.Tensor:
        with name_scope(self._scope(name)):
            if known.rank is not None:
                return convert_to_tensor(known.rank == 0, name=name)
            return math.equal(array.shape(compute())[0], 0)

    def _defined(self, where: Any, value: _core.Tensor, check: Callable[[], Any]) -> _core.Tensor:
        """A statistic that is defined in places: NaN elsewhere, or what fails there."""
        if not self.allow_nan_stats:
            return checked(value, check())
        nan = np.array(np.nan, dtypes.as_dtype(value.dtype).as_numpy_dtype)
        return _ops.select(where, value, creation.fill(array.shape(value), nan))


def _first(ways: tuple, *arguments: _core.Tensor, **kwargs: Any) -> _core.Tensor:
    """What the first of some functions that is there gives, as the function after it changes it."""
    missing: NotImplementedError | None = None
    for function, *changes in ways:
        try:
            result = function(*arguments, **kwargs)
        except NotImplementedError as error:
            missing = missing or error
            continue
        return changes[0](result) if changes else result
    assert missing is not None
    raise missing


def _text(shape: TensorShape) -> str:
    return "<unknown>" if shape.rank is None else str(tuple(shape.as_list())).replace("None", "?")

"""Kullback and Leibler's divergences, by the classes of two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, debugging, math, nn
from eagerflow.graph.defaults import name_scope
from eagerflow_compat.v1.distributions.continuous import Normal, Uniform
from eagerflow_compat.v1.distributions.discrete import Bernoulli, Categorical
from eagerflow_compat.v1.distributions.distribution import Distribution, checked
from eagerflow_compat.v1.distributions.positive import Beta, Dirichlet, Gamma

_ops = _core.ops
_RULES: dict[tuple[type, type], Callable[..., _core.Tensor]] = {}


class RegisterKL:
    """A decorator of functions that compute the divergence of one class from another.

    The function takes two distributions, and `name`.

    Args:
        dist_cls_a: the class of the first distribution.
        dist_cls_b: the class of the second one.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable) -> Callable:
        """Registers a function, and returns it.

        Raises:
            TypeError: if it cannot be called.
            ValueError: if there is one already.
        """
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _RULES:
            raise ValueError(
                f"KL({self._key[0].__name__} || {self._key[1].__name__}) has already been "
                f"registered to: {_RULES[self._key]}"
            )
        _RULES[self._key] = kl_fn
        return kl_fn


def _rule(a: type, b: type) -> Callable | None:
    """The function for two classes or the nearest of those that they inherit from."""
    found = {
        (i + j, i): rule
        for i, first in enumerate(a.__mro__)
        for j, second in enumerate(b.__mro__)
        if (rule := _RULES.get((first, second)))
    }
    return found[min(found)] if found else None


def kl_divergence(
    distribution_a: Distribution,
    distribution_b: Distribution,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> _core.Tensor:
    """Kullback and Leibler's divergence of one distribution from another, in nats.

    Args:
        distribution_a: the distribution that events come from.
        distribution_b: the one that they are thought to come from.
        allow_nan_stats: whether the result may be NaN; else that is an error.
        name: a name.

    Raises:
        NotImplementedError: if no function is registered for the two classes.
        tf.errors.InvalidArgumentError: for NaN that is not allowed.

    >>> tfd = tf.compat.v1.distributions
    >>> float(tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 1.0)))
    0.5
    """
    rule = _rule(type(distribution_a), type(distribution_b))
    if rule is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type "
            f"{type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        result = rule(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        return checked(
            result,
            debugging.Assert(
                math.logical_not(math.reduce_any(math.is_nan(result))),
                [
                    f"KL calculation between {distribution_a.name} and {distribution_b.name} "
                    "returned NaN values (and was called with allow_nan_stats=False). Values:",
                    result,
                ],
            ),
        )


def cross_entropy(ref: Distribution, other: Distribution, allow_nan_stats: bool = True) -> Any:
    """The cross entropy of a distribution relative to the reference: entropy and divergence."""
    return ref.entropy() + kl_divergence(ref, other, allow_nan_stats)


@RegisterKL(Normal, Normal)
def _normal(a: Normal, b: Normal, name: str | None = None) -> _core.Tensor:
    ratio = math.square(a.scale / b.scale)
    distance = math.square(a.loc - b.loc) / (2.0 * math.square(b.scale))
    return distance + 0.5 * (ratio - 1.0 - math.log(ratio))


@RegisterKL(Uniform, Uniform)
def _uniform(a: Uniform, b: Uniform, name: str | None = None) -> _core.Tensor:
    inside = math.logical_and(b.low <= a.low, a.high <= b.high)
    return _ops.select(inside, math.log(b.range()) - math.log(a.range()), np.inf)


@RegisterKL(Gamma, Gamma)
def _gamma(a: Gamma, b: Gamma, name: str | None = None) -> _core.Tensor:
    return (
        (a.concentration - b.concentration) * math.digamma(a.concentration)
        + math.lgamma(b.concentration)
        - math.lgamma(a.concentration)
        + b.concentration * (math.log(a.rate) - math.log(b.rate))
        + a.concentration * (b.rate / a.rate - 1.0)
    )


@RegisterKL(Beta, Beta)
def _beta(a: Beta, b: Beta, name: str | None = None) -> _core.Tensor:
    def part(of: Callable[[Beta], _core.Tensor]) -> _core.Tensor:
        return (of(b) - of(a)) * math.digamma(of(a))

    return (
        b._log_normalization()
        - a._log_normalization()
        - part(lambda d: d.concentration1)
        - part(lambda d: d.concentration0)
        + part(lambda d: d.total_concentration)
    )


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> _core.Tensor:
    # The mean of a component's logarithm is digamma(c) - digamma(sum of c).
    logs = math.digamma(a.concentration) - math.digamma(a.total_concentration)[..., None]
    difference = math.reduce_sum((a.concentration - b.concentration) * logs, -1)
    return difference - math.lbeta(a.concentration) + math.lbeta(b.concentration)


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> _core.Tensor:
    zero = math.softplus(b.logits) - math.softplus(a.logits)
    one = math.softplus(-b.logits) - math.softplus(-a.logits)
    return a.probs * one + (1.0 - a.probs) * zero


@RegisterKL(Categorical, Categorical)
def _categorical(a: Categorical, b: Categorical, name: str | None = None) -> _core.Tensor:
    difference = nn.log_softmax(a.logits) - nn.log_softmax(b.logits)
    return math.reduce_sum(a.probs * difference, -1)

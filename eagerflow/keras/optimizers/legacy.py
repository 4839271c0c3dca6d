"""tf.keras.optimizers.legacy: the optimizers of TensorFlow 2.0 to 2.10, where they differ."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras import config as defaults
from eagerflow.keras.optimizers import (
    adadelta,
    adagrad,
    adam,
    adamax,
    clipping,
    ftrl,
    nadam,
    rmsprop,
    sgd,
)
from eagerflow.keras.optimizers.keras2_hooks import Slots, summed_rows
from eagerflow.keras.optimizers.optimizer import Optimizer as _NewOptimizer
from eagerflow.keras.optimizers.scalars import cached_float32, of_dtype, power
from eagerflow.keras.optimizers.schedules.schedule import LearningRate, LearningRateSchedule

_ops = _core.ops

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSprop",
]

_NEWER_ARGUMENTS = (
    "weight_decay",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "jit_compile",
)


_OLDER_ARGUMENTS = ("lr", "global_clipnorm", "clipvalue", "clipnorm", "decay")


class Optimizer(_NewOptimizer):
    """Base class of the legacy optimizers; see `tf.keras.optimizers.Optimizer`.

    `learning_rate` returns a schedule itself, not its current value. A threshold of 0 clips, and
    several thresholds apply in turn: `clipvalue` first, then the norms.

    Args:
        name: the optimizer's name.
        gradient_aggregator: a function of pairs of gradient and variable that returns such pairs,
            called before clipping.
        gradient_transformers: functions of the same kind, called in order.
        **kwargs: `clipnorm`, `clipvalue`, `global_clipnorm`; `lr`, the deprecated name of
            `learning_rate`; and `decay`, which divides the learning rate by
            `1 + decay * iteration`.

    Raises:
        ValueError: if one of these is negative, if both norms are given, or if there are
            transformers, and gradients are to be clipped as well.
        TypeError: for an argument that does not exist.

    >>> halve = lambda pairs: [(gradient / 2.0, variable) for gradient, variable in pairs]
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.legacy.SGD(0.5, gradient_transformers=[halve])
    >>> _ = optimizer.minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.5
    """

    _unsaved_arguments = frozenset(
        {"learning_rate", "gradient_aggregator", "gradient_transformers"}
    )

    def __init__(
        self,
        name: str,
        gradient_aggregator: Any = None,
        gradient_transformers: Any = None,
        **kwargs: Any,
    ) -> None:
        for key in _NEWER_ARGUMENTS:
            if key in kwargs:
                raise _unexpected(key)
        for key in _OLDER_ARGUMENTS:
            value = kwargs.get(key)
            if value is not None and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        norms = kwargs.get("clipnorm"), kwargs.get("global_clipnorm")
        if None not in norms:
            raise ValueError(
                "Cannot accept both `clipnorm` and `global_clipnorm`. Received: "
                f"`clipnorm`={norms[0]}, `global_clipnorm`={norms[1]}."
            )
        self._decay = self._initial_decay = float(kwargs.pop("decay", 0.0))
        rate = kwargs.pop("lr", None)
        if rate is not None and self._knows_lr:
            kwargs["learning_rate"] = rate
        if "epsilon" in kwargs:
            kwargs["epsilon"] = kwargs["epsilon"] or defaults.epsilon()
        super().__init__(name=name, **kwargs)
        self.gradient_aggregator = gradient_aggregator
        self.gradient_transformers = list(gradient_transformers or ())
        if self.gradient_transformers:
            for threshold in ("clipnorm", "clipvalue", "global_clipnorm"):
                if getattr(self, threshold) is not None:
                    raise ValueError(
                        f"`{threshold}` cannot be set when `gradient_transformers` is set. "
                        "Instead, use the `gradient_transformers` to specify clipping and other "
                        "transformations."
                    )

    _knows_lr = True

    def _rate_argument(self, kwargs: dict[str, Any]) -> Any:
        rate = kwargs.pop("learning_rate", None)
        for key in kwargs:
            raise _unexpected(key)
        return rate

    def _clipped(self, gradients: list) -> list:
        if self.clipvalue is not None:
            gradients = clipping.clipped_by_value(gradients, self.clipvalue)
        if self.clipnorm is not None:
            gradients = clipping.clipped_by_norm(gradients, self.clipnorm)
        if self.global_clipnorm is not None:
            gradients = clipping.clipped_by_global_norm(gradients, self.global_clipnorm)
        return gradients

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        """Updates variables from their gradients, which the optimizer's functions change first."""
        functions = [f for f in (self.gradient_aggregator, *self.gradient_transformers) if f]
        if functions:
            pairs = list(grads_and_vars)
            known = [pair for pair in pairs if pair[0] is not None]
            for function in functions if known else ():
                known = function(known)
            grads_and_vars = known or pairs
        return super().apply_gradients(grads_and_vars, *args, **kwargs)

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable, or the schedule."""
        if isinstance(self._learning_rate, LearningRateSchedule):
            return self._learning_rate
        return super().learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if isinstance(self._learning_rate, LearningRateSchedule):
            self._set_rate(rate)
        else:
            _NewOptimizer.learning_rate.fset(self, rate)  # type: ignore[attr-defined]

    lr = learning_rate

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [(name,) for name in names]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        config = super().get_config()
        for name in _NEWER_ARGUMENTS:
            config.pop(name)
        for name in ("clipnorm", "clipvalue", "global_clipnorm"):
            if config[name] is None:
                del config[name]
        del config["is_legacy_optimizer"]
        return config | {"decay": self._decay}


def _unexpected(key: str) -> TypeError:
    return TypeError(
        f"Unexpected keyword argument passed to optimizer: {key}. Allowed kwargs are "
        f"{set(_OLDER_ARGUMENTS)}."
    )


class SGD(Optimizer, sgd.SGD):
    """Gradient descent; see `tf.keras.optimizers.SGD`.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.legacy.SGD(0.1).minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.8
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            momentum=momentum,
            nesterov=nesterov,
            name=name,
            **kwargs,
        )

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0} if self.momentum else {}


class Adam(Optimizer, adam.Adam):
    """Adam; see `tf.keras.optimizers.Adam`.

    >>> optimizer = tf.keras.optimizers.legacy.Adam(decay=0.1)
    >>> optimizer.get_config()["decay"]
    0.1
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            amsgrad=amsgrad,
            name=name,
            **kwargs,
        )


class RMSprop(Optimizer, rmsprop.RMSprop):
    """RMSprop, with epsilon outside of the root unless there is momentum.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.legacy.RMSprop(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 3))
    0.684
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError(
                f"`momentum` must be between [0, 1]. Received: momentum={momentum} "
                f"(of type {type(momentum)})."
            )
        super().__init__(
            learning_rate=learning_rate,
            rho=rho,
            momentum=momentum,
            epsilon=epsilon,
            centered=centered,
            name=name,
            **kwargs,
        )

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        if self.momentum:
            super()._update(variables, gradients, slots, learning_rate)
            return
        rho = self.rho
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            velocity = entry["velocity"]
            velocity.assign(velocity * rho + _ops.square(gradient) * (1 - rho))
            spread = velocity.read_value()
            if self.centered:
                average = entry["average_gradient"]
                average.assign(average * rho + gradient * (1 - rho))
                spread = spread - _ops.square(average)
            rate = of_dtype(learning_rate, variable.dtype)
            variable.assign_sub(gradient * rate / (_ops.sqrt(spread) + self.epsilon))


class Adagrad(Optimizer, adagrad.Adagrad):
    """Adagrad, with epsilon outside of the root.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.legacy.Adagrad(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9012
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            initial_accumulator_value=initial_accumulator_value,
            epsilon=epsilon,
            name=name,
            **kwargs,
        )

    def _sparse(self, gradient: Any) -> Any:
        return None  # rows without a gradient get an update of zero

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            sums = entry["accumulator"]
            sums.assign_add(_ops.square(gradient))
            rate = of_dtype(learning_rate, variable.dtype)
            variable.assign_sub(gradient * rate / (_ops.sqrt(sums) + self.epsilon))


class Adadelta(Optimizer, adadelta.Adadelta):
    """Adadelta; see `tf.keras.optimizers.Adadelta`.

    >>> tf.keras.optimizers.legacy.Adadelta().get_config()["rho"]
    0.95
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            rho=rho,
            epsilon=epsilon,
            name=name,
            **kwargs,
        )


class Adamax(Optimizer, adamax.Adamax):
    """Adamax; see `tf.keras.optimizers.Adamax`.

    >>> tf.keras.optimizers.legacy.Adamax().get_config()["beta_1"]
    0.9
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            name=name,
            **kwargs,
        )


class Ftrl(Optimizer, ftrl.Ftrl):
    """FTRL; see `tf.keras.optimizers.Ftrl`.

    >>> tf.keras.optimizers.legacy.Ftrl().get_config()["learning_rate_power"]
    -0.5
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            learning_rate_power=learning_rate_power,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            name=name,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
            beta=beta,
            **kwargs,
        )

    _knows_lr = False

    def _sparse(self, gradient: Any) -> Any:
        return summed_rows(gradient)  # other rows stay as they are


class Nadam(Optimizer, nadam.Nadam):
    """Nadam, whose momentum grows at the rate `decay`.

    >>> tf.keras.optimizers.legacy.Nadam().get_config()["decay"]
    0.004
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        decay = kwargs.pop("decay", None)
        schedule_decay = kwargs.pop("schedule_decay", None)
        if decay is None:
            decay = 0.004 if schedule_decay is None else schedule_decay
        super().__init__(
            learning_rate=learning_rate,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            name=name,
            **kwargs,
        )
        self._momentum_decay = decay

    _counts_traces = False

    def _momentum_at(self, step: Any) -> Any:
        growth = power(0.96, self._momentum_decay * step)
        return cached_float32(self.beta_1) * (1.0 - 0.5 * growth)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        return super().get_config() | {"decay": self._momentum_decay}

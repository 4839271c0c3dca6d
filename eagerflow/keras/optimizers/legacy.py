"""tf.keras.optimizers.legacy: the optimizers of TensorFlow 2.0 to 2.10, where they differ."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context
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
from eagerflow.keras.optimizers.hyperparameters import Hyperparameter, given, names_of
from eagerflow.keras.optimizers.keras2_hooks import Slots, summed_rows
from eagerflow.keras.optimizers.optimizer import Optimizer as _NewOptimizer
from eagerflow.keras.optimizers.scalars import cached_float32, of_dtype, power, to_float32
from eagerflow.keras.optimizers.schedules.schedule import LearningRate, LearningRateSchedule
from eagerflow.ops import control_flow
from eagerflow.util import lazy

# Imported when it is first used: few programs build graphs.
graph_gradients = lazy.Module("eagerflow.graph.gradients")

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

    _is_legacy = True
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
    _rate_given: float | None = None  # the number that the constructor was called with

    def _rate_argument(self, kwargs: dict[str, Any]) -> Any:
        rate = kwargs.pop("learning_rate", None)
        for key in kwargs:
            raise _unexpected(key)
        if isinstance(rate, int | float):
            self._rate_given = rate
        return rate

    def _clipped(self, gradients: list) -> list:
        if self.clipvalue is not None:
            gradients = clipping.clipped_by_value(gradients, self.clipvalue)
        if self.clipnorm is not None:
            gradients = clipping.clipped_by_norm(gradients, self.clipnorm)
        if self.global_clipnorm is not None:
            gradients = clipping.clipped_by_global_norm(gradients, self.global_clipnorm)
        return gradients

    def _aggregate_gradients(self, grads_and_vars: Any) -> Any:
        """The pairs of all replicas: what `gradient_aggregator` makes of this one's."""
        aggregator = self.gradient_aggregator
        return grads_and_vars if aggregator is None else aggregator(grads_and_vars)

    def _transform_gradients(self, grads_and_vars: Any) -> Any:
        """What the `gradient_transformers` make of pairs."""
        for transformer in self.gradient_transformers:
            grads_and_vars = transformer(grads_and_vars)
        return grads_and_vars

    def _changes_gradients(self) -> bool:
        return (
            self.gradient_aggregator is not None
            or bool(self.gradient_transformers)
            or type(self)._aggregate_gradients is not Optimizer._aggregate_gradients
            or type(self)._transform_gradients is not Optimizer._transform_gradients
        )

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Updates variables from their gradients, which the optimizer's functions change first.

        Returns:
            The `iterations`, incremented by one; in a graph that a program builds, the operation that
            updates the variables.
        """
        if self._changes_gradients():
            pairs = list(grads_and_vars)
            known = [pair for pair in pairs if pair[0] is not None]
            if known and experimental_aggregate_gradients:
                known = self._aggregate_gradients(known)
            grads_and_vars = (known and self._transform_gradients(known)) or pairs
        grads_and_vars = list(grads_and_vars)
        for _, variable in grads_and_vars:
            if isinstance(variable, _core.Tensor):
                raise NotImplementedError(
                    f"Updating a `Tensor` is not implemented. Received: var={variable}."
                )
        graph = context.building_graph()
        if graph is None:
            return super().apply_gradients(grads_and_vars, name, **kwargs)
        before = len(graph.get_operations())
        super().apply_gradients(grads_and_vars, name, **kwargs)
        return control_flow.group(*graph.get_operations()[before:], name=name or self.name)

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The clipped derivatives of a loss by variables, in a graph that is being built.

        Args:
            loss: a tensor of the graph, or a list.
            params: the variables.

        Raises:
            RuntimeError: if operations run eagerly.
            ValueError: if the loss does not depend on a variable.
        """
        params = list(params)
        found = graph_gradients.gradients(loss, params)
        for gradient, variable in zip(found, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"Variable {variable} has `None` for gradient. Please make sure that all of "
                    "your ops have a gradient defined (i.e. are differentiable): "
                    "`backend.argmax`, `backend.round` and `backend.eval` have none."
                )
        return self._clipped(found)

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """A list with the operation that updates variables by a loss; see `get_gradients`."""
        params = list(params)
        pairs = zip(self.get_gradients(loss, params), params, strict=True)
        return [self.apply_gradients(pairs)]

    def set_weights(self, weights: Any) -> None:
        """Gives the optimizer's variables these values.

        Raises:
            ValueError: if there are more or fewer variables, or a shape does not fit.
        """
        weights = list(weights)
        if len(weights) != len(self._variables):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name} with a weight list of "
                f"length {len(weights)}, but the optimizer was expecting {len(self._variables)} "
                f"weights. Provided weights: {str(weights)[:50]}..."
            )
        self._was_built = True
        super().set_weights(weights)

    @property
    def decay(self) -> float:
        """By how much of itself the learning rate sinks at each step."""
        return self._decay

    @decay.setter
    def decay(self, value: float) -> None:
        self._decay = float(value)

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

    def _iterations_name(self) -> str:
        return f"{self.name}/iter"

    def _name_of_slot(self, variable: Variable, slot: str) -> str:
        return f"{variable._name}/{self._slot_names.get(slot, slot)}"

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        config = super().get_config()
        for name in _NEWER_ARGUMENTS:
            config.pop(name)
        for name in ("clipnorm", "clipvalue", "global_clipnorm"):
            if config[name] is None:
                del config[name]
        del config["is_legacy_optimizer"]
        for name in names_of(type(self)) & set(config):
            config[name] = self._serialize_hyperparameter(given(config[name]))
        if "learning_rate" in config and not self._was_built and self._rate_given is not None:
            if to_float32(self._rate_given) == config["learning_rate"]:
                config["learning_rate"] = self._rate_given  # not rounded yet
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

    momentum: Any = Hyperparameter()

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

    beta_1: Any = Hyperparameter()
    beta_2: Any = Hyperparameter()

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

    _slot_names = {"velocity": "rms", "average_gradient": "mg"}
    rho: Any = Hyperparameter()
    momentum: Any = Hyperparameter()

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

    def _uses_momentum(self) -> bool:
        # One that is computed at each step may become positive.
        momentum = self.__dict__["_momentum"]
        return bool(momentum) if isinstance(momentum, int | float) else True

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        if self._uses_momentum():
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

    _slot_names = {"accumulated_grad": "accum_grad", "accumulated_delta_var": "accum_var"}
    rho: Any = Hyperparameter()

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

    _slot_names = {"u": "v"}
    beta_1: Any = Hyperparameter()
    beta_2: Any = Hyperparameter()

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

    learning_rate_power: Any = Hyperparameter()
    l1_regularization_strength: Any = Hyperparameter()
    l2_regularization_strength: Any = Hyperparameter()
    beta: Any = Hyperparameter()

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

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [names]

    def _sparse(self, gradient: Any) -> Any:
        return summed_rows(gradient)  # other rows stay as they are


class Nadam(Optimizer, nadam.Nadam):
    """Nadam, whose momentum grows at the rate `decay`.

    >>> tf.keras.optimizers.legacy.Nadam().get_config()["decay"]
    0.004
    """

    beta_1: Any = Hyperparameter()
    beta_2: Any = Hyperparameter()

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

    @property
    def decay(self) -> float:
        """The rate at which the momentum grows."""
        return self._momentum_decay

    @decay.setter
    def decay(self, value: float) -> None:
        self._momentum_decay = float(value)

    def _momentum_at(self, step: Any) -> Any:
        growth = power(0.96, self._momentum_decay * step)
        return cached_float32(self.beta_1) * (1.0 - 0.5 * growth)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        return super().get_config() | {"decay": self._momentum_decay}


__dir__ = lazy.listing(__name__)

"""What Keras's optimizers have of a backend: one native update for all variables.

Keras's own rules are several operations for each variable. Those of its optimizers that the engine knows are
applied by it; a rule of a program's own runs as Keras runs it, as do variables with strategies, sparse
gradients, and dtypes in which Keras rounds after each operation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.keras.optimizers.adam import bias_corrected
from eagerflow.keras.optimizers.scalars import cached_float32, number, power, sqrt, whole
from eagerflow.typing import TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras_backend.operations import keras_module

from .core import convert_to_tensor

# Imported when it is first used: it imports this module.
_optimizers = lazy.Module("keras.src.optimizers")
_Optimizer: Any = keras_module("optimizer").TFOptimizer
_FUSED = (tf.float32, tf.float64)

# Updates variables with gradients; the last argument is the learning rate.
Rule = Callable[[Any, list, list, Any], None]


class TFOptimizer(_Optimizer):
    """What optimizers of Keras have of a backend."""

    def _backend_update_step(
        self, grads: list[_core.Tensor], trainable_variables: list[Any], learning_rate: Any
    ) -> None:
        kind: Any = type(self)
        rule = None if tf.distribute.has_strategy() else _rule_of(kind)
        fused: dict[Any, tuple[list, list]] = {}
        others = []
        for gradient, variable in zip(grads, trainable_variables, strict=True):
            value = _engine_variable(variable)
            if rule is None or value.dtype not in _FUSED or not isinstance(gradient, _core.Tensor):
                others.append((gradient, variable))
                continue
            variables, gradients = fused.setdefault(value.dtype, ([], []))
            variables.append(value)
            gradients.append(tf.cast(gradient, value.dtype))
        if others:
            super()._backend_update_step(*map(list, zip(*others, strict=True)), learning_rate)
        if rule is not None and fused:
            rate = number(convert_to_tensor(learning_rate))
            for variables, gradients in fused.values():
                rule(self, variables, gradients, rate)

    def _apply_weight_decay(self, variables: list[Any]) -> None:
        if self.weight_decay is None or tf.distribute.has_strategy():
            super()._apply_weight_decay(variables)
            return
        values = [_engine_variable(variable) for variable in variables]
        fused = [v for v in values if v.dtype in _FUSED and self._use_weight_decay(v)]
        rate = number(convert_to_tensor(self.learning_rate)) * self.weight_decay
        _core.decay_weights(fused, rate=rate)
        super()._apply_weight_decay([v for v in values if v.dtype not in _FUSED])


def _engine_variable(variable: Any) -> _core.Variable:
    """The engine's variable of Keras's, or of a program's own."""
    return variable if isinstance(variable, tf.Variable) else variable.value


def _slots(optimizer: Any, slots: list[Any], variables: list[Any]) -> list[Any]:
    """The engine's variables among an optimizer's, one for each variable of the model."""
    return [slots[optimizer._get_variable_index(variable)].value for variable in variables]


def _step(optimizer: Any) -> Any:
    """The number of the current step, from 1 on."""
    return whole(convert_to_tensor(optimizer.iterations)) + 1


def _sgd(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    if optimizer.momentum == 0:
        _core.gradient_descent_update(variables, gradients, learning_rate=rate)
        return
    _core.momentum_update(
        variables,
        _slots(optimizer, optimizer.momentums, variables),
        gradients,
        learning_rate=rate,
        momentum=cached_float32(optimizer.momentum),
        nesterov=optimizer.nesterov,
    )


def _adam(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    beta_1, beta_2 = optimizer.beta_1, optimizer.beta_2
    hats = _slots(optimizer, optimizer._velocity_hats, variables) if optimizer.amsgrad else None
    _core.adam_update(
        variables,
        _slots(optimizer, optimizer._momentums, variables),
        _slots(optimizer, optimizer._velocities, variables),
        hats,
        gradients,
        learning_rate=bias_corrected(rate, beta_1, beta_2, _step(optimizer), variables[0].dtype),
        beta_1=number(beta_1),
        beta_2=number(beta_2),
        epsilon=optimizer.epsilon,
    )


def _adamax(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    _core.adamax_update(
        variables,
        _slots(optimizer, optimizer._m, variables),
        _slots(optimizer, optimizer._u, variables),
        gradients,
        learning_rate=rate / (1 - power(cached_float32(optimizer.beta_1), _step(optimizer))),
        beta_1=number(optimizer.beta_1),
        beta_2=number(optimizer.beta_2),
        epsilon=optimizer.epsilon,
    )


def _nadam(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    step = _step(optimizer)
    beta_1, beta_2 = cached_float32(optimizer.beta_1), cached_float32(optimizer.beta_2)
    momentum, following = (beta_1 * (1 - 0.5 * power(0.96, k)) for k in (step, step + 1))
    product = number(convert_to_tensor(optimizer._u_product))
    # The step is divided by the root of the corrected mean of squares: all is times that root.
    correction = sqrt(1 - power(beta_2, step))
    _core.nadam_update(
        variables,
        _slots(optimizer, optimizer._momentums, variables),
        _slots(optimizer, optimizer._velocities, variables),
        gradients,
        momentum_rate=rate * correction * following / (1 - product * following),
        gradient_rate=rate * correction * (1 - momentum) / (1 - product),
        beta_1=number(optimizer.beta_1),
        beta_2=number(optimizer.beta_2),
        epsilon=optimizer.epsilon * correction,
    )


def _rmsprop(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    momentums = averages = None
    if optimizer.momentum > 0:
        momentums = _slots(optimizer, optimizer._momentums, variables)
    if optimizer.centered:
        averages = _slots(optimizer, optimizer._average_gradients, variables)
    _core.rmsprop_update(
        variables,
        _slots(optimizer, optimizer._velocities, variables),
        momentums,
        averages,
        gradients,
        learning_rate=rate,
        rho=number(optimizer.rho),
        momentum=number(optimizer.momentum),
        epsilon=optimizer.epsilon,
    )


def _adagrad(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    _core.adagrad_update(
        variables,
        _slots(optimizer, optimizer._accumulators, variables),
        gradients,
        learning_rate=rate,
        epsilon=optimizer.epsilon,
    )


def _adadelta(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    _core.adadelta_update(
        variables,
        _slots(optimizer, optimizer._accumulated_grads, variables),
        _slots(optimizer, optimizer._accumulated_delta_vars, variables),
        gradients,
        learning_rate=rate,
        rho=number(optimizer.rho),
        epsilon=optimizer.epsilon,
    )


def _ftrl(optimizer: Any, variables: list, gradients: list, rate: Any) -> None:
    _core.ftrl_update(
        variables,
        _slots(optimizer, optimizer._accumulators, variables),
        _slots(optimizer, optimizer._linears, variables),
        gradients,
        learning_rate=rate,
        learning_rate_power=number(optimizer.learning_rate_power),
        l1=number(optimizer.l1_regularization_strength),
        l2=number(optimizer.l2_regularization_strength) + number(optimizer.beta) / (2.0 * rate),
        l2_shrinkage=optimizer.l2_shrinkage_regularization_strength,
    )


def _lion(optimizer: Any, variables: list, gradients: list, rate: TensorLike) -> None:
    _core.lion_update(
        variables,
        _slots(optimizer, optimizer._momentums, variables),
        gradients,
        learning_rate=rate,
        beta_1=optimizer.beta_1,
        beta_2=optimizer.beta_2,
    )


@functools.cache
def _rule_of(kind: type) -> Rule | None:
    """The engine's rule for a class of optimizers, if Keras's class is what updates its variables."""
    rules = {
        _optimizers.SGD: _sgd,
        _optimizers.Adam: _adam,
        _optimizers.Adamax: _adamax,
        _optimizers.Nadam: _nadam,
        _optimizers.RMSprop: _rmsprop,
        _optimizers.Adagrad: _adagrad,
        _optimizers.Adadelta: _adadelta,
        _optimizers.Ftrl: _ftrl,
        _optimizers.Lion: _lion,
    }
    owner = next(base for base in kind.__mro__ if "update_step" in vars(base))
    return rules.get(owner)

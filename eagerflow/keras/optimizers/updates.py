"""Update rules: native functions for lists of real variables, composed operations for complex ones.

Each function takes the variables, lists of their slots and gradients, and scalars by name.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from eagerflow import _core
from eagerflow.typing import TensorLike

_ops = _core.ops


def _for_each(rule: Callable[..., None]) -> Callable[..., None]:
    """Makes a rule for one variable accept lists."""

    def update(variables: list[_core.Variable], *lists: Any, **numbers: Any) -> None:
        for index, variable in enumerate(variables):
            own = [values and values[index] for values in lists]
            rule(variable, *own, **{k: _of(variable, v) for k, v in numbers.items()})

    return update


def _of(variable: _core.Variable, number: object) -> Any:
    """A scalar in a variable's dtype; bools are unchanged."""
    if isinstance(number, bool):
        return number
    return _ops.cast(_core.as_tensor(number), variable.dtype)


def _gradient_descent(variable: Any, gradient: _core.Tensor, learning_rate: TensorLike) -> None:
    variable.assign_sub(gradient * learning_rate)


def _momentum(
    variable: Any, velocity: Any, gradient: Any, learning_rate: Any, momentum: Any, nesterov: bool
) -> None:
    step = _ops.negative(gradient * learning_rate)
    velocity.assign(velocity * momentum + step)
    variable.assign_add(velocity * momentum + step if nesterov else velocity.read_value())


def _adam(
    variable: _core.Variable,
    m: _core.Variable,
    v: _core.Variable,
    vhat: Any,
    gradient: _core.Tensor,
    learning_rate: TensorLike,
    beta_1: _core.Tensor,
    beta_2: _core.Tensor,
    epsilon: _core.Tensor,
) -> None:
    m.assign_add((gradient - m) * (1 - beta_1))
    v.assign_add((_ops.square(gradient) - v) * (1 - beta_2))
    root = v
    if vhat is not None:
        root = vhat
        vhat.assign(_ops.maximum(vhat, v))
    variable.assign_sub(m * learning_rate / (_ops.sqrt(root) + epsilon))


def _rmsprop(
    variable: _core.Variable,
    velocity: _core.Variable,
    momenta: Any,
    average: Any,
    gradient: _core.Tensor,
    learning_rate: TensorLike,
    rho: _core.Tensor,
    momentum: _core.Tensor,
    epsilon: _core.Tensor,
) -> None:
    velocity.assign(velocity * rho + _ops.square(gradient) * (1 - rho))
    spread = velocity.read_value()
    if average is not None:
        average.assign(average * rho + gradient * (1 - rho))
        spread = spread - _ops.square(average)
    step = gradient * learning_rate / _ops.sqrt(spread + epsilon)
    if momenta is not None:
        momenta.assign(momenta * momentum + step)
        step = momenta.read_value()
    variable.assign_sub(step)


def _adagrad(
    variable: Any, accumulator: Any, gradient: Any, learning_rate: TensorLike, epsilon: _core.Tensor
) -> None:
    accumulator.assign_add(_ops.square(gradient))
    variable.assign_sub(gradient * learning_rate / _ops.sqrt(accumulator + epsilon))


def _adadelta(
    variable: _core.Variable,
    squares: _core.Variable,
    steps: _core.Variable,
    gradient: _core.Tensor,
    learning_rate: TensorLike,
    rho: _core.Tensor,
    epsilon: _core.Tensor,
) -> None:
    squares.assign(squares * rho + _ops.square(gradient) * (1 - rho))
    step = gradient * _ops.sqrt(steps + epsilon) / _ops.sqrt(squares + epsilon)
    steps.assign(steps * rho + _ops.square(step) * (1 - rho))
    variable.assign_sub(step * learning_rate)


def _nadam(
    variable: _core.Variable,
    m: _core.Variable,
    v: _core.Variable,
    gradient: _core.Tensor,
    momentum_rate: _core.Tensor,
    gradient_rate: _core.Tensor,
    beta_1: _core.Tensor,
    beta_2: _core.Tensor,
    epsilon: _core.Tensor,
) -> None:
    m.assign_add((gradient - m) * (1 - beta_1))
    v.assign_add((_ops.square(gradient) - v) * (1 - beta_2))
    step = m * momentum_rate + gradient * gradient_rate
    variable.assign_sub(step / (_ops.sqrt(v) + epsilon))


# Native rules for real variables, and composed rules for complex ones.
REAL = SimpleNamespace(
    gradient_descent=_core.gradient_descent_update,
    momentum=_core.momentum_update,
    adam=_core.adam_update,
    rmsprop=_core.rmsprop_update,
    adagrad=_core.adagrad_update,
    adadelta=_core.adadelta_update,
    nadam=_core.nadam_update,
)
COMPLEX = SimpleNamespace(
    gradient_descent=_for_each(_gradient_descent),
    momentum=_for_each(_momentum),
    adam=_for_each(_adam),
    rmsprop=_for_each(_rmsprop),
    adagrad=_for_each(_adagrad),
    adadelta=_for_each(_adadelta),
    nadam=_for_each(_nadam),
)

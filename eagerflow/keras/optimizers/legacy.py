"""tf.keras.optimizers.legacy: the optimizers of TensorFlow 2.0 to 2.10, where they differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers import adadelta, adagrad, adam, adamax, ftrl, nadam, rmsprop, sgd
from eagerflow.keras.optimizers.hyperparameters import Hyperparameter
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.legacy_optimizer import Optimizer, is_positive
from eagerflow.keras.optimizers.optimizer import takes_rows
from eagerflow.keras.optimizers.scalars import cached_float32, number, of_dtype, power
from eagerflow.keras.optimizers.schedules.schedule import LearningRate, LearningRateSchedule
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments

_ops = _core.ops

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop"]


class SGD(Optimizer, sgd.SGD):
    """Gradient descent; see `tf.keras.optimizers.SGD`.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.legacy.SGD(0.1).minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.8
    """

    momentum: Any = Hyperparameter("momentum")

    def __init__(
        self,
        learning_rate: LearningRate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(**arguments(locals()))
        self._keeps_rows = self._has_momentum = is_positive(momentum)

    def _uses_momentum(self) -> bool:
        return self._has_momentum

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0} if self._has_momentum else {}


class Adam(Optimizer, adam.Adam):
    """Adam; see `tf.keras.optimizers.Adam`.

    >>> optimizer = tf.keras.optimizers.legacy.Adam(decay=0.1)
    >>> optimizer.get_config()["decay"]
    0.1
    """

    beta_1: Any = Hyperparameter("beta_1")
    beta_2: Any = Hyperparameter("beta_2")

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
        super().__init__(**arguments(locals()))

    def set_weights(self, weights: Any) -> None:
        """Sets the optimizer's variables; the maxima of `amsgrad` may follow at the end.

        Raises:
            ValueError: if there are more or fewer variables, or a shape does not fit.
        """
        weights, count = list(weights), len(self._variables)
        slots = max(count - 1, 0) // 2
        super().set_weights(weights[:count] if len(weights) == 3 * slots + 1 else weights)


class RMSprop(Optimizer, rmsprop.RMSprop):
    """RMSprop, with epsilon outside of the root unless there is momentum.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.legacy.RMSprop(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 3))
    0.684
    """

    _slot_names = {"velocity": "rms", "average_gradient": "mg"}
    rho: Any = Hyperparameter("rho")
    momentum: Any = Hyperparameter("momentum")

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
        super().__init__(**arguments(locals()))
        self._keeps_rows = self._has_momentum = is_positive(momentum)

    def _uses_momentum(self) -> bool:
        return self._has_momentum

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        if self._uses_momentum():
            super()._update(variables, gradients, slots, learning_rate)
            return
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            velocity = entry["velocity"]
            rho = of_dtype(number(self.rho), variable.dtype)
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
        super().__init__(**arguments(locals()))

    def _sparse(self, gradient: IndexedSlices) -> Any:
        return None  # rows without a gradient get an update of zero

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
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
    rho: Any = Hyperparameter("rho")
    _keeps_rows = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(**arguments(locals()))


class Adamax(Optimizer, adamax.Adamax):
    """Adamax; see `tf.keras.optimizers.Adamax`.

    >>> tf.keras.optimizers.legacy.Adamax().get_config()["beta_1"]
    0.9
    """

    _slot_names = {"u": "v"}
    beta_1: Any = Hyperparameter("beta_1")
    beta_2: Any = Hyperparameter("beta_2")
    _keeps_rows = True

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(**arguments(locals()))


class Ftrl(Optimizer, ftrl.Ftrl):
    """FTRL; see `tf.keras.optimizers.Ftrl`.

    >>> tf.keras.optimizers.legacy.Ftrl().get_config()["learning_rate_power"]
    -0.5
    """

    learning_rate_power: Any = Hyperparameter("learning_rate_power")
    l1_regularization_strength: Any = Hyperparameter("l1_regularization_strength")
    l2_regularization_strength: Any = Hyperparameter("l2_regularization_strength")
    beta: Any = Hyperparameter("beta")
    _keeps_rows = True

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
        super().__init__(**arguments(locals()))

    _knows_lr = False

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [names]


class Nadam(Optimizer, nadam.Nadam):
    """Nadam, whose momentum grows at the rate `decay`.

    >>> tf.keras.optimizers.legacy.Nadam().get_config()["decay"]
    0.004
    """

    beta_1: Any = Hyperparameter("beta_1")
    beta_2: Any = Hyperparameter("beta_2")

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None:
        if isinstance(kwargs.get("lr", learning_rate), LearningRateSchedule):
            raise ValueError("This Nadam takes no schedule as its learning rate.")
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        super().__init__(**arguments(locals()))

    _decays_rate = False
    _product: Any = None  # the variable with the product of the momenta so far

    def build(self, var_list: Iterable[Variable]) -> None:
        """Makes the variables of the optimizer; see `Optimizer`."""
        if self._product is None:
            if not self._hypers_created:
                self._create_hypers()
            self._product = self._add_scalar("momentum_cache", 1.0, dtypes.float32)
            self._variables.append(self._product)
        super().build(var_list)

    def _own_scalars(self) -> dict[str, Any]:
        return super()._own_scalars() | {"momentum_cache": self._product}

    def _momentum_at(self, step: object) -> Any:
        growth = power(0.96, number(self.decay) * step)
        return cached_float32(self.beta_1) * (1.0 - 0.5 * growth)

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        step = self._step()
        product = number(self._product) * self._momentum_at(step)
        # With a sparse gradient, the averages of all rows decay, but only its own rows are updated.
        sparse = [
            (variable, variable.read_value(), gradient[0])
            for variable, gradient in zip(variables, gradients, strict=True)
            if isinstance(gradient, tuple)
        ]
        self._update_by(product, step, variables, gradients, slots, learning_rate)
        for variable, before, rows in sparse:
            moved = _ops.gather(variable.read_value(), rows)
            variable.assign(before)
            variable.scatter_update(IndexedSlices(moved, rows))
        self._product.assign(of_dtype(product, dtypes.float32))


__dir__ = lazy.listing(__name__)

"""Optimizers of embedding tables: their hyperparameters, and the slots that they keep for each table.

Nothing is updated by them here: on processors the tables are variables, which a Keras optimizer trains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.ops.init_ops import constant_initializer

_Rate = float | Callable[[], float]


class Optimizer:
    """What all optimizers of tables are told.

    Args:
        learning_rate: a number, or a function that returns one.
        use_gradient_accumulation: whether gradients of one row are added up first.
        clip_weight_min: the least weight.
        clip_weight_max: the largest weight.
        weight_decay_factor: how much of a weight is subtracted from it.
        multiply_weight_decay_factor_by_learning_rate: whether the factor grows with the rate.
        slot_variable_creation_fn: makes the slots of a table: takes it, their names, and their
            initializers, and returns a dictionary of variables by name.
        clipvalue: the bounds of gradients: a number for both signs, or a pair.
        low_dimensional_packing_status: kept as an attribute.

    Raises:
        ValueError: if gradients are to be clipped that are not accumulated.
    """

    def __init__(
        self,
        learning_rate: _Rate,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., dict[str, Any]] | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self.learning_rate = learning_rate
        self.use_gradient_accumulation = use_gradient_accumulation
        self.clip_weight_min = clip_weight_min
        self.clip_weight_max = clip_weight_max
        if not use_gradient_accumulation and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and "
                f"`clipvalue` should be left as None. Received value {clipvalue} for argument "
                "`clipvalue`."
            )
        pair = clipvalue if isinstance(clipvalue, tuple) else (clipvalue and -clipvalue, clipvalue)
        self.clip_gradient_min, self.clip_gradient_max = pair
        self.weight_decay_factor = weight_decay_factor
        self.multiply_weight_decay_factor_by_learning_rate = (
            multiply_weight_decay_factor_by_learning_rate
        )
        self.slot_variable_creation_fn = slot_variable_creation_fn
        self.low_dimensional_packing_status = low_dimensional_packing_status

    def _slot_names(self) -> list[str]:
        """The names of the slots."""
        return []

    def _slot_initializers(self) -> list[Any]:
        """What the slots begin with, in the order of their names."""
        return [constant_initializer(0) for _ in self._slot_names()]

    def _create_slots(
        self, table: Any, variable_creator: Callable[[str, Any], Any] | None = None
    ) -> dict[str, Any]:
        """The slots of a table by name, by the program's function where there is one."""
        names, initializers = self._slot_names(), self._slot_initializers()
        if self.slot_variable_creation_fn is not None:
            return self.slot_variable_creation_fn(table, names, initializers)
        assert variable_creator is not None
        return {
            name: variable_creator(name, initializer)
            for name, initializer in zip(names, initializers, strict=True)
        }


class SGD(Optimizer):
    """Gradient descent; see `Optimizer`.

    >>> tf.tpu.experimental.embedding.SGD(0.1).learning_rate
    0.1
    """

    def __init__(
        self,
        learning_rate: _Rate = 0.01,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            None,
            clipvalue,
            low_dimensional_packing_status,
        )


def _check_positive(name: str, value: float) -> None:
    if value <= 0:
        raise ValueError(f"Argument `{name}` must be a positive float. Received: {value}")


class Adagrad(Optimizer):
    """Adagrad, with the slot "accumulators"; see `Optimizer`.

    Args:
        learning_rate: a number, or a function that returns one.
        initial_accumulator_value: what the slot begins with.
        use_gradient_accumulation: and the others: see `Optimizer`.

    Raises:
        ValueError: if the accumulators do not begin with a positive number.
    """

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., dict[str, Any]] | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        self.initial_accumulator_value = initial_accumulator_value

    def _slot_names(self) -> list[str]:
        return ["accumulators"]

    def _slot_initializers(self) -> list[Any]:
        return [constant_initializer(self.initial_accumulator_value)]


class AdagradMomentum(Optimizer):
    """Adagrad with momentum, with the slots "accumulators" and "momenta"; see `Optimizer`.

    Args:
        learning_rate: a number, or a function that returns one.
        momentum: the share of the last step that is taken again.
        use_nesterov: whether the gradient is that of the point ahead.
        exponent: of the sums of gradients.
        beta2: the share of older gradients.
        epsilon: is added to the divisor.
        use_gradient_accumulation: and the others: see `Optimizer`.

    Raises:
        ValueError: if `epsilon` is not positive.
    """

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        momentum: float = 0.0,
        use_nesterov: bool = False,
        exponent: float = 2,
        beta2: float = 1,
        epsilon: float = 1e-10,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., dict[str, Any]] | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        if epsilon <= 0:
            raise ValueError("Adagrad momentum: epsilon must be positive")
        self.momentum = momentum
        self.use_nesterov = use_nesterov
        self.exponent = exponent
        self.beta2 = beta2
        self.epsilon = epsilon

    def _slot_names(self) -> list[str]:
        return ["accumulators", "momenta"]


class Adam(Optimizer):
    """Adam, with the slots "momenta" and "velocities"; see `Optimizer`.

    Args:
        learning_rate: a number, or a function that returns one.
        beta_1: the decay of the first moments.
        beta_2: the decay of the second moments.
        epsilon: is added to the divisor.
        lazy_adam: whether rows without gradients stay as they are.
        sum_inside_sqrt: whether `epsilon` is added before the root is taken.
        use_gradient_accumulation: and the others: see `Optimizer`.

    Raises:
        ValueError: for decays out of their range, and an `epsilon` that is not positive.
    """

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., dict[str, Any]] | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        for name, value in (("beta_1", beta_1), ("beta_2", beta_2)):
            if not 0.0 <= value < 1.0:
                raise ValueError(f"Argument `{name}` must be >= 0 and < 1. Received: {value}.")
        if epsilon <= 0.0:
            raise ValueError(f"epsilon must be positive; got {epsilon}.")
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError(
                "When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be used. "
                "Set `use_gradient_accumulation` to True."
            )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.lazy_adam = lazy_adam
        self.sum_inside_sqrt = sum_inside_sqrt

    def _slot_names(self) -> list[str]:
        return ["momenta", "velocities"]


class FTRL(Optimizer):
    """FTRL, with the slots "accumulators" and "linears"; see `Optimizer`.

    Args:
        learning_rate: a number, or a function that returns one.
        learning_rate_power: how the rate falls with the sums of gradients.
        l1_regularization_strength: of the sums of magnitudes.
        l2_regularization_strength: of the sums of squares.
        beta: as in the paper.
        initial_accumulator_value: what the accumulators begin with.
        use_gradient_accumulation: and the others: see `Optimizer`.

    Raises:
        ValueError: if the accumulators do not begin with a positive number.
    """

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        learning_rate_power: float = -0.5,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        beta: float = 0.0,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Callable[..., dict[str, Any]] | None = None,
        clipvalue: tuple[float, float] | float | None = None,
        multiply_linear_by_learning_rate: bool = False,
        allow_zero_accumulator: bool = False,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            use_gradient_accumulation,
            clip_weight_min,
            clip_weight_max,
            weight_decay_factor,
            multiply_weight_decay_factor_by_learning_rate,
            slot_variable_creation_fn,
            clipvalue,
            low_dimensional_packing_status,
        )
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        self.initial_accumulator_value = initial_accumulator_value
        self.learning_rate_power = learning_rate_power
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.beta = beta
        self.multiply_linear_by_learning_rate = multiply_linear_by_learning_rate
        self.allow_zero_accumulator = allow_zero_accumulator

    def _slot_names(self) -> list[str]:
        return ["accumulators", "linears"]

    def _slot_initializers(self) -> list[Any]:
        return [constant_initializer(self.initial_accumulator_value), constant_initializer(0)]

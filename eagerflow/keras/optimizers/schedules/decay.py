"""Learning rates that decay exponentially, in steps, polynomially, or as 1 / time."""

from __future__ import annotations

from collections.abc import Sequence

from eagerflow import _core
from eagerflow.framework.dtypes import DType
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def to(value: TensorLike, dtype: DType) -> Tensor:
    """The value as a tensor of a dtype."""
    return _ops.cast(_core.as_tensor(value), dtype)


class _ByRate(LearningRateSchedule):
    """A schedule of a rate and a unit of time."""

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        decay_rate: TensorLike,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def _parts(self, step: TensorLike) -> tuple[Tensor, Tensor, Tensor]:
        """The first learning rate, the decay rate, and the time."""
        initial = _core.as_tensor(self.initial_learning_rate)
        dtype = initial.dtype
        time = to(step, dtype) / to(self.decay_steps, dtype)
        return initial, to(self.decay_rate, dtype), _ops.floor(time) if self.staircase else time


class ExponentialDecay(_ByRate):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: the number of steps in which the rate is multiplied by `decay_rate`.
        decay_rate: the factor.
        staircase: whether the rate falls in one step every `decay_steps`.
        name: the schedule's name.

    >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 100, 0.5)
    >>> print(rate(200).numpy().round(4))
    0.025
    """

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        initial, rate, time = self._parts(step)
        return initial * _ops.pow(rate, time)


class InverseTimeDecay(_ByRate):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: the number of steps in one unit of time.
        decay_rate: how fast the rate falls.
        staircase: whether the rate falls in one step every `decay_steps`.
        name: the schedule's name.

    >>> rate = tf.keras.optimizers.schedules.InverseTimeDecay(0.1, 1, 0.5)
    >>> print(rate(2).numpy())
    0.05
    """

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        initial, rate, time = self._parts(step)
        return initial / (1.0 + rate * time)


class PolynomialDecay(LearningRateSchedule):
    """From one rate to another along `(1 - step / decay_steps) ** power`.

    Args:
        initial_learning_rate: the rate at step 0.
        decay_steps: the number of steps until the end.
        end_learning_rate: the rate at the end.
        power: the exponent; 1 for a straight line.
        cycle: whether `decay_steps` is doubled, tripled, and so on when it is reached.
        name: the schedule's name.

    >>> rate = tf.keras.optimizers.schedules.PolynomialDecay(0.1, 100, 0.0)
    >>> print(rate(50).numpy())
    0.05
    """

    def __init__(
        self,
        initial_learning_rate: TensorLike,
        decay_steps: TensorLike,
        end_learning_rate: TensorLike = 0.0001,
        power: TensorLike = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        initial = _core.as_tensor(self.initial_learning_rate)
        dtype = initial.dtype
        end, step, length = (
            to(value, dtype) for value in (self.end_learning_rate, step, self.decay_steps)
        )
        if self.cycle:
            times = _ops.ceil(step / length)
            length = length * _ops.select(_ops.equal(step, 0.0), _ops.ones_like(times), times)
        else:
            step = _ops.minimum(step, length)
        rest = _ops.pow(1 - step / length, to(self.power, dtype))
        return (initial - end) * rest + end


class PiecewiseConstantDecay(LearningRateSchedule):
    """A constant rate for each interval of steps.

    Args:
        boundaries: the last step of each interval except the last, in ascending order.
        values: the rates, one more than there are boundaries.
        name: the schedule's name.

    Raises:
        ValueError: unless there is one value more than boundaries.

    >>> rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1])
    >>> [float(rate(step)) for step in (10, 11, 20)]
    [1.0, 0.5, 0.5]
    """

    def __init__(
        self,
        boundaries: Sequence[TensorLike],
        values: Sequence[TensorLike],
        name: str | None = None,
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: TensorLike) -> Tensor:
        """The learning rate at a step."""
        step = _core.as_tensor(step)
        rate = _core.as_tensor(self.values[-1])
        for boundary, value in reversed(list(zip(self.boundaries, self.values, strict=False))):
            within = _ops.less_equal(step, to(boundary, step.dtype))
            rate = _ops.select(within, _core.as_tensor(value), rate)
        return rate

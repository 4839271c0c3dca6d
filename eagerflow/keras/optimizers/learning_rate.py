"""The learning rate of an optimizer: a scalar, a variable, a schedule or a function."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow import _core
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras.config import defaults
from eagerflow.keras.optimizers import scalars
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule


class HasLearningRate:
    """The attribute `learning_rate` of an optimizer, and its value at each step."""

    _iterations: Variable
    _learning_rate: Any = None  # of rules that have one
    _rate_takes_step = False
    _decay = 0.0  # which programs of TensorFlow 2.0 to 2.10 set by `_set_hyper`

    def _build_learning_rate(self, learning_rate: object) -> Any:
        """The `_learning_rate` of a subclass: a variable, or the schedule or function itself."""
        if isinstance(learning_rate, Variable | LearningRateSchedule) or callable(learning_rate):
            return learning_rate
        return variable_at_once(
            learning_rate, dtype=defaults.float_dtype, trainable=False, name="learning_rate"
        )

    def _set_rate(self, rate: object) -> None:
        self._learning_rate = self._build_learning_rate(rate)
        self._rate_takes_step = False
        self.__dict__.pop("_current_learning_rate", None)
        if not isinstance(self._learning_rate, Variable | LearningRateSchedule):
            self._rate_takes_step = _takes_an_argument(rate)

    def _scheduled_rate(self) -> Variable:
        """The variable that holds the schedule's rate for the current step."""
        current: Variable | None = self.__dict__.get("_current_learning_rate")
        if current is None:
            with eagerly():
                value = _core.as_tensor(self._learning_rate(self._iterations))
                current = Variable(value, trainable=False, name="current_learning_rate")
            self._current_learning_rate = current
            if _core.building() is None:
                return current
        current.assign(self._learning_rate(self._iterations))
        return current

    def _saved_rate(self) -> dict[str, Variable]:
        """The variable of the learning rate, for checkpoints; one with the current value if there is none."""
        rate = self._learning_rate
        if isinstance(rate, Variable):
            return {"_learning_rate": rate}
        if isinstance(rate, LearningRateSchedule):
            return {"_current_learning_rate": self.learning_rate}
        return {}

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable, or a function's value for the current iteration.

        Raises:
            TypeError: on setting, if the optimizer was created with a schedule.
        """
        rate = self._learning_rate
        if isinstance(rate, Variable):
            return rate
        if isinstance(rate, LearningRateSchedule):
            current = self.__dict__.get("_current_learning_rate")
            return self._scheduled_rate() if current is None else current
        return rate(self._iterations) if self._rate_takes_step else rate()

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if callable(rate) and not isinstance(rate, Variable):
            self._set_rate(rate)
        elif isinstance(self._learning_rate, LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable. If "
                "you need the learning rate to be settable, you should instantiate the optimizer "
                "with a float `learning_rate` argument."
            )
        elif isinstance(self._learning_rate, Variable):
            self._learning_rate.assign(rate)
        else:
            self._set_rate(rate)

    lr = learning_rate

    def _current_rate(self) -> float | _core.Tensor:
        """The learning rate of the current step: a float, or a float64 scalar of a graph."""
        rate = self._learning_rate
        if rate is None:
            return 0.0
        if not isinstance(rate, Variable):
            if isinstance(rate, LearningRateSchedule):
                rate = self._scheduled_rate()
            else:
                rate = rate(self._iterations) if self._rate_takes_step else rate()
        rate = scalars.number(rate)
        if self._decay:
            rate = rate / (1.0 + self._decay * scalars.whole(self._iterations))
        return rate


def _takes_an_argument(function: Any) -> bool:
    """Whether a function must be called with the iteration."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # a built-in function without a signature
        return False
    return False

"""An optimizer that also keeps averages of the variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.framework import context
from eagerflow.ops.control_flow import control_dependencies
from eagerflow.train.moving_average import ExponentialMovingAverage
from eagerflow.util import lazy
from eagerflow_compat.v1.optimizers import Optimizer
from eagerflow_compat.v1.saver import Saver

graph_variables = lazy.Module("eagerflow.graph.variables")


class MovingAverageOptimizer(Optimizer):
    """Updates variables by another optimizer, and their averages after that.

    Args:
        opt: the other optimizer.
        average_decay: how much of an average stays.
        num_updates: the number of updates so far, by which averages begin sooner.
        sequential_update: accepted; averages follow the updates.

    >>> v = tf.compat.v1.Variable(1.0, name="v")
    >>> optimizer = tf.contrib.opt.MovingAverageOptimizer(
    ...     tf.compat.v1.train.GradientDescentOptimizer(0.5), average_decay=0.5
    ... )
    >>> for _ in range(2):
    ...     _ = optimizer.minimize(lambda: v * 1.0)
    >>> float(v), float(optimizer.average(v))
    (0.0, 0.375)
    """

    def __init__(
        self,
        opt: Optimizer,
        average_decay: Any = 0.9999,
        num_updates: Any = None,
        sequential_update: bool = True,
    ) -> None:
        super().__init__(False, "MovingAverageOptimizer")
        self._optimizer = opt
        self._averages = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._averaged: list[Any] = []

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The other optimizer's gradients."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: Any = None
    ) -> Any:
        """Updates variables by their gradients, and their averages."""
        pairs = list(grads_and_vars)
        self._averaged = [variable for _, variable in pairs]
        if context.executing_eagerly():
            # Averages begin with the values before the first update.
            new = [variable for variable in self._averaged if self.average(variable) is None]
            if new:
                self._averages.apply(new)
            self._optimizer.apply_gradients(pairs, global_step, name)
            self._averages.apply(self._averaged)
            return None
        train = self._optimizer.apply_gradients(pairs, global_step)
        with control_dependencies([train]):
            return self._averages.apply(self._averaged)

    def average(self, var: Any) -> Any:
        """The average of a variable, or None if it has none."""
        return self._averages.average(var)

    def variables(self) -> list[Any]:
        """The other optimizer's variables."""
        return self._optimizer.variables()

    def swapping_saver(
        self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any
    ) -> Saver:
        """A saver of averages under the names of the variables, and the reverse.

        Args:
            var_list: variables, or a dictionary of them by the names in the file; by default all of
                the graph.
            name: accepted.
            **kwargs: further arguments of the saver.

        Raises:
            RuntimeError: if no gradients have been applied.
        """
        if not self._averaged:
            raise RuntimeError("Must call apply_gradients or minimize before creating a saver.")
        if var_list is None:
            var_list = graph_variables.global_variables()
        if not isinstance(var_list, dict):
            var_list = {variable.name.split(":")[0]: variable for variable in var_list}
        swapped = dict(var_list)
        names = {id(variable): key for key, variable in var_list.items()}
        for variable in self._averaged:
            average = self._averages.average(variable)
            if average is None or id(variable) not in names:
                continue
            own = names[id(variable)]
            swapped[own] = average
            swapped[names.get(id(average), self._averages.average_name(variable))] = variable
        return Saver(swapped, **kwargs)

"""ExponentialMovingAverage: exponential moving averages of variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework import context
from eagerflow.framework.variable import Variable
from eagerflow.graph.moving_average import apply_in_graph, rate_of, variables_to_restore
from eagerflow.ops.control_flow import init_scope


class ExponentialMovingAverage:
    """Maintains exponential moving averages of variables.

    Each `apply` moves the averages: `average -= (1 - decay) * (average - variable)`.

    Args:
        decay: how much of an average stays, nearly 1; a number, a tensor or a variable.
        num_updates: a count of updates; the decay is then at most
            `(1 + num_updates) / (10 + num_updates)`, so that averages follow faster at first.
        zero_debias: whether averages of tensors of a graph, which start at zero, are corrected for
            that. Those of variables start at the variable's value.
        name: comes into the names of the averages.

    >>> v = tf.Variable(1.0)
    >>> ema = tf.train.ExponentialMovingAverage(decay=0.5)
    >>> ema.apply([v])
    >>> _ = v.assign(3.0)
    >>> ema.apply([v])
    >>> float(ema.average(v))
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        # In graphs, averages, sums and weights are variables of graphs.
        self._averages: dict[int, Any] = {}
        self._variables: dict[int, Any] = {}
        self._sums: dict[int, Any] = {}
        self._weights: dict[int, Any] = {}

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Any:
        """Updates the averages of variables, which the first call makes.

        In a graph, nothing is moved before a session runs the operation that is returned.

        Args:
            var_list: floating variables; in a graph also tensors, and by default all variables
                that are trained.

        Raises:
            TypeError: if one is not floating.
            ValueError: if there are none.
        """
        if context.building_graph() is not None:
            return apply_in_graph(self, var_list)
        variables = list(var_list or ())
        if not variables:
            raise ValueError("Moving averages need a list of variables.")
        # Tapes do not record the averages.
        with GradientTape() as tape, tape.stop_recording():
            rate = rate_of(self)
            for variable in variables:
                self._move(variable, rate)
        return None

    def _move(self, variable: Any, rate: _core.Tensor) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"Moving averages follow variables when run eagerly, got {variable!r}.")
        if not variable.dtype.is_floating:
            raise TypeError(f"The variables must be half, float, or double: {variable.name}")
        key = id(variable)
        if key not in self._averages:
            self._variables[key] = variable
            with init_scope():
                start, name = variable.read_value(), self.average_name(variable)
                self._averages[key] = Variable(start, trainable=False, name=name)
        moving = self._averages[key]
        moving.assign_sub((moving - variable) * _core.ops.cast(rate, moving.dtype))

    def average(self, var: _core.Variable) -> Variable | None:
        """The variable that holds the average of another; None if there is none."""
        return self._averages.get(id(var))

    def average_name(self, var: Any) -> str:
        """The name of the variable that holds the average."""
        average = self.average(var)
        name = f"{var.name}/{self._name}" if average is None else average.name
        return name.replace(":0", "")

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Maps the names of averages in checkpoints to variables, for a `Saver`.

        Args:
            moving_avg_variables: the variables that have averages; by default all applied to, in
                a graph those that are trained. Other variables of the graph come by their names.
        """
        if context.building_graph() is not None:
            return variables_to_restore(self, moving_avg_variables)
        if moving_avg_variables is None:
            moving_avg_variables = self._variables.values()
        return {self.average_name(variable): variable for variable in moving_avg_variables}

    def _checkpoint_children(self) -> dict[str, Any]:
        return {str(k): average for k, average in enumerate(self._averages.values())}

"""Optimizers of SciPy for losses of version 1's graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.typing import Array
from eagerflow.util import lazy
from eagerflow.util.optional import optional

gradients = lazy.Module("eagerflow.graph.gradients")
graph_variables = lazy.Module("eagerflow.graph.variables")
sessions = lazy.Module("eagerflow.graph.session")

_ops = _core.ops


class ExternalOptimizerInterface:
    """Base class: minimises a loss of a graph by a function of arrays.

    Args:
        loss: the loss, a scalar of the graph.
        var_list: the variables to change; all trainable ones by default.
        equalities: tensors that are to be zero.
        inequalities: tensors that are not to be negative.
        var_to_bounds: for some variables, a pair of the least and the largest value.
        **optimizer_kwargs: further arguments of the optimizer.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: dict[Any, tuple[Any, Any]] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._vars = list(var_list or graph_variables.trainable_variables())
        self._equalities = list(equalities or [])
        self._inequalities = list(inequalities or [])
        self._bounds = self._packed_bounds(var_to_bounds)
        self.optimizer_kwargs = optimizer_kwargs
        targets = [loss, *self._equalities, *self._inequalities]
        self._packed = [(target, self._packed_gradient(target)) for target in targets]

    def _packed_gradient(self, target: Any) -> _core.Tensor:
        found = gradients.gradients(target, self._vars)
        parts = [
            _ops.zeros_like(variable.read_value()) if gradient is None else gradient
            for gradient, variable in zip(found, self._vars, strict=True)
        ]
        flat = [_ops.reshape(_core.as_tensor(part), [-1]) for part in parts]
        return _ops.concat(flat, 0)

    def _packed_bounds(
        self, bounds: dict[Any, tuple[Any, Any]] | None
    ) -> list[tuple[float, float]] | None:
        if bounds is None:
            return None
        known = {id(variable): pair for variable, pair in bounds.items()}
        packed: list[tuple[float, float]] = []
        for variable in self._vars:
            shape = variable.shape.as_list()
            low, high = (
                np.broadcast_to(limit, shape).ravel()
                for limit in known.get(id(variable), (-np.inf, np.inf))
            )
            packed += zip(low.tolist(), high.tolist(), strict=True)
        return packed

    def minimize(
        self,
        session: Any = None,
        feed_dict: dict[Any, Any] | None = None,
        fetches: Sequence[object] | None = None,
        step_callback: Callable[..., object] | None = None,
        loss_callback: Callable[..., object] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimises the loss; the variables then hold where it is least.

        Args:
            session: the session; the default one otherwise.
            feed_dict: values for placeholders, in all evaluations.
            fetches: what `loss_callback` gets.
            step_callback: gets all variables as one array after each step.
            loss_callback: gets the values of `fetches` at each evaluation of the loss.
            **run_kwargs: further arguments of `session.run`.
        """
        session = session or sessions.get_default_session()
        feeds = feed_dict or {}
        fetches = list(fetches or [])

        def evaluation(target: Any, gradient: _core.Tensor, calls_back: bool) -> Callable[..., Any]:
            def evaluate(x: Array) -> tuple[float, Array]:
                self._unpack(x, session)
                wanted = [target, gradient, *(fetches if calls_back else [])]
                value, slope, *rest = session.run(wanted, feeds, **run_kwargs)
                if calls_back and loss_callback is not None:
                    loss_callback(*rest)
                return np.float64(value), np.asarray(slope, np.float64)

            return evaluate

        evaluations = [
            evaluation(target, gradient, k == 0)
            for k, (target, gradient) in enumerate(self._packed)
        ]
        count = 1 + len(self._equalities)
        start = np.concatenate([np.ravel(value) for value in session.run(self._vars)])
        best = self._minimize(
            initial_val=start.astype(np.float64),
            loss_grad_func=evaluations[0],
            equality_funcs=evaluations[1:count],
            inequality_funcs=evaluations[count:],
            packed_bounds=self._bounds,
            step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs,
        )
        self._unpack(best, session)

    def _unpack(self, x: Array, session: Any) -> None:
        at = 0
        for variable in self._vars:
            size = variable.shape.num_elements()
            value = np.reshape(x[at : at + size], variable.shape.as_list())
            variable.load(value.astype(variable.dtype.as_numpy_dtype), session)
            at += size

    def _minimize(
        self,
        *,
        initial_val: Array,
        loss_grad_func: Callable[[Array], tuple[float, Array]],
        equality_funcs: Sequence[Callable[[Array], Array]],
        inequality_funcs: Sequence[Callable[[Array], Array]],
        packed_bounds: list[tuple[float, float]] | None,
        step_callback: Callable[..., object] | None,
        optimizer_kwargs: dict[str, Any],
    ) -> Array:
        """Where a function is least, by the functions that are defined; an array.

        Args:
            initial_val: where to begin, an array.
            loss_grad_func: takes an array; returns the loss and its gradient.
            equality_funcs: such functions that are to be zero.
            inequality_funcs: such functions that are not to be negative.
            packed_bounds: the least and largest value of each element.
            step_callback: gets the array after each step.
            optimizer_kwargs: those of the constructor.
        """
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass it.")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimises a loss of a graph by `scipy.optimize.minimize`, by default with L-BFGS-B.

    Arguments as those of `ExternalOptimizerInterface`; `method`, `options` and `tol` are SciPy's.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=[7.0, 7.0])
    ...     loss = tf.reduce_sum(tf.square(v - [1.0, 2.0]))
    ...     optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, options={"maxiter": 100})
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     optimizer.minimize(session)
    ...     session.run(v).round(3)
    array([1., 2.], dtype=float32)
    """

    def _minimize(
        self,
        *,
        initial_val: Array,
        loss_grad_func: Callable[[Array], tuple[float, Array]],
        equality_funcs: Sequence[Callable[[Array], Array]],
        inequality_funcs: Sequence[Callable[[Array], Array]],
        packed_bounds: list[tuple[float, float]] | None,
        step_callback: Callable[..., object] | None,
        optimizer_kwargs: dict[str, Any],
    ) -> Array:
        optimize = optional("scipy.optimize", "tf.contrib.opt.ScipyOptimizerInterface")
        chosen = dict(optimizer_kwargs)
        method = chosen.pop("method", "L-BFGS-B")
        constraints = [
            {"type": kind, "fun": lambda x, f=f: f(x)[0], "jac": lambda x, f=f: f(x)[1]}
            for kind, functions in (("eq", equality_funcs), ("ineq", inequality_funcs))
            for f in functions
        ]
        if constraints:
            chosen["constraints"] = constraints
        found = optimize.minimize(
            loss_grad_func,
            initial_val,
            jac=True,
            method=method,
            bounds=packed_bounds,
            callback=step_callback,
            **chosen,
        )
        return found.x

"""What all optimizers share: the learning rate, slots, clipping and `apply_gradients`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.indexed_slices import IndexedSlices
from eagerflow.tape import GradientTape
from eagerflow.variable import Variable

_ops = _core.ops


class Optimizer:
    """Base class of the optimizers; not to be used by itself.

    A subclass names its slots and applies one fused native update to all variables of a call.
    """

    def __init__(
        self,
        learning_rate: Any,
        name: str,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        given = [v for v in (clipnorm, clipvalue, global_clipnorm) if v is not None]
        if len(given) > 1:
            raise ValueError(
                "At most one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. "
                f"Received: clipnorm={clipnorm}, clipvalue={clipvalue}, "
                f"global_clipnorm={global_clipnorm}."
            )
        if given and given[0] < 0:
            raise ValueError(f"A clipping threshold must not be negative, got {given[0]}.")
        self.name = name
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.iterations = Variable(0, dtype=dtypes.int64, trainable=False, name="iteration")
        self._learning_rate = self._checked_rate(learning_rate)
        self._slots: dict[int, dict[str, Variable]] = {}
        self._variables: list[Variable] = []  # keeps the identities in _slots in use

    @staticmethod
    def _checked_rate(rate: Any) -> Any:
        if isinstance(rate, (int, float)):
            return Variable(
                float(rate), dtype=dtypes.float32, trainable=False, name="learning_rate"
            )
        return rate

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable, or what a schedule gives for the current iteration."""
        rate = self._learning_rate
        if callable(rate) and not isinstance(rate, Variable):
            try:
                return rate(self.iterations)
            except TypeError:  # a function of no arguments
                return rate()
        return rate

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if isinstance(self._learning_rate, Variable) and not callable(rate):
            self._learning_rate.assign(rate)
        else:
            self._learning_rate = self._checked_rate(rate)

    lr = learning_rate

    @property
    def variables(self) -> list[Variable]:
        """The optimizer's own variables: the iteration, the learning rate, and all slots."""
        own = [self.iterations]
        if isinstance(self._learning_rate, Variable):
            own.append(self._learning_rate)
        return own + [slot for slots in self._slots.values() for slot in slots.values()]

    def build(self, var_list: Iterable[Variable]) -> None:
        """Makes the slots of these variables, which `apply_gradients` does by itself."""
        for variable in var_list:
            self._slots_of(variable)

    def minimize(self, loss: Any, var_list: Any, tape: GradientTape | None = None) -> Variable:
        """Computes the gradients of a loss and applies them.

        Args:
            loss: a function without arguments that returns the loss, or, with `tape`, the loss.
            var_list: the variables to update, or a function that returns them.
            tape: the tape on which a loss that is a tensor was computed.

        Raises:
            ValueError: if `loss` is a tensor and there is no tape.
        """
        if not callable(loss) and tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        if callable(loss):
            tape = tape or GradientTape()
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        variables = list(var_list() if callable(var_list) else var_list)
        assert tape is not None
        return self.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Variable]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Variable:
        """Updates variables from their gradients, in place.

        Args:
            grads_and_vars: pairs of a gradient (a tensor, a `tf.IndexedSlices`, or None for a
                variable to be left alone) and its variable.
            name: ignored.
            skip_gradients_aggregation: ignored.
            **kwargs: ignored (older spellings of the same).

        Returns:
            The iteration, one higher now.

        Raises:
            ValueError: if there is no gradient at all.
            tf.errors.InvalidArgumentError: if a gradient does not fit its variable. Nothing is
                changed then.

        >>> v = tf.Variable([1.0, 2.0])
        >>> optimizer = tf.optimizers.SGD(0.5)
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
        >>> v.numpy()
        array([0.5, 1.5], dtype=float32)
        """
        pairs = list(grads_and_vars)
        gradients = []
        variables = []
        for gradient, variable in pairs:
            if gradient is not None:
                gradients.append(gradient)
                variables.append(variable)
        if not gradients:
            names = [variable.name for _, variable in pairs]
            raise ValueError(
                f"No gradients provided for any variable: {names}. Provided `grads_and_vars` is "
                f"{pairs}."
            )
        if len(gradients) < len(pairs):
            _warn_of_missing([v.name for g, v in pairs if g is None])
        gradients = [
            _dense(g) if isinstance(g, IndexedSlices) else _core.convert(g, None, v.dtype)
            for g, v in zip(gradients, variables, strict=True)
        ]
        gradients = self._clipped(gradients)
        slots = [self._slots_of(variable) for variable in variables]
        self._update(variables, gradients, slots, float(self.learning_rate))
        self.iterations.assign_add(1)
        return self.iterations

    def _clipped(self, gradients: list) -> list:
        if self.clipvalue is not None:
            limit = self.clipvalue
            return [_ops.clip_by_value(g, -limit, limit) for g in gradients]
        if self.clipnorm is not None:
            return [_scaled_to(g, _norm([g]), self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None:
            norm = _norm(gradients)
            return [_scaled_to(g, norm, self.global_clipnorm) for g in gradients]
        return gradients

    def _slots_of(self, variable: Variable) -> dict[str, Variable]:
        slots = self._slots.get(variable._id)
        if slots is None:
            slots = {}
            for slot_name, value in self._slot_values().items():
                initial = _ops.fill(_core.convert(value, variable.dtype, None), variable.shape)
                slots[slot_name] = Variable(
                    initial, trainable=False, name=f"{variable._name}/{slot_name}"
                )
            self._slots[variable._id] = slots
            self._variables.append(variable)
        return slots

    def _slot_values(self) -> dict[str, float]:
        """The slots each variable has, and what they hold at first."""
        return {}

    def _update(
        self, variables: list, gradients: list, slots: list[dict[str, Variable]], rate: float
    ) -> None:
        raise TypeError(f"{type(self).__name__} defines no update rule.")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        rate = self._learning_rate
        config: dict[str, Any] = {
            "name": self.name,
            "learning_rate": float(rate.numpy()) if isinstance(rate, Variable) else rate,
        }
        for key in ("clipnorm", "clipvalue", "global_clipnorm"):
            if getattr(self, key) is not None:
                config[key] = getattr(self, key)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Optimizer:
        """An optimizer from what `get_config` returned."""
        return cls(**config)


def apply_update(
    kind: str,
    variables: list,
    slots: list[list[Variable] | None],
    gradients: list,
    rate: float,
    **numbers: Any,
) -> None:
    """Runs one native update over all variables."""
    _core.apply_update(
        kind,
        variables,
        slots,
        gradients,
        (
            rate,
            numbers.get("momentum", 0.0),
            numbers.get("beta1", 0.0),
            numbers.get("beta2", 0.0),
            numbers.get("epsilon", 0.0),
            numbers.get("nesterov", False),
        ),
    )


def column(slots: list[dict[str, Variable]], name: str) -> list[Variable]:
    """One slot of every variable."""
    return [entry[name] for entry in slots]


def _dense(gradient: IndexedSlices) -> Any:
    return _core.convert(gradient, None, None)


def _norm(tensors: list) -> Any:
    total = _ops.reduce_sum(_ops.square(tensors[0]))
    for tensor in tensors[1:]:
        total = total + _ops.cast(_ops.reduce_sum(_ops.square(tensor)), total.dtype)
    return _ops.sqrt(total)


def _scaled_to(gradient: Any, norm: Any, limit: float) -> Any:
    """The gradient, shortened by the factor that brings `norm` down to `limit`."""
    factor = limit / max(float(norm), limit) if limit > 0 else 0.0
    return gradient * _core.convert(factor, gradient.dtype, None)


def _warn_of_missing(names: list[str]) -> None:
    import warnings

    warnings.warn(
        f"Gradients do not exist for variables {names} when minimizing the loss.", stacklevel=3
    )

"""What all optimizers share: the learning rate, slots, clipping and `apply_gradients`."""

from __future__ import annotations

import functools
import inspect
import struct
import warnings
from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.indexed_slices import IndexedSlices
from eagerflow.tape import GradientTape
from eagerflow.variable import Variable

_ops = _core.ops
_ONE = _core.convert(1, dtypes.int64, None)

Slots = dict[str, Variable]


class _Variables(list):
    """A list that older programs call: `optimizer.variables()`."""

    def __call__(self) -> _Variables:
        return self


class Optimizer:
    """Base class of the optimizers; not to be used by itself.

    A subclass names its slots and applies one fused native update to all variables of a call.

    Args:
        learning_rate: a number, a Variable, or a function of the iteration or of nothing.
        name: the optimizer's name.
        weight_decay: a fraction of each variable that is taken off at every step, times the
            learning rate.
        clipnorm: the largest norm a gradient may have.
        clipvalue: the largest absolute value an element of a gradient may have.
        global_clipnorm: the largest norm all gradients together may have.
        use_ema: whether to keep moving averages of the variables.
        ema_momentum: how much of the average stays at every step.
        ema_overwrite_frequency: after how many steps the variables take the averages' values, each
            time; None: only in `finalize_variable_values`.
        **kwargs: `lr` and `decay` of older programs; `decay` divides the learning rate by
            `1 + decay * iteration`. `jit_compile` and `is_legacy_optimizer` are ignored.

    Raises:
        ValueError: for more than one or a negative clipping threshold, and for an `ema_momentum`
            that is not in [0, 1].
        TypeError: for an argument that does not exist.
    """

    def __init__(
        self,
        learning_rate: Any,
        name: str,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        **kwargs: Any,
    ) -> None:
        learning_rate = kwargs.pop("lr", learning_rate)
        self._decay = float(kwargs.pop("decay", 0.0))
        kwargs.pop("jit_compile", None)
        kwargs.pop("is_legacy_optimizer", None)
        if kwargs:
            raise TypeError(
                f"{type(self).__name__} got unexpected arguments: {', '.join(sorted(kwargs))}."
            )
        _check_thresholds(clipnorm, clipvalue, global_clipnorm)
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
            )
        self.name = name
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.iterations = Variable(0, dtype=dtypes.int64, trainable=False, name="iteration")
        self._set_rate(learning_rate)
        self._slots: dict[int, Slots] = {}
        self._averages: dict[int, Variable] = {}
        self._variables: list[Variable] = []  # keeps the identities above in use

    def _set_rate(self, rate: Any) -> None:
        self._rate_takes_step = False
        if isinstance(rate, Variable):
            self._learning_rate: Any = rate
        elif callable(rate):
            self._learning_rate = rate
            self._rate_takes_step = _takes_an_argument(rate)
        else:
            value = _core.convert(rate, dtypes.float32, None)
            self._learning_rate = Variable(value, trainable=False, name="learning_rate")

    @property
    def learning_rate(self) -> Any:
        """The learning rate: a Variable, or what a schedule gives for the current iteration."""
        rate = self._learning_rate
        if isinstance(rate, Variable):
            return rate
        return rate(self.iterations) if self._rate_takes_step else rate()

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        if isinstance(self._learning_rate, Variable) and not callable(rate):
            self._learning_rate.assign(rate)
        else:
            self._set_rate(rate)

    lr = learning_rate

    @property
    def variables(self) -> _Variables:
        """The optimizer's own variables: the iteration, and all slots."""
        own: _Variables = _Variables([self.iterations])
        for variable in self._variables:
            own.extend(self._slots[variable._id].values())
            if variable._id in self._averages:
                own.append(self._averages[variable._id])
        return own

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
        return self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def compute_gradients(
        self, loss: Any, var_list: Any, tape: GradientTape | None = None
    ) -> list[tuple[Any, Variable]]:
        """The gradients of a loss, each with its variable; arguments as those of `minimize`."""
        if callable(loss):
            tape = tape or GradientTape()
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        elif tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        variables = list(var_list() if callable(var_list) else var_list)
        return list(zip(tape.gradient(loss, variables), variables, strict=True))

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
            ValueError: if there are variables but no gradient at all.
            tf.errors.InvalidArgumentError: if a gradient does not fit its variable. Nothing is
                changed then.

        >>> v = tf.Variable([1.0, 2.0])
        >>> optimizer = tf.optimizers.SGD(0.5)
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
        >>> v.numpy()
        array([0.5, 1.5], dtype=float32)
        """
        gradients = []
        variables = []
        slots = []
        missing = []
        sparse = False
        known = self._slots
        for gradient, variable in grads_and_vars:
            if gradient is None:
                missing.append(variable.name)
                continue
            if type(gradient) is not _core.Tensor:
                if isinstance(gradient, IndexedSlices):
                    sparse = True
                else:
                    gradient = _core.convert(gradient, None, variable.dtype)
            gradients.append(gradient)
            variables.append(variable)
            entry = known.get(variable._id)
            slots.append(self._slots_of(variable) if entry is None else entry)
        if not gradients:
            if not missing:
                return self.iterations
            raise ValueError(f"No gradients provided for any variable: {missing}.")
        if missing:
            warnings.warn(
                f"Gradients do not exist for variables {missing} when minimizing the loss.",
                stacklevel=2,
            )
        gradients = self._clipped(gradients)
        if sparse:
            gradients = [
                self._summed(g, v) if isinstance(g, IndexedSlices) else g
                for g, v in zip(gradients, variables, strict=True)
            ]
        rate = float(self.learning_rate)
        if self._decay:
            rate /= 1.0 + self._decay * int(self.iterations)
        if self.weight_decay:
            for variable in variables:
                variable.assign_sub(variable * (self.weight_decay * rate))
        self._update(variables, gradients, slots, rate)
        self.iterations.assign_add(_ONE)
        if self.use_ema:
            self._update_averages(variables)
        return self.iterations

    def _summed(self, gradient: IndexedSlices, variable: Variable) -> Any:
        """A sparse gradient as a tensor, or as rows and values where those are enough."""
        sparse = self._sparse(gradient)
        if sparse is not None:
            return sparse
        return _ops.unsorted_segment_sum(
            gradient.values, gradient.indices, num_segments=variable.shape[0]
        )

    def _sparse(self, gradient: IndexedSlices) -> tuple[Any, Any] | None:
        """Rows and values if the update leaves rows without a gradient as they are."""
        return None

    def _clipped(self, gradients: list) -> list:
        """The gradients after clipping; of sparse ones, the values count as they are."""
        if self.clipvalue is not None:
            limit = self.clipvalue
            return [_with(g, _ops.clip_by_value(_values(g), -limit, limit)) for g in gradients]
        if self.clipnorm is not None:
            return [_scaled_to(g, _norm([g]), self.clipnorm) for g in gradients]
        if self.global_clipnorm is not None:
            norm = _norm(gradients)
            return [_scaled_to(g, norm, self.global_clipnorm) for g in gradients]
        return gradients

    def _slots_of(self, variable: Variable) -> Slots:
        """The slots of a variable, made when they are first asked for."""
        slots = self._slots.get(variable._id)
        if slots is None:
            slots = {}
            for slot_name, value in self._slot_values().items():
                initial = _ops.fill(_core.convert(value, variable.dtype, None), variable.shape)
                slots[slot_name] = Variable(
                    initial, trainable=False, name=f"{slot_name}/{variable._name}"
                )
            if self.use_ema:
                self._averages[variable._id] = Variable(
                    variable.read_value(), trainable=False, name=f"average/{variable._name}"
                )
            self._slots[variable._id] = slots
            self._variables.append(variable)
        return slots

    def _slot_values(self) -> dict[str, float]:
        """The slots each variable has, and what they hold at first."""
        return {}

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], rate: float
    ) -> None:
        raise TypeError(f"{type(self).__name__} defines no update rule.")

    def _update_averages(self, variables: list[Variable]) -> None:
        for variable in variables:
            average = self._averages[variable._id]
            average.assign(average * self.ema_momentum + variable * (1 - self.ema_momentum))
        frequency = self.ema_overwrite_frequency
        if frequency and int(self.iterations) % frequency == 0:
            self.finalize_variable_values(variables)

    def finalize_variable_values(self, var_list: Iterable[Variable]) -> None:
        """Gives variables the values of their moving averages, if there are any."""
        for variable in var_list:
            average = self._averages.get(variable._id)
            if average is not None:
                variable.assign(average.read_value())

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an optimizer like this one."""
        rate = self._learning_rate
        config: dict[str, Any] = {
            "name": self.name,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "learning_rate": float(rate) if isinstance(rate, Variable) else rate,
        }
        if self._decay:
            config["decay"] = self._decay
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
    momentum: float = 0.0,
    beta1: float = 0.0,
    beta2: float = 0.0,
    epsilon: float = 0.0,
    nesterov: bool = False,
) -> None:
    """Runs one native update over all variables."""
    _core.apply_update(
        kind, variables, slots, gradients, (rate, momentum, beta1, beta2, epsilon, nesterov)
    )


_FLOAT32 = struct.Struct("f")


def rounded(number: float) -> float:
    """The nearest float32."""
    return _FLOAT32.unpack(_FLOAT32.pack(number))[0]


single = functools.lru_cache(rounded)


def column(slots: list[Slots], name: str) -> list[Variable]:
    """One slot of every variable."""
    return [entry[name] for entry in slots]


def _check_thresholds(*thresholds: float | None) -> None:
    given = [threshold for threshold in thresholds if threshold is not None]
    if len(given) > 1:
        clipnorm, clipvalue, global_clipnorm = thresholds
        raise ValueError(
            "At most one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. "
            f"Received: clipnorm={clipnorm}, clipvalue={clipvalue}, "
            f"global_clipnorm={global_clipnorm}."
        )
    if given and given[0] < 0:
        raise ValueError(f"A clipping threshold must not be negative, got {given[0]}.")


def _takes_an_argument(function: Any) -> bool:
    """Whether a function must be called with the iteration."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:  # a built-in function that does not say
        return False
    return False


def _values(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def _with(gradient: Any, values: Any) -> Any:
    """The gradient with other values."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def _norm(gradients: list) -> Any:
    squares = [_ops.reduce_sum(_ops.square(_values(g))) for g in gradients]
    total = squares[0]
    for square in squares[1:]:
        total = total + _ops.cast(square, total.dtype)
    return _ops.sqrt(total)


def _scaled_to(gradient: Any, norm: Any, limit: float | None) -> Any:
    """The gradient, shortened by the factor that brings `norm` down to `limit`."""
    factor = limit / max(float(norm), limit) if limit else 0.0
    values = _values(gradient)
    return _with(gradient, values * _core.convert(factor, values.dtype, None))

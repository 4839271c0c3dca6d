"""LossScaleOptimizer: prevents small float16 gradients from underflowing to zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.autodiff.tape import GradientTape
from eagerflow.checkpoint import trackable
from eagerflow.framework import distribution_state, dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras.optimizers import clipping
from eagerflow.keras.optimizers.optimizer import Optimizer, is_optimizer
from eagerflow.keras.typing import Config, CustomObjects, InitializerLike
from eagerflow.ops import control_flow
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
optimizers = lazy.Module("eagerflow.keras.optimizers")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ops = _core.ops
Tensor = _core.Tensor
# Attributes of every inner optimizer that are attributes of the wrapper, too.
_EXPOSED = frozenset(
    "name decay weight_decay clipnorm clipvalue global_clipnorm use_ema ema_momentum "
    "ema_overwrite_frequency jit_compile gradient_aggregator gradient_transformers "
    "get_updates get_gradients".split()
)
_INITIAL_SCALE = 2.0**15
_GROWTH_STEPS = 2000


def _all_finite(gradients: list) -> Tensor:
    finite = _core.as_tensor(True)
    for gradient in gradients:
        if gradient is not None:
            own = _ops.reduce_all(_ops.is_finite(clipping.values_of(gradient)))
            finite = _ops.logical_and(finite, own)
    return finite


def _check_strategy() -> None:
    name = distribution_state.strategy_without_scaled_losses()
    if name is not None:
        raise ValueError(
            f"Loss scaling is not supported with the tf.distribute.Strategy: {name}. Try using a "
            "different Strategy, e.g. a MirroredStrategy"
        )


class _DynamicScale(AutoTrackable):
    """The state of a scale that changes, as checkpoints and model files have it."""

    _saves_any_shape = True  # model files that Keras has written lack it

    def __init__(self, scale: Variable, counter: Variable) -> None:
        self.current_loss_scale, self.good_steps = scale, counter

    def save_own_variables(self, store: dict) -> None:
        """Puts the scale and the number of finite steps into a store."""
        store["0"], store["1"] = self.current_loss_scale.numpy(), self.good_steps.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Loads what `save_own_variables` stored."""
        self.current_loss_scale.assign(store["0"])
        self.good_steps.assign(store["1"])


class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer for a loss that is multiplied by a scale.

    When a gradient is not finite, a dynamic scale is halved and the step is skipped. After a
    number of steps with finite gradients, the scale is doubled.

    Args:
        inner_optimizer: the optimizer that updates the variables.
        dynamic: whether the scale changes.
        initial_scale: the initial scale; 32768 by default, required if it does not change.
        dynamic_growth_steps: the number of finite steps until the scale is doubled; 2000 by default.
        name: ignored: the name is that of `inner_optimizer`.

    Raises:
        TypeError: if `inner_optimizer` is no optimizer, or a `LossScaleOptimizer`.
        ValueError: for arguments that contradict `dynamic`, or in the scope of a strategy whose
            replicas do not see the same gradients.

    >>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.25))
    >>> v = tf.Variable(1.0)
    >>> with tf.GradientTape() as tape:
    ...     loss = optimizer.get_scaled_loss(v * v)
    >>> gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, [v]))
    >>> optimizer.apply_gradients(zip(gradients, [v]))
    >>> print(v.numpy())
    0.5
    """

    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        if not is_optimizer(inner_optimizer):
            raise TypeError(
                '"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer` or '
                f"`tf.keras.optimizers.experimental.Optimizer`, but got: {inner_optimizer}."
            )
        if not isinstance(dynamic, bool):
            raise TypeError(
                '"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: '
                f"{dynamic!r}"
            )
        if isinstance(inner_optimizer, LossScaleOptimizer):
            raise TypeError(
                "LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: "
                f"{inner_optimizer}"
            )
        if getattr(inner_optimizer, "_is_wrapped_by_loss_scale_optimizer", False):
            raise ValueError(
                '"inner_optimizer" is already wrapped by a LossScaleOptimizer. An optimizer can '
                "only be wrapped by a single LossScaleOptimizer"
            )
        if not dynamic:
            if initial_scale is None:
                raise ValueError('"initial_scale" must be specified if "dynamic" is False')
            if dynamic_growth_steps is not None:
                raise ValueError(
                    '"dynamic_growth_steps" must be None if "dynamic" is False, but got: '
                    f"{dynamic_growth_steps}"
                )
        _check_strategy()
        self._optimizer = inner_optimizer
        inner_optimizer._is_wrapped_by_loss_scale_optimizer = True
        self._dynamic = dynamic
        self._initial_scale = float(_INITIAL_SCALE if initial_scale is None else initial_scale)
        self._growth_steps = (
            _GROWTH_STEPS if dynamic_growth_steps is None else int(dynamic_growth_steps)
        )
        self._scale = variable_at_once(
            self._initial_scale, dtype=dtypes.float32, trainable=False, name="current_loss_scale"
        )
        self._counter = variable_at_once(0, dtype=dtypes.int64, trainable=False, name="good_steps")
        self._dynamic_scale = _DynamicScale(self._scale, self._counter) if dynamic else None
        self._loss_was_scaled = False
        self._gradients_were_unscaled = False

    @property
    def _same_node(self) -> Any:
        return self._optimizer

    def _checkpoint_children(self) -> dict[str, Any]:
        own = {"loss_scale": self._dynamic_scale} if self._dynamic else {}
        return trackable.children(self._optimizer) | own

    def _checkpoint_slots(self) -> list[tuple[Variable, str, Variable]]:
        return trackable.slots(self._optimizer)

    def _refuse_slots(self) -> None:
        self._optimizer._refuse_slots()

    def _state_parts(self) -> dict[str, Any]:
        """The state in model files other than the inner optimizer's variables."""
        return {} if self._dynamic_scale is None else {"loss_scale": self._dynamic_scale}

    def __getattr__(self, name: str) -> Any:
        if name != "_optimizer" and (name.startswith("_") or self._is_exposed(name)):
            return getattr(self._optimizer, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if "_optimizer" in self.__dict__ and self._is_exposed(name):
            setattr(self._optimizer, name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *vars(self._optimizer).get("_hyper", ())})

    def _is_exposed(self, name: str) -> bool:
        """Whether an attribute is read from the inner optimizer."""
        inner = self._optimizer
        return name in _EXPOSED or (
            name in vars(inner).get("_hyper", ()) and not hasattr(type(self), name)
        )

    @property
    def dynamic(self) -> bool:
        """Whether the scale changes."""
        return self._dynamic

    @property
    def loss_scale(self) -> Tensor:
        """The current scale, a float32 tensor."""
        return self._scale.read_value()

    @property
    def dynamic_counter(self) -> Any:
        """The number of finite steps since the scale changed; None if it is fixed."""
        return self._counter if self._dynamic else None

    @property
    def initial_scale(self) -> float:
        """The initial scale."""
        return self._initial_scale

    @property
    def dynamic_growth_steps(self) -> int | None:
        """The number of finite steps after which the scale is doubled; None if it is fixed."""
        return self._growth_steps if self._dynamic else None

    @property
    def inner_optimizer(self) -> Any:
        """The optimizer that updates the variables."""
        return self._optimizer

    def get_scaled_loss(self, loss: Any) -> Any:
        """A loss, or a function that returns it, times the scale."""
        self._loss_was_scaled = True
        if callable(loss):

            def scaled() -> Any:
                value = loss()
                return value * _ops.cast(self._scale, value.dtype)

            return scaled
        return loss * _ops.cast(self._scale, loss.dtype)

    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list:
        """The gradients of a scaled loss, divided by the scale."""
        self._gradients_were_unscaled = True
        factor = 1.0 / self._scale
        unscaled = []
        for gradient in grads:
            if gradient is not None:
                values = clipping.values_of(gradient)
                gradient = clipping.with_values(gradient, values * _ops.cast(factor, values.dtype))
            unscaled.append(gradient)
        return unscaled

    def compute_gradients(
        self, loss: Any, var_list: Any, tape: GradientTape | None = None, grad_loss: Any = None
    ) -> list[tuple[Any, Variable]]:
        """The gradients of a loss, computed from the scaled one; see `Optimizer`."""
        tape = GradientTape() if tape is None else tape
        with tape:
            loss = self.get_scaled_loss(loss)
        pairs = self._optimizer._compute_gradients(loss, var_list, grad_loss, tape)
        gradients = self.get_unscaled_gradients([gradient for gradient, _ in pairs])
        return [(g, variable) for g, (_, variable) in zip(gradients, pairs, strict=True)]

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Iterable[tuple[Any, Variable]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
        **kwargs: Any,
    ) -> None:
        """Updates variables from their gradients, unless one is not finite; see `Optimizer`."""
        _check_strategy()
        if not self._loss_was_scaled or not self._gradients_were_unscaled:
            calls = {
                "get_scaled_loss()": self._loss_was_scaled,
                "get_unscaled_gradients()": self._gradients_were_unscaled,
            }
            missing = [f"LossScaleOptimizer.{call}" for call, made in calls.items() if not made]
            logging.warning(
                f"You forgot to call {' and '.join(missing)} before calling "
                "LossScaleOptimizer.apply_gradients(). This will likely result in worse model "
                "quality."
            )
            self._loss_was_scaled = self._gradients_were_unscaled = True
        pairs = list(grads_and_vars)
        if experimental_aggregate_gradients and hasattr(self._optimizer, "_aggregate_gradients"):
            # What replicas have in common decides whether a step is taken.
            known = [pair for pair in pairs if pair[0] is not None]
            pairs = list(self._optimizer._aggregate_gradients(known)) if known else pairs
            kwargs["experimental_aggregate_gradients"] = False
        with eagerly():
            self._optimizer.build([variable for _, variable in pairs])
        if not self._dynamic:
            self._optimizer.apply_gradients(pairs, **kwargs)
            return
        finite = _all_finite([gradient for gradient, _ in pairs])
        self._note(finite)

        def apply() -> Tensor:
            # Optimizers of programs may return nothing.
            self._optimizer.apply_gradients(pairs, **kwargs)
            return self._optimizer.iterations.read_value()

        control_flow.cond(
            finite, apply, lambda: self._optimizer.iterations.assign_add(1).read_value()
        )

    def scale_loss(self, loss: Any) -> Any:
        """A loss times the scale; `apply` expects its gradients."""
        return self.get_scaled_loss(loss)

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Any] | None = None) -> None:
        """Updates variables from the gradients of a scaled loss, unless one is not finite."""
        super().apply(self.get_unscaled_gradients(grads), trainable_variables)

    def _note(self, finite: Tensor) -> None:
        """Adjusts the scale to whether the gradients of a step are finite."""
        scale, count = self._scale.read_value(), self._counter.read_value() + 1
        grown = _ops.greater_equal(count, self._growth_steps)
        zero = _ops.zeros_like(count)
        self._counter.assign(
            _ops.select(_ops.logical_and(finite, _ops.logical_not(grown)), count, zero)
        )
        doubled = scale * 2.0
        may_double = _ops.logical_and(grown, _ops.is_finite(doubled))
        kept = _ops.select(may_double, doubled, scale)
        self._scale.assign(_ops.select(finite, kept, _ops.maximum(scale / 2.0, 1.0)))

    @property
    def iterations(self) -> Variable:
        """The number of steps so far, skipped ones included."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        self._optimizer.iterations = variable

    @property
    def variables(self) -> Any:
        """The inner optimizer's variables."""
        return self._optimizer.variables

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's learning rate."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: Any) -> None:
        self._optimizer.learning_rate = rate

    lr = learning_rate

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """A slot of the inner optimizer."""
        return self._optimizer.get_slot(var, slot_name)

    def get_slot_names(self) -> list[str]:
        """The names of the inner optimizer's slots."""
        return self._optimizer.get_slot_names()

    def add_slot(
        self, var: Any, slot_name: str, initializer: InitializerLike = "zeros", shape: Any = None
    ) -> Any:
        """A slot of the inner optimizer; see there."""
        return self._optimizer.add_slot(var, slot_name, initializer, shape)

    def build(self, var_list: Iterable[Variable]) -> None:
        """Makes the inner optimizer's variables."""
        self._optimizer.build(var_list)

    def get_weights(self) -> list:
        """The values of the inner optimizer's variables."""
        return self._optimizer.get_weights()

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Assigns values to the inner optimizer's variables."""
        self._optimizer.set_weights(weights)

    def finalize_variable_values(self, var_list: Iterable[Variable]) -> None:
        """Assigns the moving averages to their variables, if there are averages."""
        self._optimizer.finalize_variable_values(var_list)

    def get_config(self) -> Config:
        """The arguments that make an optimizer like this one."""
        return {
            "inner_optimizer": optimizers.serialize(self._optimizer),
            "dynamic": self.dynamic,
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Optimizer:
        """An optimizer from what `get_config` returned."""
        config = dict(config)
        if "loss_scale" in config:
            config = _newer_config(config)
        inner = config.pop("inner_optimizer")
        if not is_optimizer(inner):
            inner = optimizers.deserialize(inner, custom_objects=custom_objects)
        return cls(inner, **config)


def _newer_config(config: Config) -> dict[str, Any]:
    """The configuration of TensorFlow 2.3 and before in today's form.

    Raises:
        ValueError: for any other kind of scale, or one that does not grow by the factor 2.
    """
    scale = config["loss_scale"]
    newer = {"inner_optimizer": config["optimizer"]}
    kind = scale.get("class_name") if isinstance(scale, dict) else None
    if kind not in ("FixedLossScale", "DynamicLossScale"):
        raise ValueError(
            "A configuration of a LossScaleOptimizer has a `loss_scale` that is neither a "
            f"FixedLossScale nor a DynamicLossScale: {scale}"
        )
    given = scale["config"]
    if kind == "FixedLossScale":
        return newer | {"dynamic": False, "initial_scale": given["loss_scale_value"]}
    if given.get("multiplier", 2) != 2:
        raise ValueError(
            "Cannot deserialize LossScaleOptimizer with a DynamicLossScale whose multiplier is not "
            f"2. Got DynamicLossScale: DynamicLossScale({given})"
        )
    return newer | {
        "dynamic": True,
        "initial_scale": given["initial_loss_scale"],
        "dynamic_growth_steps": given["increment_period"],
    }

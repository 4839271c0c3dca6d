"""Losses that are scaled for gradients in half precision, by version 1's optimizers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.trackable import Trackable
from eagerflow.graph.control_flow import cond
from eagerflow.graph.variables import make_variable
from eagerflow.keras.typing import Config
from eagerflow.ops.control_flow import control_dependencies, group, no_op
from eagerflow_compat.v1.optimizers import Optimizer

_ops = _core.ops


class LossScale(Trackable):
    """Base class of scales of losses; a subclass has `__call__`, `update` and `get_config`."""

    def __call__(self) -> _core.Tensor:
        """The scale, a scalar `float32`."""
        raise NotImplementedError

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Changes the scale by a step's gradients.

        Returns:
            The operation that does so, and whether the step is to be made.
        """
        raise NotImplementedError

    def get_config(self) -> Config:
        """The arguments of the constructor."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: Config) -> LossScale:
        """A scale with this configuration."""
        return cls(**config)


class FixedLossScale(LossScale):
    """A scale that stays.

    Args:
        loss_scale_value: the scale, at least 1.

    Raises:
        ValueError: for a smaller one.

    >>> tf.compat.v1.mixed_precision.FixedLossScale(8.0)().numpy()
    np.float32(8.0)
    """

    def __init__(self, loss_scale_value: float) -> None:
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._value = float(loss_scale_value)

    def __call__(self) -> _core.Tensor:
        return _core.convert(self._value, dtypes.float32, None)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Nothing changes, and every step is made."""
        return no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"

    def get_config(self) -> Config:
        """The arguments of the constructor."""
        return {"loss_scale_value": self._value}


class DynamicLossScale(LossScale):
    """A scale that grows after some steps, and shrinks where a gradient is not finite.

    Args:
        initial_loss_scale: the scale of the first step.
        increment_period: how many finite steps make it grow.
        multiplier: by what it is multiplied, and divided.

    >>> scale = tf.compat.v1.mixed_precision.DynamicLossScale(8, increment_period=2)
    >>> _, make_step = scale.update([tf.constant(float("inf"))])
    >>> bool(make_step), float(scale())
    (False, 4.0)
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = make_variable(
            self._initial_loss_scale,
            dtype=dtypes.float32,
            name="current_loss_scale",
            trainable=False,
        )
        self._num_good_steps = make_variable(
            0, dtype=dtypes.int64, name="good_steps", trainable=False
        )

    initial_loss_scale = property(lambda self: self._initial_loss_scale)
    increment_period = property(lambda self: self._increment_period)
    multiplier = property(lambda self: self._multiplier)

    def __call__(self) -> _core.Tensor:
        return _core.as_tensor(self._current_loss_scale)

    def update(self, grads: Any) -> tuple[Any, Any]:
        """See `LossScale.update`: steps are made whose gradients are all finite."""
        finite = _core.as_tensor(True)
        for gradient in nest.flatten(grads):
            if gradient is not None:
                values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
                finite = _ops.logical_and(finite, _ops.reduce_all(_ops.is_finite(values)))
        scale, steps = self(), _core.as_tensor(self._num_good_steps)

        def after_finite() -> tuple[_core.Tensor, _core.Tensor]:
            grows = _ops.greater_equal(steps + 1, self._increment_period)
            larger = scale * self._multiplier
            # A scale that is not finite any more would never come back.
            larger = _ops.select(_ops.is_finite(larger), larger, scale)
            return (
                _ops.select(grows, larger, scale),
                _ops.select(grows, _ops.zeros_like(steps), steps + 1),
            )

        def otherwise() -> tuple[_core.Tensor, _core.Tensor]:
            return _ops.maximum(scale / self._multiplier, 1.0), _ops.zeros_like(steps)

        new_scale, new_steps = cond(finite, after_finite, otherwise)
        # Both values are read before one of them changes.
        with control_dependencies([scale, steps]):
            updated = group(
                self._current_loss_scale.assign(new_scale), self._num_good_steps.assign(new_steps)
            )
        return updated, finite

    def __repr__(self) -> str:
        values = ""
        if context.executing_eagerly():
            values = (
                f"current_loss_scale={self._current_loss_scale.numpy()}, "
                f"num_good_steps={self._num_good_steps.numpy()}, "
            )
        return (
            f"DynamicLossScale({values}initial_loss_scale={self._initial_loss_scale}, "
            f"increment_period={self._increment_period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> Config:
        """The arguments of the constructor."""
        return {
            "initial_loss_scale": self._initial_loss_scale,
            "increment_period": self._increment_period,
            "multiplier": self._multiplier,
        }


def _loss_scale(given: Any) -> LossScale:
    if given == "dynamic":
        return DynamicLossScale()
    return given if isinstance(given, LossScale) else FixedLossScale(given)


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Another optimizer whose loss is scaled, and whose gradients are scaled back.

    Args:
        opt: one of version 1's optimizers.
        loss_scale: a `LossScale`, "dynamic" or a number.

    Raises:
        ValueError: if `opt` is no such optimizer.

    >>> v = tf.compat.v1.Variable(3.0)
    >>> descent = tf.compat.v1.train.GradientDescentOptimizer(0.5)
    >>> scaled = tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer(descent, 128)
    >>> _ = scaled.minimize(lambda: v * v)
    >>> v.numpy()
    np.float32(0.0)
    """

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(False, "MixedPrecisionLossScaleOptimizer")
        self._optimizer = opt
        self._loss_scale = _loss_scale(loss_scale)

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The gradients of the loss, as large as without a scale; see `Optimizer`."""
        scaled = (lambda: self._scaled(loss())) if callable(loss) else self._scaled(loss)
        pairs = self._optimizer.compute_gradients(scaled, *args, **kwargs)
        return [(None if g is None else self._unscaled(g), v) for g, v in pairs]

    def _scaled(self, loss: Any) -> Any:
        return loss * _ops.cast(self._loss_scale(), loss.dtype)

    def _unscaled(self, gradient: Any) -> Any:
        reciprocal = 1 / self._loss_scale()
        if isinstance(gradient, IndexedSlices):
            values = gradient.values * _ops.cast(reciprocal, gradient.dtype)
            return IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient * _ops.cast(reciprocal, gradient.dtype)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: Any = None
    ) -> Any:
        """Makes the step if all gradients are finite, and changes the scale; see `Optimizer`."""
        pairs = list(grads_and_vars)
        updated, make_step = self._loss_scale.update([gradient for gradient, _ in pairs])
        if make_step is True:
            return self._optimizer.apply_gradients(pairs, global_step, name)

        def step() -> Any:
            return group(self._optimizer.apply_gradients(pairs, global_step, name))

        return group(cond(make_step, step, no_op), updated, name=name)

    def variables(self) -> list[Any]:
        """The variables of the other optimizer."""
        return self._optimizer.variables()


def enable_mixed_precision_graph_rewrite(opt: Optimizer, loss_scale: Any = "dynamic") -> Any:
    """An optimizer with a scaled loss. Graphs run as they are written: there is no half precision.

    Args:
        opt: one of version 1's optimizers.
        loss_scale: a `LossScale`, "dynamic" or a number.

    Raises:
        ValueError: if `opt` is no such optimizer, or its loss is scaled already.
    """
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(f'"opt" must not already be an instance of a {type(opt).__name__}.')
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite() -> None:
    """Does nothing: graphs run as they are written."""

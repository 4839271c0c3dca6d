"""Activations as layers."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import activations
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import FunctionLayer, sizes_of
from eagerflow.keras.typing import Config, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops import reduction
from eagerflow.typing import Axes

_ops = _core.ops


class _Elementwise(FunctionLayer):
    """A layer whose result has the shape of its input."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Activation(_Elementwise):
    """Applies a function.

    Args:
        activation: the function, or its name in `tf.keras.activations`.

    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return self.activation(inputs)


class ReLU(_Elementwise):
    """max(x, 0), with an optional slope below a threshold and an optional bound.

    Args:
        max_value: the largest value of the result; None for no bound.
        negative_slope: the slope below the threshold.
        threshold: where the identity begins.

    Raises:
        ValueError: if an argument is negative.

    >>> tf.keras.layers.ReLU(max_value=1.0)([-3.0, -1.0, 0.5, 2.0]).numpy()
    array([0. , 0. , 0.5, 1. ], dtype=float32)
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.0:
            raise ValueError(
                f"max_value of a ReLU layer cannot be a negative value. Received: {max_value}"
            )
        self.max_value = None if max_value is None else float(max_value)
        for argument, value in (("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0.0:
                raise ValueError(
                    f"{argument} of a ReLU layer cannot be a negative value. Received: {value}"
                )
        self.negative_slope = float(negative_slope)
        self.threshold = float(threshold)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        slope, most, threshold = self.negative_slope, self.max_value, self.threshold
        dtype = getattr(inputs, "dtype", None)
        if dtype is not None and dtype.is_integer and (threshold or most is not None):
            # Bounds and slope of integers are integers; only a slope by itself gives floats.
            slope, threshold = int(slope), int(threshold)
            most = None if most is None else int(most)
        return activations.relu(inputs, alpha=slope, max_value=most, threshold=threshold)


class LeakyReLU(_Elementwise):
    """x where it is positive, else alpha * x (Maas et al., 2013).

    Args:
        alpha: the slope for negative inputs.

    Raises:
        ValueError: if `alpha` is None.

    >>> tf.keras.layers.LeakyReLU(0.5)([-2.0, 2.0]).numpy()
    array([-1.,  2.], dtype=float32)
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        if "negative_slope" in kwargs:
            alpha = kwargs.pop("negative_slope")
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError(
                "The alpha value of a Leaky ReLU layer cannot be None, Expecting a float. "
                f"Received: {alpha}"
            )
        self.alpha = float(alpha)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return activations.relu(inputs, alpha=self.alpha)


class ELU(_Elementwise):
    """x where it is positive, else alpha * (exp(x) - 1) (Clevert et al., 2015).

    Args:
        alpha: the bound for negative inputs.

    Raises:
        ValueError: if `alpha` is None.

    >>> tf.keras.layers.ELU()([0.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError(
                f"Alpha of an ELU layer cannot be None, expecting a float. Received: {alpha}"
            )
        self.alpha = float(alpha)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return activations.elu(inputs, self.alpha)


class ThresholdedReLU(_Elementwise):
    """x where it is above theta, else 0 (Konda et al., 2014).

    Args:
        theta: the threshold.

    Raises:
        ValueError: if `theta` is None or negative.

    >>> tf.keras.layers.ThresholdedReLU(1.0)([0.5, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if theta is None:
            raise ValueError(
                "Theta of a Thresholded ReLU layer cannot be None, expecting a float. "
                f"Received: {theta}"
            )
        if theta < 0:
            raise ValueError(
                f"The theta value of a Thresholded ReLU layer should be >=0. Received: {theta}"
            )
        self.theta = float(theta)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        above = _ops.greater(inputs, self.theta)
        return _ops.multiply(inputs, _ops.cast(above, self._compute_dtype_object))


class PReLU(_Elementwise):
    """x where it is positive, else alpha * x with a learned alpha (He et al., 2015).

    Args:
        alpha_initializer: for the slopes.
        alpha_regularizer: adds a loss for the slopes.
        alpha_constraint: is applied to the slopes after each step of an optimizer.
        shared_axes: axes along which the slope is the same, counted from 1.

    >>> tf.keras.layers.PReLU("ones", shared_axes=[1])(tf.constant([[-1.0, 2.0]])).numpy()
    array([[-1.,  2.]], dtype=float32)
    """

    def __init__(
        self,
        alpha_initializer: InitializerLike = "zeros",
        alpha_regularizer: RegularizerLike = None,
        alpha_constraint: ConstraintLike = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        resolve_arguments(self, locals())
        if shared_axes is not None and not isinstance(shared_axes, (list, tuple)):
            shared_axes = [shared_axes]
        self.shared_axes = None if shared_axes is None else list(shared_axes)

    def build(self, input_shape: Any) -> None:
        sizes = sizes_of(input_shape)
        slopes = sizes[1:]
        for axis in self.shared_axes or ():
            slopes[axis - 1] = 1
        self.alpha = self.add_weight(
            shape=slopes,
            name="alpha",
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        shared = self.shared_axes or ()
        axes = {axis: sizes[axis] for axis in range(1, len(sizes)) if axis not in shared}
        self.input_spec = InputSpec(ndim=len(sizes), axes=axes)
        Layer.build(self, input_shape)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        negative = _ops.multiply(_ops.negative(self.alpha), _ops.relu(_ops.negative(inputs)))
        return _ops.add(_ops.relu(inputs), negative)


class Softmax(_Elementwise):
    """exp(x) / sum(exp(x)) along one or several axes.

    Args:
        axis: the axis, or a list of axes over which the sum goes.
        robust_masking: whether masked elements become exactly zero.

    A call takes `mask`, a bool tensor of the input's shape, False for elements to ignore.

    >>> tf.keras.layers.Softmax()([[1.0, 1.0]]).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """

    _composite_call = "last axis"

    _unsaved_arguments = frozenset({"robust_masking"})

    def __init__(self, axis: Axes = -1, robust_masking: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.robust_masking = robust_masking

    def call(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> _core.Tensor:
        if mask is not None:
            low = -65504.0 if inputs.dtype.name == "float16" else -1e9
            if self.robust_masking:
                if mask.dtype is not dtypes.bool:
                    mask = _ops.greater(mask, _ops.cast(0.5, mask.dtype))
                inputs = _ops.select(mask, inputs, _ops.cast(low, inputs.dtype))
            else:
                hidden = _ops.subtract(1.0, _ops.cast(mask, inputs.dtype))
                inputs = _ops.add(inputs, _ops.multiply(hidden, low))
        if not isinstance(self.axis, (list, tuple)):
            return activations.softmax(inputs, axis=self.axis)
        if len(self.axis) == 1:
            return activations.softmax(inputs, axis=self.axis[0])
        return _ops.exp(
            _ops.subtract(inputs, reduction.reduce_logsumexp(inputs, axis=self.axis, keepdims=True))
        )

    def get_config(self) -> Config:
        config = super().get_config()
        if self.robust_masking:
            config["robust_masking"] = True
        return config

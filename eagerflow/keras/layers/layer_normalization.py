"""Normalization with the mean and variance of each example."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import FunctionLayer, axes_of, sizes_of
from eagerflow.keras.typing import ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops.linalg import products as linalg
from eagerflow.ops.nn.normalization import batch_normalization, weighted_moments
from eagerflow.typing import Axes, ShapeLike

_ops = _core.ops
_HALF = (dtypes.float16, dtypes.bfloat16)


class _Normalization(FunctionLayer):
    """The base of normalizations with gamma and beta."""

    def _set(self, axis: Any, epsilon: float, center: bool, scale: bool) -> None:
        self.axis: Any = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.supports_masking = True

    def _add_weights(self, shape: ShapeLike, autocast: bool = True) -> None:
        self.gamma = self.beta = None
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                weight = self.add_weight(
                    name=name,
                    shape=shape,
                    initializer=getattr(self, f"{name}_initializer"),
                    regularizer=getattr(self, f"{name}_regularizer"),
                    constraint=getattr(self, f"{name}_constraint"),
                    trainable=True,
                    autocast=autocast,
                )
                setattr(self, name, weight)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class LayerNormalization(_Normalization):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over axes of each example (Ba, 2016).

    Args:
        axis: the axis, or a list of axes, over which mean and variance go.
        epsilon: keeps the divisor from zero.
        center: whether beta is added.
        scale: whether the result is multiplied by gamma.
        beta_initializer: for beta, of the sizes of these axes.
        gamma_initializer: for gamma.
        beta_regularizer: adds a loss for beta.
        gamma_regularizer: adds a loss for gamma.
        beta_constraint: is applied to beta after each step of an optimizer.
        gamma_constraint: is applied to gamma after each step.

    Raises:
        TypeError: if `axis` is no number or list.
        ValueError: if it is out of range.

    >>> layer = tf.keras.layers.LayerNormalization()
    >>> layer(tf.constant([[1.0, 3.0], [10.0, 30.0]])).numpy().round(2)
    array([[-1.,  1.],
           [-1.,  1.]], dtype=float32)
    """

    _composite_call = "values"

    def __init__(
        self,
        axis: Axes = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                "Expected an int or a list/tuple of ints for the argument 'axis', but received: "
                f"{axis!r}"
            )
        super().__init__(**kwargs)
        self._set(axis, epsilon, center, scale)
        resolve_arguments(self, locals())

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape)
        if not shape.rank:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}")
        rank = shape.rank
        self.axis = axes_of(self.axis, rank)
        sizes = [shape[axis] for axis in self.axis]
        self._add_weights(sizes, autocast=False)
        # Weights of the last axes, in order, broadcast without a reshape.
        last = self.axis == list(range(rank - len(self.axis), rank))
        broadcast_shape = [1] * rank
        for axis, size in zip(self.axis, sizes, strict=True):
            broadcast_shape[axis] = size
        self._broadcast_shape = None if last else broadcast_shape
        self._native = last and (self.dtype or "float32") in ("float32", "float64")
        Layer.build(self, input_shape)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        inputs = self._in_compute_dtype(inputs)
        dtype = inputs.dtype
        if self._native and (dtype in _HALF or dtype.name == self.dtype):
            return self._call_native(inputs)
        x = _ops.cast(inputs, dtypes.float32) if dtype in _HALF else inputs
        mean = _ops.reduce_mean(x, self.axis, True)
        centered = _ops.subtract(x, mean)
        variance = _ops.reduce_mean(_ops.square(centered), self.axis, True)
        outputs = _ops.multiply(centered, _ops.rsqrt(_ops.add(variance, self.epsilon)))
        gamma: Any = self.gamma
        beta: Any = self.beta
        if self._broadcast_shape is not None:
            gamma = None if gamma is None else _ops.reshape(gamma, self._broadcast_shape)
            beta = None if beta is None else _ops.reshape(beta, self._broadcast_shape)
        if gamma is not None:
            outputs = _ops.multiply(outputs, _as(gamma, x.dtype))
        if beta is not None:
            outputs = _ops.add(outputs, _as(beta, x.dtype))
        return outputs if x is inputs else _ops.cast(outputs, dtype)

    def _call_native(self, inputs: _core.Tensor) -> _core.Tensor:
        """The fused operation, for the last axes."""
        gamma, beta = self.gamma, self.beta
        if gamma is None or beta is None:
            sizes = inputs._sizes()[-len(self.axis) :]
            gamma = _ops.ones(sizes, self.dtype or inputs.dtype) if gamma is None else gamma
            beta = _ops.zeros(sizes, self.dtype or inputs.dtype) if beta is None else beta
        return _ops.layer_norm(inputs, gamma, beta, self.epsilon)[0]


def _as(value: Any, dtype: dtypes.DType) -> Any:
    return value if value.dtype is dtype else _ops.cast(value, dtype)


class GroupNormalization(_Normalization):
    """Layer normalization of groups of channels (Wu and He, 2018).

    Args:
        groups: into how many groups the channels are divided; -1 for one each.
        axis: the channels' axis.
        epsilon: keeps the divisor from zero.
        center: whether beta is added.
        scale: whether the result is multiplied by gamma.
        beta_initializer: for beta `[channels]`.
        gamma_initializer: for gamma.
        beta_regularizer: adds a loss for beta.
        gamma_regularizer: adds a loss for gamma.
        beta_constraint: is applied to beta after each step of an optimizer.
        gamma_constraint: is applied to gamma after each step.

    A call takes `mask`, False for elements that mean and variance ignore.

    Raises:
        ValueError: if the channels cannot be divided.

    >>> tf.keras.layers.GroupNormalization(2)(tf.ones([3, 5, 5, 4])).shape
    TensorShape([3, 5, 5, 4])
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set(axis, epsilon, center, scale)
        resolve_arguments(self, locals())
        self.groups = groups

    def build(self, input_shape: Any) -> None:
        sizes = sizes_of(input_shape)
        axes_of(self.axis, len(sizes))
        channels = sizes[self.axis]
        if channels is None:
            raise ValueError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer "
                f"received an input with shape {input_shape}."
            )
        if self.groups == -1:
            self.groups = channels
        if channels < self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) cannot be more than the number of channels "
                f"({channels})."
            )
        if channels % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels "
                f"({channels})."
            )
        self.input_spec = InputSpec(ndim=len(sizes), axes={self.axis: channels})
        self._add_weights((channels,))
        self._group_axis = self.axis % len(sizes)
        each = channels // self.groups
        self._broadcast_shape = [1] * (len(sizes) + 1)
        self._broadcast_shape[self._group_axis : self._group_axis + 2] = [self.groups, each]
        Layer.build(self, input_shape)

    def _grouped(self, x: _core.Tensor) -> _core.Tensor:
        sizes = list(x._sizes())
        axis = self._group_axis
        sizes[axis : axis + 1] = self._broadcast_shape[axis : axis + 2]
        return _ops.reshape(x, sizes)

    def call(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> _core.Tensor:
        shape = inputs._sizes()
        x = self._grouped(inputs)
        axes = [axis for axis in range(1, x.ndim) if axis != self._group_axis]
        if mask is None:
            mean = _ops.reduce_mean(x, axes, True)
            variance = _ops.reduce_mean(_ops.squared_difference(x, mean), axes, True)
        else:
            counted = self._grouped(_ops.broadcast_to(mask, shape))
            weights = _ops.cast(counted, x.dtype)
            mean, variance = weighted_moments(x, axes, weights, keepdims=True)
        gamma = None if self.gamma is None else _ops.reshape(self.gamma, self._broadcast_shape)
        beta = None if self.beta is None else _ops.reshape(self.beta, self._broadcast_shape)
        outputs = batch_normalization(x, mean, variance, beta, gamma, self.epsilon)
        return _ops.reshape(outputs, shape)


class UnitNormalization(FunctionLayer):
    """Scales examples to euclidean norm one along axes.

    Args:
        axis: the axis, or a list of axes.

    Raises:
        TypeError: if `axis` is no number or list.
        ValueError: if it is out of range.

    >>> tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]])).numpy()
    array([[0.6, 0.8]], dtype=float32)
    """

    def __init__(self, axis: Axes = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                "Invalid value for `axis` argument: expected an int or a list/tuple of ints. "
                f"Received: axis={axis}"
            )
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        axes_of(self.axis, len(sizes_of(input_shape)))
        Layer.build(self, input_shape)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return linalg.l2_normalize(self._in_compute_dtype(inputs), axis=self.axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

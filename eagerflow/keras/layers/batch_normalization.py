"""Normalization with the mean and variance of the batch."""

from __future__ import annotations

import functools
import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import distribution_state, dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import by_training, resolved
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import FunctionLayer, axes_of, overrides
from eagerflow.keras.layers.batch_renormalization import Renormalization
from eagerflow.keras.typing import Config, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops.nn.normalization import weighted_moments
from eagerflow.typing import Axes, ShapeLike
from eagerflow.util.program_warnings import warn

_ops = _core.ops
_Tensor = _core.Tensor
_VARIANT = ("renorm", "renorm_clipping", "renorm_momentum", "virtual_batch_size", "adjustment")
_HALF = (dtypes.float16, dtypes.bfloat16)


def _correction(count: Any, dtype: dtypes.DType) -> _Tensor:
    """Bessel's correction for a count that is not known before the graph runs."""
    count = _ops.cast(count, dtype)
    return _ops.divide_real(count, _ops.maximum(_ops.subtract(count, 1), 1))


class BatchNormalization(Renormalization, FunctionLayer):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta (Ioffe and Szegedy, 2015).

    In training, mean and variance are those of the batch, which update the moving averages that are
    used otherwise. A layer that is not trainable always uses the averages.

    Args:
        axis: the axis of the features, or a list of axes.
        momentum: how much of the averages stays at each step.
        epsilon: keeps the divisor from zero.
        center: whether beta is added.
        scale: whether the result is multiplied by gamma.
        beta_initializer: for beta.
        gamma_initializer: for gamma.
        moving_mean_initializer: for the average of the means.
        moving_variance_initializer: for the average of the variances.
        beta_regularizer: adds a loss for beta.
        gamma_regularizer: adds a loss for gamma.
        beta_constraint: is applied to beta after each step of an optimizer.
        gamma_constraint: is applied to gamma after each step.
        synchronized: whether means and variances are those of all replicas of a strategy together.
        **kwargs: `name`, `dtype`, …; `fused=False` keeps the variance of images uncorrected;
            `renorm=True` corrects batches by averages (Ioffe, 2017), with `renorm_momentum` and
            the limits `rmax`, `rmin` and `dmax` in `renorm_clipping`; `virtual_batch_size` is the
            size of parts that are normalized each by itself; `adjustment` is a function of the
            inputs' shape, and returns what the normalized values of training are multiplied by, and
            what is added to them, before gamma and beta.

    Raises:
        TypeError: if `axis` is no number or list.
        ValueError: if it is out of range.

    >>> layer = tf.keras.layers.BatchNormalization()
    >>> y = layer(tf.constant([[1.0], [3.0]]), training=True)
    >>> y.numpy().round(2)
    array([[-1.],
           [ 1.]], dtype=float32)
    >>> [weight.name for weight in layer.non_trainable_weights]
    ['batch_normalization/moving_mean:0', 'batch_normalization/moving_variance:0']
    """

    _always_synchronized = False
    _unsaved_arguments = frozenset({"synchronized"})

    def __init__(
        self,
        axis: Axes = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        moving_mean_initializer: InitializerLike = "zeros",
        moving_variance_initializer: InitializerLike = "ones",
        beta_regularizer: RegularizerLike = None,
        gamma_regularizer: RegularizerLike = None,
        beta_constraint: ConstraintLike = None,
        gamma_constraint: ConstraintLike = None,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        fused = kwargs.pop("fused", None)
        synchronized = synchronized or self._always_synchronized
        variant = {name: kwargs.pop(name) for name in _VARIANT if name in kwargs}
        super().__init__(**kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                "Expected an int or a list/tuple of ints for the argument 'axis', but received: "
                f"{axis!r}"
            )
        if synchronized and fused:
            raise ValueError("`fused=True` is not supported when `synchronized=True`.")
        self._set_variant(variant, fused)
        self.axis: Any = axis if isinstance(axis, int) else list(axis)
        self.synchronized = synchronized
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        resolve_arguments(self, locals())
        self.supports_masking = True
        separate = synchronized or (isinstance(axis, list | tuple) and len(axis) > 1)
        self.fused = False if separate and fused is None else fused

    @property
    def _param_dtype(self) -> str:
        dtype = self.dtype or "float32"
        return "float32" if dtype in ("float16", "bfloat16") else dtype

    def _is_fused(self, rank: int) -> bool:
        """Whether TensorFlow takes its fused operation, which corrects the average's variance."""
        single = len(self.axis) == 1 and self.axis[0] in (1, rank - 1)
        possible = rank in (4, 5) and single and self.compute_dtype != "float64"
        possible = possible and not self._is_variant
        if self.fused and not possible:
            raise ValueError(
                "Passing `fused=True` is only supported when axis is 1 or 3 for input rank = 4 or "
                f"1 or 4 for input rank = 5. Got axis {self.axis} and rank {rank}"
            )
        return possible if self.fused is None else bool(self.fused)

    def _weight(
        self, name: str, shape: ShapeLike, trainable: bool = True, initializer: Any = None
    ) -> Any:
        return self.add_weight(
            name=name,
            shape=shape,
            dtype=self._param_dtype,
            initializer=initializer or getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer", None),
            constraint=getattr(self, f"{name}_constraint", None),
            trainable=trainable,
            autocast=False,
            synchronization=VariableSynchronization.AUTO
            if trainable
            else VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.NONE if trainable else VariableAggregation.MEAN,
        )

    def build(self, input_shape: ShapeLike) -> None:
        shape = TensorShape(input_shape)
        if not shape.rank:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}.")
        rank = shape.rank
        self.axis = axes_of(self.axis, rank)
        sizes = {axis: shape[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(
                "Input has undefined `axis` dimension. Received input with shape "
                f"{tuple(shape.as_list())} and axis={tuple(self.axis)}"
            )
        self.fused = self._is_fused(rank)
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        virtual = self.virtual_batch_size is not None
        if virtual:
            if 0 in sizes:
                raise ValueError(
                    "When using `virtual_batch_size`, the batch dimension must be 0 and thus axis "
                    f"cannot include 0. Received axis={self.axis}"
                )
            # The parts of the batch are a second axis.
            rank += 1
            self.axis = [axis + 1 for axis in self.axis]
            sizes = {axis + 1: size for axis, size in sizes.items()}
        broadcast_shape = [sizes.get(axis, 1) for axis in range(rank)]
        weights = [*sizes.values()] if len(sizes) == 1 and not virtual else broadcast_shape
        self.gamma = self._weight("gamma", weights) if self.scale else None
        self.beta = self._weight("beta", weights) if self.center else None
        self.moving_mean = self._weight("moving_mean", weights, trainable=False)
        self.moving_variance = self._weight("moving_variance", weights, trainable=False)
        self._build_variant(weights)
        self._reduced = [
            axis for axis in range(rank) if axis not in sizes and not (virtual and axis == 1)
        ]
        # Vectors broadcast without a reshape along the last axis only.
        self._keep = len(sizes) > 1 or virtual
        self._broadcast_shape = None if self.axis == [rank - 1] or self._keep else broadcast_shape
        exact = self.dtype == "float64" or self.compute_dtype != "float64"
        native = len(sizes) == 1 and exact and not self._is_variant
        self._channel: Any = self.axis[0] if native else None
        Layer.build(self, input_shape)

    def _get_training_value(self, training: Any = None) -> Any:
        """Whether a call uses the statistics of its batch; subclasses override it."""
        if training is None and process.graphs_used:
            training = resolved(training)
        return training if self.trainable else False

    def call(self, inputs: _Tensor, training: Any = None, mask: _Tensor | None = None) -> _Tensor:
        if overrides(self, BatchNormalization, "_get_training_value"):
            training = self._get_training_value(training)
        if training is None and process.graphs_used:
            training = resolved(training)
        if isinstance(training, _Tensor):
            compute = functools.partial(BatchNormalization.call, self, inputs, mask=mask)
            return by_training(training, lambda on: compute(training=on))
        inputs = self._in_compute_dtype(inputs)
        native = self._channel is not None and (mask is None or self.fused)
        if native and not self._is_joined() and (self.fused or not self._has_own_moments()):
            return self._call_native(inputs, training, mask)
        dtype = inputs.dtype
        x = _ops.cast(inputs, dtypes.float32) if dtype in _HALF else inputs
        if self._is_variant:
            outputs = self._call_variant(x, training, mask)
        else:
            if training and self.trainable:
                mean, variance = self._moments(x, self._reduced, self._keep, mask=mask)
                self._move(x, mean, variance)
            else:
                mean, variance = self.moving_mean, self.moving_variance
            outputs = self._normalized(x, mean, variance, self.gamma, self.beta)
        return outputs if x is inputs else _ops.cast(outputs, dtype)

    def _normalized(self, x: _Tensor, mean: _Tensor, variance: Any, gamma: Any, beta: Any) -> Any:
        """gamma * (x - mean) / sqrt(variance + epsilon) + beta."""
        factor = _ops.rsqrt(_ops.add(variance, self.epsilon))
        if gamma is not None:
            factor = _ops.multiply(factor, gamma)
        shift = _ops.multiply(mean, factor)
        shift = _ops.negative(shift) if beta is None else _ops.subtract(beta, shift)
        if self._broadcast_shape is not None:
            factor = _ops.reshape(factor, self._broadcast_shape)
            shift = _ops.reshape(shift, self._broadcast_shape)
        return _ops.add(_ops.multiply(x, factor), shift)

    def _call_native(self, x: _Tensor, training: bool | _Tensor, mask: _Tensor | None) -> _Tensor:
        """The fused operation, for one axis of features and no mask."""
        gamma, beta = self.gamma, self.beta
        if gamma is None:
            gamma = _ops.ones_like(self.moving_mean)
        if beta is None:
            beta = _ops.zeros_like(self.moving_mean)
        if not (training and self.trainable):
            mean, variance = self.moving_mean, self.moving_variance
            return _ops.batch_norm_inference(
                x, gamma, beta, mean, variance, self.epsilon, self._channel
            )
        if mask is not None:
            self._warn_of_mask()
        outputs, mean, variance, _ = _ops.batch_norm(x, gamma, beta, self.epsilon, self._channel)
        self._move(x, mean, variance)
        return outputs

    @staticmethod
    def _warn_of_mask() -> None:
        warn(
            "Masking is not supported with `fused=True`. You should either turn off "
            "fusing (`fused=False`) or you should not pass a `mask` argument when calling "
            "the layer. For the moment `mask` will be ignored for the normalization."
        )

    def _is_joined(self) -> bool:
        """Whether statistics are of several replicas."""
        return (
            self.synchronized
            and distribution_state.num_replicas() > 1
            and distribution_state.replica_context() is not None
        )

    def _joined_moments(self, x: _Tensor) -> tuple[Any, Any]:
        """Mean and variance of the batches of all replicas."""
        count = _ops.cast(self._count(x), x.dtype)
        total = _ops.reduce_sum(x, self._reduced, self._keep)
        squares = _ops.reduce_sum(_ops.square(x), self._reduced, self._keep)
        total, squares, count = distribution_state.replica_context().all_reduce(
            "SUM", [total, squares, count]
        )
        mean = total / count
        return mean, squares / count - _ops.square(mean)

    def _has_own_moments(self) -> bool:
        """Whether a subclass has a method in place of one that takes part in an unfused step."""
        names = "_moments _calculate_mean_and_var _assign_moving_average"
        return overrides(self, BatchNormalization, names)

    def _moments(
        self, inputs: _Tensor, reduction_axes: Any, keep_dims: bool, mask: Any = None
    ) -> tuple[Any, Any]:
        """Mean and variance of a batch, where it is not fused; subclasses override it."""
        return self._calculate_mean_and_var(inputs, reduction_axes, keep_dims, mask=mask)

    def _calculate_mean_and_var(
        self, inputs: _Tensor, reduction_axes: Any, keep_dims: bool, mask: Any = None
    ) -> tuple[Any, Any]:
        """Mean and variance of a batch, or of those of all replicas.

        Args:
            inputs: the batch.
            reduction_axes: the axes that are averaged over.
            keep_dims: whether these axes stay, with a size of one.
            mask: which elements count.
        """
        axes = list(reduction_axes)
        if mask is None and self._is_joined():
            return self._joined_moments(inputs)
        if mask is not None:
            weights = _ops.cast(mask, inputs.dtype)
            for _ in range(inputs.ndim - weights.ndim):
                weights = _ops.expand_dims(weights, -1)
            return weighted_moments(inputs, axes, weights, keepdims=keep_dims)
        mean = _ops.reduce_mean(inputs, axes, True)
        distance = _ops.squared_difference(inputs, mean)
        variance = _ops.reduce_mean(distance, axes, keep_dims)
        if not keep_dims:
            mean = _ops.reshape(mean, variance._sizes())
        return mean, variance

    def _move(self, x: _Tensor, mean: _Tensor, variance: Any) -> None:
        """Moves the averages towards the mean and the variance of a batch."""
        if self.fused:
            count = self._count(x)
            known = type(count) is int
            correction = count / max(count - 1, 1) if known else _correction(count, variance.dtype)
            variance = _ops.multiply(variance, correction)
        averages = [
            (self.moving_mean, mean, self.momentum),
            (self.moving_variance, variance, self.momentum),
        ]
        if not self.fused and overrides(self, BatchNormalization, "_assign_moving_average"):
            for average, value, momentum in averages:
                self._assign_moving_average(average, value, momentum, x._size)
            return
        self._average(x, averages)

    def _assign_moving_average(
        self, variable: Any, value: Any, momentum: Any, inputs_size: Any
    ) -> None:
        """Moves an average towards the value of a batch; subclasses override it.

        Args:
            variable: the average.
            value: the batch's.
            momentum: how much of the average stays.
            inputs_size: the number of elements of the batch, or None; none of them moves nothing.
        """
        if inputs_size is None or not isinstance(inputs_size, int) or inputs_size:
            value = _ops.stop_gradient(value)
            self._subtract(variable, _ops.multiply(_ops.subtract(variable, value), 1.0 - momentum))

    @property
    def _param_shape(self) -> Any:
        """The shape of the averages."""
        return tuple(self.moving_mean.shape.as_list())

    def _count(self, x: Any) -> Any:
        """How many elements a mean is of."""
        sizes = x._sizes()
        return math.prod(sizes[axis] for axis in range(len(sizes)) if axis in self._reduced)

    def _average(self, x: Any, averages: list[tuple[Any, Any, float]]) -> None:
        """Moves averages towards values of a batch; an empty one moves nothing.

        Args:
            x: the batch.
            averages: variables, values, and how much of the variable stays.
        """
        count = x._size
        is_empty: Any = None
        if count is None:
            is_empty = _ops.equal(self._count(x), 0)
        elif not count:
            return
        for average, value, momentum in averages:
            step: Any = 1.0 - momentum
            value = _ops.stop_gradient(value)
            if is_empty is not None:
                zero, step = (_core.convert(x, value.dtype, None) for x in (0.0, step))
                step = _ops.select(is_empty, zero, step)
                value = _ops.select(is_empty, _ops.zeros_like(value), value)
            self._subtract(average, _ops.multiply(_ops.subtract(average, value), step))

    def _subtract(self, average: Any, amount: _Tensor) -> None:
        average.assign_sub(amount)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> Config:
        config = super().get_config()
        if self.synchronized:
            config["synchronized"] = True
        return config | self._variant_config()


class SyncBatchNormalization(BatchNormalization):
    """`BatchNormalization(synchronized=True)`, under its first name.

    >>> tf.keras.layers.experimental.SyncBatchNormalization().synchronized
    True
    """

    _always_synchronized = True

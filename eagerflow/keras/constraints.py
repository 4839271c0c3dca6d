"""Constraints: projections of weights onto permitted values."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import config as defaults
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.saving.namespaces import get_instance, serialize_instance
from eagerflow.keras.saving.serialization import deserialize_as
from eagerflow.keras.typing import Config, ConstraintLike, CustomObjects
from eagerflow.ops import norms
from eagerflow.ops.array import pad
from eagerflow.typing import Axes
from eagerflow.util import lazy

_ops = _core.ops


class Constraint:
    """The base class of constraints: functions that project a weight's value.

    >>> class NonNegative(tf.keras.constraints.Constraint):
    ...     def __call__(self, w):
    ...         return tf.maximum(w, 0.0)
    >>> NonNegative()(tf.constant([-1.0, 1.0])).numpy()
    array([0., 1.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        """The nearest value that is allowed."""
        raise NotImplementedError(f"{type(self).__name__} does not define `__call__()`.")

    def get_config(self) -> dict[str, float]:
        """The arguments that make a constraint like this one."""
        return arguments_config(self, Constraint)

    @classmethod
    def from_config(cls, config: Config) -> Constraint:
        """A constraint from what `get_config` returned."""
        return cls(**config)


def _norms(w: Any, axis: Axes) -> tuple[Any, _core.Tensor, _core.Tensor, _core.Tensor]:
    """A weight, times a power of two, its norms, these times the same, and both with epsilon."""
    w = _core.as_tensor(w)
    norm, length, inverse = norms.scaled_norm(w, axis, keepdims=True)
    return w * inverse, norm, length, defaults.epsilon() * inverse + length


class MaxNorm(Constraint):
    """Scales down vectors that are longer than a limit.

    Args:
        max_value: the limit.
        axis: along which a vector lies.

    >>> tf.keras.constraints.MaxNorm(1.0)(tf.constant([[3.0], [4.0]])).numpy().round(3).tolist()
    [[0.6000000238418579], [0.800000011920929]]
    """

    def __init__(self, max_value: float = 2, axis: Axes = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weight with vectors of at most the limit's length."""
        scaled, norm, _, divisor = _norms(w, self.axis)
        return scaled * (_ops.clip_by_value(norm, 0.0, float(self.max_value)) / divisor)


class NonNeg(Constraint):
    """Makes negative weights zero.

    >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 1.0])).numpy() + 0.0
    array([0., 1.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        """The weight without negative values."""
        return w * _ops.cast(_ops.greater_equal(w, 0.0), w.dtype)


class UnitNorm(Constraint):
    """Scales vectors to length one.

    Args:
        axis: along which a vector lies.
    """

    def __init__(self, axis: Axes = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weight with vectors of length one."""
        scaled, _, _, divisor = _norms(w, self.axis)
        return scaled / divisor


class MinMaxNorm(Constraint):
    """Scales vectors to a length between two limits.

    Args:
        min_value: the lower limit.
        max_value: the upper limit.
        rate: how far a vector goes towards the limit, from 0 to 1.
        axis: along which a vector lies.
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Axes = 0
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weight with vectors of an allowed length."""
        scaled, norm, length, divisor = _norms(w, self.axis)
        limited = _ops.clip_by_value(norm, float(self.min_value), float(self.max_value))
        projected = scaled * (self.rate * limited / divisor)
        if self.rate == 1:
            return projected
        return projected + w * ((1 - self.rate) * length / divisor)


class RadialConstraint(Constraint):
    """Makes square kernels `[rows, columns, inputs, outputs]` depend on the radius alone.

    Rings of pixels around the centre take the values of pixels on the diagonal, from the one before
    the centre on.
    """

    def __call__(self, w: Any) -> Any:
        """The kernel with rings of equal values."""
        shape = tuple(w.shape)
        if len(shape) != 4:
            raise ValueError(
                f"The weight tensor must have rank 4. Received weight tensor with shape: {shape}"
            )
        height, width, channels, kernels = shape
        flat = _ops.reshape(w, [height, width, channels * kernels])
        planes = [self._radial(plane) for plane in _ops.unstack(_ops.transpose(flat, [2, 0, 1]))]
        return _ops.reshape(_ops.stack(planes, axis=-1), [height, width, channels, kernels])

    @staticmethod
    def _radial(plane: _core.Tensor) -> _core.Tensor:
        size = plane._shape_tuple()[0]
        middle, even = size // 2, int(size % 2 == 0)
        rings = _ops.broadcast_to(plane[middle - 1, middle - 1], [1 + even, 1 + even])
        for ring in range(middle + even, 2 * middle):
            value = float(plane[ring, ring])
            rings = pad(rings, [[1, 1], [1, 1]], "CONSTANT", constant_values=value)
        return rings


max_norm = MaxNorm
min_max_norm = MinMaxNorm
non_neg = NonNeg
radial_constraint = RadialConstraint
unit_norm = UnitNorm
maxnorm = MaxNorm
nonneg = NonNeg
unitnorm = UnitNorm

_NAMES: dict[str, Any] = {
    name: value
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Constraint)
}


def serialize(constraint: ConstraintLike, use_legacy_format: bool = False) -> Any:
    """A constraint as plain values."""
    return serialize_instance(constraint, use_legacy_format)


def deserialize(
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The constraint that `serialize` described."""
    return deserialize_as("constraint", config, custom_objects, names=_NAMES)


def get(identifier: object) -> Any:
    """The constraint meant by a name, a configuration, or a function.

    Raises:
        ValueError: if there is none.

    >>> type(tf.keras.constraints.get("non_neg")).__name__
    'NonNeg'
    """
    return get_instance(identifier, deserialize, "constraint function")


__dir__ = lazy.listing(__name__)

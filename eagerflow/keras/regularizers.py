"""Regularizers: loss terms for the size of weights or activations."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.keras import config as defaults
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.saving.namespaces import get_instance, serialize_instance
from eagerflow.keras.saving.serialization import deserialize_as
from eagerflow.keras.typing import Config, CustomObjects, RegularizerLike
from eagerflow.ops.linalg.products import l2_normalize
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

_ops = _core.ops


def _checked(factor: Any) -> Any:
    """A factor, rounded to the float type."""
    if factor is not None:
        numeric = isinstance(factor, int | float) or hasattr(factor, "dtype")
        if not numeric or isinstance(factor, bool) or math.isnan(factor) or math.isinf(factor):
            raise ValueError(
                f"Invalid value for regularization factor: {factor}. It must be a finite number."
            )
        return float(defaults.defaults.float_dtype.as_numpy_dtype(float(factor)))
    return factor


class Regularizer:
    """The base of regularizers: called with a tensor, they return a scalar.

    >>> class Mean(tf.keras.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return tf.reduce_mean(x)
    >>> layer = tf.keras.layers.Dense(1, kernel_regularizer=Mean(), kernel_initializer="ones")
    >>> _ = layer(tf.ones([1, 2]))
    >>> layer.losses[0].numpy()
    np.float32(1.0)
    """

    def __call__(self, x: Any) -> Any:
        """The penalty of a tensor."""
        return 0.0

    @classmethod
    def from_config(cls, config: Config) -> Regularizer:
        """A regularizer from what `get_config` returned."""
        return cls(**config)

    def get_config(self) -> dict[str, float]:
        """The arguments that make a regularizer like this one.

        Raises:
            NotImplementedError: for a program's own class that does not override it.
        """
        config = arguments_config(self, Regularizer)
        if not config:
            raise NotImplementedError(f"{self} does not implement get_config()")
        return config


class L1L2(Regularizer):
    """`l1 * sum(|x|) + l2 * sum(x²)`.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.

    >>> tf.keras.regularizers.L1L2(0.5, 0.1)(tf.constant([1.0, -2.0])).numpy()
    np.float32(2.0)
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1 = _checked(0.0 if l1 is None else l1)
        self.l2 = _checked(0.0 if l2 is None else l2)

    def __call__(self, x: Any) -> Any:
        """The penalty of a tensor."""
        total = _core.convert(0.0, x.dtype, None)
        if self.l1:
            total = total + self.l1 * _ops.reduce_sum(_ops.abs(x))
        if self.l2:
            total = total + 2.0 * self.l2 * _ops.l2_loss(x)
        return total


class L1(Regularizer):
    """`l1 * sum(|x|)`.

    Args:
        l1: the factor.
        **kwargs: `l` is an alias of `l1`.

    >>> tf.keras.regularizers.L1(0.5)(tf.constant([1.0, -2.0])).numpy()
    np.float32(1.5)
    """

    def __init__(self, l1: float = 0.01, **kwargs: Any) -> None:
        l1 = kwargs.pop("l", l1)
        if kwargs:
            raise TypeError(f"Argument(s) not recognized: {kwargs}")
        self.l1 = _checked(0.01 if l1 is None else l1)

    def __call__(self, x: TensorLike) -> Any:
        """The penalty of a tensor."""
        return self.l1 * _ops.reduce_sum(_ops.abs(x))


class L2(Regularizer):
    """`l2 * sum(x²)`.

    Args:
        l2: the factor.
        **kwargs: `l` is an alias of `l2`.

    >>> tf.keras.regularizers.L2(0.5)(tf.constant([1.0, -2.0])).numpy()
    np.float32(2.5)
    """

    def __init__(self, l2: float = 0.01, **kwargs: Any) -> None:
        l2 = kwargs.pop("l", l2)
        if kwargs:
            raise TypeError(f"Argument(s) not recognized: {kwargs}")
        self.l2 = _checked(0.01 if l2 is None else l2)

    def __call__(self, x: TensorLike) -> Any:
        """The penalty of a tensor."""
        return 2.0 * self.l2 * _ops.l2_loss(x)


class OrthogonalRegularizer(Regularizer):
    """Punishes rows or columns of a matrix that are not orthogonal to each other.

    Args:
        factor: multiplies the mean of the absolute dot products of different vectors.
        mode: "rows" or "columns".

    Raises:
        ValueError: for another mode.
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor = factor
        if mode not in ("rows", "columns"):
            raise ValueError(
                'Invalid value for argument `mode`. Expected one of {"rows", "columns"}. '
                f"Received: mode={mode}"
            )
        self.mode = mode

    def __call__(self, inputs: Any) -> Any:
        """The penalty of a matrix."""
        matrix = _core.as_tensor(inputs)
        if matrix.ndim != 2:
            raise ValueError(
                "Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape="
                f"{matrix.shape}"
            )
        by_rows = self.mode == "rows"
        units = l2_normalize(matrix, axis=1 if by_rows else 0)
        products = _ops.matmul(units, units, transpose_a=not by_rows, transpose_b=by_rows)
        count = matrix._shape_tuple()[0 if by_rows else 1]
        others = products * (1.0 - _ops.eye(count, dtype=products.dtype))
        pairs = count * (count - 1.0) / 2.0
        return self.factor * 0.5 * _ops.reduce_sum(_ops.abs(others)) / pairs


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """A regularizer of both kinds, see `L1L2`."""
    return L1L2(l1=l1, l2=l2)


l1 = L1
l2 = L2
orthogonal_regularizer = OrthogonalRegularizer

_NAMES: dict[str, Any] = {
    "L1L2": L1L2,
    "L1": L1,
    "L2": L2,
    "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1": L1,
    "l2": L2,
    "l1_l2": l1_l2,
    "orthogonal_regularizer": OrthogonalRegularizer,
}


def serialize(regularizer: RegularizerLike, use_legacy_format: bool = False) -> Any:
    """A regularizer as plain values."""
    return serialize_instance(regularizer, use_legacy_format)


def deserialize(
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The regularizer that `serialize` described."""
    if config == "l1_l2":
        return L1L2(l1=0.01, l2=0.01)
    return deserialize_as("regularizer", config, custom_objects, names=_NAMES)


def get(identifier: object) -> Any:
    """The regularizer meant by a name, a configuration, or a function.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.regularizers.get("l2").get_config()
    {'l2': 0.009999999776482582}
    """
    return get_instance(identifier, deserialize, "regularizer")


__dir__ = lazy.listing(__name__)

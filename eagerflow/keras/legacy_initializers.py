"""Initializers whose constructors accept a dtype, with wider distributions by default.

They are version 1's; configurations of feature columns and of older models still name them.
"""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import initializers as keras
from eagerflow.keras.random_generator import RandomGenerator
from eagerflow.ops import conversion
from eagerflow.util import lazy
from eagerflow.util.declarations import define, parameter_names

# Imported when it is first used: few programs need it.
random = lazy.Module("eagerflow.random")


def refresh(initializer: Any) -> None:
    """Has an initializer without a seed draw other values next time, as version 1's do."""
    unseeded = getattr(initializer, "seed", 0) is None
    if unseeded and getattr(initializer, "_random_generator", None) is not None:
        initializer._random_generator = RandomGenerator(None, "legacy_stateful")
        initializer._used = False


class _Version1:
    """Accepts `dtype` in the constructor, and `partition_info` in calls."""

    dtype: Any = dtypes.float32
    seed: int | None = None
    _random_generator: RandomGenerator | None = None
    _used = False

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        """Values of a shape."""
        result_dtype = dtypes.as_dtype(self.dtype if dtype is None else dtype)
        if self._random_generator is not None:
            # Drawn by `tf.random`'s functions, whose streams go on from call to call.
            self._random_generator = RandomGenerator(self.seed, "legacy_stateful")
            self._used = False
        return super().__call__(shape, dtype=result_dtype, **kwargs)  # type: ignore[misc]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an initializer like this one."""
        config = super().get_config()  # type: ignore[misc]
        return {**config, "dtype": dtypes.as_dtype(self.dtype).name}


def _initializer(base: Any, parameters: str, doc: str) -> Any:
    """An initializer of Keras with version 1's parameters, which end with `dtype`."""
    names = parameter_names(f"__init__({parameters})")
    initialize = define(
        f"__init__(self, {parameters}{', ' if parameters else ''}dtype=dtypes.float32)",
        [f"_base.__init__(self, {', '.join(names)})", "self.dtype = dtype"],
        __name__,
        None,
        _base=base,
        dtypes=dtypes,
    )
    members = {"__init__": initialize, "__module__": __name__, "__doc__": doc}
    return type(base.__name__, (_Version1, base), members)


Zeros = _initializer(keras.Zeros, "", "Zeros.")
Ones = _initializer(keras.Ones, "", "Ones.")
Identity = _initializer(keras.Identity, "gain=1.0", "The identity matrix.")
Orthogonal = _initializer(keras.Orthogonal, "gain=1.0, seed=None", "A random orthogonal matrix.")
RandomNormal = _initializer(
    keras.RandomNormal, "mean=0.0, stddev=1.0, seed=None", "Normal random values."
)
TruncatedNormal = _initializer(
    keras.TruncatedNormal,
    "mean=0.0, stddev=1.0, seed=None",
    "Normal random values within two standard deviations.",
)
GlorotUniform = _initializer(
    keras.GlorotUniform, "seed=None", "Uniform random values of Glorot and Bengio's variance."
)
GlorotNormal = _initializer(
    keras.GlorotNormal, "seed=None", "Normal random values of Glorot and Bengio's variance."
)


class Constant(_Version1, keras.Constant):
    """A constant, or an array of constants."""

    _unsaved_arguments = frozenset({"verify_shape"})  # Keras's initializer has none

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        super().__init__(value)
        self.dtype = dtype
        self.verify_shape = verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        """Values of a shape."""
        tensor = _core.strengthened(
            conversion.constant(self.value, self.dtype if dtype is None else dtype)
        )
        return tensor if shape is None else conversion.padded(tensor, shape)


class RandomUniform(_Version1, keras.RandomUniform):
    """Uniform random values in [minval, maxval), 0 and 1 by default."""

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__(minval, 1.0 if maxval is None else maxval, seed)
        self.dtype = dtype


class UniformUnitScaling(_Version1, keras.Initializer):
    """Uniform random values that keep the variance of the layer's input.

    Their limit is `factor * sqrt(3 / n)`, n the product of all sizes but the last.

    Args:
        factor: is multiplied with the limit; 1.43 fits relu.
        seed: makes the values reproducible.
        dtype: the element type.
    """

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        self.factor, self.seed, self.dtype = factor, seed, dtype

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, **kwargs: Any
    ) -> Any:
        """Values of a shape."""
        whole = shape if partition_info is None else partition_info.full_shape
        limit = self.factor * math.sqrt(3.0 / max(1, math.prod(list(whole)[:-1])))
        dtype = self.dtype if dtype is None else dtype
        return random.uniform(shape, -limit, limit, dtype, self.seed)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


class VarianceScaling(_Version1, keras.VarianceScaling):
    """Random values whose variance is scaled by the shape.

    Args:
        scale: is multiplied with the variance.
        mode: "fan_in", "fan_out" or "fan_avg": the size that scales the variance.
        distribution: "truncated_normal" (also called "normal"), "untruncated_normal" or "uniform".
        seed: makes the values reproducible.
        dtype: the element type.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        distribution = "truncated_normal" if distribution == "normal" else distribution
        super().__init__(scale, mode, distribution, seed)
        self.dtype = dtype

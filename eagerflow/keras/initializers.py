"""Initializers: the first values of weights, the same as Keras's for a given seed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import config
from eagerflow.keras.random_generator import RandomGenerator
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.saving.namespaces import get_instance, serialize_instance
from eagerflow.keras.saving.serialization import deserialize_as, deserialize_keras_object
from eagerflow.keras.typing import Config, CustomObjects, InitializerLike
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow.util import lazy
from eagerflow.util.optional import optional
from eagerflow.util.program_warnings import warn

# Imported when it is first used: few programs need it.
conversion = lazy.Module("eagerflow.ops.conversion")
linalg = lazy.Module("eagerflow.linalg")

_ops = _core.ops
_ALLOWED = ("partition_shape", "partition_offset", "layout")


class Initializer:
    """The base of initializers: called with a shape and a dtype, they return a tensor.

    >>> class Twos(tf.keras.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None, **kwargs):
    ...         return tf.fill(shape, 2.0)
    >>> tf.keras.layers.Dense(1, kernel_initializer=Twos())(tf.ones([1, 3])).numpy()
    array([[6.]], dtype=float32)
    """

    _random_generator: RandomGenerator | None = None
    _takes_partitions = True
    _used = False

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """A tensor of the shape and dtype; the default float type if there is none."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, float | None]:
        """The arguments that make an initializer like this one."""
        return arguments_config(self, Initializer)

    @classmethod
    def from_config(cls, config: Config) -> Initializer:
        """An initializer from what `get_config` returned."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)

    def _generator_for(self, seed: int | None) -> RandomGenerator:
        return RandomGenerator(seed, "stateless")

    def _warn_reuse(self) -> None:
        if self._used and getattr(self, "seed", None) is None:
            warn(
                f"The initializer {type(self).__name__} is unseeded and being called multiple "
                "times, which will return identical values each time (even if the initializer is "
                "unseeded). Please update your code to provide a seed to the initializer, or "
                "avoid using the same initializer instance more than once."
            )
        self._used = True

    def _arguments(
        self, shape: Any, dtype: Any, kwargs: dict[str, Any], kinds: str = "float"
    ) -> tuple[list[int], Any, int | None]:
        """The shape as a list, the dtype, and a nonce that distinguishes partitions."""
        _check_options(kwargs)
        if not self._takes_partitions and kwargs.keys() & {"partition_shape", "partition_offset"}:
            raise ValueError(
                f"{type(self).__name__} initializer doesn't support partition-related arguments."
            )
        dtype = config.float_dtype(dtype)
        if kinds == "float" and not dtype.is_floating:
            raise ValueError(f"Expected floating point type, got {dtype}.")
        shape = kwargs.get("partition_shape", shape)
        offset = kwargs.get("partition_offset")
        if not offset:
            self._warn_reuse()
        if hasattr(shape, "as_list"):
            shape = shape.as_list()
        return list(shape), dtype, hash(tuple(offset)) if offset else None


def _check_options(kwargs: dict[str, Any]) -> None:
    """Refuses options that initializers do not have."""
    unknown = [key for key in kwargs if key not in _ALLOWED]
    if unknown:
        raise TypeError(
            f"Unknown keyword arguments: {unknown}. Allowed keyword arguments: {_ALLOWED}."
        )


class Zeros(Initializer):
    """Zeros of any type; of strings, empty ones.

    >>> tf.keras.initializers.Zeros()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Zeros of the shape and dtype."""
        _check_options(kwargs)
        dtype = config.float_dtype(dtype)
        if not dtype.is_numpy_compatible or dtype is dtypes.string:
            raise ValueError(f"Expected numeric or boolean dtype, got {dtype}.")
        return _ops.zeros(kwargs.get("partition_shape", shape), dtype)


class Ones(Initializer):
    """Ones of any numeric type.

    >>> tf.keras.initializers.Ones()([2]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Ones of the shape and dtype."""
        _check_options(kwargs)
        dtype = config.float_dtype(dtype)
        if not dtype.is_numpy_compatible or dtype is dtypes.string:
            raise ValueError(f"Expected numeric or boolean dtype, got {dtype}.")
        return _ops.ones(kwargs.get("partition_shape", shape), dtype)


class Constant(Initializer):
    """One value, or an array whose elements fill the shape.

    Args:
        value: a scalar, or an array with as many elements as the weight.

    >>> tf.keras.initializers.Constant(3.0)([2]).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value: Any = 0) -> None:
        self.value = value

    @classmethod
    def from_config(cls, config: Config) -> Initializer:
        """An initializer from what `get_config` returned; arrays come as dictionaries."""
        value = config.get("value")
        if isinstance(value, dict):
            config = dict(config, value=deserialize_keras_object(value))
        return super().from_config(config)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The value in the shape and dtype."""
        _check_options(kwargs)
        shape = kwargs.get("partition_shape", shape)
        return conversion.constant(self.value, dtype=config.float_dtype(dtype), shape=shape)


class RandomUniform(Initializer):
    """Values from a uniform distribution.

    Args:
        minval: the lower bound, included.
        maxval: the upper bound, excluded.
        seed: an integer; the same seed gives the same values.

    >>> tf.keras.initializers.RandomUniform(seed=1)([2]).numpy().round(4)
    array([ 0.0378, -0.004 ], dtype=float32)
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self._random_generator = self._generator_for(seed)

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """Random values of the shape and a floating or integer dtype."""
        shape, dtype, nonce = self._arguments(shape, dtype, kwargs, "number")
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Expected float or integer dtype, got {dtype}.")
        assert self._random_generator is not None
        return self._random_generator.random_uniform(shape, self.minval, self.maxval, dtype, nonce)


class _Normal(Initializer):
    """The base of the normal distributions."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self._random_generator = self._generator_for(seed)


class RandomNormal(_Normal):
    """Values from a normal distribution.

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: an integer; the same seed gives the same values.
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """Random values of the shape and a floating dtype."""
        shape, dtype, nonce = self._arguments(shape, dtype, kwargs)
        assert self._random_generator is not None
        return self._random_generator.random_normal(shape, self.mean, self.stddev, dtype, nonce)


class TruncatedNormal(_Normal):
    """Values from a normal distribution that is truncated at two standard deviations.

    Args:
        mean: the mean of the whole distribution.
        stddev: the standard deviation of the whole distribution.
        seed: an integer; the same seed gives the same values.
    """

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """Random values of the shape and a floating dtype."""
        shape, dtype, nonce = self._arguments(shape, dtype, kwargs)
        assert self._random_generator is not None
        return self._random_generator.truncated_normal(shape, self.mean, self.stddev, dtype, nonce)


# The standard deviation of a standard normal distribution that is truncated at two.
_TRUNCATED_STDDEV = 0.87962566103423978
_DISTRIBUTIONS = {"uniform", "truncated_normal", "untruncated_normal"}
_MODES = {"fan_in", "fan_out", "fan_avg"}


def compute_fans(shape: Any) -> tuple[int, int]:
    """The number of inputs and outputs of a unit of a layer whose weight has this shape."""
    sizes = [int(size) for size in shape]
    if len(sizes) < 2:
        size = sizes[0] if sizes else 1
        return size, size
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class VarianceScaling(Initializer):
    """Random values of variance `scale / n`, where `n` depends on the shape of the weights.

    Args:
        scale: positive.
        mode: "fan_in" counts a unit's inputs, "fan_out" its outputs, "fan_avg" their mean.
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: an integer; the same seed gives the same values.

    Raises:
        ValueError: for other values.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive float. Received: scale={scale}.")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of the {_MODES}.")
        distribution = distribution.lower()
        if distribution == "normal":
            distribution = "truncated_normal"
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. "
                f"Allowed distributions: {_DISTRIBUTIONS}."
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self._random_generator = self._generator_for(seed)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """Random values of the shape and a floating dtype."""
        shape, dtype, nonce = self._arguments(shape, dtype, kwargs)
        fan_in, fan_out = compute_fans(shape)
        counts = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}
        variance = self.scale / max(1.0, counts[self.mode])
        generator = self._random_generator
        assert generator is not None
        if self.distribution == "truncated_normal":
            stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
            return generator.truncated_normal(shape, 0.0, stddev, dtype, nonce)
        if self.distribution == "untruncated_normal":
            return generator.random_normal(shape, 0.0, math.sqrt(variance), dtype, nonce)
        limit = math.sqrt(3.0 * variance)
        return generator.random_uniform(shape, -limit, limit, dtype, nonce)


class _SeededScaling(VarianceScaling):
    """A `VarianceScaling` with a fixed scale, mode and distribution."""

    _scale = 1.0
    _mode = "fan_in"
    _distribution = "truncated_normal"

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(self._scale, self._mode, self._distribution, seed)


class GlorotUniform(_SeededScaling):
    """Uniform values up to sqrt(6 / (inputs + outputs)); Glorot and Bengio (AISTATS 2010).

    Args:
        seed: an integer; the same seed gives the same values.

    >>> tf.keras.initializers.GlorotUniform(seed=3)([2, 3]).numpy()[0].round(4)
    array([-0.6662,  0.9626,  0.0707], dtype=float32)
    """

    _mode = "fan_avg"
    _distribution = "uniform"


class GlorotNormal(_SeededScaling):
    """Normal values of variance 2 / (inputs + outputs); Glorot and Bengio (AISTATS 2010).

    Args:
        seed: an integer; the same seed gives the same values.
    """

    _mode = "fan_avg"


class LecunNormal(_SeededScaling):
    """Normal values of variance 1 / inputs; LeCun et al. (1998).

    Args:
        seed: an integer; the same seed gives the same values.
    """


class LecunUniform(_SeededScaling):
    """Uniform values up to sqrt(3 / inputs); LeCun et al. (1998).

    Args:
        seed: an integer; the same seed gives the same values.
    """

    _distribution = "uniform"


class HeNormal(_SeededScaling):
    """Normal values of variance 2 / inputs; He et al. (ICCV 2015).

    Args:
        seed: an integer; the same seed gives the same values.
    """

    _scale = 2.0


class HeUniform(_SeededScaling):
    """Uniform values up to sqrt(6 / inputs); He et al. (ICCV 2015).

    Args:
        seed: an integer; the same seed gives the same values.
    """

    _scale = 2.0
    _distribution = "uniform"


class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns; Saxe et al. (ICLR 2014).

    Args:
        gain: multiplies the matrix.
        seed: an integer; the same seed gives the same values.
    """

    _takes_partitions = False

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain = gain
        self.seed = seed
        self._random_generator = self._generator_for(seed)

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """The matrix; axes before the last count as one."""
        shape, dtype, _ = self._arguments(shape, dtype, kwargs)
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={tuple(shape)} of rank {len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        assert self._random_generator is not None
        sample = self._random_generator.random_normal(
            (max(rows, columns), min(rows, columns)), dtype=dtype
        )
        if _core.is_symbolic(sample):
            q, r = linalg.qr(_ops.cast(sample, "float64"))
            q = q * _ops.sign(linalg.diag_part(r))
            q = self.gain * (linalg.matrix_transpose(q) if rows < columns else q)
            return _ops.cast(_ops.reshape(q, list(shape)), dtype)
        q, r = np.linalg.qr(np.asarray(sample, dtype=np.float64))
        q *= np.sign(np.diag(r))
        q = (self.gain * (q.T if rows < columns else q)).reshape(shape)
        return _core.convert(q.astype(dtype.as_numpy_dtype), dtype, None)


class Identity(Initializer):
    """The identity matrix.

    Args:
        gain: multiplies the matrix.

    >>> tf.keras.initializers.Identity(2.0)([2, 2]).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """

    _takes_partitions = False

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The matrix, of two dimensions only."""
        shape, dtype, _ = self._arguments(shape, dtype, kwargs)
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={tuple(shape)} of rank {len(shape)}."
            )
        return _ops.eye(shape[0], shape[1], dtype=dtype) * self.gain

    def _warn_reuse(self) -> None:
        """Does nothing: the values are not random."""


# F. Harris, "On the use of windows for harmonic analysis" (1978): the weights of cosines.
_COSINES = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
}


def _window(name: str, length: int, periodic: bool) -> np.ndarray:
    """The window that `scipy.signal.get_window` has under a name."""
    if name not in _COSINES:
        signal = optional("scipy.signal", f"The window {name!r}")
        return signal.get_window(name, length, periodic)
    if length == 1:
        return np.ones(1)
    turns = 2 * np.pi * np.arange(length) / (length if periodic else length - 1)
    waves = [(-1) ** k * a * np.cos(k * turns) for k, a in enumerate(_COSINES[name])]
    return np.sum(waves, axis=0)


class STFT(Initializer):
    """Kernels of a convolution that computes one part of a short-time Fourier transform.

    Args:
        side: "real" or "imag": the part.
        window: the name of a window that SciPy has, its values, or None.
        scaling: "density" divides the window by the root of its energy, "spectrum" by its sum.
        periodic: whether the window is one period of a longer one.

    Raises:
        ValueError: for another side, scaling or window.

    The shape must be `[window, 1, bins]`.

    >>> tf.keras.initializers.STFT("real", window=None)((2, 1, 3)).numpy().round(3)
    array([[[ 1.,  1.,  1.]],
    <BLANKLINE>
           [[ 1.,  0., -1.]]], dtype=float32)
    """

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"side should be 'real' or 'imag', not {side}")
        if isinstance(window, str):
            _window(window, 1, True)
        if scaling not in (None, "density", "spectrum"):
            raise ValueError(
                "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. "
                f"Received scaling={scaling}"
            )
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The kernels."""
        shape, dtype, _ = self._arguments(shape, dtype, kwargs)
        length, _, bins = shape
        turns = np.arange(length).reshape(-1, 1, 1) * np.arange(bins) / ((bins - 1) * 2)
        kernel = np.cos(2 * np.pi * turns) if self.side == "real" else -np.sin(2 * np.pi * turns)
        if self.window is not None:
            window = self.window
            if isinstance(window, str):
                window = _window(window, length, self.periodic)
            window = np.asarray(window, "float64")
            if window.shape != (length,):
                raise ValueError(
                    "The shape of `window` must be equal to [frame_length]. Received: window "
                    f"shape={window.shape}"
                )
            if self.scaling == "density":
                window = window / np.sqrt(np.sum(np.square(window)))
            elif self.scaling == "spectrum":
                window = window / np.sum(np.abs(window))
            kernel = kernel * window.reshape(-1, 1, 1)
        return _core.convert(kernel, dtype, None)

    def _warn_reuse(self) -> None:
        """Does nothing: the values are not random."""


constant = Constant
glorot_normal = GlorotNormal
glorot_uniform = GlorotUniform
he_normal = HeNormal
he_uniform = HeUniform
identity = Identity
lecun_normal = LecunNormal
lecun_uniform = LecunUniform
ones = Ones
orthogonal = Orthogonal
random_normal = RandomNormal
stft = STFT
STFTInitializer = STFT
IdentityInitializer = Identity
OrthogonalInitializer = Orthogonal
random_uniform = RandomUniform
truncated_normal = TruncatedNormal
variance_scaling = VarianceScaling
zeros = Zeros

_NAMES: dict[str, Any] = {
    name: value
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Initializer) and not name.startswith("_")
} | {"one": Ones, "zero": Zeros, "normal": RandomNormal, "uniform": RandomUniform}


def serialize(initializer: InitializerLike, use_legacy_format: bool = False) -> Any:
    """An initializer as plain values."""
    return serialize_instance(initializer, use_legacy_format)


def deserialize(
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The initializer that `serialize` described."""
    return deserialize_as("initializer", config, custom_objects, names=_NAMES)


def get(identifier: object) -> Any:
    """The initializer meant by a name, a configuration, a class or a function.

    Raises:
        ValueError: if there is none.

    >>> type(tf.keras.initializers.get("he_normal")).__name__
    'HeNormal'
    """
    found = get_instance(identifier, deserialize, "initializer")
    return found() if isinstance(found, type) else found


__dir__ = lazy.listing(__name__)

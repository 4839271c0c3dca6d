"""Random numbers by Keras's seeds: those that Keras has on TensorFlow."""

from __future__ import annotations

from typing import Any

from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import floatx

# Parts of the interface of a backend, which other modules of Keras import from here.
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed

import eagerflow as tf
from eagerflow._core import Tensor
from eagerflow.typing import ShapeLike, TensorLike

__all__ = ["SeedGenerator", "draw_seed", "make_default_seed"]


def _seed(seed: Any) -> Any:
    """The next two words of a seed, which are below 2^31 - 2 as in Keras on TensorFlow."""
    words = draw_seed(seed)
    if words.dtype == tf.int32:
        return words
    return tf.cast(tf.math.floormod(words, tf.int32.max - 1), tf.int32)


def _float(dtype: Any) -> str:
    return standardize_dtype(dtype or floatx())


def _computed(dtype: str) -> str:
    """The dtype in which values are drawn that have no 16-bit kernels."""
    return "float32" if dtype == "bfloat16" else dtype


def normal(
    shape: ShapeLike, mean: Any = 0.0, stddev: TensorLike = 1.0, dtype: Any = None, seed: Any = None
) -> tf.Tensor:
    """Normal numbers."""
    return tf.random.stateless_normal(shape, _seed(seed), mean, stddev, _float(dtype))


def truncated_normal(
    shape: ShapeLike, mean: Any = 0.0, stddev: TensorLike = 1.0, dtype: Any = None, seed: Any = None
) -> tf.Tensor:
    """Normal numbers within two standard deviations."""
    return tf.random.stateless_truncated_normal(shape, _seed(seed), mean, stddev, _float(dtype))


def uniform(
    shape: ShapeLike, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Uniform numbers of `[minval, maxval)`."""
    dtype = _float(dtype)
    low, high = tf.cast(minval, dtype), tf.cast(maxval, dtype)
    return tf.random.stateless_uniform(shape, _seed(seed), low, high, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Tensor:
    """Uniform integers of `[minval, maxval)`."""
    dtype = standardize_dtype(dtype)
    drawn = dtype if dtype in ("int32", "int64") else "int64"
    numbers = tf.random.stateless_uniform(shape, _seed(seed), minval, maxval, drawn)
    return tf.cast(numbers, dtype)


def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Tensor:
    """Indices of classes, drawn by their logits `[batch, classes]`, as `[batch, num_samples]`."""
    return tf.cast(tf.random.stateless_categorical(logits, num_samples, _seed(seed)), dtype)


def dropout(inputs: TensorLike, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Values, of which a share `rate` is zero and the others are scaled."""
    if rate == 0.0:
        return inputs
    if rate == 1.0:
        return tf.zeros_like(inputs)
    if noise_shape is not None:
        sizes = tf.shape(inputs)
        noise_shape = [sizes[k] if size is None else size for k, size in enumerate(noise_shape)]
    return tf.nn.experimental.stateless_dropout(
        inputs, rate, seed=_seed(seed), noise_shape=noise_shape
    )


def shuffle(x: TensorLike, axis: int = 0, seed: Any = None) -> tf.Tensor:
    """The slices along an axis in another order."""
    keys = tf.random.stateless_uniform([tf.shape(x)[axis]], _seed(seed))
    return tf.gather(x, tf.argsort(keys), axis=axis)


def gamma(shape: ShapeLike, alpha: TensorLike, dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers of gamma distributions."""
    dtype = _float(dtype)
    return tf.cast(
        tf.random.stateless_gamma(shape, _seed(seed), alpha, dtype=_computed(dtype)), dtype
    )


def binomial(
    shape: ShapeLike, counts: Any, probabilities: TensorLike, dtype: Any = None, seed: Any = None
) -> Tensor:
    """Numbers of successes among `counts` trials."""
    dtype = _float(dtype)
    numbers = tf.random.stateless_binomial(
        shape, _seed(seed), counts, probabilities, _computed(dtype)
    )
    return tf.cast(numbers, dtype)


def beta(shape: ShapeLike, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """Numbers of beta distributions: the share of one of two gamma numbers in their sum."""
    dtype = _float(dtype)
    drawn = _computed(dtype)
    first = _seed(seed)

    def part(concentration: TensorLike, words: TensorLike) -> Tensor:
        concentration = tf.broadcast_to(tf.convert_to_tensor(concentration, drawn), shape)
        numbers = tf.random.stateless_gamma(shape, words, concentration, dtype=drawn)
        return tf.cast(numbers, dtype)

    one, other = part(alpha, first), part(beta, first + 12)
    return one / (one + other)

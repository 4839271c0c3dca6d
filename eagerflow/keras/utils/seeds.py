"""One seed for all random generators."""

from __future__ import annotations

import random

import numpy as np

from eagerflow.framework import random_seed
from eagerflow.keras.random_generator import set_seed_source


def set_random_seed(seed: int) -> None:
    """Seeds Python's `random`, NumPy and `tf.random`, and with them initializers and layers.

    Raises:
        ValueError: unless the seed is an integer.

    >>> tf.keras.utils.set_random_seed(1)
    >>> a = tf.keras.initializers.GlorotUniform()([2, 2])
    >>> tf.keras.utils.set_random_seed(1)
    >>> bool(tf.reduce_all(a == tf.keras.initializers.GlorotUniform()([2, 2])))
    True
    """
    if not isinstance(seed, int):
        raise ValueError(
            "Expected `seed` argument to be an integer. "
            f"Received: seed={seed} (of type {type(seed)})"
        )
    random.seed(seed)
    np.random.seed(seed)
    random_seed.set_seed(seed)
    set_seed_source(seed)

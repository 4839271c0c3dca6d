"""Keras's testing_utils: data for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["get_test_data"]


def get_test_data(
    train_samples: int,
    test_samples: int,
    input_shape: tuple[int, ...],
    num_classes: int,
    random_seed: int | None = None,
) -> Any:
    """Samples around one center for each class, which a small model tells apart.

    Args:
        train_samples: how many in the first part.
        test_samples: how many in the second.
        input_shape: of a sample.
        num_classes: how many centers there are.
        random_seed: makes the data repeatable.

    Returns:
        `(x_train, y_train), (x_test, y_test)`, samples in float32 and classes in int64.
    """
    if random_seed is not None:
        np.random.seed(random_seed)
    count = train_samples + test_samples
    centers = 2 * num_classes * np.random.random((num_classes, *input_shape))
    classes = np.random.randint(0, num_classes, size=(count,))
    samples = np.stack(
        [centers[k] + np.random.normal(loc=0, scale=1.0, size=input_shape) for k in classes]
    ).astype(np.float32)
    first = slice(None, train_samples), slice(train_samples, None)
    train, test = ((samples[part], classes[part]) for part in first)
    return train, test

"""The version of Keras that the namespace is like."""

from __future__ import annotations

from eagerflow.version import VERSION


def version() -> str:
    """The version of Keras that the namespace is like.

    >>> tf.keras.version() == tf.keras.__version__
    True
    """
    return VERSION

"""Questions that programs ask about how they are run."""

from __future__ import annotations

from typing import Any


def executing_eagerly() -> bool:
    """Whether operations run when they are called: always true.

    >>> tf.executing_eagerly()
    True
    """
    return True


def inside_function() -> bool:
    """False: no function is being traced."""
    return False


def get_logger() -> Any:
    """The logger of this package.

    >>> tf.get_logger().name
    'eagerflow'
    """
    import logging

    return logging.getLogger("eagerflow")

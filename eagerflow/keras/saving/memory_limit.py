"""The limit of memory for a model while it is loaded from a file.

A configuration of a few bytes can declare layers of any size, but the file must contain the values of
their weights. Other tensors, which are created to infer the layers' shapes, have a limit too.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from typing import Any

from eagerflow import _core

SLACK = 64 << 20  # bytes that any file may allocate
_SLACK_OF_TENSORS = 3 << 29


class _Limits(threading.local):
    left: float | None = None


limits = _Limits()


@contextlib.contextmanager
def limited_weights(stored: int) -> Iterator[None]:
    """A context in which weights may be made for a file that holds so many bytes of them."""
    before = limits.left
    most = _core.limit_tensors(2 * stored + _SLACK_OF_TENSORS)
    # Files may hold half the bytes, of weights in half precision.
    limits.left = 2 * stored + SLACK
    try:
        yield
    finally:
        limits.left = before
        _core.limit_tensors(most)


def spend(name: str | None, shape: Any, dtype: Any) -> None:
    """Counts a weight that is about to be made.

    Raises:
        ValueError: if the file cannot hold its values.
    """
    if limits.left is None:
        return
    sizes = [shape] if isinstance(shape, int) else [int(size or 0) for size in shape]
    limits.left -= math.prod(sizes) * dtype.size
    if limits.left < 0:
        raise ValueError(
            f"The configuration asks for a weight {name!r} of shape {tuple(sizes)}, for which the "
            "file is too small: it is damaged, or made to use up memory."
        )

"""Dimensions of shapes, whichever form they take."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.shapes import Dimension, TensorShape, as_shape


def dimension_value(dimension: Any) -> int | None:
    """A size as an integer, or None if unknown.

    >>> tf.compat.dimension_value(tf.compat.v1.Dimension(3))
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """One size of a shape as a `Dimension`.

    >>> tf.compat.dimension_at_index(tf.TensorShape([2, None]), 1)
    Dimension(None)
    """
    shape = as_shape(shape)
    return Dimension(None if shape.rank is None else shape.as_list()[index])


__all__ = ["Dimension", "TensorShape", "dimension_at_index", "dimension_value"]

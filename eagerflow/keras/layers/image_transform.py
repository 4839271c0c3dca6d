"""The coefficients of affine transformations of images, as `transformed` takes them."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.image.projective import as_float
from eagerflow.typing import TensorLike

_ops = _core.ops
FULL_TURN = 2.0 * math.pi


def translation(dx: TensorLike, dy: TensorLike) -> list[_core.Tensor]:
    """The transformation that moves images by `dx` columns and `dy` rows, tensors `[batch]`."""
    zeros, ones = _ops.zeros_like(dx), _ops.ones_like(dx)
    return [ones, zeros, _ops.negative(dx), zeros, ones, _ops.negative(dy)]


def rotation(angles: TensorLike, rows: TensorLike, columns: object) -> list[_core.Tensor]:
    """The transformation that turns images around their centre by `angles` `[batch]`."""
    width, height = as_float(columns) - 1.0, as_float(rows) - 1.0
    cosine, sine = _ops.cos(angles), _ops.sin(angles)
    x = (width - (cosine * width - sine * height)) / 2.0
    y = (height - (sine * width + cosine * height)) / 2.0
    return [cosine, _ops.negative(sine), x, sine, cosine, y]


def zoom(zx: Any, zy: Any, rows: object, columns: Any) -> list[_core.Tensor]:
    """The transformation that shows `zx` times the width and `zy` times the height."""
    zeros = _ops.zeros_like(zx)
    x = (as_float(columns) - 1.0) / 2.0 * (1.0 - zx)
    y = (as_float(rows) - 1.0) / 2.0 * (1.0 - zy)
    return [zx, zeros, x, zeros, zy, y]

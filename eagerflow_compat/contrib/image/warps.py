"""Images whose pixels move along flows, which few points may say by splines."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, linalg
from eagerflow.ops import array
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.ops.host_functions import numpy_function
from eagerflow_compat.contrib.resampler.points import bilinear

_ops = _core.ops

# What splines take the logarithm or root of at least.
_EPSILON = 1e-10


def dense_image_warp(image: Any, flow: Any, name: str | None = None) -> Any:
    """Each pixel of the result is that of the image from which the flow leads to it.

    Args:
        image: `[batch, height, width, channels]`.
        flow: how far rows and columns move, `[batch, height, width, 2]`.
        name: accepted.

    Returns:
        Images of the same shape; pixels from outside are the nearest ones inside.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> moved = tf.contrib.image.dense_image_warp(image, tf.ones([1, 3, 3, 2]))
    >>> moved[0, :, :, 0].numpy()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [3., 3., 4.]], dtype=float32)
    """
    image = convert_to_tensor(image)
    flow = _core.convert(flow, image.dtype, None)
    batch, height, width, channels = image._sizes()
    y = _ops.cast(_ops.range(0, height, 1), flow.dtype)
    x = _ops.cast(_ops.range(0, width, 1), flow.dtype)
    rows = _ops.reshape(_ops.expand_dims(y, 1) - flow[..., 0], [batch, height * width])
    columns = _ops.reshape(x - flow[..., 1], [batch, height * width])
    found = bilinear(image, columns, rows, clamp=True)
    return _ops.reshape(found, [batch, height, width, channels])


def _squares(a: Any, b: Any) -> Any:
    """Squared distances of points `[batch, n, d]` and `[batch, m, d]`."""
    lengths = _ops.reduce_sum(_ops.square(a), [2], True)
    others = _ops.transpose(_ops.reduce_sum(_ops.square(b), [2], True), [0, 2, 1])
    return lengths + others - 2.0 * _ops.matmul(a, b, transpose_b=True)


def _phi(squares: Any, order: int) -> Any:
    """The radial function of a spline for squared distances."""
    positive = _ops.maximum(squares, _EPSILON)
    if order % 2:
        return _ops.pow(positive, 0.5 * order)
    return 0.5 * _ops.pow(squares, 0.5 * order) * _ops.log(positive)


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str | None = None,
) -> Any:
    """Values of a polyharmonic spline through others.

    Args:
        train_points: `[batch, n, d]`.
        train_values: the values there, `[batch, n, k]`.
        query_points: `[batch, m, d]`.
        order: of the spline: 1 for sums of distances, 2 for a thin plate.
        regularization_weight: how smooth it is, 0 for values that it meets.
        name: accepted.

    Returns:
        The values `[batch, m, k]`.
    """
    points = convert_to_tensor(train_points)
    values = _core.convert(train_values, points.dtype, None)
    queries = _core.convert(query_points, points.dtype, None)
    batch, count, dimensions = points._sizes()
    matrix = _phi(_squares(points, points), order)
    if regularization_weight:
        matrix = matrix + regularization_weight * linalg.eye(count, dtype=points.dtype)

    def with_one(x: Any) -> Any:
        return _ops.concat([x, _ops.ones_like(x[..., :1])], 2)

    linear = with_one(points)
    zeros = _ops.zeros([batch, dimensions + 1, dimensions + 1], points.dtype)
    upper = _ops.concat([matrix, linear], 2)
    lower = _ops.concat([_ops.transpose(linear, [0, 2, 1]), zeros], 2)
    wanted = array.pad(values, [[0, 0], [0, dimensions + 1], [0, 0]])
    solved = linalg.solve(_ops.concat([upper, lower], 1), wanted)
    radial = _ops.matmul(_phi(_squares(queries, points), order), solved[:, : -dimensions - 1])
    return radial + _ops.matmul(with_one(queries), solved[:, -dimensions - 1 :])


def _boundary(height: int, width: int, per_edge: int) -> np.ndarray:
    """Points on the edges of an image, `[count, 2]`."""
    ys, xs = np.meshgrid(
        np.linspace(0, height - 1, per_edge + 2),
        np.linspace(0, width - 1, per_edge + 2),
        indexing="ij",
    )
    outer = np.isin(xs, (0, width - 1)) | np.isin(ys, (0, height - 1))
    return np.stack([ys[outer], xs[outer]], -1)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Images in which some points move to others, and what is between with them.

    Args:
        image: `[batch, height, width, channels]`, of known sizes.
        source_control_point_locations: rows and columns of the points, `[batch, n, 2]`.
        dest_control_point_locations: where they move to.
        interpolation_order: of the spline between them.
        regularization_weight: see `interpolate_spline`.
        num_boundary_points: how many points of each edge stay: 0 for none, 1 for the corners.
        name: accepted.

    Returns:
        The images, and the flow `[batch, height, width, 2]`.

    Raises:
        ValueError: for fewer points than 0.
    """
    if num_boundary_points < 0:
        raise ValueError(f"num_boundary_points must be positive, got {num_boundary_points}")
    image = convert_to_tensor(image)
    source, target = (
        _core.convert(points, image.dtype, None)
        for points in (source_control_point_locations, dest_control_point_locations)
    )
    flows = target - source
    batch, height, width, _ = image._sizes()
    if num_boundary_points:
        fixed = _boundary(height, width, num_boundary_points - 1)[None]
        staying = _core.convert(fixed, image.dtype) + _ops.zeros([batch, 1, 1], image.dtype)
        target = _ops.concat([target, staying], 1)
        flows = _ops.concat([flows, _ops.zeros_like(staying)], 1)
    grid = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1)
    pixels = _core.convert(grid.reshape([1, -1, 2]).astype(np.float32), image.dtype)
    everywhere = pixels + _ops.zeros([batch, 1, 1], image.dtype)
    found = interpolate_spline(
        target, flows, everywhere, interpolation_order, regularization_weight
    )
    flow = _ops.reshape(found, [batch, height, width, 2])
    return dense_image_warp(image, flow), flow


def connected_components(images: Any) -> Any:
    """Numbers of regions: of pixels that are side by side and not zero.

    Args:
        images: booleans or numbers, `[height, width]` or `[batch, height, width]`. Pixels of one
            region have one value.

    Returns:
        int64 of the same shape: 0 where images are zero, else numbers from 1 in the order in which
        regions begin.

    Raises:
        TypeError: for another number of axes.

    >>> tf.contrib.image.connected_components([[1, 1, 0], [0, 0, 0], [0, 0, 1]]).numpy()
    array([[1, 1, 0],
           [0, 0, 0],
           [0, 0, 2]])
    """
    images = convert_to_tensor(images)
    if images.shape.rank not in (2, 3):
        raise TypeError(
            f"images should have rank 2 (HW) or 3 (NHW). Static shape is {images.shape}"
        )
    found = numpy_function(_components, [images], "int64")
    found.set_shape(images.shape)
    return found


def _components(images: np.ndarray) -> np.ndarray:
    filled = images != 0
    labels = np.where(filled, np.arange(1, images.size + 1).reshape(images.shape), 0)
    pairs = []
    for axis in (-1, -2):
        behind = [slice(None)] * images.ndim
        ahead = [slice(None)] * images.ndim
        behind[axis], ahead[axis] = slice(None, -1), slice(1, None)
        one, other = tuple(behind), tuple(ahead)
        pairs.append((one, other, filled[one] & (images[one] == images[other])))
    before = None
    # Each pixel takes the least number beside it until none changes.
    while before is None or (labels != before).any():
        before = labels.copy()
        for one, other, joined in pairs:
            for here, there in ((one, other), (other, one)):
                least = np.minimum(labels[here], labels[there])
                labels[here] = np.where(joined, least, labels[here])
    inverse = np.unique(np.append(labels, 0), return_inverse=True)[1]
    return inverse[:-1].reshape(images.shape).astype(np.int64)

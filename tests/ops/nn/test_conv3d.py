"""Convolution and pooling of volumes, compared with loops over their windows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from gradient_check import Case, check_first, check_second, spread


def padded(x: Any, window: Any, step: Any, padding: str, value: float) -> tuple[Any, list[int]]:
    """The volume with its border, and how many windows fit along each axis."""
    counts, borders = [], [(0, 0)]
    for size, length, stride in zip(x.shape[1:4], window, step, strict=True):
        if padding == "VALID":
            counts.append((size - length) // stride + 1)
            borders.append((0, 0))
        else:
            counts.append(-(-size // stride))
            missing = max((counts[-1] - 1) * stride + length - size, 0)
            borders.append((missing // 2, missing - missing // 2))
    return np.pad(x, [*borders, (0, 0)], constant_values=value), counts


def windows(x: Any, window: Any, step: Any, padding: str, value: float, spread: int = 1) -> Any:
    """Each position in the output with its window of the input."""
    reach = [(length - 1) * spread + 1 for length in window]
    whole, counts = padded(x, reach, step, padding, value)
    for place in itertools.product(*map(range, counts)):
        yield (
            place,
            whole[
                (
                    slice(None),
                    *(
                        slice(i * s, i * s + r, spread)
                        for i, s, r in zip(place, step, reach, strict=True)
                    ),
                )
            ],
            counts,
        )


def convolved(x: Any, filters: Any, step: Any, padding: str, spread: int) -> Any:
    result = None
    groups = x.shape[-1] // filters.shape[3]
    for place, part, counts in windows(x, filters.shape[:3], step, padding, 0.0, spread):
        if result is None:
            result = np.zeros((len(x), *counts, filters.shape[-1]))
        pieces = zip(np.split(part, groups, -1), np.split(filters, groups, -1), strict=True)
        result[(slice(None), *place)] = np.concatenate(
            [np.einsum("bdhwi,dhwio->bo", a, b) for a, b in pieces], -1
        )
    return result


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("step", "dilation"), [((1, 1, 1), 1), ((2, 1, 3), 1), ((1, 1, 1), 2)])
@pytest.mark.parametrize("channels", [4, 2])
def test_conv3d(padding: str, step: Any, dilation: int, channels: int) -> None:
    x, filters = spread((2, 5, 4, 7, 4)), spread((3, 2, 2, channels, 6), seed=1)
    options = {"padding": padding, "dilations": [1, *[dilation] * 3, 1]}
    expected = convolved(x, filters, step, padding, dilation)
    result = tf.nn.conv3d(x, filters, [1, *step, 1], **options)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12, atol=1e-12)
    same = tf.nn.convolution(x, filters, step, padding, dilations=[dilation] * 3)
    np.testing.assert_array_equal(same.numpy(), result.numpy())
    first = tf.nn.conv3d(
        tf.transpose(x, [0, 4, 1, 2, 3]), filters, [1, 1, *step], padding, "NCDHW",
        [1, 1, *[dilation] * 3],
    )  # fmt: skip
    np.testing.assert_allclose(tf.transpose(first, [0, 2, 3, 4, 1]), expected, atol=1e-12)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("step", [(1, 1, 1), (2, 1, 3)])
def test_transposed_convolution_is_the_gradient(padding: str, step: Any) -> None:
    filters = tf.constant(spread((3, 2, 2, 3, 2)))
    image = tf.constant(spread((2, 5, 4, 6, 3)))
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.nn.conv3d(image, filters, [1, *step, 1], padding)
    dy = tf.constant(spread(tuple(y.shape), seed=3))
    expected = tape.gradient(y, image, dy).numpy()
    got = tf.nn.conv3d_transpose(dy, filters, image.shape, step, padding)
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)
    got = tf.nn.conv_transpose(dy, filters, image.shape, step, padding)
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)
    first = tf.nn.conv3d_transpose(
        tf.transpose(dy, [0, 4, 1, 2, 3]), filters, [2, 3, 5, 4, 6], step, padding, "NCDHW"
    )
    np.testing.assert_allclose(tf.transpose(first, [0, 2, 3, 4, 1]), expected, atol=1e-12)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("step", [(1, 1, 1), (2, 1, 3)])
@pytest.mark.parametrize("window", [(2, 2, 2), (1, 2, 3)])
def test_pooling(padding: str, step: Any, window: Any) -> None:
    x = spread((2, 5, 4, 7, 3))
    for function, general, reduce in [
        (tf.nn.max_pool3d, tf.nn.max_pool, np.nanmax),
        (tf.nn.avg_pool3d, tf.nn.avg_pool, np.nanmean),
    ]:
        result = function(x, [1, *window, 1], [1, *step, 1], padding).numpy()
        for place, part, counts in windows(x, window, step, padding, np.nan):
            assert result.shape == (2, *counts, 3)
            np.testing.assert_allclose(
                result[(slice(None), *place)], reduce(part, axis=(1, 2, 3)), atol=1e-12
            )
        np.testing.assert_array_equal(general(x, window, step, padding).numpy(), result)
        first = function(
            tf.transpose(x, [0, 4, 1, 2, 3]), [1, 1, *window], [1, 1, *step], padding, "NCDHW"
        )
        np.testing.assert_array_equal(tf.transpose(first, [0, 2, 3, 4, 1]), result)


GRADIENTS = [
    Case(
        "conv3d",
        lambda x, f: tf.nn.conv3d(x, f, [1, 2, 1, 1, 1], "SAME"),
        [spread((1, 3, 2, 3, 1)), spread((2, 2, 2, 1, 2), seed=1)],
    ),
    Case(
        "conv3d_transpose",
        lambda x, f: tf.nn.conv3d_transpose(x, f, [1, 4, 2, 3, 1], [2, 1, 1]),
        [spread((1, 2, 2, 3, 2)), spread((3, 2, 1, 1, 2), seed=1)],
    ),
    Case("max_pool3d", lambda x: tf.nn.max_pool3d(x, 2, 1, "SAME"), [spread((1, 3, 2, 3, 1))]),
    Case("avg_pool3d", lambda x: tf.nn.avg_pool3d(x, 2, 1, "SAME"), [spread((1, 3, 2, 3, 1))]),
]


@pytest.mark.parametrize("case", GRADIENTS, ids=str)
def test_gradients(case: Case) -> None:
    check_first(case)
    check_second(case)


def test_errors() -> None:
    x, filters = tf.ones([1, 3, 3, 3, 2]), tf.ones([2, 2, 2, 2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="5-dimensional"):
        tf.nn.conv3d(x[0], filters, [1] * 5, "SAME")
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        tf.nn.conv3d(x, tf.ones([4, 1, 1, 2, 1]), [1] * 5, "VALID")
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch and the channels"):
        tf.nn.conv3d(x, filters, [2, 1, 1, 1, 1], "VALID")
    with pytest.raises(tf.errors.InvalidArgumentError, match="groups"):
        tf.nn.conv3d(tf.ones([1, 3, 3, 3, 5]), filters, [1] * 5, "VALID")
    with pytest.raises(tf.errors.InvalidArgumentError, match="padding"):
        tf.nn.max_pool3d(x, 2, 2, "FULL")
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not belong"):
        tf.nn.conv3d_transpose(x, tf.ones([2, 2, 2, 4, 2]), [1, 9, 9, 9, 4], 2)

"""Choosing among overlapping boxes, against the definition."""

import numpy as np
import pytest

import eagerflow as tf


def boxes_and_scores(count):
    random = np.random.RandomState(count)
    first = random.uniform(0, 0.9, (count, 2))
    boxes = np.concatenate([first, first + random.uniform(-0.2, 0.3, (count, 2))], 1)
    boxes[::7, 2:] = boxes[::7, :2]  # no area
    return boxes.astype(np.float32), random.randint(0, 50, count).astype(np.float32)


def expected(boxes, scores, limit, most, least):
    """Takes the best box that shares at most this much of the union with those taken."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, axis=1)
    taken = []
    for k in np.argsort(-scores, kind="stable"):
        if len(taken) == limit or scores[k] <= least:
            break
        sides = np.minimum(high[k], high[taken]) - np.maximum(low[k], low[taken])
        shared = np.prod(np.maximum(sides, 0), axis=1)
        union = areas[k] + areas[taken] - shared
        if not ((shared > np.float32(most) * union) & (areas[k] > 0) & (areas[taken] > 0)).any():
            taken.append(k)
    return taken


@pytest.mark.parametrize("count", [0, 1, 17, 300])
@pytest.mark.parametrize("limit", [0, 3, 400])
def test_non_max_suppression_agrees_with_the_definition(count, limit):
    boxes, scores = boxes_and_scores(count)
    for most, least in [(0.0, -np.inf), (0.3, 5.0), (1.0, 20.0)]:
        chosen = tf.image.non_max_suppression(boxes, scores, limit, most, least)
        assert chosen.dtype is tf.int32
        assert chosen.numpy().tolist() == expected(boxes, scores, limit, most, least)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float32", "int64", "complex128"])
def test_rows_of_all_widths_are_gathered(dtype):
    for inner in (1, 2, 4, 8, 65):
        x = np.arange(1, 12 * inner + 1).reshape(12, inner).astype(dtype)
        places = np.array([[3, 3], [0, 9], [10, 1]])
        gathered = tf.gather(tf.constant(x)[1:], places)  # the memory starts within a tensor
        np.testing.assert_array_equal(gathered.numpy(), x[1:][places])


def test_scores_that_are_lowered():
    boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6], [0, 0, 1, 1]], "float32")
    places, scores = tf.image.non_max_suppression_with_scores(
        boxes, [0.9, 0.8, 0.5, np.nan], 4, soft_nms_sigma=0.5
    )
    assert places.numpy().tolist() == [0, 2, 1]
    overlap = 0.9 / 1.1
    np.testing.assert_allclose(scores, [0.9, 0.5, 0.8 * np.exp(-(overlap**2))], rtol=1e-5)

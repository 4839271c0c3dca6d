"""Non-maximum suppression: the best of overlapping boxes."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import invalid, whole
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

CombinedNonMaxSuppression = namedtuple(
    "CombinedNonMaxSuppression",
    ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"],
)


def _checked(boxes: TensorLike, scores: TensorLike, op: str) -> tuple[np.ndarray, np.ndarray]:
    corners = np.asarray(_core.convert(boxes, None, dtypes.float32).numpy())
    values = np.asarray(_core.convert(scores, None, dtypes.float32).numpy())
    if corners.ndim != 2 or corners.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns, got shape {list(corners.shape)} [Op:{op}]")
    if values.shape != (len(corners),):
        raise invalid(
            f"scores has incompatible shape {list(values.shape)} for {len(corners)} boxes [Op:{op}]"
        )
    return corners.astype(np.float32), values


def _limit(max_output_size: Any, op: str) -> int:
    limit = whole(max_output_size, "max_output_size")
    if limit < 0:
        raise invalid(f"max_output_size must be non-negative, got {limit} [Op:{op}]")
    return limit


def _in_unit(value: Any, name: str, op: str) -> float:
    number = float(value)
    if not 0 <= number <= 1:
        raise invalid(f"{name} must be in [0, 1], got {number} [Op:{op}]")
    return number


def _sorted_corners(corners: np.ndarray) -> np.ndarray:
    """Boxes whose first corner is the one with the smaller coordinates."""
    low = np.minimum(corners[:, :2], corners[:, 2:])
    high = np.maximum(corners[:, :2], corners[:, 2:])
    return np.concatenate([low, high], axis=1)


def overlaps_with(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The intersection over union of one box and others; 0 for boxes without area."""
    height = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    width = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    shared = np.maximum(height, 0) * np.maximum(width, 0)
    own = (box[2] - box[0]) * (box[3] - box[1])
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    valid = (areas > 0) & (own > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(valid, shared / (own + areas - shared), 0)


def _by_score(scores: np.ndarray, threshold: float) -> np.ndarray:
    """The indices of scores above a threshold, in descending order; equal scores keep their order."""
    kept = np.flatnonzero(scores > threshold)
    return kept[np.argsort(-scores[kept].astype(np.float64), kind="stable")]


def _greedy(
    corners: np.ndarray, scores: np.ndarray, limit: int, overlap: float, threshold: float
) -> np.ndarray:
    """The boxes that remain, the best first."""
    return _remaining(_sorted_corners(corners), scores, limit, overlap, threshold)


def _remaining(
    boxes: np.ndarray, scores: np.ndarray, limit: int, overlap: float, threshold: float
) -> np.ndarray:
    """The same for boxes whose corners are in order."""
    order = _by_score(scores, threshold)
    return _ops.remaining_boxes(boxes, order, limit, overlap).numpy()


_CHOSEN = TensorSpec([None], dtypes.int32)


@composed_op(
    "NonMaxSuppressionV3",
    in_graph=on_host(always(_CHOSEN)),
    boxes=Input("float16", "float32", prefer="float32"),
    scores=Input("float16", "float32", prefer="float32"),
    max_output_size=Input("int32"),
    iou_threshold=Input("float32"),
    score_threshold=Input("float32"),
)
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: TensorLike = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The boxes with the best scores among those that overlap.

    Args:
        boxes: `[n, 4]`, two opposite corners each.
        scores: `[n]`.
        max_output_size: how many boxes to choose at most.
        iou_threshold: boxes that overlap a better one by more than this (intersection over union)
            are left out.
        score_threshold: boxes must score more than this.

    Returns:
        int32, the indices of the chosen boxes, the best first.

    Raises:
        tf.errors.InvalidArgumentError: if shapes or thresholds are wrong.

    >>> boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6]]
    >>> tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.5], 3).numpy()
    array([1, 2], dtype=int32)
    """
    op = "NonMaxSuppressionV3"
    corners, values = _checked(boxes, scores, op)
    overlap = _in_unit(iou_threshold, "iou_threshold", op)
    chosen = _greedy(corners, values, _limit(max_output_size, op), overlap, float(score_threshold))
    return _core.convert(chosen, dtypes.int32, None)


@composed_op(
    "NonMaxSuppressionV5",
    in_graph=on_host(always((_CHOSEN, TensorSpec([None], dtypes.float32)))),
    boxes=Input("float16", "float32", prefer="float32"),
    scores=Input("float16", "float32", prefer="float32"),
    max_output_size=Input("int32"),
    iou_threshold=Input("float16", "float32", prefer="float32"),
    score_threshold=Input("float16", "float32", prefer="float32"),
    soft_nms_sigma=Input("float16", "float32", prefer="float32"),
)
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: TensorLike = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Like `tf.image.non_max_suppression`, optionally soft (Bodla et al. 2017).

    Args:
        boxes: `[n, 4]`, two opposite corners each.
        scores: `[n]`.
        max_output_size: how many boxes to choose at most.
        iou_threshold: boxes that overlap more than this are left out, unless `soft_nms_sigma` > 0.
        score_threshold: boxes must score more than this.
        soft_nms_sigma: if positive, scores are lowered by `exp(-overlap ** 2 / (2 * sigma))`.

    Returns:
        The indices of the chosen boxes and their scores.

    >>> boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6]]
    >>> indices, scores = tf.image.non_max_suppression_with_scores(boxes, [0.8, 0.9, 0.5], 3)
    >>> indices.numpy(), scores.numpy()
    (array([1, 2], dtype=int32), array([0.9, 0.5], dtype=float32))
    """
    op = "NonMaxSuppressionV5"
    corners, values = _checked(boxes, scores, op)
    overlap = _in_unit(iou_threshold, "iou_threshold", op)
    limit, threshold = _limit(max_output_size, op), float(score_threshold)
    sigma = float(soft_nms_sigma)
    if sigma < 0:
        raise invalid(f"soft_nms_sigma must be non-negative, got {sigma} [Op:{op}]")
    if sigma == 0:
        chosen = _greedy(corners, values, limit, overlap, threshold)
        return _core.convert(chosen, dtypes.int32, None), _core.as_tensor(values[chosen])
    ordered = _sorted_corners(corners)
    current = values.astype(np.float32)
    with np.errstate(invalid="ignore"):
        left = np.flatnonzero(current > threshold)
    ordered, current = ordered[left], current[left]
    factor = np.float32(-0.5 / sigma)
    selected: list[int] = []
    kept: list[float] = []
    while left.size and len(selected) < limit:
        best = int(current.argmax())  # of equal scores the first
        selected.append(int(left[best]))
        kept.append(float(current[best]))
        shared = overlaps_with(ordered[best], ordered).astype(np.float32)
        current = current * np.exp(factor * shared * shared)
        current[best] = -np.inf
        rest = current > threshold
        left, ordered, current = left[rest], ordered[rest], current[rest]
    chosen_scores = np.array(kept, np.float32)
    return (
        _core.convert(np.array(selected, np.int32), dtypes.int32, None),
        _core.as_tensor(chosen_scores),
    )


@composed_op(
    "NonMaxSuppressionWithOverlaps",
    in_graph=on_host(always(_CHOSEN)),
    overlaps=Input("float32"),
    scores=Input("float32"),
    max_output_size=Input("int32"),
    overlap_threshold=Input("float32"),
    score_threshold=Input("float32"),
)
def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Like `tf.image.non_max_suppression`, with overlaps `[n, n]`.

    >>> overlaps = [[1.0, 0.9], [0.9, 1.0]]
    >>> tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.6], 2).numpy()
    array([1], dtype=int32)
    """
    op = "NonMaxSuppressionWithOverlaps"
    shared = np.asarray(_core.convert(overlaps, dtypes.float32, None).numpy())
    values = np.asarray(_core.convert(scores, dtypes.float32, None).numpy())
    if shared.ndim != 2 or shared.shape[0] != shared.shape[1]:
        raise invalid(f"overlaps must be square, got shape {list(shared.shape)} [Op:{op}]")
    if values.shape != (len(shared),):
        raise invalid(f"scores has incompatible shape {list(values.shape)} [Op:{op}]")
    limit = _limit(max_output_size, op)
    remaining = _by_score(values, float(score_threshold))
    chosen: list[int] = []
    while len(remaining) and len(chosen) < limit:
        best, remaining = remaining[0], remaining[1:]
        chosen.append(best)
        remaining = remaining[shared[remaining, best] <= float(overlap_threshold)]
    return _core.convert(np.array(chosen, np.int32), dtypes.int32, None)


def _number(value: TensorLike) -> int | None:
    known = _core.static_value(_core.as_tensor(value))
    return None if known is None else int(known)


def _padded_specs(
    boxes: Tensor,
    scores: Tensor,
    max_output_size: TensorLike,
    iou_threshold: object = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    *_: object,
    **__: object,
) -> tuple[TensorSpec, TensorSpec]:
    batch = _core.convert(boxes, None, dtypes.float32).shape[:-2]
    count = _number(max_output_size) if pad_to_max_output_size else None
    index_shape = batch.concatenate([count]) if batch.rank is not None else None
    return TensorSpec(index_shape, dtypes.int32), TensorSpec(batch, dtypes.int32)


@op_function(in_graph=on_host(_padded_specs))
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """Like `tf.image.non_max_suppression`, for batches, zero-padded.

    Args:
        boxes: `[..., n, 4]`.
        scores: `[..., n]`.
        max_output_size: how many boxes to choose at most.
        iou_threshold: boxes that overlap a better one by at least this are left out.
        score_threshold: boxes must score more than this.
        pad_to_max_output_size: whether to pad with zeros; required for batches.
        canonicalized_coordinates: whether the corner with the smaller coordinates comes first;
            otherwise the first box determines it for all.

    Returns:
        The indices of the chosen boxes `[..., k]`, and how many are valid.

    Raises:
        ValueError: if a batch is not to be padded.

    >>> boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 5, 1, 6]]
    >>> indices, count = tf.image.non_max_suppression_padded(
    ...     boxes, [0.8, 0.9, 0.5], 3, pad_to_max_output_size=True
    ... )
    >>> indices.numpy(), count.numpy()
    (array([1, 2, 0], dtype=int32), np.int32(2))
    """
    op = "NonMaxSuppressionV4"
    corners = np.asarray(_core.convert(boxes, None, dtypes.float32).numpy())
    values = np.asarray(_core.convert(scores, None, dtypes.float32).numpy())
    limit = _limit(max_output_size, op)
    if corners.shape[-1:] != (4,) or values.shape != corners.shape[:-1]:
        raise invalid(
            f"boxes of shape {list(corners.shape)} and scores of shape {list(values.shape)} are not "
            f"[..., n, 4] and [..., n] [Op:{op}]"
        )
    if corners.ndim > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched "
            "input"
        )
    batch = corners.shape[:-2]
    if corners.size and not canonicalized_coordinates:
        # The first box determines the corner order of all.
        first = corners.reshape(-1, 4)[0]
        order = [0, 1, 2, 3]
        for k in (0, 1):
            if first[k] > first[k + 2]:
                order[k], order[k + 2] = order[k + 2], order[k]
        corners = corners[..., order]
    overlap, threshold = _in_unit(iou_threshold, "iou_threshold", op), float(score_threshold)
    selected, counts = [], []
    for box, score in zip(
        corners.reshape(-1, *corners.shape[-2:]), values.reshape(-1, values.shape[-1]), strict=True
    ):
        # Boxes are left out at the threshold itself already.
        least = float(np.nextafter(np.float32(overlap), np.float32(-1)))
        chosen = _remaining(*_checked(box, score, op), limit, least, threshold)
        counts.append(len(chosen))
        if pad_to_max_output_size:
            chosen = np.pad(chosen, (0, limit - len(chosen)))
        selected.append(chosen)
    stacked = np.stack(selected).reshape(*batch, -1).astype(np.int32)
    return (
        _core.convert(stacked, dtypes.int32, None),
        _core.convert(np.array(counts, np.int32).reshape(batch), dtypes.int32, None),
    )


def _combined_specs(
    boxes: Tensor,
    scores: Tensor,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: object = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    *_: object,
    **__: object,
) -> CombinedNonMaxSuppression:
    batch = _core.convert(boxes, dtypes.float32, None).shape.with_rank(4)[0]
    classes = _core.convert(scores, dtypes.float32, None).shape.with_rank(3)[2]
    count, per_class = _number(max_total_size), _number(max_output_size_per_class)
    if pad_per_class and count is not None:
        count = None if classes is None or per_class is None else min(count, per_class * classes)
    return CombinedNonMaxSuppression(
        TensorSpec([batch, count, 4], dtypes.float32),
        TensorSpec([batch, count], dtypes.float32),
        TensorSpec([batch, count], dtypes.float32),
        TensorSpec([batch], dtypes.int32),
    )


@composed_op(
    "CombinedNonMaxSuppression",
    in_graph=on_host(_combined_specs),
    boxes=Input("float32"),
    scores=Input("float32"),
    max_output_size_per_class=Input("int32"),
    max_total_size=Input("int32"),
    iou_threshold=Input("float32"),
    score_threshold=Input("float32"),
)
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of several classes in each image.

    Args:
        boxes: `[batch, n, q, 4]`, where q is 1 if all classes share boxes, else the class count.
        scores: `[batch, n, classes]`.
        max_output_size_per_class: how many boxes to choose for each class at most.
        max_total_size: how many to choose for each image at most.
        iou_threshold: boxes that overlap a better one of their class by more are left out.
        score_threshold: boxes must score more than this.
        pad_per_class: whether the result has no more boxes than all classes together may have.
        clip_boxes: whether to clip coordinates to [0, 1].

    Returns:
        Boxes, scores and classes, zero-padded, and how many are valid.

    Raises:
        tf.errors.InvalidArgumentError: if shapes or thresholds are wrong.

    >>> result = tf.image.combined_non_max_suppression(
    ...     [[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.5, 1.0, 1.0]]]], [[[0.9], [0.8]]], 2, 2
    ... )
    >>> result.valid_detections.numpy(), result.nmsed_scores.numpy()
    (array([2], dtype=int32), array([[0.9, 0.8]], dtype=float32))
    """
    op = "CombinedNonMaxSuppression"
    corners = np.asarray(_core.convert(boxes, dtypes.float32, None).numpy())
    values = np.asarray(_core.convert(scores, dtypes.float32, None).numpy())
    if corners.ndim != 4 or corners.shape[3] != 4:
        raise invalid(f"boxes must be 4-D with 4 columns, got {list(corners.shape)} [Op:{op}]")
    if values.ndim != 3 or values.shape[:2] != corners.shape[:2]:
        raise invalid(f"scores has incompatible shape {list(values.shape)} [Op:{op}]")
    classes = values.shape[2]
    if corners.shape[2] not in (1, classes):
        raise invalid(f"third dimension of boxes must be either 1 or num classes [Op:{op}]")
    per_class, total = _limit(max_output_size_per_class, op), int(max_total_size)
    if total <= 0:
        raise invalid(f"max_total_size must be > 0, got {total} [Op:{op}]")
    overlap, threshold = _in_unit(iou_threshold, "iou_threshold", op), float(score_threshold)
    width = min(total, per_class * classes) if pad_per_class else total
    batch = len(corners)
    found_boxes = np.zeros((batch, width, 4), np.float32)
    found_scores = np.zeros((batch, width), np.float32)
    found_classes = np.zeros((batch, width), np.float32)
    counts = np.zeros(batch, np.int32)
    for image in range(batch):
        candidates = []
        for kind in range(classes):
            own = corners[image, :, kind if corners.shape[2] > 1 else 0]
            score = values[image, :, kind]
            for index in _greedy(own, score, per_class, overlap, threshold):
                candidates.append((-score[index], kind, own[index]))
        candidates.sort(key=lambda item: item[0])
        counts[image] = min(len(candidates), width)
        for k, (negative, kind, box) in enumerate(candidates[:width]):
            found_boxes[image, k] = np.clip(box, 0, 1) if clip_boxes else box
            found_scores[image, k], found_classes[image, k] = -negative, kind
    return CombinedNonMaxSuppression(
        *(_core.as_tensor(item) for item in (found_boxes, found_scores, found_classes, counts))
    )

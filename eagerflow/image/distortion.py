"""Boxes chosen at random in images, for distorted crops (Szegedy et al. 2015)."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.host_call import draws_on_host, on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.checks import invalid
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.ops.random.stateless import start_of
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

SampleDistortedBoundingBox = namedtuple("SampleDistortedBoundingBox", ["begin", "size", "bboxes"])

_EMPTY = 1.0  # rectangles with a smaller area are ignored


class _Words:
    """A stream of random 32-bit words from a Philox key and counter."""

    def __init__(self, key: int, low: int, high: int) -> None:
        self._start = key, low, high
        self._words: list[int] = []
        self._at = 0

    def word(self) -> int:
        if self._at == len(self._words):
            count = max(64, 2 * len(self._words))
            drawn = _ops.philox_uniform_full_int([count], dtypes.uint32, *self._start)
            self._words = drawn.numpy().tolist()
        self._at += 1
        return self._words[self._at - 1]

    def fraction(self) -> np.float32:
        """A random value in [0, 1)."""
        return np.float32((self.word() & 0x7FFFFF) / (1 << 23))

    def below(self, bound: int) -> int:
        """A uniform random integer in [0, bound)."""
        if bound & (bound - 1) == 0:
            return self.word() & (bound - 1)
        top = (1 << 32) - 1
        least = top % bound + 1
        while True:
            word = self.word()
            if word >= least:
                return word % bound


def _rounded(value: Any) -> int:
    return int(np.rint(value))


def _crop(
    width: int, height: int, areas: tuple[float, float], aspect: np.float32, words: _Words
) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of a rectangle of that aspect ratio, or None if there is none."""
    least, most = (np.float32(part) * np.float32(width * height) for part in areas)
    high = _rounded(math.sqrt(least / aspect))
    highest = _rounded(math.sqrt(most / aspect))
    if _rounded(highest * aspect) > width:
        highest = int((width + 0.5 - 1e-7) / aspect)
        if _rounded(highest * aspect) > width:
            highest -= 1
    highest = min(highest, height)
    high = min(high, highest)
    if high < highest:
        high += words.below(highest - high + 1)
    wide = _rounded(high * aspect)
    if high * wide < least:
        high += 1
        wide = _rounded(high * aspect)
    if high * wide > most:
        high -= 1
        wide = _rounded(high * aspect)
    area = float(high * wide)
    if area < least or area > most or wide > width or high > height or wide <= 0 or high <= 0:
        return None
    top = words.below(height - high) if high < height else 0
    left = words.below(width - wide) if wide < width else 0
    return left, top, left + wide, top + high


def _covers(crop: tuple[int, int, int, int], objects: np.ndarray, least: float) -> bool:
    """Whether a rectangle covers enough of one object."""
    if (crop[2] - crop[0]) * (crop[3] - crop[1]) < _EMPTY:
        return False
    for left, top, right, bottom in objects.tolist():
        area = (right - left) * (bottom - top)
        if area < _EMPTY:
            continue
        wide = min(right, crop[2]) - max(left, crop[0])
        high = min(bottom, crop[3]) - max(top, crop[1])
        if np.float32(max(wide, 0) * max(high, 0)) / np.float32(area) >= np.float32(least):
            return True
    return False


def _sampled(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    words: Callable[[int], _Words],
    min_object_covered: TensorLike,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: int | None,
    use_image: bool | None,
) -> SampleDistortedBoundingBox:
    op = "SampleDistortedBoundingBoxV2"
    size = _core.convert(image_size, None, dtypes.int32)
    if size._shape_tuple() != (3,):
        raise invalid(f"image_size must contain 3 elements, got shape {size.shape} [Op:{op}]")
    height, width = size.numpy().tolist()[:2]
    if height <= 0 or width <= 0:
        raise invalid(f"Image height and width must be positive, got {[height, width]} [Op:{op}]")
    if max(height, width) >= 2**31:
        raise invalid(f"Image height and width must be below 2^31, got {[height, width]} [Op:{op}]")
    boxes = _core.convert(bounding_boxes, dtypes.float32, None).numpy()
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid(
            f"bounding boxes must have shape [batch, n, 4], got {list(boxes.shape)} [Op:{op}]"
        )
    boxes = boxes.reshape(-1, 4)
    if boxes.size and (boxes.min() < 0 or boxes.max() > 1):
        raise invalid(f"All bounding box coordinates must be in [0.0, 1.0] [Op:{op}]")
    if (boxes[:, 0] >= boxes[:, 2]).any() or (boxes[:, 1] >= boxes[:, 3]).any():
        raise invalid(f"The first corner of a box must be above and left of the other [Op:{op}]")
    if not len(boxes):
        if not use_image:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                f"use_image_if_no_bounding_boxes if you wish to not provide any. [Op:{op}]"
            )
        boxes = np.array([[0, 0, 1, 1]], np.float32)
    aspects = [0.75, 1.33] if aspect_ratio_range is None else list(aspect_ratio_range)
    areas = [0.05, 1.0] if area_range is None else list(area_range)
    attempts = 100 if max_attempts is None else int(max_attempts)
    if len(aspects) != 2 or not 0 < aspects[0] <= aspects[1]:
        raise invalid(f"Aspect ratios must be positive and ascend, got {aspects} [Op:{op}]")
    if len(areas) != 2 or not 0 < areas[0] <= areas[1] <= 1:
        raise invalid(f"Areas must ascend within (0, 1], got {areas} [Op:{op}]")
    covered = float(_core.convert(min_object_covered, dtypes.float32, None))
    if covered < 0:
        raise invalid(f"Min object covered must be non-negative: {covered} [Op:{op}]")
    scale = np.array([width, height, width, height], np.float32)
    objects = (boxes[:, [1, 0, 3, 2]] * scale).astype(np.int64)
    source = words(attempts)
    low, high = np.float32(aspects[0]), np.float32(aspects[1])
    chosen = (0, 0, width, height)
    for _ in range(attempts):
        aspect = source.fraction() * (high - low) + low
        crop = _crop(width, height, (areas[0], areas[1]), aspect, source)
        if crop is not None and _covers(crop, objects, covered):
            chosen = crop
            break
    left, top, right, bottom = chosen
    corners = np.array([top, left, bottom, right], np.float32) / np.array(
        [height, width, height, width], np.float32
    )
    return SampleDistortedBoundingBox(
        _core.convert([top, left, 0], size.dtype, None),
        _core.convert([bottom - top, right - left, -1], size.dtype, None),
        _core.convert(corners.reshape(1, 1, 4), dtypes.float32, None),
    )


def _box_specs(image_size: Any, *args: object, **kwargs: object) -> SampleDistortedBoundingBox:
    dtype = _core.convert(image_size, None, dtypes.int32).dtype
    corners = TensorSpec([3], dtype)
    return SampleDistortedBoundingBox(corners, corners, TensorSpec([1, 1, 4], dtypes.float32))


def _attempts(*args: Any, max_attempts: int | None = None, **kwargs: object) -> int:
    attempts = args[6] if len(args) > 6 else max_attempts
    return 100 if attempts is None else int(attempts)


@composed_op(
    "SampleDistortedBoundingBoxV2",
    in_graph=draws_on_host(_box_specs, _attempts),
    image_size=Input(INDEX_TYPES, "uint8", "int8", "int16"),
    bounding_boxes=Input("float32"),
    seed=int,
    min_object_covered=Input("float32"),
    aspect_ratio_range=list[float],
    area_range=list[float],
)
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBox:
    """A random box that covers enough of one object.

    Args:
        image_size: `[height, width, channels]`.
        bounding_boxes: the objects, float32 `[batch, n, 4]`: top, left, bottom, right,
            relative to the image's size.
        seed: the operation's seed; 0 for a random one.
        min_object_covered: how much of one object the box must cover.
        aspect_ratio_range: least and largest ratio of width to height; (0.75, 1.33) by default.
        area_range: least and largest part of the image's area; (0.05, 1) by default.
        max_attempts: how often to try before returning the entire image; 100 by default.
        use_image_if_no_bounding_boxes: whether the entire image is the object if there are none.

    Returns:
        `begin` and `size` for `tf.slice`, and the box as `[1, 1, 4]`.

    Raises:
        tf.errors.InvalidArgumentError: if there are no objects, or arguments are out of range.

    >>> box = tf.image.sample_distorted_bounding_box([10, 20, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=1)
    >>> tf.slice(tf.zeros([10, 20, 3]), box.begin, box.size).shape[2]
    3
    """

    def words(attempts: int) -> _Words:
        key = ("SampleDistortedBoundingBoxV2", dtypes.int32)
        return _Words(*random_seed.draw(key, seed or None, attempts))

    return _sampled(
        image_size,
        bounding_boxes,
        words,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


@composed_op(
    "StatelessSampleDistortedBoundingBox",
    in_graph=on_host(_box_specs),
    image_size=Input(INDEX_TYPES, "uint8", "int8", "int16"),
    bounding_boxes=Input("float32"),
    min_object_covered=Input("float32"),
    seed=Input(INDEX_TYPES, type="Tseed"),
    aspect_ratio_range=list[float],
    area_range=list[float],
)
def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBox:
    """The same as `tf.image.sample_distorted_bounding_box`, as a seed `[2]` determines.

    >>> box = tf.image.stateless_sample_distorted_bounding_box(
    ...     [10, 20, 3], [[[0.0, 0.0, 1.0, 1.0]]], seed=(1, 2)
    ... )
    >>> box.bboxes.shape
    TensorShape([1, 1, 4])
    """
    return _sampled(
        image_size,
        bounding_boxes,
        lambda attempts: _Words(*start_of(seed, "auto_select")),
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )

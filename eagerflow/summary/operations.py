"""TensorFlow's operations that return serialized Summary messages, as functions and as nodes of graphs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import context
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.protos.event import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
summary_values = lazy.Module("eagerflow.summary.values")
tensor_messages = lazy.Module("eagerflow.io.tensor_messages")
wav = lazy.Module("eagerflow.audio.wav")


def _operation(kind: str) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Makes a function that fills a Summary message from arrays an operation.

    The operation has the function's other arguments, whose tensors may be symbolic, and returns a
    string: at once, or as one node of a graph.
    """

    def of(fill: Callable[..., None]) -> Callable[..., Any]:
        @functools.wraps(fill)
        def call(*arguments: object, **attributes: object) -> Any:
            if context.building_graph() is not None:
                spec = TensorSpec([], "string")
                return host_call(call, spec, arguments, attributes, name=kind, kind=kind)
            message = MESSAGES["Summary"]()
            fill(message, *map(_array, arguments), **attributes)
            return _core.as_tensor(message.SerializeToString())

        signature = inspect.signature(fill)
        passed = list(signature.parameters.values())[1:]  # callers do not pass the message
        call.__signature__ = signature.replace(parameters=passed)  # type: ignore[attr-defined]
        return call

    return of


def _array(value: object) -> Any:
    return np.asarray(value) if isinstance(value, _core.Tensor) else value


def _text(tag: Any) -> str:
    tag = tag.item() if isinstance(tag, np.ndarray) else tag
    return tag.decode() if isinstance(tag, bytes) else str(tag)


@_operation("ScalarSummary")
def scalar_summary(message: Any, tags: TensorLike, values: TensorLike) -> None:
    """One value for each tag; both are scalars, or have the same shape."""
    tags, values = np.asarray(tags), np.asarray(values)
    if tags.shape != values.shape:
        raise InvalidArgumentError._of(
            f"tags and values are not the same shape: {list(tags.shape)} != {list(values.shape)}"
        )
    for tag, value in zip(tags.ravel(), values.ravel(), strict=True):
        message.value.add(tag=_text(tag), simple_value=float(value))


@functools.cache
def _histogram_limits() -> np.ndarray:
    """Upper limits of buckets, each 1.1 times the one before, on both sides of zero."""
    growth = np.full(780, 1.1)
    growth[0] = 1e-12
    limits = np.multiply.accumulate(growth)
    limits = np.append(limits[limits < 1e20], np.finfo(np.float64).max)
    return np.concatenate([-limits[::-1], [0.0], limits])


@_operation("HistogramSummary")
def histogram_summary(message: Any, tag: TensorLike, values: TensorLike) -> None:
    """How many values are in each bucket, their sum, and the sum of their squares."""
    flat = np.asarray(values).astype(np.float64).ravel()
    name = _text(tag)
    if not np.isfinite(flat).all():
        problem = "Nan in summary histogram" if np.isnan(flat).any() else "Infinity in Histogram"
        raise InvalidArgumentError._of(f"{problem} for: {name}")
    limits = _histogram_limits()
    indices = np.searchsorted(limits, flat, side="right")
    counts = np.bincount(indices, minlength=len(limits))
    # Of consecutive empty buckets only the last is written.
    kept = (counts > 0) | np.append(counts[1:] > 0, True)
    histo = message.value.add(tag=name).histo
    histo.num, histo.sum = float(flat.size), float(flat.sum())
    histo.sum_squares = float(np.square(flat).sum())
    histo.min = float(flat.min()) if flat.size else limits[-1]
    histo.max = float(flat.max()) if flat.size else limits[0]
    histo.bucket_limit.extend(limits[kept])
    histo.bucket.extend(counts[kept].astype(np.float64))


def _pixels(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """Bytes of a float image: scaled by its largest value, and around 128 if it has negative values."""
    finite = np.isfinite(image).all(-1)
    values = image[finite]
    low = float(values.min(initial=0.0))
    high = float(np.abs(values).max(initial=0.0))
    limit, offset = (127.0, 128.0) if low < 0 else (255.0, 0.0)
    scale = limit / high if high >= 1e-6 else 0.0
    pixels = np.empty(image.shape, np.uint8)
    pixels[finite] = (values.astype(np.float32) * np.float32(scale) + np.float32(offset)).astype(
        np.uint8
    )
    pixels[~finite] = bad_color[: image.shape[-1]]
    return pixels


@_operation("ImageSummary")
def image_summary(
    message: Any, tag: Any, tensor: TensorLike, max_images: int = 3, bad_color: Any = None
) -> None:
    """The first images of a batch; pixels that are not finite get the color `bad_color`, or red."""
    batch = np.asarray(tensor)
    if batch.ndim != 4 or batch.shape[-1] not in (1, 3, 4):
        raise InvalidArgumentError._of(
            "Tensor must be 4-D with last dim 1, 3, or 4, not " + str(list(batch.shape))
        )
    color = np.asarray([255, 0, 0, 255] if bad_color is None else bad_color).astype(np.uint8)
    for k, image in enumerate(batch[:max_images]):
        pixels = image if image.dtype == np.uint8 else _pixels(image.astype(np.float64), color)
        entry = message.value.add()
        entry.tag = f"{_text(tag)}/image/{k}" if max_images > 1 else f"{_text(tag)}/image"
        entry.image.height, entry.image.width, entry.image.colorspace = pixels.shape
        entry.image.encoded_image_string = summary_values.encoded_png(pixels)


@_operation("AudioSummaryV2")
def audio_summary(
    message: Any, tag: Any, tensor: TensorLike, sample_rate: TensorLike, max_outputs: int = 3
) -> None:
    """The first clips of a batch, as WAV files."""
    clips, rate = np.asarray(tensor), float(np.asarray(sample_rate))
    if clips.ndim not in (2, 3):
        raise InvalidArgumentError._of(f"Tensor must be 3-D or 2-D, got: {list(clips.shape)}")
    if rate <= 0:
        raise InvalidArgumentError._of("sample_rate must be > 0")
    clips = clips if clips.ndim == 3 else clips[..., None]
    for k, clip in enumerate(clips[:max_outputs]):
        entry = message.value.add()
        entry.tag = f"{_text(tag)}/audio/{k}" if max_outputs > 1 else f"{_text(tag)}/audio"
        entry.audio.sample_rate = rate
        entry.audio.length_frames, entry.audio.num_channels = clip.shape
        entry.audio.encoded_audio_string = wav.encode_wav(clip, int(rate)).numpy()
        entry.audio.content_type = "audio/wav"


@_operation("TensorSummaryV2")
def tensor_summary(message: Any, tag: Any, tensor: Any, serialized_summary_metadata: Any) -> None:
    """A tensor, with a serialized SummaryMetadata message that says how to display it."""
    entry = message.value.add(tag=_text(tag))
    metadata = np.asarray(serialized_summary_metadata, object).item()
    entry.metadata.MergeFromString(metadata)
    proto = tensor_messages.make_tensor_proto(np.asarray(tensor))
    entry.tensor.MergeFromString(proto.SerializeToString())


@_operation("MergeSummary")
def merge_summary(message: Any, inputs: Any) -> None:
    """The values of several serialized messages.

    Raises:
        tf.errors.InvalidArgumentError: if two have the same tag.
    """
    DecodeError = protobuf("message").DecodeError
    seen: set[str] = set()
    for text in inputs:
        part = MESSAGES["Summary"]()
        try:
            part.ParseFromString(np.asarray(text, object).item())
        except DecodeError as error:
            raise InvalidArgumentError._of("Could not parse one of the summary inputs") from error
        for value in part.value:
            if value.tag in seen:
                raise InvalidArgumentError._of(f"Duplicate tag {value.tag} found in summary inputs")
            seen.add(value.tag)
            message.value.append(value)

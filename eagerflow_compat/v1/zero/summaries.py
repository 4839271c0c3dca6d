"""Summaries of versions before 1.0: a tag, and then what it is of."""

from __future__ import annotations

from typing import Any

from eagerflow_compat.v1 import summary


def scalar_summary(tags: str, values: Any, collections: Any = None, name: str | None = None) -> Any:
    """A summary of a scalar, see `tf.summary.scalar`.

    Args:
        tags: the summary's tag.
        values: the scalar.
        collections: to which it is added, by default the summaries.
        name: accepted.
    """
    return summary.scalar(tags, values, collections)


def histogram_summary(
    tag: str, values: Any, collections: Any = None, name: str | None = None
) -> Any:
    """A summary of a tensor's elements, see `tf.summary.histogram`; arguments as `scalar_summary`."""
    return summary.histogram(tag, values, collections)


def image_summary(
    tag: str, tensor: Any, max_images: int = 3, collections: Any = None, name: str | None = None
) -> Any:
    """A summary of at most `max_images` images, see `tf.summary.image`."""
    return summary.image(tag, tensor, max_images, collections)


def audio_summary(
    tag: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    name: str | None = None,
) -> Any:
    """A summary of at most `max_outputs` sounds, see `tf.summary.audio`."""
    return summary.audio(tag, tensor, sample_rate, max_outputs, collections)

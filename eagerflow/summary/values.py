"""The summaries: scalars, histograms, images, audio, text, graphs and plain tensors."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import wave
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.context import process
from eagerflow.framework.host_call import host_call
from eagerflow.framework.name_scope import current_prefix, get_current_name_scope, name_scope
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io import encode_png
from eagerflow.io.serialization import fill_message
from eagerflow.protos.event import MESSAGES
from eagerflow.summary.writer import (
    current_step,
    given_step,
    should_record_summaries,
    state,
    writing_to,
)
from eagerflow.typing import Array, TensorLike

# The collection of a graph that has its nodes for summaries.
GRAPHS_SUMMARIES = "_SUMMARY_V2"
_DEFAULT_BUCKETS = 30
_WAV = 11  # audio's number of the encoding


def _in_graph(function: Callable[..., object]) -> Callable[..., Any]:
    """Wraps a function that writes a summary: while a graph is built, it adds a node.

    Writer, default step, condition and name scope are those of the time of tracing.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if _core.building() is None:
            return function(*args, **kwargs)
        writer, recording, prefix = state.writer, state.recording, current_prefix()
        if writer is None:
            return _core.as_tensor(False)
        arguments = signature.bind(*args, **kwargs).arguments
        arguments["step"] = given_step(arguments.get("step"))
        if callable(arguments.get("tensor")):
            arguments["tensor"] = arguments["tensor"]()
        condition = recording() if callable(recording) else recording

        def run(arguments: Mapping[str, object], condition: TensorLike) -> Any:
            with writing_to(writer, condition), name_scope(prefix):
                return function(**arguments)

        spec = TensorSpec([], dtypes.bool)
        name = f"{function.__name__}_summary"
        node = host_call(run, spec, (arguments, condition), name=name, effects=True)
        graph = _core.building()
        if process.graphs_used and not graph.building_function:
            graph.add_to_collection(GRAPHS_SUMMARIES, node)
        return node

    return call


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: object = None
) -> Iterator[tuple[str, str]]:
    """A name scope for a summary.

    Args:
        name: the summary's name; `default_name` if it is empty.
        default_name: see above.
        values: ignored.

    Returns:
        A context with the tag (the name below the scopes around it) and the scope's name.
    """
    name = name or default_name
    outer = get_current_name_scope()
    tag = f"{outer}/{name}" if outer else name
    with name_scope(name) as scope:
        yield tag, scope


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> Any:
    metadata = MESSAGES["SummaryMetadata"]()
    metadata.plugin_data.plugin_name = plugin
    if content:
        metadata.plugin_data.content = content
    if description:
        metadata.summary_description = description
    return metadata


def _tag(name: str) -> str:
    scope = get_current_name_scope()
    return f"{scope}/{name}" if scope else name


def _record(tag: str, tensor: TensorLike, step: TensorLike | None, metadata: object) -> bool:
    value = MESSAGES["Summary.Value"](tag=tag, metadata=metadata)
    fill_message(value.tensor, _core.as_tensor(tensor))
    return state.writer.add(current_step(step), value)


@_in_graph
def write(
    tag: str, tensor: TensorLike, step: Any = None, metadata: Any = None, name: str | None = None
) -> _core.Tensor:
    """Writes a tensor under a tag, for plugins of TensorBoard.

    Args:
        tag: the name that TensorBoard shows; scopes are not added.
        tensor: the value, or a function that returns it and is called only if it is recorded.
        step: an integer; the default step otherwise.
        metadata: a SummaryMetadata message of any package, or its bytes.

    Returns:
        A boolean tensor: whether it was written.

    Raises:
        ValueError: if there is no step.
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    value = MESSAGES["Summary.Value"](tag=tag)
    if metadata is not None:
        content = metadata if isinstance(metadata, bytes) else metadata.SerializeToString()
        value.metadata.MergeFromString(content)
    fill_message(value.tensor, _core.as_tensor(tensor() if callable(tensor) else tensor))
    return _core.as_tensor(state.writer.add(current_step(step), value))


@_in_graph
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> _core.Tensor:
    """Writes a scalar.

    Args:
        name: the summary's name; name scopes are put before it.
        data: a scalar; it is written as float32.
        step: an integer; the default step otherwise.
        description: text in Markdown that TensorBoard shows.

    Returns:
        A boolean tensor: whether it was written.

    Raises:
        tf.errors.InvalidArgumentError: if `data` is not a scalar.
        ValueError: if there is no step.

    >>> bool(tf.summary.scalar("loss", 0.5, step=1))  # there is no writer
    False
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    number = np.asarray(_core.as_tensor(data))
    if number.ndim != 0:
        raise errors.InvalidArgumentError._of(
            f"tf.summary.scalar takes one number, got shape {number.shape} for {name!r}."
        )
    return _core.as_tensor(
        _record(_tag(name), number.astype(np.float32), step, _metadata("scalars", description))
    )


def _histogram(values: Array, buckets: int) -> Array:
    """Rows of (left edge, right edge, count)."""
    if buckets == 0:
        return np.zeros([0, 3])
    if values.size == 0:
        return np.zeros([buckets, 3])
    low, high = values.min(), values.max()
    if low == high:
        rows = np.full([buckets, 3], low)
        rows[:, 2] = 0
        rows[-1, 2] = values.size
        return rows
    edges = np.linspace(low, high, buckets + 1)
    bins = np.minimum((values - low) / ((high - low) / buckets), buckets - 1).astype(np.int64)
    counts = np.bincount(bins, minlength=buckets)
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], -1)


@_in_graph
def histogram(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    buckets: int | None = None,
    description: str | None = None,
) -> _core.Tensor:
    """Writes how the elements of a tensor are distributed.

    Args:
        name: the summary's name; name scopes are put before it.
        data: numeric values of any shape.
        step: an integer; the default step otherwise.
        buckets: how many intervals of equal width (30).
        description: text in Markdown that TensorBoard shows.

    Returns:
        A boolean tensor: whether it was written.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.histogram("weights", tf.random.normal([100]), step=1))
    True
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    values = np.asarray(_core.as_tensor(data)).astype(np.float64).reshape(-1)
    rows = _histogram(values, _DEFAULT_BUCKETS if buckets is None else buckets)
    return _core.as_tensor(_record(_tag(name), rows, step, _metadata("histograms", description)))


@_in_graph
def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> _core.Tensor:
    """Writes images.

    Args:
        name: the summary's name; name scopes are put before it.
        data: `[images, height, width, channels]` with 1 to 4 channels; uint8, or floats from 0 to 1
            (values outside are clipped).
        step: an integer; the default step otherwise.
        max_outputs: at most so many images are written.
        description: text in Markdown that TensorBoard shows.

    Returns:
        A boolean tensor: whether it was written.

    Raises:
        tf.errors.InvalidArgumentError: if `data` has another shape.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.image("noise", tf.random.uniform([2, 8, 8, 3]), step=1))
    True
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    images = np.asarray(_core.as_tensor(data))
    if images.ndim != 4 or images.shape[-1] not in (1, 2, 3, 4):
        raise errors.InvalidArgumentError._of(
            "tf.summary.image takes [images, height, width, 1 to 4 channels], got shape "
            f"{images.shape} for {name!r}."
        )
    images = images[:max_outputs]
    if images.dtype != np.uint8:
        # Half above the largest byte, so that 1.0 becomes 255.
        scale = 255.5 if images.dtype.kind not in "iub" else 1.0
        images = np.clip(images.astype(np.float64) * scale, 0, 255).astype(np.uint8)
    height, width = images.shape[1:3]
    parts = [str(width).encode(), str(height).encode(), *map(encoded_png, images)]
    strings = np.empty(len(parts), object)
    strings[:] = parts
    return _core.as_tensor(_record(_tag(name), strings, step, _metadata("images", description)))


def encoded_png(pixels: TensorLike) -> bytes:
    return encode_png(pixels).numpy()


@_in_graph
def audio(
    name: str,
    data: TensorLike,
    sample_rate: Any,
    step: TensorLike | None = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> _core.Tensor:
    """Writes sounds.

    Args:
        name: the summary's name; name scopes are put before it.
        data: `[clips, samples, channels]`, floats from -1 to 1.
        sample_rate: samples per second.
        step: an integer; the default step otherwise.
        max_outputs: at most so many clips are written.
        encoding: "wav", the only one.
        description: text in Markdown that TensorBoard shows.

    Returns:
        A boolean tensor: whether it was written.

    Raises:
        ValueError: for another encoding.
        tf.errors.InvalidArgumentError: if `data` has another shape.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    if not should_record_summaries():
        return _core.as_tensor(False)
    clips = np.asarray(_core.as_tensor(data)).astype(np.float64)
    if clips.ndim != 3:
        raise errors.InvalidArgumentError._of(
            f"tf.summary.audio takes [clips, samples, channels], got shape {clips.shape}."
        )
    clips = clips[:max_outputs]
    strings = np.empty((len(clips), 2), object)
    strings[:, 1] = b""
    for k, clip in enumerate(clips):
        strings[k, 0] = _wav(clip, int(sample_rate))
    content = bytes((0x10, _WAV))
    return _core.as_tensor(
        _record(_tag(name), strings, step, _metadata("audio", description, content))
    )


def _wav(samples: Any, rate: int) -> bytes:
    output = io.BytesIO()
    with wave.open(output, "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(samples * 32768, -32768, 32767).astype("<i2").tobytes())
    return output.getvalue()


@_in_graph
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> _core.Tensor:
    """Writes text, which TensorBoard shows as Markdown; tables for tensors of rank 1 and 2.

    Args:
        name: the summary's name; name scopes are put before it.
        data: a string, or strings.
        step: an integer; the default step otherwise.
        description: text in Markdown that TensorBoard shows.

    Returns:
        A boolean tensor: whether it was written.

    Raises:
        TypeError: if `data` is not text.
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    strings = _core.convert(data, dtypes.string)
    return _core.as_tensor(_record(_tag(name), strings, step, _metadata("text", description)))


def graph(graph_data: Any) -> bool:
    """Writes a graph for TensorBoard's graph page.

    Args:
        graph_data: a GraphDef message, its bytes, or an object with `as_graph_def()`.

    Returns:
        Whether it was written.

    Raises:
        TypeError: if it is of another type.
    """
    if not should_record_summaries():
        return False
    if hasattr(graph_data, "as_graph_def"):
        graph_data = graph_data.as_graph_def()
    if hasattr(graph_data, "SerializeToString"):
        graph_data = graph_data.SerializeToString()
    if not isinstance(graph_data, bytes):
        raise TypeError(
            "The argument 'graph_data' must be a graph or a GraphDef message, got "
            f"{type(graph_data).__name__}."
        )
    return _add_event(graph_def=graph_data)


def _add_event(step: int = 0, **what: object) -> bool:
    import time

    add = getattr(state.writer, "add_event", None)
    return bool(add and add(MESSAGES["Event"](wall_time=time.time(), step=step, **what)))


@_in_graph
def write_raw_pb(tensor: TensorLike, step: Any = None, name: str | None = None) -> _core.Tensor:
    """Writes a serialized Summary message.

    Args:
        tensor: its bytes, as a scalar string.
        step: an integer; the default step otherwise.

    Returns:
        A boolean tensor: whether it was written.
    """
    if not should_record_summaries():
        return _core.as_tensor(False)
    summary = MESSAGES["Summary"].FromString(_core.convert(tensor, dtypes.string).numpy())
    return _core.as_tensor(_add_event(current_step(step), summary=summary))

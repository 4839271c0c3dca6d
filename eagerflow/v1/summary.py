"""tf.summary of version 1: summaries are strings that a FileWriter adds to a log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.nodes import python_node
from eagerflow.protos.event import MESSAGES
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
records = lazy.Module("eagerflow.io.records")
summary_values = lazy.Module("eagerflow.summary.values")
summary_writer = lazy.Module("eagerflow.summary.writer")


def message_classes() -> Any:
    """The classes of the messages in logs, by their names."""
    return MESSAGES


def summary_message() -> Any:
    """An empty summary message."""
    return message_classes()["Summary"]()


def _summary(kind: str, name: str, fill: Any, tensor: Any, collections: Any) -> Any:
    """A node, or eagerly a string, that holds a summary message."""

    def make(value: Any) -> Any:
        message = message_classes()["Summary"]()
        entry = message.value.add()
        entry.tag = tag
        fill(entry, np.asarray(value))
        return _core.as_tensor(message.SerializeToString())

    graph = context.building_graph()
    if graph is None:
        tag = name
        return make(tensor)
    node = python_node(make, tensor, kind=kind, name=name, outputs=TensorSpec([], "string"))
    tag = node.op.name
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        graph.add_to_collection(key, node)
    return node


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """A summary of one scalar."""

    def fill(entry: Any, value: np.ndarray) -> None:
        entry.simple_value = float(value)

    return _summary("ScalarSummary", _named(name, family), fill, tensor, collections)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """A summary of the distribution of values."""

    def fill(entry: Any, value: np.ndarray) -> None:
        flat = value.astype(np.float64).ravel()
        histo = entry.histo
        histo.num, histo.sum = float(flat.size), float(flat.sum())
        histo.sum_squares = float(np.square(flat).sum())
        if flat.size:
            histo.min, histo.max = float(flat.min()), float(flat.max())
            counts, edges = np.histogram(flat, 30)
            histo.bucket.extend(counts.astype(np.float64))
            histo.bucket_limit.extend(edges[1:])

    return _summary("HistogramSummary", _named(name, family), fill, values, collections)


def text(name: str, tensor: Any, collections: Any = None) -> Any:
    """A summary of a text."""

    def fill(entry: Any, value: np.ndarray) -> None:
        entry.metadata.plugin_data.plugin_name = "text"
        entry.tensor.dtype = 7
        content = value.reshape(-1).tolist()
        entry.tensor.string_val.extend(
            part.encode() if isinstance(part, str) else part for part in content
        )
        entry.tensor.tensor_shape.dim.add().size = len(content)

    return _summary("TensorSummary", name, fill, tensor, collections)


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Any:
    """A summary of the first images of a batch."""

    def make(value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype != np.uint8:
            high = max(float(np.abs(array).max(initial=0.0)), 1e-12)
            low = float(array.min(initial=0.0))
            array = array * 127.0 / high + 128.0 if low < 0 else array * (255.0 / high)
            array = np.clip(array, 0, 255).astype(np.uint8)
        message = message_classes()["Summary"]()
        for k, pixels in enumerate(array[:max_outputs]):
            entry = message.value.add()
            entry.tag = f"{tag}/image/{k}" if max_outputs > 1 else f"{tag}/image"
            entry.image.height, entry.image.width, entry.image.colorspace = pixels.shape
            entry.image.encoded_image_string = summary_values.encoded_png(pixels)
        return _core.as_tensor(message.SerializeToString())

    graph = context.building_graph()
    tag = _named(name, family)
    if graph is None:
        return make(tensor)
    node = python_node(
        make, tensor, kind="ImageSummary", name=tag, outputs=TensorSpec([], "string")
    )
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        graph.add_to_collection(key, node)
    return node


def _named(name: str, family: str | None) -> str:
    return f"{family}/{name}" if family else name


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """A summary that merges several."""

    def join(parts: list) -> Any:
        # Concatenated messages are one message with all their values.
        return _core.as_tensor(b"".join(part.numpy() for part in parts))

    graph = context.building_graph()
    if graph is None:
        return join(list(inputs))
    node = python_node(
        join,
        list(inputs),
        kind="MergeSummary",
        name=name,
        outputs=TensorSpec([], "string"),
    )
    for key in collections or ():
        graph.add_to_collection(key, node)
    return node


def merge_all(key: Any = GraphKeys.SUMMARIES, scope: str | None = None, name: Any = None) -> Any:
    """A summary that merges those of a collection; None if there are none."""
    summaries = context.default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


class FileWriter:
    """Appends summaries to a log for TensorBoard.

    Args:
        logdir: the folder of the log.
        graph: accepted.
        max_queue: the number of events that are buffered.
        flush_secs: the time after which they are written.
        graph_def: accepted.
        filename_suffix: is added to the file's name.
        session: accepted.
    """

    def __init__(
        self,
        logdir: str,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        self._logdir = logdir
        # The log is written at once, also while a graph is being built.
        with context.running_eagerly():
            self._writer: Any = summary_writer.create_file_writer(
                logdir, max_queue, int(flush_secs * 1000), filename_suffix or ""
            )
            self._writer.init()

    def get_logdir(self) -> str:
        """The folder of the log."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Appends a summary: a serialized one, as sessions return it, or a message."""
        if hasattr(summary, "numpy"):
            summary = summary.numpy()
        message = message_classes()["Summary"]()
        message.ParseFromString(
            summary if isinstance(summary, bytes) else summary.SerializeToString()
        )
        event = message_classes()["Event"](
            wall_time=time.time(), step=0 if global_step is None else int(global_step)
        )
        event.summary.CopyFrom(message)
        with context.running_eagerly():
            self._writer.add_event(event)

    def add_event(self, event: Any) -> None:
        """Appends an event."""
        with context.running_eagerly():
            self._writer.add_event(event)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Does nothing: graphs are not drawn."""

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Flushes the log."""
        with context.running_eagerly():
            self._writer.flush()

    def close(self) -> None:
        """Flushes and closes the log."""
        with context.running_eagerly():
            self._writer.close()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class FileWriterCache:
    """One writer for each folder."""

    _writers: dict[str, FileWriter] = {}

    @classmethod
    def get(cls, logdir: str) -> FileWriter:
        """The writer of a folder."""
        if logdir not in cls._writers:
            cls._writers[logdir] = FileWriter(logdir)
        return cls._writers[logdir]

    @classmethod
    def clear(cls) -> None:
        """Closes all writers."""
        for writer in cls._writers.values():
            writer.close()
        cls._writers.clear()


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of an event file, in the order they were written.

    Args:
        path: the file.

    Yields:
        `Event` messages: `wall_time`, `step`, and what happened, such as `summary`.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
        tf.errors.DataLossError: at an event that is damaged.

    >>> import glob, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     _ = tf.summary.scalar("loss", 0.5, step=3)
    >>> events = tf.compat.v1.train.summary_iterator(glob.glob(f"{folder}/*")[0])
    >>> [value.tag for event in events for value in event.summary.value]
    ['loss']
    """
    for entry in records.read_records(path):
        yield message_classes()["Event"].FromString(entry)

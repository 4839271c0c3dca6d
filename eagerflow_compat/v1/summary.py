"""tf.summary of version 1: summaries are strings that a FileWriter adds to a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework import name_scope as names
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.naming import called
from eagerflow.protos.event import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.typing import FilePath, TensorLike
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when they are first used: few programs need them.
records = lazy.Module("eagerflow.io.records")
operations = lazy.Module("eagerflow.summary.operations")
summary_values = lazy.Module("eagerflow.summary.values")
summary_writer = lazy.Module("eagerflow.summary.writer")


def message_classes() -> Any:
    """The classes of the messages in logs, by their names."""
    return MESSAGES


def summary_message() -> Any:
    """An empty summary message."""
    return message_classes()["Summary"]()


def _summary(
    operation: Callable[..., _core.Tensor],
    name: str,
    tensor: _core.Tensor,
    collections: Iterable[str] | None,
    family: str | None = None,
    **more: Any,
) -> _core.Tensor | None:
    """A node, or eagerly a string, that holds a summary message.

    A family is a scope of the node and stands once more before its tag.
    """
    scoped = f"{family}/{name}" if family else name
    graph = context.building_graph()

    def make(scope: str) -> _core.Tensor:
        tag = f"{family}/{scope}" if family else scope
        return operation(tag, _core.as_tensor(tensor), **more)

    if graph is None:
        return make(scoped)
    node = called(scoped, None, lambda: make(graph.get_name_scope()))
    for key in [GraphKeys.SUMMARIES] if collections is None else collections:
        graph.add_to_collection(key, node)
    return node


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Any:
    """A summary of one scalar."""
    return _summary(operations.scalar_summary, name, tensor, collections, family)


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Any:
    """A summary of the distribution of values."""
    return _summary(operations.histogram_summary, name, values, collections, family)


def text(name: str, tensor: TensorLike, collections: Any = None) -> _core.Tensor | None:
    """A summary of a text."""
    metadata = message_classes()["SummaryMetadata"]()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Sequence[str] | None = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> _core.Tensor | None:
    """A summary of any tensor.

    Args:
        name: the node's name, and the tag.
        tensor: a tensor of any dtype and shape.
        summary_description: a longer text about it.
        collections: what the summary is added to; `tf.GraphKeys.SUMMARIES` by default.
        summary_metadata: a SummaryMetadata message, which says how to show it.
        family: a prefix of the name.
        display_name: a name to show instead of the tag.

    >>> import numpy as np
    >>> summary = tf.compat.v1.summary.tensor_summary("t", [1, 2])
    >>> tf.make_ndarray(tf.compat.v1.Summary.FromString(summary.numpy()).value[0].tensor)
    array([1, 2], dtype=int32)
    """
    metadata = message_classes()["SummaryMetadata"]()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    return _summary(
        operations.tensor_summary, name, tensor, collections, family,
        serialized_summary_metadata=metadata.SerializeToString()
    )  # fmt: skip


def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> _core.Tensor | None:
    """A summary of the first images of a batch."""
    return _summary(
        operations.image_summary, name, tensor, collections, family, max_images=max_outputs
    )


def audio(
    name: str,
    tensor: Any,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> _core.Tensor | None:
    """A summary of the first clips of a batch.

    Args:
        name: the node's name, and the tag.
        tensor: float32 samples in [-1, 1], (clips, samples) or (clips, samples, channels).
        sample_rate: samples a second.
        max_outputs: how many clips are kept at most.
        collections: what the summary is added to; `tf.GraphKeys.SUMMARIES` by default.
        family: a prefix of the name.

    >>> import numpy as np
    >>> summary = tf.compat.v1.summary.audio("clip", np.zeros([1, 4], np.float32), 8000)
    >>> tf.compat.v1.Summary.FromString(summary.numpy()).value[0].tag
    'clip/audio/0'
    """
    return _summary(
        operations.audio_summary, name, tensor, collections, family,
        sample_rate=sample_rate, max_outputs=max_outputs
    )  # fmt: skip


def initialize(graph: Any = None, session: Any = None) -> None:
    """Opens the default writer of `tf.summary`, and writes a graph into its log.

    Args:
        graph: a graph or a GraphDef message; None writes none.
        session: accepted.
    """
    if graph is not None:
        summary_values.graph(graph)


def all_v2_summary_ops() -> list[Any]:
    """The operations of version 2's summaries in this graph."""
    if context.executing_eagerly():
        return []
    return context.default_graph().get_collection(summary_values.GRAPHS_SUMMARIES)


def get_summary_description(node_def: Any) -> Any:
    """The description that an older node for summaries of tensors has.

    Raises:
        ValueError: if the node is of another kind.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = message_classes()["SummaryDescription"]()
    text_format = protobuf("json_format")
    text_format.Parse(node_def.attr["description"].s.decode() or "{}", description)
    return description


def _refuse_eagerly(what: str) -> None:
    if context.executing_eagerly():
        raise RuntimeError(
            f"{what} is not compatible with eager execution. Use tf.contrib.summary, or "
            "tf.summary.create_file_writer of TensorFlow 2, instead."
        )


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> _core.Tensor:
    """A summary that merges several; no two values may have the same tag.

    Raises:
        RuntimeError: if operations run eagerly.
    """
    _refuse_eagerly("Merging tf.summary.* ops")
    graph = context.building_graph()
    with names.name_scope(name or "Merge"):
        kind = name or "MergeSummary"
        node = called(kind, None, lambda: operations.merge_summary(list(inputs)))
    for key in collections or ():
        graph.add_to_collection(key, node)
    return node


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: Any = None) -> Any:
    """A summary that merges those of a collection; None if there are none."""
    _refuse_eagerly("Merging tf.summary.* ops")
    summaries = context.default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


class FileWriter:
    """Appends summaries to a log for TensorBoard.

    Args:
        logdir: the folder of the log.
        graph: a graph, which is written first; TensorBoard draws it.
        max_queue: the number of events that are buffered.
        flush_secs: the time after which they are written.
        graph_def: a GraphDef message to write instead.
        filename_suffix: is added to the file's name.
        session: accepted.

    Raises:
        RuntimeError: if operations run eagerly.
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
        _refuse_eagerly("tf.summary.FileWriter")
        self._logdir = logdir
        self._options = max_queue, int(flush_secs * 1000), filename_suffix or ""
        self._writer: Any = None
        self.reopen()
        self._tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def get_logdir(self) -> str:
        """The folder of the log."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: TensorLike | None = None) -> None:
        """Appends a summary: a serialized one, as sessions return it, or a message."""
        if hasattr(summary, "numpy"):
            summary = summary.numpy()
        message = message_classes()["Summary"]()
        message.ParseFromString(
            summary if isinstance(summary, bytes) else summary.SerializeToString()
        )
        self._add(global_step, summary=message)

    def add_event(self, event: Any) -> None:
        """Appends an event; only warns if the writer is closed."""
        if self._writer is None:
            warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened."
            )
            return
        with context.running_eagerly():
            self._writer.add_event(event)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Appends a graph, or a GraphDef message, which TensorBoard draws."""
        graph = graph_def if graph is None else graph
        if hasattr(graph, "as_graph_def"):
            graph = graph.as_graph_def(add_shapes=True)
        self._add(global_step, graph_def=graph.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: TensorLike | None = None) -> None:
        """Appends a MetaGraphDef message."""
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Appends what a run of a session was traced to, under a tag of its own.

        Raises:
            ValueError: if the tag was used before.
        """
        if tag in self._tags:
            raise ValueError("The provided tag was already used for this event type")
        self._tags.add(tag)
        tagged = message_classes()["TaggedRunMetadata"](tag=tag)
        tagged.run_metadata = run_metadata.SerializeToString()
        self._add(global_step, tagged_run_metadata=tagged)

    def add_session_log(self, session_log: Any, global_step: TensorLike | None = None) -> None:
        """Appends a SessionLog message, such as the start of a session."""
        self._add(global_step, session_log=session_log)

    def _add(self, step: Any, **what: Any) -> None:
        event = message_classes()["Event"](
            wall_time=time.time(), step=0 if step is None else int(step), **what
        )
        self.add_event(event)

    def flush(self) -> None:
        """Flushes the log."""
        if self._writer is not None:
            with context.running_eagerly():
                self._writer.flush()

    def close(self) -> None:
        """Flushes and closes the log."""
        if self._writer is not None:
            with context.running_eagerly():
                self._writer.close()
            self._writer = None

    def reopen(self) -> None:
        """Goes on in another file of the folder after `close`; does nothing if it is open."""
        if self._writer is None:
            # The log is written at once, also while a graph is being built.
            with context.running_eagerly():
                self._writer = summary_writer.create_file_writer(self._logdir, *self._options)
                self._writer.init()

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


def summary_iterator(path: FilePath) -> Iterator[Any]:
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

"""tf.contrib.summary's writers in use, global step, and conditions on it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.operation import Operation
from eagerflow.summary import values, writer
from eagerflow.typing import FilePath, TensorLike
from eagerflow_compat.v1.global_step import get_or_create_global_step


def create_file_writer(
    logdir: FilePath,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> writer.SummaryWriter:
    """A writer of an event file in a folder; see `tf.summary.create_file_writer`.

    Summaries are recorded only inside `always_record_summaries` or its like.
    """
    if logdir is None:
        return writer.create_noop_writer()
    made = writer.create_file_writer(logdir, max_queue, flush_millis, filename_suffix)
    if not context.executing_eagerly():
        context.default_graph().add_to_collection(_WRITERS, made.init())
    return made


def _step(step: Any) -> TensorLike:
    """The step, or the global one: an integer, or a tensor of a graph."""
    step = get_or_create_global_step() if step is None else step
    return int(step) if context.executing_eagerly() else _core.as_tensor(step)


@contextlib.contextmanager
def always_record_summaries() -> Iterator[None]:
    """A context in which summaries are recorded."""
    with _recording(True):
        yield


@contextlib.contextmanager
def never_record_summaries() -> Iterator[None]:
    """A context in which no summaries are recorded."""
    with _recording(False):
        yield


@contextlib.contextmanager
def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Iterator[None]:
    """A context in which summaries are recorded whenever the step is a multiple of `n`.

    Args:
        n: the number of steps between two records.
        global_step: the step; the global one by default.
    """
    with _recording(lambda: _core.ops.equal(_core.ops.floormod(_step(global_step), n), 0)):
        yield


_on: list[Any] = []


@contextlib.contextmanager
def _recording(condition: bool | Callable[[], TensorLike]) -> Iterator[None]:
    _on.append(condition)
    try:
        with writer.record_if(condition):
            yield
    finally:
        _on.pop()


def should_record_summaries() -> bool | _core.Tensor:
    """Whether a summary would be written now; in a graph, a tensor that says so."""
    if context.executing_eagerly():
        return bool(_on) and writer.should_record_summaries()
    condition = _on[-1] if _on and writer.state.writer is not None else False
    return _core.as_tensor(condition() if callable(condition) else condition)


def _write(function: Any, name: str, step: Any, *args: object, **kwargs: Any) -> _core.Tensor:
    # In a graph, the node finds out whether it is to write.
    if not _on or (context.executing_eagerly() and not should_record_summaries()):
        return _core.as_tensor(False)
    return function(name, *args, step=_step(step), **kwargs)


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Writes a scalar at the global step.

    Args:
        name: the summary's name.
        tensor: the scalar.
        family: comes before the name, if given.
        step: the step, by default the global one.
    """
    return _write(values.scalar, _tag(name, family), step, tensor)


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Writes a histogram of a tensor's elements; arguments as in `scalar`."""
    return _write(values.histogram, _tag(name, family), step, tensor)


def image(
    name: str,
    tensor: TensorLike,
    bad_color: object = None,
    max_images: int = 3,
    family: str | None = None,
    step: TensorLike | None = None,
) -> _core.Tensor | None:
    """Writes images, `[images, height, width, channels]`; arguments as in `scalar`."""
    return _write(values.image, _tag(name, family), step, tensor, max_outputs=max_images)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    family: str | None = None,
    step: TensorLike | None = None,
) -> _core.Tensor | None:
    """Writes sounds, `[clips, samples, channels]`; arguments as in `scalar`."""
    return _write(
        values.audio, _tag(name, family), step, tensor, sample_rate, max_outputs=max_outputs
    )


def generic(
    name: str, tensor: TensorLike, metadata: Any = None, family: str | None = None, step: Any = None
) -> _core.Tensor | None:
    """Writes a tensor as it is; arguments as in `scalar`."""
    return _write(values.write, _tag(name, family), step, tensor, metadata=metadata)


def graph(param: Any, step: object = None, name: str | None = None) -> bool:
    """Writes a graph for TensorBoard's graph page, at once."""
    if not _on or writer.state.writer is None:
        return False
    with context.running_eagerly():
        return values.graph(param)


def flush(writer_to_flush: Any = None, name: str | None = None) -> Operation | None:
    """Flushes a writer, by default the one in use; in a graph, an operation that does."""
    return writer.flush(writer_to_flush)


def _tag(name: str, family: str | None) -> str:
    return f"{family}/{name}" if family else name


def initialize(graph: Any = None, session: Any = None) -> None:
    """Writes a graph to the writer in use; a writer is ready when it is made.

    Args:
        graph: a graph or a GraphDef message; None writes none.
        session: accepted.
    """
    if graph is not None and writer.state.writer is not None and not context.executing_eagerly():
        with context.running_eagerly(), writer.record_if(True):
            values.graph(graph)


# The collection of the operations that make writers ready, as TensorFlow's graphs call it.
_WRITERS = "_SUMMARY_WRITER_V2"


def summary_writer_initializer_op() -> list[Any]:
    """The operations that make the writers of a graph ready.

    Raises:
        RuntimeError: where operations run eagerly.
    """
    if context.executing_eagerly():
        raise RuntimeError(
            "tf.contrib.summary.summary_writer_initializer_op is only supported in graph mode."
        )
    return context.default_graph().get_collection(_WRITERS)


def all_summary_ops() -> list[Any]:
    """The nodes of the graph that write summaries; none where operations run eagerly."""
    if context.executing_eagerly():
        return []
    return context.default_graph().get_collection(values.GRAPHS_SUMMARIES)

"""tf.summary: what a training run tells TensorBoard."""

from eagerflow.summary import (
    experimental,
)
from eagerflow.summary.trace import (
    trace_export,
    trace_off,
    trace_on,
)
from eagerflow.summary.values import (
    audio,
    graph,
    histogram,
    image,
    scalar,
    text,
    write,
)
from eagerflow.summary.writer import (
    SummaryWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    record_if,
    should_record_summaries,
)

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]

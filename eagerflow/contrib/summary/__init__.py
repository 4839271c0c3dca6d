"""tf.contrib.summary: summaries as eager programs of the first generation wrote them."""

from eagerflow.summary.writer import SummaryWriter
from eagerflow.v1.step_summary import (
    all_summary_ops,
    always_record_summaries,
    audio,
    create_file_writer,
    flush,
    generic,
    graph,
    histogram,
    image,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
    summary_writer_initializer_op,
)

create_summary_file_writer = create_file_writer

__all__ = [
    "SummaryWriter",
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]

"""tf.compat.v1.summary: summaries for graphs."""

from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.summary import (
    FileWriter,
    FileWriterCache,
    all_v2_summary_ops,
    audio,
    get_summary_description,
    histogram,
    image,
    initialize,
    merge,
    merge_all,
    scalar,
    tensor_summary,
    text,
)

_MESSAGES = ("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata")

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.summary",
    renamed={name: f"v1.protos.{name}" for name in _MESSAGES},
    hidden=("create_file_writer", "create_noop_writer", "graph", "write"),
)

"""tf.compat.v1.summary: summaries for graphs."""

from eagerflow.v1.mirror import mirror
from eagerflow.v1.summary import (
    FileWriter,
    FileWriterCache,
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    text,
)

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.summary",
    hidden=("audio", "create_file_writer", "create_noop_writer", "graph", "write"),
)

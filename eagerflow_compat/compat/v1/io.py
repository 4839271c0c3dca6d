"""tf.compat.v1.io: reading, parsing and writing, with version 1's names."""

from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.records import TFRecordCompressionType, tf_record_iterator

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow_compat.v1.decoding",
    "eagerflow.io",
    renamed={
        name: f"queue.{name}"
        for name in ("PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue")
    }
    | {name: f"v1.sparse.{name}" for name in ("serialize_many_sparse", "serialize_sparse")},
)

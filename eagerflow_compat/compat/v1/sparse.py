"""tf.compat.v1.sparse: sparse tensors, with version 1's names and arguments."""

from eagerflow.graph.placeholder import sparse_placeholder as placeholder
from eagerflow_compat.v1.accumulators import SparseConditionalAccumulator
from eagerflow_compat.v1.mirror import mirror

_OLDER = (
    *("add", "concat", "merge", "reduce_max", "reduce_sum"),
    *("segment_mean", "segment_sqrt_n", "segment_sum", "split"),
)

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.sparse",
    renamed={name: f"v1.sparse.sparse_{name}" for name in _OLDER}
    | {
        "matmul": "sparse.sparse_dense_matmul",
        "reduce_max_sparse": "v1.sparse.sparse_reduce_max_sparse",
        "reduce_sum_sparse": "v1.sparse.sparse_reduce_sum_sparse",
    },
)

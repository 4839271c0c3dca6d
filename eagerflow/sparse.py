"""tf.sparse: tensors most of whose elements are zero."""

from eagerflow.ops.sparse.arithmetic import (
    add,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    sampled_addmm,
    softmax,
    sparse_dense_matmul,
)
from eagerflow.ops.sparse.arrangement import (
    concat,
    expand_dims,
    fill_empty_rows,
    map_values,
    mask,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    transpose,
)
from eagerflow.ops.sparse.conversion import (
    eye,
    from_dense,
    reorder,
    to_dense,
    to_indicator,
)
from eagerflow.ops.sparse.crossing import (
    cross,
    cross_hashed,
)
from eagerflow.ops.sparse.segments import (
    bincount,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
)
from eagerflow.sparse_tensor import (
    SparseTensor,
)

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

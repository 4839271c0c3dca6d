from eagerflow.sparse.algebra import matmul as matmul, multiply as multiply
from eagerflow.sparse.arithmetic import (
    add as add,
    maximum as maximum,
    minimum as minimum,
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    sampled_addmm as sampled_addmm,
    softmax as softmax,
    sparse_dense_matmul as sparse_dense_matmul,
)
from eagerflow.sparse.arrangement import (
    concat as concat,
    expand_dims as expand_dims,
    fill_empty_rows as fill_empty_rows,
    map_values as map_values,
    mask as mask,
    reset_shape as reset_shape,
    reshape as reshape,
    retain as retain,
    slice as slice,
    split as split,
    transpose as transpose,
)
from eagerflow.sparse.conversion import (
    eye as eye,
    from_dense as from_dense,
    reorder as reorder,
    to_dense as to_dense,
    to_indicator as to_indicator,
)
from eagerflow.sparse.crossing import (
    cross as cross,
    cross_hashed as cross_hashed,
)
from eagerflow.sparse.segments import (
    bincount as bincount,
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
)
from eagerflow.sparse.tensor import SparseTensor as SparseTensor

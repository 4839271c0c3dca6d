"""tf.linalg: matrices and vectors."""

from eagerflow.ops.creation import (
    eye,
)
from eagerflow.ops.einsum import (
    einsum,
)
from eagerflow.ops.linalg import (
    adjoint,
    band_part,
    cross,
    diag,
    diag_part,
    global_norm,
    l2_normalize,
    matmul,
    matrix_transpose,
    matvec,
    norm,
    normalize,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    tensordot,
    trace,
)

__all__ = [
    "adjoint",
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
]

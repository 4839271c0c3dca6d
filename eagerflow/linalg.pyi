from eagerflow._core.ops import matmul as matmul, matrix_band_part
from eagerflow.linear_operators import experimental as experimental
from eagerflow.linear_operators.blocks import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from eagerflow.linear_operators.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from eagerflow.linear_operators.dense import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
    LinearOperatorHouseholder as LinearOperatorHouseholder,
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
    LinearOperatorPermutation as LinearOperatorPermutation,
    LinearOperatorTridiag as LinearOperatorTridiag,
)
from eagerflow.linear_operators.derived import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
    LinearOperatorComposition as LinearOperatorComposition,
    LinearOperatorInversion as LinearOperatorInversion,
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from eagerflow.linear_operators.diagonal import (
    LinearOperatorDiag as LinearOperatorDiag,
    LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
    LinearOperatorZeros as LinearOperatorZeros,
)
from eagerflow.linear_operators.operator import LinearOperator as LinearOperator
from eagerflow.ops.creation import eye as eye
from eagerflow.ops.linalg.banded import (
    banded_triangular_solve as banded_triangular_solve,
    eigh_tridiagonal as eigh_tridiagonal,
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from eagerflow.ops.linalg.diagonals import (
    diag as diag,
    diag_part as diag_part,
    set_diag as set_diag,
)
from eagerflow.ops.linalg.einsum import einsum as einsum
from eagerflow.ops.linalg.factorization import (
    cholesky as cholesky,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    lu as lu,
    qr as qr,
    svd as svd,
)
from eagerflow.ops.linalg.matrix_functions import expm as expm, logm as logm, sqrtm as sqrtm
from eagerflow.ops.linalg.products import (
    adjoint as adjoint,
    cross as cross,
    global_norm as global_norm,
    l2_normalize as l2_normalize,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
    norm as norm,
    normalize as normalize,
    tensor_diag as tensor_diag,
    tensor_diag_part as tensor_diag_part,
    tensordot as tensordot,
    trace as trace,
)
from eagerflow.ops.linalg.solvers import (
    cholesky_solve as cholesky_solve,
    det as det,
    inv as inv,
    logdet as logdet,
    lstsq as lstsq,
    lu_matrix_inverse as lu_matrix_inverse,
    lu_reconstruct as lu_reconstruct,
    lu_solve as lu_solve,
    matrix_rank as matrix_rank,
    pinv as pinv,
    slogdet as slogdet,
    solve as solve,
    triangular_solve as triangular_solve,
)

band_part = matrix_band_part

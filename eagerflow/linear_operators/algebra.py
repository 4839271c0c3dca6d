"""What adjoints, inverses, factors, products and quotients of operators are as operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.blocks import (
    LinearOperatorBlockDiag,
    LinearOperatorBlockLowerTriangular,
    LinearOperatorKronecker,
)
from eagerflow.linear_operators.circulant import BaseLinearOperatorCirculant
from eagerflow.linear_operators.dense import (
    LinearOperatorFullMatrix,
    LinearOperatorHouseholder,
    LinearOperatorLowerTriangular,
)
from eagerflow.linear_operators.derived import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
from eagerflow.linear_operators.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from eagerflow.linear_operators.operator import LinearOperator
from eagerflow.ops.linalg import diagonals, factorization, products, solvers
from eagerflow.typing import TensorLike


def _conj(value: _core.Tensor) -> Any:
    return tf.conj(value) if value.dtype.is_complex else value


def adjoint(operator: LinearOperator) -> LinearOperator:
    """The conjugate transpose of an operator that is not known to be self-adjoint."""
    hints = operator._hints()
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(_conj(operator.diag), **hints)
    if isinstance(operator, LinearOperatorScaledIdentity):
        rows = operator.domain_dimension_tensor()
        return LinearOperatorScaledIdentity(rows, _conj(operator.multiplier), **hints)
    if isinstance(operator, BaseLinearOperatorCirculant):
        return operator._copy({"spectrum": _conj(operator.spectrum), **hints})
    if isinstance(operator, LinearOperatorBlockDiag | LinearOperatorKronecker):
        parts = [part.adjoint() for part in operator.operators]
        return type(operator)(parts, **hints, name=f"{operator.name}_adjoint")
    return LinearOperatorAdjoint(operator, **hints)


def inverse(operator: LinearOperator) -> LinearOperator:
    """The inverse of an operator that is not known to be singular."""
    hints = operator._hints()
    if isinstance(operator, LinearOperatorIdentity | LinearOperatorHouseholder):
        return operator
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(1.0 / operator.diag, **hints)
    if isinstance(operator, LinearOperatorScaledIdentity):
        rows = operator.domain_dimension_tensor()
        return LinearOperatorScaledIdentity(rows, 1.0 / operator.multiplier, **hints)
    if isinstance(operator, BaseLinearOperatorCirculant):
        return operator._copy({"spectrum": 1.0 / operator.spectrum, **hints})
    if isinstance(operator, LinearOperatorBlockDiag | LinearOperatorKronecker):
        parts = [part.inverse() for part in operator.operators]
        return type(operator)(parts, **hints, name=f"{operator.name}_inv")
    if isinstance(operator, LinearOperatorBlockLowerTriangular):
        return _inverse_of_blocks(operator)
    if isinstance(operator, LinearOperatorAdjoint) and not isinstance(
        plain := operator.operator.inverse(), LinearOperatorInversion
    ):
        return plain.adjoint()
    return LinearOperatorInversion(operator, **hints)


def _inverse_of_blocks(operator: LinearOperatorBlockLowerTriangular) -> LinearOperator:
    """Blocks of the inverse: forward substitution, row by row."""
    rows: list[list[LinearOperator]] = []
    for k, row in enumerate(operator.operators):
        last = row[-1].inverse()
        blocks: list[LinearOperator] = []
        for j in range(k):
            below: Any = None
            for i in range(j, k):
                term = row[i].matmul(rows[i][j]).to_dense()
                below = term if below is None else below + term
            blocks.append(LinearOperatorFullMatrix(-last.matmul(below)))
        rows.append([*blocks, last])
    return LinearOperatorBlockLowerTriangular(rows, **operator._hints())


def cholesky(operator: LinearOperator) -> LinearOperator:
    """The Cholesky factor of an operator that is known to be positive definite."""
    if isinstance(operator, LinearOperatorIdentity):
        return operator
    if isinstance(operator, LinearOperatorDiag):
        return LinearOperatorDiag(
            tf.sqrt(operator.diag),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )
    if isinstance(operator, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(
            operator.domain_dimension_tensor(),
            tf.sqrt(operator.multiplier),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )
    if isinstance(operator, LinearOperatorBlockDiag | LinearOperatorKronecker):
        parts = [part.cholesky() for part in operator.operators]
        return type(operator)(parts, is_non_singular=True, is_self_adjoint=None, is_square=True)
    return LinearOperatorLowerTriangular(
        factorization.cholesky(operator.to_dense()),
        is_non_singular=True,
        is_self_adjoint=False,
        is_square=True,
    )


def _both(hint: str, left: LinearOperator, right: LinearOperator) -> bool | None:
    return True if getattr(left, hint) and getattr(right, hint) else None


def _non_singular(left: LinearOperator, right: LinearOperator) -> bool | None:
    if False in (left.is_non_singular, right.is_non_singular):
        return False
    return _both("is_non_singular", left, right)


def _positive_commuting(left: LinearOperator, right: LinearOperator) -> bool | None:
    """Whether the product of two that commute is positive definite."""
    if not (left.is_self_adjoint and right.is_self_adjoint):
        return None
    return _both("is_positive_definite", left, right)


def _commuting_hints(left: LinearOperator, right: LinearOperator) -> dict[str, Any]:
    return {
        "is_non_singular": _non_singular(left, right),
        "is_self_adjoint": _both("is_self_adjoint", left, right),
        "is_positive_definite": _positive_commuting(left, right),
        "is_square": True,
    }


def product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators."""
    for zeros in (left, right):
        if isinstance(zeros, LinearOperatorZeros):
            return _product_of_zeros(left, right)
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    diagonal = (LinearOperatorDiag, LinearOperatorScaledIdentity)
    if isinstance(left, diagonal) and isinstance(right, diagonal):
        return _product_of_diagonals(left, right)
    triangle = LinearOperatorLowerTriangular
    if isinstance(left, LinearOperatorDiag) and isinstance(right, triangle):
        return _triangle(left.matmul(right.to_dense()), left, right)
    if isinstance(left, triangle) and isinstance(right, LinearOperatorDiag):
        return _triangle(left.to_dense() * tf.expand_dims(right.diag, -2), left, right)
    if isinstance(left, BaseLinearOperatorCirculant) and type(left) is type(right):
        hints = _commuting_hints(left, right)
        return left._copy({"spectrum": left.spectrum * right.spectrum, **hints})
    if _are_matching_blocks(left, right):
        pairs = zip(left.operators, right.operators, strict=True)  # type: ignore[attr-defined]
        return LinearOperatorBlockDiag([one.matmul(other) for one, other in pairs])
    return LinearOperatorComposition([left, right], **_hints_of_product(left, right))


def _hints_of_product(left: LinearOperator, right: LinearOperator) -> dict[str, Any]:
    """The hints of the product of two operators."""
    if left.is_square and right.is_square:
        return {"is_non_singular": _non_singular(left, right), "is_square": True}
    square = left.range_dimension == right.domain_dimension
    if square is False:
        names = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
        return dict.fromkeys(names, False)
    return {"is_square": square}


def _product_of_zeros(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    if not (left.is_square and right.is_square):
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
            "supported at this time."
        )
    return left if isinstance(left, LinearOperatorZeros) else right


def _scale(operator: LinearOperator) -> _core.Tensor:
    """The diagonal, or the number that all of it is, as a column."""
    if isinstance(operator, LinearOperatorDiag):
        return operator.diag
    return tf.expand_dims(operator.multiplier, -1)  # type: ignore[attr-defined]


def _product_of_diagonals(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    hints = _commuting_hints(left, right)
    scaled = LinearOperatorScaledIdentity
    if isinstance(left, scaled) and isinstance(right, scaled):
        number = left.multiplier * right.multiplier
        return LinearOperatorScaledIdentity(left.domain_dimension_tensor(), number, **hints)
    return LinearOperatorDiag(_scale(left) * _scale(right), **hints)


def _triangle(matrix: TensorLike, left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        matrix,
        is_non_singular=_non_singular(left, right),
        # Not known: the product of two that are self-adjoint need not be.
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
    )


def _are_matching_blocks(left: LinearOperator, right: LinearOperator) -> bool:
    blocks = LinearOperatorBlockDiag
    if not (isinstance(left, blocks) and isinstance(right, blocks)):
        return False
    columns, rows = left._block_domain_dimensions(), right._block_range_dimensions()
    return [size.value for size in columns] == [size.value for size in rows]


def quotient(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of an operator's inverse and another operator."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left.inverse()
    if isinstance(left, LinearOperatorInversion):
        return left.operator.matmul(right)
    diagonal = (LinearOperatorDiag, LinearOperatorScaledIdentity)
    circulant = isinstance(left, BaseLinearOperatorCirculant) and type(left) is type(right)
    if (isinstance(left, diagonal) and isinstance(right, diagonal)) or circulant:
        return left.inverse().matmul(right)
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorLowerTriangular):
        return left.inverse().matmul(right)
    if _are_matching_blocks(left, right):
        pairs = zip(left.operators, right.operators, strict=True)  # type: ignore[attr-defined]
        return LinearOperatorBlockDiag([one.solve(other) for one, other in pairs])
    inner = LinearOperatorInversion(left)
    return LinearOperatorComposition([inner, right], **_hints_of_product(left, right))


def sliced_parameters(operator: LinearOperator, slices: Any) -> dict[str, Any]:
    """The parameters of the operator that a slice of the batch is.

    Args:
        operator: the operator.
        slices: an index or a tuple of them, for the batch dimensions.
    """
    keys = slices if isinstance(slices, tuple) else (slices,)
    batch = operator.batch_shape_tensor()

    def sliced(value: Any, dims: Any) -> Any:
        if isinstance(dims, list):
            return [sliced(part, each) for part, each in zip(value, dims, strict=True)]
        if isinstance(value, LinearOperator):
            # Its own batch may be smaller than that of the whole.
            return value[slices] if value.batch_shape.rank else value
        event = tf.shape(value)[len(value.shape) - dims :]
        whole = tf.broadcast_to(value, tf.concat([batch, event], axis=0))
        rest: tuple[Any, ...] = (slice(None),) * dims
        index = (*keys, *rest) if Ellipsis in keys else (*keys, Ellipsis, *rest)
        return whole[index]

    values = operator._tensor_parameters()
    ndims = operator._experimental_parameter_ndims_to_matrix_ndims
    return {name: sliced(value, ndims[name]) for name, value in values.items() if name in ndims}


def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    **kwargs: object,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if any(kwargs.get(name) for name in ("a_is_sparse", "b_is_sparse")):
        raise ValueError("Sparse methods not supported at this time.")
    if not isinstance(a, LinearOperator):
        # (b^H a^H)^H
        flipped = b.matmul(_core.as_tensor(a), adjoint=not adjoint_b, adjoint_arg=not adjoint_a)
        return products.adjoint(flipped)
    return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)


def _matvec(
    a: Any, b: TensorLike, transpose_a: bool = False, adjoint_a: bool = False, **kwargs: object
) -> _core.Tensor:
    if transpose_a:
        raise ValueError("Transposing not supported at this time.")
    return a.matvec(b, adjoint=adjoint_a)


def _solve(matrix: Any, rhs: _core.Tensor, adjoint: bool = False, name: str | None = None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported."
        )
    return matrix.solve(rhs, adjoint=adjoint)


def _no_adjoint(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    return (input.adjoint() if adjoint else input).inverse()


# What functions of matrices do with operators.
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    products.adjoint: lambda matrix, name=None: matrix.adjoint(),
    factorization.cholesky: lambda input, name=None: input.cholesky(),
    solvers.det: lambda input, name=None: input.determinant(),
    solvers.inv: _no_adjoint,
    solvers.logdet: lambda matrix, name=None: matrix.log_abs_determinant(),
    solvers.solve: _solve,
    products.trace: lambda x, name=None: x.trace(),
    products.matvec: _matvec,
    tf.matmul: _matmul,
    diagonals.diag_part: lambda input, *args, **kwargs: input.diag_part(),
}


def call_function(function: object, args: tuple, kwargs: dict[str, object]) -> Any:
    """The result of a public function for an operator, or NotImplemented."""
    body = _FUNCTIONS.get(function)
    return NotImplemented if body is None else body(*args, **kwargs)

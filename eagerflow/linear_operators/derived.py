"""Operators made of others: adjoints, inverses, products, and updates of low rank."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.shapes import TensorShape
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.diagonal import LinearOperatorDiag
from eagerflow.linear_operators.operator import (
    LinearOperator,
    check_dimension,
    common_batch_shape,
    common_batch_shape_tensor,
    implied,
    kept,
    product,
    same_batch,
    tensor_or_variable,
    total,
)
from eagerflow.linear_operators.spec import HINTS
from eagerflow.ops.linalg import diagonals, factorization, products, solvers
from eagerflow.typing import TensorLike


class _OfOne(LinearOperator):
    """Operators derived from another operator, whose properties they inherit."""

    _composite_tensor_fields = ("operator",)
    _experimental_parameter_ndims_to_matrix_ndims = {"operator": 0}
    _operator: LinearOperator

    operator = kept("_operator", "The operator.")

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self._operator.cond()


class LinearOperatorAdjoint(_OfOne):
    """The conjugate transpose of an operator.

    Args:
        operator: the operator.
        is_non_singular: as of all operators; by default the operator's.
        is_self_adjoint: by default the operator's.
        is_positive_definite: by default the operator's.
        is_square: by default the operator's.
        name: by default the operator's with "_adjoint".
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = locals()
        self._operator = operator
        known = _hints_of(operator, parameters, "adjoint")
        name = name or f"{operator.name}_adjoint"
        self._describe(operator.dtype, parameters, **known, name=name)

    def _linop_adjoint(self) -> LinearOperator:
        return self._operator

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        if shape.rank is None:
            return shape
        return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-2:-1])

    def _shape_tensor(self) -> Any:
        sizes = self._operator.shape_tensor()
        return tf.concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], axis=0)

    def _matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: TensorLike, adjoint: bool = False) -> Any:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: TensorLike, adjoint: bool = False) -> Any:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _conjugate(self, value: TensorLike) -> Any:
        return tf.conj(value) if self.dtype.is_complex else value

    def _determinant(self) -> Any:
        return self._conjugate(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return self._conjugate(self._operator.trace())

    def _diag_part(self) -> Any:
        return self._conjugate(self._operator.diag_part())

    def _to_dense(self) -> Any:
        return products.adjoint(self._operator.to_dense())

    def _eigvals(self) -> Any:
        return self._conjugate(self._operator.eigvals())


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator, which solves where that multiplies.

    Args:
        operator: the operator.
        is_non_singular: as of all operators; True.
        is_self_adjoint: by default the operator's.
        is_positive_definite: by default the operator's.
        is_square: True.
        name: by default the operator's with "_inv".
    """

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = locals()
        self._operator = operator
        for hint, given in (("is_square", is_square), ("is_non_singular", is_non_singular)):
            own = getattr(operator, hint)
            if own is False or given is False:
                raise ValueError(
                    f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` "
                    f"equal to `True` or `None`. Found `operator.{hint}`: {own}, `{hint}`: {given}."
                )
        known = _hints_of(operator, parameters, "inverse")
        name = name or f"{operator.name}_inv"
        self._describe(operator.dtype, parameters, **known, name=name)

    def _linop_inverse(self) -> LinearOperator:
        return self._operator

    def _linop_solve(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        inner = left.operator if isinstance(left, LinearOperatorInversion) else left.inverse()
        return inner.matmul(right)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1 / self._operator.eigvals()


class LinearOperatorComposition(LinearOperator):
    """The product of operators; the last is applied first.

    Args:
        operators: the operators, whose shapes fit.
        is_non_singular: as of all operators; by default known where all of them are invertible.
        is_self_adjoint: whether the product is self-adjoint.
        is_positive_definite: whether it is positive definite.
        is_square: whether it is square.
        name: by default their names joined by "_o_".
    """

    _composite_tensor_fields = ("operators",)

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = locals()
        self._operators = same_dtype(operators)
        parameters["operators"] = self._operators
        if all(operator.is_non_singular for operator in self._operators):
            is_non_singular = implied(
                is_non_singular,
                True,
                "The composition of non-singular operators is always non-singular.",
            )
        if any(operator.is_non_singular is False for operator in self._operators):
            if _all_square(self._operators):
                is_non_singular = implied(
                    is_non_singular,
                    False,
                    "The composition of square operators of which one is singular is singular.",
                )
        if _is_gram(self._operators):
            is_self_adjoint = implied(
                is_self_adjoint,
                True,
                "The product of an operator and its adjoint is always self-adjoint.",
            )
            if is_non_singular:
                is_positive_definite = True
        self._describe(
            self._operators[0].dtype,
            parameters,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            name=name or "_o_".join(operator.name for operator in self._operators),
        )

    operators = kept("_operators", "The operators.")

    def _shape(self) -> TensorShape:
        first, last = self._operators[0].shape, self._operators[-1].shape
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            check_dimension(left.domain_dimension, right.range_dimension)
        batch = common_batch_shape(self._operators)
        return batch.concatenate(first[-2:-1]).concatenate(last[-1:])

    def _shape_tensor(self) -> Any:
        first = self._operators[0].shape_tensor()
        batch = common_batch_shape_tensor(self._operators)
        return tf.concat([batch, first[-2:-1], self._operators[-1].shape_tensor()[-1:]], axis=0)

    def _matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators if adjoint else self._operators[::-1]
        result = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        order = self._operators[::-1] if adjoint else self._operators
        result = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for operator in order[1:]:
            result = operator.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Any:
        return product(operator.determinant() for operator in self._operators)

    def _log_abs_determinant(self) -> Any:
        return total(operator.log_abs_determinant() for operator in self._operators)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}


class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus matrices of low rank: `L + U D V^H`.

    Determinants and solutions are those of L and of a matrix of the rank's size.

    Args:
        base_operator: the operator L, `[..., m, n]`.
        u: `[..., m, k]`.
        diag_update: the diagonal of D, `[..., k]`; by default ones.
        v: `[..., n, k]`; by default u.
        is_diag_update_positive: whether `diag_update` is positive.
        is_non_singular: as of all operators.
        is_self_adjoint: by default known where L is and v is u.
        is_positive_definite: by default known where L is, v is u and D is positive.
        is_square: by default L's.
    """

    _composite_tensor_fields = ("base_operator", "u", "diag_update", "v")

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = locals()
        dtype = base_operator.dtype
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, user set "
                    "'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._is_diag_update_positive = is_diag_update_positive
        self._use_cholesky = bool(
            base_operator.is_self_adjoint
            and base_operator.is_positive_definite
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None and not dtype.is_complex:
            is_self_adjoint = True
        if self._use_cholesky:
            for hint, value in (
                ("positive definite", is_positive_definite),
                ("self-adjoint", is_self_adjoint),
            ):
                implied(
                    value,
                    True,
                    f"Arguments imply this is {hint}, but the hint says that it is not.",
                )
            is_positive_definite = is_self_adjoint = True
        self._base_operator = base_operator
        self._u = tensor_or_variable(u, dtype)
        self._v = self._u if v is None else tensor_or_variable(v, dtype)
        self._diag_update = tensor_or_variable(diag_update, dtype)
        self._given_v = v is not None
        self._describe(
            dtype,
            parameters,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
        )
        check_dimension(base_operator.range_dimension, self._u.shape.dims[-2])
        check_dimension(base_operator.domain_dimension, self._v.shape.dims[-2])
        if self._diag_update is not None:
            check_dimension(self._u.shape.dims[-1], self._diag_update.shape.dims[-1])
        if is_square is None:
            self._is_square = base_operator.is_square

    base_operator = kept("_base_operator", "The operator L.")

    u = kept("_u", "The matrices U.")

    v = kept("_v", "The matrices V.")

    is_diag_update_positive = kept(
        "_is_diag_update_positive", "Whether the diagonal of D is known to be positive."
    )

    diag_update = kept("_diag_update", "The diagonal of D, or None where it is ones.")

    @property
    def diag_operator(self) -> LinearOperator:
        """The operator D."""
        diagonal = self._diag_update
        if diagonal is None:
            diagonal = tf.ones(tf.shape(self._u)[-1:], dtype=self.dtype)
        return LinearOperatorDiag(diagonal, is_positive_definite=self._is_diag_update_positive)

    def _tensor_parameters(self) -> dict[str, Any]:
        values = super()._tensor_parameters()
        if not self._given_v:
            del values["v"]
        return values

    def _shape(self) -> TensorShape:
        base = self._base_operator.shape
        batch = tf.broadcast_static_shape(base[:-2], self._u.shape[:-2])
        batch = tf.broadcast_static_shape(batch, self._v.shape[:-2])
        if self._diag_update is not None:
            batch = tf.broadcast_static_shape(batch, self._diag_update.shape[:-1])
        return batch.concatenate(base[-2:])

    def _shape_tensor(self) -> Any:
        base = self._base_operator.shape_tensor()
        batch = tf.broadcast_dynamic_shape(base[:-2], tf.shape(self._u)[:-2])
        batch = tf.broadcast_dynamic_shape(batch, tf.shape(self._v)[:-2])
        if self._diag_update is not None:
            batch = tf.broadcast_dynamic_shape(batch, tf.shape(self._diag_update)[:-1])
        return tf.concat([batch, base[-2:]], axis=0)

    def _matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        base = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = tf.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        if self._diag_update is not None:
            inner = self.diag_operator.matmul(inner, adjoint=adjoint)
        return base + tf.matmul(left, inner)

    def _capacitance(self, adjoint: bool = False) -> Any:
        """`D^-1 + V^H L^-1 U`, the small matrix of Woodbury's identity."""
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        solved = self._base_operator.solve(left, adjoint=adjoint)
        product = tf.matmul(right, solved, adjoint_a=True)
        diagonal = self.diag_operator.inverse().diag_part()
        if adjoint and self.dtype.is_complex:
            diagonal = tf.conj(diagonal)
        return product + diagonals.diag(diagonal)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        base = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = tf.matmul(right, base, adjoint_a=True)
        capacitance, inner = same_batch(self._capacitance(adjoint), inner)
        if self._use_cholesky:
            solved = solvers.cholesky_solve(factorization.cholesky(capacitance), inner)
        else:
            solved = solvers.solve(capacitance, inner)
        return base - self._base_operator.solve(tf.matmul(left, solved), adjoint=adjoint)

    def _determinant(self) -> Any:
        parts = self.diag_operator.determinant() * self._base_operator.determinant()
        return solvers.det(self._capacitance()) * parts

    def _log_abs_determinant(self) -> Any:
        logarithm = solvers.slogdet(self._capacitance())[1]
        parts = self.diag_operator.log_abs_determinant()
        return logarithm + parts + self._base_operator.log_abs_determinant()

    def _diag_part(self) -> Any:
        left = tf.matmul(self._u, self.diag_operator.to_dense())
        right = tf.conj(self._v) if self.dtype.is_complex else self._v
        return tf.reduce_sum(left * right, axis=[-1]) + self._base_operator.diag_part()

    _experimental_parameter_ndims_to_matrix_ndims = {
        "base_operator": 0,
        "u": 2,
        "diag_update": 1,
        "v": 2,
    }


def _hints_of(operator: LinearOperator, given: dict[str, Any], kind: str) -> dict[str, Any]:
    """The hints of an operator's adjoint or inverse, which are the operator's."""
    known = {}
    for hint in HINTS:
        own, argument = getattr(operator, hint), given[hint]
        if None not in (own, argument) and own != argument:
            shown = hint.removeprefix("is_").replace("_", "-")
            raise ValueError(f"An operator is {shown} if and only if its {kind} is {shown}.")
        known[hint] = own if argument is None else argument
    return known


def same_dtype(operators: Any) -> list[LinearOperator]:
    operators = list(operators)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if any(operator.dtype != operators[0].dtype for operator in operators):
        found = "   ".join(str((operator.name, operator.dtype)) for operator in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return operators


def _all_square(operators: list[LinearOperator]) -> bool:
    return all(operator.is_square for operator in operators)


def _is_gram(operators: list[LinearOperator]) -> bool:
    """Whether a product is that of an operator and its adjoint."""
    if len(operators) != 2:
        return False
    first, second = operators
    if first is second:
        return bool(first.is_self_adjoint)
    return (isinstance(second, LinearOperatorAdjoint) and second.operator is first) or (
        isinstance(first, LinearOperatorAdjoint) and first.operator is second
    )

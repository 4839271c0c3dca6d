"""Operators of dense, triangular, tridiagonal and permutation matrices, and of reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.operator import (
    LinearOperator,
    implied,
    invalid,
    kept,
    same_batch,
    tensor_or_variable,
)
from eagerflow.ops import assertions
from eagerflow.ops.conversion import get_static_value
from eagerflow.ops.linalg import banded, diagonals, products, solvers


class LinearOperatorFullMatrix(LinearOperator):
    """Matrices without structure.

    Args:
        matrix: the matrices, `[..., m, n]`.
    """

    _composite_tensor_fields = ("matrix",)

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = locals()
        self._matrix = tensor_or_variable(matrix)
        if self._matrix.shape.rank is not None and self._matrix.shape.rank < 2:
            raise ValueError(
                f"Argument `matrix` must have at least 2 dimensions. Received: {matrix}."
            )
        self._describe(self._matrix.dtype, parameters)

    matrix = kept("_matrix", "The matrices.")

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _shape_tensor(self) -> _core.Tensor:
        return tf.shape(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return tf.matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> _core.Tensor:
        return _core.as_tensor(self._matrix)

    _experimental_parameter_ndims_to_matrix_ndims = {"matrix": 2}


class LinearOperatorLowerTriangular(LinearOperator):
    """Square matrices of which only the lower triangle is read.

    Args:
        tril: the matrices, `[..., n, n]`.
        is_self_adjoint: whether they are self-adjoint, that is, diagonal.
        is_square: True.
    """

    _composite_tensor_fields = ("tril",)

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = locals()
        implied(is_square, True, "Only square lower triangular operators supported at this time.")
        self._tril = tensor_or_variable(tril)
        if self._tril.shape.rank is not None and self._tril.shape.rank < 2:
            raise ValueError(f"Argument tril must have at least 2 dimensions.  Found: {self._tril}")
        self._describe(self._tril.dtype, parameters, is_square=True)

    tril = kept("_tril", "The matrices as they were given.")

    def _lower(self) -> _core.Tensor:
        return tf.matrix_band_part(self._tril, -1, 0)

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _shape_tensor(self) -> _core.Tensor:
        return tf.shape(self._tril)

    def _assert_non_singular(self) -> _core.Tensor | None:
        diagonal = tf.abs(self._diag_part())
        return assertions.assert_none_equal(
            diagonal,
            tf.zeros_like(diagonal),
            message="Singular operator:  Diagonal contained zero values.",
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return tf.matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        rhs = products.adjoint(rhs) if adjoint_arg else rhs
        lower, rhs = same_batch(self._lower(), rhs)
        return solvers.triangular_solve(lower, rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> _core.Tensor:
        return tf.reduce_prod(self._diag_part(), axis=[-1])

    def _log_abs_determinant(self) -> _core.Tensor:
        return tf.reduce_sum(tf.log(tf.abs(self._diag_part())), axis=[-1])

    def _diag_part(self) -> _core.Tensor:
        return diagonals.diag_part(self._tril)

    def _to_dense(self) -> _core.Tensor:
        return self._lower()

    def _eigvals(self) -> _core.Tensor:
        return self._diag_part()

    _experimental_parameter_ndims_to_matrix_ndims = {"tril": 2}


class LinearOperatorPermutation(LinearOperator):
    """Matrices that put rows in another order: row i of the product is row `perm[i]`.

    Args:
        perm: the orders, integers `[..., n]`, each from 0 to n - 1 once.
        dtype: the dtype of the matrices.
        is_non_singular: True.
        is_square: True.
    """

    _composite_tensor_fields = ("perm",)

    def __init__(
        self,
        perm: Any,
        dtype: Any = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = locals()
        for hint, value in (("non-singular", is_non_singular), ("square", is_square)):
            argument = f"is_{hint.replace('-', '_')}"
            implied(
                value,
                True,
                f"A Permutation operator is always {hint}. Expected argument `{argument}` to be "
                f"True. Received: {value}.",
            )
        self._perm = tensor_or_variable(perm)
        if not self._perm.dtype.is_integer:
            raise TypeError(
                f"Argument `perm` must be integer dtype. Received: {self._perm.numpy()}."
            )
        if self._perm.shape.rank == 0:
            raise ValueError(f"Argument `perm` must have at least 1 dimension. Received: {perm}.")
        known = None if isinstance(self._perm, _core.Variable) else get_static_value(self._perm)
        if known is not None and (np.sort(known) != np.arange(known.shape[-1])).any():
            raise ValueError(
                "Argument `perm` must be a vector of unique integers from 0 to "
                f"{known.shape[-1] - 1}."
            )
        self._describe(dtype, parameters, is_square=True)

    perm = kept("_perm", "The orders.")

    def _shape(self) -> TensorShape:
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _shape_tensor(self) -> _core.Tensor:
        sizes = tf.shape(self._perm)
        return tf.concat([sizes, sizes[-1:]], axis=0)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        perm = _core.as_tensor(self._perm)
        if adjoint:
            perm = _inverse_order(perm)
        x = products.adjoint(x) if adjoint_arg else x
        batch = tf.broadcast_dynamic_shape(tf.shape(perm)[:-1], tf.shape(x)[:-2])
        perm = tf.broadcast_to(perm, tf.concat([batch, tf.shape(perm)[-1:]], axis=0))
        x = tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], axis=0))
        rank = len(perm.shape) - 1
        return tf.gather(x, perm, axis=rank, batch_dims=rank)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self) -> _core.Tensor:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _to_dense(self) -> _core.Tensor:
        columns = tf.range(0, self.domain_dimension_tensor(), 1)
        perm = tf.expand_dims(tf.cast(self._perm, columns.dtype), -1)
        return tf.cast(tf.equal(perm, columns), self.dtype)

    def _diag_part(self) -> _core.Tensor:
        places = tf.range(0, self.domain_dimension_tensor(), 1)
        return tf.cast(tf.equal(tf.cast(self._perm, places.dtype), places), self.dtype)

    def _cond(self) -> _core.Tensor:
        return tf.ones(self.batch_shape_tensor(), dtype=self.dtype)

    _experimental_parameter_ndims_to_matrix_ndims = {"perm": 1}


class LinearOperatorTridiag(LinearOperator):
    """Square matrices of zeros but for three diagonals.

    Args:
        diagonals: as `diagonals_format` says: "compact", `[..., 3, n]`: the superdiagonal, the
            diagonal and the subdiagonal, whose elements have the index of their row; "sequence", a
            list of these three; "matrix", `[..., n, n]`.
        diagonals_format: how `diagonals` are given.
        is_square: True.
    """

    _composite_tensor_fields = ("diagonals",)

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = locals()
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received "
                f": {diagonals_format}."
            )
        implied(is_square, True, "Only square tridiagonal operators are supported.")
        if diagonals_format == "sequence":
            self._diagonals: Any = [tensor_or_variable(part) for part in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = tensor_or_variable(diagonals)
            dtype = self._diagonals.dtype
        self._diagonals_format = diagonals_format
        self._describe(dtype, parameters, is_square=True)

    diagonals = kept("_diagonals", "The diagonals as they were given.")

    diagonals_format = kept("_diagonals_format", "How they were given.")

    def _shape(self) -> TensorShape:
        if self._diagonals_format == "sequence":
            shape = self._diagonals[1].shape
            for part in self._diagonals:
                shape = _broadcast_shapes(shape[:-1], part.shape[:-1]).concatenate(shape[-1:])
            return shape.concatenate(shape[-1:])
        shape = self._diagonals.shape
        if self._diagonals_format == "matrix":
            return shape
        return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-1:])

    def _shape_tensor(self) -> _core.Tensor:
        sizes = tf.shape(self._compact())
        return tf.concat([sizes[:-2], sizes[-1:], sizes[-1:]], axis=0)

    def _compact(self) -> _core.Tensor:
        """The diagonals as `[..., 3, n]`."""
        if self._diagonals_format == "compact":
            return _core.as_tensor(self._diagonals)
        if self._diagonals_format == "matrix":
            return diagonals.diag_part(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
        parts = [_core.as_tensor(part) for part in self._diagonals]
        sizes = tf.shape(parts[0])
        for part in parts[1:]:
            sizes = tf.broadcast_dynamic_shape(sizes, tf.shape(part))
        return tf.stack([tf.broadcast_to(part, sizes) for part in parts], axis=-2)

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        compact = self._compact()
        upper, lower = compact[..., 0, :-1], compact[..., 2, 1:]
        return assertions.assert_equal(
            tf.conj(lower) if self.dtype.is_complex else lower,
            upper,
            message="Matrix was not equal to its adjoint.",
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        x = products.adjoint(x) if adjoint_arg else x
        compact = self._compact()
        if adjoint:
            compact = self._adjoint_of(compact)
        compact, x = same_batch(compact, x)
        return banded.tridiagonal_matmul(compact, x, diagonals_format="compact")

    @staticmethod
    def _adjoint_of(compact: _core.Tensor) -> _core.Tensor:
        upper, middle, lower = compact[..., 0, :], compact[..., 1, :], compact[..., 2, :]
        zero = tf.zeros_like(upper[..., :1])
        parts = [
            tf.concat([lower[..., 1:], zero], axis=-1),
            middle,
            tf.concat([zero, upper[..., :-1]], axis=-1),
        ]
        stacked = tf.stack(parts, axis=-2)
        return tf.conj(stacked) if stacked.dtype.is_complex else stacked

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        rhs = products.adjoint(rhs) if adjoint_arg else rhs
        compact = self._compact()
        if adjoint:
            compact = self._adjoint_of(compact)
        compact, rhs = same_batch(compact, rhs)
        return banded.tridiagonal_solve(compact, rhs, diagonals_format="compact")

    def _diag_part(self) -> _core.Tensor:
        return self._compact()[..., 1, :]

    def _to_dense(self) -> _core.Tensor:
        if self._diagonals_format == "matrix":
            return _core.as_tensor(self._diagonals)
        return diagonals.diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        if self._diagonals_format == "sequence":
            return {"diagonals": [1, 1, 1]}
        return {"diagonals": 2}


class LinearOperatorHouseholder(LinearOperator):
    """Reflections at the hyperplanes that are orthogonal to the given vectors.

    Args:
        reflection_axis: the vectors, `[..., n]`, of any length but zero.
        is_non_singular: whether the matrices are invertible, which they are.
        is_self_adjoint: True.
        is_positive_definite: False.
        is_square: True.
    """

    _composite_tensor_fields = ("reflection_axis",)

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = locals()
        self._reflection_axis = tensor_or_variable(reflection_axis)
        if self._reflection_axis.shape.rank == 0:
            raise ValueError(
                "Argument reflection_axis must have at least 1 dimension.  Found: "
                f"{self._reflection_axis}"
            )
        what = "A Householder operator is always"
        implied(is_self_adjoint, True, f"{what} self adjoint.")
        implied(is_positive_definite, False, f"{what} non-positive definite.")
        implied(is_square, True, f"{what} square.")
        self._describe(
            self._reflection_axis.dtype,
            parameters,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
        )

    reflection_axis = kept("_reflection_axis", "The vectors.")

    def _shape(self) -> TensorShape:
        shape = self._reflection_axis.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> _core.Tensor:
        sizes = tf.shape(self._reflection_axis)
        return tf.concat([sizes, sizes[-1:]], axis=0)

    def _assert_non_singular(self) -> None:
        return None

    _assert_self_adjoint = _assert_non_singular

    def _assert_positive_definite(self) -> _core.Tensor | None:
        return invalid("Householder operators are always non-positive definite.")

    def _normal(self) -> _core.Tensor:
        """The vectors of length 1, as columns."""
        return tf.expand_dims(products.l2_normalize(self._reflection_axis, axis=-1), -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        x = products.adjoint(x) if adjoint_arg else x
        normal = self._normal()
        along = tf.reduce_sum(
            x * (tf.conj(normal) if self.dtype.is_complex else normal), axis=[-2], keepdims=True
        )
        return x - 2 * along * normal

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> _core.Tensor:
        return -tf.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> _core.Tensor:
        return tf.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _cond(self) -> _core.Tensor:
        return tf.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self) -> _core.Tensor:
        size = tf.cast(self.domain_dimension_tensor(), self.dtype)
        return tf.fill(self.batch_shape_tensor(), size - 2)

    def _diag_part(self) -> _core.Tensor:
        normal = tf.squeeze(self._normal(), [-1])
        square = normal * (tf.conj(normal) if self.dtype.is_complex else normal)
        return 1 - 2 * square

    def _to_dense(self) -> _core.Tensor:
        normal = self._normal()
        outer = tf.matmul(normal, normal, adjoint_b=True)
        return diagonals.set_diag(-2 * outer, self._diag_part())

    def _eigvals(self) -> _core.Tensor:
        sizes = self.shape_tensor()[:-1]
        ones = tf.ones(sizes - _core.as_tensor([0] * (len(self.shape) - 2) + [1]), self.dtype)
        first = -tf.ones(tf.concat([sizes[:-1], [1]], axis=0), dtype=self.dtype)
        return tf.concat([first, ones], axis=-1)

    _experimental_parameter_ndims_to_matrix_ndims = {"reflection_axis": 1}


def _inverse_order(perm: _core.Tensor) -> _core.Tensor:
    return tf.argsort(perm, axis=-1)


def _broadcast_shapes(a: TensorShape, b: TensorShape) -> TensorShape:
    return tf.broadcast_static_shape(a, b)

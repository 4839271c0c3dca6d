"""Operators of zeros but for their diagonal."""

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
    tensor_or_variable,
)
from eagerflow.ops import assertions
from eagerflow.ops.conversion import get_static_value
from eagerflow.ops.linalg import diagonals, products
from eagerflow.typing import DTypeLike, TensorLike


class LinearOperatorDiag(LinearOperator):
    """Square matrices with the given diagonals.

    Args:
        diag: the diagonals, `[..., n]`.
        is_self_adjoint: whether they are self-adjoint; real ones always are.
        is_square: whether they are square: they always are.

    >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).solve([[3.0], [4.0]]).numpy()
    array([[3.],
           [2.]], dtype=float32)
    """

    _composite_tensor_fields = ("diag",)

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = locals()
        self._diag = tensor_or_variable(diag)
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument diag must have at least 1 dimension.  Found: {self._diag}")
        if not self._diag.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint, True, "A real diagonal operator is always self adjoint."
            )
        implied(is_square, True, "Only square diagonal operators currently supported.")
        self._describe(
            self._diag.dtype, parameters, is_self_adjoint=is_self_adjoint, is_square=True
        )

    diag = kept("_diag", "The diagonals.")

    def _shape(self) -> TensorShape:
        shape = self._diag.shape
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> _core.Tensor:
        sizes = tf.shape(self._diag)
        return tf.concat([sizes, sizes[-1:]], axis=0)

    def _assert_non_singular(self) -> _core.Tensor | None:
        return assertions.assert_none_equal(
            tf.abs(self._diag),
            tf.zeros_like(tf.abs(self._diag)),
            message="Diagonal contained zero values.",
        )

    def _assert_positive_definite(self) -> _core.Tensor | None:
        message = "Diagonal operator had diagonal entries with non-positive real part."
        return assertions.assert_positive(_real(self._diag), message=message)

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        imaginary = tf.imag(self._diag) if self.dtype.is_complex else tf.zeros_like(self._diag)
        return assertions.assert_equal(
            imaginary,
            tf.zeros_like(imaginary),
            message="This diagonal operator contained non-zero imaginary values.   Thus it was not "
            "self-adjoint.",
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        diag = _conj(self._diag) if adjoint else self._diag
        return tf.expand_dims(diag, -1) * (products.adjoint(x) if adjoint_arg else x)

    def _matvec(self, x: TensorLike, adjoint: bool = False) -> _core.Tensor:
        return (_conj(self._diag) if adjoint else self._diag) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        diag = _conj(self._diag) if adjoint else self._diag
        return (products.adjoint(rhs) if adjoint_arg else rhs) / tf.expand_dims(diag, -1)

    def _solvevec(self, rhs: TensorLike, adjoint: bool = False) -> _core.Tensor:
        return rhs / (_conj(self._diag) if adjoint else self._diag)

    def _determinant(self) -> _core.Tensor:
        return tf.reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> _core.Tensor:
        return _as(tf.reduce_sum(tf.log(tf.abs(self._diag)), axis=[-1]), self.dtype)

    def _diag_part(self) -> _core.Tensor:
        return _core.as_tensor(self._diag)

    def _to_dense(self) -> _core.Tensor:
        return diagonals.diag(self._diag)

    def _add_to_tensor(self, x: TensorLike) -> _core.Tensor:
        return diagonals.set_diag(x, diagonals.diag_part(x) + self._diag)

    def _eigvals(self) -> _core.Tensor:
        return _core.as_tensor(self._diag)

    def _cond(self) -> _core.Tensor:
        values = tf.abs(self._diag)
        ratio = tf.reduce_max(values, axis=[-1]) / tf.reduce_min(values, axis=[-1])
        infinite = tf.fill(tf.shape(ratio), _core.convert(np.inf, ratio.dtype, None))
        return tf.where(tf.is_nan(ratio), infinite, ratio)

    _experimental_parameter_ndims_to_matrix_ndims = {"diag": 1}


class _Rectangular(LinearOperator):
    """Operators that a number of rows and a batch shape describe."""

    def _read_sizes(self, num_rows: TensorLike, batch_shape: Any, num_columns: Any = None) -> None:
        self._num_rows = _size("num_rows", num_rows)
        self._num_columns = (
            self._num_rows if num_columns is None else _size("num_columns", num_columns)
        )
        self._batch_shape_arg: Any = None
        if batch_shape is not None:
            batch = _core.as_tensor(batch_shape if len(_shape_of(batch_shape)) else [])
            if batch.shape.num_elements() == 0:
                batch = tf.cast(batch, dtypes.int32)
            if not batch.dtype.is_integer:
                raise TypeError(f"Argument batch_shape must be integer type.  Found: {batch}")
            if batch.shape.rank != 1:
                raise ValueError(
                    f"Argument batch_shape must be a 1-D Tensor.  Found: {batch_shape}"
                )
            known = get_static_value(batch)
            if known is not None and (known < 0).any():
                raise ValueError(
                    f"Argument batch_shape must be non-negative.  Found: {batch_shape}"
                )
            self._batch_shape_arg = batch

    def _shape(self) -> TensorShape:
        sizes = [get_static_value(n) for n in (self._num_rows, self._num_columns)]
        matrix = TensorShape([None if size is None else int(size) for size in sizes])
        if self._batch_shape_arg is None:
            return matrix
        batch = get_static_value(self._batch_shape_arg)
        if batch is None:
            rank = self._batch_shape_arg.shape[0]
            return TensorShape([None] * rank).concatenate(matrix) if rank else TensorShape(None)
        return TensorShape(batch.tolist()).concatenate(matrix)

    def _shape_tensor(self) -> _core.Tensor:
        matrix = tf.stack([_int32(self._num_rows), _int32(self._num_columns)], axis=0)
        if self._batch_shape_arg is None:
            return matrix
        return tf.concat([_int32(self._batch_shape_arg), matrix], axis=0)

    def _batched(self, x: TensorLike) -> Any:
        """A tensor of matrices in at least the operator's batch shape."""
        if self._batch_shape_arg is None:
            return x
        batch = tf.broadcast_dynamic_shape(self.batch_shape_tensor(), tf.shape(x)[:-2])
        return tf.broadcast_to(x, tf.concat([batch, tf.shape(x)[-2:]], axis=0))

    def _per_matrix(self, value: float) -> _core.Tensor:
        """A scalar for every matrix."""
        filling = _core.convert(value, self.dtype, None)
        return tf.fill(self.batch_shape_tensor(), filling)

    def _diagonal_of(self, value: float) -> _core.Tensor:
        rows, columns = _int32(self._num_rows), _int32(self._num_columns)
        sizes = tf.concat(
            [self.batch_shape_tensor(), tf.reshape(tf.minimum(rows, columns), [1])], axis=0
        )
        return tf.fill(sizes, _core.convert(value, self.dtype, None))


class LinearOperatorIdentity(_Rectangular):
    """Identity matrices.

    Args:
        num_rows: their number of rows, a scalar.
        batch_shape: their batch shape; by default one matrix.
        dtype: their dtype, by default float32.
        is_non_singular: as of all operators; True.
        is_self_adjoint: True.
        is_positive_definite: True.
        is_square: True.
        assert_proper_shapes: ignored: shapes are always checked.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = locals()
        what = "An identity operator is always"
        implied(is_self_adjoint, True, f"{what} self adjoint.")
        implied(is_non_singular, True, f"{what} non-singular.")
        implied(is_positive_definite, True, f"{what} positive-definite.")
        implied(is_square, True, f"{what} square.")
        self._describe(
            dtypes.float32 if dtype is None else dtype,
            parameters,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )
        self._read_sizes(num_rows, batch_shape)

    def _assert_non_singular(self) -> None:
        return None

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._batched(products.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> _core.Tensor:
        return self._per_matrix(1.0)

    def _log_abs_determinant(self) -> _core.Tensor:
        return self._per_matrix(0.0)

    _cond = _determinant

    def _trace(self) -> _core.Tensor:
        return self._per_matrix(1.0) * _as(self._num_rows, self.dtype)

    def _diag_part(self) -> _core.Tensor:
        return self._diagonal_of(1.0)

    _eigvals = _diag_part

    def _to_dense(self) -> _core.Tensor:
        return diagonals.diag(self._diag_part())

    def _add_to_tensor(self, x: TensorLike) -> _core.Tensor:
        return diagonals.set_diag(x, diagonals.diag_part(x) + 1)


class LinearOperatorScaledIdentity(_Rectangular):
    """Identity matrices times scalars.

    Args:
        num_rows: their number of rows, a scalar.
        multiplier: the scalars, `[...]`.
        is_self_adjoint: whether they are self-adjoint; real ones always are.
        is_square: True.
        assert_proper_shapes: ignored: shapes are always checked.
    """

    _composite_tensor_fields = ("multiplier",)

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = locals()
        self._multiplier = tensor_or_variable(multiplier)
        if not self._multiplier.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint, True, "A real diagonal operator is always self adjoint."
            )
        implied(is_square, True, "A ScaledIdentity operator is always square.")
        self._describe(
            self._multiplier.dtype, parameters, is_self_adjoint=is_self_adjoint, is_square=True
        )
        self._read_sizes(num_rows, None)

    multiplier = kept("_multiplier", "The numbers.")

    def _shape(self) -> TensorShape:
        return self._multiplier.shape.concatenate(super()._shape())

    def _shape_tensor(self) -> _core.Tensor:
        return tf.concat([tf.shape(self._multiplier), super()._shape_tensor()], axis=0)

    def _assert_non_singular(self) -> _core.Tensor | None:
        return assertions.assert_positive(
            tf.abs(self._multiplier), message="LinearOperator was singular"
        )

    def _assert_positive_definite(self) -> _core.Tensor | None:
        message = "LinearOperator was not positive definite."
        return assertions.assert_positive(_real(self._multiplier), message=message)

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        number = self._multiplier
        imaginary = tf.imag(number) if self.dtype.is_complex else tf.zeros_like(number)
        return assertions.assert_equal(
            imaginary, tf.zeros_like(imaginary), message="LinearOperator was not self-adjoint"
        )

    def _number(self, adjoint: bool = False) -> _core.Tensor:
        number = _conj(self._multiplier) if adjoint else self._multiplier
        return tf.expand_dims(tf.expand_dims(number, -1), -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return (products.adjoint(x) if adjoint_arg else x) * self._number(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return (products.adjoint(rhs) if adjoint_arg else rhs) / self._number(adjoint)

    def _determinant(self) -> _core.Tensor:
        return tf.pow(_core.as_tensor(self._multiplier), _as(self._num_rows, self.dtype))

    def _log_abs_determinant(self) -> _core.Tensor:
        size = tf.abs(self._multiplier)
        return tf.log(size) * _as(self._num_rows, size.dtype)

    def _diag_part(self) -> _core.Tensor:
        sizes = self.shape_tensor()[:-1]
        return tf.broadcast_to(tf.expand_dims(self._multiplier, -1), sizes)

    _eigvals = _diag_part

    def _trace(self) -> _core.Tensor:
        return self._multiplier * _as(self._num_rows, self.dtype)

    def _to_dense(self) -> _core.Tensor:
        return diagonals.diag(self._diag_part())

    def _add_to_tensor(self, x: TensorLike) -> _core.Tensor:
        diagonal = diagonals.diag_part(x)
        return diagonals.set_diag(x, diagonal + tf.expand_dims(self._multiplier, -1))

    def _cond(self) -> _core.Tensor:
        number = _core.as_tensor(self._multiplier)
        return tf.where(
            tf.equal(number, tf.zeros_like(number)),
            tf.fill(tf.shape(number), _core.convert(np.nan, number.dtype, None)),
            tf.ones_like(number),
        )

    _experimental_parameter_ndims_to_matrix_ndims = {"multiplier": 0}


class LinearOperatorZeros(_Rectangular):
    """Matrices of zeros.

    Args:
        num_rows: their number of rows, a scalar.
        num_columns: their number of columns; by default that of rows.
        batch_shape: their batch shape; by default one matrix.
        dtype: their dtype, by default float32.
        is_non_singular: False.
        is_self_adjoint: True.
        is_positive_definite: False.
        assert_proper_shapes: ignored: shapes are always checked.
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = locals()
        implied(is_self_adjoint, True, "A zero operator is always self adjoint.")
        implied(is_non_singular, False, "A zero operator is always singular.")
        implied(is_positive_definite, False, "A zero operator is always not positive-definite.")
        if is_square and num_columns is not None and num_rows != num_columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({num_rows}) "
                f"!= num_columns({num_columns})"
            )
        self._describe(dtypes.float32 if dtype is None else dtype, parameters)
        self._read_sizes(num_rows, batch_shape, num_columns)

    def _linop_adjoint(self) -> LinearOperator:
        return self

    def _assert_non_singular(self) -> _core.Tensor | None:
        return invalid("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> _core.Tensor | None:
        return invalid("Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> None:
        return None

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        x = products.adjoint(x) if adjoint_arg else x
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        batch = tf.broadcast_dynamic_shape(self.batch_shape_tensor(), tf.shape(x)[:-2])
        sizes = tf.concat([batch, [rows], tf.shape(x)[-1:]], axis=0)
        return tf.zeros(sizes, dtype=x.dtype)

    def _determinant(self) -> _core.Tensor:
        self._needs_square("Determinant")
        return self._per_matrix(0.0)

    _trace = _determinant

    def _diag_part(self) -> _core.Tensor:
        return self._diagonal_of(0.0)

    _eigvals = _diag_part

    def _to_dense(self) -> _core.Tensor:
        return tf.zeros(self.shape_tensor(), dtype=self.dtype)

    def _add_to_tensor(self, x: TensorLike) -> Any:
        return self._batched(x)


def _shape_of(value: Any) -> Any:
    return value.shape if isinstance(value, _core.Tensor) else tuple(np.shape(value)) or (1,)


def _size(name: str, value: Any) -> _core.Tensor:
    tensor = _core.as_tensor(value)
    if tensor.shape.rank not in (0, None):
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {value}")
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    known = get_static_value(tensor)
    if known is not None and known < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {value}")
    return tensor


def _int32(value: TensorLike) -> _core.Tensor:
    return tf.cast(value, dtypes.int32)


def _as(value: TensorLike, dtype: DTypeLike) -> _core.Tensor:
    return tf.cast(value, dtype)


def _conj(value: TensorLike) -> _core.Tensor:
    value = _core.as_tensor(value)
    return tf.conj(value) if value.dtype.is_complex else value


def _real(value: TensorLike) -> _core.Tensor:
    value = _core.as_tensor(value)
    return tf.real(value) if value.dtype.is_complex else value

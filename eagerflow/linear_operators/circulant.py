"""Circulant operators: every row is the row above, shifted by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.operator import LinearOperator, implied, kept, tensor_or_variable
from eagerflow.ops import assertions
from eagerflow.ops.linalg import products
from eagerflow.signal import fourier
from eagerflow.typing import TensorLike
from eagerflow.util.arguments import arguments

_FFT = {1: fourier.fft, 2: fourier.fft2d, 3: fourier.fft3d}
_IFFT = {1: fourier.ifft, 2: fourier.ifft2d, 3: fourier.ifft3d}


class BaseLinearOperatorCirculant(LinearOperator):
    """Matrices that Fourier transforms of some dimensions make diagonal.

    Args:
        spectrum: the eigenvalues, `[..., n0, n1, ...]`.
        block_depth: the number of dimensions of the transform.
        input_output_dtype: the dtype of what is multiplied; complex, or real where the spectrum is
            that of real matrices.
        is_self_adjoint: whether they are self-adjoint; those of a real spectrum are.
        is_square: True.
        parameters: the arguments of the subclass.
    """

    _composite_tensor_fields = ("spectrum",)

    def __init__(
        self,
        spectrum: Any,
        block_depth: int,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        parameters: dict[str, object] | None = None,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        self._block_depth = block_depth
        self._spectrum = tensor_or_variable(spectrum)
        rank = self._spectrum.shape.rank
        if rank is not None and rank < block_depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {block_depth} dimensions. Received: "
                f"{spectrum}."
            )
        if not self._spectrum.dtype.is_complex:
            is_self_adjoint = implied(
                is_self_adjoint,
                True,
                "A real spectrum always corresponds to a self-adjoint operator. Expected argument "
                "`is_self_adjoint` to be True when `spectrum.dtype.is_complex` = True. Received: "
                f"{is_self_adjoint}.",
            )
        implied(
            is_square,
            True,
            "A [[nested] block] circulant operator is always square. Expected argument `is_square` "
            f"to be True. Received: {is_square}.",
        )
        super().__init__(
            input_output_dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            parameters=parameters,
            name=name,
        )

    spectrum = kept("_spectrum", "The eigenvalues.")

    block_depth = kept("_block_depth", "Over how many dimensions the transform goes.")

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of these dimensions."""
        return self._spectrum.shape[-self._block_depth :]

    def block_shape_tensor(self) -> _core.Tensor:
        """The sizes of these dimensions, a vector of int32."""
        return tf.shape(self._spectrum)[-self._block_depth :]

    def _shape(self) -> TensorShape:
        shape = self._spectrum.shape
        if shape.rank is None:
            return TensorShape(None)
        size = TensorShape([self.block_shape.num_elements()])
        return shape[: -self._block_depth].concatenate(size).concatenate(size)

    def _shape_tensor(self) -> _core.Tensor:
        size = tf.reshape(tf.reduce_prod(self.block_shape_tensor()), [1])
        return tf.concat([tf.shape(self._spectrum)[: -self._block_depth], size, size], axis=0)

    @property
    def _complex(self) -> dtypes.DType:
        if self.dtype.is_complex:
            return self.dtype
        return dtypes.complex128 if self.dtype == dtypes.float64 else dtypes.complex64

    def _complex_spectrum(self) -> _core.Tensor:
        return tf.cast(self._spectrum, self._complex)

    def convolution_kernel(self, name: str = "convolution_kernel") -> _core.Tensor:
        """The first column: the inverse transform of the spectrum."""
        return tf.cast(_IFFT[self._block_depth](self._complex_spectrum()), self.dtype)

    def _filtered(self, x: TensorLike, spectrum: TensorLike) -> _core.Tensor:
        """The product with the circulant matrix that has a spectrum."""
        columns = tf.cast(tf.shape(x), dtypes.int32)
        blocks = self.block_shape_tensor()
        # The columns become rows, whose last axis takes the shape of a block.
        rows = products.matrix_transpose(tf.cast(x, self._complex))
        rows = tf.reshape(rows, tf.concat([columns[:-2], columns[-1:], blocks], axis=0))
        spectrum = tf.expand_dims(spectrum, -1 - self._block_depth)
        result = _IFFT[self._block_depth](spectrum * _FFT[self._block_depth](rows))
        sizes = tf.shape(result)[: -self._block_depth]
        flat = tf.reshape(result, tf.concat([sizes, columns[-2:-1]], axis=0))
        return tf.cast(products.matrix_transpose(flat), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        spectrum = self._complex_spectrum()
        return self._filtered(
            products.adjoint(x) if adjoint_arg else x, tf.conj(spectrum) if adjoint else spectrum
        )

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        spectrum = self._complex_spectrum()
        return self._filtered(
            products.adjoint(rhs) if adjoint_arg else rhs,
            1 / (tf.conj(spectrum) if adjoint else spectrum),
        )

    @property
    def _block_axes(self) -> list[int]:
        return [-1 - k for k in range(self._block_depth)]

    def _determinant(self) -> _core.Tensor:
        return tf.cast(tf.reduce_prod(self._spectrum, axis=self._block_axes), self.dtype)

    def _log_abs_determinant(self) -> _core.Tensor:
        logarithms = tf.log(tf.abs(self._spectrum))
        return tf.cast(tf.reduce_sum(logarithms, axis=self._block_axes), self.dtype)

    def _trace(self) -> _core.Tensor:
        return tf.cast(tf.reduce_sum(self._spectrum, axis=self._block_axes), self.dtype)

    def _diag_part(self) -> _core.Tensor:
        size = self.domain_dimension_tensor()
        mean = self.trace() / tf.cast(size, self.dtype)
        return tf.broadcast_to(tf.expand_dims(mean, -1), self.shape_tensor()[:-1])

    def _eigvals(self) -> _core.Tensor:
        return tf.reshape(_core.as_tensor(self._spectrum), self.shape_tensor()[:-1])

    def _cond(self) -> _core.Tensor:
        values = tf.abs(self._spectrum)
        largest = tf.reduce_max(values, axis=self._block_axes)
        return largest / tf.reduce_min(values, axis=self._block_axes)

    def _assert_non_singular(self) -> _core.Tensor | None:
        smallest = tf.reduce_min(tf.abs(self._spectrum))
        return assertions.assert_less(
            tf.zeros_like(smallest),
            smallest,
            message="Singular operator: Spectrum contained zero values.",
        )

    def _assert_positive_definite(self) -> _core.Tensor | None:
        spectrum = _core.as_tensor(self._spectrum)
        return assertions.assert_positive(
            tf.real(spectrum) if spectrum.dtype.is_complex else spectrum,
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        spectrum = _core.as_tensor(self._spectrum)
        imaginary = tf.imag(spectrum) if spectrum.dtype.is_complex else tf.zeros_like(spectrum)
        return assertions.assert_equal(
            tf.zeros_like(imaginary),
            imaginary,
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raises an InvalidArgumentError if the spectrum is not that of real matrices."""
        kernel = _IFFT[self._block_depth](self._complex_spectrum())
        bound = 10.0 * np.finfo(kernel.dtype.real_dtype.as_numpy_dtype).eps
        size = tf.cast(self.domain_dimension_tensor(), kernel.dtype.real_dtype)
        return assertions.assert_less(
            tf.abs(tf.imag(kernel)),
            _core.convert(float(bound), kernel.dtype.real_dtype, None) * size,
            message="Spectrum was not Hermitian",
        )

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self._block_depth}


class LinearOperatorCirculant(BaseLinearOperatorCirculant):
    """Circulant matrices: every row is the row above, shifted to the right by one.

    Args:
        spectrum: the transform of the first column, `[..., n]`.
        input_output_dtype: the dtype of what is multiplied: complex, or real where the first column is.
        is_self_adjoint: whether they are self-adjoint; those of a real spectrum are.
        is_square: True.

    >>> spectrum = tf.signal.fft(tf.constant([1, 2, 3], tf.complex64))
    >>> operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
    >>> operator.to_dense().numpy().round()
    array([[1., 3., 2.],
           [2., 1., 3.],
           [3., 2., 1.]], dtype=float32)
    """

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        parameters = arguments(locals())
        super().__init__(block_depth=1, parameters=parameters, **parameters)


class LinearOperatorCirculant2D(BaseLinearOperatorCirculant):
    """Block circulant matrices: convolutions over two dimensions that wrap around.

    Args:
        spectrum: the transform of the kernel, `[..., n0, n1]`.
        input_output_dtype: the dtype of what is multiplied, `[..., n0 * n1, m]`.
        is_self_adjoint: whether they are self-adjoint; those of a real spectrum are.
        is_square: True.
    """

    def __init__(
        self,
        spectrum: _core.Tensor,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        parameters = arguments(locals())
        super().__init__(block_depth=2, parameters=parameters, **parameters)


class LinearOperatorCirculant3D(BaseLinearOperatorCirculant):
    """Block circulant matrices: convolutions over three dimensions that wrap around.

    Args:
        spectrum: the transform of the kernel, `[..., n0, n1, n2]`.
        input_output_dtype: the dtype of what is multiplied, `[..., n0 * n1 * n2, m]`.
        is_self_adjoint: whether they are self-adjoint; those of a real spectrum are.
        is_square: True.
    """

    def __init__(
        self,
        spectrum: _core.Tensor,
        input_output_dtype: Any = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        parameters = arguments(locals())
        super().__init__(block_depth=3, parameters=parameters, **parameters)


class LinearOperatorToeplitz(LinearOperator):
    """Toeplitz matrices: every diagonal has one value.

    Args:
        col: the first columns, `[..., n]`.
        row: the first rows, `[..., n]`; their first elements are ignored.
        is_square: True.
    """

    _composite_tensor_fields = ("col", "row")

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = locals()
        self._row = tensor_or_variable(row)
        self._col = tensor_or_variable(col)
        for argument, value, given in (("row", self._row, row), ("col", self._col, col)):
            if value.shape.rank == 0:
                raise ValueError(
                    f"Argument {argument} must have at least 1 dimension.  Found: {given}"
                )
        implied(is_square, True, "Only square Toeplitz operators currently supported.")
        if not self._row.shape[-1:].is_compatible_with(self._col.shape[-1:]):
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        self._describe(self._row.dtype, parameters, is_square=True)

    col = kept("_col", "The first columns.")

    row = kept("_row", "The first rows.")

    def _shape(self) -> TensorShape:
        shape = tf.broadcast_static_shape(self._row.shape, self._col.shape)
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> _core.Tensor:
        sizes = tf.broadcast_dynamic_shape(tf.shape(self._row), tf.shape(self._col))
        return tf.concat([sizes, sizes[-1:]], axis=0)

    def _parts(self) -> tuple[Any, Any]:
        """The columns and rows in one shape."""
        sizes = self.shape_tensor()[:-1]
        return tf.broadcast_to(self._col, sizes), tf.broadcast_to(self._row, sizes)

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        return assertions.assert_equal(
            self.row,
            self.col,
            message="row and col are not the same, and so this operator is not self-adjoint.",
        )

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        x = products.adjoint(x) if adjoint_arg else x
        col, row = self._parts()
        if adjoint:
            col, row = (tf.conj(row), tf.conj(col)) if self.dtype.is_complex else (row, col)
            # The element in the corner is the column's.
            row, col = row, tf.concat([row[..., :1], col[..., 1:]], axis=-1)
        # A circulant matrix of twice the size has this one in its upper left corner.
        wide = dtypes.complex128 if self.dtype.real_dtype == dtypes.float64 else dtypes.complex64
        zero = tf.zeros_like(col[..., :1])
        column = tf.concat([col, zero, tf.reverse(row[..., 1:], axis=[-1])], axis=-1)
        spectrum = tf.expand_dims(fourier.fft(tf.cast(column, wide)), -2)
        rows = products.matrix_transpose(tf.cast(x, wide))
        padding = [[0, 0]] * (len(rows.shape) - 1) + [[0, self.domain_dimension_tensor()]]
        padded = tf.pad(rows, padding)
        result = fourier.ifft(spectrum * fourier.fft(padded))[..., : self.domain_dimension_tensor()]
        return tf.cast(products.matrix_transpose(result), self.dtype)

    def _trace(self) -> _core.Tensor:
        col, _ = self._parts()
        return tf.cast(self.domain_dimension_tensor(), self.dtype) * col[..., 0]

    def _diag_part(self) -> _core.Tensor:
        return tf.broadcast_to(self._parts()[0][..., :1], self.shape_tensor()[:-1])

    def _to_dense(self) -> _core.Tensor:
        col, row = self._parts()
        size = self.domain_dimension_tensor()
        # All diagonals from the lowest to the highest, and the index of each element's diagonal.
        values = tf.concat([tf.reverse(col, axis=[-1]), row[..., 1:]], axis=-1)
        places = tf.range(size)
        offsets = tf.expand_dims(places, 0) - tf.expand_dims(places, 1) + size - 1
        return tf.gather(values, offsets, axis=-1)

    _experimental_parameter_ndims_to_matrix_ndims = {"row": 1, "col": 1}

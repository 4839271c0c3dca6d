"""LinearOperator: a batch of matrices that is multiplied and solved by its structure."""

from __future__ import annotations

import abc
import functools
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.module import Module
from eagerflow.framework.shapes import Dimension, TensorShape
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.spec import HINTS, LinearOperatorSpec
from eagerflow.ops import assertions
from eagerflow.ops.creation import eye
from eagerflow.ops.linalg import diagonals, factorization, products, solvers
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy
from eagerflow.util.argument_docs import complete_docs
from eagerflow.util.arguments import arguments

# It imports the operators.
algebra = lazy.Module("eagerflow.linear_operators.algebra")

_NOT_POSITIVE = (
    "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix."
)


def kept(attribute: str, doc: str) -> property:
    """A property that reads an attribute of the constructor's."""
    return property(operator.attrgetter(attribute), doc=doc)


class LinearOperator(Module, CompositeTensor, metaclass=abc.ABCMeta):
    """A batch of matrices `[..., m, n]` that is known by its structure, such as a diagonal.

    A subclass defines `_shape` and `_matmul`, and what its structure makes faster than the same of a
    dense matrix: `_solve`, `_determinant`, `_log_abs_determinant`, `_diag_part`, `_trace`, `_to_dense`,
    `_eigvals`, `_cond`. Hints say what is known of the matrices; what contradicts them is not checked,
    but functions that assume them may give wrong results.

    Args:
        dtype: the dtype of the matrices.
        is_non_singular: whether the matrices are invertible, where that is known.
        is_self_adjoint: whether they equal their conjugate transpose.
        is_positive_definite: whether `x^H A x` has a positive real part for all nonzero x.
        is_square: whether they are square.
        name: the operator's name.
        parameters: the arguments of the subclass's `__init__`.

    Raises:
        ValueError: if hints contradict each other.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matmul([[1.0], [1.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """

    _stands_for_tensor = True
    # Names of the arguments that hold tensors or operators; others are the same for all values of a spec.
    _composite_tensor_fields: tuple[str, ...] = ()
    # The number of dimensions of each parameter for one matrix.
    _experimental_parameter_ndims_to_matrix_ndims: Any = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        complete_docs(cls)

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, object] | None = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._is_square = is_square
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = arguments(parameters or {})
        # Names of operators may be joined from several, and are no identifiers.
        super().__init__(name="linear_operator")
        self._name = name or type(self).__name__

    def _describe(self, dtype: DTypeLike, parameters: dict[str, Any], **known: object) -> None:
        """Calls this class's constructor with the arguments of a subclass's.

        Args:
            dtype: the dtype of the matrices.
            parameters: the arguments by name: what `locals()` is first in the subclass's constructor.
            known: hints and the name, in place of those of the caller.
        """
        given = {name: parameters[name] for name in (*HINTS, "name")} | known
        LinearOperator.__init__(self, dtype, parameters=parameters, **given)

    # What is known.

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that the operator was made with."""
        return dict(self._parameters)

    dtype = kept("_dtype", "The dtype of the matrices.")

    @property
    def graph_parents(self) -> list[_core.Tensor]:
        """Empty: operators belong to no graph."""
        return []

    is_non_singular = kept(
        "_is_non_singular", "Whether the matrices are invertible; None if that is not known."
    )
    is_self_adjoint = kept(
        "_is_self_adjoint",
        "Whether they equal their conjugate transpose; None if that is not known.",
    )
    is_positive_definite = kept(
        "_is_positive_definite", "Whether they are positive definite; None if that is not known."
    )

    @property
    def is_square(self) -> bool | None:
        """Whether they are square, by a hint or by their shape; None if that is not known."""
        hint = self._is_square
        known = self.domain_dimension == self.range_dimension
        if hint is False and known:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return known if hint is None else hint

    def _hints(self) -> dict[str, Any]:
        return {hint: getattr(self, hint) for hint in HINTS}

    # Shapes.

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        """The shape as far as it is known."""

    def _shape_tensor(self) -> _core.Tensor:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> TensorShape:
        """The shape `[..., m, n]`."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> _core.Tensor:
        """The shape as a vector of int32."""
        if self.shape.is_fully_defined():
            return _core.as_tensor(np.array(self.shape.as_list(), np.int32))
        return self._shape_tensor()

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without the last two dimensions."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> _core.Tensor:
        """The shape without the last two dimensions, a vector of int32."""
        return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of dimensions."""
        return self.shape.rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> _core.Tensor:
        """The number of dimensions as a tensor."""
        return tf.size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns, a `Dimension`."""
        return _dimension(self.shape, -1)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> _core.Tensor:
        """The number of columns as a tensor."""
        return self.shape_tensor()[-1]

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows, a `Dimension`."""
        return _dimension(self.shape, -2)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> _core.Tensor:
        """The number of rows as a tensor."""
        return self.shape_tensor()[-2]

    # Checks.

    def assert_non_singular(self, name: str = "assert_non_singular") -> _core.Tensor | None:
        """Raises an InvalidArgumentError if a matrix is singular up to rounding."""
        return self._assert_non_singular()

    def _assert_non_singular(self) -> _core.Tensor | None:
        # The largest condition number of a matrix that counts as invertible.
        bound = 0.01 / np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        condition = self.cond()
        return assertions.assert_less(
            condition,
            _core.convert(float(bound), condition.dtype, None),
            message="Singular matrix up to precision epsilon.",
        )

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raises an InvalidArgumentError if a matrix is not positive definite."""
        return self._assert_positive_definite()

    def _assert_positive_definite(self) -> _core.Tensor | None:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        factor = factorization.cholesky(self.to_dense())
        return assertions.assert_positive(
            diagonals.diag_part(factor), message="Matrix was not positive definite."
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> _core.Tensor | None:
        """Raises an InvalidArgumentError if a matrix is not self-adjoint."""
        return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> _core.Tensor | None:
        dense = self.to_dense()
        return assertions.assert_equal(
            dense, products.adjoint(dense), message="Matrix was not equal to its adjoint."
        )

    def _check_input_dtype(self, arg: Any) -> None:
        if arg.dtype != self.dtype:
            raise TypeError(
                f"Expected argument to have dtype {self.dtype!r}.  Found: {arg.dtype!r} in tensor "
                f"{arg}"
            )

    def _operand(self, value: TensorLike) -> Any:
        tensor = value
        if not isinstance(value, _core.Tensor):
            tensor = _core.convert(value, self.dtype, None)
        self._check_input_dtype(tensor)
        return tensor

    # Products and solutions.

    @abc.abstractmethod
    def _matmul(self, x: TensorLike, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """The product with a batch of matrices."""

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """`A x`, or `A^H x` under `adjoint`, or with `x^H` in place of x under `adjoint_arg`.

        Args:
            x: a batch of matrices with the operator's dtype, or another operator.
            adjoint: whether to multiply by the adjoint.
            adjoint_arg: whether to multiply the adjoint of x.

        Returns:
            A tensor, or an operator where `x` is one.
        """
        if isinstance(x, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = x.adjoint() if adjoint_arg else x
            _check_fit(left.domain_dimension, right.range_dimension)
            return self._linop_matmul(left, right)
        x = self._operand(x)
        dimension = self.range_dimension if adjoint else self.domain_dimension
        check_dimension(dimension, _dimension(x.shape, -1 if adjoint_arg else -2))
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: TensorLike) -> Any:
        return self.matmul(other)

    def __rmatmul__(self, other: TensorLike) -> _core.Tensor:
        return tf.matmul(other, self)

    def _matvec(self, x: TensorLike, adjoint: bool = False) -> _core.Tensor:
        return tf.squeeze(self.matmul(tf.expand_dims(x, -1), adjoint=adjoint), [-1])

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> _core.Tensor:
        """The product with a batch of vectors."""
        x = self._operand(x)
        dimension = self.range_dimension if adjoint else self.domain_dimension
        check_dimension(dimension, _dimension(x.shape, -1))
        return self._matvec(x, adjoint=adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        rhs = products.adjoint(rhs) if adjoint_arg else rhs
        dense = self.to_dense()
        if self._can_use_cholesky():
            return solvers.cholesky_solve(*same_batch(factorization.cholesky(dense), rhs))
        return solvers.solve(*same_batch(dense, rhs), adjoint=adjoint)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The x with `A x = rhs`; `adjoint` and `adjoint_arg` as in `matmul`.

        Raises:
            NotImplementedError: if the operator is known not to be square, or to be singular.
        """
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            _check_fit(left.domain_dimension, right.range_dimension, "rhs")
            return self._linop_solve(left, right)
        rhs = self._operand(rhs)
        dimension = self.domain_dimension if adjoint else self.range_dimension
        check_dimension(dimension, _dimension(rhs.shape, -1 if adjoint_arg else -2))
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: TensorLike, adjoint: bool = False) -> _core.Tensor:
        return tf.squeeze(self.solve(tf.expand_dims(rhs, -1), adjoint=adjoint), [-1])

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The solution for a batch of vectors."""
        rhs = self._operand(rhs)
        dimension = self.domain_dimension if adjoint else self.range_dimension
        check_dimension(dimension, _dimension(rhs.shape, -1))
        return self._solvevec(rhs, adjoint=adjoint)

    # Other operators.

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose, an operator."""
        return self if self.is_self_adjoint else self._linop_adjoint()

    H = property(adjoint, None)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, an operator.

        Raises:
            ValueError: if the operator is known not to be square, or to be singular.
        """
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._linop_inverse()

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The Cholesky factor, a lower triangular operator.

        Raises:
            ValueError: if the operator is not known to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(_NOT_POSITIVE)
        return self._linop_cholesky()

    def _linop_adjoint(self) -> LinearOperator:
        return algebra.adjoint(self)

    def _linop_inverse(self) -> LinearOperator:
        return algebra.inverse(self)

    def _linop_cholesky(self) -> LinearOperator:
        return algebra.cholesky(self)

    def _linop_matmul(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        return algebra.product(left, right)

    def _linop_solve(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        return algebra.quotient(left, right)

    # Scalars of the matrices.

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _needs_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _determinant(self) -> _core.Tensor:
        if self._can_use_cholesky():
            return tf.exp(self.log_abs_determinant())
        return solvers.det(self.to_dense())

    def determinant(self, name: str = "det") -> _core.Tensor:
        """The determinant of every matrix."""
        self._needs_square("Determinant")
        return self._determinant()

    def _log_abs_determinant(self) -> _core.Tensor:
        if self._can_use_cholesky():
            diagonal = diagonals.diag_part(factorization.cholesky(self.to_dense()))
            return 2 * tf.reduce_sum(tf.log(diagonal), axis=[-1])
        return solvers.slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> _core.Tensor:
        """The logarithm of the absolute value of every determinant."""
        self._needs_square("Determinant")
        return self._log_abs_determinant()

    def _diag_part(self) -> _core.Tensor:
        return diagonals.diag_part(self.to_dense())

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonals, `[..., min(m, n)]`."""
        return self._diag_part()

    def _trace(self) -> _core.Tensor:
        return tf.reduce_sum(self.diag_part(), axis=[-1])

    def trace(self, name: str = "trace") -> _core.Tensor:
        """The sums of the diagonals."""
        return self._trace()

    def _to_dense(self) -> _core.Tensor:
        shape = self.shape
        if shape.is_fully_defined():
            identity = eye(shape[-1], batch_shape=shape[:-2].as_list(), dtype=self.dtype)
        else:
            batch, size = self.batch_shape_tensor(), self.domain_dimension_tensor()
            identity = eye(size, batch_shape=batch, dtype=self.dtype)
        return self.matmul(identity)

    def to_dense(self, name: str = "to_dense") -> _core.Tensor:
        """The matrices as a tensor."""
        return self._to_dense()

    def _add_to_tensor(self, x: TensorLike) -> _core.Tensor:
        return self.to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> _core.Tensor:
        """The sum with a tensor of matrices."""
        return self._add_to_tensor(self._operand(x))

    def _eigvals(self) -> _core.Tensor:
        return factorization.eigvalsh(self.to_dense())

    def eigvals(self, name: str = "eigvals") -> _core.Tensor:
        """The eigenvalues of every matrix, which must be self-adjoint.

        Raises:
            NotImplementedError: if the operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _cond(self) -> _core.Tensor:
        if self.is_self_adjoint:
            values = tf.abs(self.eigvals())
        else:
            values = tf.abs(factorization.svd(self.to_dense(), compute_uv=False))
        return tf.reduce_max(values, axis=[-1]) / tf.reduce_min(values, axis=[-1])

    def cond(self, name: str = "cond") -> _core.Tensor:
        """The condition number of every matrix, the ratio of its extreme singular values."""
        return self._cond()

    # As a value made of tensors.

    @property
    def _type_spec(self) -> LinearOperatorSpec:
        return LinearOperatorSpec.from_operator(self)

    def _convert_variables_to_tensors(self) -> LinearOperator:
        return self._copy(
            {
                name: value.read_value()
                for name, value in self._tensor_parameters().items()
                if isinstance(value, _core.Variable)
            }
        )

    def _tensor_parameters(self) -> dict[str, Any]:
        """The tensors, variables and operators that this operator consists of, by parameter."""
        return {
            name: value
            for name in self._composite_tensor_fields
            if (value := getattr(self, name, self._parameters.get(name))) is not None
        }

    def _copy(self, overrides: Mapping[str, object]) -> LinearOperator:
        """The operator with other parameters."""
        return type(self)(**{**self._parameters, **overrides})

    def __getitem__(self, slices: Any) -> LinearOperator:
        return self._copy(algebra.sliced_parameters(self, slices))

    def __op_function__(self, function: object, args: tuple, kwargs: dict[str, object]) -> Any:
        return algebra.call_function(function, args, kwargs)


def _dimension(shape: TensorShape, axis: int) -> Dimension:
    if shape.rank is not None and shape.rank < -axis:
        raise ValueError(f"A matrix has at least two axes, and a vector one, got shape {shape}")
    return Dimension(None) if shape.dims is None else shape.dims[axis]


def check_dimension(expected: Any, found: Any) -> None:
    expected.assert_is_compatible_with(found)


def _check_fit(expected: Dimension, found: Dimension, argument: str = "x") -> None:
    if None not in (expected.value, found.value) and expected.value != found.value:
        raise ValueError(
            f"Operators are incompatible. Expected `{argument}` to have dimension {expected} but got "
            f"{found}."
        )


def same_batch(a: _core.Tensor, b: _core.Tensor) -> tuple[Any, Any]:
    """Two batches of matrices with the same batch shape."""
    first, second = a.shape[:-2], b.shape[:-2]
    if first.is_fully_defined() and second.is_fully_defined() and first == second:
        return a, b
    batch = tf.broadcast_dynamic_shape(tf.shape(a)[:-2], tf.shape(b)[:-2])
    pair = []
    for matrix in (a, b):
        sizes = tf.concat([batch, tf.shape(matrix)[-2:]], axis=0)
        pair.append(tf.broadcast_to(matrix, sizes))
    return pair[0], pair[1]


def tensor_or_variable(value: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """A parameter as a tensor; a variable stays what it is, so that it is read when it is used."""
    if value is None or isinstance(value, _core.Tensor | _core.Variable):
        return value
    return _core.convert(value, None if dtype is None else dtypes.as_dtype(dtype), None)


def implied(hint: bool | None, known: bool, message: str) -> bool:
    """What is known of an operator, which raises a ValueError if a hint contradicts it."""
    if hint is (not known):
        raise ValueError(message)
    return known


def product(factors: Iterable[object]) -> Any:
    """The product of tensors."""
    return functools.reduce(operator.mul, factors)


def total(terms: Iterable[Any]) -> Any:
    """The sum of tensors."""
    return functools.reduce(operator.add, terms)


def common_batch_shape(operators: Iterable[LinearOperator]) -> TensorShape:
    """The shape that the batch shapes of operators broadcast to."""
    return functools.reduce(tf.broadcast_static_shape, (each.batch_shape for each in operators))


def common_batch_shape_tensor(operators: Iterable[LinearOperator]) -> _core.Tensor:
    """The same as a vector of int32."""
    shapes = (each.batch_shape_tensor() for each in operators)
    return functools.reduce(tf.broadcast_dynamic_shape, shapes)


def invalid(message: str) -> Any:
    """Raises the InvalidArgumentError of an assertion that never holds."""
    raise errors.InvalidArgumentError._of(message)

"""Operators made of blocks: along the diagonal, in the lower triangle, and Kronecker products."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework.shapes import TensorShape
from eagerflow.linear_operators import functions as tf
from eagerflow.linear_operators.derived import same_dtype
from eagerflow.linear_operators.operator import (
    LinearOperator,
    common_batch_shape,
    common_batch_shape_tensor,
    implied,
    kept,
    product,
    total,
)
from eagerflow.linear_operators.spec import HINTS
from eagerflow.ops.linalg import products
from eagerflow.typing import TensorLike


class _Blockwise(LinearOperator):
    """Operators that multiply and solve lists of blocks, too."""

    _operators: list[Any]

    @property
    def _diagonal_operators(self) -> list[LinearOperator]:
        """The operators along the diagonal."""
        raise NotImplementedError

    def _diagonal_is_square(self) -> bool:
        """Whether the operators along the diagonal are known to be square."""
        return True

    def _block_range_dimensions(self) -> list[Any]:
        return [operator.range_dimension for operator in self._diagonal_operators]

    def _block_domain_dimensions(self) -> list[Any]:
        return [operator.domain_dimension for operator in self._diagonal_operators]

    def _domain_sizes(self) -> list[Any]:
        """The number of columns of each block column, as scalars of int32."""
        return [operator.domain_dimension_tensor() for operator in self._diagonal_operators]

    def _range_sizes(self) -> list[_core.Tensor]:
        """The number of rows of each block row, as scalars of int32."""
        return [operator.range_dimension_tensor() for operator in self._diagonal_operators]

    def _matmul_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _solve_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _split(self, x: TensorLike, sizes: list[_core.Tensor]) -> list[Any]:
        return tf.split(x, tf.stack(sizes), axis=-2) if len(sizes) > 1 else [x]

    def _join(self, blocks: list[_core.Tensor]) -> _core.Tensor:
        batch = tf.shape(blocks[0])[:-2]
        for block in blocks[1:]:
            batch = tf.broadcast_dynamic_shape(batch, tf.shape(block)[:-2])
        parts = [
            tf.broadcast_to(block, tf.concat([batch, tf.shape(block)[-2:]], axis=0))
            for block in blocks
        ]
        return tf.concat(parts, axis=-2)

    def _is_blockwise(self, x: TensorLike, vectors: bool = False) -> bool:
        """Whether an argument is a list of tensors, one for each block."""
        return (
            isinstance(x, list | tuple)
            and len(x) == len(self._domain_sizes())
            and all(len(_shape(part)) >= (1 if vectors else 2) for part in x)
            and len({len(_shape(part)) for part in x}) == 1
            and [_rows(part, vectors) for part in x] != [_rows(x[0], vectors)] * len(x)
            or isinstance(x, list | tuple)
            and any(isinstance(part, _core.Tensor | _core.Variable) for part in x)
            and len(x) == len(self._domain_sizes())
        )

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """`A x`; a list of blocks of x gives a list."""
        if not isinstance(x, LinearOperator) and self._is_blockwise(x):
            blocks = [self._operand(part) for part in x]
            blocks = [products.adjoint(part) for part in blocks] if adjoint_arg else blocks
            return self._matmul_blocks(blocks, adjoint)
        return super().matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The x with `A x = rhs`; a list of blocks of rhs gives a list."""
        if not isinstance(rhs, LinearOperator) and self._is_blockwise(rhs):
            blocks = [self._operand(part) for part in rhs]
            blocks = [products.adjoint(part) for part in blocks] if adjoint_arg else blocks
            return self._solve_blocks(blocks, adjoint)
        return super().solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with vectors; a list of blocks gives a list."""
        if self._is_blockwise(x, vectors=True):
            blocks = [tf.expand_dims(self._operand(part), -1) for part in x]
            return [tf.squeeze(part, [-1]) for part in self._matmul_blocks(blocks, adjoint)]
        return super().matvec(x, adjoint=adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The solution for vectors; a list of blocks gives a list."""
        if self._is_blockwise(rhs, vectors=True):
            blocks = [tf.expand_dims(self._operand(part), -1) for part in rhs]
            return [tf.squeeze(part, [-1]) for part in self._solve_blocks(blocks, adjoint)]
        return super().solvevec(rhs, adjoint=adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        x = products.adjoint(x) if adjoint_arg else x
        blocks = self._split(x, self._range_sizes() if adjoint else self._domain_sizes())
        return self._join(self._matmul_blocks(blocks, adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        rhs = products.adjoint(rhs) if adjoint_arg else rhs
        blocks = self._split(rhs, self._domain_sizes() if adjoint else self._range_sizes())
        return self._join(self._solve_blocks(blocks, adjoint))

    def _vectors(self, parts: list[_core.Tensor]) -> _core.Tensor:
        """Concatenates vectors of the blocks, broadcast to their common batch shape."""
        batch = self.batch_shape_tensor()
        sizes = [tf.concat([batch, tf.shape(part)[-1:]], axis=0) for part in parts]
        return tf.concat(list(map(tf.broadcast_to, parts, sizes)), axis=-1)

    def _determinant(self) -> _core.Tensor:
        return product(operator.determinant() for operator in self._diagonal_operators)

    def _log_abs_determinant(self) -> _core.Tensor:
        return total(operator.log_abs_determinant() for operator in self._diagonal_operators)

    def _trace(self) -> _core.Tensor:
        if not self._diagonal_is_square():
            return super()._trace()
        return total(operator.trace() for operator in self._diagonal_operators)

    def _diag_part(self) -> _core.Tensor:
        if not self._diagonal_is_square():
            return super()._diag_part()
        return self._vectors([operator.diag_part() for operator in self._diagonal_operators])

    def _eigvals(self) -> _core.Tensor:
        if not self._diagonal_is_square():
            return super()._eigvals()
        return self._vectors([operator.eigvals() for operator in self._diagonal_operators])

    def _assert_non_singular(self) -> None:
        for operator in self._diagonal_operators:
            operator.assert_non_singular()


class LinearOperatorBlockDiag(_Blockwise):
    """Operators along the diagonal, and zeros elsewhere.

    Args:
        operators: the operators, from the upper left.
        is_non_singular: by default known where all of them are invertible.
        is_self_adjoint: by default known where all of them are self-adjoint.
        is_positive_definite: by default known where all of them are positive definite.
        is_square: whether the block matrix is square.
        name: by default their names joined by "_ds_".

    >>> blocks = [tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorFullMatrix([[2.0]])]
    >>> tf.linalg.LinearOperatorBlockDiag(blocks).to_dense().numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """

    _composite_tensor_fields = ("operators",)

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = locals()
        self._operators = same_dtype(operators)
        parameters["operators"] = self._operators
        known = {}
        for hint, shown in (
            ("is_self_adjoint", "self-adjoint"),
            ("is_positive_definite", "positive definite"),
            ("is_non_singular", "non-singular"),
        ):
            if all(getattr(operator, hint) for operator in self._operators):
                message = f"The direct sum of {shown} operators is always {shown}."
                known[hint] = implied(parameters[hint], True, message)
        self._describe(
            self._operators[0].dtype,
            parameters,
            **known,
            name=name or "_ds_".join(operator.name for operator in self._operators),
        )

    operators = kept("_operators", "The operators.")

    @property
    def _diagonal_operators(self) -> list[LinearOperator]:
        return self._operators

    def _diagonal_is_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _shape(self) -> TensorShape:
        rows = columns = 0
        for operator in self._operators:
            rows = operator.range_dimension + rows
            columns = operator.domain_dimension + columns
        batch = common_batch_shape(self._operators)
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> _core.Tensor:
        batch = common_batch_shape_tensor(self._operators)
        rows = tf.reduce_sum(tf.stack(self._range_sizes()))
        columns = tf.reduce_sum(tf.stack(self._domain_sizes()))
        return tf.concat([batch, tf.stack([rows, columns])], axis=0)

    def _matmul_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[_core.Tensor]:
        pairs = zip(self._operators, blocks, strict=True)
        return [operator.matmul(block, adjoint=adjoint) for operator, block in pairs]

    def _solve_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[_core.Tensor]:
        pairs = zip(self._operators, blocks, strict=True)
        return [operator.solve(block, adjoint=adjoint) for operator, block in pairs]

    def _to_dense(self) -> _core.Tensor:
        batch, columns = self.batch_shape_tensor(), self._domain_sizes()
        rows, before = [], 0
        width = tf.reduce_sum(tf.stack(columns))
        for operator, size in zip(self._operators, columns, strict=True):
            dense = operator.to_dense()
            dense = tf.broadcast_to(dense, tf.concat([batch, tf.shape(dense)[-2:]], axis=0))
            padding = [[0, 0]] * (len(dense.shape) - 1) + [[before, width - size - before]]
            rows.append(tf.pad(dense, padding))
            before = before + size
        return tf.concat(rows, axis=-2)

    def _assert_self_adjoint(self) -> None:
        for operator in self._operators:
            operator.assert_self_adjoint()

    def _assert_positive_definite(self) -> None:
        for operator in self._operators:
            operator.assert_positive_definite()

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}


class LinearOperatorBlockLowerTriangular(_Blockwise):
    """Blocks of operators in the lower triangle, and zeros above.

    Args:
        operators: the rows of blocks: the first has one operator, the second two, and so on; those on
            the diagonal are square.
        is_non_singular: by default known where those on the diagonal are invertible.
        is_self_adjoint: whether the whole is self-adjoint.
        is_positive_definite: whether it is positive definite.
        is_square: True.
    """

    _composite_tensor_fields = ("operators",)

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = locals()
        self._operators = [list(row) for row in operators]
        parameters["operators"] = self._operators
        _check_blocks(self._operators)
        implied(is_square, True, "Argument `is_square` must be True or None.")
        diagonal = self._diagonal_operators
        if all(operator.is_non_singular for operator in diagonal):
            is_non_singular = implied(
                is_non_singular,
                True,
                "A blockwise lower-triangular operator with non-singular operators on the main "
                "diagonal is always non-singular.",
            )
        if any(operator.is_non_singular is False for operator in diagonal):
            is_non_singular = implied(
                is_non_singular,
                False,
                "A blockwise lower-triangular operator with a singular operator on the main "
                "diagonal is always singular.",
            )
        self._describe(
            diagonal[0].dtype, parameters, is_non_singular=is_non_singular, is_square=True
        )

    operators = kept("_operators", "The rows of blocks.")

    @property
    def _diagonal_operators(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    def _shape(self) -> TensorShape:
        size: Any = total(operator.domain_dimension for operator in self._diagonal_operators)
        batch = common_batch_shape(itertools.chain.from_iterable(self._operators))
        return batch.concatenate(TensorShape([size, size]))

    def _shape_tensor(self) -> _core.Tensor:
        batch = common_batch_shape_tensor(itertools.chain.from_iterable(self._operators))
        size = tf.reduce_sum(tf.stack(self._domain_sizes()))
        return tf.concat([batch, tf.stack([size, size])], axis=0)

    def _matmul_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[_core.Tensor]:
        results = []
        count = len(blocks)
        for k in range(count):
            if adjoint:
                terms = [
                    self._operators[j][k].matmul(blocks[j], adjoint=True) for j in range(k, count)
                ]
            else:
                terms = [self._operators[k][j].matmul(blocks[j]) for j in range(k + 1)]
            results.append(sum(terms[1:], terms[0]))
        return results

    def _solve_blocks(self, blocks: list[_core.Tensor], adjoint: bool) -> list[_core.Tensor]:
        count = len(blocks)
        solved: dict[int, Any] = {}
        for k in reversed(range(count)) if adjoint else range(count):
            rest = blocks[k]
            for j in solved:
                inner = self._operators[j][k] if adjoint else self._operators[k][j]
                rest = rest - inner.matmul(solved[j], adjoint=adjoint)
            solved[k] = self._operators[k][k].solve(rest, adjoint=adjoint)
        return [solved[k] for k in range(count)]

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [[0] * len(row) for row in self._operators]}


class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    Args:
        operators: the operators.
        is_non_singular: by default known where all of them are invertible.
        is_self_adjoint: by default known where all of them are self-adjoint.
        is_positive_definite: by default known where all of them are positive definite.
        is_square: by default known where all of them are square.
        name: by default their names joined by "_x_".

    >>> left, right = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorIdentity(2)
    >>> tf.linalg.LinearOperatorKronecker([left, right]).diag_part().numpy()
    array([1., 1., 2., 2.], dtype=float32)
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
        self._operators = list(operators)
        parameters["operators"] = self._operators
        if not self._operators:
            raise ValueError(
                f"Argument `operators` must be a list of >=1 operators. Received: {operators}."
            )
        if any(operator.dtype != self._operators[0].dtype for operator in self._operators):
            found = [str((operator.name, operator.dtype)) for operator in self._operators]
            raise TypeError(
                "Expected every operation in argument `operators` to have the same dtype. Received "
                f"{found}."
            )
        known = {}
        for hint in HINTS:
            if all(getattr(operator, hint) for operator in self._operators):
                shown = hint.removeprefix("is_").replace("_", "-")
                known[hint] = implied(
                    parameters[hint],
                    True,
                    f"The Kronecker product of {shown} operators is always {shown}. Expected "
                    f"argument `{hint}` to be True. Received: False.",
                )
        self._describe(
            self._operators[0].dtype,
            parameters,
            **known,
            name=name or "_x_".join(operator.name for operator in self._operators),
        )

    operators = kept("_operators", "The operators.")

    def _shape(self) -> TensorShape:
        rows: Any = product(operator.range_dimension for operator in self._operators)
        columns: Any = product(operator.domain_dimension for operator in self._operators)
        batch = common_batch_shape(self._operators)
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> _core.Tensor:
        batch = common_batch_shape_tensor(self._operators)
        sizes = tf.stack([operator.shape_tensor()[-2:] for operator in self._operators])
        return tf.concat([batch, tf.reduce_prod(sizes, axis=[0])], axis=0)

    def _apply(self, x: TensorLike, method: str, adjoint: bool) -> Any:
        """Applies a method of each operator along its axis of x."""
        for operator in self._operators:
            # The operator's axis is in front; what it gives goes behind the others.
            turned = (method == "solve") != adjoint
            size = (
                operator.range_dimension_tensor() if turned else operator.domain_dimension_tensor()
            )
            sizes = tf.shape(x)
            rest = sizes[-2] // size
            split = tf.reshape(x, tf.concat([sizes[:-2], [size, rest * sizes[-1]]], axis=0))
            product = getattr(operator, method)(split, adjoint=adjoint)
            sizes_after = tf.shape(product)
            apart = tf.reshape(
                product, tf.concat([sizes_after[:-1], tf.stack([rest, sizes[-1]])], axis=0)
            )
            rank = len(apart.shape)
            order = [*range(rank - 3), rank - 2, rank - 3, rank - 1]
            moved = tf.transpose(apart, order)
            x = tf.reshape(
                moved,
                tf.concat(
                    [sizes_after[:-2], tf.stack([rest * sizes_after[-2], sizes[-1]])], axis=0
                ),
            )
        return x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._apply(products.adjoint(x) if adjoint_arg else x, "matmul", adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> _core.Tensor:
        return self._apply(products.adjoint(rhs) if adjoint_arg else rhs, "solve", adjoint)

    def _exponents(self) -> list[_core.Tensor]:
        """How often the determinant of each operator is multiplied."""
        total = self.domain_dimension_tensor()
        return [total // operator.domain_dimension_tensor() for operator in self._operators]

    def _determinant(self) -> _core.Tensor:
        return product(
            tf.pow(operator.determinant(), tf.cast(exponent, self.dtype))
            for operator, exponent in zip(self._operators, self._exponents(), strict=True)
        )

    def _log_abs_determinant(self) -> _core.Tensor:
        logarithms = [operator.log_abs_determinant() for operator in self._operators]
        return total(
            logarithm * tf.cast(exponent, logarithm.dtype)
            for logarithm, exponent in zip(logarithms, self._exponents(), strict=True)
        )

    def _trace(self) -> _core.Tensor:
        return product(operator.trace() for operator in self._operators)

    def _outer(self, parts: list[_core.Tensor]) -> _core.Tensor:
        """All products of an element of each vector."""
        result = parts[0]
        for part in parts[1:]:
            result = tf.expand_dims(result, -1) * tf.expand_dims(part, -2)
            sizes = tf.shape(result)
            joined = tf.reshape(sizes[-2] * sizes[-1], [1])
            result = tf.reshape(result, tf.concat([sizes[:-2], joined], axis=0))
        sizes = tf.concat([self.batch_shape_tensor(), tf.shape(result)[-1:]], axis=0)
        return tf.broadcast_to(result, sizes)

    def _diag_part(self) -> _core.Tensor:
        if not all(operator.is_square for operator in self._operators):
            return super()._diag_part()
        return self._outer([operator.diag_part() for operator in self._operators])

    def _eigvals(self) -> _core.Tensor:
        return self._outer([operator.eigvals() for operator in self._operators])

    def _assert_each(self, hint: str, method: str) -> None:
        if all(operator.is_square for operator in self._operators):
            for operator in self._operators:
                getattr(operator, method)()
            return
        raise errors.InvalidArgumentError._of(
            f"All Kronecker operators must be square for the product to be {hint}."
        )

    def _assert_non_singular(self) -> None:
        self._assert_each("invertible", "assert_non_singular")

    def _assert_self_adjoint(self) -> None:
        self._assert_each("invertible", "assert_self_adjoint")

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"operators": [0] * len(self._operators)}


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, _core.Tensor | _core.Variable) else np.shape(value)


def _rows(value: TensorLike, vectors: bool) -> Any:
    return _shape(value)[-1 if vectors else -2]


def _check_blocks(rows: list[list[LinearOperator]]) -> None:
    """Checks that blocks form a lower triangle of operators that fit each other."""
    if not rows:
        raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {rows}.")
    for k, row in enumerate(rows):
        if len(row) != k + 1:
            raise ValueError(
                f"Argument `operators[{k}]` must contain `{k + 1}` blocks. Received: {len(row)} "
                "blocks."
            )
    dtype = rows[0][0].dtype
    for k, row in enumerate(rows):
        if row[-1].is_square is False:
            raise ValueError(
                "Matrices on the diagonal (the final elements of each row-partition in the "
                f"`operators` list) must be square. Expected argument `operators[{k}][-1].is_square` "
                "to be True. Received: False."
            )
        for j, operator in enumerate(row):
            if operator.dtype != dtype:
                raise TypeError(
                    f"Expected all operators to have the same dtype. Found {operator.dtype} and {dtype}."
                )
            columns, expected = operator.domain_dimension.value, rows[j][j].domain_dimension.value
            if None not in (columns, expected) and columns != expected:
                raise ValueError(
                    f"Argument `operators[{k}][{j}].domain_dimension` ({columns}) must be the same as "
                    f"`operators[{j}][{j}].domain_dimension` ({expected})."
                )
            height, expected = operator.range_dimension.value, row[-1].range_dimension.value
            if None not in (height, expected) and height != expected:
                raise ValueError(
                    f"Argument `operators[{k}][{j}].range_dimension` ({height}) must be the same as "
                    f"`operators[{k}][-1].range_dimension` ({expected})."
                )

"""Accumulators: gradients of several workers, whose mean or sum is taken when there are enough."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.operation import Operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.per_session import PerSession
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
_REDUCTIONS = ("MEAN", "SUM")


class _Gathered:
    """The gradients that were applied since the last were taken."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.condition = threading.Condition()
        self.step = 0
        self.cancelled = False
        self.reset()

    def reset(self) -> None:
        self.count = 0
        self.total: np.ndarray | None = None
        self.rows: dict[int, tuple[np.ndarray, int]] = {}

    def __len__(self) -> int:
        return self.count

    def end(self) -> None:
        """Wakes all waiting threads, as the session is closed."""
        with self.condition:
            self.cancelled = True
            self.condition.notify_all()

    def take(self, required: int, result: Callable[[], Any]) -> Any:
        if required <= 0:
            raise errors.InvalidArgumentError._of(
                f"Argument num_required must be positive, but is {required}"
            )
        with self.condition:
            while self.count < required and not self.cancelled:
                self.condition.wait()
            if self.cancelled:
                raise errors.CancelledError._of(f"TakeGrad of {self.name} was cancelled")
            taken = result()
            self.step += 1
            self.reset()
            return taken


class ConditionalAccumulatorBase(PerSession):
    """Base class of accumulators; see `ConditionalAccumulator`.

    Args:
        dtype: the dtype of the gradients.
        shape: their shape, which may be partial; None if it is not known.
        shared_name: ignored: every accumulator is one of its own.
        name: the accumulator's name.
        reduction_type: "MEAN" or "SUM": what is taken of the gradients.

    Raises:
        ValueError: if there is no such reduction.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        if reduction_type not in _REDUCTIONS:
            raise ValueError(
                f"Attr 'reduction_type' of 'ResourceConditionalAccumulator' Op passed string "
                f'\'{reduction_type}\' not in: "MEAN", "SUM".'
            )
        self._dtype, self._shape = dtypes.as_dtype(dtype), TensorShape(shape)
        self._mean = reduction_type == "MEAN"
        self._place(name)

    def _new(self) -> _Gathered:
        return _Gathered(self._name)

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> _core.Tensor:
        """How many gradients were accumulated since the last were taken, as a scalar of int32."""

        def count() -> Any:
            return _core.as_tensor(np.int32(len(self._contents())))

        return self._run_or_record("NumAccumulated", count, (), TensorSpec([], "int32"), name)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Operation:
        """Moves the accumulator's step on; gradients of earlier steps are dropped from then on."""

        def set_step(step: Any) -> None:
            gathered = self._contents()
            with gathered.condition:
                gathered.step = max(gathered.step, int(step))

        return self._run_or_record("SetGlobalStep", set_step, (new_global_step,), None, name)

    def _apply(self, local_step: Any, change: Callable[[_Gathered], None]) -> None:
        gathered = self._contents()
        with gathered.condition:
            if int(local_step) < gathered.step:
                return  # it was computed with values that have changed since
            change(gathered)
            gathered.count += 1
            gathered.condition.notify_all()

    def _checked(self, shape: ShapeLike) -> None:
        if not self._shape.is_compatible_with(shape):
            raise errors.InvalidArgumentError._of(
                f"Shape mismatch: expected {self._shape}, got {TensorShape(shape)}"
            )


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """The mean or the sum of dense gradients, which is taken when there are enough of them.

    Gradients of a local step before the accumulator's own are dropped: they are stale. The
    accumulator's step grows by one whenever gradients are taken.

    >>> gradients = tf.compat.v1.ConditionalAccumulator(tf.float32, [2])
    >>> gradients.apply_grad([1.0, 2.0])
    >>> gradients.apply_grad([3.0, 4.0])
    >>> gradients.take_grad(2).numpy()
    array([2., 3.], dtype=float32)
    """

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """Adds a gradient, unless `local_step` is behind the accumulator's step.

        Raises:
            tf.errors.InvalidArgumentError: if the shape does not fit.
        """

        def apply(value: Any, step: TensorLike) -> None:
            value = np.asarray(value)
            self._checked(value.shape)

            def add(gathered: _Gathered) -> None:
                total = gathered.total
                if total is not None and total.shape != value.shape:
                    raise errors.InvalidArgumentError._of(
                        f"Shape mismatch: expected {total.shape}, got {value.shape}"
                    )
                gathered.total = value.copy() if total is None else total + value

            self._apply(step, add)

        grad = _core.convert(grad, self._dtype, None)
        return self._run_or_record(
            "AccumulatorApplyGradient",
            apply,
            (grad, local_step),
            None,
            name or "AccumulatorApplyGradient",
        )

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """The mean or the sum of the gradients, once `num_required` were applied; then it is empty.

        Raises:
            tf.errors.InvalidArgumentError: if `num_required` is not positive.
        """

        def take(required: int) -> _core.Tensor:
            gathered = self._contents()

            def reduced() -> _core.Tensor:
                total = gathered.total
                assert total is not None
                value = total / np.asarray(gathered.count, total.dtype) if self._mean else total
                return _core.as_tensor(value.astype(total.dtype))

            return gathered.take(int(required), reduced)

        spec = TensorSpec(self._shape, self._dtype)
        return self._run_or_record(
            "AccumulatorTakeGradient",
            take,
            (num_required,),
            spec,
            name or "AccumulatorTakeGradient",
        )


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """The mean or the sum of gradients of some rows; a row's mean counts the gradients that had it.

    >>> rows = tf.compat.v1.SparseConditionalAccumulator(tf.float32, [4, 1])
    >>> rows.apply_grad([0, 2], [[1.0], [2.0]])
    >>> rows.apply_grad([2], [[4.0]])
    >>> rows.take_indexed_slices_grad(2).values.numpy().tolist()
    [[1.0], [3.0]]
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike | None = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        super().__init__(dtype, shape, shared_name, name, reduction_type)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: TensorLike = 0, name: str | None = None
    ) -> Operation:
        """Adds a gradient of rows; see `apply_grad`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self,
        grad_indices: TensorLike,
        grad_values: TensorLike,
        grad_shape: ShapeLike | None = None,
        local_step: TensorLike = 0,
        name: str | None = None,
    ) -> Operation:
        """Adds a gradient, unless `local_step` is behind the accumulator's step.

        Args:
            grad_indices: the indices of the rows.
            grad_values: the rows, in the same order.
            grad_shape: the shape of the whole gradient, which must fit the accumulator's.
            local_step: the step in which the gradient was computed.
            name: the operation's name.

        Raises:
            tf.errors.InvalidArgumentError: if shapes or indices do not fit.
        """
        has_shape = grad_shape is not None

        def apply(indices: _core.Tensor, values: Any, shape: TensorShape, step: TensorLike) -> None:
            index, rows = np.asarray(indices), np.asarray(values)
            if index.ndim != 1 or rows.ndim < 1 or len(index) != len(rows):
                raise errors.InvalidArgumentError._of(
                    f"Indices must be a vector with one entry for each row of the values; their "
                    f"shapes are {index.shape} and {rows.shape}"
                )
            if has_shape:
                self._checked(np.asarray(shape).tolist())
            self._checked([None, *rows.shape[1:]])
            limit = None if self._shape.rank is None else self._shape[0]
            if index.size and (index.min() < 0 or (limit is not None and index.max() >= limit)):
                raise errors.InvalidArgumentError._of(
                    f"Indices must be in [0, {limit}), got {index.tolist()}"
                )

            def add(gathered: _Gathered) -> None:
                for k, row in zip(index.tolist(), rows, strict=True):
                    before, count = gathered.rows.get(k, (0, 0))
                    gathered.rows[k] = (before + row, count + 1)

            self._apply(step, add)

        grad_values = _core.convert(grad_values, self._dtype, None)
        shape = grad_shape if has_shape else []
        args = (_ops.cast(grad_indices, dtypes.int64), grad_values, shape, local_step)
        return self._run_or_record(
            "SparseAccumulatorApplyGradient",
            apply,
            args,
            None,
            name or "SparseAccumulatorApplyGradient",
        )

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """The indices, the rows and the whole shape; see `ConditionalAccumulator.take_grad`."""

        def take(required: int) -> tuple[_core.Tensor, _core.Tensor, _core.Tensor]:
            gathered = self._contents()

            def reduced() -> Any:
                index = sorted(gathered.rows)
                rows = [
                    total / count if self._mean else total
                    for total, count in (gathered.rows[k] for k in index)
                ]
                inner = self._shape.as_list()[1:] if self._shape.rank else []
                values = np.asarray(rows, self._dtype.as_numpy_dtype)
                if not rows:
                    values = values.reshape([0, *inner])
                shape = self._shape.as_list() if self._shape.rank else [-1, *values.shape[1:]]
                whole = [-1 if size is None else size for size in shape]
                return tuple(
                    _core.as_tensor(part)
                    for part in (np.asarray(index, np.int64), values, np.asarray(whole, np.int64))
                )

            return gathered.take(int(required), reduced)

        rank = self._shape.rank
        inner = TensorShape(None) if rank is None else self._shape[1:]
        specs = (
            TensorSpec([None], "int64"),
            TensorSpec(TensorShape([None]).concatenate(inner), self._dtype),
            TensorSpec([rank], "int64"),
        )
        return self._run_or_record(
            "SparseAccumulatorTakeGradient",
            take,
            (num_required,),
            specs,
            name or "SparseAccumulatorTakeGradient",
        )

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """The same as IndexedSlices."""
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)

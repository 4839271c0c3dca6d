"""TensorFlow functions that are trivial in eager execution."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.registered_gradients import registered
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

# Few programs register gradients.
registry = lazy.Module("eagerflow.autodiff.registry")

_ops = _core.ops
Tensor = _core.Tensor


class AggregationMethod:
    """How gradients of one tensor are joined; they are added in any case."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@op_function(in_graph=on_host(always(TensorSpec([], dtypes.float64))))
def timestamp(name: str | None = None) -> Tensor:
    """The seconds since the beginning of 1970, float64.

    >>> tf.timestamp().dtype
    tf.float64
    """
    return _core.convert(time.time(), dtypes.float64, None)


@op_function
def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The tensor itself: tensors do not change.

    >>> tf.guarantee_const(tf.constant(1)).numpy()
    np.int32(1)
    """
    return _ops.identity(input)


@composed_op("CheckPinned", tensor=Input())
def check_pinned(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The tensor, if its memory is pinned for a device; memory of the CPU is not.

    Raises:
        tf.errors.InvalidArgumentError: if it is not.
    """
    _core.as_tensor(tensor)
    raise invalid_argument("not pinned [Op:CheckPinned]")


class CriticalSection:
    """A section in which functions run one at a time.

    >>> tf.CriticalSection().execute(lambda: tf.constant(1)).numpy()
    np.int32(1)
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: object = None,
        import_scope: str | None = None,
    ) -> None:
        self._name = name or "critical_section"
        self._lock = threading.Lock()
        self._owner: int | None = None

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def execute(
        self, fn: Callable, exclusive_resource_access: bool = True, name: str | None = None
    ) -> Tensor:
        """Calls a function while no other runs in this section.

        Args:
            fn: a function without arguments.

        Raises:
            ValueError: if it is called from within the section.
        """
        if self._owner == threading.get_ident():
            raise ValueError("Attempting to lock a CriticalSection that is being executed.")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                result = fn()
            finally:
                self._owner = None
        return nest.map_structure(_tensor_or_same, result)


def _tensor_or_same(value: TensorLike) -> Any:
    if value is None or getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.as_tensor(value)


class RegisterGradient:
    """A decorator that registers a gradient for a kind of operation.

    Operations have gradients. One that is registered for a type of operation replaces its gradient;
    one of another name is used where `tf.Graph.gradient_override_map` selects it.

    Args:
        op_type: the name of the kind.

    Raises:
        TypeError: if it is not a string.
        KeyError: when a function is decorated, if the kind has one already.

    >>> @tf.RegisterGradient("Halve")
    ... def gradient_of_halve(op, grad):
    ...     return grad / 2
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable) -> Callable:
        if self._op_type in registered:
            raise KeyError(f"Registering two gradient with name '{self._op_type}'!")
        registry.register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Says that a kind of operation has no gradient.

    Args:
        op_type: the name of the kind.

    Raises:
        TypeError: if it is not a string.

    >>> tf.no_gradient("Size of something")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    registry.register(op_type, None)


class RaggedFillEmptyRows(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows`."""

    output_value_rowids: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The result of `tf.ragged_fill_empty_rows_grad`."""

    d_values: Tensor
    d_default_value: Tensor


@composed_op(
    "RaggedFillEmptyRows",
    value_rowids=Input("int64"),
    values=Input(),
    nrows=Input("int64"),
    default_value=Input(),
)
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: TensorLike, name: str | None = None
) -> RaggedFillEmptyRows:
    """Adds a default value to each row without values.

    Args:
        value_rowids: int64 `[n]`, the row of each value.
        values: `[n]`.
        nrows: the number of rows.
        default_value: the value of rows that have none.

    Returns:
        The new rows and values, which rows were empty, and the new index of each original value.

    Raises:
        tf.errors.InvalidArgumentError: if a row is out of range.

    >>> tf.ragged_fill_empty_rows([0, 2], [5, 6], 3, -1).output_values.numpy()
    array([ 5, -1,  6], dtype=int32)
    """
    rows = np.asarray(_core.convert(value_rowids, dtypes.int64, None))
    tensor = _core.as_tensor(values)
    default = _core.convert(default_value, tensor.dtype, None)
    count = int(nrows)
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        raise invalid_argument(
            f"value_rowids must lie within [0, {count}) [Op:RaggedFillEmptyRows]"
        )
    empty = np.bincount(rows, minlength=count) == 0
    every = np.concatenate([rows, np.flatnonzero(empty)])
    order = np.argsort(every, kind="stable")
    filled = _ops.broadcast_to(default, [int(empty.sum())])
    joined = _ops.gather(_ops.concat([tensor, filled], 0), order, 0, 0)
    positions = np.argsort(order)[: rows.size]
    return RaggedFillEmptyRows(
        _core.as_tensor(every[order]), joined, _core.as_tensor(empty), _core.as_tensor(positions)
    )


@composed_op("RaggedFillEmptyRowsGrad", reverse_index_map=Input("int64"), grad_values=Input())
def ragged_fill_empty_rows_grad(
    reverse_index_map: TensorLike, grad_values: TensorLike, name: str | None = None
) -> RaggedFillEmptyRowsGrad:
    """The gradients of `tf.ragged_fill_empty_rows` with respect to its values and its default.

    Args:
        reverse_index_map: the new index of each original value.
        grad_values: the gradient of all values.

    >>> float(tf.ragged_fill_empty_rows_grad([0, 2], [1.0, 2.0, 4.0]).d_default_value)
    2.0
    """
    positions = _core.convert(reverse_index_map, dtypes.int64, None)
    gradient = _core.as_tensor(grad_values)
    if positions.ndim != 1 or gradient.ndim != 1:
        raise invalid_argument(
            f"reverse_index_map and grad_values must be vectors, got shapes {positions.shape} and "
            f"{gradient.shape} [Op:RaggedFillEmptyRowsGrad]"
        )
    taken = _ops.gather(gradient, positions, 0, 0)
    others = _ops.reduce_sum(gradient) - _ops.reduce_sum(taken)
    return RaggedFillEmptyRowsGrad(taken, others)

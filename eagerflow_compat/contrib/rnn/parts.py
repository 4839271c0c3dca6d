"""What cells of contrib.rnn share: linear maps, layer normalization, states of LSTMs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import legacy_initializers as initializers
from eagerflow.keras.activations import get as activation_of
from eagerflow.typing import DTypeLike
from eagerflow_compat.v1.rnn_cells import LSTMStateTuple, RNNCell

_ops = _core.ops

# What layer normalization adds to the variance.
_EPSILON = 1e-12


def activation(given: Any, default: str = "tanh") -> Callable[..., _core.Tensor]:
    """An activation by name or as a function; the default for None."""
    return activation_of(default if given is None else given)


def last_size(shape: Any) -> int:
    """The number of features of inputs of a shape.

    Raises:
        ValueError: if it is unknown.
    """
    size = TensorShape(shape).as_list()[-1]
    if size is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return int(size)


def split(x: Any, count: int, axis: int = 1) -> list[Any]:
    """Equal parts of a tensor."""
    x = _core.as_tensor(x)
    size = x.shape.as_list()[axis]
    return list(_ops.split(x, [size // count] * count, axis))


class Linear:
    """`inputs @ kernel + bias`, with variables of a cell.

    Args:
        cell: the cell, which is being built.
        rows: the number of features of all inputs together.
        columns: the number of outputs.
        scope: comes before the variables' names.
        initializer: of the kernel.
        bias: whether there is one.
        bias_initializer: zeros by default.
    """

    def __init__(
        self,
        cell: RNNCell,
        rows: int,
        columns: int,
        scope: str = "",
        initializer: Any = None,
        bias: bool = True,
        bias_initializer: Any = None,
    ) -> None:
        prefix = f"{scope}/" if scope else ""
        self._kernel = cell.add_variable(
            f"{prefix}kernel", [rows, columns], initializer=initializer
        )
        self._bias = None
        if bias:
            start = initializers.Zeros() if bias_initializer is None else bias_initializer
            self._bias = cell.add_variable(f"{prefix}bias", [columns], initializer=start)

    def __call__(self, *inputs: Any) -> Any:
        """The outputs for inputs `[batch, features]`, which are joined."""
        joined = _ops.concat(list(inputs), 1) if len(inputs) > 1 else inputs[0]
        result = _ops.matmul(joined, self._kernel)
        return result if self._bias is None else _ops.bias_add(result, self._bias)


class Norm:
    """Layer normalization (Ba, Kiros and Hinton, arXiv 1607.06450) with variables of a cell."""

    def __init__(self, cell: RNNCell, scope: str, size: int, gain: float, shift: float) -> None:
        def variable(name: str, value: float) -> Any:
            start = initializers.Constant(value)
            return cell.add_variable(f"{scope}/{name}", [size], initializer=start)

        self._gamma = variable("gamma", gain)
        self._beta = variable("beta", shift)

    def __call__(self, x: Any) -> Any:
        mean = _ops.reduce_mean(x, [-1], True)
        away = x - mean
        variance = _ops.reduce_mean(_ops.square(away), [-1], True)
        return away * _ops.rsqrt(variance + _EPSILON) * self._gamma + self._beta


def norms(
    cell: RNNCell, scopes: Sequence[str], size: int, gain: float, shift: float
) -> dict[str, Norm]:
    """A normalization for each scope."""
    return {scope: Norm(cell, scope, size, gain, shift) for scope in scopes}


def clipped(x: Any, limit: Any) -> Any:
    """Values between `-limit` and `limit`; all of them if there is none."""
    return x if limit is None else _ops.clip_by_value(x, -limit, limit)


class Sharded:
    """A matrix of a cell that is kept in parts, named by their numbers.

    Raises:
        ValueError: if there are more parts than rows.
    """

    def __init__(
        self, cell: RNNCell, name: str, shape: Sequence[int], shards: int, initializer: Any = None
    ) -> None:
        rows, *others = shape
        if shards > rows:
            raise ValueError(f"Too many shards: shape={list(shape)}, num_shards={shards}")
        size, longer = divmod(rows, shards)
        self._parts = [
            cell.add_variable(
                f"{name}_{k}", [size + (k < longer), *others], initializer=initializer
            )
            for k in range(shards)
        ]

    def whole(self) -> Any:
        """The matrix."""
        return self._parts[0] if len(self._parts) == 1 else _ops.concat(self._parts, 0)


class VectorCell(RNNCell):
    """Base class of cells whose state is one vector for each row, of the size of the outputs."""

    def __init__(
        self,
        num_units: int,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units


class MemoryCell(RNNCell):
    """Base class of cells whose state is an `LSTMStateTuple`, with outputs that may be projected."""

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        return self._num_proj or self._num_units

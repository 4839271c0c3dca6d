"""What tables of embeddings are, and the features that are looked up in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops.random.stateful import truncated_normal
from eagerflow_compat.tpu.experimental.embedding.optimizers import Optimizer

_ops = _core.ops
_COMBINERS = ("mean", "sum", "sqrtn")


class QuantizationConfig:
    """The buckets of activations that are rounded. Nothing is rounded on processors.

    Args:
        num_buckets: how many values there are.
        lower: the least value.
        upper: the largest value.
    """

    def __init__(self, num_buckets: int, lower: float, upper: float) -> None:
        if num_buckets < 2:
            raise ValueError(
                f"num_buckets is {num_buckets}, must be at least 2 for simulated quantization."
            )
        self.num_buckets = num_buckets
        self.lower = lower
        self.upper = upper

    def __repr__(self) -> str:
        return (
            f"QuantizationConfig(num_buckets={self.num_buckets!r}, lower={self.lower!r}, "
            f"upper={self.upper!r})"
        )


class RowIdInitializer:
    """Fills each row of a table with its number, plus an offset.

    >>> tf.tpu.experimental.embedding.RowIdInitializer(5)([2, 2]).numpy()
    array([[5., 5.],
           [6., 6.]], dtype=float32)
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> _core.Tensor:
        """A table of this shape."""
        rows, *others = (int(size) for size in shape)
        numbers = _ops.range(self.offset, self.offset + rows, 1)
        column = _ops.reshape(_ops.cast(numbers, dtype), [rows] + [1] * len(others))
        return _ops.broadcast_to(column, [rows, *others])


class TableConfig:
    """A table of embeddings.

    Args:
        vocabulary_size: how many rows it has.
        dim: the size of each.
        initializer: makes the table of a shape and a dtype; by default truncated normal values with
            the standard deviation `1 / sqrt(dim)`.
        optimizer: of this table, in place of the general one.
        combiner: how the rows of a feature become one: "mean", "sum" or "sqrtn".
        name: of its variable.
        quantization_config: kept as an attribute.
        layout: kept as an attribute.
        dtype: of the table.

    Raises:
        ValueError: if one of these is something else.

    >>> table = tf.tpu.experimental.embedding.TableConfig(1000, 8, combiner="sum", name="words")
    >>> table.initializer([1000, 8]).shape
    TensorShape([1000, 8])
    """

    def __init__(
        self,
        vocabulary_size: int,
        dim: int,
        initializer: Callable[..., Any] | None = None,
        optimizer: Optimizer | None = None,
        combiner: str = "mean",
        name: str | None = None,
        quantization_config: QuantizationConfig | None = None,
        layout: Any = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if not isinstance(vocabulary_size, int) or vocabulary_size < 1:
            raise ValueError(
                "Argument `vocabulary_size` must be an int and must be >= 1. "
                f"Received: {vocabulary_size}"
            )
        if not isinstance(dim, int) or dim < 1:
            raise ValueError(
                f"Argument `dim` (embedding dimension) must be an int and must be >= 1. Received: {dim}"
            )
        if initializer is not None and not callable(initializer):
            raise ValueError(
                f"Argument `initializer` must be a callable (or None). Received: {initializer}"
            )
        if combiner not in _COMBINERS:
            raise ValueError(
                f"String argument `combiner` must be in {_COMBINERS}. Received: {combiner}"
            )
        self._has_initializer = initializer is not None
        self.vocabulary_size = vocabulary_size
        self.dim = dim
        self.initializer = initializer if initializer is not None else self._initial
        self.optimizer = optimizer
        self.combiner = combiner
        self.name = name
        self.quantization_config = quantization_config
        self.layout = layout
        self.dtype = dtype

    def _initial(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: object) -> _core.Tensor:
        return truncated_normal(shape, 0.0, 1 / math.sqrt(self.dim), dtype)

    def __repr__(self) -> str:
        initializer = self.initializer if self._has_initializer else None
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, "
            f"initializer={initializer!r}, optimizer={self.optimizer!r}, "
            f"combiner={self.combiner!r}, name={self.name!r}, "
            f"quantization_config={self.quantization_config!r})"
        )


class FeatureConfig:
    """A feature: which table its ids are looked up in.

    Args:
        table: a `TableConfig`.
        max_sequence_length: 0 to combine the rows of an example; else they are kept, so many.
        validate_weights_and_indices: kept as an attribute.
        output_shape: the shape of activations without their last axis, where it is not that of the ids
            without theirs.
        name: of the feature.

    >>> table = tf.tpu.experimental.embedding.TableConfig(1000, 8)
    >>> tf.tpu.experimental.embedding.FeatureConfig(table, name="words").max_sequence_length
    0
    """

    def __init__(
        self,
        table: TableConfig,
        max_sequence_length: int = 0,
        validate_weights_and_indices: bool = True,
        output_shape: Sequence[int] | TensorShape | None = None,
        name: str | None = None,
    ) -> None:
        self.table = table
        self.max_sequence_length = max_sequence_length
        self.validate_weights_and_indices = validate_weights_and_indices
        self.output_shape = TensorShape(output_shape)
        self.name = name

    def __repr__(self) -> str:
        return (
            f"FeatureConfig(table={self.table!r}, max_sequence_length={self.max_sequence_length!r}, "
            f"validate_weights_and_indices={self.validate_weights_and_indices!r}, "
            f"output_shape={self.output_shape!r}, name={self.name!r})"
        )

"""The layer that turns ids into vectors."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import config
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.adaptable import AdaptableLayer
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.typing import ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.sparse.conversion import from_dense
from eagerflow.typing import ShapeLike

_ops = _core.ops
_INTEGERS = (dtypes.int32, dtypes.int64)


class Embedding(AdaptableLayer):
    """Rows of a learned table: `[...]` integer ids to `[..., output_dim]`.

    Args:
        input_dim: the number of rows; inputs are below it.
        output_dim: the length of a row.
        embeddings_initializer: for the table.
        embeddings_regularizer: adds a loss for the table.
        embeddings_constraint: is applied to the table after each step of an optimizer.
        mask_zero: whether 0 stands for a missing element, which later layers then skip.
        input_length: the length of the sequences, where `Flatten` and `Dense` need to know it.
        sparse: whether the result is a SparseTensor of the elements that are not zero.

    Raises:
        ValueError: if a size is not positive, or `mask_zero` and `sparse` are both set.

    >>> layer = tf.keras.layers.Embedding(100, 8)
    >>> layer(tf.constant([[1, 2, 3]])).shape
    TensorShape([1, 3, 8])
    """

    _adapted_weight = "embeddings"
    _unsaved_arguments = frozenset({"sparse"})

    _composite_call = "rows"

    _use_one_hot_matmul = False  # rows are gathered

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: InitializerLike = "uniform",
        embeddings_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        embeddings_constraint: ConstraintLike = None,
        mask_zero: bool = False,
        input_length: object = None,
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length if input_length else None,)
            if isinstance(input_length, (list, tuple)):
                kwargs["input_shape"] = tuple(input_length)
        if input_dim <= 0 or output_dim <= 0:
            raise ValueError(
                "Both `input_dim` and `output_dim` should be positive, "
                f"Received input_dim = {input_dim} and output_dim = {output_dim}"
            )
        if mask_zero and sparse:
            raise ValueError(
                "`mask_zero` cannot be enabled when `tf.keras.layers.Embedding` is used with "
                "`tf.SparseTensor` input."
            )
        # Integers must not become floats: half precision would round them.
        kwargs["autocast"] = False
        if not process.v2_dtypes and kwargs.get("dtype") is None:
            # Elsewhere, layers of version 1 take the dtype of their input: here, it has integers.
            kwargs["dtype"] = config.floatx()
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        resolve_arguments(self, locals())
        self.mask_zero = mask_zero
        self._masks_only_from_masks = not mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length
        self.sparse = sparse

    def build(self, input_shape: ShapeLike | None = None) -> None:
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            name="embeddings",
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        super().build(input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        return {"embeddings": ((-1,), None)}

    def call(self, inputs: Any) -> Any:
        rows = self.rows_of(inputs)
        return from_dense(rows) if self.sparse else rows

    def rows_of(self, inputs: Any) -> _core.Tensor:
        """The table's rows for ids, as a dense tensor."""
        if inputs.dtype not in _INTEGERS:
            inputs = _ops.cast(inputs, dtypes.int32)
        rows = _ops.gather(self.embeddings, inputs, 0, 0)
        if rows.dtype.name != self.compute_dtype:
            rows = _ops.cast(rows, self.compute_dtype or rows.dtype)
        return rows

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> Any:
        if not self.mask_zero:
            return None
        return _ops.not_equal(inputs, 0)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self.input_length is None:
            return TensorShape([*sizes, self.output_dim])
        length = self.input_length
        lengths = list(length) if isinstance(length, (list, tuple)) else [length]
        fits = len(lengths) == len(sizes) - 1 and all(
            a is None or b is None or a == b for a, b in zip(lengths, sizes[1:], strict=True)
        )
        if not fits:
            raise ValueError(
                f'"input_length" is {self.input_length}, but received input has shape '
                f"{tuple(sizes)}"
            )
        known = [b if a is None else a for a, b in zip(lengths, sizes[1:], strict=True)]
        return TensorShape([sizes[0], *known, self.output_dim])

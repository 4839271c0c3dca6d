"""Categories as vectors: one-hot, multi-hot, counts."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.debugging import Assert
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.layers.preprocessing_layer import as_tensor
from eagerflow.ops import conversion, creation
from eagerflow.typing import ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
sparse_ops = lazy.Module("eagerflow.sparse")

_ops = _core.ops


def checked_choice(
    value: Any,
    allowed: tuple[str, ...],
    layer: str,
    argument: str = "output_mode",
    others: tuple[str, ...] = (),
) -> Any:
    """An argument that is one of several strings, or something else that is allowed, too.

    Args:
        value: the argument.
        allowed: the strings.
        layer: the class of the layer.
        argument: the argument's name.
        others: "None", "a function" or both.

    Raises:
        ValueError: if it is not allowed.
    """
    if (value is None and "None" in others) or (callable(value) and "a function" in others):
        return value
    choice = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(value, value)
    if choice not in allowed:
        more = "".join(f"{other}, " for other in others) + ("or " if others else "")
        raise ValueError(
            f"Unkown value for `{argument}` argument of layer {layer}. Allowed values are: {more}"
            f"one of the following values: {allowed}. Received: {value}"
        )
    return choice


def encoded(
    inputs: Any, mode: str, depth: int, dtype: object, weights: Any = None, idf: Any = None
) -> Any:
    """Ids as vectors of length `depth`; ids out of range are left out.

    Args:
        inputs: integer ids of rank 0 to 2.
        mode: "int" returns them; "one_hot", "multi_hot", "count" or "tf_idf".
        depth: the number of ids.
        dtype: that of the result.
        weights: how much each id counts.
        idf: the factor of each count, for "tf_idf".

    Raises:
        ValueError: if the rank is too large.
    """
    if mode == "int":
        return conversion.cast(inputs, dtype)
    shape = inputs.shape
    if inputs.ndim == 0:
        inputs = _ops.expand_dims(inputs, -1)
    if mode == "one_hot" and inputs._shape_tuple()[-1] != 1:
        inputs = _ops.expand_dims(inputs, -1)
    if inputs.ndim > 2:
        raise ValueError(
            "When output_mode is not `'int'`, maximum supported output rank is 2. Received "
            f"output_mode {mode} and input shape {shape}, which would result in output rank "
            f"{inputs.ndim}."
        )
    hot = creation.one_hot(inputs, depth, dtype=dtypes.as_dtype(dtype))
    if mode in ("multi_hot", "one_hot"):
        # The maximum of no values is not zero.
        return _ops.minimum(_ops.reduce_sum(hot, axis=-2), _ops.cast(1, hot.dtype))
    if weights is not None:
        weights = conversion.cast(as_tensor(weights), dtype)
        hot = _ops.multiply(hot, _ops.expand_dims(weights, -1))
    counts = _ops.reduce_sum(hot, axis=-2)
    if mode == "count":
        return counts
    if idf is None:
        raise ValueError(
            "When output mode is `'tf_idf'`, idf_weights must be provided. "
            f"Received: output_mode={mode} and idf_weights={idf}"
        )
    return _ops.multiply(counts, idf)


def checked_sparse(sparse: bool, mode: str, kind: str) -> bool:
    """Whether results are sparse.

    Raises:
        ValueError: for sparse ids.
    """
    if sparse and mode == "int":
        raise ValueError(
            "`sparse` may only be true if `output_mode` is not `'int'`. Received: "
            f"sparse={sparse} and output_mode={mode} for layer {kind}"
        )
    return sparse


def in_form(vectors: TensorLike, sparse: bool) -> Any:
    """Vectors as they are, or as a SparseTensor."""
    return sparse_ops.from_dense(vectors) if sparse else vectors


def encoded_shape(sizes: Any, mode: str, depth: int | None) -> TensorShape:
    """The shape of the result of `encoded`."""
    sizes = sizes_of(sizes)
    if mode == "int":
        return TensorShape(sizes)
    if not sizes:
        return TensorShape([depth])
    if mode == "one_hot" and sizes[-1] != 1:
        return TensorShape([*sizes, depth])
    return TensorShape([*sizes[:-1], depth])


class CategoryEncoding(Layer):
    """Ids `[batch, n]` as vectors.

    Args:
        num_tokens: the number of ids.
        output_mode: "one_hot" for each id, "multi_hot" or "count" for each row.
        sparse: whether the result is a SparseTensor.

    A call takes `count_weights`, how much each id counts, with "count".

    Raises:
        ValueError: if arguments or shapes do not fit.
        tf.errors.InvalidArgumentError: if an id is out of range.

    >>> layer = tf.keras.layers.CategoryEncoding(4, output_mode="count")
    >>> layer([[0, 1, 1]]).numpy()
    array([[1., 2., 0., 0.]], dtype=float32)
    """

    _composite_call = "ids"

    def __init__(
        self,
        num_tokens: int | None = None,
        output_mode: str = "multi_hot",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        num_tokens = kwargs.pop("max_tokens", num_tokens)  # an older name
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        mode = checked_choice(output_mode, ("count", "one_hot", "multi_hot"), "CategoryEncoding")
        if num_tokens is None:
            raise ValueError(
                "num_tokens must be set to use this layer. If the number of tokens is not known "
                "beforehand, use the IntegerLookup layer instead."
            )
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens = num_tokens
        self.output_mode = mode
        self.sparse = sparse

    def call(self, inputs: Any, count_weights: Any = None) -> Any:
        inputs = as_tensor(inputs)
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(
                "`count_weights` is not used when `output_mode` is not `'count'`. "
                f"Received `count_weights={count_weights}`."
            )
        return self.encode(self.to_ids(inputs), count_weights)

    def to_ids(self, values: Any) -> Any:
        """The ids.

        Raises:
            tf.errors.InvalidArgumentError: if one is out of range.
        """
        count = _ops.cast(self.num_tokens, values.dtype)
        fits = _ops.logical_and(values >= _ops.zeros([], values.dtype), values < count)
        message = (
            "Input values must be in the range 0 <= values < num_tokens with "
            f"num_tokens={self.num_tokens}"
        )
        Assert(_ops.reduce_all(fits), [message])
        return values if values.dtype.is_integer else _ops.cast(values, dtypes.int64)

    def encode(self, ids: TensorLike, count_weights: TensorLike | None = None) -> Any:
        """Ids in the layer's output mode."""
        vectors = encoded(ids, self.output_mode, self.num_tokens, self.compute_dtype, count_weights)
        return in_form(vectors, self.sparse)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return encoded_shape(input_shape, self.output_mode, self.num_tokens)

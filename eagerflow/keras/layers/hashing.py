"""Categories in bins by their hashes."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import as_shape
from eagerflow.keras import backend
from eagerflow.keras.engine.calls.composite_inputs import is_composite
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.category_encoding import (
    checked_choice,
    checked_sparse,
    encoded,
    encoded_shape,
    in_form,
)
from eagerflow.keras.layers.preprocessing_layer import as_tensor
from eagerflow.sparse.crossing import cross_hashed
from eagerflow.strings import hashing as string_hash
from eagerflow.strings import manipulation as strings

_ops = _core.ops


class _Bins(Layer):
    """A layer that returns the index of a bin, or a vector for it."""

    _modes: tuple[str, ...]

    def __init__(self, num_bins: int, output_mode: str, sparse: bool, **kwargs: Any) -> None:
        kind = type(self).__name__
        if num_bins is None or num_bins <= 0:
            raise ValueError(
                "The `num_bins` for `Hashing` cannot be `None` or non-positive values. "
                f"Received: num_bins={num_bins}."
            )
        mode = checked_choice(output_mode, self._modes, kind)
        dtype = kwargs.get("dtype")
        if dtype is None:
            kwargs["dtype"] = "int64" if mode == "int" else backend.floatx()
        elif mode == "int" and not dtypes.as_dtype(dtype).is_integer:
            kwargs["dtype"] = "int64"  # as in files of Keras that had a dtype without using it
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        checked_sparse(sparse, mode, type(self).__name__)
        self.num_bins = num_bins
        self.output_mode = mode
        self.sparse = sparse

    def encode(self, bins: Any) -> Any:
        """Bins in the layer's output mode."""
        vectors = encoded(bins, self.output_mode, self.num_bins, self.compute_dtype)
        return in_form(vectors, self.sparse)


class Hashing(_Bins):
    """Bins of strings or integers, by their hashes.

    Args:
        num_bins: how many bins there are.
        mask_value: a value that has bin 0 for itself.
        salt: an integer, or two, that change the hashes; SipHash is used then.
        output_mode: "int", or "one_hot", "multi_hot" or "count" for vectors.
        sparse: whether vectors are returned as a SparseTensor.

    Raises:
        ValueError: if arguments do not fit.

    >>> layer = tf.keras.layers.Hashing(num_bins=3)
    >>> layer(np.array([["A"], ["B"], ["C"]], object)).numpy().reshape(-1)
    array([1, 0, 1])
    """

    _composite_call = "ids"

    _modes = ("int", "one_hot", "multi_hot", "count")

    def __init__(
        self,
        num_bins: int,
        mask_value: Any = None,
        salt: object = None,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_bins, output_mode, sparse, **kwargs)
        self.mask_value = mask_value
        if salt is None or (isinstance(salt, (tuple, list)) and len(salt) == 2):
            self.salt = salt
        elif isinstance(salt, int):
            self.salt = [salt, salt]
        else:
            raise ValueError(
                "The `salt` argument for `Hashing` can only be a tuple of size 2 integers, or a "
                f"single integer. Received: salt={salt}."
            )
        self.strong_hash = salt is not None

    def call(self, inputs: Any) -> Any:
        values = as_tensor(inputs)
        return self.encode(self.to_ids(values))

    def to_ids(self, values: Any) -> Any:
        """The bins of values."""
        count, mask = self.num_bins, None
        if self.mask_value is not None and count > 1:
            count -= 1
            mask = _ops.equal(values, self.mask_value)
        if values.dtype.is_integer:
            values = strings.as_string(values)
        if self.salt is not None:
            bins = string_hash.to_hash_bucket_strong(values, count, key=list(self.salt))
        else:
            bins = string_hash.to_hash_bucket_fast(values, count)
        if mask is not None:
            bins = _ops.select(mask, _ops.zeros_like(bins), _ops.add(bins, 1))
        return bins

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(input_shape, self.output_mode, self.num_bins)


class HashedCrossing(_Bins):
    """Combinations of categories in bins, by their hashes.

    Args:
        num_bins: how many bins there are.
        output_mode: "int", or "one_hot" for vectors.
        sparse: whether vectors are returned as a SparseTensor.

    It is called with a list of tensors of strings or integers, `[]`, `[batch]` or
    `[batch, 1]`.

    Raises:
        ValueError: if arguments or shapes do not fit.

    >>> layer = tf.keras.layers.HashedCrossing(num_bins=5)
    >>> layer((tf.constant(["A", "B"]), tf.constant([101, 102]))).shape
    TensorShape([2])
    """

    _modes = ("int", "one_hot")

    def __init__(
        self, num_bins: int, output_mode: str = "int", sparse: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(num_bins, output_mode, sparse, **kwargs)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                "`HashedCrossing` should be called on a list or tuple of inputs. "
                f"Received: inputs={inputs}"
            )
        if len(inputs) < 2:
            raise ValueError(
                f"`HashedCrossing` should be called on at least two inputs. Received: inputs={inputs}"
            )
        columns = [as_tensor(x) for x in inputs]
        if any(is_composite(x) for x in columns):
            raise ValueError(
                f"All `HashedCrossing` inputs should be dense tensors. Received: inputs={inputs}"
            )
        shape = columns[0]._shape_tuple()
        if len(shape) > 2 or (len(shape) == 2 and shape[-1] != 1):
            raise ValueError(
                "All `HashedCrossing` inputs should have shape `[]`, `[batch_size]` or "
                f"`[batch_size, 1]`. Received: inputs={inputs}"
            )
        if any(x._shape_tuple() != shape for x in columns):
            raise ValueError(
                f"All `HashedCrossing` inputs should have equal shape. Received: inputs={inputs}"
            )
        if not all(x.dtype.is_integer or x.dtype is dtypes.string for x in columns):
            raise ValueError(
                "All `HashedCrossing` inputs should have an integer or string dtype. "
                f"Received: inputs={inputs}"
            )
        rows = [_ops.reshape(x, [-1, 1]) for x in columns]
        bins = cross_hashed(rows, self.num_bins).values
        return self.encode(_ops.reshape(bins, [-1 if size is None else size for size in shape]))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return encoded_shape(as_shape(input_shape[0]), self.output_mode, self.num_bins)

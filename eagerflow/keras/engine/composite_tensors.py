"""Symbolic tensors of functional models that stand for ragged, sparse and other composite values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
op_layer = lazy.Module("eagerflow.keras.engine.op_layer")


class CompositeKerasTensor(KerasTensor):
    """A symbolic value that consists of several tensors; its spec says of which.

    Args:
        spec: the spec.
        name: the name.
    """

    def __init__(self, spec: Any, name: str | None = None) -> None:
        shape = getattr(spec, "shape", None)
        dtype = getattr(spec, "dtype", None)
        super().__init__(shape, dtype, name, composite_spec=spec)

    def set_shape(self, shape: Any) -> None:
        """Checks that the shape fits; the spec stays.

        Raises:
            ValueError: if the shape does not fit.
        """
        self._shape.assert_is_compatible_with(TensorShape(shape))


class SparseKerasTensor(CompositeKerasTensor):
    """A symbolic sparse tensor."""


class RaggedKerasTensor(CompositeKerasTensor):
    """A symbolic ragged tensor.

    >>> x = tf.keras.Input([None], ragged=True)
    >>> x.to_tensor().shape, x.row_splits.dtype
    (TensorShape([None, None]), tf.int64)
    """

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        rank: int = self._composite_spec.ragged_rank
        return rank


# The attributes that become layers, by the class of the value: configurations name them.
PROPERTIES = {
    SparseTensor: ("indices", "values", "dense_shape"),
    RaggedTensor: ("values", "flat_values", "row_splits", "nested_row_splits"),
}
METHODS = {
    SparseTensor: ("with_values",),
    RaggedTensor: (
        "bounding_shape",
        "merge_dims",
        "nested_row_lengths",
        "nested_value_rowids",
        "nrows",
        "row_lengths",
        "row_limits",
        "row_starts",
        "to_sparse",
        "to_tensor",
        "value_rowids",
        "with_flat_values",
        "with_row_splits_dtype",
        "with_values",
    ),
}
_KINDS: dict[type, type[CompositeKerasTensor]] = {
    SparseTensorSpec: SparseKerasTensor,
    RaggedTensorSpec: RaggedKerasTensor,
}
_CLASSES = {SparseKerasTensor: SparseTensor, RaggedKerasTensor: RaggedTensor}


def symbolic_tensor(spec: Any, name: str | None = None, inferred_value: Any = None) -> KerasTensor:
    """A symbolic tensor of a spec, without a history."""
    if isinstance(spec, TensorSpec):
        return KerasTensor(spec.shape, spec.dtype, name, inferred_value)
    return _KINDS.get(type(spec), CompositeKerasTensor)(spec, name)


def _property(name: str, doc: str | None) -> property:
    def get(self: KerasTensor) -> Any:
        return op_layer.get_property(self, name)

    return property(get, doc=doc)


def _method(name: str, doc: str | None) -> Callable[..., Any]:
    def call(self: KerasTensor, *args: Any, **kwargs: Any) -> Any:
        return op_layer.call_method(self, name, args, kwargs)

    call.__name__ = name
    call.__doc__ = doc
    return call


def _attach_attributes() -> None:
    for kind, cls in _CLASSES.items():
        for name in PROPERTIES[cls]:
            setattr(kind, name, _property(name, getattr(cls, name).__doc__))
        for name in METHODS[cls]:
            setattr(kind, name, _method(name, getattr(cls, name).__doc__))


_attach_attributes()

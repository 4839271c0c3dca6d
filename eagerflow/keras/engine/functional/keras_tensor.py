"""KerasTensor: the symbolic tensor that functional models are written with; also of composite values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.tensor import Reference, lack_array_methods
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import DTypeLike
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.graph.graph import Graph

# Imported when it is first used: it imports this module.
op_layer = lazy.Module("eagerflow.keras.engine.functional.op_layer")

# Imported when it is first used: who builds no graphs never imports it.
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")


class KerasTensor:
    """A symbolic tensor: a dtype, a shape, and the layer call that computes it.

    Functions and layers of symbolic tensors return symbolic tensors. Unknown sizes are None.

    >>> x = tf.keras.Input([3])
    >>> (tf.nn.relu(x) + 1.0).shape
    TensorShape([None, 3])
    """

    _is_keras_tensor = True
    _keras_mask: Any = None
    _keras_history: Any = None
    # The values of shapes and the like, for each choice of unknown sizes.
    _values: dict[object, object] | None = None
    __array_priority__ = 200

    # The type spec of a composite value (`CompositeKerasTensor`); None for others.
    _composite_spec: Any = None
    # The graph in which the shape was inferred, and the value there, if layers get that one.
    _kept: tuple[Any, Any] = (None, None)

    def __init__(
        self,
        shape: Any,
        dtype: object,
        name: str | None = None,
        inferred_value: Any = None,
        composite_spec: TypeSpec | None = None,
    ) -> None:
        if composite_spec is not None:
            self._composite_spec = composite_spec
        self._shape = as_shape(shape)
        self._dtype: Any = None if dtype is None else dtypes.as_dtype(dtype)
        self._name = name
        self._inferred_value = inferred_value

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for sizes that are not known."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, that of the layer it comes from by default."""
        return self._name

    @property
    def ndim(self) -> int | None:
        """The number of axes."""
        return self._shape.rank

    @property
    def type_spec(self) -> TypeSpec:
        """The shape and dtype as a TensorSpec, or the spec of a composite value."""
        if self._composite_spec is not None:
            return self._composite_spec
        return TensorSpec(self._shape, self._dtype, self._name)

    @property
    def _type_spec(self) -> TypeSpec:
        return self.type_spec

    @classmethod
    def from_tensor(cls, tensor: Any) -> Any:
        """A symbolic tensor of the shape and dtype of a value."""
        spec = getattr(tensor, "_type_spec", None)
        return symbolic_tensor(TensorSpec(tensor.shape, tensor.dtype) if spec is None else spec)

    @classmethod
    def from_type_spec(cls, type_spec: TypeSpec, name: str | None = None) -> Any:
        """A symbolic tensor of a shape and dtype."""
        tensor = symbolic_tensor(type_spec)
        if name is not None:
            tensor._name = name
        return tensor

    @property
    def node(self) -> Any:
        """The layer call this comes from."""
        return self._keras_history.layer._inbound_nodes[self._keras_history.node_index]

    def in_graph(self, graph: Graph) -> _core.Tensor:
        """The tensor of this one in a graph, created on first use."""
        return graph_mode.tensor_of(self, graph)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Fills in sizes that were not known.

        Raises:
            ValueError: if the shape does not fit.
        """
        merged = self._shape.merge_with(shape)
        self._shape = merged

    def _shape_tuple(self) -> tuple:
        return tuple(self._shape.as_list())

    def ref(self) -> Reference:
        """A hashable reference to this tensor."""
        return Reference(self)

    experimental_ref = ref

    def __op_function__(
        self, function: Callable[..., Any], args: tuple, kwargs: dict[str, object]
    ) -> Any:
        """The outputs of a layer that calls a function with this tensor."""
        return op_layer.call_function(function, args, kwargs)

    def __hash__(self) -> int:
        if process.graphs_used:
            return id(self)  # sessions are fed by dictionaries of them
        raise TypeError("KerasTensors are unhashable. Instead, use tensor.ref() as the key.")

    def __len__(self) -> int:
        raise TypeError(
            "Keras symbolic inputs/outputs do not implement `__len__`. You may be trying to pass "
            "Keras symbolic inputs/outputs to a function that does not register dispatching. "
            "This error will also get raised if you try asserting a symbolic input/output directly."
        )

    def __bool__(self) -> bool:
        raise TypeError(
            "You are using a symbolic tensor of a functional model as a Python `bool`, but it has "
            "no value yet. Use `tf.cond` or `tf.where`, or put the condition into a layer."
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: object = None) -> Any:
        raise TypeError(
            f"You are passing {self}, an intermediate Keras symbolic input/output, to a function "
            "that needs a value, such as NumPy's. Use operations of this package instead, or put "
            "the computation into a layer."
        )

    def __int__(self) -> int:
        raise TypeError(f"{self} has no value yet: it cannot be converted to a Python number.")

    __float__ = __index__ = __int__

    def __iter__(self) -> Iterator[Any]:
        size = self._shape.as_list()[0] if self._shape.rank else None
        if size is None:
            raise TypeError(
                "Cannot iterate over a symbolic tensor with an unknown first dimension."
            )
        pick = getattr(self, "__getitem__")  # noqa: B009
        return iter([pick(k) for k in range(size)])

    def __repr__(self) -> str:
        layer = ""
        if self._keras_history is not None:
            layer = f" (created by layer '{self._keras_history.layer.name}')"
        if self._composite_spec is not None:
            return f"<KerasTensor: type_spec={self._composite_spec}{layer}>"
        inferred = ""
        if self._inferred_value is not None:
            inferred = f" inferred_value={self._inferred_value}"
        name = f", name='{self._name}'" if self._name else ""
        return (
            f"<KerasTensor: shape={self._shape} dtype={self._dtype.name}{inferred}{layer}>"
            if layer
            else f"<KerasTensor: shape={self._shape} dtype={self._dtype.name}{name}>"
        )

    def __str__(self) -> str:
        spec, history = self.type_spec, self._keras_history
        # Only an input's spec has its name.
        if self._composite_spec is None and history is not None and not self.node.is_input:
            spec = TensorSpec(self._shape, self._dtype)
        fields = [f"type_spec={spec}"]
        if self._inferred_value is not None:
            fields.append(f"inferred_value={self._inferred_value}")
        if self._name:
            fields.append(f"name={self._name!r}")
        if history is not None:
            fields.append(f"description=\"created by layer '{history.layer.name}'\"")
        return f"KerasTensor({', '.join(fields)})"


def has_symbolic(values: Iterable[object]) -> bool:
    """Whether symbolic tensors are among values, or in lists and dictionaries among them."""
    return any(
        isinstance(leaf, KerasTensor)
        for value in values
        for leaf in (nest.flatten(value) if isinstance(value, list | tuple | dict) else [value])
    )


def is_symbol(x: object) -> bool:
    """Whether `x` is a symbolic tensor that is no tensor of a graph.

    Raises:
        ValueError: if it is no tensor at all.
    """
    if isinstance(x, KerasTensor):
        return True
    if isinstance(x, _core.Tensor | _core.Variable | CompositeTensor):
        return False
    raise ValueError(
        f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance."
    )


def is_keras_tensor(x: object) -> bool:
    """Whether `x` is a symbolic tensor of a functional model.

    Raises:
        ValueError: if it is no tensor at all.

    >>> tf.keras.backend.is_keras_tensor(tf.keras.Input([3]))
    True
    """
    return is_symbol(x) or (process.graphs_used and graph_mode.is_known(x))


def _operator(name: str) -> Callable[..., Any]:
    def apply(self: Any, *others: Any) -> KerasTensor:
        return op_layer.call_operator(name, self, *others)

    apply.__name__ = name
    return apply


_OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and or xor radd rsub rmul rtruediv rfloordiv rmod "
    "rpow rmatmul rand ror rxor neg abs invert lt le gt ge eq ne getitem"
).split()
for _name in _OPERATORS:
    setattr(KerasTensor, f"__{_name}__", _operator(f"__{_name}__"))


class CompositeKerasTensor(KerasTensor):
    """A symbolic composite value, which a type spec describes.

    Args:
        spec: the spec.
        name: the name.
    """

    def __init__(self, spec: TypeSpec, name: str | None = None) -> None:
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


lack_array_methods(KerasTensor)

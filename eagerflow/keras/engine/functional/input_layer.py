"""Inputs of functional models."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework import dtypes
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras import config, naming
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.calls.composite_inputs import is_ragged
from eagerflow.keras.engine.functional.graph import disconnected
from eagerflow.keras.engine.functional.keras_tensor import (
    KerasTensor,
    is_symbol,
    symbolic_tensor,
)
from eagerflow.keras.engine.functional.node import Node, connect, shown
from eagerflow.keras.engine.layer import Layer
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow.util import advice, lazy

# Few inputs have specs of their own.
spec_config = lazy.Module("eagerflow.keras.saving.spec_config")
# Imported when it is first used: who builds no graphs never imports it.
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")


class InputLayer(Layer):
    """The layer that an input of a model comes from.

    Args:
        input_shape: the shape of one sample; sizes may be None.
        batch_size: the number of samples, where it is fixed.
        dtype: the dtype; by default the float type.
        input_tensor: a symbolic tensor to use, or a value whose shape and dtype inputs have.
        sparse: whether inputs are sparse tensors.
        name: the layer's name.
        ragged: whether inputs are ragged tensors.
        type_spec: a TensorSpec in place of shape and dtype.
        optional: whether the input may be None.
        **kwargs: `batch_input_shape`, or `shape`.

    >>> model = tf.keras.Sequential([tf.keras.layers.InputLayer((4,)), tf.keras.layers.Dense(2)])
    >>> model.output_shape
    (None, 2)
    """

    # The spec of a type that the other arguments do not tell.
    _type_spec: Any
    # None for an input of unknown rank.
    _batch_input_shape: tuple[int | None, ...] | None = None

    def __init__(
        self,
        input_shape: ShapeLike | None = None,
        batch_size: int | None = None,
        dtype: DTypeLike | None = None,
        input_tensor: KerasTensor | None = None,
        sparse: bool | None = None,
        name: str | None = None,
        ragged: bool | None = None,
        type_spec: TensorSpec | None = None,
        optional: bool = False,
        **kwargs: Any,
    ) -> None:
        batch_input_shape = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", None))
        input_shape = kwargs.pop("shape", input_shape)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
        if sparse and ragged:
            raise ValueError("Cannot set both sparse and ragged to True in a Keras input.")
        whole = TensorShape(None)
        if type_spec is not None:
            others = (
                input_shape,
                batch_input_shape,
                batch_size,
                dtype,
                input_tensor,
                sparse,
                ragged,
            )
            if any(value is not None for value in others):
                raise ValueError(
                    "If `type_spec` is given, all other args except `name` must be None."
                )
            whole = TensorShape(getattr(type_spec, "shape", None))
            dtype = getattr(type_spec, "dtype", None)
        elif batch_input_shape is not None:
            whole = TensorShape(_sizes(batch_input_shape))
        elif input_shape is not None:
            whole = TensorShape((batch_size, *_sizes(input_shape)))
        if whole.rank:
            batch_size = whole[0]
        if not name and type_spec is not None:
            name = getattr(type_spec, "name", None)
        if not name:
            name = f"input_{naming.get_uid('input')}"
        if dtype is None:
            dtype = config.floatx() if input_tensor is None else input_tensor.dtype
        dtype = dtypes.as_dtype(dtype)
        if input_tensor is not None and input_tensor.dtype != dtype:
            raise ValueError(
                "`input_tensor.dtype` differs from `dtype`. Received: "
                f"input_tensor.dtype={input_tensor.dtype} but expected dtype={dtype}"
            )
        super().__init__(dtype=dtype, name=name)
        self.built = True
        plain = isinstance(type_spec, TensorSpec | RaggedTensorSpec | SparseTensorSpec)
        self.__dict__["_type_spec"] = None if plain else type_spec
        self.sparse = bool(sparse)
        self.ragged = bool(ragged)
        self.optional = optional
        self.batch_size = batch_size
        self._supports_masking = True
        given = input_tensor
        if input_tensor is None:
            if whole.rank is not None:
                self._batch_input_shape = tuple(whole.as_list())
            spec: Any = type_spec
            if sparse:
                spec = SparseTensorSpec(whole, dtype)
            elif ragged:
                spec = _ragged_spec(whole, dtype)
            if spec is None:
                spec = TensorSpec(whole, dtype)
            input_tensor = symbolic_tensor(spec, name)
        else:
            # Of a value, only what kind it is counts.
            shape = TensorShape(input_tensor.shape)
            self.ragged |= is_ragged(input_tensor)
            if shape.rank is not None:
                self._batch_input_shape = tuple(shape.as_list())
            if not is_symbol(input_tensor) or input_tensor._keras_history is not None:
                spec = getattr(input_tensor, "_type_spec", None)
                if spec is None and is_symbol(input_tensor):
                    spec = input_tensor.type_spec
                if spec is None:
                    spec = TensorSpec(input_tensor.shape, input_tensor.dtype)
                input_tensor = symbolic_tensor(spec, name)
        self.is_placeholder = True
        Node(self, outputs=input_tensor)
        if process.graphs_used and given is not input_tensor:
            self.is_placeholder = graph_mode.give(input_tensor, given)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputLayer:
        """The layer with these arguments."""
        spec = config.get("type_spec")
        if isinstance(spec, dict):
            config = {**config, "type_spec": spec_config.decoded(spec)}
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one."""
        if self._type_spec is not None:
            return {"name": self.name, "type_spec": self._type_spec}
        return {
            "batch_input_shape": self.__dict__.get("_batch_input_shape"),
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": self.optional,
        }


def _ragged_spec(shape: TensorShape, dtype: dtypes.DType) -> RaggedTensorSpec | TensorSpec:
    """The spec of ragged tensors whose axes of unknown size, but for the first, are ragged."""
    sizes = shape.as_list()
    ragged_rank = max((axis for axis, size in enumerate(sizes) if size is None), default=0)
    return RaggedTensorSpec(shape, dtype, ragged_rank) if ragged_rank else TensorSpec(shape, dtype)


def _sizes(shape: Any) -> tuple:
    if isinstance(shape, int):
        return (shape,)
    if isinstance(shape, TensorShape):
        return tuple(shape.as_list())
    return tuple(None if size is None else int(size) for size in shape)


@advice.explained
def Input(
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool | None = None,
    tensor: KerasTensor | None = None,
    ragged: bool | None = None,
    type_spec: TensorSpec | None = None,
    optional: bool = False,
    **kwargs: object,
) -> Any:
    """A symbolic tensor that a functional model takes as an input.

    Args:
        shape: the shape of one sample; sizes may be None.
        batch_size: the number of samples, where it is fixed.
        name: the input's name.
        dtype: the dtype; by default the float type.
        sparse: whether inputs are sparse tensors.
        tensor: a symbolic tensor to use, or a value whose shape and dtype inputs have.
        ragged: whether inputs are ragged tensors.
        type_spec: a TensorSpec in place of shape and dtype.
        optional: whether the input may be None; its layers must accept that.
        **kwargs: `batch_shape`, or `batch_input_shape`: the shape with the batch size.

    Raises:
        ValueError: unless there is exactly one shape, or only `type_spec`.

    >>> x = tf.keras.Input([3])
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
    >>> model(tf.ones([5, 3])).shape
    TensorShape([5, 2])
    """
    batch_shape = kwargs.pop("batch_shape", kwargs.pop("batch_input_shape", None))
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {list(kwargs)}")
    if shape is not None and batch_shape is not None:
        raise ValueError("Only provide the `shape` OR `batch_shape` argument to `Input`, not both.")
    if shape is None and batch_shape is None and tensor is None and type_spec is None:
        raise ValueError(
            "Please provide to Input a `shape` or a `tensor` or a `type_spec` argument. Note that "
            "`shape` does not include the batch dimension."
        )
    others = (shape, batch_size, dtype, sparse, tensor, ragged, batch_shape)
    if type_spec is not None and any(other is not None for other in others):
        raise ValueError(
            "When `type_spec` is not None, all other args except `name` must be None. Received: "
            f"shape={shape}, batch_size={batch_size}, dtype={dtype}, sparse={sparse}, "
            f"tensor={tensor}, ragged={ragged}, batch_shape={batch_shape}"
        )
    layer = InputLayer(
        input_shape=shape,
        batch_size=batch_size,
        dtype=dtype,
        input_tensor=tensor,
        sparse=sparse,
        name=name,
        ragged=ragged,
        type_spec=type_spec,
        optional=optional,
        **({} if batch_shape is None else {"batch_input_shape": batch_shape}),
    )
    return shown(layer._inbound_nodes[0].outputs)


def with_input_layers(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Replaces inputs that are results of calls by input layers.

    The layers between inputs and outputs are called again on the new inputs. Earlier layers are not part
    of the model.

    Args:
        inputs: symbolic tensors in any structure.
        outputs: symbolic tensors in any structure.

    Raises:
        ValueError: if an input is the result of a call, and an output depends on other tensors than
            the inputs, or no output depends on an input.
    """
    flat = nest.flatten(inputs)
    ends = nest.flatten(outputs)
    if not all(isinstance(x, KerasTensor) and x._keras_history for x in flat + ends):
        return inputs, outputs  # which the model's graph refuses
    if all(tensor.node.is_input for tensor in flat):
        return inputs, outputs
    calls = _calls_between(flat, ends)
    for node in calls:
        if node.is_input and not any(tensor is node.outputs for tensor in flat):
            raise disconnected(node.outputs, None)
    used = {id(tensor) for node in calls for tensor in node.keras_inputs}
    unused = [tensor for tensor in flat if id(tensor) not in used and tensor.node not in calls]
    if unused:
        raise ValueError(
            f"Found unvisited input tensors that are disconnected from the outputs: {unused}"
        )
    copies = {
        id(x): x if x.node.is_input else InputLayer(input_tensor=x)._inbound_nodes[0].outputs
        for x in flat
    }
    given = nest.pack_sequence_as(inputs, [copies[id(x)] for x in flat])
    for node in calls:
        if node.is_input:
            continue
        args, kwargs = map_arguments(
            lambda value: copies.get(id(value), value), node.call_args, node.call_kwargs
        )
        made = connect(node.layer, tuple(args), kwargs, node.outputs)
        for before, after in zip(nest.flatten(node.outputs), nest.flatten(made), strict=True):
            copies[id(before)] = after
    return given, nest.pack_sequence_as(outputs, [copies.get(id(x), x) for x in ends])


def _calls_between(inputs: list[KerasTensor], outputs: list[KerasTensor]) -> list[Node]:
    """The calls that compute the outputs from the inputs, in topological order."""
    given = {id(tensor) for tensor in inputs}
    finished: dict[int, Node] = {}
    stack = [(tensor.node, False) for tensor in reversed(outputs)]
    while stack:
        node, entered = stack.pop()
        if entered:
            finished[id(node)] = node
        elif id(node) not in finished:
            stack.append((node, True))
            needed = [tensor for tensor in reversed(node.keras_inputs) if id(tensor) not in given]
            stack += [(tensor.node, False) for tensor in needed]
    return list(finished.values())

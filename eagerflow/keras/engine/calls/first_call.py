"""The specs of a layer's first call: SavedModels contain its functions for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eagerflow import nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer

# Values that a function is traced for as they are.
_PLAIN = (bool, int, float, complex, str, bytes, type(None), DType)


def note_inputs(layer: Layer, inputs: Any) -> None:
    """Keeps the specs of a call's inputs."""
    if layer.__dict__.get("_says_its_inputs"):
        return
    layer.__dict__["_called_with"] = _specs(inputs)


def note_arguments(layer: Layer, args: tuple, kwargs: dict[str, object]) -> None:
    """Stores a call's arguments after the inputs: the specs of tensors, and plain values.

    Those after an argument that is no tensor are stored by name.
    """
    if layer.__dict__.get("_says_its_inputs"):
        return
    specs = [_specs(value) for value in args]
    count = specs.index(None) if None in specs else len(specs)
    named = {key: _specs(value) for key, value in kwargs.items() if key != "mask"}
    named.update(zip(layer._call_spec.positional[1 + count :], specs[count:], strict=False))
    named = {key: spec for key, spec in named.items() if spec is not None}
    layer.__dict__["_called_with_also"] = specs[:count], named
    values = {**dict(zip(layer._call_spec.positional[1:], args, strict=False)), **kwargs}
    layer.__dict__["_called_with_values"] = {
        key: value
        for key, value in values.items()
        if key not in ("mask", "training") and isinstance(value, _PLAIN)
    }


def plain_values(layer: Layer) -> dict[str, Any]:
    """The arguments of a layer's first call that are no tensors, by name.

    >>> from eagerflow.keras.engine.calls.first_call import plain_values
    >>> class Scaled(tf.keras.layers.Layer):
    ...     def call(self, x, by):
    ...         return x * by
    >>> layer = Scaled()
    >>> _ = layer(tf.ones([1]), 3.0)
    >>> plain_values(layer)
    {'by': 3.0}
    """
    return layer.__dict__.get("_called_with_values", {})


def say(layer: Layer, inputs: Any, args: list, kwargs: dict[str, object]) -> None:
    """Sets the specs with which a layer is saved; calls no longer change them."""
    layer.__dict__["_called_with"] = _specs(inputs)
    layer.__dict__["_called_with_also"] = args, kwargs
    layer.__dict__["_says_its_inputs"] = True


def known_specs(layer: Layer, dynamic_batch: bool = True) -> tuple[list, dict[str, Any]] | None:
    """The specs of the arguments of a layer's first call; None if there was none.

    Args:
        layer: the layer.
        dynamic_batch: whether the batch size is None, whatever it was.
    """
    known = layer.__dict__.get("_called_with")
    if known is None:
        return None
    args, kwargs = layer.__dict__.get("_called_with_also", ([], {}))
    whole = [known, *args], kwargs
    return nest.map_structure(open_batch, whole) if dynamic_batch else whole


def open_batch(spec: TensorSpec) -> Any:
    """A spec with any first size."""
    if (
        not isinstance(spec, TensorSpec | RaggedTensorSpec | SparseTensorSpec)
        or not spec.shape.rank
    ):
        return spec
    shape = TensorShape([None, *spec.shape.as_list()[1:]])
    return type(spec)._deserialize((shape, *spec._serialize()[1:]))


def _specs(inputs: object) -> Any:
    """The specs of a call's inputs, with the names that Keras gives them."""
    leaves = nest.flatten(inputs)
    if not leaves or not all(hasattr(x, "shape") and hasattr(x, "dtype") for x in leaves):
        return None
    if isinstance(inputs, dict):
        return {
            key: _spec(x, key) if hasattr(x, "shape") else _specs(x) for key, x in inputs.items()
        }
    flat = [_spec(x, f"input_{index}") for index, x in enumerate(leaves, 1)]
    return nest.pack_sequence_as(inputs, flat)


def _spec(value: Any, name: str) -> Any:
    if isinstance(value, KerasTensor) and value._composite_spec is not None:
        return value._composite_spec
    if isinstance(value, CompositeTensor):
        return value._type_spec
    return TensorSpec(value.shape, value.dtype, name=name)

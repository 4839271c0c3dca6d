"""Handlers of ragged and sparse inputs of layers.

A layer names its handler in `_composite_call`. The `call` of a layer without one gets the
ragged or sparse inputs.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.ops.array import concat as join
from eagerflow.ops.creation import sequence_mask
from eagerflow.ops.segment import unsorted_segment_max
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.util import lazy, own_code

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer

# Imported when they are first used: few programs need them.
normalization = lazy.Module("eagerflow.ops.nn.normalization")
arithmetic = lazy.Module("eagerflow.sparse.arithmetic")
arrangement = lazy.Module("eagerflow.sparse.arrangement")
conversion = lazy.Module("eagerflow.sparse.conversion")
tensor = lazy.Module("eagerflow.sparse.tensor")

_ops = _core.ops


def is_composite(value: object) -> bool:
    """Whether a value is a ragged or sparse tensor."""
    return getattr(type(value), "_is_composite_tensor", False) and hasattr(value, "dtype")


def is_ragged(value: object) -> bool:
    """Whether a value is a ragged tensor."""
    return hasattr(value, "flat_values")


def _dense(value: Any) -> Any:
    """A dense tensor of the same elements, with zeros where there are none."""
    if is_ragged(value):
        return value.to_tensor()
    return conversion.to_dense(value)


def _of_values(layer: Layer, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """Layers of the last axis: they are called with the flat values of ragged tensors."""
    if is_ragged(inputs):
        return inputs.with_flat_values(layer(inputs.flat_values, *args, **kwargs))
    return layer(_dense(inputs), *args, **kwargs)


def _of_rows(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """`Embedding`: with a sparse result, each id of a sparse tensor becomes a row of values."""
    if is_ragged(inputs):
        if layer.sparse:
            raise ValueError(
                f"Layer {layer.name} gives sparse tensors (`sparse=True`), which ragged inputs "
                "cannot be made into."
            )
        return _of_values(layer, inputs, args, kwargs)
    if layer.mask_zero:
        raise ValueError(
            "`mask_zero` cannot be enabled when `tf.keras.layers.Embedding` is used with "
            "`tf.SparseTensor` input."
        )
    if not layer.sparse:
        return _of_values(layer, inputs, args, kwargs)
    if not layer.built:
        layer._build_for(inputs.values)
    rows = layer.rows_of(inputs.values)
    count, width = rows._shape_tuple()
    positions = _ops.gather(inputs.indices, _ops.range(0, count * width, 1) // width, 0, 0)
    columns = _ops.cast(_ops.range(0, count * width, 1) % width, positions.dtype)
    shape = _ops.concat([inputs.dense_shape, _core.convert([width], positions.dtype, None)], 0)
    indices = _ops.concat([positions, _ops.expand_dims(columns, 1)], 1)
    return tensor.SparseTensor(indices, _ops.reshape(rows, [-1]), shape)


def _of_elements(layer: Layer, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """Layers that reshape: the flat values of ragged tensors are divided evenly among the rows."""
    if not is_ragged(inputs):
        return layer(_dense(inputs), *args, **kwargs)
    return layer(_ops.reshape(inputs.flat_values, [inputs.nrows(), -1]), *args, **kwargs)


def _of_last_axis(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """`Softmax`: where the last axis is ragged, each row is normalized by itself."""
    if not is_ragged(inputs) or len(inputs.flat_values.shape) > 1 or layer.axis not in (-1, [-1]):
        return _of_values(layer, inputs, args, kwargs)
    rows = inputs
    while is_ragged(rows.values):
        rows = rows.values
    row_ids, count = rows.value_rowids(), rows.nrows()
    x = inputs.flat_values
    highest = unsorted_segment_max(x, row_ids, num_segments=count)
    x = _ops.exp(x - _ops.gather(highest, row_ids, 0, 0))
    sums = _ops.unsorted_segment_sum(x, row_ids, num_segments=count)
    return inputs.with_flat_values(x / _ops.gather(sums, row_ids, 0, 0))


def _of_product(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """`Dense`: a sparse matrix is multiplied without its zeros."""
    if is_ragged(inputs):
        return _of_vectors(layer, inputs)
    if not isinstance(inputs, tensor.SparseTensor):
        return _of_dispatched_product(layer, inputs)
    if len(inputs.shape) != 2:
        return layer(_dense(inputs))
    if not layer.built:
        layer._build_for(inputs)
    return sparse_product(layer, inputs)


def sparse_product(layer: Any, inputs: Any) -> Any:
    """What a `Dense` layer returns for a sparse matrix."""
    kernel = _ops.identity(layer.kernel)
    if inputs.dtype != kernel.dtype:
        inputs = inputs.with_values(_ops.cast(inputs.values, kernel.dtype))
    outputs = arithmetic.sparse_dense_matmul(inputs, kernel)
    if layer.use_bias:
        outputs = _ops.bias_add(outputs, layer.bias)
    return outputs if layer.activation is None else layer.activation(outputs)


def _of_dispatched_product(layer: Any, inputs: Any) -> Any:
    """`Dense` for types of a program's own, which say what the product and the sum of theirs are."""
    if not layer.built:
        layer._build_for(inputs)
    outputs = _ops.matmul(inputs, layer.kernel)
    if layer.use_bias:
        outputs = normalization.bias_add(outputs, layer.bias)
    return outputs if layer.activation is None else layer.activation(outputs)


def _of_steps(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """Recurrent layers: sequences of different lengths are padded and masked."""
    if not is_ragged(inputs):
        return layer(_dense(inputs), *args, **kwargs)
    if kwargs.get("mask") is not None or (args and args[0] is not None):
        raise ValueError(
            f"The mask that was passed in was {kwargs.get('mask', args[:1])}, which cannot be "
            f"applied to the ragged inputs of layer {layer.name}: their rows say how long they are."
        )
    lengths = inputs.row_lengths()
    padded = inputs.to_tensor()
    kwargs["mask"] = sequence_mask(lengths, padded._shape_tuple()[1])
    outputs = layer(padded, **kwargs)
    if not layer.return_sequences:
        return outputs
    backwards = getattr(layer, "go_backwards", False)

    def ragged(sequences: Any) -> Any:
        if not backwards:
            return RaggedTensor.from_tensor(sequences, lengths=lengths)
        # The steps that are missing come first.
        rows = RaggedTensor.from_tensor(_ops.reverse(sequences, [1]), lengths=lengths)
        return _ops.reverse(rows, [1])

    if isinstance(outputs, list | tuple):
        return [ragged(outputs[0]), *outputs[1:]]
    return ragged(outputs)


def _of_each_step(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """`TimeDistributed`: all steps of all sequences are one batch."""
    if not is_ragged(inputs):
        return layer(_dense(inputs), *args, **kwargs)
    if not layer.built:
        layer._build_for(inputs)
    return inputs.with_values(layer.layer(inputs.values, **kwargs))


def _of_ids(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Layers that map values to ids, and encode the ids of each row as a vector."""
    ragged = is_ragged(inputs)
    if not layer.built:
        layer._build_for(inputs)
    if hasattr(layer, "note_size"):
        layer.note_size()
    ids = layer.to_ids(inputs.flat_values if ragged else inputs.values)
    if layer.output_mode == "int":
        if not getattr(layer, "invert", False):
            ids = layer.encode(ids)
        return inputs.with_flat_values(ids) if ragged else inputs.with_values(ids)
    rank = inputs.shape.rank
    if rank > 2 or layer.output_mode == "one_hot":
        raise ValueError(
            "When output_mode is not `'int'`, maximum supported output rank is 2. Received "
            f"output_mode {layer.output_mode} and input shape {inputs.shape}, which would result "
            f"in output rank {rank + (layer.output_mode == 'one_hot')}."
        )
    if ragged:
        rows = inputs.with_flat_values(ids)
    else:
        count = inputs.dense_shape[0]
        rows = RaggedTensor.from_value_rowids(ids, inputs.indices[:, 0], nrows=count)
    # `encode` ignores the id -1.
    ids = rows.to_tensor(default_value=_ops.cast(-1, ids.dtype))
    weights = kwargs.get("count_weights", args[0] if args else None)
    if weights is None:
        return layer.encode(ids)
    if not is_composite(weights):
        raise ValueError(
            f"`count_weights` must be a {type(inputs).__name__}, as the inputs are. "
            f"Received: count_weights={weights}"
        )
    values = weights.flat_values if is_ragged(weights) else weights.values
    return layer.encode(ids, rows.with_flat_values(values).to_tensor())


def _of_vectors(layer: Layer, inputs: Any) -> Any:
    """`Dense`: the vectors on a ragged tensor's last axis, whose length must be known."""
    if inputs.shape.as_list()[-1] is None:
        raise ValueError(
            "The last dimension of the inputs to a Dense layer should be defined. Found None. "
            f"Full input shape received: {tuple(inputs.shape)}"
        )
    if len(inputs.flat_values.shape) > 1:
        return inputs.with_flat_values(layer(inputs.flat_values))
    if is_ragged(inputs.values):
        return inputs.with_values(_of_vectors(layer, inputs.values))
    return layer(inputs.to_tensor())


_OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Subtract": operator.sub,
    "Multiply": operator.mul,
    "Average": operator.add,
    "Maximum": _ops.maximum,
    "Minimum": _ops.minimum,
}


def _of_several(layer: Any, inputs: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Merging layers: operators accept ragged tensors; sparse tensors are concatenated."""
    values = list(inputs)
    name = type(layer).__name__
    if name == "Concatenate":
        if all(is_composite(value) and not is_ragged(value) for value in values):
            return arrangement.concat(layer.axis, values)
        if any(is_ragged(value) for value in values):
            return join(values, layer.axis)
    elif name in _OPERATORS and any(is_ragged(value) for value in values):
        merged = functools.reduce(_OPERATORS[name], values)
        return merged / len(values) if name == "Average" else merged
    dense = [_dense(value) if is_composite(value) else value for value in values]
    return layer(dense, *args, **kwargs)


_HANDLERS: dict[str, Callable[..., Any]] = {
    "values": _of_values,
    "rows": _of_rows,
    "elements": _of_elements,
    "last axis": _of_last_axis,
    "product": _of_product,
    "steps": _of_steps,
    "each step": _of_each_step,
    "ids": _of_ids,
    "several": _of_several,
}


@functools.cache
def _is_overridden(kind: type) -> bool:
    """Whether a program's class has a `call` of its own."""
    code = getattr(inspect.unwrap(kind.call), "__code__", None)  # type: ignore[attr-defined]
    return code is not None and not code.co_filename.startswith(own_code.FILES)


def composite_handler(layer: Any, flat: list[Any]) -> Callable[..., Any] | None:
    """The handler of a call whose flat inputs hold a ragged or sparse tensor; None for others."""
    name = layer._composite_call
    if name is None or not any(is_composite(value) for value in flat):
        return None
    kind: Any = type(layer)
    if name == "product" and _is_overridden(kind) and not any(map(is_ragged, flat)):
        return None  # a program's own product of sparse tensors
    return functools.partial(_HANDLERS[name], layer)

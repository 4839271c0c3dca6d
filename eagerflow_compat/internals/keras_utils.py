"""Keras's `__internal__.utils`, saving_utils and tf_utils: what packages tell Keras, and ask of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import tensor as symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.functions.function import Function, function
from eagerflow.keras.engine.functional.shape_inference import register_symbolic_tensor_type
from eagerflow.keras.utils.file_download import extract_archive as _extract_archive

__all__ = [
    "SINGLE_LAYER_OUTPUT_ERROR_MSG",
    "_extract_archive",
    "_get_shape_tuple",
    "cast_losses_to_common_dtype",
    "expand_1d",
    "filter_traceback",
    "inject_argument_info_in_traceback",
    "is_symbolic_tensor",
    "register_symbolic_tensor_type",
    "shape_type_conversion",
    "trace_model_call",
]

# Of Sequential models.
SINGLE_LAYER_OUTPUT_ERROR_MSG = (
    "All layers in a Sequential model should have a single output tensor. For multi-output layers, "
    "use the functional API."
)


def _get_shape_tuple(t: Any) -> tuple[int | None, ...] | None:
    """A tensor's shape as a tuple; None if its rank is not known."""
    shape = getattr(t, "shape", None)
    if shape is None:
        return None
    return tuple(shape) if isinstance(shape, tuple) or shape.rank is not None else None


def filter_traceback(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself: tracebacks leave the lines inside of packages out in any case."""
    return fn


def inject_argument_info_in_traceback(
    fn: Callable[..., Any], object_name: str | None = None
) -> Callable[..., Any]:
    """The function itself: errors of a layer's call list its arguments in any case."""
    return fn


def cast_losses_to_common_dtype(losses: Sequence[_core.Tensor]) -> list[_core.Tensor]:
    """Losses in the widest floating dtype among them, as they are where there is none.

    >>> from eagerflow_compat.internals.keras_utils import cast_losses_to_common_dtype
    >>> [one.dtype for one in cast_losses_to_common_dtype([tf.constant(1), tf.constant(0.5)])]
    [tf.float32, tf.float32]
    """
    real = [loss.dtype for loss in losses if loss.dtype.is_floating]
    if not real or any(loss.dtype.is_complex for loss in losses):
        return list(losses)
    widest = max(real, key=lambda dtype: dtype.size)
    return [_core.ops.cast(loss, widest) for loss in losses]


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a tensor, or one that makes up a composite value, has no value before its graph runs.

    A variable has none while a graph is built.
    """
    if isinstance(tensor, _core.Variable):
        return _core.building() is not None
    return any(map(symbolic.is_symbolic_tensor, nest.flatten(tensor, expand_composites=True)))


def expand_1d(data: Any) -> Any:
    """A batch whose tensors of rank 1 become columns, `[n, 1]`; other values stay as they are.

    >>> from eagerflow_compat.internals.keras_utils import expand_1d
    >>> x, y = expand_1d((tf.zeros([3, 2]), tf.ones([3])))
    >>> x.shape, y.shape
    (TensorShape([3, 2]), TensorShape([3, 1]))
    """

    def column(value: Any) -> Any:
        is_vector = isinstance(value, _core.Tensor) and value.shape.rank == 1
        return _core.ops.expand_dims(value, -1) if is_vector else value

    return nest.map_structure(column, data)


def _as_tuples(shapes: Any) -> Any:
    if isinstance(shapes, TensorShape):
        return tuple(shapes.as_list())
    if isinstance(shapes, dict):
        return {key: _as_tuples(shape) for key, shape in shapes.items()}
    return type(shapes)(map(_as_tuples, shapes)) if isinstance(shapes, list | tuple) else shapes


def _as_shapes(shapes: Any) -> Any:
    if isinstance(shapes, dict):
        return {key: _as_shapes(shape) for key, shape in shapes.items()}
    if isinstance(shapes, list | tuple) and not all(isinstance(s, int | None) for s in shapes):
        return type(shapes)(map(_as_shapes, shapes))
    return TensorShape(shapes)


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A method of shapes that is given tuples, and whose result becomes TensorShapes.

    Args:
        fn: the method: of a layer and the shape of its inputs, or a structure of shapes.

    >>> from eagerflow_compat.internals.keras_utils import shape_type_conversion
    >>> first = shape_type_conversion(lambda layer, shape: shape[:1])
    >>> first(None, tf.TensorShape([2, 3]))
    TensorShape([2])
    """

    @functools.wraps(fn)
    def converted(instance: Any, input_shape: Any) -> Any:
        found = fn(instance, _as_tuples(input_shape))
        return None if found is None else _as_shapes(found)

    return converted


def trace_model_call(model: Any, input_signature: Any = None) -> Function:
    """A model that does not train as a function of one signature, which returns outputs by name.

    Args:
        model: a Keras model.
        input_signature: a list of the specs of its arguments; by default those it was called with.

    Raises:
        ValueError: if it is not known what inputs the model takes.
    """
    if input_signature is None:
        known = model.save_spec()
        if known is None:
            raise ValueError(
                f"Model {model} has no inputs yet: call it on data, or pass `input_signature`."
            )
        input_signature = known[0]

    def named_outputs(*args: Any) -> dict[str, Any]:
        outputs = nest.flatten(model(*args, training=False))
        names = getattr(model, "output_names", None)
        names = names or [f"output_{k}" for k in range(1, len(outputs) + 1)]
        return dict(zip(names, outputs, strict=True))

    return function(named_outputs, input_signature=list(input_signature), autograph=False)

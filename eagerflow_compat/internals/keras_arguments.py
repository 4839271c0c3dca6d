"""Keras's generic_utils and tf_utils: what programs ask of lists, functions and tensors."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.losses.weighting import Reduction as ReductionV2
from eagerflow.ragged.tensor import RaggedTensor

__all__ = [
    "ReductionV2",
    "check_for_unexpected_keys",
    "dataset_is_infinite",
    "default",
    "get_shapes",
    "get_tensor_spec",
    "has_arg",
    "is_all_none",
    "is_default",
    "is_extension_type",
    "is_ragged",
    "is_tensor_or_tensor_list",
    "is_tensor_or_variable",
    "make_batches",
    "slice_arrays",
    "sync_to_numpy_or_python_type",
    "to_list",
    "to_snake_case",
    "validate_kwargs",
]


def to_list(x: Any) -> list[Any]:
    """A list unchanged; anything else as the only element of one."""
    return x if isinstance(x, list) else [x]


def to_snake_case(name: str) -> str:
    """A name with underscores between its words.

    >>> from eagerflow_compat.internals.keras_arguments import to_snake_case
    >>> to_snake_case("MyLayer2D")
    'my_layer2d'
    """
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    found = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{found}" if found.startswith("_") else found


def is_all_none(structure: Any) -> bool:
    """Whether all leaves of a structure are None."""
    return all(leaf is None for leaf in nest.flatten(structure))


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """The first index of each batch of so many samples, and the one after its last."""
    count = math.ceil(size / float(batch_size))
    return [(k * batch_size, min(size, (k + 1) * batch_size)) for k in range(count)]


def slice_arrays(arrays: Any, start: Any = None, stop: Any = None) -> Any:
    """The same rows of an array, or of each of a list of arrays, which may be None.

    Args:
        arrays: an array or a list.
        start: the first row, or a list of rows.
        stop: the row after the last, if `start` is not a list.

    Raises:
        ValueError: for a list of rows with `stop`.
    """
    if arrays is None:
        return [None]
    rows = hasattr(start, "__len__")
    if rows and stop is not None:
        raise ValueError("`start` is a list of rows: leave out `stop`.")
    chosen = (start.tolist() if hasattr(start, "shape") else start) if rows else slice(start, stop)
    if isinstance(arrays, list):
        return [None if array is None else array[chosen] for array in arrays]
    return arrays[chosen]


def has_arg(fn: Callable[..., Any], name: str, accept_all: bool = False) -> bool:
    """Whether a function has a parameter of a name, or with `accept_all` any keywords."""
    known = inspect.getfullargspec(fn)
    return (accept_all and known.varkw is not None) or name in known.args + known.kwonlyargs


def validate_kwargs(
    kwargs: dict[str, Any],
    allowed_kwargs: Any,
    error_message: str = "Keyword argument not understood:",
) -> None:
    """Raises a TypeError for the first keyword argument that is not allowed."""
    for key in kwargs:
        if key not in allowed_kwargs:
            raise TypeError(error_message, key)


def check_for_unexpected_keys(name: str, input_dict: dict[str, Any], expected_values: Any) -> None:
    """Raises a ValueError for keys of a dictionary that are not expected."""
    unknown = set(input_dict).difference(expected_values)
    if unknown:
        raise ValueError(
            f"Unknown entries in {name} dictionary: {list(unknown)}. Only expected following keys: "
            f"{expected_values}"
        )


def default(method: Any) -> Any:
    """Marks a method as one that subclasses need not have."""
    method._is_default = True
    return method


def is_default(method: Any) -> bool:
    """Whether a method was marked by `default`."""
    return getattr(method, "_is_default", False)


def is_ragged(tensor: Any) -> bool:
    """Whether a value is a ragged tensor."""
    return isinstance(tensor, RaggedTensor)


def is_extension_type(tensor: Any) -> bool:
    """Whether a value is made up of several tensors."""
    return isinstance(tensor, CompositeTensor)


def is_tensor_or_variable(x: Any) -> bool:
    """Whether a value is a tensor or a variable, and no array."""
    return isinstance(x, _core.Tensor | _core.Variable | CompositeTensor)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether a value, or the first of a list, is a tensor."""
    flat = nest.flatten(v)
    return bool(flat) and isinstance(flat[0], _core.Tensor | CompositeTensor)


def get_shapes(tensors: Any) -> Any:
    """The shapes of the tensors in a structure."""
    return nest.map_structure(lambda x: x.shape, tensors)


def get_tensor_spec(t: Any, dynamic_batch: bool = False, name: str | None = None) -> Any:
    """The spec of a tensor, or None for another value.

    Args:
        t: the value.
        dynamic_batch: whether the size of the first axis is left open.
        name: the name in the spec.
    """
    if isinstance(t, CompositeTensor):
        return t._type_spec
    if isinstance(t, TensorSpec):
        shape, dtype = t.shape, t.dtype
    elif hasattr(t, "shape") and hasattr(t, "dtype"):
        shape, dtype = t.shape, t.dtype
    else:
        return None
    sizes = None if shape.rank is None else shape.as_list()
    if dynamic_batch and sizes:
        sizes[0] = None
    return TensorSpec(sizes, dtype, name)


def dataset_is_infinite(dataset: Any) -> Any:
    """Whether a dataset repeats without an end."""
    return _core.ops.equal(dataset.cardinality(), -1)


def sync_to_numpy_or_python_type(tensors: Any) -> Any:
    """The values of tensors, in their structure: scalars as Python's, the others as arrays.

    >>> from eagerflow_compat.internals.keras_arguments import sync_to_numpy_or_python_type
    >>> sync_to_numpy_or_python_type({"loss": tf.constant(1.5)})
    {'loss': 1.5}
    """

    def value(leaf: Any) -> Any:
        if isinstance(leaf, _core.Tensor):
            leaf = leaf.numpy()
        if not isinstance(leaf, np.ndarray | np.generic):
            return leaf
        return leaf.item() if np.ndim(leaf) == 0 else leaf

    return nest.map_structure(value, tensors)

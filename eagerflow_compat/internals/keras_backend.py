"""keras.src.backend, and the parts of Keras's own modules that packages import."""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.keras import naming
from eagerflow.keras.engine.functional.functional import Functional
from eagerflow.keras.engine.functional.keras_tensor import RaggedKerasTensor
from eagerflow.keras.engine.functional.op_layer import TFOpLambda as TensorFlowOpLayer
from eagerflow.keras.saving.hdf5_files import names as load_attributes_from_hdf5_group
from eagerflow.keras.saving.hdf5_files import set_names as save_attributes_to_hdf5_group
from eagerflow.keras.saving.hdf5_model import group_values, write_group
from eagerflow.keras.saving.hdf5_model import layer_weights as _legacy_weights
from eagerflow.keras.saving.hdf5_model import read_weights as load_weights_from_hdf5_group
from eagerflow.keras.saving.hdf5_model import write_weights as save_weights_to_hdf5_group
from eagerflow.typing import Array
from eagerflow_compat.internals.ops import graph_of_inputs as _current_graph

__all__ = [
    "Functional",
    "RaggedKerasTensor",
    "TensorFlowOpLayer",
    "_current_graph",
    "_legacy_weights",
    "_preprocess_conv1d_input",
    "_preprocess_conv2d_input",
    "_preprocess_conv3d_input",
    "_preprocess_padding",
    "convert_to_numpy",
    "get_graph",
    "load_attributes_from_hdf5_group",
    "load_optimizer_weights_from_hdf5_group",
    "load_weights_from_hdf5_group",
    "save_attributes_to_hdf5_group",
    "save_optimizer_weights_to_hdf5_group",
    "save_weights_to_hdf5_group",
    "unique_object_name",
]


def load_optimizer_weights_from_hdf5_group(hdf5_group: Any) -> list[Any]:
    """The arrays of an optimizer's weights in a file of a model."""
    return group_values(hdf5_group["optimizer_weights"])


def save_optimizer_weights_to_hdf5_group(hdf5_group: Any, optimizer: Any) -> None:
    """Writes an optimizer's weights, if there are any, into a file of a model."""
    weights = list(getattr(optimizer, "weights", None) or optimizer.variables)
    if weights:
        write_group(hdf5_group.create_group("optimizer_weights"), weights)


def _preprocess_padding(padding: str) -> str:
    """The name of an operation's padding for that of a layer.

    Raises:
        ValueError: for another one than "same" and "valid".
    """
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def _preprocess_conv1d_input(x: Any, data_format: str) -> tuple[Any, str]:
    """Inputs of a convolution and the order of their axes, as operations on a CPU take it."""
    return _channels_last(x, data_format, "NWC")


def _preprocess_conv2d_input(
    x: Any, data_format: str, force_transpose: bool = False
) -> tuple[Any, str]:
    """As `_preprocess_conv1d_input`, of images."""
    return _channels_last(x, data_format, "NHWC")


def _preprocess_conv3d_input(x: Any, data_format: str) -> tuple[Any, str]:
    """As `_preprocess_conv1d_input`, of volumes."""
    return _channels_last(x, data_format, "NDHWC")


def _channels_last(x: Any, data_format: str, order: str) -> tuple[Any, str]:
    if data_format == "channels_first":
        x = _core.ops.transpose(x, (0, *range(2, len(order)), 1))
    return x, order


def convert_to_numpy(x: Any) -> Array:
    """The array of a tensor or a variable."""
    return np.asarray(x)


def get_graph() -> Any:
    """The graph that is being built; eagerly, one without operations, as models need none.

    >>> from eagerflow_compat.internals.keras_backend import get_graph
    >>> get_graph().get_operations()
    []
    """
    return _core.building() or _eager_graph()


@functools.cache
def _eager_graph() -> FuncGraph:
    return FuncGraph("keras_graph")


def unique_object_name(
    name: str,
    name_uid_map: dict[Any, int] | None = None,
    avoid_names: Collection[str] | None = None,
    namespace: str = "",
    zero_based: bool = False,
    avoid_observed_names: bool = False,
) -> str:
    """A name with a counter that no object of the namespace has.

    Args:
        name: the beginning of the name.
        name_uid_map: counts names; by default Keras's own counters do.
        avoid_names: names that it must not be.
        namespace: counts apart from others.
        zero_based: whether the first name has no counter.
        avoid_observed_names: accepted.
    """
    while True:
        if name_uid_map is None:
            number = naming.get_uid(f"{namespace}/{name}" if namespace else name)
        else:
            number = name_uid_map[namespace, name] = name_uid_map.get((namespace, name), 0) + 1
        if zero_based:
            number -= 1
        made = f"{name}_{number}" if number or not zero_based else name
        if made not in (avoid_names or ()):
            return made

"""tf.contrib.eager: eager execution as it was in TensorFlow 1.5 to 1.15."""

from typing import TYPE_CHECKING, Any

from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.autodiff.tape import GradientTape
from eagerflow.checkpoint.checkpoint import Checkpoint
from eagerflow.contrib.eager.execution import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_SILENT_FOR_INT32,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    async_clear_error,
    async_wait,
    execution_mode,
    set_execution_mode,
)
from eagerflow.framework.context import executing_eagerly
from eagerflow.framework.context import executing_eagerly as in_eager_mode
from eagerflow.framework.function import function
from eagerflow.framework.function import function as defun
from eagerflow.framework.tensor import Tensor as EagerTensor
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.framework.variable import Variable as ResourceVariable
from eagerflow.ops.host_functions import py_function as py_func
from eagerflow.v1.devices import list_devices, num_gpus, run
from eagerflow.v1.gradient_functions import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    make_vjp,
    value_and_gradients_function,
)
from eagerflow.v1.iterator import Iterator
from eagerflow.v1.saver import Saver
from eagerflow.v1.switches import enable_eager_execution
from eagerflow.v1.variable_scope import EagerVariableStore, make_template

if TYPE_CHECKING:
    from eagerflow.contrib.eager import metrics
    from eagerflow.contrib.eager.network import (
        Network,
        get_optimizer_variables,
        restore_network_checkpoint,
        save_network_checkpoint,
    )
    from eagerflow.keras import Sequential

# What is large is imported when it is first asked for.
_NETWORK = "eagerflow.contrib.eager.network"
_LAZY = {
    "Network": (_NETWORK, "Network"),
    "Sequential": ("eagerflow.keras", "Sequential"),
    "get_optimizer_variables": (_NETWORK, "get_optimizer_variables"),
    "restore_network_checkpoint": (_NETWORK, "restore_network_checkpoint"),
    "save_network_checkpoint": (_NETWORK, "save_network_checkpoint"),
}


def __getattr__(name: str) -> Any:
    import importlib

    if name == "metrics":
        return importlib.import_module("eagerflow.contrib.eager.metrics")
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LAZY[name]
    found = globals()[name] = getattr(importlib.import_module(module), attribute)
    return found


__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_SILENT_FOR_INT32",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "async_clear_error",
    "async_wait",
    "execution_mode",
    "get_optimizer_variables",
    "restore_network_checkpoint",
    "save_network_checkpoint",
    "set_execution_mode",
    "Network",
    "Sequential",
    "metrics",
    "Checkpoint",
    "EagerTensor",
    "EagerVariableStore",
    "GradientTape",
    "Iterator",
    "ResourceVariable",
    "Saver",
    "TensorSpec",
    "Variable",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "function",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "make_vjp",
    "num_gpus",
    "py_func",
    "run",
    "value_and_gradients_function",
]

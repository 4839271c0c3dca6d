"""tensorflow.python.eager.context: how programs are run, and on which devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eagerflow import _core, config
from eagerflow.compat.switches import enable_eager_execution
from eagerflow.framework import random_seed
from eagerflow.framework.context import building as _building
from eagerflow.framework.context import (
    building_graph,
    default_graph,
    executing_eagerly,
    running_eagerly,
)
from eagerflow.framework.context import executing_eagerly as in_eager_mode
from eagerflow.framework.context import running_eagerly as eager_mode
from eagerflow.framework.device import current_spec, device
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import table
from eagerflow.framework.name_scope import get_current_name_scope
from eagerflow.graph.session_settings import ConfigProto
from eagerflow_compat.v1.devices import list_devices, num_gpus

__all__ = [
    "EAGER_MODE",
    "GRAPH_MODE",
    "Context",
    "_reset_context",
    "async_wait",
    "building_graph",
    "context",
    "context_safe",
    "device",
    "eager_mode",
    "enable_eager_execution",
    "ensure_initialized",
    "executing_eagerly",
    "executing_eagerly_v1",
    "get_config",
    "get_device_name",
    "global_seed",
    "graph_mode",
    "in_eager_mode",
    "list_devices",
    "num_gpus",
    "running_eagerly",
    "set_global_seed",
    "shared_name",
]

GRAPH_MODE = 0
EAGER_MODE = 1
executing_eagerly_v1 = executing_eagerly


@contextmanager
def graph_mode() -> Iterator[None]:
    """Adds the operations inside to the default graph of version 1."""
    # Imported for the function that makes graphs.
    from eagerflow.graph import graph  # noqa: F401

    with _building(default_graph()):
        yield


def shared_name(name: str | None = None) -> str | None:
    """The name by which programs share a resource; none is shared when they run eagerly."""
    return name if not executing_eagerly() else f"{name or ''}_shared"


def set_global_seed(seed: int | None) -> None:
    """Sets the global seed of random operations."""
    random_seed.set_global_seed(seed)


def global_seed() -> int | None:
    """The global seed of random operations, or None."""
    return random_seed.global_seed()


def get_device_name() -> str:
    """The name of the device that `tf.device` chooses; empty for none."""
    return current_spec().to_string()


def ensure_initialized() -> None:
    """Does nothing: the engine is ready when it is imported."""


def _reset_context() -> None:
    """Lets devices be configured again. Tensors and variables stay as they are."""
    table.reopen()


def async_wait() -> None:
    """Does nothing: operations are done when they return."""


class Context:
    """The state of the runtime, of which there is one for a process."""

    executing_eagerly = staticmethod(executing_eagerly)
    ensure_initialized = staticmethod(ensure_initialized)
    async_wait = staticmethod(async_wait)
    num_gpus = staticmethod(num_gpus)
    devices = staticmethod(list_devices)
    list_physical_devices = staticmethod(config.list_physical_devices)
    list_logical_devices = staticmethod(config.list_logical_devices)
    get_visible_devices = staticmethod(config.get_visible_devices)
    set_visible_devices = staticmethod(config.set_visible_devices)
    _set_global_seed = staticmethod(set_global_seed)

    is_async = False
    run_eager_op_as_function = False

    @property
    def scope_name(self) -> str:
        """The name scope of this thread, with a slash at its end."""
        name = get_current_name_scope()
        return f"{name}/" if name else ""

    @property
    def device_spec(self) -> DeviceSpec:
        """The device that `tf.device` chooses."""
        return current_spec()

    @property
    def device_name(self) -> str:
        """The name of the device that `tf.device` chooses; empty for none."""
        return get_device_name()

    @property
    def soft_device_placement(self) -> bool:
        """Whether the CPU stands for devices that do not exist."""
        return table.soft_placement

    @property
    def log_device_placement(self) -> bool:
        """Whether operations that run are written to standard error."""
        return _core.logs_placement()

    @property
    def _seed(self) -> int | None:
        return global_seed()

    def device(self, name: str | None) -> device:
        """A scope for operations on a device; the same as `tf.device`."""
        return device(name)

    def is_custom_device(self, device_name: str) -> bool:
        """Whether a program has registered the device: there are none."""
        return False

    def clear_kernel_cache(self) -> None:
        """Does nothing: kernels are functions, and none is kept for a call."""

    _clear_caches = clear_kernel_cache


_context = Context()


def context() -> Context:
    """The state of the runtime."""
    return _context


context_safe = context


def get_config() -> ConfigProto:
    """The configuration of sessions: the default one."""
    return ConfigProto()

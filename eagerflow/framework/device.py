"""The context manager that chooses a device."""

from __future__ import annotations

import functools
import threading
from types import TracebackType
from typing import Any

from eagerflow import _core
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import LogicalDevice, is_local, table

_ANY = DeviceSpec()


class _Scope(threading.local):
    spec = _ANY  # the combined request of this thread's scopes


_scope = _Scope()
_parsed = functools.lru_cache(maxsize=256)(DeviceSpec.from_string)


def current_spec() -> DeviceSpec:
    """The combined request of this thread's device scopes."""
    return _scope.spec


def spec_of(name: str | DeviceSpec | LogicalDevice | None) -> DeviceSpec | None:
    """The parts of the argument of `tf.device`; None for None.

    Raises:
        ValueError: if it is not the name of a device.
    """
    if name is None or isinstance(name, DeviceSpec):
        return name
    if isinstance(name, LogicalDevice):
        name = name.name
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    return _parsed(name)


class device:
    """Chooses the device for the operations inside the `with` block.

    Under soft placement, which is the default, the CPU replaces devices that this machine lacks;
    `tf.config.set_soft_device_placement(False)` makes them errors. A block inherits the parts of a
    name that it leaves open from the block around it; with None it inherits none. The `device` of a
    variable or tensor is where it was created; operations accept values of other devices, too.

    Args:
        device_name: a name like "/CPU:0" or "/device:GPU:0", a `tf.DeviceSpec`, what
            `tf.config.list_logical_devices` lists, or None.

    Raises:
        RuntimeError: if the argument is a function.
        ValueError: on entering, if the name is not well formed.
        tf.errors.InvalidArgumentError: on entering, if the name is that of another job, or of a
            device that does not exist and that soft placement does not replace. In graphs, names of
            other machines are kept.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant(1)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name: Any) -> None:
        if callable(device_name) and not isinstance(device_name, str):
            raise RuntimeError("tf.device does not support functions.")
        self._name = device_name
        self._before: list[tuple[Any, str, DeviceSpec, int]] = []

    def __enter__(self) -> None:
        spec = spec_of(self._name)
        graph = _core.building()
        label = ""
        if graph is not None:
            label = graph.device_label
        inner = _ANY if spec is None else _scope.spec.make_merged_spec(spec)
        if graph is None:
            row = table.row_of(inner)
        else:
            # A graph may name devices that exist only where it runs. Operations that run meanwhile,
            # such as the initialization of variables, use a device of this machine.
            kind, index = inner.device_type, inner.device_index or 0
            index_in_table = (
                table.row(kind, index) if kind is not None and is_local(inner) else None
            )
            row = -1 if kind is None or index_in_table is None else index_in_table
        before = _core.enter_device(row)
        self._before.append((graph, label, _scope.spec, before))
        _scope.spec = inner
        if graph is not None:
            outer = _parsed(label)
            graph.device_label = "" if spec is None else outer.make_merged_spec(spec).to_string()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        graph, label, _scope.spec, before = self._before.pop()
        _core.enter_device(before)
        if graph is not None:
            graph.device_label = label

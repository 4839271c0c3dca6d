"""Devices, under the names of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, config
from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.framework.device_spec import DeviceSpec as _DeviceSpec
from eagerflow.framework.device_table import table
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
app = lazy.Module("eagerflow_compat.v1.app")
switches = lazy.Module("eagerflow.compat.switches")

_STATEFUL = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "VarHandleOp")


def num_gpus() -> int:
    """The number of GPUs.

    >>> import eagerflow_compat.contrib.eager as tfe
    >>> tfe.num_gpus()
    0
    """
    return len(config.list_physical_devices("GPU"))


def list_devices() -> list[str]:
    """The names of all devices."""
    table.make()
    return [name for _, _, name in _core.device_table()]


def run(main: Any = None, argv: Any = None) -> None:
    """Runs a program's main function, eagerly; the same as `tf.app.run` after that."""
    switches.enable_eager_execution()
    app.run(main, argv)


def _settable(name: str) -> Any:
    """A part of a device's name as a property that can be set."""
    part = vars(_DeviceSpec)[name]

    def replace(spec: Any, value: object) -> None:
        spec.__init__(**{**spec._parts(), name: value})

    return property(part.fget, replace, doc=part.__doc__)


class DeviceSpec(_DeviceSpec):
    """The parts of a device's name, which can be changed; see `tf.DeviceSpec`.

    >>> spec = tf.compat.v1.DeviceSpec(device_type="CPU")
    >>> spec.job = "ps"
    >>> spec.to_string()
    '/job:ps/device:CPU:*'
    """

    job = _settable("job")
    replica = _settable("replica")
    task = _settable("task")
    device_type = _settable("device_type")
    device_index = _settable("device_index")

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes on the parts of a name, and returns this spec."""
        self.__init__(**type(self).from_string(spec)._parts())  # type: ignore[misc]
        return self

    def merge_from(self, dev: _DeviceSpec) -> None:
        """Takes on the parts that another spec has."""
        self.__init__(**self.make_merged_spec(dev)._parts())  # type: ignore[misc]


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A function for `tf.device` that spreads variables over the tasks of a job.

    Args:
        ps_tasks: how many tasks hold variables; ignored if there is a cluster.
        ps_device: their device.
        worker_device: the device of all other operations.
        merge_devices: accepted.
        cluster: a cluster whose tasks of the job of `ps_device` hold the variables.
        ps_ops: the kinds of operations that are variables.
        ps_strategy: gives the index of a task for an operation; by default one after the other.

    Returns:
        The function, or None if no task holds variables.

    Raises:
        TypeError: if the cluster or the strategy is nothing of that kind.
    """
    if cluster is not None:
        job = ps_device.partition("/job:")[2].partition("/")[0]
        spec = ClusterSpec(cluster)
        ps_tasks = spec.num_tasks(job) if job in spec.jobs else 0
    if not ps_tasks:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    kinds = _STATEFUL if ps_ops is None else tuple(ps_ops)
    count = 0

    def device(op: Any) -> str:
        nonlocal count
        if getattr(op, "type", None) not in kinds:
            return worker_device
        if ps_strategy is not None:
            task = ps_strategy(op)
        else:
            task, count = count % ps_tasks, count + 1
        return f"{ps_device}/task:{task}"

    return device

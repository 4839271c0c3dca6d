"""Devices, under the names of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, config
from eagerflow.framework.device_spec import DeviceSpec as _DeviceSpec
from eagerflow.framework.device_table import table
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
app = lazy.Module("eagerflow_compat.v1.app")
switches = lazy.Module("eagerflow.compat.switches")


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

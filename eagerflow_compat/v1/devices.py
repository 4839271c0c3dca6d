"""Devices, under the names of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, config
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

"""Devices, under the names of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from eagerflow import config
from eagerflow.framework.tensor import CPU_NAME
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
app = lazy.Module("eagerflow.v1.app")
switches = lazy.Module("eagerflow.v1.switches")


def num_gpus() -> int:
    """The number of GPUs.

    >>> import eagerflow.contrib.eager as tfe
    >>> tfe.num_gpus()
    0
    """
    return len(config.list_physical_devices("GPU"))


def list_devices() -> list[str]:
    """The names of all devices."""
    return [CPU_NAME] + [CPU_NAME.replace("CPU:0", f"GPU:{k}") for k in range(num_gpus())]


def run(main: Any = None, argv: Any = None) -> None:
    """Runs a program's main function, eagerly; the same as `tf.app.run` after that."""
    switches.enable_eager_execution()
    app.run(main, argv)

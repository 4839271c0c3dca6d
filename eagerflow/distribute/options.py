"""Options of strategies, and ways of joining values; with one device there is nothing to choose."""

from __future__ import annotations

from typing import Any


class InputOptions:
    """Options of distributed datasets, kept as attributes.

    Args:
        **options: those of TensorFlow.
    """

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


class RunOptions(InputOptions):
    """Options of `Strategy.run`, kept as attributes.

    Args:
        **options: those of TensorFlow.
    """


class CrossDeviceOps:
    """A way of joining values of several devices.

    Args:
        num_packs: ignored, as is everything else.
        **options: see above.
    """

    def __init__(self, num_packs: int = 1, **options: Any) -> None:
        self.num_packs = num_packs


class ReductionToOneDevice(CrossDeviceOps):
    """Joins values on one device."""


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Joins values in two levels."""


class NcclAllReduce(CrossDeviceOps):
    """Joins values with NCCL."""

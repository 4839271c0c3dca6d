"""Options of strategies, and ways of joining values; the order of additions does not depend on them."""

from __future__ import annotations

import enum
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


class CommunicationImplementation(enum.Enum):
    """What joins the values of several processes; here MPI does, whatever is asked for."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """Options of collectives.

    Args:
        bytes_per_pack: how many bytes are sent at once; 0 leaves the choice to the strategy.
        timeout_seconds: how long a collective may take; None for any time.
        implementation: a `CommunicationImplementation`.

    Raises:
        ValueError: if the number of bytes is negative.

    >>> tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1 << 20).bytes_per_pack
    1048576
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


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

"""Options of strategies, and ways of joining values; the order of additions does not depend on them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class InputReplicationMode(enum.Enum):
    """How input functions are called: once for each worker, or for each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@dataclass(frozen=True)
class InputOptions:
    """Options of distributed datasets, kept as attributes.

    Args:
        experimental_fetch_to_device: ignored, like all others: replicas copy their arguments.
        experimental_replication_mode: see above.
        experimental_place_dataset_on_device: see above.
        experimental_per_replica_buffer_size: see above.

    >>> tf.distribute.InputOptions(experimental_fetch_to_device=False).experimental_fetch_to_device
    False
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


@dataclass(frozen=True)
class RunOptions:
    """Options of `Strategy.run`, kept as attributes.

    Args:
        experimental_enable_dynamic_batch_size: ignored, like all others: they are for TPUs.
        experimental_bucketizing_dynamic_shape: see above.
        experimental_xla_options: see above.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class CommunicationImplementation(enum.Enum):
    """The library for collectives. All choices use MPI."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """Options of collectives.

    Args:
        bytes_per_pack: the bytes of a bucket; 0 leaves the choice to the strategy.
        timeout_seconds: the time limit of a collective; None: no limit.
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
    """A way of joining values of several devices; strategies join them in their own way."""


class ReductionToOneDevice(CrossDeviceOps):
    """Reduces values onto one device.

    Args:
        reduce_to_device: ignored, like the other argument.
        accumulation_fn: see above.
    """

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: Any = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


class _AllReduce(CrossDeviceOps):
    """A way that sends values in packs."""

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"Argument `num_packs` must be >=0, received {num_packs}.")
        self.num_packs = num_packs


class HierarchicalCopyAllReduce(_AllReduce):
    """Joins values in two levels.

    Raises:
        ValueError: if the number is negative.
    """


class NcclAllReduce(_AllReduce):
    """Joins values with NCCL.

    Raises:
        ValueError: if the number is negative.
    """

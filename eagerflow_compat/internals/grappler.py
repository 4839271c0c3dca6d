"""tensorflow.python.grappler: graphs are planned when they run, and not optimized before."""

from typing import Any

from eagerflow.protos.cluster import MESSAGES as CLUSTER_MESSAGES
from eagerflow.protos.graph import MESSAGES

__all__ = ["Cluster", "OptimizeGraph"]


def OptimizeGraph(config_proto: object, metagraph: Any, *args: object, **kwargs: object) -> Any:
    """The GraphDef message in a MetaGraphDef as it is: graphs are planned when they run here."""
    return MESSAGES["GraphDef"].FromString(metagraph.graph_def.SerializeToString())


class Cluster:
    """The devices that a graph is optimized for.

    Args:
        allow_soft_placement: accepted.
        disable_detailed_stats: accepted.
        disable_timeline: accepted.
        devices: `NamedDevice` messages; by default the CPU alone.
    """

    def __init__(
        self,
        allow_soft_placement: bool = True,
        disable_detailed_stats: bool = True,
        disable_timeline: bool = True,
        devices: list[Any] | None = None,
    ) -> None:
        self._devices = devices

    def ListDevices(self) -> list[Any]:
        """The devices."""
        if self._devices is not None:
            return list(self._devices)
        name = "/job:localhost/replica:0/task:0/device:CPU:0"
        device = CLUSTER_MESSAGES["NamedDevice"](name=name)
        device.properties.type = "CPU"
        return [device]

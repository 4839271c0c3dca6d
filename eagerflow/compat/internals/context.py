"""tensorflow.python.eager.context: how programs are run, and on which devices."""

from eagerflow.framework.context import building_graph, executing_eagerly, running_eagerly
from eagerflow.framework.context import executing_eagerly as in_eager_mode
from eagerflow.framework.context import running_eagerly as eager_mode
from eagerflow.framework.device import device
from eagerflow.v1.devices import list_devices, num_gpus
from eagerflow.v1.switches import enable_eager_execution

__all__ = [
    "building_graph",
    "device",
    "eager_mode",
    "enable_eager_execution",
    "executing_eagerly",
    "in_eager_mode",
    "list_devices",
    "num_gpus",
    "running_eagerly",
]

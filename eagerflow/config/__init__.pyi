from eagerflow.config import (
    experimental as experimental,
    optimizer as optimizer,
    threading as threading,
)
from eagerflow.config.cluster import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
    experimental_connect_to_host as experimental_connect_to_host,
)
from eagerflow.config.devices import (
    get_logical_device_configuration as get_logical_device_configuration,
    get_soft_device_placement as get_soft_device_placement,
    get_visible_devices as get_visible_devices,
    list_logical_devices as list_logical_devices,
    list_physical_devices as list_physical_devices,
    LogicalDevice as LogicalDevice,
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
    PhysicalDevice as PhysicalDevice,
    set_logical_device_configuration as set_logical_device_configuration,
    set_soft_device_placement as set_soft_device_placement,
    set_visible_devices as set_visible_devices,
)
from eagerflow.config.settings import (
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly

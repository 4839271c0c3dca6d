"""ClusterDef and JobDef: which tasks of which jobs run where, and on which devices."""

from typing import Any

from eagerflow.protos.schema import Schema

MESSAGES = Schema(
    "tensorflow",
    """
    message JobDef {
      string name = 1;
      map<int32, string> tasks = 2;
    }
    message ClusterDef { repeated JobDef job = 1; }
    message TaskDeviceFilters { repeated string device_filters = 1; }
    message JobDeviceFilters {
      string name = 1;
      map<int32, TaskDeviceFilters> tasks = 2;
    }
    message ClusterDeviceFilters { repeated JobDeviceFilters jobs = 1; }
    message DeviceProperties {
      string type = 1;
      string vendor = 2;
      string model = 3;
      int64 frequency = 4;
      int64 num_cores = 5;
      map<string, string> environment = 6;
      int64 num_registers = 7;
      int64 l1_cache_size = 8;
      int64 l2_cache_size = 9;
      int64 l3_cache_size = 10;
      int64 shared_memory_size_per_multiprocessor = 11;
      int64 memory_size = 12;
      int64 bandwidth = 13;
    }
    message NamedDevice { string name = 1; DeviceProperties properties = 2; }
    """,
)


def __getattr__(name: str) -> Any:
    return MESSAGES.attribute(name)

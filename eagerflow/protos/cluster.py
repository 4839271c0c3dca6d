"""ClusterDef, JobDef and ServerDef: which tasks of which jobs run where."""

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
    message ConfigProto {
      map<string, int32> device_count = 1;
      int32 intra_op_parallelism_threads = 2;
      int32 placement_period = 3;
      repeated string device_filters = 4;
      int32 inter_op_parallelism_threads = 5;
      bool allow_soft_placement = 7;
      bool log_device_placement = 8;
      bool use_per_session_threads = 9;
      int64 operation_timeout_in_ms = 11;
      ClusterDef cluster_def = 14;
      bool isolate_session_state = 15;
      bool share_cluster_devices_in_session = 17;
    }
    message ServerDef {
      ClusterDef cluster = 1;
      string job_name = 2;
      int32 task_index = 3;
      ConfigProto default_session_config = 4;
      string protocol = 5;
      int32 port = 6;
      ClusterDeviceFilters cluster_device_filters = 7;
      int32 replica = 8;
    }
    """,
)


def __getattr__(name: str) -> Any:
    return MESSAGES.attribute(name)

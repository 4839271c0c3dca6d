"""ConfigProto, RunOptions and RunMetadata: the settings and the reports of sessions and servers."""

from typing import Any

from eagerflow.protos import cluster, graph
from eagerflow.protos.schema import Schema

MESSAGES = Schema(
    "tensorflow",
    """
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
    message DebugTensorWatch {
      string node_name = 1;
      int32 output_slot = 2;
      repeated string debug_ops = 3;
      repeated string debug_urls = 4;
      bool tolerate_debug_op_creation_failures = 5;
    }
    message DebugOptions {
      repeated DebugTensorWatch debug_tensor_watch_opts = 4;
      int64 global_step = 10;
      bool reset_disk_byte_usage = 11;
    }
    message RunOptions {
      enum TraceLevel { NO_TRACE = 0; SOFTWARE_TRACE = 1; HARDWARE_TRACE = 2; FULL_TRACE = 3; }
      message Experimental {
        message RunHandlerPoolOptions { int64 priority = 1; }
        int64 collective_graph_key = 1;
        bool use_run_handler_pool = 2;
        RunHandlerPoolOptions run_handler_pool_options = 3;
      }
      TraceLevel trace_level = 1;
      int64 timeout_in_ms = 2;
      int32 inter_op_thread_pool = 3;
      bool output_partition_graphs = 5;
      DebugOptions debug_options = 6;
      bool report_tensor_allocations_upon_oom = 7;
      Experimental experimental = 8;
    }
    message AllocationDescription {
      int64 requested_bytes = 1;
      int64 allocated_bytes = 2;
      string allocator_name = 3;
      int64 allocation_id = 4;
      bool has_single_reference = 5;
      uint64 ptr = 6;
    }
    message TensorDescription {
      DataType dtype = 1;
      TensorShapeProto shape = 2;
      AllocationDescription allocation_description = 4;
    }
    message AllocationRecord { int64 alloc_micros = 1; int64 alloc_bytes = 2; }
    message AllocatorMemoryUsed {
      string allocator_name = 1;
      int64 total_bytes = 2;
      int64 peak_bytes = 3;
      int64 live_bytes = 4;
      int64 allocator_bytes_in_use = 5;
      repeated AllocationRecord allocation_records = 6;
    }
    message NodeOutput { int32 slot = 1; TensorDescription tensor_description = 3; }
    message MemoryStats {
      int64 temp_memory_size = 1;
      int64 device_temp_memory_size = 2;
      int64 persistent_memory_size = 3;
      int64 device_persistent_memory_size = 4;
      repeated int64 persistent_tensor_alloc_ids = 5;
      repeated int64 device_persistent_tensor_alloc_ids = 6;
    }
    message NodeExecStats {
      string node_name = 1;
      int64 all_start_micros = 2;
      int64 op_start_rel_micros = 3;
      int64 op_end_rel_micros = 4;
      int64 all_end_rel_micros = 5;
      repeated AllocatorMemoryUsed memory = 6;
      repeated NodeOutput output = 7;
      string timeline_label = 8;
      int64 scheduled_micros = 9;
      uint32 thread_id = 10;
      repeated AllocationDescription referenced_tensor = 11;
      MemoryStats memory_stats = 12;
      int64 all_start_nanos = 13;
      int64 op_start_rel_nanos = 14;
      int64 op_end_rel_nanos = 15;
      int64 all_end_rel_nanos = 16;
      int64 scheduled_nanos = 17;
    }
    message DeviceStepStats {
      string device = 1;
      repeated NodeExecStats node_stats = 2;
      map<uint32, string> thread_names = 3;
    }
    message StepStats { repeated DeviceStepStats dev_stats = 1; }
    message CostGraphDef {
      message Node {
        message InputInfo { int32 preceding_node = 1; int32 preceding_port = 2; }
        message OutputInfo {
          int64 size = 1;
          int64 alias_input_port = 2;
          TensorShapeProto shape = 3;
          DataType dtype = 4;
        }
        string name = 1;
        string device = 2;
        int32 id = 3;
        repeated InputInfo input_info = 4;
        repeated OutputInfo output_info = 5;
        int64 temporary_memory_size = 6;
        bool is_final = 7;
        repeated int32 control_input = 8;
        int64 compute_cost = 9;
        int64 host_temp_memory_size = 10;
        int64 device_temp_memory_size = 11;
        int64 persistent_memory_size = 12;
        int64 compute_time = 14;
        int64 memory_time = 15;
        int64 device_persistent_memory_size = 16;
        bool inaccurate = 17;
      }
      message AggregatedCost { float cost = 1; string dimension = 2; }
      repeated Node node = 1;
      repeated AggregatedCost cost = 2;
    }
    message SessionMetadata { string name = 1; int64 version = 2; }
    message RunMetadata {
      message FunctionGraphs {
        repeated GraphDef partition_graphs = 1;
        GraphDef pre_optimization_graph = 2;
        GraphDef post_optimization_graph = 3;
      }
      StepStats step_stats = 1;
      CostGraphDef cost_graph = 2;
      repeated GraphDef partition_graphs = 3;
      repeated FunctionGraphs function_graphs = 4;
      SessionMetadata session_metadata = 5;
    }
    """,
    cluster.MESSAGES,
    graph.MESSAGES,
)


def __getattr__(name: str) -> Any:
    return MESSAGES.attribute(name)

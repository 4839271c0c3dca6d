"""The messages of checkpoint files: entries of the index, and the graph of objects."""

from eagerflow.protos.schema import Schema
from eagerflow.protos.tensor import SHAPE, VERSION

MESSAGES = Schema(
    "tensorflow",
    """
    message BundleHeaderProto {
      int32 num_shards = 1;
      int32 endianness = 2;
      VersionDef version = 3;
    }
    message TensorSliceProto {
      message Extent {
        int64 start = 1;
        oneof has_length { int64 length = 2; }
      }
      repeated Extent extent = 1;
    }
    message BundleEntryProto {
      int32 dtype = 1;
      TensorShapeProto shape = 2;
      int32 shard_id = 3;
      int64 offset = 4;
      int64 size = 5;
      fixed32 crc32c = 6;
      repeated TensorSliceProto slices = 7;
    }
    message BoolValue { bool value = 1; }
    message TrackableObjectGraph {
      message TrackableObject {
        message ObjectReference { int32 node_id = 1; string local_name = 2; }
        message SerializedTensor {
          string name = 1;
          string full_name = 2;
          string checkpoint_key = 3;
        }
        message SlotVariableReference {
          int32 original_variable_node_id = 1;
          string slot_name = 2;
          int32 slot_variable_node_id = 3;
        }
        repeated ObjectReference children = 1;
        repeated SerializedTensor attributes = 2;
        repeated SlotVariableReference slot_variables = 3;
        BoolValue has_checkpoint_values = 5;
      }
      repeated TrackableObject nodes = 1;
    }
    """,
    SHAPE,
    VERSION,
)

"""SavedModel: the part of its messages that describes objects and variables."""

from eagerflow.protos.schema import Schema
from eagerflow.protos.tensor import SHAPE, VERSION

MESSAGES = Schema(
    "tensorflow",
    SHAPE
    + VERSION
    + """
    message ObjectReference { int32 node_id = 1; string local_name = 2; }
    message SlotVariableReference {
      int32 original_variable_node_id = 1;
      string slot_name = 2;
      int32 slot_variable_node_id = 3;
    }
    message SavedUserObject { string identifier = 1; VersionDef version = 2; string metadata = 3; }
    message SavedAsset { int32 asset_file_def_index = 1; }
    message SavedFunction { repeated string concrete_functions = 1; }
    message SavedVariable {
      int32 dtype = 1;
      TensorShapeProto shape = 2;
      bool trainable = 3;
      int32 synchronization = 4;
      int32 aggregation = 5;
      string name = 6;
      string device = 7;
    }
    message SavedConstant { string operation = 1; }
    message SavedObject {
      repeated ObjectReference children = 1;
      repeated ObjectReference dependencies = 15;
      repeated SlotVariableReference slot_variables = 3;
      oneof kind {
        SavedUserObject user_object = 4;
        SavedAsset asset = 5;
        SavedFunction function = 6;
        SavedVariable variable = 7;
        SavedConstant constant = 9;
      }
    }
    message SavedObjectGraph { repeated SavedObject nodes = 1; }
    message GraphDef { VersionDef versions = 4; }
    message MetaInfoDef {
      string meta_graph_version = 1;
      repeated string tags = 4;
      string tensorflow_version = 5;
      string tensorflow_git_version = 6;
    }
    message MetaGraphDef {
      MetaInfoDef meta_info_def = 1;
      GraphDef graph_def = 2;
      SavedObjectGraph object_graph_def = 7;
    }
    message SavedModel {
      int64 saved_model_schema_version = 1;
      repeated MetaGraphDef meta_graphs = 2;
    }
    message KerasObject {
      int32 node_id = 2;
      string node_path = 3;
      string identifier = 4;
      string metadata = 5;
      VersionDef version = 6;
    }
    message KerasMetadata { repeated KerasObject nodes = 1; }
    """,
)

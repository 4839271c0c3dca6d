"""SavedModel: graphs with signatures, and the objects that have functions and variables."""

from typing import Any

from eagerflow.protos import graph
from eagerflow.protos.schema import Schema
from eagerflow.protos.structure import STRUCTURE

MESSAGES = Schema(
    "tensorflow",
    """
    message ObjectReference { int32 node_id = 1; string local_name = 2; }
    message SlotVariableReference {
      int32 original_variable_node_id = 1;
      string slot_name = 2;
      int32 slot_variable_node_id = 3;
    }
    message SavedUserObject { string identifier = 1; VersionDef version = 2; string metadata = 3; }
    message SavedAsset { int32 asset_file_def_index = 1; }
    message FunctionSpec {
      StructuredValue fullargspec = 1;
      bool is_method = 2;
      StructuredValue input_signature = 5;
      int32 jit_compile = 6;
    }
    message SavedFunction {
      repeated string concrete_functions = 1;
      FunctionSpec function_spec = 2;
    }
    message SavedBareConcreteFunction {
      string concrete_function_name = 1;
      repeated string argument_keywords = 2;
      int64 allowed_positional_arguments = 3;
      FunctionSpec function_spec = 4;
    }
    message SavedConcreteFunction {
      repeated int32 bound_inputs = 2;
      StructuredValue canonicalized_input_signature = 3;
      StructuredValue output_signature = 4;
    }
    message CapturedTensor { string name = 1; string concrete_function = 2; }
    message SavedResource { string device = 1; }
    message SaveableObject { int32 save_function = 2; int32 restore_function = 3; }
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
        SavedBareConcreteFunction bare_concrete_function = 8;
        SavedConstant constant = 9;
        SavedResource resource = 10;
        CapturedTensor captured_tensor = 12;
      }
      map<string, SaveableObject> saveable_objects = 11;
      string registered_name = 13;
      string registered_saver = 16;
    }
    message SavedObjectGraph {
      repeated SavedObject nodes = 1;
      map<string, SavedConcreteFunction> concrete_functions = 2;
    }
    message OpList { repeated OpDef op = 1; }
    message MetaInfoDef {
      string meta_graph_version = 1;
      OpList stripped_op_list = 2;
      repeated string tags = 4;
      string tensorflow_version = 5;
      string tensorflow_git_version = 6;
      bool stripped_default_attrs = 7;
      map<string, string> function_aliases = 8;
    }
    message TensorInfo {
      message CooSparse {
        string values_tensor_name = 1;
        string indices_tensor_name = 2;
        string dense_shape_tensor_name = 3;
      }
      message CompositeTensor {
        TypeSpecProto type_spec = 1;
        repeated TensorInfo components = 2;
      }
      oneof encoding {
        string name = 1;
        CooSparse coo_sparse = 4;
        CompositeTensor composite_tensor = 5;
      }
      DataType dtype = 2;
      TensorShapeProto tensor_shape = 3;
    }
    message SignatureDef {
      map<string, TensorInfo> inputs = 1;
      map<string, TensorInfo> outputs = 2;
      string method_name = 3;
      map<string, TensorProto> defaults = 4;
    }
    message AssetFileDef { TensorInfo tensor_info = 1; string filename = 2; }
    message SaverDef {
      enum CheckpointFormatVersion { LEGACY = 0; V1 = 1; V2 = 2; }
      string filename_tensor_name = 1;
      string save_tensor_name = 2;
      string restore_op_name = 3;
      int32 max_to_keep = 4;
      bool sharded = 5;
      float keep_checkpoint_every_n_hours = 6;
      CheckpointFormatVersion version = 7;
    }
    message CollectionDef {
      message NodeList { repeated string value = 1; }
      message BytesList { repeated bytes value = 1; }
      message Int64List { repeated int64 value = 1; }
      message FloatList { repeated float value = 1; }
      oneof kind {
        NodeList node_list = 1;
        BytesList bytes_list = 2;
        Int64List int64_list = 3;
        FloatList float_list = 4;
      }
    }
    message SaveSliceInfoDef {
      string full_name = 1;
      repeated int64 full_shape = 2;
      repeated int64 var_offset = 3;
      repeated int64 var_shape = 4;
    }
    message VariableDef {
      string variable_name = 1;
      string initial_value_name = 6;
      string initializer_name = 2;
      string snapshot_name = 3;
      SaveSliceInfoDef save_slice_info_def = 4;
      bool is_resource = 5;
      bool trainable = 7;
      int32 synchronization = 8;
      int32 aggregation = 9;
    }
    message MetaGraphDef {
      MetaInfoDef meta_info_def = 1;
      GraphDef graph_def = 2;
      SaverDef saver_def = 3;
      map<string, CollectionDef> collection_def = 4;
      map<string, SignatureDef> signature_def = 5;
      repeated AssetFileDef asset_file_def = 6;
      SavedObjectGraph object_graph_def = 7;
    }
    message SavedModel {
      int64 saved_model_schema_version = 1;
      repeated MetaGraphDef meta_graphs = 2;
    }
    message FingerprintDef {
      uint64 saved_model_checksum = 1;
      uint64 graph_def_program_hash = 2;
      uint64 signature_def_hash = 3;
      uint64 saved_object_graph_hash = 4;
      uint64 checkpoint_hash = 5;
      string uuid = 7;
      VersionDef version = 6;
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
    graph.MESSAGES,
    STRUCTURE,
)


def __getattr__(name: str) -> Any:
    return MESSAGES.attribute(name)

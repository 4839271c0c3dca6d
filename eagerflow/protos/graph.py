"""GraphDef: nodes with attributes and inputs by name, and the functions that they call."""

from typing import Any

from eagerflow.protos import tensor
from eagerflow.protos.schema import Schema

MESSAGES = Schema(
    "tensorflow",
    """
    message AttrValue {
      message ListValue {
        repeated bytes s = 2;
        repeated int64 i = 3;
        repeated float f = 4;
        repeated bool b = 5;
        repeated DataType type = 6;
        repeated TensorShapeProto shape = 7;
        repeated TensorProto tensor = 8;
        repeated NameAttrList func = 9;
      }
      oneof value {
        bytes s = 2;
        int64 i = 3;
        float f = 4;
        bool b = 5;
        DataType type = 6;
        TensorShapeProto shape = 7;
        TensorProto tensor = 8;
        ListValue list = 1;
        NameAttrList func = 10;
        string placeholder = 9;
      }
    }
    message NameAttrList {
      string name = 1;
      map<string, AttrValue> attr = 2;
    }
    message NodeDef {
      message ExperimentalDebugInfo {
        repeated string original_node_names = 1;
        repeated string original_func_names = 2;
      }
      string name = 1;
      string op = 2;
      repeated string input = 3;
      string device = 4;
      map<string, AttrValue> attr = 5;
      ExperimentalDebugInfo experimental_debug_info = 6;
    }
    message OpDef {
      message ArgDef {
        string name = 1;
        string description = 2;
        DataType type = 3;
        string type_attr = 4;
        string number_attr = 5;
        string type_list_attr = 6;
        bool is_ref = 16;
      }
      message AttrDef {
        string name = 1;
        string type = 2;
        AttrValue default_value = 3;
        string description = 4;
        bool has_minimum = 5;
        int64 minimum = 6;
        AttrValue allowed_values = 7;
      }
      string name = 1;
      repeated ArgDef input_arg = 2;
      repeated ArgDef output_arg = 3;
      repeated string control_output = 20;
      repeated AttrDef attr = 4;
      string summary = 5;
      string description = 6;
      bool is_commutative = 18;
      bool is_aggregate = 16;
      bool is_stateful = 17;
      bool allows_uninitialized_input = 19;
    }
    message FunctionDef {
      message ArgAttrs { map<string, AttrValue> attr = 1; }
      OpDef signature = 1;
      map<string, AttrValue> attr = 5;
      map<uint32, ArgAttrs> arg_attr = 7;
      repeated NodeDef node_def = 3;
      map<string, string> ret = 4;
      map<string, string> control_ret = 6;
    }
    message GradientDef {
      string function_name = 1;
      string gradient_func = 2;
    }
    message RegisteredGradient {
      string gradient_func = 1;
      string registered_op_type = 2;
    }
    message FunctionDefLibrary {
      repeated FunctionDef function = 1;
      repeated GradientDef gradient = 2;
      repeated RegisteredGradient registered_gradients = 3;
    }
    message GraphDef {
      repeated NodeDef node = 1;
      VersionDef versions = 4;
      int32 version = 3;
      FunctionDefLibrary library = 2;
    }
    """,
    tensor.MESSAGES,
    tensor.VERSION,
)


def __getattr__(name: str) -> Any:
    return MESSAGES.attribute(name)

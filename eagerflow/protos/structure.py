"""Structures of specs, and the metadata of a saved dataset."""

from eagerflow.protos.schema import Schema
from eagerflow.protos.tensor import SHAPE

STRUCTURE = Schema(
    "tensorflow",
    """
    message NoneValue {}
    message ListValue { repeated StructuredValue values = 1; }
    message TupleValue { repeated StructuredValue values = 1; }
    message DictValue { map<string, StructuredValue> fields = 1; }
    message PairValue { string key = 1; StructuredValue value = 2; }
    message NamedTupleValue { string name = 1; repeated PairValue values = 2; }
    message TensorSpecProto { string name = 1; TensorShapeProto shape = 2; int32 dtype = 3; }
    message TypeSpecProto {
      int32 type_spec_class = 1;
      StructuredValue type_state = 2;
      string type_spec_class_name = 3;
      int32 num_flat_components = 4;
    }
    message StructuredValue {
      oneof kind {
        NoneValue none_value = 1;
        TensorShapeProto tensor_shape_value = 31;
        int32 tensor_dtype_value = 32;
        TensorSpecProto tensor_spec_value = 33;
        TypeSpecProto type_spec_value = 34;
        ListValue list_value = 51;
        TupleValue tuple_value = 52;
        DictValue dict_value = 53;
        NamedTupleValue named_tuple_value = 54;
        double float64_value = 11;
        sint64 int64_value = 12;
        string string_value = 13;
        bool bool_value = 14;
      }
    }
    """,
    SHAPE,
)

MESSAGES = Schema(
    "tensorflow",
    """
    message SnapshotMetadataRecord {
      string graph_hash = 1;
      string run_id = 2;
      int64 creation_timestamp = 3;
      int64 version = 4;
      repeated int32 dtype = 5;
      int64 num_elements = 6;
      bool finalized = 1000;
    }
    message VariantTensorDataProto {
      string type_name = 1;
      bytes metadata = 2;
      repeated bytes tensors = 3;
    }
    """,
    STRUCTURE,
)

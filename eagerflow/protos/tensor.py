"""TensorProto: a tensor's dtype, shape and elements."""

from eagerflow.protos.schema import Schema

SHAPE = Schema(
    "tensorflow",
    """
    message TensorShapeProto {
      message Dim { int64 size = 1; string name = 2; }
      repeated Dim dim = 2;
      bool unknown_rank = 3;
    }
    """,
)
VERSION = Schema(
    "tensorflow",
    """
    message VersionDef {
      int32 producer = 1;
      int32 min_consumer = 2;
      repeated int32 bad_consumers = 3;
    }
    """,
)

MESSAGES = Schema(
    "tensorflow",
    """
    enum DataType {
      DT_INVALID = 0; DT_FLOAT = 1; DT_DOUBLE = 2; DT_INT32 = 3; DT_UINT8 = 4; DT_INT16 = 5;
      DT_INT8 = 6; DT_STRING = 7; DT_COMPLEX64 = 8; DT_INT64 = 9; DT_BOOL = 10; DT_QINT8 = 11;
      DT_QUINT8 = 12; DT_QINT32 = 13; DT_BFLOAT16 = 14; DT_QINT16 = 15; DT_QUINT16 = 16;
      DT_UINT16 = 17; DT_COMPLEX128 = 18; DT_HALF = 19; DT_RESOURCE = 20; DT_VARIANT = 21;
      DT_UINT32 = 22; DT_UINT64 = 23; DT_FLOAT8_E5M2 = 24; DT_FLOAT8_E4M3FN = 25;
      DT_FLOAT8_E4M3FNUZ = 26; DT_FLOAT8_E4M3B11FNUZ = 27; DT_FLOAT8_E5M2FNUZ = 28;
      DT_INT4 = 29; DT_UINT4 = 30; DT_INT2 = 31; DT_UINT2 = 32; DT_FLOAT4_E2M1FN = 33;
    }
    message TensorProto {
      DataType dtype = 1;
      TensorShapeProto tensor_shape = 2;
      int32 version_number = 3;
      bytes tensor_content = 4;
      repeated float float_val = 5;
      repeated double double_val = 6;
      repeated int32 int_val = 7;
      repeated bytes string_val = 8;
      repeated float scomplex_val = 9;
      repeated int64 int64_val = 10;
      repeated bool bool_val = 11;
      repeated double dcomplex_val = 12;
      repeated int32 half_val = 13;
      repeated uint32 uint32_val = 16;
      repeated uint64 uint64_val = 17;
      bytes float8_val = 18;
    }
    message NamedTensorProto {
      string name = 1;
      TensorProto tensor = 2;
    }
    """,
    SHAPE,
)

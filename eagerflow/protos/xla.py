"""Attributes of XLA's operations in graphs: which dimensions they work on, and how exactly."""

from eagerflow.protos.schema import Schema

MESSAGES = Schema(
    "xla",
    """
    message ConvolutionDimensionNumbers {
      int64 input_batch_dimension = 7;
      int64 input_feature_dimension = 8;
      repeated int64 input_spatial_dimensions = 11;
      int64 kernel_input_feature_dimension = 3;
      int64 kernel_output_feature_dimension = 4;
      repeated int64 kernel_spatial_dimensions = 6;
      int64 output_batch_dimension = 9;
      int64 output_feature_dimension = 10;
      repeated int64 output_spatial_dimensions = 12;
    }
    message DotDimensionNumbers {
      repeated int64 lhs_contracting_dimensions = 1;
      repeated int64 rhs_contracting_dimensions = 2;
      repeated int64 lhs_batch_dimensions = 3;
      repeated int64 rhs_batch_dimensions = 4;
    }
    message GatherDimensionNumbers {
      repeated int64 offset_dims = 1;
      repeated int64 collapsed_slice_dims = 2;
      repeated int64 start_index_map = 3;
      int64 index_vector_dim = 4;
      repeated int64 operand_batching_dims = 5;
      repeated int64 start_indices_batching_dims = 6;
    }
    message ScatterDimensionNumbers {
      repeated int64 update_window_dims = 1;
      repeated int64 inserted_window_dims = 2;
      repeated int64 scatter_dims_to_operand_dims = 3;
      int64 index_vector_dim = 4;
      repeated int64 input_batching_dims = 5;
      repeated int64 scatter_indices_batching_dims = 6;
    }
    message PrecisionConfig {
      enum Precision {
        DEFAULT = 0;
        HIGH = 1;
        HIGHEST = 2;
      }
      enum Algorithm {
        ALG_UNSET = 0;
        ALG_DOT_ANY_F8_ANY_F8_F32 = 1;
        ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM = 2;
        ALG_DOT_F16_F16_F16 = 3;
        ALG_DOT_F16_F16_F32 = 4;
        ALG_DOT_BF16_BF16_BF16 = 5;
        ALG_DOT_BF16_BF16_F32 = 6;
        ALG_DOT_BF16_BF16_F32_X3 = 7;
        ALG_DOT_BF16_BF16_F32_X6 = 8;
        ALG_DOT_TF32_TF32_F32 = 9;
        ALG_DOT_TF32_TF32_F32_X3 = 10;
        ALG_DOT_F32_F32_F32 = 11;
        ALG_DOT_F64_F64_F64 = 12;
        ALG_DOT_BF16_BF16_F32_X9 = 13;
      }
      repeated Precision operand_precision = 1;
      Algorithm algorithm = 2;
    }
    enum RandomAlgorithm {
      RNG_DEFAULT = 0;
      RNG_THREE_FRY = 1;
      RNG_PHILOX = 2;
    }
    """,
)

"""Names of version 1 that programs use: each stands for something."""

import pytest

import eagerflow
from eagerflow_compat.dropin.facade import resolve
from eagerflow_compat.v1 import renamed

# By namespace below `tf`.
NAMES = {
    "": (
        "AUTO_REUSE AggregationMethod Assert COMPILER_VERSION ConfigProto DType Dimension "
        "Event FIFOQueue FixedLenFeature FixedLenSequenceFeature FixedLengthRecordReader "
        "GIT_VERSION GPUOptions GRAPH_DEF_VERSION GradientTape Graph GraphKeys GraphOptions "
        "HistogramProto IdentityReader IndexedSlices InteractiveSession NoGradient "
        "NotDifferentiable OpError Operation OptimizerOptions PaddingFIFOQueue Print "
        "PriorityQueue QUANTIZED_DTYPES QueueBase RandomShuffleQueue ReaderBase "
        "RegisterGradient RunMetadata RunOptions Session SparseFeature Summary "
        "SummaryMetadata TFRecordReader Tensor TensorArray TensorShape TextLineReader VERSION "
        "VarLenFeature Variable VariableScope WholeFileReader __version__ accumulate_n "
        "add_to_collection add_to_collections all_variables as_string assert_equal "
        "assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal "
        "assert_positive assert_rank assert_rank_at_least assert_rank_in assert_scalar "
        "assign assign_add batch_gather batch_scatter_update batch_to_space batch_to_space_nd betainc "
        "case ceil check_numerics cholesky cholesky_solve colocate_with cond confusion_matrix "
        "conj constant_initializer container control_dependencies "
        "convert_to_tensor_or_sparse_tensor count_nonzero cross cumprod cumsum "
        "custom_gradient decode_base64 decode_csv decode_json_example decode_raw "
        "depth_to_space device diag diag_part digamma dimension_value disable_eager_execution "
        "disable_resource_variables disable_v2_behavior div div_no_nan enable_control_flow_v2 "
        "enable_eager_execution enable_resource_variables enable_tensor_equality "
        "enable_v2_behavior enable_v2_tensorshape encode_base64 erf erfc executing_eagerly "
        "extract_image_patches extract_volume_patches fake_quant_with_min_max_args "
        "fake_quant_with_min_max_vars fft fft2d fft3d floor_div function get_collection "
        "get_collection_ref get_default_graph get_default_session get_local_variable get_seed "
        "get_variable get_variable_scope global_norm global_variables "
        "global_variables_initializer glorot_normal_initializer glorot_uniform_initializer "
        "gradients group hessians ifft ifft2d ifft3d igamma igammac initialize_all_variables "
        "initialize_local_variables initialize_variables invert_permutation is_finite is_inf "
        "is_nan is_non_decreasing is_numeric_tensor is_strictly_increasing "
        "is_variable_initialized lbeta lgamma listdiff local_variables "
        "local_variables_initializer log log1p log_sigmoid make_template matching_files "
        "matrix_band_part matrix_determinant matrix_diag matrix_diag_part matrix_inverse "
        "matrix_set_diag matrix_solve matrix_solve_ls matrix_transpose "
        "matrix_triangular_solve mod model_variables moving_average_variables multinomial "
        "name_scope no_op ones_initializer op_scope orthogonal_initializer parse_example "
        "parse_single_example parse_single_sequence_example parse_tensor "
        "placeholder_with_default polygamma py_func qr random_crop random_gamma random_normal "
        "random_normal_initializer random_poisson random_shuffle random_uniform "
        "random_uniform_initializer read_file realdiv reduce_join regex_replace "
        "register_tensor_conversion_function report_uninitialized_variables "
        "reset_default_graph scatter_div scatter_max scatter_min scatter_mul scatter_nd "
        "scatter_nd_add scatter_nd_sub scatter_nd_update scatter_update segment_sum "
        "self_adjoint_eig self_adjoint_eigvals serialize_tensor set_random_seed setdiff1d "
        "space_to_batch space_to_batch_nd space_to_depth sparse_add sparse_concat "
        "sparse_fill_empty_rows sparse_mask sparse_reduce_max sparse_reduce_sum "
        "sparse_reorder sparse_reshape sparse_retain sparse_slice sparse_softmax sparse_split "
        "sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense string_join "
        "string_split string_strip string_to_hash_bucket string_to_hash_bucket_fast "
        "string_to_number substr svd tables_initializer to_bfloat16 to_complex64 to_double "
        "to_float to_int32 to_int64 trainable_variables truncated_normal "
        "truncated_normal_initializer truncatediv truncatemod tuple unsorted_segment_mean "
        "unsorted_segment_sum variable_op_scope variable_scope variables_initializer "
        "variance_scaling_initializer verify_tensor_all_finite while_loop write_file "
        "zeros_initializer zeta"
    ),
    "app": "flags run",
    "experimental": "output_all_intermediates",
    "keras.models": "LinearModel WideDeepModel",
    "keras.utils": ("DeterministicRandomTestTool get_or_create_layer track_tf1_style_variables"),
    "mixed_precision": "DynamicLossScale FixedLossScale LossScale",
    "mixed_precision.experimental": "DynamicLossScale FixedLossScale LossScale",
    "resource_loader": (
        "get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource "
        "readahead_file_path"
    ),
    "rnn_cell": "GRUCell LSTMCell",
    "saved_model.experimental": "Fingerprint VariablePolicy read_fingerprint save",
    "train.experimental": "MixedPrecisionLossScaleOptimizer PythonState",
    "train.queue_runner": "QueueRunner add_queue_runner start_queue_runners",
    "user_ops": "my_fact",
    "bitwise": "bitwise_and",
    "compat": "as_bytes as_text",
    "data": (
        "Dataset Iterator TFRecordDataset TextLineDataset get_output_shapes "
        "make_initializable_iterator make_one_shot_iterator"
    ),
    "data.experimental": (
        "DatasetStructure OptionalStructure RaggedTensorStructure SparseTensorStructure Structure "
        "TensorArrayStructure TensorStructure make_csv_dataset map_and_batch_with_legacy_function"
    ),
    "errors": "OutOfRangeError",
    "flags": "DEFINE_multi_enum_class DEFINE_string FLAGS FlagHolder set_default",
    "gfile": "DeleteRecursively Exists FastGFile GFile Glob ListDirectory MakeDirs Open Remove",
    "image": (
        "decode_jpeg per_image_standardization random_flip_left_right resize_bilinear "
        "resize_image_with_crop_or_pad resize_images"
    ),
    "initializers": "he_normal identity lecun_normal",
    "io": "decode_jpeg",
    "keras": "initializers",
    "keras.backend": "get_session set_session",
    "keras.layers": "CuDNNGRU CuDNNLSTM",
    "layers": (
        "AveragePooling2D BatchNormalization Conv2D Dense Dropout Flatten InputSpec Layer "
        "average_pooling2d batch_normalization conv1d conv2d conv2d_transpose conv3d dense "
        "dropout flatten max_pooling1d max_pooling2d separable_conv2d"
    ),
    "linalg": "norm",
    "logging": "info set_verbosity",
    "lookup": "KeyValueTensorInitializer StaticHashTable",
    "losses": (
        "Reduction absolute_difference add_loss compute_weighted_loss cosine_distance "
        "get_losses get_regularization_loss get_regularization_losses get_total_loss "
        "hinge_loss huber_loss log_loss mean_squared_error sigmoid_cross_entropy "
        "softmax_cross_entropy sparse_softmax_cross_entropy"
    ),
    "math": "reduce_std",
    "metrics": (
        "accuracy auc average_precision_at_k false_negatives false_negatives_at_thresholds "
        "false_positives false_positives_at_thresholds mean mean_absolute_error "
        "mean_cosine_distance mean_iou mean_per_class_accuracy mean_relative_error "
        "mean_squared_error mean_tensor percentage_below precision precision_at_k "
        "precision_at_thresholds precision_at_top_k recall recall_at_k recall_at_thresholds "
        "recall_at_top_k root_mean_squared_error sensitivity_at_specificity "
        "sparse_average_precision_at_k sparse_precision_at_k specificity_at_sensitivity "
        "true_negatives true_negatives_at_thresholds true_positives "
        "true_positives_at_thresholds"
    ),
    "nest": "flatten",
    "nn": (
        "all_candidate_sampler atrous_conv2d atrous_conv2d_transpose avg_pool "
        "batch_normalization bias_add bidirectional_dynamic_rnn compute_accidental_hits "
        "conv1d conv2d_transpose conv3d conv3d_transpose convolution crelu "
        "ctc_beam_search_decoder ctc_greedy_decoder ctc_loss depthwise_conv2d "
        "depthwise_conv2d_native dilation2d dynamic_rnn embedding_lookup "
        "embedding_lookup_sparse erosion2d fixed_unigram_candidate_sampler "
        "fractional_max_pool fused_batch_norm in_top_k l2_loss l2_normalize "
        "learned_unigram_candidate_sampler local_response_normalization log_poisson_loss "
        "log_uniform_candidate_sampler lrn max_pool max_pool_with_argmax moments nce_loss "
        "normalize_moments pool relu_layer sampled_softmax_loss separable_conv2d "
        "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2 softplus "
        "softsign static_bidirectional_rnn static_rnn sufficient_statistics swish top_k "
        "uniform_candidate_sampler weighted_cross_entropy_with_logits weighted_moments "
        "with_space_to_batch xw_plus_b zero_fraction"
    ),
    "nn.rnn_cell": (
        "BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell "
        "LSTMStateTuple MultiRNNCell RNNCell ResidualWrapper"
    ),
    "python_io": "TFRecordCompressionType TFRecordOptions TFRecordWriter tf_record_iterator",
    "saved_model": "load",
    "strings": "join",
    "summary": "FileWriter FileWriterCache histogram image merge merge_all scalar text",
    "test": "TestCase compute_gradient gpu_device_name is_gpu_available main",
    "train": (
        "CheckpointManager CheckpointOptions CheckpointSaverHook CheckpointSaverListener "
        "ChiefSessionCreator Coordinator Example ExponentialMovingAverage Feature FeatureList "
        "FeatureLists Features FeedFnHook FinalOpsHook GlobalStepWaiterHook Int64List "
        "LoggingTensorHook LooperThread MonitoredSession MonitoredTrainingSession "
        "NanLossDuringTrainingError NanTensorHook QueueRunner Saver Scaffold "
        "SecondOrStepTimer SequenceExample SessionCreator SessionManager SessionRunArgs "
        "SessionRunContext SessionRunHook SessionRunValues SingularMonitoredSession "
        "StepCounterHook StopAtStepHook SummarySaverHook WorkerSessionCreator "
        "add_queue_runner assert_global_step batch batch_join checkpoint_exists cosine_decay "
        "cosine_decay_restarts linear_cosine_decay noisy_linear_cosine_decay "
        "ProximalAdagradOptimizer "
        "create_global_step exponential_decay get_checkpoint_state get_global_step "
        "get_or_create_global_step global_step input_producer inverse_time_decay "
        "latest_checkpoint limit_epochs list_variables load_checkpoint load_variable "
        "match_filenames_once natural_exp_decay piecewise_constant polynomial_decay "
        "range_input_producer shuffle_batch shuffle_batch_join slice_input_producer "
        "start_queue_runners string_input_producer summary_iterator"
    ),
}


@pytest.mark.parametrize("namespace", NAMES)
def test_names(namespace):
    missing = [
        name
        for name in NAMES[namespace].split()
        if resolve(f"eagerflow.compat.v1.{namespace}.{name}".replace("..", ".")) is None
    ]
    assert missing == []


@pytest.mark.parametrize("name", renamed.RENAMED)
def test_renamed_names_are_found(name):
    assert getattr(eagerflow.compat.v1, name) is not None


def test_helpers_of_version_1_are_no_names():
    assert not {"either", "version_1"} & set(dir(eagerflow.compat.v1))

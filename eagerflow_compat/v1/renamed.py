"""Names of version 1 whose objects have another name in version 2."""

import re

# By path in this package: names that stand directly below `tf`.
_MOVED = {
    "compat.v1.nn": "rnn_cell",
    "debugging": (
        "assert_integer assert_proper_iterable assert_same_float_dtype assert_type "
        "check_numerics is_numeric_tensor"
    ),
    "dtypes": "QUANTIZED_DTYPES",
    "errors": "OpError",
    "framework.composite": "SparseTensorValue",
    "image": "random_crop",
    "io": (
        "read_file FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_base64 "
        "decode_compressed decode_json_example deserialize_many_sparse encode_base64 "
        "matching_files parse_single_sequence_example parse_tensor serialize_tensor write_file"
    ),
    "linalg": "cholesky cholesky_solve cross global_norm matrix_transpose qr svd trace",
    "math": (
        "accumulate_n angle betainc bincount ceil conj cumprod digamma erf erfc erfinv expm1 "
        "floordiv floormod igamma igammac imag invert_permutation is_finite is_inf is_nan "
        "is_non_decreasing is_strictly_increasing lbeta lgamma log log1p log_sigmoid "
        "logical_xor polygamma real reciprocal rint rsqrt segment_max segment_mean segment_min "
        "segment_prod segment_sum squared_difference unsorted_segment_max unsorted_segment_mean "
        "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
        "unsorted_segment_sum zeta"
    ),
    "ops.sets": "setdiff1d",
    "protos.graph": "AttrValue GraphDef NameAttrList NodeDef",
    "protos.saved_model": "MetaGraphDef TensorInfo",
    "quantization": (
        "dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
        "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
        "fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient quantize quantized_concat"
    ),
    "queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    "random": "truncated_normal",
    "signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    "sparse.conversion": "sparse_to_dense",
    "strings": "regex_replace",
    "sysconfig": "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD",
    "v1.decoding": "decode_csv decode_raw parse_example parse_single_example",
    "v1.image": "extract_image_patches",
    "v1.nn": "depth_to_space space_to_depth",
    "v1.protos": "Event HistogramProto LogMessage SessionLog Summary SummaryMetadata",
    "v1.strings": "reduce_join string_split string_to_hash_bucket string_to_number substr",
    "version": (
        "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER "
        "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION"
    ),
}

# The same, of names that have the first word of the key before them.
_WITH_PREFIX = {
    "matrix linalg": "band_part diag diag_part set_diag solve triangular_solve",
    "random random": "gamma normal shuffle uniform",
    "sparse sparse": (
        "fill_empty_rows mask maximum minimum reorder reset_shape reshape retain slice softmax "
        "to_indicator transpose"
    ),
    "string strings": "join strip to_hash_bucket_fast to_hash_bucket_strong",
}

_INITIALIZERS = (
    "Constant GlorotNormal GlorotUniform Ones Orthogonal RandomNormal RandomUniform "
    "TruncatedNormal UniformUnitScaling VarianceScaling Zeros"
)


def _snake(name: str) -> str:
    return re.sub("(?<=.)([A-Z])", r"_\1", name).lower()


# From the name directly below `tf` to the path in this package.
RENAMED = (
    {name: f"{path}.{name}" for path, names in _MOVED.items() for name in names.split()}
    | {
        f"{prefix}_{name}": f"{path}.{name}"
        for (prefix, path), names in ((key.split(), names) for key, names in _WITH_PREFIX.items())
        for name in names.split()
    }
    | {
        f"{_snake(name)}_initializer": f"keras.legacy_initializers.{name}"
        for name in _INITIALIZERS.split()
    }
    | {
        "NoGradient": "no_gradient",
        "NotDifferentiable": "no_gradient",
        "batch_matmul": "matmul",
        "batch_to_space_nd": "batch_to_space",
        "diag": "linalg.tensor_diag",
        "diag_part": "linalg.tensor_diag_part",
        "div_no_nan": "math.divide_no_nan",
        "initialize_all_tables": "graph.variables.tables_initializer",
        "lin_space": "linspace",
        "listdiff": "ops.sets.setdiff1d",
        "matrix_determinant": "linalg.det",
        "matrix_inverse": "linalg.inv",
        "matrix_solve_ls": "linalg.lstsq",
        "mod": "math.floormod",
        "reverse_v2": "reverse",
        "self_adjoint_eig": "linalg.eigh",
        "self_adjoint_eigvals": "linalg.eigvalsh",
        "set_random_seed": "random.set_seed",
        "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
        "sparse_tensor_to_dense": "sparse.to_dense",
        "tensor_scatter_add": "tensor_scatter_nd_add",
        "tensor_scatter_sub": "tensor_scatter_nd_sub",
        "tensor_scatter_update": "tensor_scatter_nd_update",
        "where_v2": "where",
    }
)

# Namespaces and names that only version 2 has.
SECOND_ONLY = frozenset(
    "callbacks get_current_name_scope initializers inside_function losses metrics optimizers "
    "regularizers summary train".split()
)

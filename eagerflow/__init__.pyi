from eagerflow import (
    audio as audio,
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    compat as compat,
    config as config,
    data as data,
    debug as debug,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    feature_column as feature_column,
    func as func,
    graph_util as graph_util,
    image as image,
    io as io,
    keras as keras,
    linalg as linalg,
    lookup as lookup,
    math as math,
    nest as nest,
    nn as nn,
    onnx as onnx,
    profiler as profiler,
    quantization as quantization,
    queue as queue,
    ragged as ragged,
    random as random,
    raw_ops as raw_ops,
    saved_model as saved_model,
    sets as sets,
    signal as signal,
    sparse as sparse,
    strings as strings,
    summary as summary,
    sysconfig as sysconfig,
    test as test,
    train as train,
    types as types,
    version as version,
    xla as xla,
)
from eagerflow._core.ops import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    argmax as argmax,
    argmin as argmin,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bitcast as bitcast,
    broadcast_to as broadcast_to,
    cos as cos,
    cosh as cosh,
    cumsum as cumsum,
    divide_real,
    equal as equal,
    exp as exp,
    expand_dims as expand_dims,
    floor as floor,
    greater as greater,
    greater_equal as greater_equal,
    identity as identity,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    matmul as matmul,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    ones_like as ones_like,
    pow as pow,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    reshape as reshape,
    reverse as reverse,
    round as round,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    slice as slice,
    sqrt as sqrt,
    square as square,
    squeeze as squeeze,
    stop_gradient as stop_gradient,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
    tile as tile,
    transpose as transpose,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
    zeros_like as zeros_like,
)
from eagerflow.autodiff.custom_gradient import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
)
from eagerflow.autodiff.tape import (
    GradientTape as GradientTape,
    UnconnectedGradients as UnconnectedGradients,
)
from eagerflow.data.iterator import OptionalSpec as OptionalSpec
from eagerflow.debugging import (
    Assert as Assert,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
    assert_rank as assert_rank,
)
from eagerflow.framework.dtypes import (
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex128 as complex128,
    complex64 as complex64,
    double as double,
    DType as DType,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int8 as int8,
    qint16 as qint16,
    qint32 as qint32,
    qint8 as qint8,
    quint16 as quint16,
    quint8 as quint8,
    resource as resource,
    string as string,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uint8 as uint8,
    variant as variant,
)
from eagerflow.framework.context import (
    executing_eagerly as executing_eagerly,
    get_logger as get_logger,
    inside_function as inside_function,
)
from eagerflow.framework.device import device as device
from eagerflow.framework.device_spec import DeviceSpec as DeviceSpec
from eagerflow.functions.function import function as function
from eagerflow.framework.indexed_slices import (
    IndexedSlices as IndexedSlices,
    IndexedSlicesSpec as IndexedSlicesSpec,
)
from eagerflow.framework.module import Module as Module
from eagerflow.framework.name_scope import (
    get_current_name_scope as get_current_name_scope,
    name_scope as name_scope,
)
from eagerflow.framework.shapes import TensorShape as TensorShape
from eagerflow.framework.tensor import (
    is_symbolic_tensor as is_symbolic_tensor,
    is_tensor as is_tensor,
    Tensor as Tensor,
)
from eagerflow.framework.type_spec import (
    NoneTensorSpec as NoneTensorSpec,
    TensorSpec as TensorSpec,
    type_spec_from_value as type_spec_from_value,
    TypeSpec as TypeSpec,
)
from eagerflow.framework.aggregation import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from eagerflow.framework.variable import (
    Variable as Variable,
    variable_creator_scope as variable_creator_scope,
)
from eagerflow.graphdef.import_graph_def import import_graph_def as import_graph_def
from eagerflow.graph.gradients import gradients as gradients, hessians as hessians
from eagerflow.graph.graph import Graph as Graph, Operation as Operation
from eagerflow.io.tensor_messages import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from eagerflow.keras import (
    initializers as initializers,
    losses as losses,
    metrics as metrics,
    optimizers as optimizers,
)
from eagerflow.ops.array import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    concat as concat,
    ensure_shape as ensure_shape,
    identity_n as identity_n,
    meshgrid as meshgrid,
    newaxis as newaxis,
    pad as pad,
    parallel_stack as parallel_stack,
    rank as rank,
    repeat as repeat,
    roll as roll,
    shape as shape,
    shape_n as shape_n,
    size as size,
    split as split,
    stack as stack,
    strided_slice as strided_slice,
    unstack as unstack,
)
from eagerflow.ops.control_flow import (
    case as case,
    cond as cond,
    control_dependencies as control_dependencies,
    group as group,
    init_scope as init_scope,
    no_op as no_op,
    switch_case as switch_case,
    tuple as tuple,
    while_loop as while_loop,
)
from eagerflow.ops.conversion import (
    cast as cast,
    complex as complex,
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    get_static_value as get_static_value,
    register_tensor_conversion_function as register_tensor_conversion_function,
    saturate_cast as saturate_cast,
)
from eagerflow.ops.creation import (
    eye as eye,
    fill as fill,
    linspace as linspace,
    one_hot as one_hot,
    ones as ones,
    range as range,
    sequence_mask as sequence_mask,
    zeros as zeros,
)
from eagerflow.ops.batch_function import (
    nondifferentiable_batch_function as nondifferentiable_batch_function,
)
from eagerflow.ops.eager_only import (
    AggregationMethod as AggregationMethod,
    check_pinned as check_pinned,
    CriticalSection as CriticalSection,
    guarantee_const as guarantee_const,
    no_gradient as no_gradient,
    ragged_fill_empty_rows as ragged_fill_empty_rows,
    ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad,
    RegisterGradient as RegisterGradient,
    timestamp as timestamp,
)
from eagerflow.ops.host_functions import (
    numpy_function as numpy_function,
    py_function as py_function,
)
from eagerflow.ops.indexing import (
    argsort as argsort,
    boolean_mask as boolean_mask,
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    gather as gather,
    gather_nd as gather_nd,
    reverse_sequence as reverse_sequence,
    scatter_nd as scatter_nd,
    searchsorted as searchsorted,
    sort as sort,
    unique as unique,
    unique_with_counts as unique_with_counts,
    unravel_index as unravel_index,
    where as where,
)
from eagerflow.ops.init_ops import (
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    zeros_initializer as zeros_initializer,
)
from eagerflow.ops.linalg.einsum import einsum as einsum
from eagerflow.ops.linalg.factorization import eig as eig, eigvals as eigvals
from eagerflow.ops.linalg.matrix_functions import sqrtm
from eagerflow.ops.linalg.products import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
    norm as norm,
    tensordot as tensordot,
)
from eagerflow.ops.loops import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
    vectorized_map as vectorized_map,
)
from eagerflow.ops.math import (
    add_n as add_n,
    divide as divide,
    scalar_mul as scalar_mul,
    truediv as truediv,
)
from eagerflow.ops.nn.isotonic import approx_top_k as approx_top_k
from eagerflow.ops.nn.raw_convolution import (
    conv as conv,
    conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2,
    conv2d_backprop_input_v2 as conv2d_backprop_input_v2,
)
from eagerflow.ops.nn.space_batch import (
    batch_to_space as batch_to_space,
    extract_volume_patches as extract_volume_patches,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch,
)
from eagerflow.ops.printing import print as print
from eagerflow.ops.random.distributions import random_index_shuffle as random_index_shuffle
from eagerflow.ops.reduction import reduce_logsumexp as reduce_logsumexp
from eagerflow.ops.segment import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from eagerflow.ops.sets import edit_distance as edit_distance
from eagerflow.ops.tensor_array import (
    TensorArray as TensorArray,
    TensorArraySpec as TensorArraySpec,
)
from eagerflow.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor as RaggedTensor
from eagerflow.signal.raw_fourier import (
    fftnd as fftnd,
    ifftnd as ifftnd,
    irfftnd as irfftnd,
    rfftnd as rfftnd,
)
from eagerflow.sparse.tensor import (
    SparseTensor as SparseTensor,
    SparseTensorSpec as SparseTensorSpec,
)
from eagerflow.strings.hashing import fingerprint as fingerprint
from eagerflow.strings.manipulation import as_string as as_string
from eagerflow.version import EAGERFLOW_VERSION

__version__ = EAGERFLOW_VERSION
realdiv = divide_real
space_to_batch_nd = space_to_batch
matrix_square_root = sqrtm
from eagerflow_compat import tpu as tpu
from eagerflow_compat.dropin import install_as_tensorflow as install_as_tensorflow

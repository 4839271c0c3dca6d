"""TensorFlow's eager execution on a small native engine.

The public names are those of TensorFlow 2:

>>> import eagerflow as tf
>>> tf.reduce_sum(tf.constant([1.0, 2.0]) * 3.0)
<tf.Tensor: shape=(), dtype=float32, numpy=9.0>
"""

import typing as _typing

from eagerflow import (
    dtypes,
    errors,
    nest,
    version,
)
from eagerflow.autodiff.custom_gradient import custom_gradient, grad_pass_through, recompute_grad
from eagerflow.autodiff.tape import GradientTape, UnconnectedGradients
from eagerflow.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from eagerflow.framework.context import executing_eagerly, get_logger, inside_function
from eagerflow.framework.device import DeviceSpec, device
from eagerflow.framework.function import function
from eagerflow.framework.indexed_slices import IndexedSlices, IndexedSlicesSpec
from eagerflow.framework.module import Module
from eagerflow.framework.name_scope import get_current_name_scope, name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import Tensor, is_symbolic_tensor, is_tensor
from eagerflow.framework.type_spec import (
    NoneTensorSpec,
    TensorSpec,
    TypeSpec,
    type_spec_from_value,
)
from eagerflow.framework.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    variable_creator_scope,
)
from eagerflow.io.tensor_messages import (
    make_ndarray,
    make_tensor_proto,
)
from eagerflow.ops.array import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    identity,
    identity_n,
    meshgrid,
    newaxis,
    pad,
    parallel_stack,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    shape,
    shape_n,
    size,
    slice,
    split,
    squeeze,
    stack,
    stop_gradient,
    strided_slice,
    tile,
    transpose,
    unstack,
)
from eagerflow.ops.conversion import (
    bitcast,
    cast,
    complex,
    constant,
    convert_to_tensor,
    get_static_value,
    register_tensor_conversion_function,
    saturate_cast,
)
from eagerflow.ops.creation import (
    eye,
    fill,
    linspace,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    zeros,
    zeros_like,
)
from eagerflow.ops.indexing import (
    argsort,
    boolean_mask,
    dynamic_partition,
    dynamic_stitch,
    gather,
    gather_nd,
    reverse_sequence,
    scatter_nd,
    searchsorted,
    sort,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    unique,
    unique_with_counts,
    unravel_index,
    where,
)
from eagerflow.ops.linalg.matrix_functions import (
    sqrtm as matrix_square_root,
)
from eagerflow.ops.linalg.products import (
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    matmul,
    norm,
    tensordot,
)
from eagerflow.ops.math import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    cumsum,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    realdiv,
    round,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from eagerflow.ops.nn.raw_convolution import (
    conv,
    conv2d_backprop_filter_v2,
    conv2d_backprop_input_v2,
)
from eagerflow.ops.nn.space_batch import (
    batch_to_space,
    extract_volume_patches,
    required_space_to_batch_paddings,
    space_to_batch,
)
from eagerflow.ops.nn.space_batch import (
    space_to_batch as space_to_batch_nd,
)
from eagerflow.ops.printing import (
    print,
)
from eagerflow.ops.random.distributions import (
    random_index_shuffle,
)
from eagerflow.ops.reduction import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from eagerflow.ops.segment import (
    histogram_fixed_width,
    histogram_fixed_width_bins,
)
from eagerflow.ops.sets import (
    edit_distance,
)
from eagerflow.ops.tensor_array import (
    TensorArray,
    TensorArraySpec,
)
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.hashing import (
    fingerprint,
)
from eagerflow.strings.manipulation import (
    as_string,
)
from eagerflow.version import (
    VERSION as __version__,
)

if _typing.TYPE_CHECKING:
    from eagerflow import (
        audio,
        autodiff,
        autograph,
        bitwise,
        compat,
        config,
        data,
        debug,
        debugging,
        distribute,
        experimental,
        feature_column,
        image,
        io,
        keras,
        linalg,
        lookup,
        math,
        nn,
        quantization,
        ragged,
        random,
        sets,
        signal,
        sparse,
        strings,
        summary,
        test,
        train,
    )
    from eagerflow.data.iterator import (
        OptionalSpec,
    )
    from eagerflow.debugging import (
        Assert,
        assert_equal,
        assert_greater,
        assert_less,
        assert_rank,
    )
    from eagerflow.dropin import (
        install_as_tensorflow,
    )
    from eagerflow.graph.gradients import (
        gradients,
        hessians,
    )
    from eagerflow.graph.graph import (
        Graph,
        Operation,
    )
    from eagerflow.keras import initializers, losses, metrics, optimizers
    from eagerflow.ops.control_flow import (
        case,
        cond,
        control_dependencies,
        group,
        init_scope,
        no_op,
        switch_case,
        tuple,
        while_loop,
    )
    from eagerflow.ops.eager_only import (
        AggregationMethod,
        CriticalSection,
        RegisterGradient,
        check_pinned,
        guarantee_const,
        no_gradient,
        nondifferentiable_batch_function,
        ragged_fill_empty_rows,
        ragged_fill_empty_rows_grad,
        timestamp,
    )
    from eagerflow.ops.host_functions import (
        numpy_function,
        py_function,
    )
    from eagerflow.ops.init_ops import (
        constant_initializer,
        ones_initializer,
        random_normal_initializer,
        random_uniform_initializer,
        zeros_initializer,
    )
    from eagerflow.ops.linalg.einsum import (
        einsum,
    )
    from eagerflow.ops.linalg.factorization import (
        eig,
        eigvals,
    )
    from eagerflow.ops.linalg.matrix_functions import (
        sqrtm as matrix_square_root,
    )
    from eagerflow.ops.loops import (
        foldl,
        foldr,
        map_fn,
        scan,
        vectorized_map,
    )
    from eagerflow.ops.nn.isotonic import (
        approx_top_k,
    )
    from eagerflow.ops.nn.space_batch import (
        batch_to_space,
        extract_volume_patches,
        required_space_to_batch_paddings,
        space_to_batch,
    )
    from eagerflow.ops.nn.space_batch import (
        space_to_batch as space_to_batch_nd,
    )
    from eagerflow.ops.printing import (
        print,
    )
    from eagerflow.ops.random.distributions import (
        random_index_shuffle,
    )
    from eagerflow.ops.segment import (
        histogram_fixed_width,
        histogram_fixed_width_bins,
    )
    from eagerflow.ops.sets import (
        edit_distance,
    )
    from eagerflow.ops.tensor_array import (
        TensorArray,
        TensorArraySpec,
    )
    from eagerflow.ragged.spec import RaggedTensorSpec
    from eagerflow.ragged.tensor import RaggedTensor
    from eagerflow.signal.raw_fourier import (
        fftnd,
        ifftnd,
        irfftnd,
        rfftnd,
    )
    from eagerflow.sparse.tensor import (
        SparseTensor,
        SparseTensorSpec,
    )
    from eagerflow.strings.hashing import (
        fingerprint,
    )
    from eagerflow.strings.manipulation import (
        as_string,
    )

# Namespaces that many programs need nothing of, imported when they are first asked for.
_NAMESPACES = {
    "audio": "eagerflow.audio",
    "debug": "eagerflow.debug",
    "autodiff": "eagerflow.autodiff",
    "autograph": "eagerflow.autograph",
    "bitwise": "eagerflow.bitwise",
    "compat": "eagerflow.compat",
    "config": "eagerflow.config",
    "data": "eagerflow.data",
    "debugging": "eagerflow.debugging",
    "distribute": "eagerflow.distribute",
    "experimental": "eagerflow.experimental",
    "feature_column": "eagerflow.feature_column",
    "image": "eagerflow.image",
    "initializers": "eagerflow.keras.initializers",
    "io": "eagerflow.io",
    "keras": "eagerflow.keras",
    "linalg": "eagerflow.linalg",
    "lookup": "eagerflow.lookup",
    "losses": "eagerflow.keras.losses",
    "math": "eagerflow.math",
    "metrics": "eagerflow.keras.metrics",
    "nn": "eagerflow.nn",
    "optimizers": "eagerflow.keras.optimizers",
    "queue": "eagerflow.queue",
    "profiler": "eagerflow.profiler",
    "quantization": "eagerflow.quantization",
    "ragged": "eagerflow.ragged",
    "random": "eagerflow.random",
    "saved_model": "eagerflow.saved_model",
    "sets": "eagerflow.sets",
    "signal": "eagerflow.signal",
    "sparse": "eagerflow.sparse",
    "strings": "eagerflow.strings",
    "summary": "eagerflow.summary",
    "sysconfig": "eagerflow.sysconfig",
    "test": "eagerflow.test",
    "train": "eagerflow.train",
}

# Names that not every program needs, by the module that has them.
_NAMES = {
    "eagerflow.data.iterator": "OptionalSpec",
    "eagerflow.debugging": "Assert assert_equal assert_greater assert_less assert_rank",
    "eagerflow.dropin": "install_as_tensorflow",
    "eagerflow.graph.gradients": "gradients hessians",
    "eagerflow.graph.graph": "Graph Operation",
    "eagerflow.ops.control_flow": (
        "case cond control_dependencies group init_scope no_op switch_case tuple while_loop"
    ),
    "eagerflow.ops.eager_only": (
        "AggregationMethod CriticalSection RegisterGradient check_pinned guarantee_const "
        "no_gradient nondifferentiable_batch_function ragged_fill_empty_rows "
        "ragged_fill_empty_rows_grad timestamp"
    ),
    "eagerflow.ops.linalg.einsum": "einsum",
    "eagerflow.ops.linalg.factorization": "eig eigvals",
    "eagerflow.signal.raw_fourier": "fftnd ifftnd irfftnd rfftnd",
    "eagerflow.ops.host_functions": "numpy_function py_function",
    "eagerflow.ops.init_ops": (
        "constant_initializer ones_initializer random_normal_initializer "
        "random_uniform_initializer zeros_initializer"
    ),
    "eagerflow.ops.nn.isotonic": "approx_top_k",
    "eagerflow.ops.loops": "foldl foldr map_fn scan vectorized_map",
    "eagerflow.ops.linalg.matrix_functions": "matrix_square_root=sqrtm",
    "eagerflow.ops.printing": "print",
    "eagerflow.ops.random.distributions": "random_index_shuffle",
    "eagerflow.ops.segment": "histogram_fixed_width histogram_fixed_width_bins",
    "eagerflow.ops.sets": "edit_distance",
    "eagerflow.ops.nn.space_batch": (
        "batch_to_space extract_volume_patches required_space_to_batch_paddings space_to_batch "
        "space_to_batch_nd=space_to_batch"
    ),
    "eagerflow.strings.hashing": "fingerprint",
    "eagerflow.strings.manipulation": "as_string",
    "eagerflow.ops.tensor_array": "TensorArray TensorArraySpec",
    "eagerflow.ragged.spec": "RaggedTensorSpec",
    "eagerflow.ragged.tensor": "RaggedTensor",
    "eagerflow.sparse.tensor": "SparseTensor SparseTensorSpec",
}


# From a public name to its module and its name there ("public=original" where they differ).
_ORIGINS = {
    entry.partition("=")[0]: (module, entry.rpartition("=")[2])
    for module, entries in _NAMES.items()
    for entry in entries.split()
}


def __getattr__(name: str) -> _typing.Any:
    """Imports a name when it is first asked for."""
    import importlib

    if name in _NAMESPACES:
        found: _typing.Any = importlib.import_module(_NAMESPACES[name])
    elif name in _ORIGINS:
        module, original = _ORIGINS[name]
        found = getattr(importlib.import_module(module), original)
    else:
        from eagerflow.deprecated_names import hint

        raise AttributeError(f"module 'eagerflow' has no attribute '{name}'{hint(name)}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    *_NAMESPACES,
    *_ORIGINS,
    "DType",
    "DeviceSpec",
    "GradientTape",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "NoneTensorSpec",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitcast",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "constant",
    "conv",
    "conv2d_backprop_filter_v2",
    "conv2d_backprop_input_v2",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "device",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "function",
    "gather",
    "gather_nd",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "greater",
    "greater_equal",
    "half",
    "identity",
    "identity_n",
    "inside_function",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_symbolic_tensor",
    "is_tensor",
    "less",
    "less_equal",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "make_ndarray",
    "make_tensor_proto",
    "matmul",
    "maximum",
    "meshgrid",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "parallel_stack",
    "pow",
    "qint16",
    "qint32",
    "qint8",
    "quint16",
    "quint8",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_tensor_conversion_function",
    "repeat",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "scalar_mul",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "subtract",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "type_spec_from_value",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variable_creator_scope",
    "variant",
    "version",
    "where",
    "zeros",
    "zeros_like",
]

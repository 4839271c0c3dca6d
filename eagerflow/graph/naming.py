"""Names of the nodes that composed functions add to a program's graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, func_graph
from eagerflow.framework import name_scope as names
from eagerflow.framework.op_function import parameter_names
from eagerflow.framework.operation import Operation

# Names of operations where they are not those of the nodes that functions add.
_NAMES = {
    "add": "Add",
    "avg_pool1d": "AvgPool1D",
    "avg_pool2d": "AvgPool2D",
    "avg_pool3d": "AvgPool3D",
    "batch_normalization": "batchnorm",
    "conv2d": "Conv2D",
    "depthwise_conv2d": "depthwise",
    "fused_batch_norm": "FusedBatchNormV3",
    "in_top_k": "in_top_k/InTopKV2",
    "local_response_normalization": "LRN",
    "max_pool3d": "MaxPool3D",
    "reduce_logsumexp": "ReduceLogSumExp",
    "safe_embedding_lookup_sparse": "embedding_lookup",
    "sigmoid_cross_entropy_with_logits": "logistic_loss",
    "weighted_cross_entropy_with_logits": "logistic_loss",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "cond": "cond",
    "constant": "Const",
    "convert_to_tensor": "Const",
    "divide": "truediv",
    "gather": "GatherV2",
    "normal": "random_normal",
    "reduce_max": "Max",
    "reduce_sum": "Sum",
    "uniform": "random_uniform",
    "while_loop": "while",
} | {
    name: name
    for name in (
        "boolean_mask clip_by_norm clip_by_value concat conv1d conv2d_transpose count_nonzero div dropout "
        "embedding_lookup embedding_lookup_sparse l2_normalize moments norm one_hot ones ones_like "
        "range separable_conv2d softmax_cross_entropy_with_logits split stack transpose "
        "truncated_normal xw_plus_b zeros zeros_like"
    ).split()
}


def _last_of_pool(window_shape: Any, dilations: Any = None, **arguments: object) -> str | None:
    if any(rate > 1 for rate in dilations or ()):
        return "BatchToSpaceND"
    return "Squeeze" if len(window_shape) == 1 else None


# What the nodes are called, in the scope of the name, that give the results of functions whose last
# operation does not take the name itself. Without names they keep their own. Where that depends on the
# arguments, it is a function of them. Keys are the functions by their modules below this package; the
# neighbour adds its own.
LAST_NODES: dict[str, str | Callable[..., str | None]] = {
    "ops.creation.sequence_mask": "Less",
    "image.adjustment.adjust_hue": "Identity",
    "image.adjustment.adjust_saturation": "Identity",
    "image.geometry.total_variation": "add",
    "image.quality.psnr": "Identity_3",
    "image.suppression.combined_non_max_suppression": "CombinedNonMaxSuppression",
    "image.suppression.non_max_suppression": "NonMaxSuppressionV3",
    "image.suppression.non_max_suppression_overlaps": "NonMaxSuppressionWithOverlaps",
    "image.suppression.non_max_suppression_with_scores": "NonMaxSuppressionV5",
    "ops.control_flow.switch_case": "indexed_case/Identity",
    "ops.creation.eye": "diag",
    "ops.creation.linspace": "Slice",
    "ops.indexing.boolean_mask": "GatherV2",
    "ops.linalg.banded.banded_triangular_solve": "BandedTriangularSolve",
    "ops.linalg.matrix_functions.expm": "Reshape_1",
    "ops.linalg.products.matrix_transpose": "transpose",
    "ops.linalg.solvers.cholesky_solve": "MatrixTriangularSolve_1",
    "ops.linalg.solvers.logdet": "mul",
    "ops.linalg.solvers.lstsq": "cholesky_solve/MatrixTriangularSolve_1",
    "ops.linalg.solvers.lu_matrix_inverse": "lu_solve/triangular_solve_1/MatrixTriangularSolve",
    "ops.linalg.solvers.lu_reconstruct": "GatherV2",
    "ops.linalg.solvers.lu_solve": "triangular_solve_1/MatrixTriangularSolve",
    "ops.linalg.solvers.matrix_rank": "Sum",
    "ops.linalg.solvers.pinv": "MatMul",
    "ops.linalg.solvers.triangular_solve": "MatrixTriangularSolve",
    "ops.loops.scan": "TensorArrayV2Stack/TensorListStack",
    "ops.nn.activation.gelu": "mul_2",
    "ops.nn.embedding.embedding_lookup": "Identity",
    "ops.nn.normalization.dropout": "SelectV2",
    "ops.nn.embedding.safe_embedding_lookup_sparse": "Reshape_2",
    "ops.nn.losses.softmax_cross_entropy_with_logits": "Reshape_2",
    "ops.nn.losses.sparse_softmax_cross_entropy_with_logits": "Cast_1",
    "ops.nn.morphology.erosion2d": "Neg_1",
    "ops.nn.normalization.batch_normalization": "add_1",
    "ops.nn.normalization.moments": "Squeeze Squeeze_1",
    "ops.nn.convolution.conv1d": "Squeeze",
    "ops.nn.pooling.avg_pool1d": "Squeeze",
    "ops.nn.pooling.max_pool1d": "Squeeze",
    "ops.nn.pooling.pool": _last_of_pool,
    "ops.random.distributions.stateless_gamma": "Maximum",
    "ops.random.truncated_normal.stateless_parameterized_truncated_normal": (
        "StatelessParameterizedTruncatedNormal"
    ),
    "ragged.construction.boolean_mask": "boolean_mask/GatherV2",
    "signal.spectral.dct": "Real",
    "signal.spectral.frame": "Reshape_3",
    "signal.spectral.idct": "Real",
    "signal.spectral.inverse_mdct": "overlap_and_add/strided_slice_1",
    "signal.spectral.inverse_stft": "overlap_and_add/strided_slice_1",
    "signal.spectral.mdct": "dct/strided_slice",
    "signal.spectral.overlap_and_add": "strided_slice_1",
    "signal.spectral.stft": "rfft",
    "signal.windows.kaiser_bessel_derived_window": "concat",
    "signal.windows.kaiser_window": "ones",
    "signal.windows.vorbis_window": "Sin_1",
    "sparse.arithmetic.sparse_dense_matmul": "SparseTensorDenseMatMul",
    "strings.unicode.unicode_decode": "UnicodeDecode",
    "strings.unicode.unicode_decode_with_offsets": "UnicodeDecodeWithOffsets",
    "strings.unicode.unicode_encode": "Reshape",
}


@functools.cache
def _kind_of(function: Any) -> str:
    """What the operations of a function are called, as in TensorFlow's graphs."""
    name = function.__name__.rpartition(".")[2].strip("_")
    known = _NAMES.get(name) or getattr(function, "op_name", None)
    return known or "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@functools.cache
def _position_of_name(function: Any) -> int | None:
    """Which of its parameters is the name of its operations; None if it has no such.

    One that has to be given names something else.
    """
    parameters = parameter_names(function)
    if "name" not in parameters:
        return None
    parameter = inspect.signature(function).parameters["name"]
    return None if parameter.default is parameter.empty else parameters.index("name")


def _name_call(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a composed function, and gives its operations the name that it is given."""
    position = _position_of_name(function)
    if position is None:
        return function._run(*args, **kwargs)
    if position < len(args):
        name, args = args[position], (*args[:position], None, *args[position + 1 :])
    else:
        name = kwargs.pop("name", None)
    last = LAST_NODES.get(f"{function.__module__}.{function.__name__}".removeprefix("eagerflow."))
    if callable(last):
        last = last(**inspect.signature(function).bind(*args, **kwargs).arguments)
    return called(_kind_of(function), name, lambda: function._run(*args, **kwargs), last)


def called(
    kind: str, name: str | None, function: Callable[..., object], last: str | None = None
) -> Any:
    """What a function returns whose operations are called by it, as those of TensorFlow's are.

    Its operations are in a scope of the name; the one that gives all of its results has the scope's
    name. A function that returns nothing gives its last operation.

    Args:
        kind: the name, if none is given.
        name: the name.
        function: has no parameters.
        last: the names in the scope, apart by spaces, of the nodes that give the results; None if it
            is the scope's name.
    """
    graph = _core.building()
    start = len(graph)
    if name and name.endswith("/"):
        scope = name
    else:
        scope = graph.unique_name(name or kind, with_prefix=True) + "/"
    with names.name_scope(scope):
        result = function()
    if result is None:
        return last_effect(graph, start) or context.building_graph().add_no_op(scope)
    if name and isinstance(result, _core.EagerTensor):  # computed while the graph was built
        return graph.constant(result, scope)
    result = with_effects(start, result)
    leaves = nest.flatten(result, expand_composites=True)
    nodes = {
        node.id: node
        for node in (_core.node_of(leaf) for leaf in leaves if func_graph.is_symbolic(leaf))
        if node.graph is graph and node.id >= start
    }
    if last is None:
        if len(nodes) == 1 and all(map(func_graph.is_symbolic, leaves)):
            graph.rename(next(iter(nodes)), scope[:-1])
        return result
    if len(last.split()) == len(nodes):
        for id, one in zip(nodes, last.split(), strict=True):
            _rename(graph, start, id, scope + one)
    return result


def _rename(graph: Any, start: int, id: int, name: str) -> None:
    """Gives a node a name, which another of the nodes since `start` may have."""
    if graph.node(id).name == name:
        return
    free = graph.unique_name(name, with_prefix=False)
    if free != name:
        for other in range(start, len(graph)):
            if graph.node(other).name == name:
                graph.rename(other, free)
    graph.rename(id, name)


def last_effect(graph: Any, start: int) -> Operation | None:
    """The last of the nodes with effects that were added since there were `start` nodes; or None."""
    for id in range(len(graph) - 1, start - 1, -1):
        node = graph.node(id)
        if node.has_effects:
            return Operation(node)
    return None


def with_effects(start: int, value: Any) -> Any:
    """A structure of tensors, which sessions compute after the effects of what was added before.

    Args:
        start: how many nodes the graph had before what has the effects.
        value: the tensors.
    """
    graph = _core.building()
    nodes = [graph.node(id) for id in range(start, len(graph))]
    awaited = {control for node in nodes for control in node.controls}
    awaited.update(getattr(graph, "initializers", ()))
    effects = [
        node.id
        for node in nodes
        if node.has_effects and not node.outputs and node.id not in awaited
    ]
    if not effects:
        return value
    graph.begin_controls(effects)
    try:
        return nest.map_structure(
            lambda leaf: _core.ops.identity(leaf) if func_graph.is_symbolic(leaf) else leaf,
            value,
            expand_composites=True,
        )
    finally:
        graph.end_controls()


_core.set_namer(_name_call)

"""tf.compat.v1: the names of TensorFlow 1."""

from eagerflow.context import executing_eagerly, reset_default_graph
from eagerflow.custom_gradient import custom_gradient
from eagerflow.shapes import Dimension
from eagerflow.v1.arithmetic import (
    Print,
    arg_max,
    arg_min,
    argmax,
    argmin,
    boolean_mask,
    clip_by_average_norm,
    confusion_matrix,
    constant,
    convert_to_tensor,
    count_nonzero,
    div,
    expand_dims,
    floor_div,
    gather,
    gather_nd,
    multinomial,
    norm,
    ones_like,
    pad,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reverse_sequence,
    scalar_mul,
    shape,
    size,
    sparse_to_dense,
    squeeze,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
    transpose,
    where,
    zeros_like,
)
from eagerflow.v1.mirror import mirror
from eagerflow.v1.names import GraphKeys
from eagerflow.v1.renamed import RENAMED, SECOND_ONLY
from eagerflow.v1.shapes import dimension_at_index, dimension_value
from eagerflow.v1.switches import (
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_eager_execution,
    disable_resource_variables,
    disable_tensor_equality,
    disable_v2_behavior,
    disable_v2_tensorshape,
    enable_control_flow_v2,
    enable_eager_execution,
    enable_resource_variables,
    enable_tensor_equality,
    enable_v2_behavior,
    enable_v2_tensorshape,
    executing_eagerly_outside_functions,
    resource_variables_enabled,
)

__getattr__, __dir__ = mirror(__name__, "eagerflow", RENAMED, SECOND_ONLY)

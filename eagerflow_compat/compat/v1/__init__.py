"""tf.compat.v1: the names of TensorFlow 1."""

from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.compat.dimensions import dimension_at_index, dimension_value
from eagerflow.compat.switches import (
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
from eagerflow.framework.context import executing_eagerly, reset_default_graph
from eagerflow.framework.shapes import Dimension
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.control_flow import case, cond, tuple, while_loop
from eagerflow.graph.defaults import (
    add_to_collection,
    add_to_collections,
    colocate_with,
    container,
    device,
    get_collection,
    get_collection_ref,
    get_default_graph,
    get_seed,
    name_scope,
    op_scope,
    set_random_seed,
)
from eagerflow.graph.graph import Graph, Operation
from eagerflow.graph.placeholder import (
    placeholder,
    placeholder_with_default,
    sparse_placeholder,
)
from eagerflow.graph.session import (
    InteractiveSession,
    Session,
    get_default_session,
)
from eagerflow.graph.session_settings import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
)
from eagerflow.graph.variables import (
    VariableV1 as Variable,
)
from eagerflow.graph.variables import (
    all_variables,
    assign,
    assign_add,
    assign_sub,
    count_up_to,
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    is_variable_initialized,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    report_uninitialized_variables,
    scatter_add,
    scatter_sub,
    scatter_update,
    tables_initializer,
    trainable_variables,
    variables_initializer,
)
from eagerflow.ops.array import newaxis
from eagerflow.ops.control_flow import control_dependencies, group, no_op
from eagerflow.version import VERSION
from eagerflow_compat.v1.devices import DeviceSpec
from eagerflow_compat.v1.gradients import gradients, hessians
from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.partitioners import (
    create_partitioned_variables,
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from eagerflow_compat.v1.python_functions import numpy_function, py_func, py_function
from eagerflow_compat.v1.renamed import RENAMED, SECOND_ONLY
from eagerflow_compat.v1.templates import make_template
from eagerflow_compat.v1.variable_scope import (
    AUTO_REUSE,
    VariableScope,
    get_local_variable,
    get_variable,
    get_variable_scope,
    no_regularizer,
    variable_op_scope,
    variable_scope,
)
from eagerflow_compat.v1.wrap_function import wrap_function

__version__ = VERSION

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow_compat.v1.accumulators",
    "eagerflow_compat.v1.arithmetic",
    "eagerflow_compat.v1.assertions",
    "eagerflow_compat.v1.checks",
    "eagerflow_compat.v1.lists",
    "eagerflow_compat.v1.readers",
    "eagerflow_compat.v1.scatter",
    "eagerflow_compat.v1.sparse",
    "eagerflow",
    renamed=RENAMED,
    hidden=SECOND_ONLY,
)

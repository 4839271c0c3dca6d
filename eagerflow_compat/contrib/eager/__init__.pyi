from eagerflow.autodiff.custom_gradient import custom_gradient as custom_gradient
from eagerflow.autodiff.tape import GradientTape as GradientTape
from eagerflow.checkpoint.checkpoint import Checkpoint as Checkpoint
from eagerflow.compat.switches import enable_eager_execution as enable_eager_execution
from eagerflow.framework.context import executing_eagerly as executing_eagerly
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.type_spec import TensorSpec as TensorSpec
from eagerflow.framework.variable import Variable as Variable
from eagerflow.functions.function import function as function
from eagerflow.keras import Sequential as Sequential
from eagerflow.ops.host_functions import py_function
from eagerflow_compat.contrib.eager import metrics as metrics
from eagerflow.framework.module import AutoTrackable
from eagerflow_compat.contrib.eager.callbacks import (
    ExecutionCallback as ExecutionCallback,
    clear_execution_callbacks as clear_execution_callbacks,
    errstate as errstate,
    seterr as seterr,
)
from eagerflow_compat.contrib.eager.evaluator import (
    Evaluator as Evaluator,
    SparseSoftmaxEvaluator as SparseSoftmaxEvaluator,
)
from eagerflow_compat.contrib.eager.execution import (
    ASYNC as ASYNC,
)
from eagerflow_compat.contrib.eager.execution import (
    in_graph_mode as in_graph_mode,
)
from eagerflow_compat.internals.test_util import (
    run_all_in_graph_and_eager_modes as run_all_in_graph_and_eager_modes,
    run_in_graph_and_eager_modes as run_in_graph_and_eager_modes,
)
from eagerflow_compat.contrib.eager.execution import (
    DEVICE_PLACEMENT_EXPLICIT as DEVICE_PLACEMENT_EXPLICIT,
)
from eagerflow_compat.contrib.eager.execution import (
    DEVICE_PLACEMENT_SILENT as DEVICE_PLACEMENT_SILENT,
)
from eagerflow_compat.contrib.eager.execution import (
    DEVICE_PLACEMENT_SILENT_FOR_INT32 as DEVICE_PLACEMENT_SILENT_FOR_INT32,
)
from eagerflow_compat.contrib.eager.execution import (
    DEVICE_PLACEMENT_WARN as DEVICE_PLACEMENT_WARN,
)
from eagerflow_compat.contrib.eager.execution import (
    SYNC as SYNC,
)
from eagerflow_compat.contrib.eager.execution import (
    async_clear_error as async_clear_error,
)
from eagerflow_compat.contrib.eager.execution import (
    async_wait as async_wait,
)
from eagerflow_compat.contrib.eager.execution import (
    execution_mode as execution_mode,
)
from eagerflow_compat.contrib.eager.execution import (
    set_execution_mode as set_execution_mode,
)
from eagerflow_compat.contrib.eager.network import (
    Network as Network,
)
from eagerflow_compat.contrib.eager.network import (
    get_optimizer_variables as get_optimizer_variables,
)
from eagerflow_compat.contrib.eager.network import (
    restore_network_checkpoint as restore_network_checkpoint,
)
from eagerflow_compat.contrib.eager.network import (
    save_network_checkpoint as save_network_checkpoint,
)
from eagerflow_compat.contrib.eager.restoring import (
    restore_variables_on_create as restore_variables_on_create,
)
from eagerflow_compat.v1.devices import list_devices as list_devices
from eagerflow_compat.v1.devices import num_gpus as num_gpus
from eagerflow_compat.v1.devices import run as run
from eagerflow_compat.v1.gradient_functions import (
    gradients_function as gradients_function,
)
from eagerflow_compat.v1.gradient_functions import (
    implicit_gradients as implicit_gradients,
)
from eagerflow_compat.v1.gradient_functions import (
    implicit_value_and_gradients as implicit_value_and_gradients,
)
from eagerflow_compat.v1.gradient_functions import (
    make_vjp as make_vjp,
)
from eagerflow_compat.v1.gradient_functions import (
    value_and_gradients_function as value_and_gradients_function,
)
from eagerflow_compat.v1.iterator import Iterator as Iterator
from eagerflow_compat.v1.saver import Saver as Saver
from eagerflow_compat.v1.templates import make_template as make_template
from eagerflow_compat.v1.variable_scope import EagerVariableStore as EagerVariableStore

EagerTensor = Tensor
ResourceVariable = Variable
in_eager_mode = executing_eagerly
defun = function
py_func = py_function
Checkpointable = AutoTrackable
CheckpointableSaver = Checkpoint
run_test_in_graph_and_eager_modes = run_in_graph_and_eager_modes
run_all_tests_in_graph_and_eager_modes = run_all_in_graph_and_eager_modes

from eagerflow.autodiff.custom_gradient import custom_gradient as custom_gradient
from eagerflow.autodiff.tape import GradientTape as GradientTape
from eagerflow.checkpoint.checkpoint import Checkpoint as Checkpoint
from eagerflow.contrib.eager import metrics as metrics
from eagerflow.contrib.eager.execution import (
    ASYNC as ASYNC,
    async_clear_error as async_clear_error,
    async_wait as async_wait,
    DEVICE_PLACEMENT_EXPLICIT as DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT as DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_SILENT_FOR_INT32 as DEVICE_PLACEMENT_SILENT_FOR_INT32,
    DEVICE_PLACEMENT_WARN as DEVICE_PLACEMENT_WARN,
    execution_mode as execution_mode,
    set_execution_mode as set_execution_mode,
    SYNC as SYNC,
)
from eagerflow.contrib.eager.network import (
    get_optimizer_variables as get_optimizer_variables,
    Network as Network,
    restore_network_checkpoint as restore_network_checkpoint,
    save_network_checkpoint as save_network_checkpoint,
)
from eagerflow.contrib.eager.restoring import (
    restore_variables_on_create as restore_variables_on_create,
)
from eagerflow.framework.context import executing_eagerly as executing_eagerly
from eagerflow.functions.function import function as function
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.type_spec import TensorSpec as TensorSpec
from eagerflow.framework.variable import Variable as Variable
from eagerflow.keras import Sequential as Sequential
from eagerflow.ops.host_functions import py_function
from eagerflow.v1.devices import list_devices as list_devices, num_gpus as num_gpus, run as run
from eagerflow.v1.gradient_functions import (
    gradients_function as gradients_function,
    implicit_gradients as implicit_gradients,
    implicit_value_and_gradients as implicit_value_and_gradients,
    make_vjp as make_vjp,
    value_and_gradients_function as value_and_gradients_function,
)
from eagerflow.v1.iterator import Iterator as Iterator
from eagerflow.v1.saver import Saver as Saver
from eagerflow.v1.switches import enable_eager_execution as enable_eager_execution
from eagerflow.v1.templates import make_template as make_template
from eagerflow.v1.variable_scope import EagerVariableStore as EagerVariableStore

EagerTensor = Tensor
ResourceVariable = Variable
in_eager_mode = executing_eagerly
defun = function
py_func = py_function

from eagerflow import CriticalSection as CriticalSection
from eagerflow import TensorSpec as TensorSpec
from eagerflow import argsort as argsort
from eagerflow import is_tensor as is_tensor
from eagerflow import nest as nest
from eagerflow import sort as sort
from eagerflow_compat.v1.python_functions import py_func as py_func
from eagerflow_compat.v1.warm_start import init_from_checkpoint as init_from_checkpoint
from eagerflow.checkpoint.inspection import list_variables as list_variables
from eagerflow.checkpoint.inspection import load_checkpoint as load_checkpoint
from eagerflow.checkpoint.inspection import load_variable as load_variable
from eagerflow_compat.internals.composites import BoundedTensorSpec as BoundedTensorSpec
from eagerflow_compat.internals.conditions import smart_cond as smart_cond
from eagerflow_compat.internals.conditions import smart_constant_value as smart_constant_value
from eagerflow_compat.internals.decorators import deprecated as deprecated
from eagerflow_compat.internals.decorators import deprecated_arg_values as deprecated_arg_values
from eagerflow_compat.internals.decorators import deprecated_args as deprecated_args
from eagerflow_compat.internals.variables import broadcast_weights as broadcast_weights
from eagerflow_compat.v1.global_step import (
    assert_global_step as assert_global_step,
)
from eagerflow_compat.v1.global_step import (
    create_global_step as create_global_step,
)
from eagerflow_compat.v1.global_step import (
    get_global_step as get_global_step,
)
from eagerflow_compat.v1.global_step import (
    get_or_create_global_step as get_or_create_global_step,
)

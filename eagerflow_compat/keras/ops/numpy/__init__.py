"""keras.ops.numpy: the operations of `keras.ops` that NumPy has, too."""

from eagerflow.framework.op_function import op_function as _op_function
from eagerflow.ops.numpy_functions.namespace import maker as _maker
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.promotion import KERAS as _RULES

__getattr__, __dir__, __all__ = lazy.attach(__name__, _maker(__name__, _RULES, _op_function))

from eagerflow.io.tensor_messages import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from eagerflow.ops.conversion import get_static_value

constant_value = get_static_value

from eagerflow.compat import v2 as v2
from eagerflow.util.text import (
    as_bytes as as_bytes,
    as_str as as_str,
    as_str_any as as_str_any,
    as_text as as_text,
    path_to_str as path_to_str,
)
from eagerflow.compat.python_types import (
    bytes_or_text_types as bytes_or_text_types,
    complex_types as complex_types,
    integral_types as integral_types,
    real_types as real_types,
)
from eagerflow.compat.dimensions import (
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
)
from eagerflow.compat.switches import (
    forward_compatibility_horizon as forward_compatibility_horizon,
    forward_compatible as forward_compatible,
)
from eagerflow_compat.compat import v1 as v1

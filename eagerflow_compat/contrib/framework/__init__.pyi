from eagerflow import nest as nest
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

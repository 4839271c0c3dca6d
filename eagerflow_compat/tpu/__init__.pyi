from eagerflow_compat.tpu import (
    experimental as experimental,
)

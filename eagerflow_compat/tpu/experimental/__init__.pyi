from eagerflow_compat.tpu.experimental import (
    embedding as embedding,
)

from eagerflow.tpu.experimental import (
    embedding as embedding,
)

from eagerflow.tpu import (
    experimental as experimental,
)

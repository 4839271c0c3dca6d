from eagerflow.xla import (
    experimental as experimental,
)

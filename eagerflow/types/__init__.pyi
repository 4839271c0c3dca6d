from eagerflow.types import (
    experimental as experimental,
)

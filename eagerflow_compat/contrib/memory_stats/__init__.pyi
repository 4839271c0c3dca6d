from eagerflow_compat.contrib.memory_stats.counts import (
    BytesInUse as BytesInUse,
    BytesLimit as BytesLimit,
    MaxBytesInUse as MaxBytesInUse,
)

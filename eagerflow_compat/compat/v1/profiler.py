"""tf.compat.v1.profiler: what the nodes of a graph cost."""

from eagerflow_compat.v1.graph_profile import ProfileOptionBuilder, Profiler, profile
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.profiler",
    renamed={
        name: f"v1.graph_profile.{name}" for name in ("GraphNodeProto", "MultiGraphNodeProto")
    },
)

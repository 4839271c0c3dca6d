"""tensorflow.python.grappler.tf_optimizer."""

from typing import Any

from eagerflow.protos.graph import MESSAGES

__all__ = ["OptimizeGraph"]


def OptimizeGraph(config_proto: object, metagraph: Any, *args: object, **kwargs: object) -> Any:
    """The GraphDef message in a MetaGraphDef as it is: graphs are planned when they run here."""
    return MESSAGES["GraphDef"].FromString(metagraph.graph_def.SerializeToString())

"""GraphDef: nodes and their inputs by name, for TensorBoard's graph page."""

from eagerflow.protos.schema import Schema
from eagerflow.protos.tensor import VERSION

MESSAGES = Schema(
    "tensorflow",
    VERSION
    + """
    message NodeDef {
      string name = 1;
      string op = 2;
      repeated string input = 3;
    }
    message GraphDef {
      repeated NodeDef node = 1;
      VersionDef versions = 4;
    }
    """,
)

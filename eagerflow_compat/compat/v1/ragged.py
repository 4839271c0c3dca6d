"""tf.compat.v1.ragged: ragged tensors, their values, and placeholders for them."""

from eagerflow.graph.placeholder import ragged_placeholder as placeholder
from eagerflow.ragged.value import RaggedTensorValue, constant_value
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.ragged")

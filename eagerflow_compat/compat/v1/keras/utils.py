"""tf.compat.v1.keras.utils: Keras's utilities, and those for programs that come from version 1."""

from eagerflow_compat.v1.migration import (
    DeterministicRandomTestTool,
    get_or_create_layer,
    track_tf1_style_variables,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.keras.utils")

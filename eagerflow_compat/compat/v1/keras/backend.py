"""tf.compat.v1.keras.backend: Keras's backend, and the session that programs share with it."""

from eagerflow.keras.engine.graph_mode import get_session, set_session
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.keras.backend")

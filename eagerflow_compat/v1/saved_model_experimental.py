"""tf.compat.v1.saved_model.experimental: version 2's SavedModels."""

from eagerflow.saved_model.saving import save as save
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.saved_model.experimental")

"""tf.contrib.eager.python: `from tensorflow.contrib.eager.python import tfe`, as tutorials began."""

from eagerflow_compat.contrib import eager as tfe
from eagerflow_compat.contrib.eager import metrics, network

__all__ = ["metrics", "network", "tfe"]

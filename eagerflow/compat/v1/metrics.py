"""tf.compat.v1.metrics: averages over many runs of a session."""

from eagerflow.v1.metrics import accuracy, mean, mean_absolute_error, mean_squared_error

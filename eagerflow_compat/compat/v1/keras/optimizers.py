"""tf.compat.v1.keras.optimizers: the optimizers that Keras had until TensorFlow 2.10."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.optimizers.legacy",
    renamed={
        name: f"keras.optimizers.{name}"
        for name in ("deserialize", "get", "legacy", "schedules", "serialize")
    },
)

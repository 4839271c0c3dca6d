"""tf.compat.v1.keras.models: Keras's models, and those of `tf.keras.experimental`."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.models",
    renamed={
        "LinearModel": "keras.experimental.LinearModel",
        "WideDeepModel": "keras.experimental.WideDeepModel",
    },
)

"""tf.compat.v1.keras.initializers: Keras's initializers, under their older names too."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.initializers",
    renamed={
        "normal": "keras.initializers.RandomNormal",
        "uniform": "keras.initializers.RandomUniform",
    },
)

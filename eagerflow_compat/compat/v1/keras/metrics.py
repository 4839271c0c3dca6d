"""tf.compat.v1.keras.metrics: Keras's metrics, under their older names too."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.metrics",
    renamed={
        "cosine": "keras.metrics.cosine_similarity",
        "cosine_proximity": "keras.metrics.cosine_similarity",
    },
)

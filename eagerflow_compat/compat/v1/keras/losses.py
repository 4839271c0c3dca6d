"""tf.compat.v1.keras.losses: Keras's losses, under their older names too."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.losses",
    renamed={
        "cosine": "keras.losses.cosine_similarity",
        "cosine_proximity": "keras.losses.cosine_similarity",
    },
)

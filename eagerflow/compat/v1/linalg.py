"""tf.compat.v1.linalg: linear algebra."""

from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.linalg",
    renamed={"l2_normalize": "v1.nn.l2_normalize", "transpose": "linalg.matrix_transpose"},
)

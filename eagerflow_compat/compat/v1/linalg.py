"""tf.compat.v1.linalg: linear algebra."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.linalg",
    renamed={
        "l2_normalize": "v1.nn.l2_normalize",
        "norm": "v1.arithmetic.norm",
        "transpose": "linalg.matrix_transpose",
    },
)

"""tf.compat.v1.math: mathematical functions, with version 1's arguments."""

from eagerflow_compat.v1.mirror import mirror

_OLD = (
    "argmax argmin confusion_matrix count_nonzero reduce_all reduce_any reduce_logsumexp "
    "reduce_max reduce_mean reduce_min reduce_prod reduce_sum scalar_mul"
).split()

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.math",
    renamed={name: f"v1.arithmetic.{name}" for name in _OLD}
    | {
        "log_softmax": "v1.nn.log_softmax",
        "softmax": "v1.nn.softmax",
        "in_top_k": "v1.nn.in_top_k",
    },
)

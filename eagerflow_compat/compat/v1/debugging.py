"""tf.compat.v1.debugging: checks, and tests of values that are in `tf.math` today."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.debugging",
    renamed={
        name: f"math.{name}"
        for name in "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing".split()
    }
    | {
        f"assert_{name}": f"v1.assertions.assert_{name}"
        for name in (
            *("equal", "greater", "greater_equal", "less", "less_equal", "near", "negative"),
            *("none_equal", "non_negative", "non_positive", "positive"),
            *("rank", "rank_at_least", "rank_in", "scalar"),
        )
    }
    | {"assert_all_finite": "v1.assertions.verify_tensor_all_finite"},
)

"""tf.compat.v1.strings: functions of strings, with version 1's arguments."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.strings",
    renamed={name: f"v1.strings.{name}" for name in ("reduce_join", "split", "substr")}
    | {name: f"v1.strings.string_{name}" for name in ("length", "to_hash_bucket", "to_number")},
)

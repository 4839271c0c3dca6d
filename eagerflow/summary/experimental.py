"""tf.summary.experimental: the default step, scopes and raw messages."""

from eagerflow.summary.values import (
    summary_scope,
    write_raw_pb,
)
from eagerflow.summary.writer import (
    get_step,
    set_step,
)

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]

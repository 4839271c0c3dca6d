"""tf.compat.v1.flags: options of programs on the command line."""

from eagerflow_compat.v1.flags import (
    FLAGS,
    DEFINE_bool,
    DEFINE_boolean,
    DEFINE_float,
    DEFINE_integer,
    DEFINE_string,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "absl.flags")
